//! Finding cited text by what was captured alone: its words, its place and its neighbours. For when the commit is gone.

use std::cmp::Reverse;
use std::ops::Range;

use super::trace::{count_letters_and_digits, find_matching_rows, is_distinctive_snippet};
use crate::{
    citation::{Citation, NEIGHBOURS, RepoPath},
    file_lines::{FileLines, count_as_u32, fingerprint_line, join_cited_lines},
    tokens::{CodeToken, split_line_tokens},
};
use apostille_text::digest::Digest;

/// What a neighbour counts for that says something; one that does not counts 1.
const TELLING: usize = 8;
/// In a longer file, the place of a change is not looked for by its words.
const MAX_COMPARED: usize = 20_000;
/// How many lines may have come between the text and its neighbours.
const SLACK: u32 = 2;

/// Cited text, as far as it was captured.
pub(super) struct Anchor<'c> {
    citation: &'c Citation,
    text: Vec<&'c [u8]>,
}

/// A place where a text was seen in the tree, and how familiar it is.
pub(super) type TreeMatch = (usize, (RepoPath, Range<u32>));

/// The most familiar place, if it is one.
pub(super) fn pick_only_match(matches: Vec<TreeMatch>) -> Option<(RepoPath, Range<u32>)> {
    let best = matches.iter().map(|it| it.0).max()?;
    let mut places = matches.into_iter().filter(|it| it.0 == best);
    let only = places.next().filter(|_| places.next().is_none());
    only.map(|it| it.1)
}

/// What a file says about an anchor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AnchorMatch {
    /// The same lines stand here.
    Same(Range<u32>),
    /// The same lines but for spaces stand here.
    Spaced(Range<u32>),
    /// Between the same neighbours, other lines stand here.
    Other(Range<u32>),
    /// Nothing of it is here.
    Nothing,
}

impl<'c> Anchor<'c> {
    pub(super) fn new(citation: &'c Citation) -> Self {
        Self {
            citation,
            text: citation.snippet.split('\n').map(str::as_bytes).collect(),
        }
    }

    /// Looks for the text in the file it was cited from.
    pub(super) fn find_in_own_file(&self, sheet: &FileLines) -> AnchorMatch {
        let here = self.citation.lines.first_line() - 1;
        if let Some(row) = self.pick_best_row(sheet, self.find_exact_rows(sheet), here) {
            return AnchorMatch::Same(self.rows_starting_at(row));
        }
        let spaced = find_matching_rows(sheet, &self.text, |line, captured| {
            is_same_captured_line(line.trim_ascii(), captured.trim_ascii())
        });
        if let Some(row) = self.pick_best_row(sheet, spaced, here) {
            return AnchorMatch::Spaced(self.rows_starting_at(row));
        }
        self.find_rows_between_neighbours(sheet)
            .or_else(|| self.find_similar_rows(sheet))
            .map_or(AnchorMatch::Nothing, AnchorMatch::Other)
    }

    /// Whether text that stands in place is surely the cited one: all its neighbours are there, or no other place has
    /// it and it says enough not to be another one like it.
    pub(super) fn is_certainly_in_place(&self, sheet: &FileLines) -> bool {
        let Citation {
            lines,
            before,
            after,
            ..
        } = self.citation;
        let is_among_neighbours = sheet.fingerprints_before(lines.first_line(), NEIGHBOURS)
            == *before
            && sheet.fingerprints_after(lines.last_line(), NEIGHBOURS) == *after;
        is_among_neighbours
            || is_distinctive_snippet(&self.text)
                && self.find_exact_rows(sheet).take(2).count() == 1
    }

    /// The rows where text stands that was taken out and put back: the only place, and one that cannot be chance.
    pub(super) fn find_restored_rows(&self, sheet: &FileLines) -> Option<Range<u32>> {
        let mut places = self.find_exact_rows(sheet);
        let row = places.next().filter(|_| places.next().is_none())?;
        (is_distinctive_snippet(&self.text) && self.score_neighbours(sheet, row) >= TELLING)
            .then(|| self.rows_starting_at(row))
    }

    /// Looks for the text in another file: it must be long enough, or stand between its neighbours.
    pub(super) fn collect_file_matches(
        &self,
        path: &RepoPath,
        sheet: &FileLines,
        found: &mut Vec<TreeMatch>,
    ) {
        for row in self.find_exact_rows(sheet) {
            let mut familiar = self.score_neighbours(sheet, row);
            // A file that only went to another folder, or changed its ending, keeps its name.
            if extract_file_stem(path) == extract_file_stem(&self.citation.path) {
                familiar += 2 * TELLING;
            }
            if self.is_familiar_enough(familiar) {
                found.push((familiar, (path.clone(), self.rows_starting_at(row))));
            }
        }
    }

    fn is_familiar_enough(&self, familiar: usize) -> bool {
        // A citation that somebody hands in has no neighbours: its text and its file's name are all there is.
        let has_neighbours = !self.citation.before.is_empty() || !self.citation.after.is_empty();
        let wanted = match (is_distinctive_snippet(&self.text), has_neighbours) {
            (true, true) => 1,
            (true, false) => 0,
            (false, true) => 3,
            (false, false) => 2,
        };
        familiar >= wanted * TELLING
    }

    /// The row to look for first when many files are searched: the line that says most.
    pub(super) fn most_telling_line(&self) -> &'c [u8] {
        self.text
            .iter()
            .copied()
            .max_by_key(|it| count_letters_and_digits(&[it]))
            .unwrap_or_default()
    }

    /// Every row at which the very text stands. Where odd bytes were replaced, only the digest can tell.
    fn find_exact_rows<'s>(&'s self, sheet: &'s FileLines<'_>) -> impl Iterator<Item = u32> + 's {
        let is_whole = !self.citation.snippet.contains(char::REPLACEMENT_CHARACTER);
        let is_it = |row| {
            Digest::hash_bytes(&join_cited_lines(
                sheet.clip_rows(&self.rows_starting_at(row)),
            )) == self.citation.digest
        };
        find_matching_rows(sheet, &self.text, is_same_captured_line)
            .filter(move |row| is_whole || is_it(*row))
    }

    /// The place that fits best: the only one, or the only one with the most familiar neighbours.
    fn pick_best_row(
        &self,
        sheet: &FileLines,
        places: impl Iterator<Item = u32>,
        home: u32,
    ) -> Option<u32> {
        let mut places: Vec<(usize, u32)> = places
            .map(|row| (self.score_neighbours(sheet, row), row))
            .collect();
        places.sort_by_key(|(familiar, row)| (Reverse(*familiar), row.abs_diff(home)));
        match places[..] {
            [] => None,
            [(familiar, row)] => {
                let letters = count_letters_and_digits(&self.text);
                let is_it = familiar >= TELLING
                    || letters >= 20
                    || (familiar > 0 && letters >= 12)
                    || row == home;
                is_it.then_some(row)
            }
            [(first, row), (second, _), ..] => {
                (first > second || row == home && first > 0).then_some(row)
            }
        }
    }

    /// Whether a neighbour that says something stands around this row.
    pub(super) fn is_among_neighbours(&self, sheet: &FileLines, row: u32) -> bool {
        self.score_neighbours(sheet, row) >= TELLING
    }

    /// How many of the captured neighbours stand around this row, wherever they stand near it. Those that say little,
    /// such as a closing bracket, count for little.
    fn score_neighbours(&self, sheet: &FileLines, row: u32) -> usize {
        let (before, after) = (&self.citation.before, &self.citation.after);
        let end = self.rows_starting_at(row).end;
        let above = row.saturating_sub(count_as_u32(before.len()) + SLACK)..row;
        let below = end..end + count_as_u32(after.len()) + SLACK;
        let known = |rows: Range<u32>, cited: &[String]| {
            let mut cited: Vec<&String> = cited.iter().collect();
            let mut points = 0;
            for line in sheet.clip_rows(&rows) {
                let short = fingerprint_line(line);
                if let Some(at) = cited.iter().position(|it| **it == short) {
                    cited.swap_remove(at);
                    let is_telling = count_letters_and_digits(&[line]) >= 6;
                    points += if is_telling { TELLING } else { 1 };
                }
            }
            points
        };
        known(above, before) + known(below, after)
    }

    /// What stands between the neighbours, where those are found; the ends of the file are neighbours too.
    fn find_rows_between_neighbours(&self, sheet: &FileLines) -> Option<Range<u32>> {
        let home = self.citation.lines;
        let near = |short| {
            let lines = sheet.lines_with_fingerprint(short).into_iter();
            lines.min_by_key(|it| it.abs_diff(home.first_line() - 1))
        };
        let above = self.citation.before.last().map_or(Some(0), |it| near(it))?;
        let below = match self.citation.after.first() {
            Some(short) => {
                let lines = sheet.lines_with_fingerprint(short);
                lines.into_iter().find(|it| *it > above)?
            }
            None => sheet.line_count() + 1,
        };
        let n_lines = below.checked_sub(above + 1)?;
        (1..=home.line_count() * 2 + 5)
            .contains(&n_lines)
            .then_some(above..below - 1)
    }

    /// The lines that have most words in common with the text, at least half of them: only to show where it changed.
    fn find_similar_rows(&self, sheet: &FileLines) -> Option<Range<u32>> {
        let text = split_line_tokens(&self.text);
        let n_words: usize = text.iter().map(Vec::len).sum();
        if n_words < 3 || sheet.lines().len() > MAX_COMPARED {
            return None;
        }
        let lines = split_line_tokens(sheet.lines());
        let shared =
            |a: &[CodeToken<'_>], b: &[CodeToken<'_>]| a.iter().filter(|it| b.contains(it)).count();
        let score = |row: usize| {
            let pairs = text.iter().zip(&lines[row..]);
            pairs.map(|(a, b)| shared(a, b)).sum::<usize>()
        };
        let (score, Reverse(row)) = (0..lines.len())
            .map(|row| (score(row), Reverse(row)))
            .max()?;
        let end = (row + self.text.len()).min(lines.len());
        let rows = count_as_u32(row)..count_as_u32(end);
        (score * 2 >= n_words).then_some(rows)
    }

    fn rows_starting_at(&self, row: u32) -> Range<u32> {
        row..row + count_as_u32(self.text.len())
    }
}

/// The last part of a path, without its ending.
fn extract_file_stem(path: &RepoPath) -> &str {
    let name = path.as_str().rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map_or(name, |it| it.0)
}

/// The same line; text that is no UTF-8 was captured with its odd bytes replaced.
fn is_same_captured_line(line: &[u8], captured: &[u8]) -> bool {
    line == captured || (!line.is_ascii() && String::from_utf8_lossy(line).as_bytes() == captured)
}
