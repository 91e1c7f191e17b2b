//! Stage two: what may answer the question, with its text relevance. Capped.

use std::collections::BTreeSet;

use super::{
    hit::RecallHit, overlap, query::RecallQuery, rank::CITING_AFFINITY, space_search::SpaceSearch,
};
use crate::{
    Context, CoreError,
    memory::{Layer, Memory},
    moved_citations::list_moved_memories,
    policy::{InjectMode, Scoring},
    review_remarks::{find_active_rules, scope::RuleScope},
    space::Space,
    store::{ListOrder, MemoryFilter},
};

/// How well a memory answers that only cites a file in play.
const CITING: f32 = 0.25;
/// How many memories word overlap is counted on.
const MAX_OVERLAP: usize = 5_000;

/// Gathers candidates from every space of the query.
pub(super) fn gather_candidates(
    cx: &Context,
    query: &RecallQuery,
) -> Result<Vec<RecallHit>, CoreError> {
    match query.mode {
        InjectMode::Off => Ok(Vec::new()),
        InjectMode::RecentOnly => gather_recent_candidates(cx, query),
        InjectMode::Relevant => {
            let mut found = match query.scoring {
                Scoring::Bm25 => gather_bm25_candidates(cx, query)?,
                Scoring::Overlap => gather_overlap_candidates(cx, query)?,
            };
            add_citing_candidates(cx, query, &mut found)?;
            add_rules_in_scope(cx, query, &mut found)?;
            Ok(found)
        }
    }
}

/// Adds the memories that cite a file in play, whatever they say: less than a word of the question counts.
fn add_citing_candidates(
    cx: &Context,
    query: &RecallQuery,
    found: &mut Vec<RecallHit>,
) -> Result<(), CoreError> {
    for path in &query.paths {
        let about = MemoryFilter {
            path: Some(path.clone()),
            order: ListOrder::Refreshed,
            ..candidate_filter(query, query.reach)
        };
        for memory in list_unseen_memories(cx, query, &about)? {
            find_or_add_citing(found, memory);
        }
        let mut moved = list_moved_memories(cx, &about)?;
        moved.retain(|it| query.admits_memory(it));
        for memory in moved {
            let hit = find_or_add_citing(found, memory);
            if query.scoring == Scoring::Bm25 {
                // What it cites does not tell that it is about this file.
                hit.why.affinity = CITING_AFFINITY;
            }
        }
    }
    Ok(())
}

/// Adds the rules of reviewers that are for a file in play, whatever they say.
fn add_rules_in_scope(
    cx: &Context,
    query: &RecallQuery,
    found: &mut Vec<RecallHit>,
) -> Result<(), CoreError> {
    if query.paths.is_empty() || !query.layers.contains(&Layer::Knowledge) {
        return Ok(());
    }
    let mut rules = Vec::new();
    for space in query.spaces.iter().filter(|it| !it.is_user()) {
        rules.extend(find_active_rules(cx, space)?);
    }
    rules.retain(|it| {
        let scope = RuleScope::of_memory(it);
        query.admits_memory(it) && query.paths.iter().any(|path| scope.covers(path))
    });
    for memory in rules {
        let hit = find_or_add_citing(found, memory);
        if query.scoring == Scoring::Bm25 {
            hit.why.affinity = CITING_AFFINITY;
        }
    }
    Ok(())
}

fn find_or_add_citing(found: &mut Vec<RecallHit>, memory: Memory) -> &mut RecallHit {
    let known = found.iter().position(|it| it.memory.id == memory.id);
    let at = known.unwrap_or(found.len());
    if known.is_none() {
        found.push(RecallHit::new(memory, CITING, CITING, Vec::new()));
    }
    &mut found[at]
}

/// The most recent memories, whatever they say.
pub(super) fn gather_recent_candidates(
    cx: &Context,
    query: &RecallQuery,
) -> Result<Vec<RecallHit>, CoreError> {
    let filter = candidate_filter(query, query.reach + query.seen.len());
    let recent = list_unseen_memories(cx, query, &filter)?.into_iter();
    Ok(recent
        .map(|it| RecallHit::new(it, 0.0, 0.0, Vec::new()))
        .collect())
}

fn candidate_filter(query: &RecallQuery, limit: usize) -> MemoryFilter {
    query.filter.narrow_listing(MemoryFilter {
        layers: query.layers.clone(),
        ..MemoryFilter::active_in(&*query.spaces, limit)
    })
}

/// The memories that a filter admits and that were not shown before.
fn list_unseen_memories(
    cx: &Context,
    query: &RecallQuery,
    filter: &MemoryFilter,
) -> Result<Vec<Memory>, CoreError> {
    let mut memories = cx.store.list_memories(filter)?;
    memories.retain(|it| query.admits_memory(it));
    Ok(memories)
}

/// Every memory that shares a word, scored by shared words.
fn gather_overlap_candidates(
    cx: &Context,
    query: &RecallQuery,
) -> Result<Vec<RecallHit>, CoreError> {
    let asked = overlap::split_overlap_words(&query.text);
    let score = |memory: Memory| {
        let (relevance, terms) = overlap::score_word_overlap(&memory, &asked, cx.now)?;
        Some(RecallHit::new(memory, relevance, relevance, terms))
    };
    let mut found = Vec::new();
    for space in &query.spaces {
        let filter = MemoryFilter {
            spaces: vec![space.clone()],
            ..candidate_filter(query, MAX_OVERLAP)
        };
        let memories = list_unseen_memories(cx, query, &filter)?;
        found.extend(memories.into_iter().filter_map(score));
    }
    Ok(found)
}

/// The best of every space. A word that stands in one of them is spelled as it was meant in all.
fn gather_bm25_candidates(cx: &Context, query: &RecallQuery) -> Result<Vec<RecallHit>, CoreError> {
    let names: Vec<String> = query.terms.iter().map(|it| it.term.clone()).collect();
    let mut postings = Vec::with_capacity(query.spaces.len());
    let spaces = list_spaces_with_layers(cx, query)?;
    for space in &spaces {
        postings.push(cx.store.read_postings(space, &names)?);
    }
    let mut unknown: BTreeSet<String> = names.iter().cloned().collect();
    for it in &postings {
        for (term, _) in names.iter().zip(&it.lists).filter(|it| !it.1.is_empty()) {
            unknown.remove(term);
        }
    }
    let mut found = Vec::new();
    for (space, postings) in spaces.into_iter().zip(postings) {
        found.extend(SpaceSearch::new(cx, query, space, postings, &unknown)?.find_best()?);
    }
    Ok(found)
}

/// The spaces that have something in the layers of the question. Most are asked for past tasks before there is one, and every
/// prompt asks: without this, that was twice the time of a recall.
fn list_spaces_with_layers<'q>(
    cx: &Context,
    query: &'q RecallQuery,
) -> Result<Vec<&'q Space>, CoreError> {
    let mut spaces = Vec::new();
    for space in &query.spaces {
        let counts_layers = !query.layers.contains(&Layer::Knowledge);
        let is_empty = counts_layers && {
            let summary = cx.store.summarize_space(space)?;
            query.layers.iter().all(|it| summary.count_active(*it) == 0)
        };
        if !is_empty {
            spaces.push(space);
        }
    }
    Ok(spaces)
}
