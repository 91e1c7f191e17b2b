//! How what is looked for is found, within bounds: ranked, listed, or listed and looked up.

use apostille_core::{
    Context,
    branches::OtherVersion,
    list,
    memory::{Layer, Memory},
    policy::InjectMode,
    recall::{self, RecallFilter, RecallRequest, RelevanceBar, VerifiedHit},
    store::MemoryFilter,
    verify::{self, VerifiedMemory},
};

use super::query::{MemorySearch, format_list_cursor};
use crate::PanelResult;
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
    pub(super) memory: Memory,
    pub(super) standing: &'static str,
    /// The version of it that it is kept beside.
    pub(super) beside: Option<OtherVersion>,
    pub(super) score: Option<f32>,
}

impl From<VerifiedMemory> for SearchRow {
    fn from(it: VerifiedMemory) -> Self {
        Self {
            standing: it.standing().as_str(),
            memory: it.memory,
            beside: it.beside,
            score: None,
        }
    }
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

pub(super) fn run_memory_search(
    scope: &RequestScope,
    sought: &MemorySearch,
) -> PanelResult<SearchResults> {
    if sought.is_ranked() {
        return search_ranked_memories(scope.cx, sought);
    }
    let filter = MemoryFilter {
        text: sought.text.clone(),
        after: sought.after.clone(),
        ..sought.filter.clone()
    };
    match &sought.verdict {
        Some(verdict) => search_by_verdict(scope.cx, filter, verdict),
        None => list_memory_page(scope.cx, filter),
    }
}

/// What a recall would find, in its order; what it would withhold stands among the rest, with its verdict.
fn search_ranked_memories(cx: &Context, sought: &MemorySearch) -> PanelResult<SearchResults> {
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
        bar: Some(RelevanceBar::Any),
        filter: RecallFilter {
            tags: sought.filter.tags.clone(),
            kinds: sought.filter.kinds.clone(),
            citing: sought.filter.path.clone(),
            since: sought.filter.since,
            until: sought.filter.until,
            address: sought.filter.address.clone(),
        },
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
                .is_none_or(|verdict| it.standing().as_str() == verdict)
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
    let rows = hits.into_iter().map(|it| SearchRow {
        standing: it.standing().as_str(),
        score: Some(it.hit.score),
        beside: it.beside,
        memory: it.hit.memory,
    });
    Ok(SearchResults {
        rows: rows.collect(),
        is_ranked: true,
        ..SearchResults::default()
    })
}

/// A page of a listing; only what is on it is looked up.
fn list_memory_page(cx: &Context, filter: MemoryFilter) -> PanelResult<SearchResults> {
    let (memories, next) = list_some_memories(cx, &filter, PAGE)?;
    let rows = verify::follow_memory_citations(cx, memories);
    Ok(SearchResults {
        rows: rows.into_iter().map(SearchRow::from).collect(),
        next,
        ..SearchResults::default()
    })
}

/// So many of a listing, and where to go on where there are more.
fn list_some_memories(
    cx: &Context,
    filter: &MemoryFilter,
    most: usize,
) -> PanelResult<(Vec<Memory>, Option<String>)> {
    let one_more = MemoryFilter {
        limit: most + 1,
        ..filter.clone()
    };
    let mut memories = list::list_memories(cx, &one_more)?;
    let has_more = memories.len() > most;
    memories.truncate(most);
    let last = memories.last().filter(|_| has_more);
    let next = last.map(|it| format_list_cursor(&filter.cursor_after(it)));
    Ok((memories, next))
}

/// Those with this verdict. Nobody knows how far one must look for them, so it ends when time is up.
fn search_by_verdict(
    cx: &Context,
    mut filter: MemoryFilter,
    verdict: &str,
) -> PanelResult<SearchResults> {
    let mut found = SearchResults::default();
    loop {
        let (memories, next) = list_some_memories(cx, &filter, CHUNK)?;
        found.n_looked_up += memories.len();
        filter.after = memories.last().map(|it| filter.cursor_after(it));
        let looked_up = verify::follow_memory_citations(cx, memories);
        let rows = looked_up.into_iter().map(SearchRow::from);
        found.rows.extend(rows.filter(|it| it.standing == verdict));
        if found.rows.len() > PAGE {
            found.rows.truncate(PAGE);
            let last = found.rows.last();
            found.next = last.map(|it| format_list_cursor(&filter.cursor_after(&it.memory)));
            return Ok(found);
        }
        found.next = next;
        found.is_cut_short = found.n_looked_up >= MOST || (cx.late)();
        if found.next.is_none() || found.is_cut_short {
            return Ok(found);
        }
    }
}
