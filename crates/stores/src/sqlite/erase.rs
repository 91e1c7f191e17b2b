//! Forgetting: a memory, its index, every event about it and the questions it answered go; the tombstone stays.

use apostille_core::event::{Erasure, Happening};
use apostille_core::memory::MemoryId;
use apostille_core::store::StoreError;
use rusqlite::{Connection, params};

use super::write::BatchWriter;
use super::{erase_damaged, memory_row_key, read, space_sum, write_rows};
use crate::store_errors::{corrupt_store_error, store_error_from_sqlite};

type StoreResult<T> = Result<T, StoreError>;

/// Removes a memory. `false`: there is no such memory.
pub(super) fn erase_memory_rows(db: &Connection, erasure: &Erasure) -> StoreResult<bool> {
    let id = erasure.id();
    let (memory, digest) = match read::read_sealed_memory(db, id) {
        Ok(Some(found)) => found,
        // A row that is filed under another id is found by its number, too.
        Ok(None) | Err(StoreError::Corrupt { .. }) => {
            return erase_damaged::erase_damaged_row(db, erasure);
        }
        Err(error) => return Err(error),
    };
    let mut writer = BatchWriter::new(db);
    let space = writer.space_id(&memory.space)?;
    writer.remove_from_index(space, &memory)?;
    write_rows::delete_cites_rows(db, space, &memory)?;
    let key = memory_row_key(space, memory.number)?;
    write_rows::delete_memory_rows(db, key)?;
    writer.space_sum(space).remove_row(&digest);
    writer.space_sum(space).remove_usage(key, memory.usage);
    // The tombstone goes first, so that its place in the log is one that was never used.
    let tombstone = writer.log_event(space, erasure.tombstone(), None)?;
    writer.count_event(space, Happening::Forgotten, 1);
    delete_events_of_memory(&mut writer, db, id, tombstone)?;
    writer.finish_batch()?;
    Ok(true)
}

/// Takes the events about a memory out, all but the tombstone, and the questions it answered out of the others.
fn delete_events_of_memory(
    writer: &mut BatchWriter<'_>,
    db: &Connection,
    id: MemoryId,
    tombstone: i64,
) -> StoreResult<()> {
    let about =
        "SELECT seq, space, memory, name, record FROM event WHERE memory = ?1 AND seq <> ?2";
    let mut select = db.prepare_cached(about).map_err(store_error_from_sqlite)?;
    let key = params![id.as_bytes(), tombstone];
    let mut rows = select.query(key).map_err(store_error_from_sqlite)?;
    while let Some(row) = rows.next().map_err(store_error_from_sqlite)? {
        let space = row.get(1).map_err(store_error_from_sqlite)?;
        let word: String = row.get(3).map_err(store_error_from_sqlite)?;
        let word = word
            .parse()
            .map_err(|_| corrupt_store_error("the word of an event"))?;
        writer
            .space_sum(space)
            .remove_row(&space_sum::digest_event_row(row)?);
        writer.count_event(space, word, -1);
    }
    write_rows::delete_event_rows(db, id, tombstone)?;
    writer.blank_queries(id)
}
