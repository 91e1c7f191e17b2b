//! What two rules have to do with each other: they ask for the same, for the opposite, or for different things.
//!
//! Reviewers ask for one thing in many words: "please use the logger instead of print" and "no prints here, we log". So a rule
//! is compared by what it wants and what it does not want, word by word and by stems. Both sides have to fit: of "use tabs, not
//! spaces" and "use spaces, not tabs" all words are the same.

use std::collections::BTreeSet;

use apostille_text::terms::stem_word;

/// How much of the shorter rule the longer one has to say.
const SHARE: f32 = 0.7;
/// How much of both together both have to say.
const OVERLAP: f32 = 0.4;

/// What parts what is wanted from what is not.
const CONTRASTS: [&str; 5] = [
    "instead of",
    "rather than",
    "in favour of",
    "in favor of",
    "over",
];
/// What says that something is not wanted.
const DENIALS: [&str; 16] = [
    "never",
    "not",
    "don't",
    "dont",
    "avoid",
    "no",
    "without",
    "stop",
    "deprecated",
    "forbidden",
    "cannot",
    "can't",
    "shouldn't",
    "mustn't",
    "won't",
    "discouraged",
];
/// Words that a rule has for being a rule.
const FRAME: [&str; 50] = [
    "a", "an", "the", "we", "us", "our", "you", "your", "i", "it", "this", "that", "these",
    "those", "is", "are", "be", "to", "of", "in", "for", "on", "at", "and", "or", "with", "by",
    "as", "do", "does", "please", "should", "must", "always", "prefer", "use", "using", "used",
    "here", "all", "any", "want", "need", "have", "so", "new", "when", "instead", "code", "has",
];

/// What a rule wants and does not want, in stems.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RuleGist {
    wanted: BTreeSet<String>,
    unwanted: BTreeSet<String>,
}

impl RuleGist {
    /// The gist of a sentence.
    pub(super) fn from_text(text: &str) -> Self {
        let mut gist = Self::default();
        let lower = text.to_lowercase().replace('\u{2019}', "'");
        for clause in lower.split([';', ',']).flat_map(|it| it.split(". ")) {
            gist.read_clause(clause);
        }
        gist
    }

    fn read_clause(&mut self, clause: &str) {
        let contrast = CONTRASTS.iter().find_map(|it| {
            let at = clause.find(&format!(" {it} "))?;
            Some((&clause[..at], &clause[at + it.len() + 2..], *it))
        });
        match contrast {
            // "drop X in favour of Y": here the second is wanted.
            Some((before, after, it)) if it.starts_with("in fav") => {
                self.unwanted.extend(list_stems(before));
                self.wanted.extend(list_stems(after));
            }
            Some((before, after, _)) => {
                self.wanted.extend(list_stems(before));
                self.unwanted.extend(list_stems(after));
            }
            None => {
                let is_denied = split_words(clause).any(|it| DENIALS.contains(&it));
                let side = if is_denied {
                    &mut self.unwanted
                } else {
                    &mut self.wanted
                };
                side.extend(list_stems(clause));
            }
        }
    }

    /// Whether both ask for the same.
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        let shared = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.intersection(b).count();
        let crossed = shared(&self.wanted, &other.unwanted) + shared(&self.unwanted, &other.wanted);
        let fitting = shared(&self.wanted, &other.wanted) + shared(&self.unwanted, &other.unwanted);
        let (ours, theirs) = (self.count_words(), other.count_words());
        let union = (ours + theirs).saturating_sub(fitting);
        if union == 0 || fitting == 0 || crossed * 2 >= fitting {
            return false;
        }
        is_share(fitting, union, 1.0)
            || fitting >= 2
                && is_share(fitting, ours.min(theirs), SHARE)
                && is_share(fitting, union, OVERLAP)
    }

    /// Whether one asks for what the other does not want.
    pub(super) fn opposes(&self, other: &Self) -> bool {
        let shared = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.intersection(b).count();
        let crossed = shared(&self.wanted, &other.unwanted) + shared(&self.unwanted, &other.wanted);
        let fitting = shared(&self.wanted, &other.wanted) + shared(&self.unwanted, &other.unwanted);
        let shortest = self.count_words().min(other.count_words());
        crossed > fitting && is_share(crossed, shortest, SHARE)
    }

    fn count_words(&self) -> usize {
        self.wanted.len() + self.unwanted.len()
    }
}

#[expect(clippy::cast_precision_loss, reason = "a rule has few words")]
fn is_share(part: usize, whole: usize, share: f32) -> bool {
    part as f32 >= share * whole as f32
}

fn split_words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'');
    text.split(move |c| !is_part(c))
        .map(|it| it.trim_matches('\''))
        .filter(|it| !it.is_empty())
}

fn list_stems(text: &str) -> impl Iterator<Item = String> {
    let words = split_words(text);
    let telling = words.filter(|it| !FRAME.contains(it) && !DENIALS.contains(it));
    telling.map(stem_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_agree_in_other_words() {
        let check = |a: &str, b: &str, expected: (bool, bool)| {
            let (one, other) = (RuleGist::from_text(a), RuleGist::from_text(b));
            let found = (one.agrees_with(&other), one.opposes(&other));
            assert_eq!(found, expected, "{a:?} {b:?} {one:?} {other:?}");
            let found = (other.agrees_with(&one), other.opposes(&one));
            assert_eq!(found, expected, "{b:?} {a:?}");
        };
        let (same, opposite, other) = ((true, false), (false, true), (false, false));
        check(
            "Please use `logger` instead of `print`.",
            "We use `logger` rather than print here.",
            same,
        );
        check("Never log tokens.", "Please don't log tokens.", same);
        check(
            "Use tabs instead of spaces.",
            "Use spaces instead of tabs.",
            opposite,
        );
        check(
            "Never commit lock files.",
            "Always commit lock files.",
            opposite,
        );
        check("Never log tokens.", "Never log passwords of users.", other);
        check(
            "We always add a changelog entry.",
            "We always add a test.",
            other,
        );
        check(
            "We always sort the imports alphabetically.",
            "Imports should always be sorted alphabetically.",
            same,
        );
        check(
            "Please avoid wildcard imports.",
            "We don't use wildcard imports.",
            same,
        );
        check("Use `foo`.", "Use `bar`.", other);
    }
}
