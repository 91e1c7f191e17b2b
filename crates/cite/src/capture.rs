//! Reading a place and keeping what stands there: the lines, their digest, and those of their neighbours.

use crate::citation::{Citation, Cite, NEIGHBOURS};
use crate::sheet::{Sheet, is_binary, joined};
use crate::source::{Blob, Source, SourceError, Tree};
use apostille_text::digest::Digest;
use apostille_text::moderate;
use apostille_text::secrets;

/// Why a place cannot be captured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CaptureError {
    /// There is nothing to read there, or it cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// The lines hold a secret; the rule that found it.
    #[error("the cited lines hold a secret ({0})")]
    Secret(&'static str),
    /// The lines are too long to be looked through for secrets; their number of characters.
    #[error("the cited lines have {0} characters")]
    TooLong(usize),
}

/// Reads one place of a source and captures what stands there.
pub fn capture_lines(source: &dyn Source, cite: &Cite) -> Result<Citation, CaptureError> {
    capture_lines_in(source, cite, &source.tree())
}

/// Captures a place of a tree that was asked for already, so that many places need only one look at the tree.
pub fn capture_lines_in(
    source: &dyn Source,
    cite: &Cite,
    tree: &Result<Tree, SourceError>,
) -> Result<Citation, CaptureError> {
    let unreadable = |why: String| CaptureError::Unreadable(why);
    let broken = |error: &SourceError| unreadable(error.to_string());
    let blob = source
        .read(&cite.path)
        .map_err(|error| broken(&error))?
        .ok_or_else(|| unreadable("there is no such file".into()))?;
    if is_binary(&blob.bytes) {
        return Err(unreadable("it is not a text file".into()));
    }
    let commit = tree.as_ref().map_err(broken)?.commit.clone();
    let citation = cut_lines(cite, &blob, commit)
        .map_err(|n_lines| unreadable(format!("the file has {n_lines} lines")))?;
    if citation.snippet.trim().is_empty() {
        return Err(unreadable("the cited lines are empty".into()));
    }
    check_snippet(&citation.snippet)?;
    Ok(citation)
}

/// What is cited is kept too, so it must hold no secret either.
fn check_snippet(snippet: &str) -> Result<(), CaptureError> {
    if snippet.len() > moderate::MAX_BYTES {
        return Err(CaptureError::TooLong(snippet.chars().count()));
    }
    match secrets::find(snippet) {
        Some(rule) => Err(CaptureError::Secret(rule)),
        None => Ok(()),
    }
}

/// What stands at a place of this file; `Err` with the number of its lines when the place is beyond them.
pub fn cut_lines(cite: &Cite, blob: &Blob, commit: Option<String>) -> Result<Citation, u32> {
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
