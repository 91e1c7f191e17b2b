//! How the lines of one version of a file became those of the next.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

use crate::{
    file_lines::{FileLines, count_as_u32},
    tokens::{CodeToken, is_same_without_spaces, is_word_byte, remove_spaces, split_code_tokens},
};

/// A stretch that was replaced: these lines of the old version became those of the new one. Counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    pub was: Range<u32>,
    pub now: Range<u32>,
}

/// What differs between two lists of lines or words, as git's histogram diff finds it.
pub(super) fn diff_sequences<'a>(
    was: &[&'a [u8]],
    now: &[&'a [u8]],
) -> (Diff, InternedInput<&'a [u8]>) {
    let mut input = InternedInput::default();
    input.reserve(count_as_u32(was.len()), count_as_u32(now.len()));
    input.update_before(was.iter().copied());
    input.update_after(now.iter().copied());
    (Diff::compute(Algorithm::Histogram, &input), input)
}

/// The hunks between two versions, slid to where a person would put them.
pub(super) fn diff_file_lines(was: &FileLines, now: &FileLines) -> Vec<Hunk> {
    diff_lines(was.lines(), now.lines())
}

fn diff_lines(was: &[&[u8]], now: &[&[u8]]) -> Vec<Hunk> {
    let (mut diff, input) = diff_sequences(was, now);
    diff.postprocess_lines(&input);
    let hunks = diff.hunks().map(|it| Hunk {
        was: it.before,
        now: it.after,
    });
    hunks.collect()
}

/// The words that were replaced one for one between two texts: what stood there, and what stands there now.
pub fn find_replaced_words(was: &str, now: &str) -> Vec<(String, String)> {
    let (was, now) = (
        FileLines::from_bytes(was.as_bytes()),
        FileLines::from_bytes(now.as_bytes()),
    );
    let old = split_code_tokens(was.lines());
    let new = split_code_tokens(now.lines());
    let text = |it: CodeToken<'_>| String::from_utf8_lossy(it).into_owned();
    let (diff, _) = diff_sequences(&old, &new);
    diff.hunks()
        .filter(|it| it.before.len() == it.after.len())
        .flat_map(|it| it.before.zip(it.after))
        .map(|(was, now)| (old[was as usize], new[now as usize]))
        .filter(|(was, now)| was != now && was.iter().all(|it| is_word_byte(*it)))
        .map(|(was, now)| (text(was), text(now)))
        .collect()
}

/// Which rows of the old version these rows of the new one are; `None` for one that is new, or was edited. How lines end does
/// not count.
pub fn trace_rows_back(was: &FileLines, now: &FileLines, rows: Range<u32>) -> Vec<Option<u32>> {
    fn strip_ends<'a>(lines: &[&'a [u8]]) -> Vec<&'a [u8]> {
        let lines = lines.iter();
        lines.map(|it| it.trim_ascii_end()).collect()
    }
    let hunks = diff_lines(&strip_ends(was.lines()), &strip_ends(now.lines()));
    let trace = |row: u32| {
        let is_new = hunks.iter().any(|it| it.now.contains(&row));
        let before = hunks.iter().take_while(|it| it.now.end <= row).last();
        let old = before.map_or(row, |it| it.was.end + (row - it.now.end));
        (!is_new).then_some(old)
    };
    rows.map(trace).collect()
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

/// Where lines stand in which only white space was changed: a diff that leaves white space aside does not touch them, or
/// only takes blank lines out and puts blank lines in.
pub(super) fn map_rows_without_spaces(
    was: &FileLines,
    now: &FileLines,
    rows: &Range<u32>,
) -> Option<Range<u32>> {
    let is_there = |line: &[u8]| {
        now.lines()
            .iter()
            .any(|it| is_same_without_spaces(it, line))
    };
    // The second diff is for the few edits in which every line is still there.
    if !was
        .clip_rows(rows)
        .iter()
        .all(|it| is_blank(it) || is_there(it))
    {
        return None;
    }
    let hunks = diff_lines_without_spaces(was, now);
    let kept = |row: &u32| !hunks.iter().any(|it| it.was.contains(row));
    let (kept, lost): (Vec<u32>, Vec<u32>) = rows.clone().partition(kept);
    let is_blank_row = |sheet: &FileLines, row: &u32| {
        sheet
            .clip_rows(&(*row..row + 1))
            .iter()
            .all(|it| is_blank(it))
    };
    let places: Vec<u32> = kept
        .iter()
        .map(|row| shift_untouched_rows(&hunks, &(*row..row + 1)).start)
        .collect();
    let region = *places.first()?..places.last()? + 1;
    let mut between = region.clone().filter(|it| !places.contains(it));
    let is_same = !kept.iter().all(|it| is_blank_row(was, it))
        && lost.iter().all(|it| is_blank_row(was, it))
        && between.all(|it| is_blank_row(now, &it));
    is_same.then_some(region)
}

fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

/// The hunks between two versions when white space is not looked at.
fn diff_lines_without_spaces(was: &FileLines, now: &FileLines) -> Vec<Hunk> {
    let squeeze = |sheet: &FileLines| -> Vec<Vec<u8>> {
        sheet.lines().iter().map(|it| remove_spaces(it)).collect()
    };
    let (was, now) = (squeeze(was), squeeze(now));
    let was: Vec<&[u8]> = was.iter().map(Vec::as_slice).collect();
    let now: Vec<&[u8]> = now.iter().map(Vec::as_slice).collect();
    diff_lines(&was, &now)
}

/// What became of a range of lines that hunks touch. Where an end falls inside a hunk, the words of the hunk decide.
pub(super) fn map_touched_rows(
    was: &FileLines,
    now: &FileLines,
    hunks: &[Hunk],
    rows: &Range<u32>,
) -> Range<u32> {
    let surviving = |hunk| find_surviving_rows(was, now, hunk, rows);
    // Where the first of the lines is in the new version.
    let start = match hunks.iter().find(|it| it.was.contains(&rows.start)) {
        None => shift_untouched_rows(hunks, &(rows.start..rows.start + 1)).start,
        Some(hunk) => match surviving(hunk) {
            Some(kept) => kept.start,
            None if rows.end > hunk.was.end && rows.start > hunk.was.start => hunk.now.end,
            None => hunk.now.start,
        },
    };
    // Where the gap after the last of the lines is in the new version.
    let end = match hunks.iter().find(|it| it.was.contains(&(rows.end - 1))) {
        None => shift_untouched_rows(hunks, &(rows.end - 1..rows.end)).end,
        Some(hunk) => match surviving(hunk) {
            Some(kept) => kept.end,
            None if rows.start < hunk.was.start && rows.end < hunk.was.end => hunk.now.start,
            None => hunk.now.end,
        },
    };
    start..end.max(start)
}

/// The lines of the new version that words of these lines live on in, within a hunk.
fn find_surviving_rows(
    was: &FileLines,
    now: &FileLines,
    hunk: &Hunk,
    rows: &Range<u32>,
) -> Option<Range<u32>> {
    let split = |rows: Range<u32>| split_code_tokens(was.clip_rows(&rows));
    let inside = rows.start.max(hunk.was.start)..rows.end.min(hunk.was.end);
    let new = split_code_tokens(now.clip_rows(&hunk.now));
    let n_before = split(hunk.was.start..inside.start).len();
    let cited = n_before..n_before + split(inside).len();
    let living = find_surviving_tokens(&split(hunk.was.clone()), &new, &cited)?;
    let row_of = |word| find_row_of_token(now, &hunk.now, word);
    Some(row_of(living.start)..row_of(living.end - 1) + 1)
}

/// From the first to the last of these words that still stand, as places in the new list.
fn find_surviving_tokens(
    old: &[CodeToken],
    new: &[CodeToken],
    cited: &Range<usize>,
) -> Option<Range<usize>> {
    let (diff, _) = diff_sequences(old, new);
    let kept = (0..count_as_u32(old.len())).filter(|it| !diff.is_removed(*it));
    let still = (0..count_as_u32(new.len())).filter(|it| !diff.is_added(*it));
    let mut living = kept
        .zip(still)
        .filter(|(was, _)| cited.contains(&(*was as usize)))
        .map(|(_, now)| now as usize);
    let first = living.next()?;
    Some(first..living.last().unwrap_or(first) + 1)
}

/// The line that holds the n-th word of these lines.
fn find_row_of_token(sheet: &FileLines, rows: &Range<u32>, word: usize) -> u32 {
    let mut seen = 0;
    for row in rows.clone() {
        seen += split_code_tokens(sheet.clip_rows(&(row..row + 1))).len();
        if seen > word {
            return row;
        }
    }
    rows.end.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_traced_back_to_the_version_before() {
        let check = |was: &str, now: &str, expected: &[Option<u32>]| {
            let (was, now) = (
                FileLines::from_bytes(was.as_bytes()),
                FileLines::from_bytes(now.as_bytes()),
            );
            let rows = 0..now.line_count();
            assert_eq!(trace_rows_back(&was, &now, rows), expected);
        };
        check("a\nb\n", "a\nb\n", &[Some(0), Some(1)]);
        check("a\nb\n", "a\r\nb\r\n", &[Some(0), Some(1)]);
        check("a\nb\nc\n", "new\na\nc\n", &[None, Some(0), Some(2)]);
        check("a\nb\nc\n", "a\nx\nc\n", &[Some(0), None, Some(2)]);
    }
}
