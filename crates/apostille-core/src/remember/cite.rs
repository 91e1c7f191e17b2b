//! Stage three: each citation is read now, and what was read there is captured.

use super::classify::Classified;
use super::moderate;
use crate::citation::{Citation, Cite, NEIGHBOURS};
use crate::digest::Digest;
use crate::literals;
use crate::memory::Mark;
use crate::refusal::Refusal;
use crate::sheet::{Sheet, is_binary, joined};
use crate::source::{Blob, Source, SourceError, Tree};

/// A draft whose citations were read.
#[derive(Debug, Clone)]
pub struct Cited {
    pub(super) classified: Classified,
    pub(super) citations: Vec<Citation>,
    /// What the fact states and the cited lines do not say; empty when it is grounded.
    pub(super) unsaid: Vec<String>,
}

/// Reads every citation of a draft.
pub fn read(source: &dyn Source, mut classified: Classified) -> Result<Cited, Refusal> {
    if let (true, Some(cite)) = (
        classified.draft.space.is_user(),
        classified.draft.citations.first(),
    ) {
        // It would be looked up in whatever repository the person works in next.
        let why = "what is kept for a user goes with them into every repository; leave the citation out, or keep it \
                   for the repository";
        return Err(Refusal::BadCitation {
            place: cite.to_string(),
            why: why.into(),
        });
    }
    let mut citations: Vec<Citation> = Vec::with_capacity(classified.draft.citations.len());
    let mut tree = None;
    for cite in &classified.draft.citations {
        let tree = tree.get_or_insert_with(|| source.tree());
        let citation = capture_in(source, cite, tree)?;
        if !citations.contains(&citation) {
            citations.push(citation);
        }
    }
    // What is cited is shown too, and a file may hold an order for whoever reads it.
    let is_order = citations
        .iter()
        .any(|it| moderate::is_instruction(&it.snippet));
    if is_order && !classified.marks.contains(&Mark::Instruction) {
        classified.marks.push(Mark::Instruction);
    }
    let unsaid = unsaid(&classified.draft.fact, &citations);
    if !unsaid.is_empty() {
        classified.marks.push(Mark::Ungrounded);
    }
    Ok(Cited {
        classified,
        citations,
        unsaid,
    })
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
    let refused = |why: String| Refusal::BadCitation {
        place: cite.to_string(),
        why,
    };
    let broken = |error: &SourceError| refused(error.to_string());
    let blob = source
        .read(&cite.path)
        .map_err(|error| broken(&error))?
        .ok_or_else(|| refused("there is no such file".into()))?;
    if is_binary(&blob.bytes) {
        return Err(refused("it is not a text file".into()));
    }
    let commit = tree.as_ref().map_err(broken)?.commit.clone();
    let citation = captured(cite, &blob, commit)
        .map_err(|n_lines| refused(format!("the file has {n_lines} lines")))?;
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

/// What a fact states and none of its citations says.
pub(super) fn unsaid(fact: &str, citations: &[Citation]) -> Vec<String> {
    let evidence: Vec<(&str, &str)> = citations
        .iter()
        .map(|it| (it.path.as_str(), it.snippet.as_str()))
        .collect();
    literals::missing(fact, &evidence)
}
