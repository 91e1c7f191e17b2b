//! What a caller asks to cite, before it is read.

use std::{fmt, str::FromStr};

use crate::citation::{CodeLocation, CodeLocationError, LineSpan, RepoPath, read_location};

/// How long the id of a commit may be.
const COMMIT_LENGTH: std::ops::RangeInclusive<usize> = 4..=64;
/// The longest name of an item, in bytes.
const MAX_SYMBOL: usize = 256;

/// A part of a file that a caller asks to cite: lines (`src/api.rs:12-18`) or an item by its name
/// (`src/http.rs::Server::bind`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitationRequest {
    /// The file.
    pub path: RepoPath,
    /// The part of it.
    pub part: RequestedPart,
    /// The commit to read it at, by its id; as it is now unless said.
    pub commit: Option<String>,
}

/// What of a file is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestedPart {
    /// These lines.
    Lines(LineSpan),
    /// The item of this name. Where it stands is found out when it is captured.
    Symbol(String),
}

impl CitationRequest {
    /// A request from its parts, as protocols give them: the first line and perhaps the last one, or the name of an item.
    pub fn from_parts(
        path: &str,
        line_start: Option<u32>,
        line_end: Option<u32>,
        symbol: Option<&str>,
    ) -> Result<Self, CodeLocationError> {
        let refuse = |why: &str| Err(CodeLocationError::new(path, why));
        // An empty text is how some agents write "not given".
        match (line_start, symbol.filter(|it| !it.trim().is_empty())) {
            (Some(start), None) => {
                Ok(CodeLocation::new(path, start, line_end.unwrap_or(start))?.into())
            }
            (None, Some(symbol)) => Ok(Self {
                part: RequestedPart::Symbol(check_symbol(path, symbol)?.to_owned()),
                path: path.parse()?,
                commit: None,
            }),
            (Some(_), Some(_)) => refuse("say its lines or its symbol, not both"),
            (None, None) => {
                refuse("say its first line (line_start), or the name of the item (symbol)")
            }
        }
    }

    /// Reads a request as it is written, and its path with `read_path`: a command line takes it from the current folder.
    ///
    /// It means lines where it ends in numbers; else what stands behind the first `::` is a name.
    pub fn parse_with(
        text: &str,
        read_path: impl Fn(&str) -> Result<RepoPath, CodeLocationError>,
    ) -> Result<Self, CodeLocationError> {
        let (path, part) = match (read_location(text), text.split_once("::")) {
            (Ok((path, lines)), _) => (path, RequestedPart::Lines(lines)),
            (Err(_), Some((path, symbol))) if !path.is_empty() => {
                let symbol = check_symbol(path, symbol)?.to_owned();
                (path, RequestedPart::Symbol(symbol))
            }
            (Err(error), _) => return Err(error),
        };
        Ok(Self {
            path: read_path(path.trim())?,
            part,
            commit: None,
        })
    }

    /// The same, to be read at this commit: an id of git's, in full or abbreviated. An empty text is none.
    pub fn at_commit(self, commit: Option<&str>) -> Result<Self, CodeLocationError> {
        let Some(commit) = commit.map(str::trim).filter(|it| !it.is_empty()) else {
            return Ok(self);
        };
        let is_id = commit.bytes().all(|it| it.is_ascii_hexdigit());
        if !is_id || !COMMIT_LENGTH.contains(&commit.len()) {
            let why = "a commit is named by its id, at least the first four characters of it";
            return Err(CodeLocationError::new(&self.to_string(), why));
        }
        let commit = Some(commit.to_ascii_lowercase());
        Ok(Self { commit, ..self })
    }

    /// The name of the item, where one is asked for.
    #[must_use]
    pub fn symbol(&self) -> Option<&str> {
        match &self.part {
            RequestedPart::Symbol(symbol) => Some(symbol),
            RequestedPart::Lines(_) => None,
        }
    }
}

fn check_symbol<'s>(path: &str, symbol: &'s str) -> Result<&'s str, CodeLocationError> {
    let refuse = |why: &str| Err(CodeLocationError::new(&format!("{path}::{symbol}"), why));
    let name = symbol.trim();
    if name.is_empty() || name.len() > MAX_SYMBOL {
        return refuse("the name of an item has 1 to 256 bytes");
    }
    if name.contains(char::is_control) {
        return refuse("the name of an item holds no control characters");
    }
    Ok(name)
}

impl From<CodeLocation> for CitationRequest {
    fn from(it: CodeLocation) -> Self {
        Self {
            path: it.path,
            part: RequestedPart::Lines(it.lines),
            commit: None,
        }
    }
}

impl From<&CodeLocation> for CitationRequest {
    fn from(it: &CodeLocation) -> Self {
        it.clone().into()
    }
}

impl FromStr for CitationRequest {
    type Err = CodeLocationError;

    fn from_str(text: &str) -> Result<Self, CodeLocationError> {
        Self::parse_with(text, str::parse)
    }
}

impl fmt::Display for CitationRequest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.part {
            RequestedPart::Lines(lines) => write!(f, "{}:{lines}", self.path),
            RequestedPart::Symbol(symbol) => write!(f, "{}::{symbol}", self.path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_parse() {
        let check = |text: &str, expected: &str| {
            let parsed = text.parse::<CitationRequest>();
            let got = match &parsed {
                Ok(it) => format!("{it} {}", it.symbol().unwrap_or("-")),
                Err(error) => error.to_string(),
            };
            assert_eq!(got, expected, "{text:?}");
        };
        check("src/api.rs:12-18", "src/api.rs:12-18 -");
        check("server.go#L29-L31", "server.go:29-31 -");
        check(
            "src/http.rs::Server::bind",
            "src/http.rs::Server::bind Server::bind",
        );
        check("app.py::Server.bind", "app.py::Server.bind Server.bind");
        check("a.rs:: bind()", "a.rs::bind() bind()");
        check(
            "docs/a.md::How it works",
            "docs/a.md::How it works How it works",
        );
        check(
            "src/api.rs",
            "cannot cite 'src/api.rs': say which lines, as in src/api.rs:12-18, or which item, as in src/api.rs::Server::bind",
        );
        check(
            "a.rs::",
            "cannot cite 'a.rs::': the name of an item has 1 to 256 bytes",
        );
        check(
            "../x::f",
            "cannot cite '../x': a path does not leave the repository",
        );
    }
}
