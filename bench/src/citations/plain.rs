//! What one would write in an afternoon: three checks of the current file, and one diff.
//!
//! The diff is imara-diff's histogram diff from the cited content to the current content under the same path, asked
//! directly: no history, no renames, no moved blocks.

use std::ops::Range;

use apostille_cite::{
    citation::{Citation, LineSpan},
    file_lines::{FileLines, join_cited_lines},
    source::{Source, SourceError},
};
use apostille_text::digest::Digest;
use imara_diff::{Algorithm, Diff, Hunk, InternedInput};

use super::{
    batch::Question,
    case::Place,
    guess::{Guess, Word},
};

/// A check of one citation in a source.
pub(crate) type Check = fn(&dyn Source, &Question<'_>) -> Result<Guess, SourceError>;

/// The guess of a check; what could not be read is unknown.
pub(crate) fn guess(check: Check, source: &dyn Source, question: &Question<'_>) -> Guess {
    check(source, question).unwrap_or_else(|error| Guess::Unknown(error.format_with_causes()))
}

/// The file is there and has that many lines.
pub(crate) fn in_bounds(
    source: &dyn Source,
    question: &Question<'_>,
) -> Result<Guess, SourceError> {
    with_file(source, question, |sheet| {
        match sheet.get_span(question.pin.place.lines) {
            Some(_) => Guess::stands(question.case.place(), &question.case.place()),
            None => Guess::missing(),
        }
    })
}

/// The same text stands at the same lines.
pub(crate) fn same_lines(
    source: &dyn Source,
    question: &Question<'_>,
) -> Result<Guess, SourceError> {
    with_file(source, question, |sheet| {
        match sheet.get_span(question.pin.place.lines) {
            Some(lines) if is_it(question, lines) => {
                Guess::stands(question.case.place(), &question.case.place())
            }
            _ => Guess::Says(Word::Changed, Some(question.case.place())),
        }
    })
}

/// The same text stands anywhere in the file: the nearest place counts.
pub(crate) fn anywhere(source: &dyn Source, question: &Question<'_>) -> Result<Guess, SourceError> {
    let lines = question.pin.place.lines;
    with_file(source, question, |sheet| {
        let starts = (1..=sheet.line_count()).filter(|start| {
            sheet
                .get_span(LineSpan::starting_at(lines, *start))
                .is_some_and(|it| is_it(question, it))
        });
        match starts.min_by_key(|it| it.abs_diff(lines.first_line())) {
            Some(start) => {
                let found = lines.starting_at(start);
                let place = Place(
                    question.case.path.clone(),
                    found.first_line(),
                    found.last_line(),
                );
                Guess::stands(place, &question.case.place())
            }
            None => Guess::Says(Word::Changed, Some(question.case.place())),
        }
    })
}

fn with_file(
    source: &dyn Source,
    question: &Question<'_>,
    judge: impl FnOnce(&FileLines<'_>) -> Guess,
) -> Result<Guess, SourceError> {
    let file = source.read_file(&question.pin.place.path)?;
    Ok(file.map_or_else(Guess::missing, |it| {
        judge(&FileLines::from_bytes(&it.bytes))
    }))
}

/// Whether these lines are the cited ones: compared as text where it was captured, else by digest.
fn is_it(question: &Question<'_>, lines: &[&[u8]]) -> bool {
    match &question.citation {
        Ok(citation) => lines
            .iter()
            .copied()
            .eq(citation.snippet.split('\n').map(str::as_bytes)),
        Err(_) => Some(Digest::hash_bytes(&join_cited_lines(lines))) == question.pin.digest,
    }
}

/// The cited lines mapped through one diff from the cited content to the current one.
pub(crate) fn one_diff(source: &dyn Source, question: &Question<'_>) -> Result<Guess, SourceError> {
    let Ok(citation) = &question.citation else {
        return Ok(Guess::missing());
    };
    let Some(now) = source.read_file(&citation.path)? else {
        return Ok(Guess::missing());
    };
    let was = match &citation.blob {
        Some(id) => source.read_object(id)?,
        None => None,
    };
    let Some(was) = was else {
        return Ok(Guess::Unknown(
            "the cited content is not in this clone".into(),
        ));
    };
    Ok(mapped(citation, &was, &now.bytes, &question.case.place()))
}

fn mapped(citation: &Citation, was: &[u8], now: &[u8], cited: &Place) -> Guess {
    let input = InternedInput::new(was, now);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let hunks: Vec<Hunk> = diff.hunks().collect();
    let rows = citation.lines.first_line() - 1..citation.lines.last_line();
    let new = follow(&hunks, &rows);
    let place = Place(cited.0.clone(), new.start + 1, new.end);
    if !hunks.iter().any(|it| touches(it, &rows)) {
        Guess::stands(place, cited)
    } else if new.is_empty() {
        Guess::missing()
    } else {
        Guess::Says(Word::Changed, Some(place))
    }
}

/// Whether a hunk touches these rows or puts new ones between them.
fn touches(hunk: &Hunk, rows: &Range<u32>) -> bool {
    if hunk.before.is_empty() {
        rows.start < hunk.before.start && hunk.before.start < rows.end
    } else {
        hunk.before.start < rows.end && rows.start < hunk.before.end
    }
}

/// Where rows stand after the hunks; an end inside a hunk goes to that end of what replaced it.
fn follow(hunks: &[Hunk], rows: &Range<u32>) -> Range<u32> {
    let shift = |row: u32| {
        let before = hunks.iter().take_while(|it| it.before.end <= row).last();
        before.map_or(row, |it| it.after.end + (row - it.before.end))
    };
    let inside = |row: u32| hunks.iter().find(|it| it.before.contains(&row));
    let start = inside(rows.start).map_or_else(|| shift(rows.start), |it| it.after.start);
    let end = inside(rows.end - 1).map_or_else(|| shift(rows.end - 1) + 1, |it| it.after.end);
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_mapped_through_one_diff() {
        let was = "a\nb\nc\nd\ne\n";
        let check = |now: &str, expected: &Guess| {
            let citation = Citation {
                path: "x.rs".parse().unwrap(),
                lines: LineSpan::new(2, 3).unwrap(),
                commit: None,
                blob: None,
                snippet: "b\nc".into(),
                digest: Digest::hash_bytes(b"b\nc"),
                before: Vec::new(),
                after: Vec::new(),
                item: None,
            };
            let cited = Place("x.rs".into(), 2, 3);
            assert_eq!(
                &mapped(&citation, was.as_bytes(), now.as_bytes(), &cited),
                expected,
                "{now:?}"
            );
        };
        let says = |word, start, end| Guess::Says(word, Some(Place("x.rs".into(), start, end)));
        check(was, &says(Word::Valid, 2, 3));
        check("new\na\nb\nc\nd\ne\n", &says(Word::Relocated, 3, 4));
        check("a\nb\nX\nd\ne\n", &says(Word::Changed, 2, 3));
        check("a\nb\nnew\nc\nd\ne\n", &says(Word::Changed, 2, 4));
        check("a\nd\ne\n", &Guess::missing());
    }
}
