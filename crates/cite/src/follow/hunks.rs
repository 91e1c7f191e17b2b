//! How the lines of one version of a file became those of the next.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, TokenSource};

use super::tokens::{self, CodeToken};
use crate::file_lines::FileLines;

/// A stretch that was replaced: these lines of the old version became those of the new one. Counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) was: Range<u32>,
    pub(super) now: Range<u32>,
}

/// Any list of things that can be told apart, for the diff.
struct DiffSequence<'a, T>(&'a [T]);

impl<'a, T: Copy + Eq + std::hash::Hash> TokenSource for DiffSequence<'a, T> {
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
pub(super) fn diff_file_lines(was: &FileLines<'_>, now: &FileLines<'_>) -> Vec<Hunk> {
    let input = InternedInput::new(DiffSequence(was.lines()), DiffSequence(now.lines()));
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
pub(super) fn count_common_tokens(was: &[CodeToken<'_>], now: &[CodeToken<'_>]) -> usize {
    let input = InternedInput::new(DiffSequence(was), DiffSequence(now));
    let diff = Diff::compute(Algorithm::Histogram, &input);
    was.len() - diff.count_removals() as usize
}

/// The words that were replaced one for one between two texts: what stood there, and what stands there now.
#[must_use]
pub fn find_replaced_words(was: &str, now: &str) -> Vec<(String, String)> {
    let (was, now) = (
        FileLines::from_bytes(was.as_bytes()),
        FileLines::from_bytes(now.as_bytes()),
    );
    let (old, new) = (
        tokens::split_code_tokens(was.lines()),
        tokens::split_code_tokens(now.lines()),
    );
    let input = InternedInput::new(DiffSequence(&old), DiffSequence(&new));
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let text = |it: CodeToken<'_>| String::from_utf8_lossy(it).into_owned();
    let pairs = diff
        .hunks()
        .filter(|it| it.before.len() == it.after.len())
        .flat_map(|it| it.before.zip(it.after));
    let pairs = pairs.map(|(a, b)| (old[a as usize], new[b as usize]));
    pairs
        .filter(|(a, b)| a != b && a.iter().all(|it| tokens::is_word_byte(*it)))
        .map(|(a, b)| (text(a), text(b)))
        .collect()
}

/// Whether a hunk touches a line of this range, or puts new ones between its lines.
pub(super) fn is_touched_by_hunk(hunk: &Hunk, rows: &Range<u32>) -> bool {
    if hunk.was.is_empty() {
        rows.start < hunk.was.start && hunk.was.start < rows.end
    } else {
        hunk.was.start < rows.end && rows.start < hunk.was.end
    }
}

/// Where a range of lines stands after the hunks, provided that none of them touches it.
pub(super) fn shift_untouched_rows(hunks: &[Hunk], rows: &Range<u32>) -> Range<u32> {
    let before = hunks.iter().take_while(|it| it.was.end <= rows.start);
    let start = before
        .last()
        .map_or(rows.start, |it| it.now.end + (rows.start - it.was.end));
    start..start + (rows.end - rows.start)
}

/// What became of a range of lines that hunks touch. Where an end falls inside a hunk, the words of the hunk decide.
pub(super) fn map_touched_rows(
    was: &FileLines<'_>,
    now: &FileLines<'_>,
    hunks: &[Hunk],
    rows: &Range<u32>,
) -> Range<u32> {
    let start = map_rows_start(was, now, hunks, rows);
    let end = map_rows_end(was, now, hunks, rows);
    start..end.max(start)
}

/// Where the first of the lines is in the new version.
fn map_rows_start(
    was: &FileLines<'_>,
    now: &FileLines<'_>,
    hunks: &[Hunk],
    rows: &Range<u32>,
) -> u32 {
    let is_inside = |it: &&Hunk| it.was.start <= rows.start && rows.start < it.was.end;
    match hunks.iter().find(is_inside) {
        None => shift_untouched_rows(hunks, &(rows.start..rows.start + 1)).start,
        Some(hunk) => match find_surviving_rows(was, now, hunk, rows) {
            Some(kept) => kept.start,
            None if rows.end > hunk.was.end && rows.start > hunk.was.start => hunk.now.end,
            None => hunk.now.start,
        },
    }
}

/// Where the gap after the last of the lines is in the new version.
fn map_rows_end(
    was: &FileLines<'_>,
    now: &FileLines<'_>,
    hunks: &[Hunk],
    rows: &Range<u32>,
) -> u32 {
    let is_inside = |it: &&Hunk| it.was.start < rows.end && rows.end <= it.was.end;
    match hunks.iter().find(is_inside) {
        None => shift_untouched_rows(hunks, &(rows.end - 1..rows.end)).end,
        Some(hunk) => match find_surviving_rows(was, now, hunk, rows) {
            Some(kept) => kept.end,
            None if rows.start < hunk.was.start && rows.end < hunk.was.end => hunk.now.start,
            None => hunk.now.end,
        },
    }
}

/// The lines of the new version that words of these lines live on in, within a hunk.
fn find_surviving_rows(
    was: &FileLines<'_>,
    now: &FileLines<'_>,
    hunk: &Hunk,
    rows: &Range<u32>,
) -> Option<Range<u32>> {
    let inside = rows.start.max(hunk.was.start)..rows.end.min(hunk.was.end);
    let old = tokens::split_code_tokens(was.clip_rows(&hunk.was));
    let new = tokens::split_code_tokens(now.clip_rows(&hunk.now));
    let n_before = tokens::split_code_tokens(was.clip_rows(&(hunk.was.start..inside.start))).len();
    let cited = n_before..n_before + tokens::split_code_tokens(was.clip_rows(&inside)).len();
    let living = find_surviving_tokens(&old, &new, &cited)?;
    Some(
        find_row_of_token(now, &hunk.now, living.start)
            ..find_row_of_token(now, &hunk.now, living.end - 1) + 1,
    )
}

/// From the first to the last of these words that still stand, as places in the new list.
fn find_surviving_tokens(
    old: &[CodeToken<'_>],
    new: &[CodeToken<'_>],
    cited: &Range<usize>,
) -> Option<Range<usize>> {
    let input = InternedInput::new(DiffSequence(old), DiffSequence(new));
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let mut found: Option<Range<usize>> = None;
    let (mut at_old, mut at_new) = (0, 0);
    let end = imara_diff::Hunk {
        before: count_token_list(old)..count_token_list(old),
        after: count_token_list(new)..count_token_list(new),
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

fn count_token_list(list: &[CodeToken<'_>]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

/// The line that holds the n-th word of these lines.
fn find_row_of_token(sheet: &FileLines<'_>, rows: &Range<u32>, word: usize) -> u32 {
    let mut seen = 0;
    for row in rows.clone() {
        seen += tokens::split_code_tokens(sheet.clip_rows(&(row..row + 1))).len();
        if seen > word {
            return row;
        }
    }
    rows.end.saturating_sub(1)
}

/// Whether a line of the new version is one that a hunk brought.
pub(super) fn is_row_added(hunks: &[Hunk], row: u32) -> bool {
    hunks.iter().any(|it| it.now.contains(&row))
}
