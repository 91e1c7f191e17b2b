//! Forgetting a memory that cannot be read: its row, its index and its events go without being understood.

use apostille_core::event::{Erasure, EventBody, Happening};
use apostille_core::memory::{MemoryId, UsageCounts};
use apostille_core::space::Space;
use apostille_core::store::StoreError;
use apostille_text::digest::Digest;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::write::BatchWriter;
use super::{memory_row_key, read, row_seal, space_sum, spaces, write_rows};
use crate::store_errors::store_error_from_sqlite;

type StoreResult<T> = Result<T, StoreError>;

/// What counts of a row: the digest of what it says now, and the seal of what was written.
#[derive(Default)]
struct RowStamp {
    digest: Option<Digest>,
    seal: Option<[u8; 8]>,
}

impl RowStamp {
    fn from_row(digest: Option<Digest>, row: &Row<'_>, seal: usize) -> Self {
        Self {
            digest,
            seal: row.get(seal).ok(),
        }
    }

    /// Takes the row out of the sum: by what it says where that is what was written, else by its seal.
    fn subtract_from(&self, sum: &mut space_sum::SpaceSum, adds_up: bool) {
        let is_sealed = self.digest.as_ref().map(row_seal) == self.seal;
        match (&self.digest, self.seal) {
            (Some(digest), _) if adds_up || is_sealed => sum.remove_row(digest),
            (_, Some(seal)) => sum.remove_seal(seal),
            _ => {}
        }
    }
}

/// Removes the row that the tombstone's number names, with all that belongs to it. `false`: there is none, or it is in
/// order and another memory's.
pub(super) fn erase_damaged_row(db: &Connection, erasure: &Erasure) -> StoreResult<bool> {
    let tombstone = erasure.tombstone();
    let EventBody::Forgotten { number, .. } = tombstone.what else {
        return Ok(false);
    };
    let Some(space) = spaces::read_space_id(db, &tombstone.space)? else {
        return Ok(false);
    };
    let key = memory_row_key(space, number)?;
    if is_intact_memory_row(db, (space, &tombstone.space), number)? {
        return Ok(false);
    }
    let Some((filed, stamp)) = read_row_stamp(db, key)? else {
        return Ok(false);
    };
    // Where the records add up, it was the seal or a column that was changed.
    let adds_up =
        space_sum::read_space_sum(db, space)? == Some(space_sum::compute_space_sum(db, space)?);
    let mut writer = BatchWriter::new(db);
    stamp.subtract_from(writer.space_sum(space), adds_up);
    writer
        .space_sum(space)
        .remove_usage(key, read_row_usage(db, key)?);
    write_rows::delete_memory_rows(db, key)?;
    db.execute(
        "DELETE FROM cites WHERE space = ?1 AND number = ?2",
        params![space, number],
    )
    .map_err(store_error_from_sqlite)?;
    // Which terms it was under is not known any more.
    writer.rebuild_index_later(space);
    let place = writer.log_event(space, tombstone, None)?;
    writer.count_event(space, Happening::Forgotten, 1);
    for id in [erasure.id(), filed] {
        delete_events_of_damaged(&mut writer, db, id, place, adds_up)?;
    }
    writer.finish_batch()?;
    space_sum::settle_space_sum(db, space)?;
    Ok(true)
}

fn is_intact_memory_row(
    db: &Connection,
    (id, space): (i64, &Space),
    number: u64,
) -> StoreResult<bool> {
    let by_number = read::read_memories_by_number(db, (id, space), &[number])
        .ok()
        .and_then(|mut it| it.pop());
    let Some(memory) = by_number else {
        return Ok(false);
    };
    Ok(read::read_memory_key(db, memory.id)? == Some(memory_row_key(id, number)?))
}

/// The id that a row is filed under, and its stamp.
fn read_row_stamp(db: &Connection, key: i64) -> StoreResult<Option<(MemoryId, RowStamp)>> {
    let stamp = |row: &Row<'_>| {
        let digest = row
            .get_ref(1)?
            .as_str()
            .ok()
            .map(|it| Digest::hash_bytes(it.as_bytes()));
        let id = row.get::<_, [u8; 16]>(0).unwrap_or_default();
        Ok((MemoryId::from_bytes(id), RowStamp::from_row(digest, row, 2)))
    };
    let select = "SELECT id, record, seal FROM memory WHERE key = ?1";
    db.query_row(select, [key], stamp)
        .optional()
        .map_err(store_error_from_sqlite)
}

fn read_row_usage(db: &Connection, key: i64) -> StoreResult<UsageCounts> {
    let mut found = UsageCounts::default();
    space_sum::each_usage_row(db, |it, usage| {
        if it == key {
            found = usage;
        }
    })?;
    Ok(found)
}

/// Takes the events about it out, all but the tombstone.
fn delete_events_of_damaged(
    writer: &mut BatchWriter<'_>,
    db: &Connection,
    id: MemoryId,
    tombstone: i64,
    adds_up: bool,
) -> StoreResult<()> {
    let about =
        "SELECT seq, space, memory, name, record, seal FROM event WHERE memory = ?1 AND seq <> ?2";
    let mut select = db.prepare(about).map_err(store_error_from_sqlite)?;
    let mut rows = select
        .query(params![id.as_bytes(), tombstone])
        .map_err(store_error_from_sqlite)?;
    while let Some(row) = rows.next().map_err(store_error_from_sqlite)? {
        let space = row.get(1).map_err(store_error_from_sqlite)?;
        RowStamp::from_row(space_sum::digest_event_row(row).ok(), row, 5)
            .subtract_from(writer.space_sum(space), adds_up);
        if let Some(word) = row.get::<_, String>(3).ok().and_then(|it| it.parse().ok()) {
            writer.count_event(space, word, -1);
        }
    }
    write_rows::delete_event_rows(db, id, tombstone)?;
    writer.blank_queries(id)
}
