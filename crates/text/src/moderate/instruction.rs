//! Whether a text reads like an order to a model rather than like a fact.
//!
//! A tripwire, not the gate: what decides is who said it. A table of rows, each with the words without which it cannot
//! match, a pattern over the skeleton of the text, and a sample for and against it. Patterns are compiled when they
//! are first needed, as bytes without Unicode tables. In a pattern a space stands for any white space.

mod rows;

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Regex, RegexBuilder};

use super::skeleton::fold_to_skeleton;
use crate::secrets::word_index::WordIndex;
use rows::ROWS;

/// How many times a word or two must be said again before the text is a flood that drowns what was before it.
const FLOOD: usize = 250;
/// The same for closing brackets, which nothing else has in such a run.
const BRACKETS: usize = 90;

/// One sort of order.
pub(super) struct InstructionRule {
    name: &'static str,
    /// Groups of words, of each of which one must be there. A low line stands for a space.
    needs: &'static str,
    pattern: &'static str,
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "samples are for the test of the table")
    )]
    yes: &'static str,
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "samples are for the test of the table")
    )]
    no: &'static str,
}

impl InstructionRule {
    /// The bits of its groups; a row that needs nothing is always tried.
    const fn required_groups(&self) -> u8 {
        let (needs, mut at, mut groups) = (self.needs.as_bytes(), 0, 0);
        while at < needs.len() {
            if at == 0 || needs[at] == b'/' && needs[at - 1] == b' ' && needs[at + 1] == b' ' {
                groups = groups << 1 | 1;
            }
            at += 1;
        }
        groups
    }
}

/// What each row must have been seen with.
static GROUPS: [u8; ROWS.len()] = {
    let (mut groups, mut at) = ([0; ROWS.len()], 0);
    while at < ROWS.len() {
        groups[at] = ROWS[at].required_groups();
        at += 1;
    }
    groups
};

/// The name of the row that a text matches, if any.
pub(super) fn find_instruction_rule(text: &str) -> Option<&'static str> {
    let text = fold_to_skeleton(text);
    let row = find_candidate_instruction_rules(text.as_bytes())
        .find(|index| get_instruction_pattern(*index).is_match(text.as_bytes()));
    row.map(|it| ROWS[it].name)
        .or_else(|| is_flood(&text).then_some("flood"))
}

/// A row that needs a word, and the bit of the word's group in that row.
type RequiredWordUse = (usize, u8);

/// The words of all rows.
struct RequiredWords {
    words: WordIndex,
    /// By the number of the word: who needs it.
    uses: Vec<Vec<RequiredWordUse>>,
    /// Signs of one byte, which are too short for the index.
    signs: Vec<(u8, RequiredWordUse)>,
}

static NEEDS: LazyLock<RequiredWords> = LazyLock::new(|| {
    let mut by_word: BTreeMap<Vec<u8>, Vec<RequiredWordUse>> = BTreeMap::new();
    for (index, row) in ROWS.iter().enumerate() {
        for (group, words) in row.needs.split(" / ").enumerate() {
            for word in words.split(' ').filter(|it| !it.is_empty()) {
                by_word
                    .entry(word.replace('_', " ").into_bytes())
                    .or_default()
                    .push((index, 1 << group));
            }
        }
    }
    let (short, long): (Vec<_>, Vec<_>) = by_word.into_iter().partition(|(word, _)| word.len() < 2);
    let signs = short
        .into_iter()
        .flat_map(|(sign, uses)| uses.into_iter().map(move |it| (sign[0], it)));
    let (words, uses): (Vec<_>, Vec<_>) = long.into_iter().unzip();
    let words = WordIndex::new(
        words
            .into_iter()
            .enumerate()
            .map(|(number, word)| (word, number)),
    );
    RequiredWords {
        words,
        uses,
        signs: signs.collect(),
    }
});

/// The rows of which every group of words is there. A line end counts as a space.
fn find_candidate_instruction_rules(text: &[u8]) -> impl Iterator<Item = usize> {
    let text: Vec<u8> = text
        .iter()
        .map(|it| if *it == b'\n' { b' ' } else { *it })
        .collect();
    let mut seen = [0_u8; ROWS.len()];
    // Words are looked for where words begin.
    let is_inside = |at: usize| {
        at > 0 && text[at - 1].is_ascii_alphanumeric() && text[at].is_ascii_alphanumeric()
    };
    NEEDS.words.for_each_match(&text, |word, at| {
        if !is_inside(at.start) {
            NEEDS.uses[word]
                .iter()
                .for_each(|(row, group)| seen[*row] |= group);
        }
    });
    for (sign, (row, group)) in &NEEDS.signs {
        seen[*row] |= if text.contains(sign) { *group } else { 0 };
    }
    (0..ROWS.len()).filter(move |row| seen[*row] == GROUPS[*row])
}

/// A row's pattern, compiled on first use.
#[expect(
    clippy::expect_used,
    reason = "patterns are constants; a test compiles every row"
)]
fn get_instruction_pattern(index: usize) -> &'static Regex {
    static COMPILED: [OnceLock<Regex>; ROWS.len()] = [const { OnceLock::new() }; ROWS.len()];
    COMPILED[index].get_or_init(|| {
        let pattern = ROWS[index].pattern.replace(' ', r"\s");
        let built = RegexBuilder::new(&pattern)
            .unicode(false)
            .dot_matches_new_line(true)
            .build();
        built.expect("the pattern in the table is valid")
    })
}

/// Whether the same word, or the same two or three, are said over and over.
fn is_flood(text: &str) -> bool {
    // So many words take so much room.
    text.len() > 2 * FLOOD && is_word_flood(text)
        || text.len() >= BRACKETS && is_bracket_flood(text)
}

fn is_word_flood(text: &str) -> bool {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    words.len() > FLOOD
        && (1..=3).any(|period| {
            let again = words
                .iter()
                .zip(words.iter().skip(period))
                .map(|(a, b)| a == b);
            again
                .scan(0, |run, is_same| {
                    *run = if is_same { *run + 1 } else { 0 };
                    Some(*run)
                })
                .any(|run| run >= FLOOD)
        })
}

/// The same for closing brackets without a space between them.
fn is_bracket_flood(text: &str) -> bool {
    let mut run = 0;
    text.bytes().any(|it| {
        run = if matches!(it, b')' | b']' | b'}' | b' ') {
            run + 1
        } else {
            0
        };
        run >= BRACKETS && it != b' '
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_finds_its_own_sample_and_leaves_the_other() {
        for (index, row) in ROWS.iter().enumerate() {
            let matches = |text: &str| {
                let text = fold_to_skeleton(text);
                find_candidate_instruction_rules(text.as_bytes()).any(|it| it == index)
                    && get_instruction_pattern(index).is_match(text.as_bytes())
            };
            assert!(matches(row.yes), "{}: {:?}", row.name, row.yes);
            assert_eq!(
                find_instruction_rule(row.no),
                None,
                "{}: {:?}",
                row.name,
                row.no
            );
        }
    }

    #[test]
    fn floods_are_told_from_lists() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(find_instruction_rule(text), expected, "{text:?}")
        };
        check(&"k ".repeat(300), Some("flood"));
        check(&") ] } ".repeat(100), Some("flood"));
        check(&")]}".repeat(40), Some("flood"));
        check(&"| a ".repeat(8), None);
        check(&"- [ ] task\n".repeat(5), None);
        check(&"=".repeat(200), None);
    }
}
