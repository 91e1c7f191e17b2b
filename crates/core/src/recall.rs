//! The read path, one function: query → candidates → rank → verify → budget → render → log.

pub mod bm25;
mod budget;
mod candidates;
pub mod excerpt;
pub mod hit;
pub mod overlap;
pub mod query;
pub mod rank;
pub mod render;
pub mod trust;
pub mod verify;

use crate::event::{Batch, Event, EventBody, Precondition, RetrievedMemory};
use crate::memory::Memory;
use crate::{Context, CoreError};
use apostille_cite::verdict::Verdict;

pub use candidates::Candidate;
pub use hit::{RecallHit, ScoreBreakdown, VerifiedHit};
pub use query::{Bar, RecallQuery, RecallRequest, Style};

/// What was recalled.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallOutcome {
    /// The text to put before a model; empty when there is nothing to show.
    pub block: String,
    /// What is shown, the best first, each with its verdict.
    pub shown: Vec<VerifiedHit>,
    /// What would have been shown, but does not hold here.
    pub withheld: Vec<VerifiedHit>,
    /// What went wrong on the way without costing the answer.
    pub problems: Vec<String>,
}

/// Recalls what matters to a question, verified against the reader's own checkout.
pub fn recall(cx: &Context<'_>, ask: &RecallRequest) -> Result<RecallOutcome, CoreError> {
    let (query, mut recalled) = recall_without_log(cx, ask)?;
    recalled.problems = log_recall(cx, &query, &recalled.shown, &recalled.withheld);
    Ok(recalled)
}

/// What a recall would find, for somebody who only looks: nothing is written down.
pub fn preview_recall(cx: &Context<'_>, ask: &RecallRequest) -> Result<RecallOutcome, CoreError> {
    recall_without_log(cx, ask).map(|it| it.1)
}

/// The same up to the last step, for whoever must answer before anything is written down.
pub fn recall_without_log(
    cx: &Context<'_>,
    ask: &RecallRequest,
) -> Result<(RecallQuery, RecallOutcome), CoreError> {
    let mut query = query::complete_query(cx.policy, ask);
    let checked = loop {
        let candidates = candidates::gather_candidates(cx, &query)?;
        let (mut ranked, mut n_left_out) = rank::rank_candidates(cx.now, &query, candidates);
        if ranked.is_empty() && query.bar == Bar::Best {
            (ranked, n_left_out) = rank::rank_candidates(
                cx.now,
                &query,
                candidates::gather_recent_candidates(cx, &query)?,
            );
        }
        let checked = verify::verify_hits(cx, ranked, &query);
        if !query.widen_reach(&checked, n_left_out) {
            break checked;
        }
    };
    let (mut shown, withheld) = budget::fit_recall_budget(checked, &query);
    shown.iter_mut().for_each(|it| {
        it.hit.memory.withhold_secret();
    });
    let block = render::render_block(&shown, query.style);
    Ok((
        query,
        RecallOutcome {
            block,
            shown,
            withheld,
            problems: Vec::new(),
        },
    ))
}

/// Writes down what was shown. A log that cannot be written does not cost the caller the answer.
fn log_recall(
    cx: &Context<'_>,
    query: &RecallQuery,
    shown: &[VerifiedHit],
    withheld: &[VerifiedHit],
) -> Vec<String> {
    append_recall_log(
        cx,
        Batch::new_telemetry(build_recall_events(cx, query, shown, withheld)),
    )
}

/// The same some time after they were looked up: nothing is written about what was forgotten meanwhile.
pub fn log_recall_later(
    cx: &Context<'_>,
    query: &RecallQuery,
    shown: &[VerifiedHit],
    withheld: &[VerifiedHit],
) -> Vec<String> {
    let memories = shown.iter().chain(withheld).map(|it| &it.hit.memory);
    let expects = memories
        .map(|it| Precondition::Unmoved(it.id, it.status.clone()))
        .collect();
    append_recall_log(
        cx,
        Batch::new_telemetry_if(build_recall_events(cx, query, shown, withheld), expects),
    )
}

fn build_recall_events(
    cx: &Context<'_>,
    query: &RecallQuery,
    shown: &[VerifiedHit],
    withheld: &[VerifiedHit],
) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for space in &query.spaces {
        let here = |it: &&VerifiedHit| it.hit.memory.space == *space;
        let shown: Vec<RetrievedMemory> =
            shown.iter().filter(here).map(to_retrieved_memory).collect();
        if !shown.is_empty() {
            events.push(cx.new_event(
                space,
                None,
                EventBody::Retrieved {
                    query: query.loggable_text(),
                    shown,
                },
            ));
        }
    }
    let failed = withheld
        .iter()
        .filter(|it| it.verdicts.iter().any(Verdict::is_bad));
    events.extend(
        failed.map(|it| crate::verify::build_verified_event(cx, &it.hit.memory, &it.verdicts)),
    );
    events
}

fn append_recall_log(cx: &Context<'_>, batch: Batch) -> Vec<String> {
    if batch.events().is_empty() {
        return Vec::new();
    }
    let written = cx.store.append_batch(&batch);
    written
        .err()
        .map(|error| format!("this recall could not be logged: {error}"))
        .into_iter()
        .collect()
}

fn to_retrieved_memory(it: &VerifiedHit) -> RetrievedMemory {
    RetrievedMemory {
        id: it.hit.memory.id,
        score: it.hit.score,
        verdict: it.standing().into(),
    }
}

/// The identity layer of a user: always shown, never ranked.
pub fn recall_identity(
    cx: &Context<'_>,
    user: &crate::space::Space,
) -> Result<Vec<Memory>, CoreError> {
    let filter = crate::store::MemoryFilter {
        spaces: vec![user.clone()],
        layers: vec![crate::memory::Layer::Identity],
        stages: vec![crate::memory::Stage::Active],
        order: crate::store::ListOrder::Oldest,
        limit: 100,
        ..Default::default()
    };
    let mut memories = cx.store.list_memories(&filter)?;
    memories.iter_mut().for_each(|it| {
        it.withhold_secret();
    });
    Ok(memories)
}
