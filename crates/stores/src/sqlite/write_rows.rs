//! The rows of memories, events, counters and citations as they are written: one statement each, and nothing decided.

use apostille_core::event::previous_state::PreviousState;
use apostille_core::event::{Event, EventBody, Happening};
use apostille_core::format::{EventRecord, MemoryRecord};
use apostille_core::memory::{Memory, MemoryId, UsageCounts};
use apostille_core::store::StoreError;
use apostille_text::digest::Digest;
use rusqlite::{Connection, ErrorCode, params};

use super::rows::EventRow;
use super::{memory_row_key, row_seal};
use crate::store_errors::store_error_from_sqlite;

type StoreResult<T> = Result<T, StoreError>;

/// The JSON of a memory, without the counters, which live apart.
pub(super) fn encode_memory_record(memory: &Memory) -> StoreResult<String> {
    let record = MemoryRecord {
        recalls: 0,
        applied: 0,
        verified: 0,
        ..MemoryRecord::with_digest(memory)
    };
    serde_json::to_string(&record).map_err(|error| StoreError::Unavailable {
        what: "a memory cannot be written as JSON".into(),
        source: Box::new(error),
    })
}

/// An event as a row of the log, with what it replaced.
pub(super) fn encode_event_row(
    seq: i64,
    space: i64,
    event: &Event,
    was: Option<&PreviousState>,
) -> StoreResult<EventRow> {
    let record = EventRecord {
        was: was.map(|it| Box::new(it.into())),
        ..textless_record(event)
    };
    let record = serde_json::to_string(&record).map_err(|error| StoreError::Unavailable {
        what: "an event cannot be written as JSON".into(),
        source: Box::new(error),
    })?;
    let memory = event.memory.map(|it| it.as_bytes().to_vec());
    Ok(EventRow {
        seq,
        space,
        memory,
        name: event.what.event_kind().as_str().into(),
        record,
    })
}

/// An event as it is written: without the text of the memory, which has its own row.
fn textless_record(event: &Event) -> EventRecord {
    match &event.what {
        EventBody::Remembered {
            forced, rationale, ..
        } => {
            // As if nothing but the word had been said: the text is never copied only to be dropped.
            let (at, space, actor) = (event.at, event.space.clone(), event.actor.clone());
            let said = Event {
                at,
                space,
                memory: event.memory,
                actor,
                what: EventBody::Applied,
            };
            let word = Happening::Remembered.as_str().into();
            EventRecord {
                event: word,
                forced: *forced,
                rationale: rationale.clone(),
                ..EventRecord::from(&said)
            }
        }
        _ => EventRecord::from(event),
    }
}

/// Inserts the row of a memory; the digest of its record.
pub(super) fn insert_memory_row(
    db: &Connection,
    space: i64,
    memory: &Memory,
) -> StoreResult<Digest> {
    let (record, claim) = (encode_memory_record(memory)?, memory.claim_digest());
    let digest = Digest::hash_bytes(record.as_bytes());
    let insert = "INSERT INTO memory(key, id, space, layer, stage, claim, recorded_at, refreshed_at, record, seal) \
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let row = params![
        memory_row_key(space, memory.number)?,
        memory.id.as_bytes(),
        space,
        memory.layer.as_str(),
        memory.status.stage().as_str(),
        claim.as_bytes(),
        memory.recorded_at.as_millisecond(),
        memory.refreshed_at.as_millisecond(),
        record,
        row_seal(&digest),
    ];
    db.prepare_cached(insert)
        .map_err(store_error_from_sqlite)?
        .execute(row)
        .map_err(conflict_or_fault)?;
    Ok(digest)
}

/// Writes a memory over its row: what an event may change of it.
pub(super) fn update_memory_row(
    db: &Connection,
    space: i64,
    memory: &Memory,
    (record, digest): (&str, &Digest),
) -> StoreResult<()> {
    let update =
        "UPDATE memory SET stage = ?2, refreshed_at = ?3, record = ?4, seal = ?5 WHERE key = ?1";
    let row = params![
        memory_row_key(space, memory.number)?,
        memory.status.stage().as_str(),
        memory.refreshed_at.as_millisecond(),
        record,
        row_seal(digest),
    ];
    db.prepare_cached(update)
        .map_err(store_error_from_sqlite)?
        .execute(row)
        .map_err(conflict_or_fault)?;
    Ok(())
}

/// The claim or the id of a row is there already: another writer was first.
fn conflict_or_fault(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => StoreError::Conflict {
            what: "a like memory".into(),
        },
        _ => store_error_from_sqlite(error),
    }
}

/// Deletes the row of a memory and its counters.
pub(super) fn delete_memory_rows(db: &Connection, key: i64) -> StoreResult<()> {
    for table in ["memory", "usage"] {
        db.execute(&format!("DELETE FROM {table} WHERE key = ?1"), [key])
            .map_err(store_error_from_sqlite)?;
    }
    Ok(())
}

/// Adds to the counters of a memory.
pub(super) fn add_usage_row(db: &Connection, key: i64, usage: UsageCounts) -> StoreResult<()> {
    let upsert = "INSERT INTO usage(key, recalls, applied, verified) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE \
                  SET recalls = recalls + ?2, applied = applied + ?3, verified = verified + ?4";
    let row = params![key, usage.recalls, usage.applied, usage.verified];
    db.prepare_cached(upsert)
        .map_err(store_error_from_sqlite)?
        .execute(row)
        .map_err(store_error_from_sqlite)?;
    Ok(())
}

/// Files a memory under the paths that it cites.
pub(super) fn insert_cites_rows(db: &Connection, space: i64, memory: &Memory) -> StoreResult<()> {
    let insert = "INSERT OR IGNORE INTO cites(space, path, number) VALUES (?1, ?2, ?3)";
    let mut insert = db.prepare_cached(insert).map_err(store_error_from_sqlite)?;
    for citation in &memory.citations {
        insert
            .execute(params![space, citation.path.as_str(), memory.number])
            .map_err(store_error_from_sqlite)?;
    }
    Ok(())
}

/// Takes a memory out from under the paths that it cites.
pub(super) fn delete_cites_rows(db: &Connection, space: i64, memory: &Memory) -> StoreResult<()> {
    let delete = "DELETE FROM cites WHERE space = ?1 AND path = ?2 AND number = ?3";
    let mut delete = db.prepare_cached(delete).map_err(store_error_from_sqlite)?;
    for citation in &memory.citations {
        delete
            .execute(params![space, citation.path.as_str(), memory.number])
            .map_err(store_error_from_sqlite)?;
    }
    Ok(())
}

/// Adds a row to the log.
pub(super) fn insert_event_row(
    db: &Connection,
    row: &EventRow,
    digest: &Digest,
) -> StoreResult<()> {
    let insert =
        "INSERT INTO event(seq, space, memory, name, record, seal) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let row = params![
        row.seq,
        row.space,
        row.memory,
        row.name,
        row.record,
        row_seal(digest)
    ];
    db.prepare_cached(insert)
        .map_err(store_error_from_sqlite)?
        .execute(row)
        .map_err(store_error_from_sqlite)?;
    Ok(())
}

/// Deletes the events about a memory, all but its tombstone.
pub(super) fn delete_event_rows(db: &Connection, id: MemoryId, tombstone: i64) -> StoreResult<()> {
    db.execute(
        "DELETE FROM event WHERE memory = ?1 AND seq <> ?2",
        params![id.as_bytes(), tombstone],
    )
    .map_err(store_error_from_sqlite)?;
    Ok(())
}

/// The last place in the log.
pub(super) fn read_last_event_seq(db: &Connection) -> StoreResult<i64> {
    let mut select = db
        .prepare_cached("SELECT coalesce(max(seq), 0) FROM event")
        .map_err(store_error_from_sqlite)?;
    select
        .query_row([], |row| row.get(0))
        .map_err(store_error_from_sqlite)
}
