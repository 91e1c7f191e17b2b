//! A repository fact as it is written into a file: JSON or plain words, with the places that prove it.

use apostille_cite::{
    citation::{CodeLocation, CodeLocationError},
    citation_request::CitationRequest,
    source::Source,
};
use serde::Deserialize;
use serde_json::Value;

use super::{FileCommandError, FileResult};
use crate::verified::ProofLocation;
use apostille_api::{wire, wire::ArgumentError};

/// What a last line with citations begins with.
const LABELS: &[&str] = &["citations:", "citation:", "evidence:"];
/// What may stand around a place in a sentence.
const AROUND: &[char] = &[
    '`', '\'', '"', '(', ')', '[', ']', '<', '>', ',', ';', '.', '!', '?', '*',
];

/// A fact with its proof.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileFact {
    pub(super) fact: String,
    pub(super) citations: Vec<CitationRequest>,
    pub(super) reason: Option<String>,
    pub(super) subject: Option<String>,
}

/// Reads a fact from the text of a file.
pub(super) fn parse_file_fact(source: &dyn Source, file_text: &str) -> FileResult<FileFact> {
    let fact = match serde_json::from_str(file_text) {
        Ok(object @ Value::Object(_)) => {
            parse_json_fact(&object).map_err(|error| format!("file_text: {error}"))
        }
        _ => parse_plain_fact(file_text).map_err(|error| error.to_string()),
    };
    let mut fact = fact.map_err(FileCommandError::Wrong)?;
    if fact.citations.is_empty() {
        let places = find_mentioned_locations(source, &fact.fact);
        fact.citations = places.into_iter().map(CitationRequest::from).collect();
    }
    Ok(fact)
}

/// A fact as JSON, before its places are read.
#[derive(Deserialize)]
struct JsonFact {
    subject: Option<String>,
    reason: Option<String>,
    fact: String,
    #[serde(default)]
    citations: Value,
}

fn parse_json_fact(text: &Value) -> Result<FileFact, ArgumentError> {
    let JsonFact {
        subject,
        reason,
        fact,
        citations,
    } = wire::read_arguments(text)?;
    let citations = match citations {
        Value::Null => Vec::new(),
        Value::String(list) => {
            parse_location_list(&list).map_err(|error| ArgumentError::new("citations", error))?
        }
        Value::Array(items) => {
            let items = items.into_iter().enumerate();
            items
                .map(|(at, it)| parse_fact_citation(&format!("citations[{at}]"), it))
                .collect::<Result<_, _>>()?
        }
        _ => return Err(ArgumentError::new("citations", "expected a list")),
    };
    Ok(FileFact {
        fact,
        citations,
        reason,
        subject,
    })
}

fn parse_fact_citation(field: &str, value: Value) -> Result<CitationRequest, ArgumentError> {
    let bad = |error: CodeLocationError| ArgumentError::new(field, error);
    match value {
        Value::String(place) => place.trim().parse().map_err(bad),
        it => Ok(wire::read_arguments::<ProofLocation>(&it)?.request),
    }
}

/// Plain words, perhaps with the citations behind them.
fn parse_plain_fact(text: &str) -> Result<FileFact, CodeLocationError> {
    let text = text.trim();
    let (fact, citations) = match split_citation_label(text) {
        None => (text, Vec::new()),
        Some((words, list)) => match parse_location_list(list) {
            Ok(citations) => (words.trim_end(), citations),
            // More than a list follows, so the label is a part of the text.
            Err(_) if list.trim().contains('\n') => (text, Vec::new()),
            Err(error) => return Err(error),
        },
    };
    Ok(FileFact {
        fact: fact.into(),
        citations,
        ..FileFact::default()
    })
}

/// The text before the last label that begins a line, and what stands behind that label.
fn split_citation_label(text: &str) -> Option<(&str, &str)> {
    let mut starts = text.rmatch_indices('\n').map(|(at, _)| at + 1).chain([0]);
    starts.find_map(|at| {
        let label = LABELS.iter().find(|it| {
            text[at..]
                .get(..it.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(it))
        })?;
        Some((&text[..at], &text[at + label.len()..]))
    })
}

/// A list of places, divided by commas, semicolons or lines.
fn parse_location_list(list: &str) -> Result<Vec<CitationRequest>, CodeLocationError> {
    let items = list.split([',', ';', '\n']).map(|it| {
        it.trim()
            .trim_start_matches(['-', '*'])
            .trim()
            .trim_matches('`')
    });
    items.filter(|it| !it.is_empty()).map(str::parse).collect()
}

/// The places that a text mentions. What only looks like one, such as a host with its port, is told by there being no
/// such file; but where no file is there at all, the writer must hear which one is missing.
fn find_mentioned_locations(source: &dyn Source, text: &str) -> Vec<CodeLocation> {
    let mut found: Vec<CodeLocation> = Vec::new();
    for word in text
        .split_whitespace()
        .map(|it| it.trim_matches(AROUND))
        .filter(|it| !it.contains("://"))
    {
        if let Ok(place) = word.parse::<CodeLocation>()
            && has_file_shape(place.path.as_str())
            && !found.contains(&place)
        {
            found.push(place);
        }
    }
    let is_there = |it: &CodeLocation| source.read_file(&it.path).is_ok_and(|it| it.is_some());
    let there: Vec<CodeLocation> = found.iter().filter(|it| is_there(it)).cloned().collect();
    if there.is_empty() { found } else { there }
}

/// Whether it looks like a file: in a folder, or with letters behind a dot.
fn has_file_shape(path: &str) -> bool {
    let ending = path.rsplit_once('.').map(|(_, it)| it);
    path.contains('/') || ending.is_some_and(|it| it.starts_with(|c: char| c.is_ascii_alphabetic()))
}
