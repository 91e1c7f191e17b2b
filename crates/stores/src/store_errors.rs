//! Drivers' errors become the store's: typed where a caller can act, boxed where not.

use std::io;

use apostille_core::store::{StoreError, StoreResult};
use rusqlite::ErrorCode;
use serde::Serialize;

use crate::packed::DamagedBlob;
use apostille_files::lock::LockError;

/// Makes the store's error of an IO error of its file; `what` was tried.
pub(crate) fn store_error_from_io(what: &str) -> impl Fn(io::Error) -> StoreError + Copy {
    move |error| match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            StoreError::Full
        }
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => StoreError::ReadOnly,
        _ => StoreError::Unavailable {
            what: what.into(),
            source: error.into(),
        },
    }
}

/// A record as JSON; `what` is for the message.
pub(crate) fn encode_json(what: &str, record: &impl Serialize) -> StoreResult<String> {
    serde_json::to_string(record).map_err(|error| StoreError::Unavailable {
        what: format!("{what} cannot be written as JSON"),
        source: error.into(),
    })
}

/// A lock that was not had.
pub(crate) fn store_error_from_lock(error: LockError) -> StoreError {
    match error {
        LockError::Busy { waited_ms } => StoreError::Busy { waited_ms },
        LockError::Io { what, source } => store_error_from_io(what)(source),
    }
}

/// The port's error, inside the SQLite store: `?` makes one of a driver's error as well, which only a type of this crate
/// can be taught.
#[derive(Debug)]
pub(crate) struct SqliteError(pub(crate) StoreError);

pub(crate) type SqliteResult<T> = Result<T, SqliteError>;

impl SqliteError {
    /// Bytes that are not what was written.
    pub(crate) fn corrupt(at: impl Into<String>) -> Self {
        Self(StoreError::Corrupt { at: at.into() })
    }
}

impl From<DamagedBlob> for SqliteError {
    fn from(damaged: DamagedBlob) -> Self {
        Self::corrupt(damaged.to_string())
    }
}

impl From<StoreError> for SqliteError {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

impl From<SqliteError> for StoreError {
    fn from(error: SqliteError) -> Self {
        error.0
    }
}

impl From<rusqlite::Error> for SqliteError {
    fn from(error: rusqlite::Error) -> Self {
        Self(match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StoreError::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::ReadOnly,
            Some(ErrorCode::NotADatabase) => return Self::corrupt("it is not a database"),
            Some(ErrorCode::DatabaseCorrupt) => return Self::corrupt(error.to_string()),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::Busy { waited_ms: BUSY_MS }
            }
            Some(ErrorCode::SystemIoFailure) if is_short_write(&error) => StoreError::Full,
            _ => StoreError::Unavailable {
                what: "the store cannot be used".into(),
                source: error.into(),
            },
        })
    }
}

/// How long SQLite itself waits for a lock that the queue does not know of, such as a checkpoint's.
pub(crate) const BUSY_MS: u64 = 10_000;

/// A write that the system cut short: no room, under another name.
fn is_short_write(error: &rusqlite::Error) -> bool {
    const IOERR_WRITE: i32 = 778;
    matches!(error, rusqlite::Error::SqliteFailure(it, _) if it.extended_code == IOERR_WRITE)
}
