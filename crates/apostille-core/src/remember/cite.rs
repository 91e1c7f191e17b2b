//! Stage three: each citation is read now, and what was read there is captured.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use super::classify::Classified;
use super::moderate;
use crate::citation::{Citation, Cite, NEIGHBOURS};
use crate::digest::Digest;
use crate::memory::Mark;
use crate::refusal::Refusal;
use crate::sheet::{Sheet, is_binary, joined};
use crate::source::{Blob, Source, SourceError, Tree};

/// A draft whose citations were read.
#[derive(Debug, Clone)]
pub struct Cited {
    pub(super) classified: Classified,
    pub(super) citations: Vec<Citation>,
}

/// Reads every citation of a draft.
pub fn read(source: &dyn Source, mut classified: Classified) -> Result<Cited, Refusal> {
    let mut citations: Vec<Citation> = Vec::with_capacity(classified.draft.citations.len());
    let mut tree = None;
    for cite in &classified.draft.citations {
        let tree = tree.get_or_insert_with(|| source.tree());
        let citation = capture_in(source, cite, tree)?;
        if !citations.contains(&citation) {
            citations.push(citation);
        }
    }
    if is_ungrounded(&classified.draft.fact, &citations) {
        classified.marks.push(Mark::Ungrounded);
    }
    Ok(Cited { classified, citations })
}

/// Reads one place and captures what stands there: the lines, their digest and those of their neighbours.
pub fn capture(source: &dyn Source, cite: &Cite) -> Result<Citation, Refusal> {
    capture_in(source, cite, &source.tree())
}

fn capture_in(
    source: &dyn Source,
    cite: &Cite,
    tree: &Result<Tree, SourceError>,
) -> Result<Citation, Refusal> {
    let refused = |why: String| Refusal::BadCitation { place: cite.to_string(), why };
    let broken = |error: &SourceError| refused(error.to_string());
    let blob = source
        .read(&cite.path)
        .map_err(|error| broken(&error))?
        .ok_or_else(|| refused("there is no such file".into()))?;
    if is_binary(&blob.bytes) {
        return Err(refused("it is not a text file".into()));
    }
    let commit = tree.as_ref().map_err(broken)?.commit.clone();
    let citation =
        captured(cite, &blob, commit).map_err(|n_lines| refused(format!("the file has {n_lines} lines")))?;
    if citation.snippet.trim().is_empty() {
        return Err(refused("the cited lines are empty".into()));
    }
    // What is cited is kept too, so it must hold no secret either.
    moderate::check_text("citations", &citation.snippet)?;
    Ok(citation)
}

/// What stands at a place of this file; `Err` with the number of its lines when the place is beyond them.
pub(crate) fn captured(cite: &Cite, blob: &Blob, commit: Option<String>) -> Result<Citation, u32> {
    let sheet = Sheet::head(&blob.bytes, cite.lines.end() as usize + NEIGHBOURS);
    let bytes = joined(sheet.range(cite.lines).ok_or(sheet.count())?);
    Ok(Citation {
        path: cite.path.clone(),
        lines: cite.lines,
        commit,
        blob: blob.id.clone(),
        digest: Digest::of(&bytes),
        snippet: String::from_utf8_lossy(&bytes).into_owned(),
        before: sheet.before(cite.lines.start(), NEIGHBOURS),
        after: sheet.after(cite.lines.end(), NEIGHBOURS),
    })
}

/// Whether the fact names literals and none of them appears in what it cites.
fn is_ungrounded(fact: &str, citations: &[Citation]) -> bool {
    if citations.is_empty() {
        return false;
    }
    let read = |it: &Citation| format!("{}\n{}", it.path, it.snippet).to_lowercase();
    let evidence: Vec<String> = citations.iter().map(read).collect();
    let literals = literals(fact);
    let stands = |literal: &String| evidence.iter().any(|it| it.contains(&literal.to_lowercase()));
    !literals.is_empty() && !literals.iter().any(stands)
}

/// The literals of a fact: quoted text, identifiers and numbers; what the cited code should also say.
#[must_use]
pub fn literals(fact: &str) -> BTreeSet<String> {
    let found = LITERAL.captures_iter(fact.as_bytes()).filter_map(|it| it.iter().skip(1).flatten().next());
    let text = |it: regex::bytes::Match<'_>| {
        String::from_utf8_lossy(it.as_bytes()).trim_matches(['.', ',', ':']).to_owned()
    };
    found.map(text).filter(|it| !it.is_empty()).collect()
}

#[expect(clippy::expect_used, reason = "the pattern is a constant, and a test runs it")]
static LITERAL: LazyLock<Regex> = LazyLock::new(|| {
    RegexBuilder::new(
        r#"`([^`]+)`|"([^"]{2,})"|\b(\w+(?:_\w+)+)\b|\b([a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*)\b|\b(\d[\d.]*\d|\d)\b"#,
    )
    .unicode(false)
    .build()
    .expect("the pattern is valid")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_what_code_would_say() {
        let check = |fact: &str, expected: &[&str]| {
            assert_eq!(literals(fact).iter().map(String::as_str).collect::<Vec<_>>(), expected, "{fact}");
        };
        check("Retries stop after 5 attempts", &["5"]);
        check("`API_VERSION` must match \"v3\"", &["API_VERSION", "v3"]);
        check("useCheckoutTotals caches by cart_id", &["cart_id", "useCheckoutTotals"]);
        check("Handlers return errors as values", &[]);
        check("Timeout is 1.5 s.", &["1.5"]);
    }
}
