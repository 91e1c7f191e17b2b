//! The read path, one function: query → candidates → rank → verify → budget → render → log.

pub mod bm25;
mod budget;
mod candidates;
mod everyday_words;
pub mod excerpt;
pub mod filter;
pub mod hit;
mod meaning;
mod neighbours;
pub mod overlap;
mod own_names;
mod pooled_memory;
pub mod query;
pub mod rank;
pub mod render;
mod scored_documents;
mod space_search;
mod space_terms;
mod spelling;
pub mod trust;
pub mod verify;
mod word_pairs;

use crate::{
    Context, CoreError, branches,
    event::{Event, EventBody, Precondition, RetrievedMemory},
    memory::{Layer, Memory, MemoryId},
    policy::InjectMode,
    space::Space,
    standing_text::StandingView,
    store::{ListOrder, MemoryFilter},
    verify::build_verified_events,
};
use apostille_cite::standing::Standing;

pub use filter::RecallFilter;
pub use hit::{MatchedTerm, MeaningScore, RecallHit, ScoreBreakdown, VerifiedHit};
pub use query::{RecallQuery, RecallRequest, RelevanceBar, Style};

pub(crate) use everyday_words::is_everyday_term;
pub(crate) use space_terms::measure_breadth;

/// What is told to be missing when the log cannot be written.
const LOGGED: &str = "this recall";
/// Up to how many past tasks are counted that were not asked for.
const MAX_EPISODES_COUNTED: usize = 10;

/// What was recalled.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallOutcome {
    /// The text to put before a model; empty when there is nothing to show.
    pub block: String,
    /// What is shown, the best first, each with its verdict.
    pub shown: Vec<VerifiedHit>,
    /// What would have been shown, but does not hold here.
    pub withheld: Vec<VerifiedHit>,
    /// How many match and stand, and had no room in the characters or tokens allowed.
    pub n_unfit: usize,
    /// How many past tasks clearly match that were not asked for, as far as [`RecallOutcome::with_episode_count`] looked.
    pub n_episodes: usize,
    /// In which tree it was looked up, as `main@3f2c1d2e`, where that is not the reader's own.
    pub verified_at: Option<String>,
    /// What went wrong on the way without costing the answer.
    pub problems: Vec<String>,
}

impl RecallOutcome {
    /// What to say where the budget left nothing of what matches; nothing where it is not to blame.
    #[must_use]
    pub fn describe_unfit(&self) -> Option<String> {
        let is_cut = self.shown.is_empty() && self.n_unfit > 0;
        is_cut.then(|| match self.n_unfit {
            1 => "1 memory matches, and is longer than the budget allows".to_owned(),
            n => format!("{n} memories match, and each is longer than the budget allows"),
        })
    }

    /// The same with the number of past tasks that clearly match, for who asked a question and named no layer: whoever does
    /// not know of them does not ask for them.
    pub fn with_episode_count(self, cx: &Context, ask: &RecallRequest) -> Result<Self, CoreError> {
        let is_about_words =
            !ask.text.trim().is_empty() && ask.mode != Some(InjectMode::RecentOnly);
        let is_open = ask.layers.is_empty() && ask.filter.address.is_none();
        if !is_about_words || !is_open {
            return Ok(self);
        }
        let ask = RecallRequest {
            layers: vec![Layer::Episode],
            mode: Some(InjectMode::Relevant),
            bar: Some(RelevanceBar::Clear),
            count: Some(MAX_EPISODES_COUNTED),
            chars: Some(usize::MAX),
            tokens: None,
            fallback: Some(0),
            ..ask.clone()
        };
        // Words alone: nobody waits for a model twice.
        let cx = &Context {
            embedder: None,
            ..*cx
        };
        let n_episodes = preview_recall(cx, &ask)?.shown.len();
        Ok(Self { n_episodes, ..self })
    }

    /// What a reader is told of past tasks that match and were not asked for, with how these are asked for here.
    pub fn describe_episodes(&self, how: &str) -> Option<String> {
        let what = match self.n_episodes {
            0 => return None,
            1 => "1 episode matches".to_owned(),
            MAX_EPISODES_COUNTED.. => format!("{MAX_EPISODES_COUNTED} episodes and more match"),
            n => format!("{n} episodes match"),
        };
        let them = if self.n_episodes == 1 { "it" } else { "them" };
        Some(format!("{what}; see {them} with {how}"))
    }
}

/// Recalls what matters to a question, verified against the reader's own checkout.
pub fn recall(cx: &Context, ask: &RecallRequest) -> Result<RecallOutcome, CoreError> {
    let (query, mut recalled) = recall_without_log(cx, ask)?;
    let events = build_recall_events(cx, &query, &recalled.shown, &recalled.withheld);
    let problems = cx.append_telemetry(LOGGED, events, Vec::new()).into_iter();
    let unsettled = settle_seen_versions(cx, &recalled.shown, &recalled.withheld);
    recalled.problems.extend(problems.chain(unsettled));
    Ok(recalled)
}

/// What a recall would find, for somebody who only looks: nothing is written down.
pub fn preview_recall(cx: &Context, ask: &RecallRequest) -> Result<RecallOutcome, CoreError> {
    recall_without_log(cx, ask).map(|it| it.1)
}

/// The same up to the last step, for whoever must answer before anything is written down.
pub fn recall_without_log(
    cx: &Context,
    ask: &RecallRequest,
) -> Result<(RecallQuery, RecallOutcome), CoreError> {
    let mut query = query::complete_query(cx.policy, ask);
    query.moved = query.filter.find_moved(cx, &query.spaces)?;
    let matches = meaning::match_meaning(cx, &query);
    let checked = loop {
        let candidates = candidates::gather_candidates(cx, &query)?;
        let candidates = meaning::fuse_candidates(cx, &query, &matches, candidates)?;
        let (mut ranked, mut n_left_out) = rank::rank_candidates(cx.now, &query, candidates);
        if ranked.is_empty() && query.wants_fallback() {
            let recent = candidates::gather_recent_candidates(cx, &query)?;
            (ranked, n_left_out) = rank::rank_recent_candidates(cx.now, &query, recent);
        }
        let checked = verify::verify_hits(cx, ranked, &query)?;
        if !query.widen_reach(&checked.hits, n_left_out + checked.n_left_out) {
            break checked.hits;
        }
    };
    let mut fitted = budget::fit_recall_budget(checked, &query);
    for it in &mut fitted.shown {
        it.hit.memory.withhold_secret();
    }
    let outcome = RecallOutcome {
        block: render::render_block(&fitted.shown, query.style),
        shown: fitted.shown,
        withheld: fitted.withheld,
        n_unfit: fitted.n_unfit,
        n_episodes: 0,
        verified_at: cx.source.describe_tree(),
        problems: matches.problem.into_iter().collect(),
    };
    Ok((query, outcome))
}

/// Writes down what was shown, some time after it was looked up: nothing is written about what was forgotten meanwhile.
pub fn log_recall_later(
    cx: &Context,
    query: &RecallQuery,
    shown: &[VerifiedHit],
    withheld: &[VerifiedHit],
) -> Vec<String> {
    let memories = shown.iter().chain(withheld).map(|it| &it.hit.memory);
    let expects = memories.map(Precondition::unmoved).collect();
    let events = build_recall_events(cx, query, shown, withheld);
    let problems = cx.append_telemetry(LOGGED, events, expects).into_iter();
    let unsettled = settle_seen_versions(cx, shown, withheld);
    problems.chain(unsettled).collect()
}

/// Whoever looks on the default branch after a merge finds a correction that stands there: it takes its place then. It is
/// part of the log, so that nobody waits for it.
fn settle_seen_versions(
    cx: &Context,
    shown: &[VerifiedHit],
    withheld: &[VerifiedHit],
) -> Option<String> {
    let seen = shown.iter().chain(withheld);
    let seen = seen.filter(|it| it.beside.is_some());
    let seen: Vec<MemoryId> = seen.map(|it| it.hit.memory.id).collect();
    let error = branches::settle_versions_after_look(cx, &seen).err()?;
    Some(format!(
        "a correction that was merged could not take its place: {error}"
    ))
}

/// Writes down what was found about memories that were told unasked because an edit made them untrue.
pub fn log_worse_memories(cx: &Context, worse: &[VerifiedHit]) -> Vec<String> {
    let expects = worse.iter().map(|it| Precondition::unmoved(&it.hit.memory));
    let events = build_verified_events(cx, worse.iter().map(StandingView::from));
    cx.append_telemetry(LOGGED, events, expects.collect())
        .into_iter()
        .collect()
}

fn build_recall_events(
    cx: &Context,
    query: &RecallQuery,
    shown: &[VerifiedHit],
    withheld: &[VerifiedHit],
) -> Vec<Event> {
    let retrieved = |it: &VerifiedHit| RetrievedMemory {
        id: it.hit.memory.id,
        score: it.hit.score,
        verdict: it.standing().to_string(),
    };
    let mut events: Vec<Event> = Vec::new();
    for space in &query.spaces {
        let here = || shown.iter().filter(|it| it.hit.memory.space == *space);
        let shown: Vec<RetrievedMemory> = here().map(retrieved).collect();
        if !shown.is_empty() {
            let memories = here().map(|it| &it.hit.memory);
            let query = query::list_matched_words(&query.terms, memories);
            events.push(cx.new_event(space, None, EventBody::Retrieved { query, shown }));
        }
    }
    // Good looks are counted as well as bad ones; what could not be looked up is neither.
    let is_looked_up =
        |it: &&VerifiedHit| !it.verdicts.is_empty() && it.standing() != Standing::Unknown;
    let looked_up = shown.iter().chain(withheld).filter(is_looked_up);
    events.extend(build_verified_events(cx, looked_up.map(StandingView::from)));
    events
}

/// The identity layer of a user: always shown, never ranked.
pub fn recall_identity(cx: &Context, user: &Space) -> Result<Vec<Memory>, CoreError> {
    let mut memories = cx.store.list_memories(&MemoryFilter {
        layers: vec![Layer::Identity],
        order: ListOrder::Oldest,
        ..MemoryFilter::active_in([user.clone()], 100)
    })?;
    for memory in &mut memories {
        memory.withhold_secret();
    }
    Ok(memories)
}
