//! How what is looked for is found, within bounds: ranked, listed, or listed and looked up.

use apostille_core::memory::{Layer, Memory};
use apostille_core::policy::InjectMode;
use apostille_core::recall::{self, Bar, RecallRequest, VerifiedHit};
use apostille_core::store::MemoryFilter;
use apostille_core::verify::{self, VerifiedMemory};
use apostille_core::{Context, list};

use super::query::{MemorySearch, format_list_cursor};
use apostille_api::CallFault;
use apostille_api::request_scope::RequestScope;

/// How many are on a page.
const PAGE: usize = 50;
/// How many are ranked for a search.
const RANKED: usize = 40;
/// How many are read and looked up at once where only those with some verdict are wanted.
const CHUNK: usize = 100;
/// How many are looked up for one page, at most.
const MOST: usize = 1_000;

/// One line of what was found.
pub(super) struct SearchRow {
    pub(super) verified: VerifiedMemory,
    pub(super) score: Option<f32>,
}

/// What was found.
#[derive(Default)]
pub(super) struct SearchResults {
    pub(super) rows: Vec<SearchRow>,
    /// Where to go on.
    pub(super) next: Option<String>,
    pub(super) is_ranked: bool,
    /// How many citations were looked up to find these.
    pub(super) n_looked_up: usize,
    /// Whether it ended before the page was full.
    pub(super) is_cut_short: bool,
}

impl SearchResults {
    pub(super) fn has_more(&self) -> bool {
        self.next.is_some()
    }
}

pub(super) fn run_memory_search(
    visit: &RequestScope<'_>,
    sought: &MemorySearch,
) -> Result<SearchResults, CallFault> {
    if sought.is_ranked() {
        return search_ranked_memories(visit.cx, sought);
    }
    let filter = MemoryFilter {
        text: sought.text.clone(),
        after: sought.after.clone(),
        ..sought.filter.clone()
    };
    match &sought.verdict {
        Some(verdict) => search_by_verdict(visit.cx, filter, verdict),
        None => list_memory_page(visit.cx, filter),
    }
}

/// What a recall would find, in its order; what it would withhold stands among the rest, with its verdict.
fn search_ranked_memories(
    cx: &Context<'_>,
    sought: &MemorySearch,
) -> Result<SearchResults, CallFault> {
    let layers = if sought.filter.layers.is_empty() {
        Layer::ALL.to_vec()
    } else {
        sought.filter.layers.clone()
    };
    let ask = RecallRequest {
        text: sought.text.clone().unwrap_or_default(),
        spaces: sought.filter.spaces.clone(),
        layers,
        mode: Some(InjectMode::Relevant),
        count: Some(RANKED),
        chars: Some(usize::MAX),
        bar: Some(Bar::Any),
        ..RecallRequest::default()
    };
    let recalled = recall::preview_recall(cx, &ask)?;
    let is_meant = |it: &VerifiedHit| {
        // Where nothing shares a word, a recall falls back on what is recent; a search finds nothing.
        it.hit.why.relevance > 0.0
            && sought.filter.admits_memory(&it.hit.memory)
            && sought
                .verdict
                .as_deref()
                .is_none_or(|verdict| it.standing() == verdict)
    };
    let mut hits: Vec<VerifiedHit> = recalled
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
        .map(|it| SearchRow {
            score: Some(it.hit.score),
            verified: convert_hit_to_verified(it),
        })
        .collect();
    Ok(SearchResults {
        rows,
        is_ranked: true,
        ..SearchResults::default()
    })
}

fn convert_hit_to_verified(it: VerifiedHit) -> VerifiedMemory {
    VerifiedMemory {
        memory: it.hit.memory,
        verdicts: it.verdicts,
        is_unmerged: false,
        deed: None,
    }
}

/// A page of a listing; only what is on it is looked up.
fn list_memory_page(cx: &Context<'_>, filter: MemoryFilter) -> Result<SearchResults, CallFault> {
    let mut memories = list::list_memories(
        cx,
        &MemoryFilter {
            limit: PAGE + 1,
            ..filter.clone()
        },
    )?;
    let next = truncate_to_page(&filter, &mut memories, PAGE);
    let rows = verify::follow_memory_citations(cx, memories)
        .into_iter()
        .map(|it| SearchRow {
            verified: it,
            score: None,
        })
        .collect();
    Ok(SearchResults {
        rows,
        next,
        ..SearchResults::default()
    })
}

/// Cuts a listing that has one more than fits, and says where to go on.
fn truncate_to_page(
    filter: &MemoryFilter,
    memories: &mut Vec<Memory>,
    most: usize,
) -> Option<String> {
    let has_more = memories.len() > most;
    memories.truncate(most);
    memories
        .last()
        .filter(|_| has_more)
        .map(|it| format_list_cursor(&filter.cursor_after(it)))
}

/// Those with this verdict. Nobody knows how far one must look for them, so it ends when time is up.
fn search_by_verdict(
    cx: &Context<'_>,
    mut filter: MemoryFilter,
    verdict: &str,
) -> Result<SearchResults, CallFault> {
    let mut found = SearchResults::default();
    loop {
        let mut memories = list::list_memories(
            cx,
            &MemoryFilter {
                limit: CHUNK + 1,
                ..filter.clone()
            },
        )?;
        let next = truncate_to_page(&filter, &mut memories, CHUNK);
        found.n_looked_up += memories.len();
        filter.after = memories.last().map(|it| filter.cursor_after(it));
        let looked_up = verify::follow_memory_citations(cx, memories)
            .into_iter()
            .filter(|it| it.standing() == verdict);
        found.rows.extend(looked_up.map(|it| SearchRow {
            verified: it,
            score: None,
        }));
        if found.rows.len() > PAGE {
            found.rows.truncate(PAGE);
            found.next = found
                .rows
                .last()
                .map(|it| format_list_cursor(&filter.cursor_after(&it.verified.memory)));
            return Ok(found);
        }
        found.next = next;
        found.is_cut_short = found.n_looked_up >= MOST || (cx.late)();
        if found.next.is_none() || found.is_cut_short {
            return Ok(found);
        }
    }
}
