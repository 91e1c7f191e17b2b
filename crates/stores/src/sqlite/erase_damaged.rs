//! Forgetting a memory that cannot be read: its row, its index and its events go without being understood.

use apostille_core::event::{Erasure, EventBody};
use apostille_core::{memory::MemoryId, space::Space};
use apostille_text::digest::Digest;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{
    embeddings, memory_row_key,
    query::run_statement,
    read,
    rows::EventRow,
    space_sum::{self, SpaceSum},
    spaces,
    write::BatchWriter,
    write_rows,
};
use crate::row_records::record_seal;
use crate::store_errors::SqliteResult;

/// What counts of a row: the digest of what it says now, and the seal of what was written.
type RowStamp = (Option<Digest>, Option<[u8; 8]>);

/// Takes a row out of the sum: by what it says where that is what was written, else by its seal.
fn subtract_row((digest, seal): RowStamp, sum: &mut SpaceSum, adds_up: bool) {
    match (digest, seal) {
        (Some(digest), seal) if adds_up || seal == Some(record_seal(&digest)) => {
            sum.remove_row(&digest);
        }
        (_, Some(seal)) => sum.remove_seal(seal),
        _ => {}
    }
}

/// Removes the row that the tombstone's number names, with all that belongs to it. `false`: there is none, or it is in
/// order and another memory's.
pub(super) fn erase_damaged_row(db: &Connection, erasure: &Erasure) -> SqliteResult<bool> {
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
    subtract_row(stamp, writer.space_sum(space), adds_up);
    for (_, usage) in space_sum::read_usage_rows(db)?
        .into_iter()
        .filter(|it| it.0 == key)
    {
        writer.space_sum(space).remove_usage(key, usage);
    }
    write_rows::delete_memory_rows(db, key)?;
    embeddings::delete_memory_embeddings(db, space, number)?;
    run_statement(
        db,
        "DELETE FROM cites WHERE space = ?1 AND number = ?2",
        params![space, number],
    )?;
    // Which terms it was under is not known any more.
    writer.stale.insert(space);
    writer.bury_memory(space, tombstone, &[erasure.id(), filed], |writer, row| {
        let space = row.get(1)?;
        let digest = EventRow::from_row(row).ok().map(|it| it.digest());
        subtract_row((digest, row.get(5).ok()), writer.space_sum(space), adds_up);
        if let Some(word) = row.get::<_, String>(3).ok().and_then(|it| it.parse().ok()) {
            writer.count_event(space, word, -1);
        }
        Ok(())
    })?;
    space_sum::settle_space_sum(db, space)?;
    Ok(true)
}

fn is_intact_memory_row(
    db: &Connection,
    (id, space): (i64, &Space),
    number: u64,
) -> SqliteResult<bool> {
    let Some(memory) = read::read_memories_by_number(db, (id, space), &[number])
        .ok()
        .and_then(|mut it| it.pop())
    else {
        return Ok(false);
    };
    Ok(read::read_memory_key(db, memory.id)? == Some(memory_row_key(id, number)?))
}

/// The id that a row is filed under, and its stamp.
fn read_row_stamp(db: &Connection, key: i64) -> SqliteResult<Option<(MemoryId, RowStamp)>> {
    let stamp = |row: &Row<'_>| {
        let record = row.get_ref(1)?.as_str().ok();
        let digest = record.map(|it| Digest::hash_bytes(it.as_bytes()));
        let id = MemoryId::from_bytes(row.get(0).unwrap_or_default());
        Ok((id, (digest, row.get(2).ok())))
    };
    Ok(db
        .query_row(
            "SELECT id, record, seal FROM memory WHERE key = ?1",
            [key],
            stamp,
        )
        .optional()?)
}
