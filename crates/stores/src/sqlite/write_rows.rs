//! The rows of memories, events, counters and citations as they are written: one statement each, and nothing decided.

use apostille_core::event::previous_state::PreviousState;
use apostille_core::{
    event::Event,
    memory::{Memory, UsageCounts},
    store::StoreError,
};
use apostille_text::digest::Digest;
use rusqlite::{Connection, ErrorCode, params};

use super::{memory_row_key, query::run_statement, rows::EventRow};
use crate::row_records::{encode_event_record, encode_memory_record, record_seal};
use crate::store_errors::{SqliteError, SqliteResult};

/// An event as a row of the log, with what it replaced.
pub(super) fn encode_event_row(
    seq: i64,
    space: i64,
    event: &Event,
    was: Option<&PreviousState>,
) -> SqliteResult<EventRow> {
    Ok(EventRow {
        seq,
        space,
        memory: event.memory.map(|it| it.as_bytes().into()),
        name: event.what.event_kind().as_str().into(),
        record: encode_event_record(event, was)?,
    })
}

/// Inserts the row of a memory; the digest of its record.
pub(super) fn insert_memory_row(
    db: &Connection,
    space: i64,
    memory: &Memory,
) -> SqliteResult<Digest> {
    let (record, digest) = encode_memory_record(memory)?;
    let claim = memory.claim_digest();
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
        record_seal(&digest),
    ];
    db.prepare_cached(insert)?
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
) -> SqliteResult<()> {
    let update =
        "UPDATE memory SET stage = ?2, refreshed_at = ?3, record = ?4, seal = ?5 WHERE key = ?1";
    let row = params![
        memory_row_key(space, memory.number)?,
        memory.status.stage().as_str(),
        memory.refreshed_at.as_millisecond(),
        record,
        record_seal(digest),
    ];
    db.prepare_cached(update)?
        .execute(row)
        .map_err(conflict_or_fault)?;
    Ok(())
}

/// The claim or the id of a row is there already: another writer was first.
fn conflict_or_fault(error: rusqlite::Error) -> SqliteError {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => SqliteError(StoreError::Conflict {
            what: "a like memory".into(),
        }),
        _ => error.into(),
    }
}

/// Deletes the row of a memory and its counters.
pub(super) fn delete_memory_rows(db: &Connection, key: i64) -> SqliteResult<()> {
    run_statement(db, "DELETE FROM memory WHERE key = ?1", [key])?;
    run_statement(db, "DELETE FROM usage WHERE key = ?1", [key])
}

/// Adds to the counters of a memory.
pub(super) fn add_usage_row(db: &Connection, key: i64, usage: UsageCounts) -> SqliteResult<()> {
    let upsert = "INSERT INTO usage(key, recalls, applied, verified) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE \
                  SET recalls = recalls + ?2, applied = applied + ?3, verified = verified + ?4";
    let row = params![key, usage.recalls, usage.applied, usage.verified];
    run_statement(db, upsert, row)
}

/// Files a memory under a path that it cites.
pub(super) const INSERT_CITES: &str =
    "INSERT OR IGNORE INTO cites(space, path, number) VALUES (?1, ?2, ?3)";
/// Takes it out from under it.
pub(super) const DELETE_CITES: &str =
    "DELETE FROM cites WHERE space = ?1 AND path = ?2 AND number = ?3";

/// Runs one of these for each path that a memory cites.
pub(super) fn run_for_citations(
    db: &Connection,
    sql: &str,
    space: i64,
    memory: &Memory,
) -> SqliteResult<()> {
    let mut statement = db.prepare_cached(sql)?;
    for citation in &memory.citations {
        statement.execute(params![space, citation.path.as_str(), memory.number])?;
    }
    Ok(())
}

/// Adds a row to the log.
pub(super) fn insert_event_row(
    db: &Connection,
    row: &EventRow,
    digest: &Digest,
) -> SqliteResult<()> {
    let insert =
        "INSERT INTO event(seq, space, memory, name, record, seal) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let row = params![
        row.seq,
        row.space,
        row.memory,
        row.name,
        row.record,
        record_seal(digest)
    ];
    run_statement(db, insert, row)
}

/// Gives a row of the log the seal of what it says now.
pub(super) fn seal_event_row(db: &Connection, seq: i64, digest: &Digest) -> SqliteResult<()> {
    run_statement(
        db,
        "UPDATE event SET seal = ?2 WHERE seq = ?1",
        params![seq, record_seal(digest)],
    )
}
