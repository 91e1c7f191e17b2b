//! A second source of candidates: memories whose meaning is near the question's, whatever words they have.
//!
//! Words are the better guide to code, where a name is a name; meaning finds what was put in other words ("how large may a
//! file be" and "uploads are limited to 10 MB"). In the retrieval benchmark their sum was better than either, with six parts
//! of words and four of meaning, each measured against the best of the question. Five and six parts of meaning found a little
//! less of LoCoMo's observations; so did sharing meaning, as words are shared, with what was said around a memory. So the sum
//! takes the place of the text relevance, and everything behind it (age, trust, files in play, verdicts) stays as it is. It is
//! brought back to the scale of words, so that scores with and without a model can be compared.
//!
//! Meaning never makes a memory *clear*: clarity is counted in words alone, and what is shown unasked has no model at all.

use std::collections::{BTreeMap, HashSet};

use apostille_text::digest::Digest;

use super::{
    hit::{MeaningScore, RecallHit},
    query::RecallQuery,
};
use crate::{
    Context, CoreError,
    embedding::{Embedder, Embedding, MemoryEmbedding, embeddable_text},
    memory::{Memory, MemoryId},
    policy::{InjectMode, Scoring},
    space::Space,
    store::StoreError,
};

/// How much of the sum is meaning.
const MEANING: f32 = 0.4;
/// How near a memory without a word of the question must be. Lower ones were measured to be no better.
const NEAR: f32 = 0.25;
/// What counts as a full match of meaning at least, so that the best of many poor ones is not taken for a good one.
const GOOD: f32 = 0.6;
/// How many memories of a space are found by meaning.
const MAX_FOUND: usize = 50;

/// How near the memories of each space are to the question.
#[derive(Default)]
pub(super) struct MeaningMatches {
    spaces: Vec<SpaceMatches>,
    /// Why there are none although a model is there.
    pub(super) problem: Option<String>,
}

struct SpaceMatches {
    space: Space,
    /// By number: the text that was compared, and the cosine.
    cosines: BTreeMap<u64, (Digest, f32)>,
}

impl MeaningMatches {
    fn find_cosine(&self, memory: &Memory) -> Option<f32> {
        let space = self.spaces.iter().find(|it| it.space == memory.space)?;
        let (text, cosine) = space.cosines.get(&memory.number)?;
        let is_same = *text == Digest::hash_bytes(embeddable_text(memory).as_bytes());
        is_same.then_some(*cosine)
    }
}

/// Compares the question with every vector of its spaces. The model is asked only where there are vectors.
pub(super) fn match_meaning(cx: &Context, query: &RecallQuery) -> MeaningMatches {
    let is_asked = query.mode == InjectMode::Relevant
        && query.scoring == Scoring::Bm25
        && !query.text.trim().is_empty();
    let Some(embedder) = cx.embedder.filter(|_| is_asked) else {
        return MeaningMatches::default();
    };
    match compare_spaces(cx, embedder, query) {
        Ok(spaces) => MeaningMatches {
            spaces,
            problem: None,
        },
        Err(why) => MeaningMatches {
            spaces: Vec::new(),
            problem: Some(format!("searched by words only: {why}")),
        },
    }
}

fn compare_spaces(
    cx: &Context,
    embedder: &dyn Embedder,
    query: &RecallQuery,
) -> Result<Vec<SpaceMatches>, String> {
    let told = |error: StoreError| error.to_string();
    let mut known = Vec::new();
    for space in &query.spaces {
        let vectors = cx.store.read_embeddings(space, embedder.model());
        let vectors = vectors.map_err(told)?;
        if !vectors.is_empty() {
            known.push((space, vectors));
        }
    }
    if known.is_empty() {
        return Ok(Vec::new());
    }
    let asked = embedder.embed_texts(&[&query.text]);
    let asked: Embedding = asked
        .map_err(|error| error.to_string())?
        .pop()
        .ok_or("the model made no vector")?;
    let compare = |(space, vectors): (&Space, Vec<MemoryEmbedding>)| SpaceMatches {
        space: space.clone(),
        cosines: vectors
            .into_iter()
            .map(|it| (it.number, (it.text, asked.cosine(&it.vector))))
            .collect(),
    };
    Ok(known.into_iter().map(compare).collect())
}

/// Adds what is near in meaning to what words found, and scores both alike. What is merely recent goes where something
/// is near.
pub(super) fn fuse_candidates(
    cx: &Context,
    query: &RecallQuery,
    matches: &MeaningMatches,
    mut hits: Vec<RecallHit>,
) -> Result<Vec<RecallHit>, CoreError> {
    if matches.spaces.is_empty() {
        return Ok(hits);
    }
    let found: HashSet<MemoryId> = hits.iter().map(|it| it.memory.id).collect();
    let near = list_near_memories(cx, query, matches)?;
    if !near.is_empty() {
        hits.retain(|it| it.why.relevance > 0.0 || matches.find_cosine(&it.memory) >= Some(NEAR));
    }
    let near = near.into_iter().filter(|it| !found.contains(&it.id));
    hits.extend(near.map(|it| RecallHit::new(it, 0.0, 0.0, Vec::new())));
    score_by_meaning(matches, &mut hits);
    Ok(hits)
}

/// The memories that are nearest in meaning and may answer.
fn list_near_memories(
    cx: &Context,
    query: &RecallQuery,
    matches: &MeaningMatches,
) -> Result<Vec<Memory>, CoreError> {
    let mut near = Vec::new();
    for it in &matches.spaces {
        let close = it.cosines.iter().filter(|(_, (_, cosine))| *cosine >= NEAR);
        let mut close: Vec<(u64, f32)> = close.map(|(number, it)| (*number, it.1)).collect();
        close.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        close.truncate(MAX_FOUND);
        let numbers: Vec<u64> = close.iter().map(|it| it.0).collect();
        let memories = cx.store.get_by_numbers(&it.space, &numbers)?.into_iter();
        near.extend(
            memories.filter(|memory| {
                query.admits_memory(memory) && matches.find_cosine(memory).is_some()
            }),
        );
    }
    Ok(near)
}

/// Six parts of words and four of meaning, each measured against the best of the question.
fn score_by_meaning(matches: &MeaningMatches, hits: &mut [RecallHit]) {
    let cosines: Vec<Option<f32>> = hits
        .iter()
        .map(|it| matches.find_cosine(&it.memory))
        .collect();
    let best = |all: &mut dyn Iterator<Item = f32>| all.fold(0.0, f32::max);
    let best_words = best(&mut hits.iter().map(|it| it.why.relevance));
    let full = best(&mut cosines.iter().flatten().copied()).max(GOOD);
    let scale = if best_words > 0.0 { best_words } else { 1.0 };
    for (hit, cosine) in hits.iter_mut().zip(cosines) {
        let cosine = cosine.unwrap_or(0.0).max(0.0);
        if hit.why.relevance == 0.0 && cosine < NEAR {
            // Merely recent, and still so.
            continue;
        }
        let words = hit.why.relevance * (1.0 - MEANING);
        let meaning = cosine / full * MEANING * scale;
        hit.why.meaning = Some(MeaningScore {
            cosine,
            words,
            meaning,
        });
        hit.why.relevance = words + meaning;
    }
}
