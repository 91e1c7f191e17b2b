//! Where a fact is written, with what was read there.

use std::fmt;
use std::{ops::Range, str::FromStr};

use apostille_text::{digest::Digest, secrets::mask_secrets, words::words};

/// The longest path that may be cited, in bytes.
const MAX_PATH: usize = 1_024;
/// How many lines one citation may span.
pub const MAX_LINES: u32 = 200;
/// How many lines on either side are fingerprinted, to recognise the place when the text has changed.
pub const NEIGHBOURS: usize = 5;

/// How a place is written.
const FORMS: &str =
    "say which lines, as in src/api.rs:12-18, or which item, as in src/api.rs::Server::bind";

/// A path inside a repository: relative, with forward slashes, without a way out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(String);

/// A place that cannot be cited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot cite '{place}': {why}")]
pub struct CodeLocationError {
    place: String,
    why: String,
}

impl CodeLocationError {
    pub(crate) fn new(place: &str, why: impl Into<String>) -> Self {
        // Masked before it is cut: half a secret is no longer recognised.
        let place = mask_secrets(place);
        let shown = place.chars().filter(|c| !c.is_control()).take(120);
        Self {
            place: shown.collect(),
            why: why.into(),
        }
    }
}

impl RepoPath {
    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is that file, or lies below that folder.
    #[must_use]
    pub fn is_below(&self, path: &Self) -> bool {
        let rest = self.0.strip_prefix(&path.0);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl FromStr for RepoPath {
    type Err = CodeLocationError;

    fn from_str(text: &str) -> Result<Self, CodeLocationError> {
        let bad = |why: &str| Err(CodeLocationError::new(text, why));
        if text.is_empty() || text.len() > MAX_PATH {
            return bad("a path has 1 to 1024 bytes");
        }
        if text.contains(char::is_control) {
            return bad("a path holds no control characters");
        }
        if text.contains('\\') {
            return bad("write paths with forward slashes");
        }
        if text.starts_with(['/', '~']) {
            return bad("a path is relative to the repository");
        }
        if matches!(text.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic()) {
            return bad("a path is relative to the repository, without a drive letter");
        }
        let parts = text.split('/').filter(|it| !matches!(*it, "" | "."));
        let parts: Vec<&str> = parts.collect();
        match parts.iter().find(|it| is_forbidden_path_part(it)) {
            Some(part) if part.eq_ignore_ascii_case(".git") => bad("git's own files are not cited"),
            Some(_) => bad("a path does not leave the repository"),
            None if parts.is_empty() => bad("it names no file"),
            None => Ok(Self(parts.join("/"))),
        }
    }
}

/// `..` in any dress that some file system takes for it, and git's own folder.
fn is_forbidden_path_part(part: &str) -> bool {
    let bare = part.trim_end_matches([' ', '.']);
    part == ".." || (bare.is_empty() && part.starts_with("..")) || bare.eq_ignore_ascii_case(".git")
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A range of lines, both ends included, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineSpan {
    start: u32,
    end: u32,
}

impl LineSpan {
    /// The first line.
    pub const FIRST: Self = Self { start: 1, end: 1 };

    /// The lines from `start` to `end`; `None` unless 1 ≤ start ≤ end.
    pub fn new(start: u32, end: u32) -> Option<Self> {
        (1 <= start && start <= end).then_some(Self { start, end })
    }

    /// The lines of rows, which count from 0. Of no rows it is the line that they stand before.
    #[must_use]
    pub fn from_rows(rows: &Range<u32>) -> Self {
        Self {
            start: rows.start + 1,
            end: rows.end.max(rows.start + 1),
        }
    }

    /// The first line.
    #[must_use]
    pub fn first_line(self) -> u32 {
        self.start
    }

    /// The last line.
    #[must_use]
    pub fn last_line(self) -> u32 {
        self.end
    }

    /// The lines counted from 0, the end left out.
    #[must_use]
    pub fn rows(self) -> Range<u32> {
        self.start - 1..self.end
    }

    /// How many lines.
    #[must_use]
    pub fn line_count(self) -> u32 {
        self.end - self.start + 1
    }

    /// The first of these lines, at most so many.
    #[must_use]
    pub fn first_lines(self, most: u32) -> Self {
        let end = self.end.min(self.start.saturating_add(most.max(1) - 1));
        Self { end, ..self }
    }

    /// The same number of lines, beginning at `start`.
    #[must_use]
    pub fn starting_at(self, start: u32) -> Self {
        let start = start.max(1);
        let end = start.saturating_add(self.line_count() - 1);
        Self { start, end }
    }
}

impl fmt::Display for LineSpan {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.start == self.end {
            write!(f, "{}", self.start)
        } else {
            write!(f, "{}-{}", self.start, self.end)
        }
    }
}

/// Lines of a file. Written `src/api.rs:12-18`, or `src/api.rs:12`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeLocation {
    /// The file.
    pub path: RepoPath,
    /// The lines.
    pub lines: LineSpan,
}

impl CodeLocation {
    /// A place from its parts, as protocols give them.
    pub fn new(path: &str, start: u32, end: u32) -> Result<Self, CodeLocationError> {
        let lines = check_cited_lines(path, start, end)?;
        Ok(Self {
            path: path.parse()?,
            lines,
        })
    }
}

fn check_cited_lines(path: &str, start: u32, end: u32) -> Result<LineSpan, CodeLocationError> {
    let refuse = |why| CodeLocationError::new(path, why);
    let lines = LineSpan::new(start, end).ok_or_else(|| {
        refuse(format!(
            "lines {start}-{end} is not a range; lines count from 1"
        ))
    })?;
    let n_lines = lines.line_count();
    if n_lines > MAX_LINES {
        return Err(refuse(format!("{n_lines} lines; cite at most {MAX_LINES}")));
    }
    Ok(lines)
}

/// The path and the lines of a place, the path as it was written.
pub(crate) fn read_location(text: &str) -> Result<(&str, LineSpan), CodeLocationError> {
    let form = || CodeLocationError::new(text, FORMS);
    let (path, range) = split_location(text).ok_or_else(form)?;
    let (start, end) = range.split_once('-').unwrap_or((range, range));
    let number = |it: &str| {
        let digits = it.trim().trim_start_matches(['L', 'l']);
        digits.parse().map_err(|_| form())
    };
    let path = path.trim();
    Ok((path, check_cited_lines(path, number(start)?, number(end)?)?))
}

/// The path and the lines of a place as people write it and programs print it: `file:12-18`, a link's `file#L12-L18`, and
/// `file:12:5` with a column, which is left out.
fn split_location(text: &str) -> Option<(&str, &str)> {
    if let Some((path, range)) = text.rsplit_once("#L") {
        return Some((path, range));
    }
    let (before, last) = text.rsplit_once(':')?;
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    match before.rsplit_once(':') {
        Some((path, line)) if is_number(line) && is_number(last) => Some((path, line)),
        _ => Some((before, last)),
    }
}

impl FromStr for CodeLocation {
    type Err = CodeLocationError;

    fn from_str(text: &str) -> Result<Self, CodeLocationError> {
        let (path, lines) = read_location(text)?;
        Ok(Self {
            path: path.parse()?,
            lines,
        })
    }
}

impl fmt::Display for CodeLocation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}", self.path, self.lines)
    }
}

words! {
    /// What kind of thing an item is.
    ItemKind as "kind of item" {
        /// A function or a method.
        Function = "function",
        /// A type, a module, or a block of a type's methods.
        Type = "type",
        /// A constant, a variable, a field or a setting.
        Value = "value",
        /// A section of a document or of a configuration file.
        Section = "section",
    }
}

/// The function, type, value or section that cited lines stand in: a part of what identifies them, because the same lines
/// in another class say something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedItem {
    /// Its name with those of what it stands in: `Server::bind`.
    pub path: String,
    /// What it is.
    pub kind: ItemKind,
    /// All its lines, also those that are not cited.
    pub lines: LineSpan,
}

impl CitedItem {
    /// Its own name.
    #[must_use]
    pub fn own_name(&self) -> &str {
        last_path_part(&self.path)
    }
}

/// The last part of a path of names.
pub(crate) fn last_path_part(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// Where a fact is written, with what was read there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// The file.
    pub path: RepoPath,
    /// The lines.
    pub lines: LineSpan,
    /// The commit that was checked out, in hexadecimal, where there was one.
    pub commit: Option<String>,
    /// Git's id of the file's content as it was read.
    pub blob: Option<String>,
    /// The cited lines, joined by newlines.
    pub snippet: String,
    /// The digest of the cited lines.
    pub digest: Digest,
    /// Short digests of the lines before, nearest last.
    pub before: Vec<String>,
    /// Short digests of the lines after, nearest first.
    pub after: Vec<String>,
    /// The innermost item that the lines stand in. What was captured by earlier versions has none.
    pub item: Option<CitedItem>,
}

impl Citation {
    /// Whether its lines could not be read when it was made, because a clone lacks the commit. It waits to be read.
    #[must_use]
    pub fn is_unread(&self) -> bool {
        let is_alone = self.before.is_empty() && self.after.is_empty();
        self.snippet.is_empty() && self.blob.is_none() && is_alone && self.commit.is_some()
    }

    /// The place it points to.
    pub fn location(&self) -> CodeLocation {
        CodeLocation {
            path: self.path.clone(),
            lines: self.lines,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(
                text.parse::<RepoPath>().ok().as_ref().map(RepoPath::as_str),
                expected,
                "{text:?}"
            );
        };
        check("src/api.rs", Some("src/api.rs"));
        check("./src//api.rs", Some("src/api.rs"));
        check("docs/naïve file (1).md", Some("docs/naïve file (1).md"));
        check("a..b/c...d", Some("a..b/c...d"));
        check(".gitignore", Some(".gitignore"));
        check("..", None);
        check("src/../../etc/passwd", None);
        check(".. /x", None);
        check("...", None);
        check("/etc/passwd", None);
        check("~/secrets", None);
        check("C:/windows", None);
        check("c:windows", None);
        check("src\\api.rs", None);
        check("a\0b", None);
        check("a\nb", None);
        check(".git/config", None);
        check("sub/.GIT/config", None);
        check(".", None);
        check("", None);
    }

    #[test]
    fn cites_parse() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(
                text.parse::<CodeLocation>()
                    .ok()
                    .map(|it| it.to_string())
                    .as_deref(),
                expected,
                "{text:?}"
            );
        };
        check("src/api.rs:12-18", Some("src/api.rs:12-18"));
        check("src/api.rs:12", Some("src/api.rs:12"));
        check("src/api.rs:L12-L18", Some("src/api.rs:12-18"));
        check("src/a:b.rs:3", Some("src/a:b.rs:3"));
        check("server.go#L29-L31", Some("server.go:29-31"));
        check("server.go#L29", Some("server.go:29"));
        check("server.go:29:5", Some("server.go:29"));
        check("server.go#29", None);
        check("src/api.rs", None);
        check("src/api.rs:0", None);
        check("src/api.rs:9-8", None);
        check("src/api.rs:1-9999", None);
        check("../x:1", None);
    }
}
