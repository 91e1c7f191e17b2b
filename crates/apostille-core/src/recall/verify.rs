//! Stage four: nothing cited goes on without a verdict from the reader's own checkout.

use std::collections::BTreeMap;

use super::query::Query;
use super::rank::Hit;
use crate::Context;
use crate::citation::{Citation, Cite, Extent, RepoPath, Verdict, standing};
use crate::memory::Memory;
use crate::sheet::{Sheet, is_binary, joined};
use crate::source::{Blob, Source};

/// A ranked memory with what was found at its citations.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The memory and its score.
    pub hit: Hit,
    /// One verdict for each citation, in order; none for a memory without citations.
    pub verdicts: Vec<Verdict>,
}

impl Checked {
    /// The word for how it stands: the worst verdict, or `unverified` where nothing is cited.
    #[must_use]
    pub fn standing(&self) -> &'static str {
        standing(&self.verdicts)
    }

    /// Whether it may be shown.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.verdicts.iter().all(Verdict::is_good)
    }
}

/// Looks up the citations of ranked memories, the best first, until enough of them hold.
pub(super) fn check(cx: &Context<'_>, hits: Vec<Hit>, query: &Query) -> Vec<Checked> {
    let mut reader = Reader::new(cx.source, cx.late);
    let mut checked: Vec<Checked> = Vec::new();
    let mut n_good = 0;
    for hit in hits.into_iter().take(query.reach) {
        let verdicts = reader.verdicts(&hit.memory);
        let it = Checked { hit, verdicts };
        n_good += usize::from(it.is_good());
        checked.push(it);
        if n_good >= query.count {
            break;
        }
    }
    checked
}

/// Looks up citations, reading each file once.
pub struct Reader<'a> {
    source: &'a dyn Source,
    late: &'a dyn Fn() -> bool,
    files: BTreeMap<RepoPath, Result<Option<Blob>, String>>,
}

impl<'a> Reader<'a> {
    /// A reader of this source that gives up when it is late.
    #[must_use]
    pub fn new(source: &'a dyn Source, late: &'a dyn Fn() -> bool) -> Self {
        Self { source, late, files: BTreeMap::new() }
    }

    /// One verdict for each citation of a memory.
    pub fn verdicts(&mut self, memory: &Memory) -> Vec<Verdict> {
        memory.citations.iter().map(|it| self.verdict(it)).collect()
    }

    /// What is found at one citation.
    pub fn verdict(&mut self, citation: &Citation) -> Verdict {
        if (self.late)() {
            return Verdict::Unknown { why: "no time left to look".into() };
        }
        let source = self.source;
        let read = || source.read(&citation.path).map_err(|error| error.to_string());
        match self.files.entry(citation.path.clone()).or_insert_with(read) {
            Err(why) => Verdict::Unknown { why: why.clone() },
            Ok(None) => Verdict::Gone,
            Ok(Some(blob)) if is_binary(&blob.bytes) => {
                Verdict::Unknown { why: "the file is not text".into() }
            }
            Ok(Some(blob)) if blob.id.is_some() && blob.id == citation.blob => Verdict::Holds,
            Ok(Some(blob)) => look(citation, &Sheet::of(&blob.bytes)),
        }
    }
}

/// Looks for a citation in a file: in place, elsewhere in the file, and else what stands there now.
fn look(citation: &Citation, sheet: &Sheet<'_>) -> Verdict {
    let in_place = sheet.range(citation.lines).map(joined);
    if in_place.as_ref().is_some_and(|it| crate::digest::Digest::of(it) == citation.digest) {
        return Verdict::Holds;
    }
    if let Some(start) = elsewhere(citation, sheet) {
        let to = Cite { path: citation.path.clone(), lines: citation.lines.at(start) };
        return Verdict::Moved { to };
    }
    changed(citation, sheet)
}

/// The line where the cited text stands now: the only such place, or the only one among the same neighbours.
fn elsewhere(citation: &Citation, sheet: &Sheet<'_>) -> Option<u32> {
    let run: Vec<&[u8]> = citation.snippet.split('\n').map(str::as_bytes).collect();
    let places = sheet.find(&run);
    if let [only] = places[..] {
        return Some(only);
    }
    let end = |start: u32| citation.lines.at(start).end();
    let familiar = |start: &&u32| {
        let before = sheet.before(**start, citation.before.len().max(1));
        let after = sheet.after(end(**start), citation.after.len().max(1));
        before == citation.before || after == citation.after
    };
    match places.iter().filter(familiar).collect::<Vec<_>>()[..] {
        [only] => Some(*only),
        _ => None,
    }
}

fn changed(citation: &Citation, sheet: &Sheet<'_>) -> Verdict {
    let lines = region(citation, sheet);
    if lines.is_empty() {
        return Verdict::Gone;
    }
    let now = String::from_utf8_lossy(&joined(lines)).into_owned();
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let extent =
        if squeezed(&now) == squeezed(&citation.snippet) { Extent::Whitespace } else { Extent::Substance };
    Verdict::Changed { extent, now }
}

/// What stands where the cited lines stood: between their neighbours where those are found, else at the same lines.
fn region<'s, 'b>(citation: &Citation, sheet: &'s Sheet<'b>) -> &'s [&'b [u8]] {
    between(citation, sheet).unwrap_or_else(|| sheet.clipped(citation.lines))
}

fn between<'s, 'b>(citation: &Citation, sheet: &'s Sheet<'b>) -> Option<&'s [&'b [u8]]> {
    let above = nearest(&sheet.with_fingerprint(citation.before.last()?), citation.lines.start() - 1)?;
    let belows = sheet.with_fingerprint(citation.after.first()?);
    let below = belows.into_iter().find(|it| *it > above)?;
    let most = citation.lines.count() * 2 + 5;
    let lines = crate::citation::Lines::new(above + 1, below - 1)?;
    (lines.count() <= most).then(|| sheet.clipped(lines))
}

fn nearest(lines: &[u32], to: u32) -> Option<u32> {
    lines.iter().copied().min_by_key(|it| it.abs_diff(to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remember::cite::captured;

    /// A citation of lines of `was`, looked up in `now`.
    fn check(was: &str, cite: &str, now: &str, expected: &str) {
        let blob = Blob { id: None, bytes: was.into() };
        let citation = captured(&format!("f.rs:{cite}").parse().unwrap(), &blob, None).unwrap();
        let found = match look(&citation, &Sheet::of(now.as_bytes())) {
            Verdict::Moved { to } => format!("moved {}", to.lines),
            Verdict::Changed { extent, now } => format!("changed {} {now}", extent.as_str()),
            other => other.as_str().to_owned(),
        };
        assert_eq!(found, expected, "{cite} of {was:?} in {now:?}");
    }

    #[test]
    fn citations_are_followed_within_the_file() {
        check("a\nb\nc\n", "2", "a\nb\nc\n", "holds");
        check("a\r\nb\r\nc\r\n", "2", "a\nb\nc\n", "holds");
        check("a\nb\nc\n", "2", "x\ny\na\nb\nc\n", "moved 4");
        check("a\nb\nc\n", "2-3", "b\nc\n", "moved 1-2");
        check("a\nb\nc\n", "2", "a\nB2\nc\n", "changed substance B2");
        check("a\n  b(1,  2)\nc\n", "2", "a\n\tb(1, 2)\nc\n", "changed whitespace \tb(1, 2)");
        check("a\nb\nc\n", "2", "new\nnew\na\nB2\nc\n", "changed substance B2");
        check("a\nb\nc\n", "3", "a\n", "gone");
        check("a\nb\nc\n", "2", "", "gone");
    }

    #[test]
    fn among_equal_lines_the_neighbours_decide() {
        check("f\n}\ng\n}\nh\n", "4", "top\nf\n}\ng\n}\nh\n", "moved 5");
        check("f\n}\n", "2", "x\ny\n", "changed substance y");
    }
}
