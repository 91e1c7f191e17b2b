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

use crate::event::{Batch, Event, Expect, Showing, What};
use crate::memory::Memory;
use crate::{Context, Error};
use apostille_cite::verdict::Verdict;

pub use candidates::Candidate;
pub use hit::{Checked, Hit, Why};
pub use query::{Ask, Bar, Query, Style};

/// What was recalled.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// The text to put before a model; empty when there is nothing to show.
    pub block: String,
    /// What is shown, the best first, each with its verdict.
    pub shown: Vec<Checked>,
    /// What would have been shown, but does not hold here.
    pub withheld: Vec<Checked>,
    /// What went wrong on the way without costing the answer.
    pub problems: Vec<String>,
}

/// Recalls what matters to a question, verified against the reader's own checkout.
pub fn recall(cx: &Context<'_>, ask: &Ask) -> Result<Recalled, Error> {
    let (query, mut recalled) = found(cx, ask)?;
    recalled.problems = log(cx, &query, &recalled.shown, &recalled.withheld);
    Ok(recalled)
}

/// What a recall would find, for somebody who only looks: nothing is written down.
pub fn preview(cx: &Context<'_>, ask: &Ask) -> Result<Recalled, Error> {
    found(cx, ask).map(|it| it.1)
}

/// The same up to the last step, for whoever must answer before anything is written down.
pub fn found(cx: &Context<'_>, ask: &Ask) -> Result<(Query, Recalled), Error> {
    let mut query = query::complete(cx.policy, ask);
    let checked = loop {
        let candidates = candidates::gather(cx, &query)?;
        let (mut ranked, mut n_left_out) = rank::order(cx.now, &query, candidates);
        if ranked.is_empty() && query.bar == Bar::Best {
            (ranked, n_left_out) = rank::order(cx.now, &query, candidates::recent(cx, &query)?);
        }
        let checked = verify::check(cx, ranked, &query);
        if !query.widen(&checked, n_left_out) {
            break checked;
        }
    };
    let (mut shown, withheld) = budget::fit(checked, &query);
    shown.iter_mut().for_each(|it| {
        it.hit.memory.withhold_secret();
    });
    let block = render::block(&shown, query.style);
    Ok((
        query,
        Recalled {
            block,
            shown,
            withheld,
            problems: Vec::new(),
        },
    ))
}

/// Writes down what was shown. A log that cannot be written does not cost the caller the answer.
fn log(cx: &Context<'_>, query: &Query, shown: &[Checked], withheld: &[Checked]) -> Vec<String> {
    written(cx, Batch::telemetry(events(cx, query, shown, withheld)))
}

/// The same some time after they were looked up: nothing is written about what was forgotten meanwhile.
pub fn log_later(
    cx: &Context<'_>,
    query: &Query,
    shown: &[Checked],
    withheld: &[Checked],
) -> Vec<String> {
    let memories = shown.iter().chain(withheld).map(|it| &it.hit.memory);
    let expects = memories
        .map(|it| Expect::Unmoved(it.id, it.status.clone()))
        .collect();
    written(
        cx,
        Batch::telemetry_if(events(cx, query, shown, withheld), expects),
    )
}

fn events(cx: &Context<'_>, query: &Query, shown: &[Checked], withheld: &[Checked]) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for space in &query.spaces {
        let here = |it: &&Checked| it.hit.memory.space == *space;
        let shown: Vec<Showing> = shown.iter().filter(here).map(showing).collect();
        if !shown.is_empty() {
            events.push(cx.event(
                space,
                None,
                What::Retrieved {
                    query: query.loggable(),
                    shown,
                },
            ));
        }
    }
    let failed = withheld
        .iter()
        .filter(|it| it.verdicts.iter().any(Verdict::is_bad));
    events.extend(failed.map(|it| crate::verify::event(cx, &it.hit.memory, &it.verdicts)));
    events
}

fn written(cx: &Context<'_>, batch: Batch) -> Vec<String> {
    if batch.events().is_empty() {
        return Vec::new();
    }
    let written = cx.store.append(&batch);
    written
        .err()
        .map(|error| format!("this recall could not be logged: {error}"))
        .into_iter()
        .collect()
}

fn showing(it: &Checked) -> Showing {
    Showing {
        id: it.hit.memory.id,
        score: it.hit.score,
        verdict: it.standing().into(),
    }
}

/// The identity layer of a user: always shown, never ranked.
pub fn identity(cx: &Context<'_>, user: &crate::space::Space) -> Result<Vec<Memory>, Error> {
    let filter = crate::store::Filter {
        spaces: vec![user.clone()],
        layers: vec![crate::memory::Layer::Identity],
        stages: vec![crate::memory::Stage::Active],
        order: crate::store::Order::Oldest,
        limit: 100,
        ..Default::default()
    };
    let mut memories = cx.store.list(&filter)?;
    memories.iter_mut().for_each(|it| {
        it.withhold_secret();
    });
    Ok(memories)
}
