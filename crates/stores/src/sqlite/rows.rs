//! Rows as they lie in the file: copied out of it first and understood afterwards, so that many are understood on several
//! threads.

use apostille_core::{
    event::{EventKind, LoggedEvent},
    format::{EventRecord, MemoryRecord, StatusRecord},
    memory::{Memory, MemoryId, Status, UsageCounts},
};
use apostille_text::digest::Digest;
use jiff::Timestamp;
use rusqlite::Row;

use super::SPACE_BITS;
use crate::row_records::{decode_event_record, record_seal};
use crate::store_errors::{SqliteError, SqliteResult};

/// A row of `memory` with its counters. What is of another type than it should be is missing.
pub(super) struct MemoryRow {
    key: i64,
    record: Option<String>,
    seal: Option<[u8; 8]>,
    usage: Option<UsageCounts>,
}

impl MemoryRow {
    /// The columns of a memory, in this order.
    pub(super) const COLUMNS: &str = "m.record, m.seal, m.key, u.recalls, u.applied, u.verified";

    pub(super) fn from_row(row: &Row) -> rusqlite::Result<Self> {
        let count = |at| Some(row.get::<_, Option<u32>>(at).ok()?.unwrap_or_default());
        let usage = || {
            Some(UsageCounts {
                recalls: count(3)?,
                applied: count(4)?,
                verified: count(5)?,
            })
        };
        Ok(Self {
            key: row.get(2)?,
            record: row.get(0).ok(),
            seal: row.get(1).ok(),
            usage: usage(),
        })
    }

    fn damaged_error(&self) -> SqliteError {
        SqliteError::corrupt(format!("the row of memory {}", self.key >> SPACE_BITS))
    }

    /// The record and its digest, where the seal fits.
    fn intact_record(&self) -> Option<(&str, Digest)> {
        let record = self.record.as_deref()?;
        let digest = Digest::hash_bytes(record.as_bytes());
        (self.seal? == record_seal(&digest)).then_some((record, digest))
    }

    /// The memory, and the digest of its record.
    pub(super) fn decode_memory(&self) -> SqliteResult<(Memory, Digest)> {
        let damaged = || self.damaged_error();
        let (record, digest) = self.intact_record().ok_or_else(damaged)?;
        let record: MemoryRecord = serde_json::from_str(record).map_err(|_| damaged())?;
        let mut memory = Memory::try_from(record).map_err(|_| damaged())?;
        if i64::try_from(memory.number) != Ok(self.key >> SPACE_BITS) {
            return Err(damaged());
        }
        memory.usage = self.usage.ok_or_else(damaged)?;
        Ok((memory, digest))
    }

    /// The same of a row that is filed under this id.
    pub(super) fn decode_memory_as(&self, id: MemoryId) -> SqliteResult<(Memory, Digest)> {
        let found = self.decode_memory()?;
        if found.0.id == id {
            Ok(found)
        } else {
            Err(self.damaged_error())
        }
    }

    /// Where the memory stands, and nothing more.
    pub(super) fn decode_status(&self) -> SqliteResult<Status> {
        let damaged = || self.damaged_error();
        let (record, _) = self.intact_record().ok_or_else(damaged)?;
        let standing: StatusRecord = serde_json::from_str(record).map_err(|_| damaged())?;
        Status::try_from(standing).map_err(|_| damaged())
    }
}

/// A row of the log.
pub(super) struct EventRow {
    pub(super) seq: i64,
    pub(super) space: i64,
    pub(super) memory: Option<Vec<u8>>,
    pub(super) name: String,
    pub(super) record: String,
}

impl EventRow {
    /// A row that begins with place, space, memory, word and record.
    pub(super) fn from_row(row: &Row) -> SqliteResult<Self> {
        let strange = |_| SqliteError::corrupt("a row of the log");
        Ok(Self {
            seq: row.get(0).map_err(strange)?,
            space: row.get(1).map_err(strange)?,
            memory: row.get(2).map_err(strange)?,
            name: row.get(3).map_err(strange)?,
            record: row.get(4).map_err(strange)?,
        })
    }

    /// When it happened; `None` where the row is damaged.
    pub(super) fn happened_at(&self) -> Option<Timestamp> {
        let record: EventRecord = serde_json::from_str(&self.record).ok()?;
        record.at.parse().ok()
    }

    /// The id of the memory that it is about.
    fn memory_id(&self) -> Option<MemoryId> {
        let id = self.memory.as_deref()?.try_into().ok()?;
        Some(MemoryId::from_bytes(id))
    }

    pub(super) fn digest(&self) -> Digest {
        let (name, record) = (self.name.as_bytes(), self.record.as_bytes());
        let memory = self.memory.as_deref().unwrap_or_default();
        let mut row = Vec::with_capacity(record.len() + name.len() + memory.len() + 26);
        row.extend(self.seq.to_le_bytes());
        row.extend(self.space.to_le_bytes());
        row.push(memory.len().min(255) as u8);
        row.extend(memory);
        row.push(name.len().min(255) as u8);
        row.extend(name);
        row.extend(record);
        Digest::hash_bytes(&row)
    }
}

/// A row of the log, with what it takes to tell of it.
pub(super) struct LoggedRow {
    row: EventRow,
    /// Its seal, where the file has them.
    seal: Option<Option<[u8; 8]>>,
    /// The memory that was remembered: its text is kept in its own row only, and told as it is now.
    memory: Option<(MemoryId, MemoryRow)>,
}

impl LoggedRow {
    /// A row; `by_id` finds the row of a memory.
    pub(super) fn from_row(
        row: &Row,
        is_sealed: bool,
        by_id: impl FnOnce(MemoryId) -> SqliteResult<Option<MemoryRow>>,
    ) -> SqliteResult<Self> {
        let event = EventRow::from_row(row)?;
        let is_remembered = event.name == EventKind::Remembered.as_str();
        let remembered = event.memory_id().filter(|_| is_remembered);
        let kept = remembered.map_or(Ok(None), by_id)?;
        Ok(Self {
            row: event,
            seal: is_sealed.then(|| row.get(5).ok()),
            memory: remembered.zip(kept),
        })
    }

    /// What happened, as it is told.
    pub(super) fn decode_event(&self) -> SqliteResult<LoggedEvent> {
        let damaged = || SqliteError::corrupt(format!("event {}", self.row.seq));
        let is_changed = |it: Option<[u8; 8]>| it != Some(record_seal(&self.row.digest()));
        if self.seal.is_some_and(is_changed) {
            return Err(damaged());
        }
        let seq = self.row.seq.try_into().map_err(|_| damaged())?;
        let kept = || {
            let (id, kept) = self.memory.as_ref()?;
            Some(kept.decode_memory_as(*id).ok()?.0)
        };
        let (event, was) = decode_event_record(&self.row.record, kept).ok_or_else(damaged)?;
        Ok(LoggedEvent { seq, event, was })
    }
}
