//! A line of the input: a place, and as much as somebody knows of what stood there.

use std::io::{self, BufRead, Read as _};

use apostille_cite::{
    citation::{CodeLocation, LineSpan},
    follow::PartialCitation,
};
use serde::Deserialize;
use serde_json::Value;

/// The longest line that is read, in bytes.
const MAX_LINE: u64 = 1024 * 1024;

/// What is asked about one citation.
pub struct CitationQuery {
    /// Whose it is, as it was given.
    pub id: Value,
    /// The file, as it was written.
    pub path: String,
    /// The lines.
    pub lines: LineSpan,
    /// What to look up, or why this can be no place in a repository.
    pub pin: Result<PartialCitation, String>,
    /// The commit, branch or tag to look at.
    pub reference: Option<String>,
}

/// A line that says nothing that can be looked up.
pub struct MalformedCitationLine {
    /// Whose it is, as far as that could be read.
    pub id: Value,
    /// What is wrong.
    pub error: String,
}

#[derive(Deserialize)]
struct RawCitationLine {
    path: String,
    line_start: u32,
    line_end: Option<u32>,
    sha: Option<String>,
    snippet_hash: Option<String>,
    text: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
}

/// The next line with something on it, and how many were read for it; `None` at the end.
pub fn read_citation_line(
    input: &mut dyn BufRead,
) -> io::Result<Option<(usize, Result<CitationQuery, MalformedCitationLine>)>> {
    for n_read in 1.. {
        let mut line = Vec::new();
        if (&mut *input).take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let is_whole = line.ends_with(b"\n") || (line.len() as u64) < MAX_LINE;
        if !is_whole {
            input.skip_until(b'\n')?;
            let fault = new_malformed_line(Value::Null, "the line is longer than 1 MB");
            return Ok(Some((n_read, Err(fault))));
        }
        if !line.trim_ascii().is_empty() {
            return Ok(Some((n_read, parse_citation_line(&line))));
        }
    }
    Ok(None)
}

fn new_malformed_line(id: Value, error: impl ToString) -> MalformedCitationLine {
    MalformedCitationLine {
        id,
        error: error.to_string(),
    }
}

fn parse_citation_line(line: &[u8]) -> Result<CitationQuery, MalformedCitationLine> {
    // Without the number of the line, which is always the first one for the parser.
    let not_json = |error: serde_json::Error| {
        let why = format!("not JSON: {error}").replace(" at line 1 column", " at column");
        new_malformed_line(Value::Null, why)
    };
    let value: Value = serde_json::from_slice(line.trim_ascii()).map_err(not_json)?;
    let id = value.get("id").cloned().unwrap_or_default();
    let fault = |why: String| new_malformed_line(id.clone(), why);
    if !value.is_object() {
        return Err(fault(
            "expected an object with path, line_start and line_end".into(),
        ));
    }
    let raw: RawCitationLine =
        serde_json::from_value(value).map_err(|error| fault(error.to_string()))?;
    let start = raw.line_start;
    let end = raw.line_end.unwrap_or(raw.line_start);
    let range = || {
        fault(format!(
            "lines {start}-{end} is not a range; lines count from 1"
        ))
    };
    let lines = LineSpan::new(start, end).ok_or_else(range)?;
    let digest = drop_blank_text(raw.snippet_hash)
        .map(|it| it.parse())
        .transpose()
        .map_err(|error| fault(format!("snippet_hash: {error}")))?;
    let pin = raw.path.parse().map(|path| PartialCitation {
        place: CodeLocation { path, lines },
        commit: drop_blank_text(raw.sha),
        digest,
        text: raw.text,
    });
    Ok(CitationQuery {
        lines,
        pin: pin.map_err(|error| error.to_string()),
        path: raw.path,
        reference: drop_blank_text(raw.reference),
        id,
    })
}

fn drop_blank_text(text: Option<String>) -> Option<String> {
    text.filter(|it| !it.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_understood_or_it_is_said_why_not() {
        let check = |line: &str, expected: &str| {
            let told = match parse_citation_line(line.as_bytes()) {
                Ok(it) => format!(
                    "{}:{} {}",
                    it.path,
                    it.lines,
                    it.pin.err().unwrap_or_default()
                ),
                Err(it) => format!("{} {}", it.id, it.error),
            };
            assert_eq!(told.trim_end(), expected, "{line}");
        };
        check(r#"{"path":"a","line_start":3}"#, "a:3");
        check(
            r#"{"path":"a","line_start":3,"line_end":999,"sha":"","ref":null}"#,
            "a:3-999",
        );
        check(
            r#"{"path":"../a","line_start":3}"#,
            "../a:3 cannot cite '../a': a path does not leave the repository",
        );
        check(r#"{"id":7,"line_start":3}"#, "7 missing field `path`");
        check(
            r#"{"id":[1],"path":"a","line_start":0}"#,
            "[1] lines 0-0 is not a range; lines count from 1",
        );
        check(
            r#"{"path":"a","line_start":1,"snippet_hash":"x"}"#,
            "null snippet_hash: not a SHA-256 digest of 64 hexadecimal characters",
        );
        check(
            "{\"id\":\n",
            "null not JSON: EOF while parsing a value at column 6",
        );
        check(
            "[1]",
            "null expected an object with path, line_start and line_end",
        );
    }

    #[test]
    fn empty_lines_are_passed_and_endless_ones_refused() {
        let long = "x".repeat(3 << 20);
        let text = format!("\n\n{long}\n{{\"path\":\"a\",\"line_start\":1}}");
        let mut input = text.as_bytes();
        let (n_read, first) = read_citation_line(&mut input).unwrap().unwrap();
        assert_eq!((n_read, first.is_err()), (3, true));
        let (n_read, second) = read_citation_line(&mut input).unwrap().unwrap();
        assert_eq!((n_read, second.is_ok()), (1, true));
        assert!(read_citation_line(&mut input).unwrap().is_none());
    }
}
