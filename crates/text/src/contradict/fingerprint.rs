//! A memory as it is compared with others of any subject: the words that say what it is about.

use std::collections::BTreeSet;

use super::parsed_fact::{ParsedFact, is_filler_word, strip_plural};
use crate::overlap::{collect_distinct_words, measure_jaccard_overlap, normalise_fact};

/// The share of telling words from which two memories that name the same command, or are of one subject, say the same.
const MUCH: f32 = 0.5;
/// From how many words on something in quotes is a command.
const COMMAND_WORDS: usize = 3;

/// The telling words of a memory, and what it names.
pub struct FactFingerprint {
    /// Its telling words, each once, sorted.
    pub words: Vec<String>,
    /// All words of subject and fact, each once, sorted.
    all: Vec<String>,
    subject: String,
    told: ParsedFact,
    /// The commands in it, normalised.
    commands: Vec<String>,
}

impl FactFingerprint {
    /// The gist of what is said about a subject.
    pub fn from_fact(subject: Option<&str>, fact: &str) -> Self {
        let spoken = normalise_fact(subject, fact);
        let all = collect_distinct_words(&spoken);
        let telling = normalise_fact(None, fact);
        let telling = telling
            .split(' ')
            .filter(|it| !it.is_empty() && !is_filler_word(it));
        let words: BTreeSet<String> = telling.map(|it| strip_plural(it.to_owned())).collect();
        let subject = normalise_fact(None, subject.unwrap_or(""));
        Self {
            words: words.into_iter().collect(),
            all: all.into_iter().map(Into::into).collect(),
            subject,
            told: ParsedFact::parse_fact(fact),
            commands: extract_commands(fact),
        }
    }

    /// Whether two say much the same. Those that name different values do not.
    pub fn is_near_duplicate(&self, other: &Self, threshold: f32) -> bool {
        let differ = || {
            !self.told.values_missing_in(&other.told).is_empty()
                && !other.told.values_missing_in(&self.told).is_empty()
        };
        let has_command_of = |a: &Self, b: &Self| a.commands.iter().any(|it| b.told.has_words(it));
        let is_close = || {
            has_command_of(self, other)
                || has_command_of(other, self)
                || (!self.subject.is_empty() && self.subject == other.subject)
        };
        let overlap = measure_jaccard_overlap(&self.words, &other.words);
        let is_like = overlap >= MUCH
            && (overlap >= threshold
                || measure_jaccard_overlap(&self.all, &other.all) >= threshold
                || is_close());
        is_like && self.told.is_negated == other.told.is_negated && !differ()
    }
}

/// What is in quotes and has several words, and what stands around `&&`.
fn extract_commands(fact: &str) -> Vec<String> {
    let quoted = fact
        .split(['`', '"'])
        .skip(1)
        .step_by(2)
        .map(|it| normalise_fact(None, it));
    let words: Vec<&str> = fact.split_whitespace().collect();
    let chains = words.iter().zip(0..).filter(|it| *it.0 == "&&");
    let chained = chains.map(|(_, at): (_, usize)| {
        let around = &words[at.saturating_sub(2)..words.len().min(at + 3)];
        normalise_fact(None, &around.join(" "))
    });
    quoted
        .chain(chained)
        .filter(|it| it.split(' ').count() >= COMMAND_WORDS)
        .collect()
}
