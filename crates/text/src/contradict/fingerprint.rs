//! A memory as it is compared with others of any subject: the words that say what it is about.

use std::collections::BTreeSet;

use super::{
    FactCompatibility, compare_parsed_facts, is_same_sentence_with_other_value,
    parsed_fact::{ParsedFact, find_rival_key, is_filler_word, strip_plural},
};
use crate::overlap::{collect_distinct_words, measure_jaccard_overlap, normalise_fact};

/// The share of telling words from which two memories that name the same command, or are of one subject, say the same.
const MUCH: f32 = 0.5;
/// From how many words on something in quotes is a command.
const COMMAND_WORDS: usize = 3;
/// The share of the shorter one's telling words that two wordings of the same lines have in common, and how many at least.
const WORDING: f32 = 0.6;
const WORDING_WORDS: usize = 3;

/// How a newer fact stands to an older one, where they have to do with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactRelation {
    /// They say much the same.
    NearDuplicate,
    /// They name different values for what may be the same thing.
    Doubtful,
    /// Only one of them can be true.
    Opposed,
}

/// What ties two facts together beside their words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FactTies {
    /// Whether they cite the same lines.
    pub has_same_lines: bool,
    /// Whether they cite folders that have nothing to do with each other.
    pub is_apart: bool,
}

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

    /// How it stands to an older one: what `remember` asks about is what `audit` finds.
    ///
    /// Facts of one subject contradict when they may not both be true. Others do only where they are one sentence with
    /// another value, and neither says that it is about something else; of different modules both may be right. From
    /// `threshold` on, texts are much the same by their words alone.
    pub fn relate_to(&self, old: &Self, ties: FactTies, threshold: f32) -> Option<FactRelation> {
        let has_same_subject = !self.subject.is_empty() && self.subject == old.subject;
        let is_of_another =
            !has_same_subject && !self.subject.is_empty() && !old.subject.is_empty();
        let contradiction = if ties.is_apart {
            None
        } else if has_same_subject {
            self.find_contradiction(old)
        } else {
            let is_one_thing = !is_of_another || ties.has_same_lines;
            let is_contradicted = || is_same_sentence_with_other_value(&self.told, &old.told);
            (is_one_thing && is_contradicted()).then_some(FactRelation::Doubtful)
        };
        let is_near = || {
            if ties.is_apart {
                // A word each that the other lacks tells two modules apart: "of auth", "of billing".
                let is_longer = self.has_all_words_of(old) || old.has_all_words_of(self);
                return is_longer && self.has_nearly_same_words(old, threshold);
            }
            (ties.has_same_lines && self.is_other_wording(old))
                || self.is_near_duplicate(old, threshold)
                || self.has_nearly_same_words(old, threshold)
        };
        contradiction.or_else(|| is_near().then_some(FactRelation::NearDuplicate))
    }

    /// Whether it contradicts an older one of the same subject.
    fn find_contradiction(&self, old: &Self) -> Option<FactRelation> {
        let is_one_matter = measure_jaccard_overlap(&self.all, &old.all) >= MUCH;
        let has_other_quantity = || {
            self.told.has_quantity_missing_in(&old.told)
                && old.told.has_quantity_missing_in(&self.told)
        };
        match compare_parsed_facts(&self.told, &old.told) {
            FactCompatibility::Opposed => Some(FactRelation::Opposed),
            FactCompatibility::Doubtful if is_one_matter => Some(FactRelation::Doubtful),
            _ => (is_one_matter && has_other_quantity()).then_some(FactRelation::Doubtful),
        }
    }

    /// Whether both make the very same statement; one of them may leave its subject out.
    pub fn restates(&self, other: &Self) -> bool {
        let is_open = self.subject.is_empty() || other.subject.is_empty();
        (is_open || self.subject == other.subject) && self.told.is_same_text(&other.told)
    }

    /// What it is filed under to be compared: its telling words, rivals under one name.
    pub fn list_keys(&self) -> impl Iterator<Item = &str> {
        let words = self.words.iter();
        words.map(|it| find_rival_key(it).unwrap_or(it))
    }

    /// Whether each names a value that the other does not.
    fn has_other_values(&self, other: &Self) -> bool {
        !self.told.values_missing_in(&other.told).is_empty()
            && !other.told.values_missing_in(&self.told).is_empty()
    }

    /// Whether one of them names a value that the other does not.
    fn adds_value_to(&self, other: &Self) -> bool {
        !self.told.values_missing_in(&other.told).is_empty()
            || !other.told.values_missing_in(&self.told).is_empty()
    }

    /// Whether two say the same of the same lines in other words: they share most of the shorter one's, and a quantity. A
    /// list and one of its members share as much, so without a quantity the values have to be the same.
    #[expect(clippy::cast_precision_loss, reason = "a text has few words")]
    fn is_other_wording(&self, other: &Self) -> bool {
        let is_theirs = |it: &&String| other.words.binary_search(it).is_ok();
        let n_shared = self.words.iter().filter(is_theirs).count();
        let n_shorter = self.words.len().min(other.words.len());
        let is_one_value =
            self.told.shares_quantity_with(&other.told) || !self.adds_value_to(other);
        n_shared >= WORDING_WORDS
            && n_shared as f32 >= WORDING * n_shorter as f32
            && is_one_value
            && self.has_same_claim(other)
    }

    /// Whether neither denies what the other says, nor names another value for it.
    fn has_same_claim(&self, other: &Self) -> bool {
        self.told.is_negated == other.told.is_negated && !self.has_other_values(other)
    }

    fn has_all_words_of(&self, other: &Self) -> bool {
        let mut words = other.all.iter();
        words.all(|it| self.all.binary_search(it).is_ok())
    }

    /// Whether two are much the same by their words alone.
    fn has_nearly_same_words(&self, other: &Self, threshold: f32) -> bool {
        self.measure_overlap(other) >= threshold && self.has_same_claim(other)
    }

    /// Whether two say much the same: by their words, by the command they name, or of one subject.
    fn is_near_duplicate(&self, other: &Self, threshold: f32) -> bool {
        let has_command_of = |a: &Self, b: &Self| a.commands.iter().any(|it| b.told.has_words(it));
        let has_same_subject = || !self.subject.is_empty() && self.subject == other.subject;
        let overlap = measure_jaccard_overlap(&self.words, &other.words);
        let is_like = overlap >= MUCH
            && (overlap >= threshold
                || has_command_of(self, other)
                || has_command_of(other, self)
                || (has_same_subject() && !self.adds_value_to(other)));
        is_like && self.has_same_claim(other)
    }

    /// The share of all words, those of the subject as well, that two have in common.
    pub fn measure_overlap(&self, other: &Self) -> f32 {
        measure_jaccard_overlap(&self.all, &other.all)
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

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: FactTies = FactTies {
        has_same_lines: true,
        is_apart: false,
    };

    /// A fact, before it its subject and a bar where it has one.
    fn parse(said: &str) -> FactFingerprint {
        match said.split_once('|') {
            Some((subject, fact)) => FactFingerprint::from_fact(Some(subject), fact),
            None => FactFingerprint::from_fact(None, said),
        }
    }

    fn check(ties: FactTies, old: &str, new: &str, expected: Option<FactRelation>) {
        let found = parse(new).relate_to(&parse(old), ties, 0.85);
        assert_eq!(found, expected, "{old:?}, then {new:?}");
    }

    #[test]
    fn contradictions_need_no_shared_subject() {
        let check = |old: &str, new: &str| {
            check(FactTies::default(), old, new, Some(FactRelation::Doubtful));
        };
        check(
            "exits with 130 when nothing matched",
            "exits with 1 when nothing matched",
        );
        check(
            "exit code|exits with 130 when nothing matched",
            "exits with 1 when nothing matched",
        );
        check("use npm", "use pnpm");
        check("Tests run with Jest", "tests run with Vitest");
        check("the team uses Jest", "the team migrated to Vitest");
        check(
            "The server listens on port 8080",
            "The server listens on port 9090",
        );
        check(
            "The default branch is `main`",
            "The default branch is `develop`",
        );
        check("Tabs are allowed", "Tabs are not allowed");
        check("The public API is at v3", "The public API is at v4");
    }

    #[test]
    fn two_things_are_told_apart() {
        let check = |old: &str, new: &str| {
            check(FactTies::default(), old, new, None);
            check(LINES, old, new, None);
        };
        // Two messages of one function, and sister functions.
        check(
            "f|`f` reports the error \"A\"",
            "f|`f` reports the error \"B\"",
        );
        check(
            "provision|`provision` reports the error \"entry %q is empty\"",
            "provision|`provision` reports the error \"entry %q contains 1 letter\"",
        );
        check(
            "add_app_template_test|`Blueprint.add_app_template_test`: Register a template test, available in any template \
             rendered by the application.",
            "add_app_template_global|`Blueprint.add_app_template_global`: Register a template global, available in any \
             template rendered by the application.",
        );
        check("`f` is deprecated", "`g` is deprecated");
        check("`f` returns `string`", "`g` returns `string`");
        check(
            "The parameter `code` of `redirect` defaults to 302",
            "The parameter `code` of `moved` defaults to 301",
        );
        check(
            "The enum `Color` has the member `Red`",
            "The enum `Color` has the member `Blue`",
        );
        check(
            "Migration 12 must run before a deploy",
            "Migration 13 must run before a deploy",
        );
        check("3", "5");
    }

    #[test]
    fn facts_of_other_subjects_or_modules_coexist() {
        check(
            FactTies::default(),
            "uploads|the limit is 10 MB",
            "downloads|the limit is 25 MB",
            None,
        );
        check(
            LINES,
            "uploads|the limit is 10 MB",
            "files|the limit is 25 MB",
            Some(FactRelation::Doubtful),
        );
        let apart = FactTies {
            is_apart: true,
            ..LINES
        };
        check(apart, "use npm", "use pnpm", None);
        check(
            apart,
            "`LEASE` of auth is shared with the mobile client, which has a copy of its own",
            "`LEASE` of billing is shared with the mobile client, which has a copy of its own",
            None,
        );
        check(
            apart,
            "the tests of the api need the docker daemon",
            "the tests of the api need the docker daemon first",
            Some(FactRelation::NearDuplicate),
        );
    }

    #[test]
    fn two_wordings_of_the_same_lines_are_found() {
        let near = Some(FactRelation::NearDuplicate);
        let (one, other) = (
            "Uploads are limited to 10 MB",
            "`MAX_UPLOAD` caps uploads at 10 MB",
        );
        check(LINES, one, other, near);
        check(FactTies::default(), one, other, None);
        check(
            LINES,
            "The client gives up after 3 attempts",
            "After 3 attempts the http client returns an error",
            near,
        );
    }

    #[test]
    fn a_restatement_may_leave_its_subject_out() {
        let check = |a: &str, b: &str, expected: bool| {
            assert_eq!(parse(a).restates(&parse(b)), expected, "{a:?} {b:?}");
            assert_eq!(parse(b).restates(&parse(a)), expected, "{b:?} {a:?}");
        };
        check(
            "limit|Uploads stop at 10 MB",
            "uploads stop at 10 MB.",
            true,
        );
        check(
            "limit|Uploads stop at 10 MB",
            "limit|uploads stop at 10 MB.",
            true,
        );
        check("limit|the cap is 10 MB", "quota|the cap is 10 MB", false);
        check("the cap is 10 MB", "the cap is 25 MB", false);
    }
}
