//! Forgetting: a memory, its index, every event about it and the questions it answered go; the tombstone stays.

use apostille_core::event::Erasure;
use apostille_core::store::StoreError;
use rusqlite::Connection;

use super::{
    embeddings, erase_damaged, index, memory_row_key, read,
    rows::EventRow,
    write::BatchWriter,
    write_rows::{self, DELETE_CITES},
};
use crate::store_errors::{SqliteError, SqliteResult};

/// Removes a memory. `false`: there is no such memory.
pub(super) fn erase_memory_rows(db: &Connection, erasure: &Erasure) -> SqliteResult<bool> {
    let id = erasure.id();
    let (memory, digest) = match read::read_sealed_memory(db, id) {
        Ok(Some(found)) => found,
        // A row that is filed under another id is found by its number, too.
        Ok(None) | Err(SqliteError(StoreError::Corrupt { .. })) => {
            return erase_damaged::erase_damaged_row(db, erasure);
        }
        Err(error) => return Err(error),
    };
    let mut writer = BatchWriter::new(db);
    let space = writer.space_id(&memory.space)?;
    if memory.is_active() {
        let done = index::remove_memory_from_index(db, space, &memory);
        writer.mend_index(space, done)?;
    }
    write_rows::run_for_citations(db, DELETE_CITES, space, &memory)?;
    let key = memory_row_key(space, memory.number)?;
    write_rows::delete_memory_rows(db, key)?;
    embeddings::delete_memory_embeddings(db, space, memory.number)?;
    writer.space_sum(space).remove_row(&digest);
    writer.space_sum(space).remove_usage(key, memory.usage);
    writer.bury_memory(space, erasure.tombstone(), &[id], |writer, row| {
        let event = EventRow::from_row(row)?;
        let word = event.name.parse();
        let word = word.map_err(|_| SqliteError::corrupt("the word of an event"))?;
        writer.space_sum(event.space).remove_row(&event.digest());
        writer.count_event(event.space, word, -1);
        Ok(())
    })?;
    Ok(true)
}
