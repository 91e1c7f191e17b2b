//! One line of the file: a batch of events with a checksum, or a line of a plain notebook.

use apostille_core::digest::Digest;
use apostille_core::event::{Event, What};
use apostille_core::format::{self, EventRecord};
use apostille_core::memory::{MAX_NUMBER, MemoryId};
use apostille_core::notebook::Note;
use apostille_core::space::Space;
use apostille_core::store::StoreError;
use serde::{Deserialize, Serialize};

/// How many characters of the checksum are kept.
const SUM_CHARS: usize = 16;

#[derive(Serialize)]
struct Body<'a> {
    events: &'a [EventRecord],
}

#[derive(Deserialize)]
struct Versioned {
    v: u32,
}

#[derive(Deserialize)]
struct Line {
    sum: String,
    events: Vec<EventRecord>,
}

/// A batch as one line, so that it is there whole or not at all.
pub(super) fn written(events: &[Event]) -> Result<String, StoreError> {
    let records: Vec<EventRecord> = events.iter().map(EventRecord::from).collect();
    let body = serde_json::to_string(&Body { events: &records }).map_err(|error| {
        StoreError::Unavailable { what: "an event cannot be written as JSON".into(), source: Box::new(error) }
    })?;
    let body = body.trim_start_matches('{');
    Ok(format!("{{\"v\":{},\"sum\":\"{}\",{body}\n", format::VERSION, sum(body)))
}

fn sum(body: &str) -> String {
    Digest::of(body.as_bytes()).to_string()[..SUM_CHARS].to_owned()
}

/// What a line says.
pub(super) enum Read {
    /// These events happened.
    Events(Vec<Event>),
    /// Nothing: it is empty.
    Empty,
    /// It cannot be read; why.
    Unreadable(String),
}

/// Reads one line. A line of a newer format makes the whole file unreadable for this program.
pub(super) fn read(line: &str, repo: &Space) -> Result<Read, StoreError> {
    if line.trim().is_empty() {
        return Ok(Read::Empty);
    }
    match serde_json::from_str::<Versioned>(line) {
        Ok(Versioned { v }) if v > format::VERSION => {
            Err(StoreError::Newer { found: v, known: format::VERSION })
        }
        Ok(_) => Ok(own(line).and_then(counted).map_or_else(Read::Unreadable, Read::Events)),
        Err(_) => {
            let events = plain(line, repo).and_then(|it| counted(vec![it]));
            Ok(events.map_or_else(Read::Unreadable, Read::Events))
        }
    }
}

/// The events, unless one has a number that nobody counts to: all that come after it would have none.
fn counted(events: Vec<Event>) -> Result<Vec<Event>, String> {
    let is_beyond = |it: &Event| match &it.what {
        What::Remembered { memory, .. } => memory.number > MAX_NUMBER,
        What::Forgotten { number, .. } => *number > MAX_NUMBER,
        _ => false,
    };
    if events.iter().any(is_beyond) { Err("its number is too high".into()) } else { Ok(events) }
}

fn own(line: &str) -> Result<Vec<Event>, String> {
    let parsed: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let prefix = format!("{{\"v\":{},\"sum\":\"{}\",", format::VERSION, parsed.sum);
    let body = line.strip_prefix(&prefix).ok_or("it was reformatted")?;
    if sum(body) != parsed.sum {
        return Err("its checksum does not match".into());
    }
    parsed.events.into_iter().map(|it| Event::try_from(it).map_err(|error| error.to_string())).collect()
}

/// A line of a plain notebook: everything in the repository's space, so that `m-1` stays `m-1`.
fn plain(line: &str, repo: &Space) -> Result<Event, String> {
    let note = Note::parse(line).map_err(|error| error.to_string())?;
    note.number.ok_or("it has no id")?;
    let memory = note.memory(repo.clone());
    let (at, id) = (memory.recorded_at, memory.id);
    let what = What::Remembered { memory: Box::new(memory), forced: false, rationale: None };
    Ok(Event { at, space: repo.clone(), memory: Some(id), actor: None, what })
}

/// The line without what it says of a memory: `None` when nothing else is in it.
pub(super) fn without(line: &str, id: MemoryId, repo: &Space) -> Result<Option<String>, StoreError> {
    let Read::Events(mut events) = read(line, repo)? else { return Ok(Some(format!("{line}\n"))) };
    let touched = events.iter().any(|it| it.touches().any(|touched| touched == id));
    if !touched {
        return Ok(Some(format!("{line}\n")));
    }
    events.retain(|it| it.memory != Some(id));
    events.iter_mut().for_each(|it| it.unask(id));
    if events.is_empty() { Ok(None) } else { written(&events).map(Some) }
}
