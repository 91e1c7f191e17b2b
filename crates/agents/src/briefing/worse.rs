//! Memories that an edit made untrue: judged from the disk, and told once.
//!
//! Worse than what? Than how the agent was last told that the memory stands; one that it was not told of is taken to have
//! stood, because it was proven when it was kept. Nothing is held against a memory that may speak of another branch: its
//! code must be part of this tree's own history, or it must have been shown here before.

use apostille_cite::{
    citation::RepoPath,
    follow::NEAR,
    standing::{Showing, Standing},
};
use apostille_core::{
    Context, CoreError, list,
    memory::{Layer, Memory, MemoryId},
    recall::VerifiedHit,
    space::Space,
    store::{ListOrder, MemoryFilter},
    verify::{self, VerifiedMemory},
};
use jiff::SignedDuration;

use crate::session::AgentSession;

/// How many memories that cite one file are judged.
const MAX_CITING: usize = 100;
/// How many memories are judged when a session begins.
const MAX_AT_START: usize = 50;
/// For how long a memory is recent that no session was shown.
const RECENT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// What is judged, and for which session.
#[derive(Debug, Clone, Copy)]
pub struct EditReview<'a> {
    /// The repository.
    pub repo: &'a Space,
    /// The session that is told.
    pub session: &'a AgentSession,
    /// The files that were edited.
    pub edited: &'a [RepoPath],
    /// The sessions before it, the last one first, where one begins: `sed`, formatters and `git pull` are reported by
    /// nobody, so what was shown to stand and what is recent is judged, too.
    pub earlier: Option<&'a [AgentSession]>,
}

impl EditReview<'_> {
    /// The memories whose standing got worse, the worst first. What could not be looked up in time is not among them.
    pub fn find_worse_memories(&self, cx: &Context) -> Result<Vec<VerifiedMemory>, CoreError> {
        let mut due = self.list_citing_memories(cx)?;
        if let Some(earlier) = self.earlier {
            add_unknown_memories(&mut due, self.list_shown_memories(cx, earlier)?);
            add_unknown_memories(&mut due, self.list_recent_memories(cx)?);
            due.truncate(MAX_AT_START);
        }
        if due.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = verify::follow_recent_citations(cx, due, NEAR);
        found.retain(|it| self.is_worse(it));
        found.sort_by_key(|it| (u8::MAX - rank_standing(it.standing()), it.memory.number));
        Ok(found)
    }

    fn list_citing_memories(&self, cx: &Context) -> Result<Vec<Memory>, CoreError> {
        let mut citing = Vec::new();
        for path in self.edited {
            let about = MemoryFilter {
                path: Some(path.clone()),
                ..self.knowledge_filter(MAX_CITING)
            };
            // A file that was renamed before is cited by its old name until somebody heals it.
            add_unknown_memories(&mut citing, list::list_memories(cx, &about)?);
        }
        Ok(citing)
    }

    /// What was shown to stand, in the latest sessions first.
    fn list_shown_memories(
        &self,
        cx: &Context,
        earlier: &[AgentSession],
    ) -> Result<Vec<Memory>, CoreError> {
        let mut ids: Vec<MemoryId> = Vec::new();
        for id in earlier.iter().flat_map(AgentSession::shown_ids) {
            if ids.len() < MAX_AT_START && !ids.contains(&id) {
                ids.push(id);
            }
        }
        let mut shown = cx.store.get_by_ids(&ids)?;
        let filter = self.knowledge_filter(0);
        shown.retain(|it| filter.admits_memory(it) && !it.citations.is_empty());
        Ok(shown)
    }

    fn list_recent_memories(&self, cx: &Context) -> Result<Vec<Memory>, CoreError> {
        let mut recent = cx
            .store
            .list_memories(&self.knowledge_filter(MAX_AT_START))?;
        recent.retain(|it| {
            !it.citations.is_empty() && cx.now.duration_since(it.refreshed_at) < RECENT
        });
        Ok(recent)
    }

    fn knowledge_filter(&self, limit: usize) -> MemoryFilter {
        MemoryFilter {
            layers: vec![Layer::Knowledge],
            order: ListOrder::Refreshed,
            ..MemoryFilter::active_in([self.repo.clone()], limit)
        }
    }

    fn is_worse(&self, it: &VerifiedMemory) -> bool {
        let told = self.last_told(it.memory.id);
        let was_shown = told.is_some_and(|it| it.showing() != Showing::Withheld);
        let before = told.map_or(0, rank_standing);
        // Of a fact that was corrected on a branch, the other version is the one that is shown here: nothing is to be repaired.
        let is_elsewhere = it.is_unmerged || it.is_outranked;
        rank_standing(it.standing()) > before && !is_elsewhere && (it.is_traced || was_shown)
    }

    /// How it was last told that a memory stands.
    fn last_told(&self, id: MemoryId) -> Option<Standing> {
        let earlier = self.earlier.unwrap_or_default();
        let sessions = earlier.iter().chain([self.session]);
        let told = sessions.filter_map(|it| it.told_standing(id));
        told.max_by_key(|it| (it.0, rank_standing(it.1)))
            .map(|it| it.1)
    }
}

/// The edited files that need not be judged again, after some of the memories that got worse were told. Those of memories
/// that had no room on the page are told next time, unless there was not even room for one. What there was no time for is
/// left to the next session's start: an agent is not held up again and again.
pub fn list_settled_files(
    edited: &[RepoPath],
    worse: &[VerifiedMemory],
    told: &[VerifiedHit],
) -> Vec<RepoPath> {
    let is_told = |it: &VerifiedMemory| told.iter().any(|told| told.hit.memory.id == it.memory.id);
    let is_open = |it: &&VerifiedMemory| !told.is_empty() && !is_told(it);
    let open = worse.iter().filter(is_open);
    let open: Vec<&RepoPath> = open
        .flat_map(|it| &it.memory.citations)
        .map(|it| &it.path)
        .collect();
    let is_settled = |it: &&RepoPath| !open.contains(it);
    edited.iter().filter(is_settled).cloned().collect()
}

/// How bad a standing is. What could not be looked up is not held against a memory.
fn rank_standing(standing: Standing) -> u8 {
    match standing {
        Standing::Stands | Standing::Stated | Standing::Unknown => 0,
        Standing::Check => 1,
        Standing::Gone | Standing::Contradicted => 2,
    }
}

fn add_unknown_memories(known: &mut Vec<Memory>, more: Vec<Memory>) {
    for memory in more {
        if known.iter().all(|it| it.id != memory.id) {
            known.push(memory);
        }
    }
}
