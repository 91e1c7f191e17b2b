//! Whether a text reads like an order to a model rather than like a fact.
//!
//! A tripwire, not the gate: what decides is who said it. A table of rows, each with the words without which it cannot
//! match, a pattern over the skeleton of the text, and a sample for and against it. Patterns are compiled when they
//! are first needed, as bytes without Unicode tables. In a pattern a space stands for any white space.

mod rows;

use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Regex, RegexBuilder};

use super::fold::skeleton;
use rows::ROWS;

/// How many times a word or two must be said again before the text is a flood that drowns what was before it.
const FLOOD: usize = 250;
/// The same for closing brackets, which nothing else has in such a run.
const BRACKETS: usize = 90;

/// One sort of order.
pub(super) struct Row {
    name: &'static str,
    /// Groups of words, of each of which one must be there. A low line stands for a space.
    needs: &'static str,
    pattern: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "samples are for the test of the table"))]
    yes: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "samples are for the test of the table"))]
    no: &'static str,
}

impl Row {
    /// The bits of its groups; a row that needs nothing is always tried.
    const fn groups(&self) -> u8 {
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

/// The name of the row that a text matches, if any.
pub(super) fn find(text: &str) -> Option<&'static str> {
    let text = skeleton(text);
    let row = rows_seen(text.as_bytes()).find(|index| pattern(*index).is_match(text.as_bytes()));
    row.map(|it| ROWS[it].name).or_else(|| is_flood(&text).then_some("flood"))
}

/// Buckets of the index of words: a power of two, so that a mask picks one.
const BUCKETS: usize = 1024;
/// A word, the row that needs it, and the bit of its group in that row.
type Word = (Box<[u8]>, usize, u8);

/// The words of all rows, by their first two bytes.
static WORDS: LazyLock<Vec<Vec<Word>>> = LazyLock::new(|| {
    let mut buckets: Vec<Vec<Word>> = vec![Vec::new(); BUCKETS];
    for (index, row) in ROWS.iter().enumerate() {
        for (group, words) in row.needs.split(" / ").enumerate() {
            for word in words.split(' ').filter(|it| !it.is_empty()) {
                let word: Box<[u8]> = word.replace('_', " ").into_bytes().into();
                for bucket in buckets_of(&word) {
                    buckets[bucket].push((word.clone(), index, 1 << group));
                }
            }
        }
    }
    buckets
});

fn bucket(start: &[u8]) -> usize {
    match start {
        [first, second, ..] => (usize::from(*first) * 37 + usize::from(*second)) & (BUCKETS - 1),
        [first] => (usize::from(*first) * 37) & (BUCKETS - 1),
        [] => 0,
    }
}

/// Where a word is looked up: a sign may have anything behind it.
fn buckets_of(word: &[u8]) -> Vec<usize> {
    match word {
        [sign] => (0..=u8::MAX).map(|it| bucket(&[*sign, it])).collect(),
        _ => vec![bucket(word)],
    }
}

/// The rows of which every group of words is there. A line end counts as a space.
fn rows_seen(text: &[u8]) -> impl Iterator<Item = usize> {
    let text: Vec<u8> = text.iter().map(|it| if *it == b'\n' { b' ' } else { *it }).collect();
    let mut seen = [0_u8; ROWS.len()];
    let is_inside =
        |at: usize| at > 0 && text[at - 1].is_ascii_alphanumeric() && text[at].is_ascii_alphanumeric();
    // Words are looked for where words begin.
    for start in (0..text.len()).filter(|at| !is_inside(*at)) {
        for (word, row, group) in &WORDS[bucket(&text[start..])] {
            if seen[*row] & group == 0 && text[start..].starts_with(word) {
                seen[*row] |= group;
            }
        }
    }
    (0..ROWS.len()).filter(move |row| seen[*row] == ROWS[*row].groups())
}

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
    if text.len() < BRACKETS {
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
                let text = skeleton(text);
                rows_seen(text.as_bytes()).any(|it| it == index) && pattern(index).is_match(text.as_bytes())
            };
            assert!(matches(row.yes), "{}: {:?}", row.name, row.yes);
            assert_eq!(find(row.no), None, "{}: {:?}", row.name, row.no);
        }
    }

    #[test]
    fn floods_are_told_from_lists() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(find(text), expected, "{text:?}");
        check(&"k ".repeat(300), Some("flood"));
        check(&") ] } ".repeat(100), Some("flood"));
        check(&")]}".repeat(40), Some("flood"));
        check(&"| a ".repeat(8), None);
        check(&"- [ ] task\n".repeat(5), None);
        check(&"=".repeat(200), None);
    }
}
