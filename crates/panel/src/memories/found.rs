//! How what is looked for is found, within bounds: ranked, listed, or listed and looked up.

use apostille_core::memory::{Layer, Memory};
use apostille_core::policy::InjectMode;
use apostille_core::recall::{self, Ask, Bar, Checked};
use apostille_core::store::Filter;
use apostille_core::verify::{self, Verified};
use apostille_core::{Context, list};

use super::sought::{Sought, cursor_text};
use apostille_api::Fault;
use apostille_api::visit::Visit;

/// How many are on a page.
const PAGE: usize = 50;
/// How many are ranked for a search.
const RANKED: usize = 40;
/// How many are read and looked up at once where only those with some verdict are wanted.
const CHUNK: usize = 100;
/// How many are looked up for one page, at most.
const MOST: usize = 1_000;

/// One line of what was found.
pub(super) struct Row {
    pub(super) verified: Verified,
    pub(super) score: Option<f32>,
}

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) rows: Vec<Row>,
    /// Where to go on.
    pub(super) next: Option<String>,
    pub(super) is_ranked: bool,
    /// How many citations were looked up to find these.
    pub(super) n_looked_up: usize,
    /// Whether it ended before the page was full.
    pub(super) is_cut_short: bool,
}

impl Found {
    pub(super) fn has_more(&self) -> bool {
        self.next.is_some()
    }
}

pub(super) fn find(visit: &Visit<'_>, sought: &Sought) -> Result<Found, Fault> {
    if sought.is_ranked() {
        return ranked(visit.cx, sought);
    }
    let filter = Filter {
        text: sought.text.clone(),
        after: sought.after.clone(),
        ..sought.filter.clone()
    };
    match &sought.verdict {
        Some(verdict) => judged(visit.cx, filter, verdict),
        None => listed(visit.cx, filter),
    }
}

/// What a recall would find, in its order; what it would withhold stands among the rest, with its verdict.
fn ranked(cx: &Context<'_>, sought: &Sought) -> Result<Found, Fault> {
    let layers = if sought.filter.layers.is_empty() {
        Layer::ALL.to_vec()
    } else {
        sought.filter.layers.clone()
    };
    let ask = Ask {
        text: sought.text.clone().unwrap_or_default(),
        spaces: sought.filter.spaces.clone(),
        layers,
        mode: Some(InjectMode::Relevant),
        count: Some(RANKED),
        chars: Some(usize::MAX),
        bar: Some(Bar::Any),
        ..Ask::default()
    };
    let recalled = recall::preview(cx, &ask)?;
    let is_meant = |it: &Checked| {
        // Where nothing shares a word, a recall falls back on what is recent; a search finds nothing.
        it.hit.why.relevance > 0.0
            && sought.filter.admits(&it.hit.memory)
            && sought
                .verdict
                .as_deref()
                .is_none_or(|verdict| it.standing() == verdict)
    };
    let mut hits: Vec<Checked> = recalled
        .shown
        .into_iter()
        .chain(recalled.withheld)
        .filter(is_meant)
        .collect();
    hits.sort_by(|a, b| {
        b.hit
            .score
            .total_cmp(&a.hit.score)
            .then(a.hit.memory.id.cmp(&b.hit.memory.id))
    });
    let rows = hits
        .into_iter()
        .map(|it| Row {
            score: Some(it.hit.score),
            verified: verified(it),
        })
        .collect();
    Ok(Found {
        rows,
        is_ranked: true,
        ..Found::default()
    })
}

fn verified(it: Checked) -> Verified {
    Verified {
        memory: it.hit.memory,
        verdicts: it.verdicts,
        is_unmerged: false,
        deed: None,
    }
}

/// A page of a listing; only what is on it is looked up.
fn listed(cx: &Context<'_>, filter: Filter) -> Result<Found, Fault> {
    let mut memories = list::list(
        cx,
        &Filter {
            limit: PAGE + 1,
            ..filter.clone()
        },
    )?;
    let next = cut(&filter, &mut memories, PAGE);
    let rows = verify::look(cx, memories)
        .into_iter()
        .map(|it| Row {
            verified: it,
            score: None,
        })
        .collect();
    Ok(Found {
        rows,
        next,
        ..Found::default()
    })
}

/// Cuts a listing that has one more than fits, and says where to go on.
fn cut(filter: &Filter, memories: &mut Vec<Memory>, most: usize) -> Option<String> {
    let has_more = memories.len() > most;
    memories.truncate(most);
    memories
        .last()
        .filter(|_| has_more)
        .map(|it| cursor_text(&filter.behind(it)))
}

/// Those with this verdict. Nobody knows how far one must look for them, so it ends when time is up.
fn judged(cx: &Context<'_>, mut filter: Filter, verdict: &str) -> Result<Found, Fault> {
    let mut found = Found::default();
    loop {
        let mut memories = list::list(
            cx,
            &Filter {
                limit: CHUNK + 1,
                ..filter.clone()
            },
        )?;
        let next = cut(&filter, &mut memories, CHUNK);
        found.n_looked_up += memories.len();
        filter.after = memories.last().map(|it| filter.behind(it));
        let looked_up = verify::look(cx, memories)
            .into_iter()
            .filter(|it| it.standing() == verdict);
        found.rows.extend(looked_up.map(|it| Row {
            verified: it,
            score: None,
        }));
        if found.rows.len() > PAGE {
            found.rows.truncate(PAGE);
            found.next = found
                .rows
                .last()
                .map(|it| cursor_text(&filter.behind(&it.verified.memory)));
            return Ok(found);
        }
        found.next = next;
        found.is_cut_short = found.n_looked_up >= MOST || (cx.late)();
        if found.next.is_none() || found.is_cut_short {
            return Ok(found);
        }
    }
}
