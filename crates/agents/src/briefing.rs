//! Brief: what an agent is shown by itself, at the moment it matters. Small, verified, once, and the same bytes for the
//! same state. In some clients it lands with the authority of the system, so it is framed as what it is: notes.

mod history_request;
mod ignore_request;
mod mentioned_paths;
mod page;
mod phrase;

use crate::session::AgentSession;
use apostille_cite::citation::RepoPath;
use apostille_core::memory::{Kind, Layer, Memory, Origin, Stage};
use apostille_core::policy::InjectMode;
use apostille_core::recall;
use apostille_core::recall::{Bar, RecallQuery, RecallRequest, VerifiedHit};
use apostille_core::space::Space;
use apostille_core::store::{ListOrder, MemoryFilter};
use apostille_core::verify;
use apostille_core::verify::VerifiedMemory;
use apostille_core::{Context, CoreError, breaker};

pub use history_request::asks_for_history;
pub use ignore_request::asks_to_ignore_memory;
pub use page::{FRAME, IDENTITY, KEPT, TASK, WISHES};

use page::BriefingPage;

/// How many memories that do not hold are named at once.
const MAX_DOUBTS: usize = 5;
/// How many of the person's preferences are told at the start.
const MAX_WISHES: usize = 5;

/// Who is briefed: an agent in this repository, working for this person.
#[derive(Debug, Clone, Copy)]
pub struct BriefingAudience<'a> {
    /// The repository.
    pub repo: &'a Space,
    /// The person.
    pub user: &'a Space,
    /// What was shown so far.
    pub session: &'a AgentSession,
}

/// What an agent is shown.
#[derive(Debug, Default)]
pub struct Briefing {
    /// The text; empty when there is nothing to say.
    pub text: String,
    /// The memories in it.
    pub shown: Vec<VerifiedHit>,
    /// The memories that would have been in it, but do not hold here.
    pub withheld: Vec<VerifiedHit>,
    query: Option<RecallQuery>,
}

impl Briefing {
    /// Writes down what was shown, as every recall does. It is not part of making the text, so that whoever waits for
    /// that has it first. What went wrong comes back as problems.
    pub fn log_recall(&self, cx: &Context<'_>) -> Vec<String> {
        match &self.query {
            Some(query) => recall::log_recall_later(cx, query, &self.shown, &self.withheld),
            None => Vec::new(),
        }
    }
}

/// At the start of a session: who the person is and how they want things done, the state of the task, and what waits for
/// approval. After the client
/// dropped most of what was said, also the corrections and rules that were shown before.
pub fn brief_session_start(
    cx: &Context<'_>,
    reader: &BriefingAudience<'_>,
    task: &str,
    is_compacted: bool,
) -> Result<Briefing, CoreError> {
    let Some(mut page) = BriefingPage::from_policy(cx.policy) else {
        return Ok(Briefing::default());
    };
    let identity = recall::recall_identity(cx, reader.user)?;
    page.push_section(
        IDENTITY,
        identity
            .iter()
            .map(|it| page::format_briefing_memory(it, "identity")),
    );
    let mut shown = add_memory_section(&mut page, WISHES, list_user_preferences(cx, reader)?);
    page.push_section(TASK, task.lines().map(page::format_briefing_bullet));
    if is_compacted {
        let is_new = |it: &VerifiedMemory| {
            shown
                .iter()
                .all(|told: &VerifiedHit| told.hit.memory.id != it.memory.id)
        };
        let kept = list_shown_rules(cx, reader)?
            .into_iter()
            .filter(is_new)
            .collect();
        shown.extend(add_memory_section(&mut page, KEPT, kept));
    }
    let n_pending = count_pending_approvals(cx, reader)?;
    if n_pending > 0 {
        let what = if n_pending == 1 {
            "memory waits"
        } else {
            "memories wait"
        };
        page.push_line(&format!(
            "{n_pending} {what} for a person's approval; the person decides with `apostille review`."
        ));
    }
    if has_open_breaker(cx, reader)? {
        page.push_line("A breaker is open: what agents write waits for a person; `apostille breaker` tells why.");
    }
    Ok(Briefing {
        text: page.into_text(),
        shown,
        ..Briefing::default()
    })
}

/// When the person says something: at first the briefing, later only what is new and clearly to the point.
pub fn brief_prompt(
    cx: &Context<'_>,
    reader: &BriefingAudience<'_>,
    text: &str,
) -> Result<Briefing, CoreError> {
    let is_history = asks_for_history(text);
    let mut layers = vec![Layer::Knowledge];
    layers.extend(is_history.then_some(Layer::Episode));
    // Who asks about the past in a few words is told; who only goes on is not interrupted.
    let bar = match (reader.session.is_briefed(), is_history) {
        (false, _) => Bar::Best,
        (true, true) => Bar::Near,
        (true, false) => Bar::Clear,
    };
    let paths = mentioned_paths::find_mentioned_paths(text);
    recall_into_briefing(
        cx,
        reader,
        RecallRequest {
            text: text.into(),
            layers,
            paths,
            bar: Some(bar),
            ..RecallRequest::default()
        },
    )
}

/// When files are about to be changed: the memories that cite them, once.
pub fn brief_file_touch(
    cx: &Context<'_>,
    reader: &BriefingAudience<'_>,
    paths: Vec<RepoPath>,
) -> Result<Briefing, CoreError> {
    let mode = (cx.policy.inject.mode != InjectMode::Off).then_some(InjectMode::Relevant);
    recall_into_briefing(
        cx,
        reader,
        RecallRequest {
            paths,
            mode,
            bar: Some(Bar::Clear),
            ..RecallRequest::default()
        },
    )
}

/// Before the client drops most of what was said: what must be kept, as bullets.
pub fn brief_compaction(
    cx: &Context<'_>,
    reader: &BriefingAudience<'_>,
    task: &str,
) -> Result<Briefing, CoreError> {
    let Some(mut page) = BriefingPage::from_policy(cx.policy) else {
        return Ok(Briefing::default());
    };
    page.push_section(TASK, task.lines().map(page::format_briefing_bullet));
    add_memory_section(&mut page, KEPT, list_shown_rules(cx, reader)?);
    Ok(Briefing {
        text: page.into_text(),
        ..Briefing::default()
    })
}

/// Adds memories under a title, as many as have room, and gives back those.
fn add_memory_section(
    page: &mut BriefingPage,
    title: &str,
    memories: Vec<VerifiedMemory>,
) -> Vec<VerifiedHit> {
    let n = page.push_section(
        title,
        memories
            .iter()
            .map(|it| page::format_briefing_memory(&it.memory, it.standing())),
    );
    memories
        .into_iter()
        .take(n)
        .map(VerifiedHit::from_verified)
        .collect()
}

/// How the person wants things done, wherever they work: what they said last first.
fn list_user_preferences(
    cx: &Context<'_>,
    reader: &BriefingAudience<'_>,
) -> Result<Vec<VerifiedMemory>, CoreError> {
    let filter = MemoryFilter {
        spaces: vec![reader.user.clone()],
        layers: vec![Layer::Knowledge],
        kinds: vec![Kind::User],
        stages: vec![Stage::Active],
        order: ListOrder::Refreshed,
        limit: MAX_WISHES,
        ..MemoryFilter::default()
    };
    Ok(
        verify::follow_memory_citations(cx, cx.store.list_memories(&filter)?)
            .into_iter()
            .filter(VerifiedMemory::is_good)
            .collect(),
    )
}

/// Recalls, and puts on a page what fits.
fn recall_into_briefing(
    cx: &Context<'_>,
    reader: &BriefingAudience<'_>,
    ask: RecallRequest,
) -> Result<Briefing, CoreError> {
    let Some(mut page) = BriefingPage::from_policy(cx.policy) else {
        return Ok(Briefing::default());
    };
    let spaces = vec![reader.repo.clone(), reader.user.clone()];
    let (query, recalled) = recall::recall_without_log(
        cx,
        &RecallRequest {
            spaces,
            seen: reader.session.ids_in_context(),
            ..ask
        },
    )?;
    let mut shown = Vec::new();
    for it in recalled.shown {
        if page.push_memory(&it) {
            shown.push(it);
        }
    }
    let doubted = reader.session.withheld_in_context();
    let new = |it: &VerifiedHit| it.hit.why.relevance > 0.0 && !doubted.contains(&it.hit.memory.id);
    let mut withheld: Vec<VerifiedHit> = recalled
        .withheld
        .into_iter()
        .filter(new)
        .take(MAX_DOUBTS)
        .collect();
    if !page.push_withheld(&withheld) {
        withheld.clear();
    }
    Ok(Briefing {
        text: page.into_text(),
        shown,
        withheld,
        query: Some(query),
    })
}

/// The corrections, rules and preferences among what was shown, as they stand now; what does not hold is left out.
fn list_shown_rules(
    cx: &Context<'_>,
    reader: &BriefingAudience<'_>,
) -> Result<Vec<VerifiedMemory>, CoreError> {
    let ids: Vec<_> = reader.session.shown_ids().into_iter().collect();
    let is_rule = |it: &Memory| {
        let is_kept = matches!(it.kind, Kind::Feedback | Kind::User)
            || it.voice.origin == Origin::UserCorrection;
        it.is_active() && is_kept
    };
    let memories = cx
        .store
        .get_by_ids(&ids)?
        .into_iter()
        .filter(is_rule)
        .collect();
    Ok(verify::follow_memory_citations(cx, memories)
        .into_iter()
        .filter(VerifiedMemory::is_good)
        .collect())
}

/// Whether somebody's writes are held up. Whose, and why, is not said: it may be words that they chose.
fn has_open_breaker(cx: &Context<'_>, reader: &BriefingAudience<'_>) -> Result<bool, CoreError> {
    Ok(!breaker::list_open_breakers(cx, reader.repo)?.is_empty()
        || !breaker::list_open_breakers(cx, reader.user)?.is_empty())
}

/// How many memories wait for a person.
fn count_pending_approvals(
    cx: &Context<'_>,
    reader: &BriefingAudience<'_>,
) -> Result<u64, CoreError> {
    let mut n = 0;
    for space in [reader.repo, reader.user] {
        n += cx
            .store
            .summarize_space(space)?
            .count_in_stage(Stage::Pending);
    }
    Ok(n)
}
