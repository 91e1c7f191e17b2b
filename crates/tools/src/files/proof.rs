//! A repository fact as it is written into a file: JSON or plain words, with the places that prove it.

use apostille_cite::citation::{BadPlace, Cite};
use apostille_cite::source::Source;
use serde_json::{Map, Value};

use super::Stop;
use crate::verified::Pinned;
use apostille_api::wire;
use apostille_api::wire::Malformed;

/// What a last line with citations begins with.
const LABELS: &[&str] = &["citations:", "citation:", "evidence:"];
/// What may stand around a place in a sentence.
const AROUND: &[char] = &[
    '`', '\'', '"', '(', ')', '[', ']', '<', '>', ',', ';', '.', '!', '?', '*',
];

/// A fact with its proof.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) fact: String,
    pub(super) citations: Vec<Cite>,
    pub(super) reason: Option<String>,
    pub(super) subject: Option<String>,
}

/// Reads a fact from the text of a file.
pub(super) fn read(source: &dyn Source, file_text: &str) -> Result<Fact, Stop> {
    let mut fact = match serde_json::from_str::<Map<String, Value>>(file_text) {
        Ok(object) => {
            from_json(object).map_err(|error| Stop::wrong(format!("file_text: {error}")))?
        }
        Err(_) => from_words(file_text).map_err(|error| Stop::wrong(error.to_string()))?,
    };
    if fact.citations.is_empty() {
        fact.citations = mentioned(source, &fact.fact);
    }
    Ok(fact)
}

fn from_json(mut object: Map<String, Value>) -> Result<Fact, Malformed> {
    let mut text = |field: &str| wire::text(field, object.remove(field).filter(|it| !it.is_null()));
    let (subject, reason) = (text("subject")?, text("reason")?);
    let fact = text("fact")?.ok_or_else(|| Malformed::missing("fact"))?;
    let citations = match object.remove("citations") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(list)) => {
            places(&list).map_err(|error| Malformed::new("citations", error))?
        }
        Some(it) => {
            let Value::Array(items) = it else {
                return Err(Malformed::new("citations", "expected a list"));
            };
            let items = items.into_iter().enumerate();
            items
                .map(|(at, it)| cite(&format!("citations[{at}]"), it))
                .collect::<Result<_, _>>()?
        }
    };
    Ok(Fact {
        fact,
        citations,
        reason,
        subject,
    })
}

fn cite(field: &str, value: Value) -> Result<Cite, Malformed> {
    let bad = |error: BadPlace| Malformed::new(field, error);
    match value {
        Value::String(place) => place.trim().parse().map_err(bad),
        it => wire::read::<Pinned>(&it)?.place().map_err(bad),
    }
}

/// Plain words, perhaps with the citations behind them.
fn from_words(text: &str) -> Result<Fact, BadPlace> {
    let text = text.trim();
    let plain = || Fact {
        fact: text.into(),
        ..Fact::default()
    };
    let Some((words, list)) = labelled(text) else {
        return Ok(plain());
    };
    match places(list) {
        Ok(citations) => Ok(Fact {
            fact: words.trim_end().into(),
            citations,
            ..Fact::default()
        }),
        // More than a list follows, so the label is a part of the text.
        Err(_) if list.trim().contains('\n') => Ok(plain()),
        Err(error) => Err(error),
    }
}

/// The text before the last label that begins a line, and what stands behind that label.
fn labelled(text: &str) -> Option<(&str, &str)> {
    let mut starts = text
        .match_indices('\n')
        .map(|(at, _)| at + 1)
        .collect::<Vec<_>>();
    starts.insert(0, 0);
    let label = |at: usize| {
        LABELS.iter().find(|it| {
            text[at..]
                .get(..it.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(it))
        })
    };
    let (at, label) = starts
        .into_iter()
        .rev()
        .find_map(|at| Some((at, label(at)?)))?;
    Some((&text[..at], &text[at + label.len()..]))
}

/// A list of places, divided by commas, semicolons or lines.
fn places(list: &str) -> Result<Vec<Cite>, BadPlace> {
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
fn mentioned(source: &dyn Source, text: &str) -> Vec<Cite> {
    let mut found: Vec<Cite> = Vec::new();
    for word in text
        .split_whitespace()
        .map(|it| it.trim_matches(AROUND))
        .filter(|it| !it.contains("://"))
    {
        if let Ok(place) = word.parse::<Cite>()
            && has_shape(place.path.as_str())
            && !found.contains(&place)
        {
            found.push(place);
        }
    }
    let is_there = |it: &Cite| source.read(&it.path).is_ok_and(|it| it.is_some());
    let there: Vec<Cite> = found.iter().filter(|it| is_there(it)).cloned().collect();
    if there.is_empty() { found } else { there }
}

/// Whether it looks like a file: in a folder, or with letters behind a dot.
fn has_shape(path: &str) -> bool {
    let ending = path.rsplit_once('.').map(|(_, it)| it);
    path.contains('/') || ending.is_some_and(|it| it.starts_with(|c: char| c.is_ascii_alphabetic()))
}
