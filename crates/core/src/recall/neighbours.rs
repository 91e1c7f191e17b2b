//! What was said right before and after: the answer often stands beside the words of the question.
//!
//! "When did James start Civilization VI" finds "Is that Civilization VI?", and the answer is the next turn. So what was said
//! has a part of the score of what was said around it in the same session. Two limits keep this from doing harm. Nothing rises
//! above the memory that it stands beside: that one was found by its own words. And the longer a text is, the more it speaks for
//! itself and the less it is given; long turns were measured to lose by more. What cites code has no neighbours: its words are
//! chosen to be found.

use std::collections::BTreeMap;

use super::{
    pooled_memory::PooledMemory,
    scored_documents::{ScoredDocument, ScoredDocuments},
};
use crate::memory::Memory;
use apostille_text::terms::extract_term_sequence;

/// What a memory has of the score of one that was said right before or after it; half of that at two away.
const SHARE: f32 = 0.4;
/// How far neighbours are looked at.
const REACH: u64 = 2;
/// What a memory may have of the score of the best of its neighbours.
const BEHIND: f32 = 0.95;
/// Twice the number of words up to which a text is given its whole share.
const SHORT_WORDS: f32 = 16.0;

/// The memories beside those of the pool that may come to score more than this, with their own scores.
pub(super) fn list_hopeful(
    pool: &[PooledMemory],
    scored: &ScoredDocuments,
    bar: f32,
) -> Vec<ScoredDocument> {
    let known: BTreeMap<u64, ()> = pool.iter().map(|it| (it.memory.number, ())).collect();
    let mut hopeful: BTreeMap<u64, f32> = BTreeMap::new();
    for it in pool.iter().filter(|it| find_session(&it.memory).is_some()) {
        for number in around(it.memory.number).map(|it| it.0) {
            let own = scored.find_score(number);
            // A share from either side, and from two away.
            let most = (own + 3.0 * SHARE * it.score).min(BEHIND * it.score);
            if most > bar && !known.contains_key(&number) {
                hopeful.insert(number, own);
            }
        }
    }
    hopeful.into_iter().collect()
}

/// Adds to every memory of the pool its share of what was said around it.
pub(super) fn add_scores(pool: &mut [PooledMemory]) {
    let said = pool.iter().filter_map(|it| {
        let session = find_session(&it.memory)?.to_owned();
        Some((it.memory.number, (session, it.score)))
    });
    let said: BTreeMap<u64, (String, f32)> = said.collect();
    for it in pool {
        let Some(session) = find_session(&it.memory) else {
            continue;
        };
        let (mut share, mut best) = (0.0, 0.0_f32);
        for (number, away) in around(it.memory.number) {
            if let Some((other, score)) = said.get(&number)
                && other == session
            {
                share += SHARE * score / away as f32;
                best = best.max(*score);
            }
        }
        let room = (BEHIND * best - it.score).max(0.0);
        if share > 0.0 && room > 0.0 {
            it.score += (share * given_to_length(&it.memory)).min(room);
        }
    }
}

/// The numbers around this one, with how far away they are.
fn around(number: u64) -> impl Iterator<Item = (u64, u64)> {
    (1..=REACH).flat_map(move |away| {
        let sides = [number.checked_sub(away), number.checked_add(away)];
        sides.into_iter().flatten().map(move |it| (it, away))
    })
}

/// The session that a memory was said in, where it has neighbours there.
fn find_session(memory: &Memory) -> Option<&str> {
    let session = memory.voice.session.as_deref();
    session.filter(|_| memory.citations.is_empty())
}

fn given_to_length(memory: &Memory) -> f32 {
    let n_words = extract_term_sequence(&memory.fact).len() as f32;
    (SHORT_WORDS / (SHORT_WORDS / 2.0 + n_words)).min(1.0)
}
