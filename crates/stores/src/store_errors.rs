//! Drivers' errors become the store's: typed where a caller can act, boxed where not.

use std::io;

use apostille_core::store::StoreError;
use rusqlite::ErrorCode;

use apostille_files::lock::LockError;

/// An IO error of a store's file.
pub(crate) fn store_error_from_io(what: &str, error: io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            StoreError::Full
        }
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => StoreError::ReadOnly,
        _ => StoreError::Unavailable {
            what: what.into(),
            source: Box::new(error),
        },
    }
}

/// A lock that was not had.
pub(crate) fn lock(error: LockError) -> StoreError {
    match error {
        LockError::Busy { waited_ms } => StoreError::Busy { waited_ms },
        LockError::Io { what, source } => store_error_from_io(what, source),
    }
}

/// An error of SQLite.
pub(crate) fn store_error_from_sqlite(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full,
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::ReadOnly,
        Some(ErrorCode::NotADatabase) => StoreError::Corrupt {
            at: "it is not a database".into(),
        },
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Corrupt {
            at: error.to_string(),
        },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Busy { waited_ms: BUSY_MS }
        }
        Some(ErrorCode::SystemIoFailure) if is_short_write(&error) => StoreError::Full,
        _ => StoreError::Unavailable {
            what: "the store cannot be used".into(),
            source: Box::new(error),
        },
    }
}

/// How long SQLite itself waits for a lock that the queue does not know of, such as a checkpoint's.
pub(crate) const BUSY_MS: u64 = 10_000;

/// A write that the system cut short: no room, under another name.
fn is_short_write(error: &rusqlite::Error) -> bool {
    const IOERR_WRITE: i32 = 778;
    matches!(error, rusqlite::Error::SqliteFailure(it, _) if it.extended_code == IOERR_WRITE)
}

/// Bytes that are not what was written.
pub(crate) fn corrupt_store_error(at: impl Into<String>) -> StoreError {
    StoreError::Corrupt { at: at.into() }
}
