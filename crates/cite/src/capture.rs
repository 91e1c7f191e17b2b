//! Reading a place and keeping what stands there: the lines, their digest, and those of their neighbours.

use crate::citation::{Citation, CodeLocation, NEIGHBOURS};
use crate::{
    file_lines::{FileLines, is_binary_content, join_cited_lines},
    source::{Source, SourceBlob, SourceError, SourceTree},
};
use apostille_text::{digest::Digest, moderate, secrets};

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

impl From<&SourceError> for CaptureError {
    fn from(error: &SourceError) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// Reads one place of a source and captures what stands there.
pub fn capture_lines(source: &dyn Source, cite: &CodeLocation) -> Result<Citation, CaptureError> {
    capture_lines_in_tree(source, cite, &source.read_tree())
}

/// Captures a place of a tree that was asked for already, so that many places need only one look at the tree.
pub fn capture_lines_in_tree(
    source: &dyn Source,
    cite: &CodeLocation,
    tree: &Result<SourceTree, SourceError>,
) -> Result<Citation, CaptureError> {
    let unreadable = |why: &str| CaptureError::Unreadable(why.into());
    let blob = source
        .read_file(&cite.path)
        .map_err(|error| CaptureError::from(&error))?
        .ok_or_else(|| unreadable("there is no such file"))?;
    if is_binary_content(&blob.bytes) {
        return Err(unreadable("it is not a text file"));
    }
    let commit = tree.as_ref()?.commit.clone();
    let citation = build_citation(cite, &blob, commit)
        .map_err(|n_lines| unreadable(&format!("the file has {n_lines} lines")))?;
    let snippet = &citation.snippet;
    if snippet.trim().is_empty() {
        return Err(unreadable("the cited lines are empty"));
    }
    // What is cited is kept too, so it must hold no secret either.
    if snippet.len() > moderate::MAX_BYTES {
        return Err(CaptureError::TooLong(snippet.chars().count()));
    }
    match secrets::find_secret(snippet) {
        Some(rule) => Err(CaptureError::Secret(rule)),
        None => Ok(citation),
    }
}

/// What stands at a place of this file; `Err` with the number of its lines when the place is beyond them.
pub fn build_citation(
    cite: &CodeLocation,
    blob: &SourceBlob,
    commit: Option<String>,
) -> Result<Citation, u32> {
    let sheet = FileLines::from_head(&blob.bytes, cite.lines.last_line() as usize + NEIGHBOURS);
    let bytes = join_cited_lines(sheet.get_span(cite.lines).ok_or(sheet.line_count())?);
    Ok(Citation {
        path: cite.path.clone(),
        lines: cite.lines,
        commit,
        blob: blob.id.clone(),
        digest: Digest::hash_bytes(&bytes),
        snippet: String::from_utf8_lossy(&bytes).into_owned(),
        before: sheet.fingerprints_before(cite.lines.first_line(), NEIGHBOURS),
        after: sheet.fingerprints_after(cite.lines.last_line(), NEIGHBOURS),
    })
}
