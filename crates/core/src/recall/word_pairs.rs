//! Words that stand side by side in the question and in a memory: "road trip" is more than "road" and "trip".

use super::{
    pooled_memory::PooledMemory,
    space_terms::{SpaceTerm, SpaceTerms},
};
use apostille_text::terms::{StemCache, extract_term_sequence};

/// How much of a word two words side by side are worth beside themselves.
const PAIR: f32 = 0.5;

/// The pairs of a question, each of two terms that somebody wrote.
pub(super) struct WordPairs(Vec<WordPair>);

struct WordPair {
    first: String,
    second: String,
    worth: f32,
}

impl WordPairs {
    pub(super) fn find_in_question(question: &str, terms: &SpaceTerms) -> Self {
        let sequence = extract_term_sequence(question);
        let mut pairs: Vec<WordPair> = Vec::new();
        for it in sequence.windows(2).filter(|it| it[0] != it[1]) {
            let is_known = pairs.iter().any(|pair| pair.is_of(it));
            let found = (terms.find_term(&it[0]), terms.find_term(&it[1]));
            let (Some(first), Some(second), false) = (found.0, found.1, is_known) else {
                continue;
            };
            pairs.push(WordPair {
                first: it[0].clone(),
                second: it[1].clone(),
                worth: PAIR * (terms.rarity(first) + terms.rarity(second)) / 2.0,
            });
        }
        Self(pairs)
    }

    /// What the pairs are worth at most to a memory, by the words that it has.
    pub(super) fn most_for(&self, terms: &SpaceTerms, number: u64) -> f32 {
        let has = |it: &&WordPair| it.may_stand_in(terms, number);
        self.0.iter().filter(has).map(|it| it.worth).sum()
    }

    /// Adds what the pairs that stand in a memory are worth.
    pub(super) fn add_scores(
        &self,
        terms: &SpaceTerms,
        pool: &mut [PooledMemory],
        stems: &mut StemCache,
    ) {
        for it in pool {
            let number = it.memory.number;
            let may_stand = |it: &&WordPair| it.may_stand_in(terms, number);
            let mut open: Vec<PairSearch> =
                self.0.iter().filter(may_stand).map(Into::into).collect();
            if !open.is_empty() {
                stems.each_sequence_term(&it.memory.searchable_text(), |term| {
                    open.iter_mut().for_each(|it| it.see_term(term));
                });
                open.retain(|it| it.is_found);
                it.score += open.iter().map(|it| it.pair.worth).sum::<f32>();
                it.n_pairs = open.len();
            }
        }
    }
}

/// A pair that is looked for in the words of a memory, one after the other.
struct PairSearch<'a> {
    pair: &'a WordPair,
    /// Whether the last word was the first of the pair.
    is_begun: bool,
    is_found: bool,
}

impl<'a> From<&'a WordPair> for PairSearch<'a> {
    fn from(pair: &'a WordPair) -> Self {
        Self {
            pair,
            is_begun: false,
            is_found: false,
        }
    }
}

impl PairSearch<'_> {
    fn see_term(&mut self, term: &str) {
        self.is_found |= self.is_begun && term == self.pair.second;
        self.is_begun = term == self.pair.first;
    }
}

impl WordPair {
    fn is_of(&self, pair: &[String]) -> bool {
        pair[0] == self.first && pair[1] == self.second
    }

    fn may_stand_in(&self, terms: &SpaceTerms, number: u64) -> bool {
        let has = |it: &SpaceTerm| it.find_posting(number).is_some();
        terms.find_term(&self.first).is_some_and(has)
            && terms.find_term(&self.second).is_some_and(has)
    }
}
