//! One line of the file: a batch of events with a checksum, or a line of a plain notebook.

use std::collections::HashSet;

use apostille_core::{
    event::{Event, EventBody},
    format::{self, EventRecord},
    memory::{MAX_NUMBER, MemoryId},
    notebook::NotebookNote,
    space::Space,
    store::{StoreError, StoreResult},
};
use apostille_text::digest::Digest;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::merge::{TimedBatch, blank_forgotten_query};
use crate::store_errors::encode_json;

/// How many characters of the checksum are kept.
const SUM_CHARS: usize = 16;

#[derive(Serialize)]
struct JsonlLineBody<'a> {
    events: &'a [EventRecord],
    /// Its place in time, where the events do not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
}

#[derive(Deserialize)]
struct JsonlLineVersion {
    v: u32,
}

#[derive(Deserialize)]
struct JsonlLine {
    v: u32,
    sum: String,
    events: Vec<EventRecord>,
    at: Option<String>,
}

/// A batch as one line, so that it is there whole or not at all. It comes behind everything up to `last`: what somebody
/// did who knew of a line never comes before that line, whatever their clock says.
pub(super) fn format_batch_line(events: &[Event], last: Timestamp) -> StoreResult<String> {
    let next = last.checked_add(SignedDuration::from_nanos(1));
    let at = last_event_time(events).max(next.unwrap_or(last));
    format_batch_line_at(events, at)
}

/// A batch as one line, with this place in time.
fn format_batch_line_at(events: &[Event], at: Timestamp) -> StoreResult<String> {
    let records: Vec<EventRecord> = events.iter().map(EventRecord::from).collect();
    let at = (at != last_event_time(events)).then(|| at.to_string());
    let events = &records;
    let body = encode_json("an event", &JsonlLineBody { events, at })?;
    let body = body.trim_start_matches('{');
    Ok(format!(
        "{{\"v\":{},\"sum\":\"{}\",{body}\n",
        format::VERSION,
        compute_line_checksum(body)
    ))
}

/// When the last of these happened, as it is written.
fn last_event_time(events: &[Event]) -> Timestamp {
    let at = events.iter().map(|it| it.at).max();
    let at = at.unwrap_or(Timestamp::MIN);
    Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at)
}

fn compute_line_checksum(body: &str) -> String {
    Digest::hash_bytes(body.as_bytes()).to_string()[..SUM_CHARS].to_owned()
}

/// The events of a line and their place in time; nothing where it is empty; or why it cannot be read.
pub(super) type ParsedLine = Result<Option<TimedBatch>, String>;

/// Reads one line. A line of a newer format makes the whole file unreadable for this program.
pub(super) fn parse_jsonl_line(line: &str, repo: &Space) -> StoreResult<ParsedLine> {
    // Git may end lines as Windows does.
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.trim().is_empty() {
        return Ok(Ok(None));
    }
    let batch = match serde_json::from_str::<JsonlLineVersion>(line) {
        Ok(JsonlLineVersion { v }) if v > format::VERSION => {
            return Err(StoreError::Newer {
                found: v,
                known: format::VERSION,
            });
        }
        Ok(_) => parse_batch_line(line),
        Err(_) => parse_notebook_line(line, repo).map(|it| (it.at, vec![it])),
    };
    Ok(batch.and_then(check_memory_numbers).map(Some))
}

/// The events, unless one has a number that nobody counts to: all that come after it would have none.
fn check_memory_numbers((at, events): TimedBatch) -> Result<TimedBatch, String> {
    let is_beyond = |it: &Event| match &it.what {
        EventBody::Remembered { memory, .. } => memory.number > MAX_NUMBER,
        EventBody::Forgotten { number, .. } => *number > MAX_NUMBER,
        _ => false,
    };
    if events.iter().any(is_beyond) {
        Err("its number is too high".into())
    } else {
        Ok((at, events))
    }
}

fn parse_batch_line(line: &str) -> Result<TimedBatch, String> {
    let parsed: JsonlLine = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let prefix = format!("{{\"v\":{},\"sum\":\"{}\",", parsed.v, parsed.sum);
    let body = line.strip_prefix(&prefix).ok_or("it was reformatted")?;
    if compute_line_checksum(body) != parsed.sum {
        return Err("its checksum does not match".into());
    }
    let events = parsed
        .events
        .into_iter()
        .map(Event::try_from)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| error.to_string())?;
    let at = match parsed.at {
        Some(at) => at.parse().map_err(|_| format!("'{at}' is not a time"))?,
        None => last_event_time(&events),
    };
    Ok((at, events))
}

/// A line of a plain notebook: everything in the repository's space, so that `m-1` stays `m-1`.
fn parse_notebook_line(line: &str, repo: &Space) -> Result<Event, String> {
    let note = NotebookNote::parse_line(line).map_err(|error| error.to_string())?;
    note.number.ok_or("it has no id of the form m-1")?;
    let memory = note.into_memory(repo.clone());
    Ok(Event {
        at: memory.recorded_at,
        space: repo.clone(),
        memory: Some(memory.id),
        actor: None,
        what: EventBody::Remembered {
            memory: Box::new(memory),
            forced: false,
            rationale: None,
        },
    })
}

/// The line without what it says of these memories, except that they were forgotten: `None` when nothing else is in it.
pub(super) fn strip_memories_from_line(
    line: &str,
    gone: &HashSet<MemoryId>,
    repo: &Space,
) -> StoreResult<Option<String>> {
    let Ok(Some((at, mut events))) = parse_jsonl_line(line, repo)? else {
        return Ok(Some(format!("{line}\n")));
    };
    let n_before = events.len();
    let is_kept = |it: &Event| matches!(it.what, EventBody::Forgotten { .. });
    events.retain(|it| is_kept(it) || it.memory.is_none_or(|id| !gone.contains(&id)));
    let mut is_changed = events.len() < n_before;
    for event in &mut events {
        is_changed |= blank_forgotten_query(event, gone);
    }
    match events.is_empty() {
        _ if !is_changed => Ok(Some(format!("{line}\n"))),
        true => Ok(None),
        false => format_batch_line_at(&events, at).map(Some),
    }
}
