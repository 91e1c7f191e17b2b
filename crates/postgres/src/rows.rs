//! Rows of memories: read out of the database and understood, or said to be damaged.

use apostille_core::{
    format::MemoryRecord,
    memory::{Memory, UsageCounts},
    space::Space,
};
use apostille_stores::row_records::record_seal;
use apostille_text::digest::Digest;
use tokio_postgres::Row;

use crate::error::{PgError, PgResult};

/// The columns of a memory that are read, in this order.
pub(crate) const COLUMNS: &str =
    "record, seal, space, number, recall_count, applied_count, verification_count";

/// The memory of a row. A record that was changed by hand, or filed in another place, is damaged.
pub(crate) fn decode_memory_row(row: &Row) -> PgResult<Memory> {
    decode_memory_at(row, 0)
}

/// The same of a row whose columns of a memory begin at a place.
pub(crate) fn decode_memory_at(row: &Row, at: usize) -> PgResult<Memory> {
    let (space, number): (&str, i64) = (row.try_get(at + 2)?, row.try_get(at + 3)?);
    let damaged = || PgError::corrupt(format!("the row of memory {number} of {space}"));
    let (record, seal): (&str, &[u8]) = (row.try_get(at)?, row.try_get(at + 1)?);
    if seal != record_seal(&Digest::hash_bytes(record.as_bytes())) {
        return Err(damaged());
    }
    let record: MemoryRecord = serde_json::from_str(record).map_err(|_| damaged())?;
    let mut memory = Memory::try_from(record).map_err(|_| damaged())?;
    if memory.number.cast_signed() != number || memory.space.as_str() != space {
        return Err(damaged());
    }
    memory.usage = UsageCounts {
        recalls: clamp_count(row.try_get(at + 4)?),
        applied: clamp_count(row.try_get(at + 5)?),
        verified: clamp_count(row.try_get(at + 6)?),
    };
    Ok(memory)
}

fn clamp_count(n: i64) -> u32 {
    u32::try_from(n.max(0)).unwrap_or(u32::MAX)
}

/// The memories of rows; a damaged one is left out, so that it does not take the others away. `check_health` names it.
pub(crate) fn decode_memory_rows(rows: &[Row]) -> PgResult<Vec<Memory>> {
    let mut memories = Vec::with_capacity(rows.len());
    for row in rows {
        memories.extend(skip_damaged(decode_memory_row(row))?);
    }
    Ok(memories)
}

/// What is damaged is not told as if it had been written.
pub(crate) fn skip_damaged<T>(found: PgResult<T>) -> PgResult<Option<T>> {
    match found {
        Err(PgError::Store(apostille_core::store::StoreError::Corrupt { .. })) => Ok(None),
        other => other.map(Some),
    }
}

/// A text as a column of text can hold it: Postgres has no room for a zero character. The record keeps it.
pub(crate) fn column_text(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// What the column `repo` says: the name that people know, without the host.
pub(crate) fn repo_column(space: &Space) -> String {
    space.to_string()
}
