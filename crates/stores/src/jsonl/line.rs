//! One line of the file: a batch of events with a checksum, or a line of a plain notebook.

use std::{collections::HashSet, ops::RangeInclusive};

use apostille_core::{
    event::{Event, EventBody},
    format::{
        self,
        batch_line::{self, last_event_time},
    },
    memory::{MAX_NUMBER, MemoryId},
    notebook::NotebookNote,
    space::Space,
    store::{StoreError, StoreResult},
};
use jiff::{SignedDuration, Timestamp};

use super::merge::{TimedBatch, blank_forgotten_query};

/// A batch as one line, so that it is there whole or not at all. It comes behind everything up to `last`: what somebody
/// did who knew of a line never comes before that line, whatever their clock says.
pub(super) fn format_batch_line(events: &[Event], last: Timestamp) -> StoreResult<String> {
    let next = last.checked_add(SignedDuration::from_nanos(1));
    let at = last_event_time(events).max(next.unwrap_or(last));
    format_batch_line_at(events, at)
}

/// A batch as one line, with this place in time.
fn format_batch_line_at(events: &[Event], at: Timestamp) -> StoreResult<String> {
    let line =
        batch_line::format_batch_line(events, at).map_err(|error| StoreError::Unavailable {
            what: "an event cannot be written as JSON".into(),
            source: error.into(),
        })?;
    Ok(line + "\n")
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
    let batch = match batch_line::read_line_version(line) {
        Some(v) if v > format::VERSION => {
            return Err(StoreError::Newer {
                found: v,
                known: format::VERSION,
            });
        }
        Some(_) => batch_line::parse_batch_line(line),
        None => parse_notebook_line(line, repo).map(|it| (it.at, vec![it])),
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

/// The line without what was asked in a space during this time.
pub(super) fn strip_questions_from_line(
    line: &str,
    (space, during): (&Space, &RangeInclusive<Timestamp>),
    repo: &Space,
) -> StoreResult<Option<String>> {
    let Ok(Some((at, mut events))) = parse_jsonl_line(line, repo)? else {
        return Ok(Some(format!("{line}\n")));
    };
    let mut n_asked = 0;
    for event in &mut events {
        n_asked += usize::from(event.clear_query_asked(space, during));
    }
    match n_asked {
        0 => Ok(Some(format!("{line}\n"))),
        _ => format_batch_line_at(&events, at).map(Some),
    }
}
