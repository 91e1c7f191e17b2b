//! The default store: one SQLite file for all spaces, written by many processes at once.
//!
//! A durable batch is on the disk when it is acknowledged (write-ahead log, `synchronous = FULL`). Writers queue at a
//! lock file, because SQLite's own waiting is unfair; readers never wait.

mod breaker_state;
mod embeddings;
mod erase;
mod erase_damaged;
mod event_traces;
mod health;
mod index;
mod index_moves;
mod index_rows;
mod migrate;
mod opened_file;
mod parallel;
pub(crate) mod query;
mod read;
mod reader_pool;
mod rows;
mod schema;
mod space_sum;
mod spaces;
mod vocabulary;
mod write;
mod write_rows;

use std::{
    collections::HashMap,
    fs::OpenOptions,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, TryLockError},
    time::Duration,
};

use apostille_core::{
    embedding::{EmbeddingModel, MemoryEmbedding},
    event::{Batch, Erasure, LoggedEvent, trace::EventTrace},
    memory::{Layer, Memory, MemoryName},
    space::Space,
    store::{
        AppendReceipt, DamagedMemory, EventLog, EventPage, MemoryFilter, MemoryKeys, Postings,
        SpaceSummary, Store, StoreError, StoreHealth, StoreResult, breaker_state::BreakerState,
    },
};
use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, ToSql, config::DbConfig};

use crate::store_errors::{
    BUSY_MS, SqliteError, SqliteResult, store_error_from_io, store_error_from_lock,
};
use apostille_files::lock::{self, StoreLock, StoreLockGuard, lock_ignoring_poison};
use opened_file::OpenedFile;
use query::run_statement;
use read::CountedSpace;
use reader_pool::ReaderPool;
use vocabulary::SpaceVocabulary;

/// How many bits of a key are the space; the number within it is above them.
const SPACE_BITS: u32 = 22;
const SPACE_MASK: i64 = (1 << SPACE_BITS) - 1;
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
    file: Arc<OpenedFile>,
    /// For those who read while another thread has the connection that writes. They are closed first: only the last
    /// connection of all can empty the log.
    readers: Option<ReaderPool>,
    db: Mutex<WriteConnection>,
    /// What was counted of each space, and how often it had changed by then.
    summaries: Mutex<HashMap<i64, CountedSpace>>,
    /// The terms of each space's index. A server is searched again and again, and a term has a row for every fifty memories.
    vocabularies: Mutex<HashMap<i64, SpaceVocabulary>>,
}

#[derive(Debug)]
struct WriteConnection {
    connection: Connection,
    file: Arc<OpenedFile>,
    queue: StoreLock,
    is_durable: bool,
    spaces: HashMap<Space, i64>,
}

impl WriteConnection {
    /// Waits in line until no other process writes.
    fn wait_in_line(
        &mut self,
        patience: Duration,
    ) -> SqliteResult<(StoreLockGuard<'_>, &Connection)> {
        let held = self.queue.wait_for_lock(patience);
        Ok((held.map_err(store_error_from_lock)?, &self.connection))
    }
}

impl Drop for WriteConnection {
    /// The last connection removes the write-ahead log by its name. Where another file has the store's name, that log is
    /// the other file's, and what was acknowledged may be in it.
    fn drop(&mut self) {
        if !self.file.is_in_place() {
            let _ = set_checkpoint_on_close(&self.connection, false);
        }
    }
}

impl SqliteStore {
    /// Opens the store, making it when it is not there. Where nothing can be written, it is opened for reading.
    pub fn open(path: &Path) -> StoreResult<Self> {
        schema::check_sqlite_library()?;
        match Self::open_writable(path) {
            Err(StoreError::ReadOnly | StoreError::Full) if path.exists() => {
                Ok(Self::open_readable(path)?)
            }
            other => other,
        }
    }

    fn open_writable(path: &Path) -> StoreResult<Self> {
        let store = Self::from_connection(path, open_or_create_database(path)?)?;
        store.ensure_current_schema()?;
        Ok(Self {
            readers: Some(ReaderPool::new(path)),
            ..store
        })
    }

    /// Opens for reading only. Without the log's side files a file that nobody can write is taken as it is.
    fn open_readable(path: &Path) -> SqliteResult<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let try_open = |immutable: &str| {
            let uri = format!("file:{}?mode=ro{immutable}", escape_uri_path(path));
            let connection = Connection::open_with_flags(uri, flags)?;
            schema::read_schema_version(&connection)?;
            Self::from_connection(path, connection)
        };
        try_open("").or_else(|_| try_open("&immutable=1"))
    }

    fn from_connection(path: &Path, connection: Connection) -> SqliteResult<Self> {
        let pragmas = "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA mmap_size = 0; \
                       PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; \
                       PRAGMA wal_autocheckpoint = 400;";
        configure_connection(&connection, pragmas)?;
        let file = Arc::new(OpenedFile::new(path));
        Ok(Self {
            path: path.into(),
            file: Arc::clone(&file),
            db: Mutex::new(WriteConnection {
                connection,
                file,
                queue: StoreLock::new(path_with_suffix(path, ".lock")),
                is_durable: true,
                spaces: HashMap::new(),
            }),
            readers: None,
            summaries: Mutex::default(),
            vocabularies: Mutex::default(),
        })
    }

    /// Makes sure that the file is a store of this version, in write-ahead mode.
    fn ensure_current_schema(&self) -> StoreResult<()> {
        if migrate::is_schema_current(&self.lock_connection().connection)? {
            return Ok(());
        }
        {
            let mut db = self.lock_connection();
            let (_held, connection) = db.wait_in_line(PATIENCE)?;
            set_pragma(connection, "journal_mode", "wal")?;
        }
        self.write_transaction(true, migrate::migrate_file)
    }

    fn lock_connection(&self) -> MutexGuard<'_, WriteConnection> {
        Self::roll_back_leftover(lock_ignoring_poison(&self.db))
    }

    fn roll_back_leftover(db: MutexGuard<'_, WriteConnection>) -> MutexGuard<'_, WriteConnection> {
        // A panic while the lock was held may have left its transaction open; nothing of it counts.
        if !db.connection.is_autocommit() {
            let _ = run_statement(&db.connection, "ROLLBACK", []);
        }
        db
    }

    /// Reads with one view of the file, for which the log's lock is taken once. Whoever finds the connection in use by
    /// another thread takes one that only reads, so that nobody waits for a writer.
    fn read_snapshot<T>(
        &self,
        look: impl FnOnce(&Connection) -> SqliteResult<T>,
    ) -> StoreResult<T> {
        let free = match self.db.try_lock() {
            Ok(db) => Some(db),
            Err(TryLockError::Poisoned(db)) => Some(db.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        let seen = match (free, &self.readers) {
            (Some(db), _) => read_in_snapshot(&Self::roll_back_leftover(db).connection, look),
            (None, Some(readers)) => readers.with_connection(|it| read_in_snapshot(it, look)),
            (None, None) => read_in_snapshot(&self.lock_connection().connection, look),
        };
        Ok(seen?)
    }

    /// Reads what a space has; nothing where nothing was ever written for it.
    fn read_space<T: Default>(
        &self,
        space: &Space,
        look: impl FnOnce(&Connection, i64) -> SqliteResult<T>,
    ) -> StoreResult<T> {
        // The number of a space, if it is known without waiting; it never changes once it is committed.
        let known = self
            .db
            .try_lock()
            .ok()
            .and_then(|it| it.spaces.get(space).copied());
        let (seen, id) = self.read_snapshot(|db| {
            let id = known.map_or_else(|| spaces::read_space_id(db, space), |id| Ok(Some(id)))?;
            Ok((id.map_or(Ok(T::default()), |id| look(db, id))?, id))
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
        change: impl FnOnce(&Connection) -> SqliteResult<T>,
    ) -> StoreResult<T> {
        let mut db = self.lock_connection();
        if db.is_durable != is_durable {
            let level = if is_durable { "FULL" } else { "NORMAL" };
            set_pragma(&db.connection, "synchronous", level)?;
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
        let (_held, connection) =
            db.wait_in_line(if is_durable { PATIENCE } else { LOG_PATIENCE })?;
        run_statement(connection, "BEGIN IMMEDIATE", [])?;
        let done = change(connection)
            .and_then(|done| run_statement(connection, "COMMIT", []).map(|()| done));
        if done.is_err() && !connection.is_autocommit() {
            run_statement(connection, "ROLLBACK", [])?;
        }
        let done = done?;
        // Looked at after the commit: what was in place before it may have been removed meanwhile.
        if self.file.is_in_place() {
            Ok(done)
        } else {
            Err(StoreError::Removed)
        }
    }

    /// Empties the write-ahead log into the file, so that no old page remains in it.
    fn checkpoint_log(&self) -> SqliteResult<()> {
        let mut db = self.lock_connection();
        let (_held, connection) = db.wait_in_line(PATIENCE)?;
        let blocked: i64 =
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if blocked == 0 {
            Ok(())
        } else {
            Err(StoreError::Busy { waited_ms: BUSY_MS }.into())
        }
    }

    /// Whether any file of the store still holds a part of this text.
    fn holds_bytes_of(&self, text: &str) -> StoreResult<bool> {
        let json = serde_json::to_string(text).unwrap_or_default();
        let pieces: Vec<&[u8]> = json
            .trim_matches('"')
            .as_bytes()
            .chunks(32)
            .filter(|it| it.len() >= 12)
            .collect();
        for path in [self.path.clone(), path_with_suffix(&self.path, "-wal")] {
            if path.exists() {
                let bytes =
                    std::fs::read(&path).map_err(store_error_from_io("cannot read the store"))?;
                if pieces.iter().any(|piece| contains_bytes(&bytes, piece)) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// What every connection is told.
fn configure_connection(connection: &Connection, pragmas: &str) -> SqliteResult<()> {
    connection.busy_timeout(Duration::from_millis(BUSY_MS))?;
    connection.set_prepared_statement_cache_capacity(64);
    // Plans do not depend on the values bound: without this, each binding prepares the statement anew.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.execute_batch(pragmas)?;
    set_cache_size(connection, CACHE)?;
    set_checkpoint_on_close(connection, false)
}

/// How much of the file may be kept at hand from now on, in KiB. What is more than that is let go.
fn set_cache_size(db: &Connection, cache: i64) -> SqliteResult<()> {
    set_pragma(db, "cache_size", -cache)
}

fn set_pragma(db: &Connection, name: &str, value: impl ToSql) -> SqliteResult<()> {
    Ok(db.pragma_update(None, name, value)?)
}

/// Looks with one view of the file.
fn read_in_snapshot<T>(
    db: &Connection,
    look: impl FnOnce(&Connection) -> SqliteResult<T>,
) -> SqliteResult<T> {
    run_statement(db, "BEGIN", [])?;
    let seen = look(db);
    run_statement(db, "COMMIT", [])?;
    seen
}

/// Opens or makes the file, its owner's alone.
pub(crate) fn open_or_create_database(path: &Path) -> SqliteResult<Connection> {
    if let Some(folder) = path.parent() {
        lock::create_private_folder(folder)
            .map_err(store_error_from_io("cannot make the store's folder"))?;
    }
    lock::set_private_mode(
        OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true),
    )
    .open(path)
    .map_err(store_error_from_io("cannot open the store"))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Connection::open_with_flags(path, flags)?)
}

/// Whether the last process to close the store empties the write-ahead log into the file. That forces the disk four
/// times, so only a process that wrote a memory does it, and none that merely looked: a hook must not wait for a disk.
fn set_checkpoint_on_close(db: &Connection, yes: bool) -> SqliteResult<()> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !yes)?;
    Ok(())
}

fn path_with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn escape_uri_path(path: &Path) -> String {
    path.to_string_lossy()
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23")
}

fn contains_bytes(bytes: &[u8], piece: &[u8]) -> bool {
    let Some(first) = piece.first() else {
        return false;
    };
    let mut starts = bytes.iter().enumerate().filter(|(_, byte)| *byte == first);
    starts.any(|(at, _)| bytes[at..].starts_with(piece))
}

fn memory_row_key(space: i64, number: u64) -> SqliteResult<i64> {
    let fits = number < 1 << (62 - SPACE_BITS) && (0..1 << SPACE_BITS).contains(&space);
    let number = to_sql_number(number)?;
    fits.then_some(number << SPACE_BITS | space)
        .ok_or_else(|| SqliteError::corrupt("a memory's number"))
}

fn to_sql_number(number: u64) -> SqliteResult<i64> {
    i64::try_from(number).map_err(|_| SqliteError::corrupt("a memory's number"))
}

impl EventLog for SqliteStore {
    fn append_batch(&self, batch: &Batch) -> StoreResult<AppendReceipt> {
        let set_cache = |cache| set_cache_size(&self.lock_connection().connection, cache);
        let is_large = batch.events().len() > LARGE_BATCH;
        if is_large {
            set_cache(LARGE_CACHE)?;
        }
        let receipt =
            self.write_transaction(batch.is_durable(), |db| write::append_batch(db, batch));
        if is_large {
            set_cache(CACHE)?;
        }
        receipt
    }

    fn erase_memory(&self, erasure: &Erasure) -> StoreResult<bool> {
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
                    .map_err(SqliteError::from)?;
                self.checkpoint_log().map_err(erasure_pending_error)?;
            }
        }
        Ok(erased)
    }

    fn forget_questions(
        &self,
        space: &Space,
        during: &RangeInclusive<Timestamp>,
    ) -> StoreResult<usize> {
        let n_asked =
            self.write_transaction(true, |db| match spaces::read_space_id(db, space)? {
                Some(space) => write::forget_questions(db, space, during),
                None => Ok(0),
            })?;
        if n_asked > 0 {
            self.checkpoint_log().map_err(erasure_pending_error)?;
        }
        Ok(n_asked)
    }

    fn get_memories(&self, keys: MemoryKeys) -> StoreResult<Vec<Memory>> {
        match keys {
            MemoryKeys::Ids(ids) => self.read_snapshot(|db| read::read_memories_by_id(db, ids)),
            MemoryKeys::Numbers(space, numbers) => self.read_space(space, |db, id| {
                read::read_memories_by_number(db, (id, space), numbers)
            }),
            MemoryKeys::Claim(space, claim) => self.read_space(space, |db, id| {
                Ok(
                    read::read_memory_by_claim(db, (id, space), claim.as_bytes())?
                        .into_iter()
                        .collect(),
                )
            }),
        }
    }

    fn list_memories(&self, filter: &MemoryFilter) -> StoreResult<Vec<Memory>> {
        self.read_snapshot(|db| read::list_memory_rows(db, filter))
    }

    fn list_active_numbers(
        &self,
        space: &Space,
        layers: &[Layer],
        most: usize,
    ) -> StoreResult<Vec<u64>> {
        self.read_space(space, |db, id| {
            read::list_active_numbers(db, id, layers, most)
        })
    }

    fn retain_active_numbers(
        &self,
        space: &Space,
        numbers: &[u64],
        layers: &[Layer],
    ) -> StoreResult<Vec<u64>> {
        self.read_space(space, |db, id| {
            read::retain_active_numbers(db, id, numbers, layers)
        })
    }

    fn list_spaces(&self) -> StoreResult<Vec<Space>> {
        self.read_snapshot(spaces::read_spaces)
    }

    fn summarize_space(&self, space: &Space) -> StoreResult<SpaceSummary> {
        self.read_space(space, |db, id| {
            let last = lock_ignoring_poison(&self.summaries).get(&id).cloned();
            let counted = CountedSpace::count_space(db, id, last)?;
            lock_ignoring_poison(&self.summaries).insert(id, counted.clone());
            Ok(counted.summary)
        })
    }

    fn read_events(&self, space: &Space, page: &EventPage) -> StoreResult<Vec<LoggedEvent>> {
        self.read_space(space, |db, id| read::read_event_rows(db, Some(id), page))
    }

    fn check_health(&self) -> StoreResult<StoreHealth> {
        let problems = health::find_store_problems(&self.lock_connection().connection)?;
        Ok(StoreHealth {
            name: format!("sqlite:{}", self.path.display()),
            problems,
        })
    }
}

impl Store for SqliteStore {
    /// Asked for every call of a server, so that it waits for no writer.
    fn is_in_place(&self) -> bool {
        self.file.is_in_place()
    }

    fn read_postings(&self, space: &Space, terms: &[String]) -> StoreResult<Postings> {
        let mut found = self.read_space(space, |db, space| {
            index::read_index_postings(db, space, terms)
        })?;
        found.lists.resize(terms.len(), Vec::new());
        Ok(found)
    }

    fn list_terms(&self, space: &Space, initial: char) -> StoreResult<Vec<String>> {
        self.read_space(space, |db, id| index::list_index_terms(db, id, initial))
    }

    fn find_terms(
        &self,
        space: &Space,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> StoreResult<Vec<String>> {
        self.read_space(space, |db, id| {
            let known = lock_ignoring_poison(&self.vocabularies).get(&id).cloned();
            let vocabulary = SpaceVocabulary::read(db, id, known)?;
            let found = vocabulary.find_terms(is_wanted);
            lock_ignoring_poison(&self.vocabularies).insert(id, vocabulary);
            Ok(found)
        })
    }

    fn read_breaker_state(&self, space: &Space, since: Timestamp) -> StoreResult<BreakerState> {
        self.read_space(space, |db, id| {
            breaker_state::read_space_breaker_state(db, id, since)
        })
    }

    /// Here the spaces share one log, which is read from its end: asking each of a thousand spaces would read it as often.
    fn latest_events(&self, limit: usize) -> StoreResult<Vec<LoggedEvent>> {
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
    ) -> StoreResult<Vec<EventTrace>> {
        self.read_space(space, |db, id| {
            event_traces::read_trace_rows(db, id, since, limit)
        })
    }

    fn read_embeddings(
        &self,
        space: &Space,
        model: &EmbeddingModel,
    ) -> StoreResult<Vec<MemoryEmbedding>> {
        self.read_space(space, |db, id| {
            embeddings::read_embedding_rows(db, id, model)
        })
    }

    fn write_embeddings(
        &self,
        space: &Space,
        model: &EmbeddingModel,
        embeddings: &[MemoryEmbedding],
    ) -> StoreResult<usize> {
        self.write_transaction(true, |db| match spaces::read_space_id(db, space)? {
            Some(id) => embeddings::write_embedding_rows(db, id, model, embeddings),
            None => Ok(0),
        })
    }

    fn remove_embeddings(&self, model: &EmbeddingModel) -> StoreResult<()> {
        self.write_transaction(true, |db| embeddings::delete_model_rows(db, model))
    }

    fn list_cited_paths(&self, space: &Space) -> StoreResult<Vec<String>> {
        self.read_space(space, read::list_cited_paths)
    }

    fn find_damaged(&self, space: &Space, name: MemoryName) -> StoreResult<Option<DamagedMemory>> {
        self.read_space(space, |db, id| {
            read::find_filed_memory(db, (id, space), name)
        })
    }
}

/// The memory is gone, but not yet its bytes: somebody still reads the state in which it was there.
fn erasure_pending_error(error: SqliteError) -> StoreError {
    match error.0 {
        error @ StoreError::Busy { .. } => {
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
