//! Writing: one batch, one transaction; state, index and log together.

use apostille_core::event::{Batch, Erasure, Event, Expect, Happening, What};
use apostille_core::format::MemoryRecord;
use apostille_core::memory::{Memory, MemoryId, Usage};
use apostille_core::space::Space;
use apostille_core::store::{Receipt, StoreError};
use apostille_core::terms;
use rusqlite::{Connection, ErrorCode, params};

use super::{index, key, read, seal, watch};
use crate::fault::{corrupt, sqlite};

type Found<T> = Result<T, StoreError>;

/// Applies a batch. The caller holds the transaction.
pub(super) fn append(db: &Connection, batch: &Batch) -> Found<Receipt> {
    batch.expects().iter().try_for_each(|it| check(db, it))?;
    let mut receipt = Receipt::default();
    for event in batch.events() {
        let space = space_id(db, &event.space)?;
        match &event.what {
            What::Remembered { memory, .. } => receipt.numbers.push((memory.id, insert(db, space, memory)?)),
            what => count_event(db, space, what.happening(), 1)?,
        }
        log(db, space, event)?;
        watch::note(db, space, event)?;
        for id in event.touches() {
            touch(db, id, event)?;
        }
    }
    Ok(receipt)
}

fn check(db: &Connection, expect: &Expect) -> Found<()> {
    let (holds, what) = match expect {
        // The index of claims is unique: a twin makes the insert fail, see `taken`.
        Expect::NoTwin(..) => return Ok(()),
        Expect::Unmoved(id, status) => {
            (read::by_id(db, *id)?.is_some_and(|it| it.status == *status), format!("memory {id}"))
        }
        Expect::IdentityChars(space, chars) => {
            let used = read::space_id(db, space)?.map_or(Ok(0), |space| read::identity_chars(db, space))?;
            (used == *chars, "the identity layer".to_owned())
        }
    };
    if holds { Ok(()) } else { Err(StoreError::Conflict { what }) }
}

/// The number of a space in this file, given on first use.
fn space_id(db: &Connection, space: &Space) -> Found<i64> {
    if let Some(id) = read::space_id(db, space)? {
        return Ok(id);
    }
    db.execute("INSERT INTO space(name) VALUES (?1)", [space.as_str()]).map_err(sqlite)?;
    Ok(db.last_insert_rowid())
}

/// Keeps a memory; one that brings no number gets the next of its space. The space's row is written once: the number,
/// the size of the index and the count of events.
fn insert(db: &Connection, space: i64, memory: &Memory) -> Found<u64> {
    let mut memory = memory.clone();
    let (terms, len) = if memory.is_active() { terms::indexed(&memory) } else { (Vec::new(), 0) };
    let next = "UPDATE space SET last_number = max(last_number + (?2 = 0), ?2), n_docs = n_docs + ?3, \
                total_len = total_len + ?4, remembered = remembered + 1 WHERE id = ?1 RETURNING last_number, n_docs";
    let row = params![space, memory.number, memory.is_active(), len];
    let mut next = db.prepare_cached(next).map_err(sqlite)?;
    let (last, n_docs) = next.query_row(row, |row| Ok((row.get(0)?, row.get(1)?))).map_err(sqlite)?;
    if memory.number == 0 {
        memory.number = last;
    }
    let usage = std::mem::take(&mut memory.usage);
    let (record, claim) = (encoded(&memory)?, memory.claim());
    let insert = "INSERT INTO memory(key, id, space, layer, stage, claim, recorded_at, refreshed_at, record, seal) \
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let row = params![
        key(space, memory.number)?,
        memory.id.as_bytes(),
        space,
        memory.layer.as_str(),
        memory.status.stage().as_str(),
        claim.as_bytes(),
        memory.recorded_at.as_millisecond(),
        memory.refreshed_at.as_millisecond(),
        record,
        seal(&record),
    ];
    db.prepare_cached(insert).map_err(sqlite)?.execute(row).map_err(taken)?;
    if usage != Usage::default() {
        count(db, key(space, memory.number)?, usage)?;
    }
    cite(db, space, &memory)?;
    if memory.is_active() {
        index::wait(db, space, memory.number, (&terms, len), n_docs)?;
    }
    Ok(memory.number)
}

/// An insert that fails because the claim or the id is there already: another writer was first.
fn taken(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => StoreError::Conflict { what: "a like memory".into() },
        _ => sqlite(error),
    }
}

/// The JSON of a memory, without the counters, which live apart.
fn encoded(memory: &Memory) -> Found<String> {
    let record = MemoryRecord { recalls: 0, applied: 0, verified: 0, ..MemoryRecord::from(memory) };
    serde_json::to_string(&record).map_err(|error| StoreError::Unavailable {
        what: "a memory cannot be written as JSON".into(),
        source: Box::new(error),
    })
}

fn cite(db: &Connection, space: i64, memory: &Memory) -> Found<()> {
    let insert = "INSERT OR IGNORE INTO cites(space, path, number) VALUES (?1, ?2, ?3)";
    let mut insert = db.prepare_cached(insert).map_err(sqlite)?;
    for citation in &memory.citations {
        insert.execute(params![space, citation.path.as_str(), memory.number]).map_err(sqlite)?;
    }
    Ok(())
}

fn uncite(db: &Connection, space: i64, memory: &Memory) -> Found<()> {
    let delete = "DELETE FROM cites WHERE space = ?1 AND path = ?2 AND number = ?3";
    let mut delete = db.prepare_cached(delete).map_err(sqlite)?;
    for citation in &memory.citations {
        delete.execute(params![space, citation.path.as_str(), memory.number]).map_err(sqlite)?;
    }
    Ok(())
}

fn log(db: &Connection, space: i64, event: &Event) -> Found<()> {
    let name = event.what.happening().as_str();
    let record = serde_json::to_string(&read::bare(event)).map_err(|error| StoreError::Unavailable {
        what: "an event cannot be written as JSON".into(),
        source: Box::new(error),
    })?;
    let insert = "INSERT INTO event(space, memory, name, record) VALUES (?1, ?2, ?3, ?4)";
    let id = event.memory.map(|it| *it.as_bytes());
    db.prepare_cached(insert).map_err(sqlite)?.execute(params![space, id, name, record]).map_err(sqlite)?;
    Ok(())
}

/// Counts an event in or out; each word has a column.
fn count_event(db: &Connection, space: i64, word: Happening, n: i64) -> Found<()> {
    let update = format!("UPDATE space SET {word} = {word} + ?2 WHERE id = ?1");
    db.prepare_cached(&update).map_err(sqlite)?.execute(params![space, n]).map_err(sqlite)?;
    Ok(())
}

/// Applies an event to a memory it touches.
fn touch(db: &Connection, id: MemoryId, event: &Event) -> Found<()> {
    let counted = match &event.what {
        What::Remembered { .. } | What::Refused { .. } | What::Forgotten { .. } => return Ok(()),
        What::RolledBack { .. } | What::Tripped { .. } | What::Closed { .. } => return Ok(()),
        What::Retrieved { .. } => Some(Usage { recalls: 1, ..Usage::default() }),
        What::Applied => Some(Usage { applied: 1, ..Usage::default() }),
        What::Verified { valid, .. } => Some(Usage { verified: u32::from(*valid), ..Usage::default() }),
        _ => None,
    };
    match counted {
        Some(usage) => {
            let mut select = db.prepare_cached("SELECT key FROM memory WHERE id = ?1").map_err(sqlite)?;
            let mut rows = select.query([id.as_bytes()]).map_err(sqlite)?;
            match rows.next().map_err(sqlite)? {
                Some(row) => count(db, row.get(0).map_err(sqlite)?, usage),
                None => Ok(()),
            }
        }
        None => match read::by_id(db, id)? {
            Some(memory) => change(db, memory, event),
            None => Ok(()),
        },
    }
}

fn count(db: &Connection, key: i64, usage: Usage) -> Found<()> {
    let upsert = "INSERT INTO usage(key, recalls, applied, verified) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE \
                  SET recalls = recalls + ?2, applied = applied + ?3, verified = verified + ?4";
    let row = params![key, usage.recalls, usage.applied, usage.verified];
    db.prepare_cached(upsert).map_err(sqlite)?.execute(row).map_err(sqlite)?;
    Ok(())
}

fn change(db: &Connection, was: Memory, event: &Event) -> Found<()> {
    let mut memory = was.clone();
    memory.apply(event);
    let space = space_id(db, &memory.space)?;
    let record = encoded(&memory)?;
    let update = "UPDATE memory SET stage = ?2, refreshed_at = ?3, record = ?4, seal = ?5 WHERE key = ?1";
    let row = params![
        key(space, memory.number)?,
        memory.status.stage().as_str(),
        memory.refreshed_at.as_millisecond(),
        record,
        seal(&record),
    ];
    db.prepare_cached(update).map_err(sqlite)?.execute(row).map_err(sqlite)?;
    let cites_moved = was.citations != memory.citations;
    if cites_moved {
        uncite(db, space, &was)?;
        cite(db, space, &memory)?;
    }
    if was.is_active() && (!memory.is_active() || cites_moved) {
        index::remove(db, space, &was)?;
    }
    if memory.is_active() && (!was.is_active() || cites_moved) {
        index::add(db, space, &memory)?;
    }
    Ok(())
}

/// Removes a memory, its index, every event about it and the questions it answered; the tombstone stays.
pub(super) fn erase(db: &Connection, erasure: &Erasure) -> Found<bool> {
    let id = erasure.id();
    let Some(memory) = read::by_id(db, id)? else { return Ok(false) };
    let space = space_id(db, &memory.space)?;
    if memory.is_active() {
        index::remove(db, space, &memory)?;
    }
    uncite(db, space, &memory)?;
    let key = key(space, memory.number)?;
    db.execute("DELETE FROM memory WHERE key = ?1", [key]).map_err(sqlite)?;
    db.execute("DELETE FROM usage WHERE key = ?1", [key]).map_err(sqlite)?;
    // The tombstone goes first, so that its place in the log is one that was never used.
    log(db, space, erasure.tombstone())?;
    let tombstone = db.last_insert_rowid();
    count_event(db, space, Happening::Forgotten, 1)?;
    uncount(db, space, id, tombstone)?;
    db.execute("DELETE FROM event WHERE memory = ?1 AND seq <> ?2", params![id.as_bytes(), tombstone])
        .map_err(sqlite)?;
    let blank = "UPDATE event SET record = json_set(record, '$.query', '') \
                 WHERE name = 'retrieved' AND record LIKE '%' || ?1 || '%'";
    db.execute(blank, [id.to_string()]).map_err(sqlite)?;
    Ok(true)
}

/// Counts the events about a memory out, all but the tombstone.
fn uncount(db: &Connection, space: i64, id: MemoryId, tombstone: i64) -> Found<()> {
    let select = "SELECT name, count(*) FROM event WHERE memory = ?1 AND seq <> ?2 GROUP BY name";
    let mut select = db.prepare_cached(select).map_err(sqlite)?;
    let rows = select
        .query_map(params![id.as_bytes(), tombstone], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)));
    for row in rows.map_err(sqlite)? {
        let (word, n): (String, i64) = row.map_err(sqlite)?;
        count_event(db, space, word.parse().map_err(|_| corrupt("the word of an event"))?, -n)?;
    }
    Ok(())
}

/// Makes the index anew, after the analyser has changed.
pub(super) fn reindex(db: &Connection) -> Found<()> {
    index::clear(db)?;
    let mut active = Vec::new();
    read::each(db, |memory| {
        active.extend(Some(memory?).filter(Memory::is_active));
        Ok(())
    })?;
    for memory in &active {
        let space = space_id(db, &memory.space)?;
        index::add(db, space, memory)?;
    }
    Ok(())
}
