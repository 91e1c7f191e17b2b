//! Stage two: what may answer the question, with its text relevance. Capped.

use std::collections::{BTreeSet, HashMap};

use super::{
    bm25,
    hit::RecallHit,
    overlap,
    query::{RecallQuery, RelevanceBar},
    rank::CITING_AFFINITY,
};
use crate::{
    Context, CoreError,
    memory::Memory,
    moved_citations::list_moved_memories,
    policy::{InjectMode, Scoring},
    space::Space,
    store::{ListOrder, MemoryFilter, Posting, Postings},
};
use apostille_text::{terms, terms::QueryTerm, typo};

/// How many memories are read at most in one space while looking for those of the layers asked for.
const MAX_READ: usize = 1_000;
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
            // Who asks about a file alone is not helped by what happens to be recent.
            let is_about_words = query.paths.is_empty() || !query.text.trim().is_empty();
            if found.is_empty()
                && is_about_words
                && matches!(query.bar, RelevanceBar::Any | RelevanceBar::Best)
            {
                found = gather_recent_candidates(cx, query)?;
            }
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
    MemoryFilter {
        layers: query.layers.clone(),
        ..MemoryFilter::active_in(&*query.spaces, limit)
    }
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
    for space in &query.spaces {
        postings.push(cx.store.read_postings(space, &names)?);
    }
    let mut unknown: BTreeSet<String> = names.iter().cloned().collect();
    for it in &postings {
        for (term, _) in names.iter().zip(&it.lists).filter(|it| !it.1.is_empty()) {
            unknown.remove(term);
        }
    }
    let mut found = Vec::new();
    for (space, postings) in query.spaces.iter().zip(postings) {
        found.extend(find_best_in_space(cx, query, space, postings, &unknown)?);
    }
    Ok(found)
}

/// The memories whose terms answer best, by BM25 over the space's postings.
fn find_best_in_space(
    cx: &Context,
    query: &RecallQuery,
    space: &Space,
    postings: Postings,
    unknown: &BTreeSet<String>,
) -> Result<Vec<RecallHit>, CoreError> {
    let (asked, postings) = correct_query_terms(cx, query, space, postings, unknown)?;
    let lists: Vec<(&QueryTerm, &[Posting])> = asked
        .iter()
        .zip(postings.lists.iter().map(Vec::as_slice))
        .collect();
    let weighed: Vec<(f32, &[Posting])> =
        lists.iter().map(|(it, list)| (it.weight, *list)).collect();
    let matched = |number: u64| {
        let matched = lists.iter().filter(move |(it, list)| {
            it.is_content && list.binary_search_by_key(&number, |it| it.number).is_ok()
        });
        matched.map(|(it, _)| it.term.clone())
    };
    let scored: Vec<(u64, f32)> = bm25::score_bm25(&postings, &weighed)
        .into_iter()
        .filter(|(number, _)| matched(*number).next().is_some())
        .take(MAX_READ)
        .collect();
    let rarest = bm25::rarest_term_score(&postings);
    let mut found = Vec::new();
    for chunk in scored.chunks(query.reach) {
        let scores: HashMap<u64, f32> = chunk.iter().copied().collect();
        let numbers: Vec<u64> = chunk.iter().map(|(number, _)| *number).collect();
        for memory in cx.store.get_by_numbers(space, &numbers)? {
            let relevance = scores.get(&memory.number).copied().unwrap_or(0.0);
            if query.admits_memory(&memory) {
                let terms = matched(memory.number).collect();
                let clarity = relevance / rarest;
                found.push(RecallHit::new(memory, relevance, clarity, terms));
            }
        }
        if found.len() >= query.reach {
            break;
        }
    }
    Ok(found)
}

/// The question's terms with their postings; beside words that nobody wrote, the nearest that somebody did.
fn correct_query_terms(
    cx: &Context,
    query: &RecallQuery,
    space: &Space,
    mut postings: Postings,
    unknown: &BTreeSet<String>,
) -> Result<(Vec<QueryTerm>, Postings), CoreError> {
    let mut asked = query.terms.clone();
    let mut misspelt = terms::extract_misspellable_words(&query.text);
    misspelt.retain(|(_, term)| unknown.contains(term));
    let mut meant: Vec<QueryTerm> = Vec::new();
    for (word, _) in misspelt {
        for (term, weight) in find_nearest_terms(cx, space, &word)? {
            if !asked.iter().chain(&meant).any(|it| it.term == term) {
                meant.push(QueryTerm {
                    term,
                    weight,
                    is_content: true,
                });
            }
        }
    }
    if !meant.is_empty() {
        let names: Vec<String> = meant.iter().map(|it| it.term.clone()).collect();
        postings
            .lists
            .extend(cx.store.read_postings(space, &names)?.lists);
        asked.extend(meant);
    }
    Ok((asked, postings))
}

fn find_nearest_terms(
    cx: &Context,
    space: &Space,
    word: &str,
) -> Result<Vec<(String, f32)>, CoreError> {
    let mut vocabulary = Vec::new();
    for initial in typo::first_letters(word) {
        vocabulary.extend(cx.store.list_terms(space, initial)?);
    }
    let known = vocabulary.iter().map(String::as_str);
    let corrections = typo::find_spelling_corrections(word, known).into_iter();
    Ok(corrections
        .map(|(term, weight)| (term.into(), weight))
        .collect())
}
