//! A memory as it is compared with others of any subject: the words that say what it is about.

use std::collections::BTreeSet;

use super::told::{Told, is_filler, stemmed};
use apostille_text::overlap::normalised;

/// The share of telling words from which two memories that name the same command, or are of one subject, say the same.
const MUCH: f32 = 0.5;
/// From how many words on something in quotes is a command.
const COMMAND_WORDS: usize = 3;

/// The telling words of a memory, and what it names.
pub struct Gist {
    /// Its telling words, each once, sorted.
    pub words: Vec<String>,
    all: BTreeSet<String>,
    subject: String,
    told: Told,
    /// The commands in it, normalised.
    commands: Vec<String>,
}

impl Gist {
    /// The gist of what is said about a subject.
    #[must_use]
    pub fn of(subject: Option<&str>, fact: &str) -> Self {
        let spoken = normalised(subject, fact);
        let all: BTreeSet<String> = spoken.split(' ').map(Into::into).collect();
        let telling = normalised(None, fact);
        let telling = telling
            .split(' ')
            .filter(|it| !it.is_empty() && !is_filler(it));
        let words: BTreeSet<String> = telling.map(|it| stemmed(it.to_owned())).collect();
        let subject = normalised(None, subject.unwrap_or(""));
        Self {
            words: words.into_iter().collect(),
            all,
            subject,
            told: Told::of(fact),
            commands: commands(fact),
        }
    }

    /// Whether two say much the same. Those that name different values do not.
    #[must_use]
    pub fn is_like(&self, other: &Self, threshold: f32) -> bool {
        let differ = || {
            !self.told.lacking(&other.told).is_empty() && !other.told.lacking(&self.told).is_empty()
        };
        let is_close = || {
            self.has_command_of(other)
                || (!self.subject.is_empty() && self.subject == other.subject)
        };
        let ours: BTreeSet<&String> = self.words.iter().collect();
        let theirs: BTreeSet<&String> = other.words.iter().collect();
        let overlap = share(&ours, &theirs);
        let is_like = overlap >= MUCH
            && (overlap >= threshold
                || share(&refs(&self.all), &refs(&other.all)) >= threshold
                || is_close());
        is_like && self.told.is_negated == other.told.is_negated && !differ()
    }

    fn has_command_of(&self, other: &Self) -> bool {
        let has = |a: &Self, b: &Self| a.commands.iter().any(|it| b.told.names(it));
        has(self, other) || has(other, self)
    }
}

fn refs(set: &BTreeSet<String>) -> BTreeSet<&String> {
    set.iter().collect()
}

#[expect(clippy::cast_precision_loss, reason = "a text has few words")]
fn share(a: &BTreeSet<&String>, b: &BTreeSet<&String>) -> f32 {
    let both = a.intersection(b).count();
    both as f32 / (a.len() + b.len() - both).max(1) as f32
}

/// What is in quotes and has several words, and what stands around `&&`.
fn commands(fact: &str) -> Vec<String> {
    let quoted = fact
        .split(['`', '"'])
        .skip(1)
        .step_by(2)
        .map(|it| normalised(None, it));
    let words: Vec<&str> = fact.split_whitespace().collect();
    let chained = words
        .iter()
        .enumerate()
        .filter(|it| *it.1 == "&&")
        .map(|(at, _)| {
            let around = &words[at.saturating_sub(2)..words.len().min(at + 3)];
            normalised(None, &around.join(" "))
        });
    quoted
        .chain(chained)
        .filter(|it| it.split(' ').count() >= COMMAND_WORDS)
        .collect()
}
