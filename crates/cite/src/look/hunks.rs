//! How the lines of one version of a file became those of the next.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, TokenSource};

use super::tokens::{self, Token};
use crate::sheet::Sheet;

/// A stretch that was replaced: these lines of the old version became those of the new one. Counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) was: Range<u32>,
    pub(super) now: Range<u32>,
}

/// Any list of things that can be told apart, for the diff.
struct List<'a, T>(&'a [T]);

impl<'a, T: Copy + Eq + std::hash::Hash> TokenSource for List<'a, T> {
    type Token = T;
    type Tokenizer = std::iter::Copied<std::slice::Iter<'a, T>>;

    fn tokenize(&self) -> Self::Tokenizer {
        self.0.iter().copied()
    }

    fn estimate_tokens(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }
}

/// The hunks between two versions, as git's histogram diff finds them, slid to where a person would put them.
pub(super) fn between(was: &Sheet<'_>, now: &Sheet<'_>) -> Vec<Hunk> {
    let input = InternedInput::new(List(was.lines()), List(now.lines()));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    diff.hunks()
        .map(|it| Hunk {
            was: it.before,
            now: it.after,
        })
        .collect()
}

/// How many of these words stand in both lists, in the same order.
pub(super) fn common(was: &[Token<'_>], now: &[Token<'_>]) -> usize {
    let input = InternedInput::new(List(was), List(now));
    let diff = Diff::compute(Algorithm::Histogram, &input);
    was.len() - diff.count_removals() as usize
}

/// The words that were replaced one for one between two texts: what stood there, and what stands there now.
#[must_use]
pub fn swapped(was: &str, now: &str) -> Vec<(String, String)> {
    let (was, now) = (Sheet::of(was.as_bytes()), Sheet::of(now.as_bytes()));
    let (old, new) = (tokens::of(was.lines()), tokens::of(now.lines()));
    let input = InternedInput::new(List(&old), List(&new));
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let text = |it: Token<'_>| String::from_utf8_lossy(it).into_owned();
    let pairs = diff
        .hunks()
        .filter(|it| it.before.len() == it.after.len())
        .flat_map(|it| it.before.zip(it.after));
    let pairs = pairs.map(|(a, b)| (old[a as usize], new[b as usize]));
    pairs
        .filter(|(a, b)| a != b && a.iter().all(|it| tokens::is_word(*it)))
        .map(|(a, b)| (text(a), text(b)))
        .collect()
}

/// Whether a hunk touches a line of this range, or puts new ones between its lines.
pub(super) fn touches(hunk: &Hunk, rows: &Range<u32>) -> bool {
    if hunk.was.is_empty() {
        rows.start < hunk.was.start && hunk.was.start < rows.end
    } else {
        hunk.was.start < rows.end && rows.start < hunk.was.end
    }
}

/// Where a range of lines stands after the hunks, provided that none of them touches it.
pub(super) fn shifted(hunks: &[Hunk], rows: &Range<u32>) -> Range<u32> {
    let before = hunks.iter().take_while(|it| it.was.end <= rows.start);
    let start = before
        .last()
        .map_or(rows.start, |it| it.now.end + (rows.start - it.was.end));
    start..start + (rows.end - rows.start)
}

/// What became of a range of lines that hunks touch. Where an end falls inside a hunk, the words of the hunk decide.
pub(super) fn mapped(
    was: &Sheet<'_>,
    now: &Sheet<'_>,
    hunks: &[Hunk],
    rows: &Range<u32>,
) -> Range<u32> {
    let start = first(was, now, hunks, rows);
    let end = last(was, now, hunks, rows);
    start..end.max(start)
}

/// Where the first of the lines is in the new version.
fn first(was: &Sheet<'_>, now: &Sheet<'_>, hunks: &[Hunk], rows: &Range<u32>) -> u32 {
    let is_inside = |it: &&Hunk| it.was.start <= rows.start && rows.start < it.was.end;
    match hunks.iter().find(is_inside) {
        None => shifted(hunks, &(rows.start..rows.start + 1)).start,
        Some(hunk) => match kept(was, now, hunk, rows) {
            Some(kept) => kept.start,
            None if rows.end > hunk.was.end && rows.start > hunk.was.start => hunk.now.end,
            None => hunk.now.start,
        },
    }
}

/// Where the gap after the last of the lines is in the new version.
fn last(was: &Sheet<'_>, now: &Sheet<'_>, hunks: &[Hunk], rows: &Range<u32>) -> u32 {
    let is_inside = |it: &&Hunk| it.was.start < rows.end && rows.end <= it.was.end;
    match hunks.iter().find(is_inside) {
        None => shifted(hunks, &(rows.end - 1..rows.end)).end,
        Some(hunk) => match kept(was, now, hunk, rows) {
            Some(kept) => kept.end,
            None if rows.start < hunk.was.start && rows.end < hunk.was.end => hunk.now.start,
            None => hunk.now.end,
        },
    }
}

/// The lines of the new version that words of these lines live on in, within a hunk.
fn kept(was: &Sheet<'_>, now: &Sheet<'_>, hunk: &Hunk, rows: &Range<u32>) -> Option<Range<u32>> {
    let inside = rows.start.max(hunk.was.start)..rows.end.min(hunk.was.end);
    let old = tokens::of(was.rows(&hunk.was));
    let new = tokens::of(now.rows(&hunk.now));
    let n_before = tokens::of(was.rows(&(hunk.was.start..inside.start))).len();
    let cited = n_before..n_before + tokens::of(was.rows(&inside)).len();
    let living = living(&old, &new, &cited)?;
    Some(line_of(now, &hunk.now, living.start)..line_of(now, &hunk.now, living.end - 1) + 1)
}

/// From the first to the last of these words that still stand, as places in the new list.
fn living(old: &[Token<'_>], new: &[Token<'_>], cited: &Range<usize>) -> Option<Range<usize>> {
    let input = InternedInput::new(List(old), List(new));
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let mut found: Option<Range<usize>> = None;
    let (mut at_old, mut at_new) = (0, 0);
    let end = imara_diff::Hunk {
        before: size(old)..size(old),
        after: size(new)..size(new),
    };
    for hunk in diff.hunks().chain([end]) {
        while at_old < hunk.before.start as usize {
            if cited.contains(&at_old) {
                found = Some(found.map_or(at_new, |it| it.start)..at_new + 1);
            }
            (at_old, at_new) = (at_old + 1, at_new + 1);
        }
        (at_old, at_new) = (hunk.before.end as usize, hunk.after.end as usize);
    }
    found
}

fn size(list: &[Token<'_>]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

/// The line that holds the n-th word of these lines.
fn line_of(sheet: &Sheet<'_>, rows: &Range<u32>, word: usize) -> u32 {
    let mut seen = 0;
    for row in rows.clone() {
        seen += tokens::of(sheet.rows(&(row..row + 1))).len();
        if seen > word {
            return row;
        }
    }
    rows.end.saturating_sub(1)
}

/// Whether a line of the new version is one that a hunk brought.
pub(super) fn is_new(hunks: &[Hunk], row: u32) -> bool {
    hunks.iter().any(|it| it.now.contains(&row))
}
