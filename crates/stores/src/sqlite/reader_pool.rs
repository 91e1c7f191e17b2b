//! Connections that only read, for processes in which several threads ask at once. A process with one thread has none.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use apostille_files::lock::lock_ignoring_poison;
use rusqlite::{Connection, OpenFlags};

use crate::store_errors::SqliteResult;

/// How many are kept when nobody uses them.
const KEPT: usize = 4;

/// Connections that only read.
#[derive(Debug)]
pub(super) struct ReaderPool {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl ReaderPool {
    /// None yet, of this file.
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.into(),
            idle: Mutex::default(),
        }
    }

    /// Looks through one of them. One that failed is not used again.
    pub(super) fn with_connection<T>(
        &self,
        look: impl FnOnce(&Connection) -> SqliteResult<T>,
    ) -> SqliteResult<T> {
        let idle = lock_ignoring_poison(&self.idle).pop();
        let connection = idle.map_or_else(|| self.open_connection(), Ok)?;
        let seen = look(&connection)?;
        let mut idle = lock_ignoring_poison(&self.idle);
        if idle.len() < KEPT {
            idle.push(connection);
        }
        Ok(seen)
    }

    fn open_connection(&self) -> SqliteResult<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        let pragmas = "PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; \
                       PRAGMA trusted_schema = OFF; PRAGMA query_only = ON;";
        super::configure_connection(&connection, pragmas)?;
        Ok(connection)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use apostille_core::store::{EventLog as _, MemoryFilter};

    use super::super::SqliteStore;

    /// Whoever holds the connection that writes keeps no reader waiting.
    #[test]
    fn a_reader_does_not_wait_for_a_writer() {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&dir.path().join("m.db")).unwrap();
        let held = store.lock_connection();
        let (told, seen) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(|| {
                told.send(
                    store
                        .list_memories(&MemoryFilter {
                            limit: 9,
                            ..MemoryFilter::default()
                        })
                        .unwrap(),
                )
            });
            assert_eq!(seen.recv().unwrap(), Vec::new());
        });
        drop(held);
        assert_eq!(
            store.readers.as_ref().unwrap().idle.lock().unwrap().len(),
            1
        );
    }
}
