//! How memories stand in a tree: their citations followed, the things that they name looked up, and the runs of their
//! commands weighed. Every verb and every face asks here.

use apostille_cite::{
    follow::{CitationFollower, JudgedClaim},
    standing::Standing,
};

use crate::{
    Context,
    memory::{Memory, ModerationMark},
    names::NameLookup,
    review_remarks,
};

/// How many failures since the last success put a command in doubt. One is daily work: a test that fails proves that the
/// command runs.
const DOUBTFUL_FAILURES: usize = 2;

/// Judges memories in one tree. Files are read once, and the history is walked once, for all that are judged together.
pub struct MemoryJudge<'a> {
    cx: Context<'a>,
    follower: CitationFollower<'a>,
    names: NameLookup<'a>,
}

impl<'a> MemoryJudge<'a> {
    /// A judge in this context's source that follows at most so many commits.
    pub fn new(cx: &Context<'a>, most: usize) -> Self {
        Self {
            cx: *cx,
            follower: cx.citation_follower(most),
            names: NameLookup::new(cx.source, cx.late),
        }
    }

    /// How these memories stand, each with what was found at its citations.
    pub fn judge_memories<'m>(
        &mut self,
        memories: impl IntoIterator<Item = &'m Memory>,
    ) -> Vec<JudgedClaim> {
        let memories: Vec<&Memory> = memories.into_iter().collect();
        let claims: Vec<_> = memories.iter().map(|it| it.cited_claim()).collect();
        let mut judged = self.follower.judge_claims(&claims);
        for (memory, judged) in memories.iter().zip(&mut judged) {
            if judged.judgement.standing == Standing::Stands && is_kept_on_word(memory) {
                judged.judgement.standing = Standing::Stated;
            }
            self.weigh_other_evidence(memory, judged);
        }
        judged
    }

    /// How one memory stands.
    pub fn judge_memory(&mut self, memory: &Memory) -> JudgedClaim {
        let judged = self.judge_memories([memory]).pop();
        judged.unwrap_or(JudgedClaim {
            findings: Vec::new(),
            judgement: Standing::Unknown.into(),
        })
    }

    /// Evidence that is not code only ever puts a fact in doubt: it is shown with a mark then.
    fn weigh_other_evidence(&mut self, memory: &Memory, judged: &mut JudgedClaim) {
        let judgement = &mut judged.judgement;
        if !matches!(judgement.standing, Standing::Stated | Standing::Stands) {
            return;
        }
        judgement.missing = self.names.list_missing_names(memory);
        let is_failing = memory.runs.failed_at.len() >= DOUBTFUL_FAILURES;
        let is_silent = || review_remarks::is_unconfirmed_rule(&self.cx, memory, 1);
        if !judgement.missing.is_empty() || is_failing || is_silent() {
            judgement.standing = Standing::Check;
        }
    }
}

/// Whether a person kept a memory although the cited lines do not say it: they are no proof, wherever they are.
fn is_kept_on_word(memory: &Memory) -> bool {
    let is_ungrounded = |it: ModerationMark| it == ModerationMark::Ungrounded;
    memory.is_active()
        && memory.marks.iter().copied().any(is_ungrounded)
        && memory.current_marks().any(is_ungrounded)
}
