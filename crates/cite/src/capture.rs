//! Reading a place and keeping what stands there: the lines, their digest, those of their neighbours, and the item around.

use crate::{
    citation::{Citation, CitedItem, CodeLocation, LineSpan, MAX_LINES, NEIGHBOURS},
    citation_request::{CitationRequest, RequestedPart},
    file_lines::{FileLines, is_binary_content, join_cited_lines},
    outline::{FileOutline, SymbolError},
    source::{Source, SourceBlob, SourceError, SourceTree},
};
use apostille_text::{digest::Digest, moderate, secrets};

/// The longest name of an item that is kept, in bytes.
const MAX_ITEM_PATH: usize = 256;

/// Why a place cannot be captured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CaptureError {
    /// There is nothing to read there, or it cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// The name does not tell which item is meant.
    #[error(transparent)]
    Symbol(#[from] SymbolError),
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
    capture_request(source, &cite.into(), &source.read_tree())
}

/// Captures what a caller asks to cite, in a tree that was asked for already, so that many places need only one look at
/// the tree.
pub fn capture_request(
    source: &dyn Source,
    request: &CitationRequest,
    tree: &Result<SourceTree, SourceError>,
) -> Result<Citation, CaptureError> {
    let unreadable = |why: &str| CaptureError::Unreadable(why.into());
    let blob = source
        .read_file(&request.path)
        .map_err(|error| CaptureError::from(&error))?
        .ok_or_else(|| unreadable("there is no such file"))?;
    if is_binary_content(&blob.bytes) {
        return Err(unreadable("it is not a text file"));
    }
    let commit = tree.as_ref()?.commit.clone();
    let outline =
        FileOutline::from_lines(request.path.as_str(), &FileLines::from_bytes(&blob.bytes));
    let cite = resolve_request(request, &outline)?;
    let mut citation = build_citation(&cite, &blob, commit)
        .map_err(|n_lines| unreadable(&format!("the file has {n_lines} lines")))?;
    citation.item = find_cited_item(&outline, cite.lines);
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

/// A citation of lines that cannot be read yet: a clone lacks the commit, or the content of it. `None` where only an item is
/// named, because nobody knows its lines.
pub fn build_unread_citation(
    request: &CitationRequest,
    commit: &str,
    digest: Option<Digest>,
) -> Option<Citation> {
    let RequestedPart::Lines(lines) = request.part else {
        return None;
    };
    Some(Citation {
        path: request.path.clone(),
        lines,
        commit: Some(commit.to_owned()),
        blob: None,
        snippet: String::new(),
        digest: digest.unwrap_or_else(|| Digest::hash_bytes(b"")),
        before: Vec::new(),
        after: Vec::new(),
        item: None,
    })
}

/// The lines that are asked for. Of an item that is longer than a citation may be, these are its first ones.
fn resolve_request(
    request: &CitationRequest,
    outline: &FileOutline,
) -> Result<CodeLocation, SymbolError> {
    let lines = match &request.part {
        RequestedPart::Lines(lines) => *lines,
        RequestedPart::Symbol(symbol) => {
            outline.find_symbol(symbol)?.lines().first_lines(MAX_LINES)
        }
    };
    Ok(CodeLocation {
        path: request.path.clone(),
        lines,
    })
}

/// The innermost item around lines. Its name may stand outside of them, so it is looked through for secrets on its own.
fn find_cited_item(outline: &FileOutline, lines: LineSpan) -> Option<CitedItem> {
    let item = outline.find_enclosing(&lines.rows())?;
    let is_fit = item.path.len() <= MAX_ITEM_PATH && secrets::find_secret(&item.path).is_none();
    is_fit.then(|| CitedItem {
        path: item.path.clone(),
        kind: item.kind,
        lines: item.lines(),
    })
}

/// What stands at a place of this file; `Err` with the number of its lines when the place is beyond them. The item around it
/// is not looked for.
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
        item: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::citation::RepoPath;

    const CODE: &str = "use std::io;\n\nstruct Server {\n    port: u16,\n}\n\nimpl Server {\n    fn bind(&self) {\n        listen(self.port);\n    }\n}\n\nimpl Client {\n    fn bind(&self) {}\n}\n\nfn listen(port: u16) {}\n";

    /// A repository with one file.
    struct OneFile<'a>(&'a str, &'a str);

    impl Source for OneFile<'_> {
        fn read_tree(&self) -> Result<SourceTree, SourceError> {
            Ok(SourceTree::default())
        }
        fn read_file(&self, path: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
            let bytes = self.1.into();
            Ok((path.as_str() == self.0).then_some(SourceBlob { id: None, bytes }))
        }
    }

    /// The place and the item that are captured, or why not.
    fn capture(source: OneFile, request: &str) -> String {
        let request = request.parse().expect("a request");
        match capture_request(&source, &request, &source.read_tree()) {
            Err(error) => error.to_string(),
            Ok(it) => match &it.item {
                None => it.location().to_string(),
                Some(item) => {
                    let CitedItem { path, kind, lines } = item;
                    format!("{} in {kind} {path} {lines}", it.location())
                }
            },
        }
    }

    #[test]
    fn a_citation_keeps_the_item_around_it() {
        let check = |path: &str, text: &str, request: &str, expected: &str| {
            assert_eq!(capture(OneFile(path, text), request), expected, "{request}");
        };
        check(
            "a.rs",
            CODE,
            "a.rs:9",
            "a.rs:9 in function Server::bind 8-10",
        );
        check("a.rs", CODE, "a.rs:8-14", "a.rs:8-14");
        check("a.rs", CODE, "a.rs:1", "a.rs:1");
        check("a.rs", CODE, "a.rs:4", "a.rs:4 in value Server::port 4");
        let notes = "# Notes\n\n## How to run\nmake run\n";
        check(
            "a.md",
            notes,
            "a.md:4",
            "a.md:4 in section Notes::How to run 3-4",
        );
        check("a.txt", notes, "a.txt:4", "a.txt:4");
        let key = ["ghp", "0123456789abcdefghijklmnopqrstuvwxyzAB"].join("_");
        let secret = format!("## {key}\nmake run\n");
        check("a.md", &secret, "a.md:2", "a.md:2");
    }

    #[test]
    fn an_item_is_cited_by_its_name() {
        let check = |request: &str, expected: &str| {
            assert_eq!(
                capture(OneFile("a.rs", CODE), request),
                expected,
                "{request}"
            );
        };
        check(
            "a.rs::Server::bind",
            "a.rs:8-10 in function Server::bind 8-10",
        );
        check(
            "a.rs::Server.bind()",
            "a.rs:8-10 in function Server::bind 8-10",
        );
        check("a.rs::listen", "a.rs:17 in function listen 17");
        // The type itself, not the block of its methods.
        check("a.rs::Server", "a.rs:3-5 in type Server 3-5");
        check("a.rs::Client", "a.rs:13-15 in type Client 13-15");
        check(
            "a.rs::bind",
            "2 items are called that: Server::bind (lines 8-10), Client::bind (line 14); write more of the name, or cite the lines",
        );
        check(
            "a.rs::Server::bnid",
            "nothing of that name is defined there; there is Server::bind (lines 8-10), Client::bind (line 14)",
        );
        check(
            "a.rs::Pool::listen",
            "nothing of that name is defined there; there is listen (line 17)",
        );
        check(
            "a.rs::render",
            "nothing of that name is defined there; cite the lines",
        );
        check("b.rs::bind", "there is no such file");
    }

    #[test]
    fn a_long_item_is_cited_by_its_first_lines() {
        let text = format!("fn long() {{\n{}}}\n", "    step();\n".repeat(400));
        assert_eq!(
            capture(OneFile("a.rs", &text), "a.rs::long"),
            "a.rs:1-200 in function long 1-402"
        );
    }

    #[test]
    fn a_name_with_dots_is_taken_as_it_is_written() {
        let text = "# A\n## 1. First steps\nmake\n## 2. Next\nrun\n";
        assert_eq!(
            capture(OneFile("a.md", text), "a.md::1. First steps"),
            "a.md:2-3 in section A::1. First steps 2-3"
        );
    }
}
