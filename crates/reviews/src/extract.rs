//! From a comment to sentences that may be rules: "we always …", "please use X instead of Y", "never …", and not one-off
//! corrections, questions or chatter.
//!
//! There is no model here, and no memory of other comments: a sentence is weighed by its own words. The rules favour silence. A
//! rule that is missed is asked for again in the next review; a wrong one costs somebody's attention, or an agent's.

mod cues;
mod sentences;

use std::sync::LazyLock;

use regex_lite::{Regex, RegexBuilder};

use cues::{AGAINST, Cue, FOR};
use sentences::{GUIDE, split_comment};

/// How many rules one comment can give.
const MAX_RULES: usize = 2;
/// The weight from which a sentence is a rule.
const ENOUGH: i32 = 3;
/// Cues that only support others.
const WEAK: [&str; 2] = ["must", "elsewhere"];

/// A sentence of a comment that may be a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedRule {
    /// The sentence, on its own feet as far as rules can put it there.
    pub text: String,
    /// Whether it says that it is for the whole project, wherever it was written.
    pub is_everywhere: bool,
}

/// A cue that can be looked for.
struct CompiledCue {
    cue: &'static Cue,
    pattern: Regex,
}

static COMPILED: LazyLock<(Vec<CompiledCue>, Vec<CompiledCue>)> =
    LazyLock::new(|| (compile_cues(&FOR), compile_cues(&AGAINST)));

#[expect(
    clippy::expect_used,
    reason = "the patterns are literals, and a test compiles them"
)]
fn compile_cues(cues: &'static [Cue]) -> Vec<CompiledCue> {
    let compile = |cue: &'static Cue| CompiledCue {
        cue,
        pattern: RegexBuilder::new(cue.pattern)
            .case_insensitive(true)
            .build()
            .expect("a valid pattern"),
    };
    cues.iter().map(compile).collect()
}

/// The sentences of a comment that may be rules, at most two, in their order.
#[must_use]
pub fn extract_rules(comment: &str) -> Vec<ExtractedRule> {
    let mut found: Vec<ExtractedRule> = Vec::new();
    for sentence in split_comment(comment) {
        let weighed = weigh_sentence(&sentence);
        if weighed.weight < ENOUGH {
            continue;
        }
        let rule = ExtractedRule {
            text: word_rule(&sentence),
            is_everywhere: weighed.has("every"),
        };
        if !found.iter().any(|it| it.text == rule.text) {
            found.push(rule);
        }
    }
    found.truncate(MAX_RULES);
    found
}

/// What speaks for and against a sentence.
struct WeighedSentence {
    weight: i32,
    cues: Vec<&'static str>,
}

impl WeighedSentence {
    fn has(&self, name: &str) -> bool {
        self.cues.contains(&name)
    }
}

fn weigh_sentence(sentence: &str) -> WeighedSentence {
    let (speaking_for, against) = &*COMPILED;
    let mut weighed = WeighedSentence {
        weight: 0,
        cues: Vec::new(),
    };
    for it in speaking_for
        .iter()
        .filter(|it| it.pattern.is_match(sentence))
    {
        weighed.cues.push(it.cue.name);
        weighed.weight += it.cue.weight;
    }
    if weighed.cues.iter().all(|it| WEAK.contains(it)) {
        weighed.weight = 0;
        return weighed;
    }
    let lower = sentence.to_lowercase();
    let is_request = lower.contains("please");
    let is_habit = weighed.has("habit") || weighed.has("habit2");
    for it in against {
        let is_excused = match it.cue.name {
            // "Can you please …" asks for something to be done.
            "q" => is_request,
            "descr" => is_habit,
            // "We usually do that here": in this project.
            "here" => is_habit || weighed.has("reason") || weighed.has("mention"),
            _ => false,
        };
        if !is_excused && it.pattern.is_match(sentence) {
            weighed.weight += it.cue.weight;
        }
    }
    weighed
}

/// The sentence as it is kept: without what ties it to its place in the comment.
fn word_rule(sentence: &str) -> String {
    const OPENINGS: [&str; 10] = [
        "also, ",
        "also ",
        "but ",
        "and ",
        "so ",
        "then, ",
        "however, ",
        "btw, ",
        "btw ",
        "fwiw, ",
    ];
    let text = sentence.replace(GUIDE, "");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.replace(" .", ".").replace(" ,", ",");
    let mut text = text.trim_matches(['(', ')', ' ', '-', ':', '*']).to_owned();
    let lower = text.to_ascii_lowercase();
    if let Some(opening) = OPENINGS.iter().find(|it| lower.starts_with(**it)) {
        text.drain(..opening.len());
    }
    let mut letters = text.chars();
    let first = letters.next().map(|it| it.to_uppercase().to_string());
    let text = first.unwrap_or_default() + letters.as_str();
    match text.ends_with(['.', '!', '?', '…']) {
        true => text,
        false => text + ".",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_found_by_their_shape() {
        let check = |comment: &str, expected: &[&str]| {
            let found = extract_rules(comment);
            let found: Vec<&str> = found.iter().map(|it| it.text.as_str()).collect();
            let weights: Vec<_> = split_comment(comment)
                .iter()
                .map(|it| (weigh_sentence(it).weight, weigh_sentence(it).cues))
                .collect();
            assert_eq!(found, expected, "{comment:?} {weights:?}");
        };
        // Own sentences, each with a shape of its own.
        check(
            "We always wrap database calls in a transaction.",
            &["We always wrap database calls in a transaction."],
        );
        check(
            "nit: we don't use wildcard imports, see https://example.org/x",
            &["We don't use wildcard imports, see."],
        );
        check(
            "Please use `tracing` instead of `println!` in new code.",
            &["Please use `tracing` instead of `println!` in new code."],
        );
        check(
            "Never commit generated files",
            &["Never commit generated files."],
        );
        check(
            "`OldClient` is deprecated, use `Client`.",
            &["`OldClient` is deprecated, use `Client`."],
        );
        check(
            "Our convention is to name test files after the module.",
            &["Our convention is to name test files after the module."],
        );
        check(
            "All public functions should have a doc comment.",
            &["All public functions should have a doc comment."],
        );
        for none in [
            "LGTM, thanks!",
            "Can you rename this variable to `count`?",
            "I think this is off by one.",
            "This loop never ends when the list is empty.",
            "Why do we need this here?",
            "It is always set by the caller, so the check is not needed.",
            "Done in the last commit.",
            "```suggestion\nwe always use tabs everywhere in this repo\n```",
        ] {
            check(none, &[]);
        }
    }

    #[test]
    fn rule_for_the_whole_project_says_so() {
        let is_everywhere = |comment: &str| extract_rules(comment)[0].is_everywhere;
        assert!(is_everywhere(
            "We use the event bus for that throughout the codebase."
        ));
        assert!(!is_everywhere("We always validate the input of handlers."));
    }
}
