//! Whether a text reads like an order to a model rather than like a fact.
//!
//! A tripwire, not the gate: what decides is who said it. A table of rows, each with the words without which it cannot
//! match, a pattern over the skeleton of the text, and a sample for and against it. Patterns are compiled when they
//! are first needed, as bytes without Unicode tables. In a pattern a space stands for any white space.

mod rows;

use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::fold::skeleton;
use rows::ROWS;

/// How many times a word or two must be said again before the text is a flood that drowns what was before it.
const FLOOD: usize = 24;

/// One sort of order.
pub(super) struct Row {
    name: &'static str,
    /// Words of which at least one must be there, as alternatives of a pattern.
    needs: &'static str,
    pattern: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "samples are for the test of the table"))]
    yes: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "samples are for the test of the table"))]
    no: &'static str,
}

/// The name of the row that a text matches, if any.
pub(super) fn find(text: &str) -> Option<&'static str> {
    let text = skeleton(text);
    let rows = NEEDS.matches(text.as_bytes());
    let row = rows.iter().find(|index| pattern(*index).is_match(text.as_bytes()));
    row.map(|it| ROWS[it].name).or_else(|| is_flood(&text).then_some("flood"))
}

#[expect(clippy::expect_used, reason = "patterns are constants; a test compiles every row")]
static NEEDS: LazyLock<RegexSet> = LazyLock::new(|| {
    let needs = RegexSetBuilder::new(ROWS.iter().map(|it| it.needs)).unicode(false).build();
    needs.expect("the words in the table are valid")
});

/// A row's pattern, compiled on first use.
#[expect(clippy::expect_used, reason = "patterns are constants; a test compiles every row")]
fn pattern(index: usize) -> &'static Regex {
    static COMPILED: [OnceLock<Regex>; ROWS.len()] = [const { OnceLock::new() }; ROWS.len()];
    COMPILED[index].get_or_init(|| {
        let pattern = ROWS[index].pattern.replace(' ', r"\s");
        let built = RegexBuilder::new(&pattern).unicode(false).dot_matches_new_line(true).build();
        built.expect("the pattern in the table is valid")
    })
}

/// Whether the same word, or the same two or three, are said over and over.
fn is_flood(text: &str) -> bool {
    // Each word and the space behind it take two bytes at least.
    if text.len() < 2 * FLOOD {
        return false;
    }
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    (1..=3).any(|period| {
        let again = words.iter().zip(words.iter().skip(period)).map(|(a, b)| a == b);
        again
            .scan(0, |run, is_same| {
                *run = if is_same { *run + 1 } else { 0 };
                Some(*run)
            })
            .any(|run| run >= FLOOD)
    }) || is_bracket_flood(text)
}

/// The same for closing brackets without a space between them.
fn is_bracket_flood(text: &str) -> bool {
    let mut run = 0;
    text.bytes().any(|it| {
        run = if matches!(it, b')' | b']' | b'}' | b' ') { run + 1 } else { 0 };
        run >= 3 * FLOOD && it != b' '
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_finds_its_own_sample_and_leaves_the_other() {
        for (index, row) in ROWS.iter().enumerate() {
            let matches = |text: &str| {
                let text = skeleton(text);
                NEEDS.matches(text.as_bytes()).matched(index) && pattern(index).is_match(text.as_bytes())
            };
            assert!(matches(row.yes), "{}: {:?}", row.name, row.yes);
            assert_eq!(find(row.no), None, "{}: {:?}", row.name, row.no);
        }
    }

    #[test]
    fn floods_are_told_from_lists() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(find(text), expected, "{text:?}");
        check(&"k ".repeat(40), Some("flood"));
        check(&") ] } ".repeat(40), Some("flood"));
        check(&")]}".repeat(40), Some("flood"));
        check(&"| a ".repeat(8), None);
        check(&"- [ ] task\n".repeat(5), None);
        check(&"=".repeat(200), None);
    }
}
