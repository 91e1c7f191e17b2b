//! The log in outline: rows are counted, not told, so only what counting takes is read out of them.

use std::borrow::Cow;

use apostille_core::{
    event::{
        EventKind,
        trace::{EventTrace, is_held_verdict, stage_moved_from, stage_moved_to},
    },
    memory::{MemoryId, Stage},
};
use jiff::Timestamp;
use rusqlite::{Connection, Row, params};
use serde::Deserialize;

use crate::store_errors::SqliteResult;

/// A memory that was remembered is counted where it stands now.
const SELECT: &str = "SELECT memory, name, record, CASE name WHEN 'remembered' THEN \
    (SELECT stage FROM memory WHERE id = event.memory) END FROM event WHERE space = ?1 ORDER BY seq DESC LIMIT ?2";

/// What counting takes of an event.
#[derive(Deserialize)]
struct EventOutline<'a> {
    at: &'a str,
    #[serde(default, borrow)]
    shown: Vec<ShownOutline<'a>>,
    class: Option<String>,
    status: Option<&'a str>,
    #[serde(borrow)]
    was: Option<PreviousStatusOutline<'a>>,
}

/// What counting takes of a memory that was shown.
#[derive(Deserialize)]
struct ShownOutline<'a> {
    #[serde(borrow)]
    verdict: Option<Cow<'a, str>>,
}

/// How a memory stood.
#[derive(Deserialize)]
struct PreviousStatusOutline<'a> {
    status: &'a str,
}

/// What happened in a space, the newest first, up to the first that is older than this time.
pub(super) fn read_trace_rows(
    db: &Connection,
    space: i64,
    since: Timestamp,
    limit: usize,
) -> SqliteResult<Vec<EventTrace>> {
    let mut select = db.prepare_cached(SELECT)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = select.query(params![space, limit])?;
    let mut traces = Vec::new();
    while let Some(row) = rows.next()? {
        match decode_trace_row(row) {
            Some(trace) if trace.at < since => break,
            Some(trace) => traces.push(trace),
            // What another program changed is not counted as if it had happened; `health` names it.
            None => {}
        }
    }
    Ok(traces)
}

fn decode_trace_row(row: &Row) -> Option<EventTrace> {
    let text = |at| row.get_ref(at).ok()?.as_str_or_null().ok()?;
    let happening: EventKind = text(1)?.parse().ok()?;
    let outline: EventOutline<'_> = serde_json::from_str(text(2)?).ok()?;
    let memory = row
        .get_ref(0)
        .ok()?
        .as_blob_or_null()
        .ok()?
        .and_then(|it| it.try_into().ok());
    let stage = |word: Option<&str>| word?.parse::<Stage>().ok();
    let today = stage(text(3));
    // Without its memory there is nothing that was remembered.
    if happening == EventKind::Remembered && today.is_none() {
        return None;
    }
    let restored = stage(outline.status).filter(|_| happening == EventKind::Restored);
    let was = stage(outline.was.map(|it| it.status));
    Some(EventTrace {
        memory: memory.map(MemoryId::from_bytes),
        was: was.or(stage_moved_from(happening)),
        stage: today.or(stage_moved_to(happening)).or(restored),
        n_shown: outline.shown.len(),
        n_held: outline
            .shown
            .iter()
            .filter(|it| it.verdict.as_deref().is_some_and(is_held_verdict))
            .count(),
        class: outline.class,
        ..EventTrace::new(outline.at.parse().ok()?, happening)
    })
}
