//! The default store: one SQLite file for all spaces, written by many processes at once.
//!
//! A durable batch is on the disk when it is acknowledged (write-ahead log, `synchronous = FULL`). Writers queue at a
//! lock file, because SQLite's own waiting is unfair; readers never wait.

mod breaker_state;
mod erase;
mod erase_damaged;
mod event_traces;
mod health;
mod index;
mod index_moves;
mod migrate;
mod pack;
mod parallel;
mod read;
mod reader_pool;
mod rows;
mod schema;
mod space_sum;
mod spaces;
mod write;
mod write_rows;

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use apostille_core::event::trace::EventTrace;
use apostille_core::event::{Batch, Erasure, LoggedEvent};
use apostille_core::memory::{Memory, MemoryName};
use apostille_core::space::Space;
use apostille_core::store::breaker_state::BreakerState;
use apostille_core::store::{
    AppendReceipt, DamagedMemory, EventLog, EventPage, MemoryFilter, MemoryKeys, Postings,
    SpaceSummary, Store, StoreError, StoreHealth,
};
use apostille_text::digest::Digest;
use jiff::Timestamp;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::store_errors::{
    BUSY_MS, corrupt_store_error, store_error_from_io, store_error_from_sqlite,
};
use apostille_files::lock;
use apostille_files::lock::StoreLock;
use read::CountedSpace;
use reader_pool::ReaderPool;

/// How many bits of a key are the space; the number within it is above them.
const SPACE_BITS: u32 = 22;
/// How long a write waits in line.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a log entry that nobody waits for waits in line.
const LOG_PATIENCE: Duration = Duration::from_millis(100);

/// How much of the file is kept at hand, in KiB.
const CACHE: i64 = 6_000;
/// The same while a large batch is written: it comes back to the same pages again and again, and one that was put out
/// meanwhile is written and read anew each time.
const LARGE_CACHE: i64 = 96_000;
/// How many events make a batch large.
const LARGE_BATCH: usize = 4_096;

/// How long the write-ahead log may be before a process that merely looked empties it, in bytes.
const LONG_LOG: u64 = 1024 * 1024;

/// Memories in a SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    /// For those who read while another thread has the connection that writes. They are closed first: only the last
    /// connection of all can empty the log.
    readers: Option<ReaderPool>,
    db: Mutex<WriteConnection>,
    /// What was counted of each space, and how often it had changed by then.
    summaries: Mutex<HashMap<i64, CountedSpace>>,
}

#[derive(Debug)]
struct WriteConnection {
    connection: Connection,
    queue: StoreLock,
    is_durable: bool,
    spaces: HashMap<Space, i64>,
}

impl SqliteStore {
    /// Opens the store, making it when it is not there. Where nothing can be written, it is opened for reading.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        schema::check_sqlite_library()?;
        match Self::open_writable(path) {
            Err(StoreError::ReadOnly | StoreError::Full) if path.exists() => {
                Self::open_readable(path)
            }
            other => other,
        }
    }

    fn open_writable(path: &Path) -> Result<Self, StoreError> {
        let store = Self::from_connection(path, open_or_create_database(path)?)?;
        store.ensure_current_schema()?;
        Ok(Self {
            readers: Some(ReaderPool::new(path)),
            ..store
        })
    }

    /// Opens for reading only. Without the log's side files a file that nobody can write is taken as it is.
    fn open_readable(path: &Path) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let try_open = |immutable: &str| {
            let uri = format!("file:{}?mode=ro{immutable}", escape_uri_path(path));
            let connection =
                Connection::open_with_flags(uri, flags).map_err(store_error_from_sqlite)?;
            schema::read_schema_version(&connection)?;
            Self::from_connection(path, connection)
        };
        try_open("").or_else(|_| try_open("&immutable=1"))
    }

    fn from_connection(path: &Path, connection: Connection) -> Result<Self, StoreError> {
        configure_connection(&connection)?;
        let pragmas = "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA mmap_size = 0; \
                       PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; \
                       PRAGMA wal_autocheckpoint = 400;";
        connection
            .execute_batch(pragmas)
            .map_err(store_error_from_sqlite)?;
        connection
            .pragma_update(None, "cache_size", -CACHE)
            .map_err(store_error_from_sqlite)?;
        set_checkpoint_on_close(&connection, false)?;
        let queue = StoreLock::new(path_with_suffix(path, ".lock"));
        Ok(Self {
            path: path.into(),
            db: Mutex::new(WriteConnection {
                connection,
                queue,
                is_durable: true,
                spaces: HashMap::new(),
            }),
            readers: None,
            summaries: Mutex::default(),
        })
    }

    /// Makes sure that the file is a store of this version, in write-ahead mode.
    fn ensure_current_schema(&self) -> Result<(), StoreError> {
        if migrate::is_schema_current(&self.lock_connection().connection)? {
            return Ok(());
        }
        {
            let mut db = self.lock_connection();
            let WriteConnection {
                connection, queue, ..
            } = &mut *db;
            let _held = queue
                .wait_for_lock(PATIENCE)
                .map_err(crate::store_errors::lock)?;
            connection
                .pragma_update(None, "journal_mode", "wal")
                .map_err(store_error_from_sqlite)?;
        }
        self.write_transaction(true, migrate::migrate_file)
    }

    fn lock_connection(&self) -> MutexGuard<'_, WriteConnection> {
        Self::roll_back_leftover(self.db.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn roll_back_leftover(db: MutexGuard<'_, WriteConnection>) -> MutexGuard<'_, WriteConnection> {
        // A panic while the lock was held may have left its transaction open; nothing of it counts.
        if !db.connection.is_autocommit() {
            let _ = run_statement(&db.connection, "ROLLBACK");
        }
        db
    }

    /// Reads with one view of the file, for which the log's lock is taken once. Whoever finds the connection in use by
    /// another thread takes one that only reads, so that nobody waits for a writer.
    fn read_snapshot<T>(
        &self,
        look: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let free = match self.db.try_lock() {
            Ok(db) => Some(db),
            Err(TryLockError::Poisoned(db)) => Some(db.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        match (free, &self.readers) {
            (Some(db), _) => read_in_snapshot(&Self::roll_back_leftover(db).connection, look),
            (None, Some(readers)) => readers.with_connection(|it| read_in_snapshot(it, look)),
            (None, None) => read_in_snapshot(&self.lock_connection().connection, look),
        }
    }

    /// The number of a space, if it is known without waiting; it never changes once it is committed.
    fn cached_space_id(&self, space: &Space) -> Option<i64> {
        self.db
            .try_lock()
            .ok()
            .and_then(|it| it.spaces.get(space).copied())
    }

    /// Reads what a space has; `none` where nothing was ever written for it.
    fn read_space<T>(
        &self,
        space: &Space,
        none: T,
        look: impl FnOnce(&Connection, i64) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let known = self.cached_space_id(space);
        let (seen, id) = self.read_snapshot(|db| {
            let id = known.map_or_else(|| spaces::read_space_id(db, space), |id| Ok(Some(id)))?;
            Ok((id.map_or(Ok(none), |id| look(db, id))?, id))
        })?;
        if let (None, Some(id), Ok(mut db)) = (known, id, self.db.try_lock()) {
            db.spaces.insert(space.clone(), id);
        }
        Ok(seen)
    }

    /// Runs a change in one transaction, alone.
    fn write_transaction<T>(
        &self,
        is_durable: bool,
        change: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut db = self.lock_connection();
        if db.is_durable != is_durable {
            let level = if is_durable { "FULL" } else { "NORMAL" };
            db.connection
                .pragma_update(None, "synchronous", level)
                .map_err(store_error_from_sqlite)?;
            db.is_durable = is_durable;
        }
        // A process that finds no other one reads the whole log to know what is in it. So that many which only look do not
        // let it grow without end, one of them empties it now and then.
        let is_long = || {
            std::fs::metadata(path_with_suffix(&self.path, "-wal"))
                .is_ok_and(|it| it.len() > LONG_LOG)
        };
        if is_durable || is_long() {
            set_checkpoint_on_close(&db.connection, true)?;
        }
        let WriteConnection {
            connection, queue, ..
        } = &mut *db;
        let _held = queue
            .wait_for_lock(if is_durable { PATIENCE } else { LOG_PATIENCE })
            .map_err(crate::store_errors::lock)?;
        run_statement(connection, "BEGIN IMMEDIATE")?;
        let done =
            change(connection).and_then(|done| run_statement(connection, "COMMIT").map(|()| done));
        if done.is_err() && !connection.is_autocommit() {
            run_statement(connection, "ROLLBACK")?;
        }
        done
    }

    /// How much of the file may be kept at hand from now on, in KiB. What is more than that is let go.
    fn set_cache_size(&self, cache: i64) -> Result<(), StoreError> {
        self.lock_connection()
            .connection
            .pragma_update(None, "cache_size", -cache)
            .map_err(store_error_from_sqlite)
    }

    /// Empties the write-ahead log into the file, so that no old page remains in it.
    fn checkpoint_log(&self) -> Result<(), StoreError> {
        let mut db = self.lock_connection();
        let WriteConnection {
            connection, queue, ..
        } = &mut *db;
        let _held = queue
            .wait_for_lock(PATIENCE)
            .map_err(crate::store_errors::lock)?;
        let busy = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
        let blocked = connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], busy)
            .map_err(store_error_from_sqlite)?;
        if blocked == 0 {
            Ok(())
        } else {
            Err(StoreError::Busy { waited_ms: BUSY_MS })
        }
    }

    /// Whether any file of the store still holds a part of this text.
    fn holds_bytes_of(&self, text: &str) -> Result<bool, StoreError> {
        let json = serde_json::to_string(text).unwrap_or_default();
        let pieces: Vec<&[u8]> = json
            .trim_matches('"')
            .as_bytes()
            .chunks(32)
            .filter(|it| it.len() >= 12)
            .collect();
        for path in [self.path.clone(), path_with_suffix(&self.path, "-wal")] {
            if path.exists() {
                let bytes = std::fs::read(&path)
                    .map_err(|error| store_error_from_io("cannot read the store", error))?;
                if pieces.iter().any(|piece| contains_bytes(&bytes, piece)) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// What every connection is told.
fn configure_connection(connection: &Connection) -> Result<(), StoreError> {
    connection
        .busy_timeout(Duration::from_millis(BUSY_MS))
        .map_err(store_error_from_sqlite)?;
    connection.set_prepared_statement_cache_capacity(64);
    // Plans do not depend on the values bound: without this, each binding prepares the statement anew.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map_err(store_error_from_sqlite)?;
    Ok(())
}

/// Looks with one view of the file.
fn read_in_snapshot<T>(
    db: &Connection,
    look: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    run_statement(db, "BEGIN")?;
    let seen = look(db);
    run_statement(db, "COMMIT")?;
    seen
}

/// Opens or makes the file, its owner's alone.
fn open_or_create_database(path: &Path) -> Result<Connection, StoreError> {
    if let Some(folder) = path.parent() {
        lock::create_private_folder(folder)
            .map_err(|error| store_error_from_io("cannot make the store's folder", error))?;
    }
    lock::set_private_mode(
        OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true),
    )
    .open(path)
    .map_err(|error| store_error_from_io("cannot open the store", error))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).map_err(store_error_from_sqlite)
}

/// Runs a statement that brings no rows, prepared once.
fn run_statement(db: &Connection, sql: &str) -> Result<(), StoreError> {
    db.prepare_cached(sql)
        .and_then(|mut it| it.execute([]))
        .map(drop)
        .map_err(store_error_from_sqlite)
}

/// Whether the last process to close the store empties the write-ahead log into the file. That forces the disk four
/// times, so only a process that wrote a memory does it, and none that merely looked: a hook must not wait for a disk.
fn set_checkpoint_on_close(db: &Connection, yes: bool) -> Result<(), StoreError> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !yes)
        .map_err(store_error_from_sqlite)?;
    Ok(())
}

fn path_with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn escape_uri_path(path: &Path) -> String {
    let text = path.to_string_lossy();
    text.chars()
        .flat_map(|c| match c {
            '?' => "%3f".chars().collect::<Vec<_>>(),
            '#' => "%23".chars().collect(),
            '%' => "%25".chars().collect(),
            _ => vec![c],
        })
        .collect()
}

fn contains_bytes(bytes: &[u8], piece: &[u8]) -> bool {
    let Some(first) = piece.first() else {
        return false;
    };
    let starts = bytes.iter().enumerate().filter(|(_, byte)| *byte == first);
    starts
        .into_iter()
        .any(|(at, _)| bytes[at..].starts_with(piece))
}

fn memory_row_key(space: i64, number: u64) -> Result<i64, StoreError> {
    let fits = number < 1 << (62 - SPACE_BITS) && (0..1 << SPACE_BITS).contains(&space);
    let number = i64::try_from(number).map_err(|_| corrupt_store_error("a memory's number"))?;
    if fits {
        Ok(number << SPACE_BITS | space)
    } else {
        Err(corrupt_store_error("a memory's number"))
    }
}

/// The beginning of a row's SHA-256: a row changed behind our back does not match it.
fn row_seal(digest: &Digest) -> [u8; 8] {
    let mut seal = [0; 8];
    seal.copy_from_slice(&digest.as_bytes()[..8]);
    seal
}

impl EventLog for SqliteStore {
    fn append_batch(&self, batch: &Batch) -> Result<AppendReceipt, StoreError> {
        let is_large = batch.events().len() > LARGE_BATCH;
        if is_large {
            self.set_cache_size(LARGE_CACHE)?;
        }
        let receipt =
            self.write_transaction(batch.is_durable(), |db| write::append_batch(db, batch));
        if is_large {
            self.set_cache_size(CACHE)?;
        }
        receipt
    }

    fn erase_memory(&self, erasure: &Erasure) -> Result<bool, StoreError> {
        let text = match self.get_memories(MemoryKeys::Ids(&[erasure.id()])) {
            Ok(found) => found.into_iter().next().map(|it| it.fact),
            Err(StoreError::Corrupt { .. }) => None,
            Err(error) => return Err(error),
        };
        let erased = self.write_transaction(true, |db| erase::erase_memory_rows(db, erasure))?;
        if erased {
            self.checkpoint_log().map_err(erasure_pending_error)?;
            // SQLite zeroes what it frees, but a page it rebuilt may keep a stale copy: look, and only then rewrite. Of
            // what cannot be read nobody knows what to look for.
            if text.map_or(Ok(true), |it| self.holds_bytes_of(&it))? {
                self.lock_connection()
                    .connection
                    .execute_batch("VACUUM")
                    .map_err(store_error_from_sqlite)?;
                self.checkpoint_log().map_err(erasure_pending_error)?;
            }
        }
        Ok(erased)
    }

    fn get_memories(&self, keys: MemoryKeys<'_>) -> Result<Vec<Memory>, StoreError> {
        match keys {
            MemoryKeys::Ids(ids) => self.read_snapshot(|db| read::read_memories_by_id(db, ids)),
            MemoryKeys::Numbers(space, numbers) => self.read_space(space, Vec::new(), |db, id| {
                read::read_memories_by_number(db, (id, space), numbers)
            }),
            MemoryKeys::Claim(space, claim) => self.read_space(space, Vec::new(), |db, id| {
                let found = read::read_memory_by_claim(db, (id, space), claim.as_bytes())?;
                Ok(found.into_iter().collect())
            }),
        }
    }

    fn list_memories(&self, filter: &MemoryFilter) -> Result<Vec<Memory>, StoreError> {
        self.read_snapshot(|db| read::list_memory_rows(db, filter))
    }

    fn list_spaces(&self) -> Result<Vec<Space>, StoreError> {
        self.read_snapshot(spaces::read_spaces)
    }

    fn summarize_space(&self, space: &Space) -> Result<SpaceSummary, StoreError> {
        let known = |id: i64| {
            self.summaries
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get(&id)
                .cloned()
        };
        let counted = self.read_space(space, None, |db, id| {
            Ok(Some((id, CountedSpace::count_space(db, id, known(id))?)))
        })?;
        let Some((id, counted)) = counted else {
            return Ok(SpaceSummary::default());
        };
        self.summaries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id, counted.clone());
        Ok(counted.summary)
    }

    fn read_events(&self, space: &Space, page: &EventPage) -> Result<Vec<LoggedEvent>, StoreError> {
        self.read_space(space, Vec::new(), |db, id| {
            read::read_event_rows(db, Some(id), page)
        })
    }

    fn check_health(&self) -> Result<StoreHealth, StoreError> {
        let problems = health::find_store_problems(&self.lock_connection().connection)?;
        Ok(StoreHealth {
            name: format!("sqlite:{}", self.path.display()),
            problems,
        })
    }
}

impl Store for SqliteStore {
    fn read_postings(&self, space: &Space, terms: &[String]) -> Result<Postings, StoreError> {
        let none = Postings {
            lists: vec![Vec::new(); terms.len()],
            ..Postings::default()
        };
        self.read_space(space, none, |db, space| {
            index::read_index_postings(db, space, terms)
        })
    }

    fn list_terms(&self, space: &Space, initial: char) -> Result<Vec<String>, StoreError> {
        self.read_space(space, Vec::new(), |db, space| {
            index::list_index_terms(db, space, initial)
        })
    }

    fn read_breaker_state(
        &self,
        space: &Space,
        since: Timestamp,
    ) -> Result<BreakerState, StoreError> {
        self.read_space(space, BreakerState::default(), |db, space| {
            breaker_state::read_space_breaker_state(db, space, since)
        })
    }

    /// Here the spaces share one log, which is read from its end: asking each of a thousand spaces would read it as often.
    fn latest_events(&self, limit: usize) -> Result<Vec<LoggedEvent>, StoreError> {
        let page = EventPage {
            newest_first: true,
            limit,
            ..EventPage::default()
        };
        self.read_snapshot(|db| read::read_event_rows(db, None, &page))
    }

    fn read_event_traces(
        &self,
        space: &Space,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<EventTrace>, StoreError> {
        self.read_space(space, Vec::new(), |db, id| {
            event_traces::read_trace_rows(db, id, since, limit)
        })
    }

    fn find_damaged(
        &self,
        space: &Space,
        name: MemoryName,
    ) -> Result<Option<DamagedMemory>, StoreError> {
        let found = self.read_space(space, None, |db, id| {
            read::read_filed_id_and_number(db, id, name)
        })?;
        Ok(found.map(|(id, number)| DamagedMemory {
            id,
            space: space.clone(),
            number,
        }))
    }
}

/// The memory is gone, but not yet its bytes: somebody still reads the state in which it was there.
fn erasure_pending_error(error: StoreError) -> StoreError {
    match error {
        StoreError::Busy { .. } => {
            let what = "it is forgotten, but another program still reads the store as it was: the bytes go when that \
                        program has ended and something is written";
            StoreError::Unavailable {
                what: what.into(),
                source: error.into(),
            }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of version 1 where nothing can be written is not brought up to date, and can be read all the same.
    #[test]
    fn an_old_file_that_cannot_be_written_is_read() {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1.db");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v1.db");
        std::fs::copy(&golden, &path).unwrap();
        let store = SqliteStore::open_readable(&path).unwrap();
        assert_eq!(
            schema::read_schema_version(&store.lock_connection().connection).unwrap(),
            1
        );
        let space = "acme/shop".parse().unwrap();
        assert_eq!(
            store
                .list_memories(&MemoryFilter {
                    limit: 9,
                    ..MemoryFilter::default()
                })
                .unwrap()
                .len(),
            3
        );
        assert!(
            !store
                .read_events(
                    &space,
                    &EventPage {
                        limit: 99,
                        ..EventPage::default()
                    }
                )
                .unwrap()
                .is_empty()
        );
        assert_eq!(
            store
                .summarize_space(&space)
                .unwrap()
                .count_events("remembered"),
            3
        );
        let watch = store
            .read_breaker_state(&space, Timestamp::UNIX_EPOCH)
            .unwrap();
        assert_eq!((watch.recent, watch.open), (3, Vec::new()));
    }
}
