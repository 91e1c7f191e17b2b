//! Memory in the repository: a file of lines, reviewed and merged like code.
//!
//! Each line is one batch of events with a checksum; the state is what the lines fold into. What was merely shown goes
//! to a file beside it (`memories.local.jsonl`), so that reading a memory never changes a file under version control.
//! A plain notebook's `memories.jsonl` opens as it is. Lines that cannot be read are kept and reported, never dropped.
//!
//! A line that somebody edited does not match its checksum: it counts for nothing and is reported. A line that somebody
//! took out is not noticed here, because merging branches adds and removes lines all the time; git says who did it.
//!
//! The order of lines means nothing, since a merge puts them in any order: batches are folded in the order of their times.
//! A line that is newer than everything read so far is folded in at the end, which is the usual case and costs one line.
//! Anything else (an older line, a file that became another one, a number that collides) makes the state be folded anew from
//! the beginning. That is slow and always right, and it happens after a `git pull`, not during work.
//!
//! Writers take turns with a lock on a file beside this one, read what is new, check that what they decided on is still so,
//! append one line and sync it. Readers take no lock at all: a line without its end is not there yet. What was merely
//! shown goes to the local file without a sync; losing the last of it in a crash loses a statistic.
//!
//! To forget rewrites the file, for a line that only says "forgotten" would leave the words in it. What was committed before
//! stays in git's history: nothing that runs here can take back what was pushed.

mod embedding_file;
mod foreign;
mod line;
mod line_file;
mod merge;

use std::{
    collections::BTreeMap,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard},
    time::Duration,
};

use apostille_core::{
    embedding::{EmbeddingModel, MemoryEmbedding},
    event::{Batch, Erasure, Event, EventBody, LoggedEvent, trace::EventTrace},
    memory::{MAX_NUMBER, Memory},
    space::Space,
    store::{
        AppendReceipt, EventLog, EventPage, MemoryFilter, MemoryKeys, Postings, SpaceSummary,
        Store, StoreError, StoreHealth, StoreResult, breaker_state::BreakerState,
        state::StoreState,
    },
};
use jiff::Timestamp;

use crate::store_errors::{store_error_from_io, store_error_from_lock};
use apostille_files::lock::{self, StoreLock, lock_ignoring_poison};
use embedding_file::EmbeddingFile;
use foreign::HeldMemories;
use line::ParsedLine;
use line_file::LineFile;
use merge::{TimedBatch, Tombstones};

/// How long a write waits in line.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a log entry that nobody waits for waits in line.
const LOG_PATIENCE: Duration = Duration::from_millis(100);

/// How large a file may be that came with a repository: some hundred thousand memories.
const MAX_REPOSITORY_FILE: u64 = 128 * 1024 * 1024;

/// Memories in a file of lines.
#[derive(Debug)]
pub struct JsonlStore {
    path: PathBuf,
    queue: Mutex<StoreLock>,
    read: Mutex<JsonlState>,
    embeddings: Option<EmbeddingFile>,
}

/// Whose lines they are, and what was read of the files so far.
#[derive(Debug)]
struct JsonlState {
    /// Where lines of a plain notebook belong.
    repo: Space,
    /// Whether the file came with the repository: then it speaks for that repository alone, and what it says is moderated
    /// as if it were said now.
    is_foreign: bool,
    state: StoreState,
    shared: LineFile,
    local: LineFile,
    last_at: Timestamp,
    /// What a repository's file holds and nothing in that file lets out.
    held: HeldMemories,
    /// What was forgotten.
    graves: Tombstones,
    problems: Vec<String>,
    /// Whether some line of the shared file is one of ours, as far as it was read; and whether some line is not.
    has_own_line: bool,
    has_other_line: bool,
    /// Whether the first line that is not empty is one of ours; `None` where there is none yet.
    begins_with_own_line: Option<bool>,
}

impl JsonlStore {
    /// Opens the file, which need not be there yet. Lines of a plain notebook belong to `repo`.
    pub fn open(path: &Path, repo: &Space) -> StoreResult<Self> {
        let store = Self::new(path, repo, false);
        drop(store.refresh_state()?);
        Ok(store)
    }

    /// Opens a file that the repository itself names, and whoever wrote the repository may have written: no link is
    /// followed, lines of other spaces count for nothing, and what is read is moderated as if it were said now. A file that
    /// holds something else than memories is neither read nor written. One that cannot be read says so when it is asked,
    /// and not before anything else is.
    pub fn open_from_repository(path: &Path, repo: &Space) -> StoreResult<Self> {
        Ok(Self::new(path, repo, true))
    }

    /// The same, with a folder to keep vectors in. They are never beside the file, where git would find them.
    #[must_use]
    pub fn with_embedding_folder(mut self, folder: Option<&Path>) -> Self {
        self.embeddings = folder.map(|it| EmbeddingFile::new(it, &self.path));
        self
    }

    fn new(path: &Path, repo: &Space, is_foreign: bool) -> Self {
        let max_len = if is_foreign {
            MAX_REPOSITORY_FILE
        } else {
            u64::MAX
        };
        Self {
            path: path.into(),
            queue: Mutex::new(StoreLock::new(path.with_extension("lock"))),
            read: Mutex::new(JsonlState {
                repo: repo.clone(),
                is_foreign,
                state: StoreState::default(),
                shared: LineFile::new(path.into(), !is_foreign, max_len),
                local: LineFile::new(path.with_extension("local.jsonl"), false, max_len),
                last_at: Timestamp::MIN,
                held: HeldMemories::default(),
                graves: Tombstones::default(),
                problems: Vec::new(),
                has_own_line: false,
                has_other_line: false,
                begins_with_own_line: None,
            }),
            embeddings: None,
        }
    }

    /// The state, with what other processes wrote meanwhile.
    fn refresh_state(&self) -> StoreResult<MutexGuard<'_, JsonlState>> {
        // A panic while the lock was held leaves a reading that the files' marks no longer match at worst.
        let mut reading = lock_ignoring_poison(&self.read);
        reading.catch_up()?;
        Ok(reading)
    }

    /// Does something while no other process writes.
    fn with_write_lock<T>(
        &self,
        patience: Duration,
        act: impl FnOnce() -> StoreResult<T>,
    ) -> StoreResult<T> {
        // Beside a file that is no store, not even a lock is put.
        drop(self.refresh_state()?);
        if let Some(folder) = self.path.parent().filter(|it| !it.as_os_str().is_empty()) {
            lock::create_private_folder(folder)
                .map_err(store_error_from_io("cannot make the store's folder"))?;
        }
        let mut queue = lock_ignoring_poison(&self.queue);
        let _held = queue
            .wait_for_lock(patience)
            .map_err(store_error_from_lock)?;
        act()
    }

    fn append_locked(&self, batch: &Batch) -> StoreResult<AppendReceipt> {
        lock_ignoring_poison(&self.read).check_spaces(batch)?;
        let mut reading = self.refresh_state()?;
        reading.state.check_preconditions(batch.preconditions())?;
        reading.check_approvals(batch)?;
        if batch.is_durable() && reading.graves.is_haunted {
            // What was forgotten in another clone came back with a merge.
            let gone = &reading.graves.forgotten;
            let strip = |it: &str| line::strip_memories_from_line(it, gone, &reading.repo);
            reading.rewrite_files(&strip, "")?;
            reading.reload_files()?;
        }
        let events = number_new_memories(&reading.state, batch.events())?;
        let tape = if batch.is_durable() {
            &reading.shared
        } else {
            &reading.local
        };
        let line = line::format_batch_line(&events, reading.last_at)?;
        tape.append_line(&line, batch.is_durable())
            .map_err(store_error_from_io("cannot write the store"))?;
        reading.catch_up()?;
        let memories = events.iter().filter_map(merge::remembered_memory);
        Ok(AppendReceipt {
            numbers: memories.map(|it| (it.id, it.number)).collect(),
        })
    }

    /// Drops the vectors of a memory that is forgotten.
    fn drop_embeddings_of(&self, erasure: &Erasure) -> StoreResult<()> {
        let tombstone = erasure.tombstone();
        let (Some(file), EventBody::Forgotten { number, .. }) = (&self.embeddings, &tombstone.what)
        else {
            return Ok(());
        };
        let mut rows = file.read_rows();
        let n = rows.len();
        rows.retain(|key, _| (&key.0, &key.2) != (&tombstone.space, number));
        if rows.len() == n {
            return Ok(());
        }
        file.write_rows(&rows)
    }

    fn write_embeddings_locked(
        &self,
        file: &EmbeddingFile,
        (space, model): (&Space, &EmbeddingModel),
        embeddings: &[MemoryEmbedding],
    ) -> StoreResult<usize> {
        let reading = self.refresh_state()?;
        let mut rows = file.read_rows();
        rows.retain(|(it, _, number), _| it != space || reading.state.is_active(it, *number));
        let active = embeddings
            .iter()
            .filter(|it| reading.state.is_active(space, it.number));
        let mut n_kept = 0;
        for it in active {
            rows.insert((space.clone(), model.clone(), it.number), it.clone());
            n_kept += 1;
        }
        file.write_rows(&rows)?;
        Ok(n_kept)
    }

    fn erase_locked(&self, erasure: &Erasure) -> StoreResult<bool> {
        let mut reading = self.refresh_state()?;
        let known = reading.state.has_memory(erasure.id());
        if known {
            let tombstone = std::slice::from_ref(erasure.tombstone());
            let tombstone = line::format_batch_line(tombstone, reading.last_at)?;
            let gone = reading.graves.ids_with(erasure.id());
            let strip = |it: &str| line::strip_memories_from_line(it, &gone, &reading.repo);
            reading.rewrite_files(&strip, &tombstone)?;
            reading.reload_files()?;
            self.drop_embeddings_of(erasure)?;
        }
        Ok(known)
    }
}

impl JsonlState {
    /// Folds in what is new. Lines are folded in the order of their times, so that files merged line by line mean the
    /// same whatever their order; what does not come behind what was read makes the state be folded anew.
    fn catch_up(&mut self) -> StoreResult<()> {
        let read = self.read_new_lines()?;
        let can_fold = |batches: &Vec<TimedBatch>| {
            let last_number = |it: &Space| self.state.last_number(it);
            self.last_at == Timestamp::MIN
                || merge::can_fold_behind(batches, self.last_at, last_number)
        };
        match read.filter(can_fold) {
            Some(batches) => self.fold_batches(batches),
            None => self.reload_files()?,
        }
        Ok(())
    }

    /// Rewrites the files, each line as it is stripped, and with a last line.
    fn rewrite_files(
        &self,
        strip: &dyn Fn(&str) -> StoreResult<Option<String>>,
        last: &str,
    ) -> StoreResult<()> {
        let mut shared = self.shared.content_stripped(strip)?;
        shared.extend(last.bytes());
        let broken = store_error_from_io("cannot rewrite the store");
        self.shared.replace_content(&shared).map_err(broken)?;
        if self.local.path.exists() {
            let local = self.local.content_stripped(strip)?;
            self.local.replace_content(&local).map_err(broken)?;
        }
        Ok(())
    }

    fn reload_files(&mut self) -> StoreResult<()> {
        self.reset_state();
        let batches = self.read_new_lines()?;
        self.fold_batches(batches.unwrap_or_default());
        Ok(())
    }

    /// Forgets everything that was read.
    fn reset_state(&mut self) {
        self.state = StoreState::default();
        self.last_at = Timestamp::MIN;
        self.held = HeldMemories::default();
        self.graves = Tombstones::default();
        self.problems.clear();
        (self.has_own_line, self.has_other_line) = (false, false);
        self.begins_with_own_line = None;
        self.shared.reset_mark();
        self.local.reset_mark();
    }

    /// What both files have to say since the last time; `None`: one of them is no longer the file it was. What was read
    /// before it failed is not the whole: it is read again when it is asked for again.
    fn read_new_lines(&mut self) -> StoreResult<Option<Vec<TimedBatch>>> {
        let mut batches = Vec::new();
        for is_local in [false, true] {
            let added = self.read_new_lines_of(is_local, &mut batches);
            if !added.inspect_err(|_| self.reset_state())? {
                return Ok(None);
            }
        }
        self.check_is_store().inspect_err(|_| self.reset_state())?;
        Ok(Some(batches))
    }

    /// Any file can be named as a store: instructions for agents, the settings of a client. One that holds something else is
    /// not ours to write to, and in a repository a store is called one. Where the name says that it is a store, a line of
    /// ours is enough: the mark of a merge that went wrong may stand in front of it.
    fn check_is_store(&self) -> StoreResult<()> {
        let path = &self.shared.path;
        let is_named = path.extension().is_some_and(|it| it == "jsonl");
        let is_ours = match is_named {
            true => self.has_own_line || !self.has_other_line,
            false => self.begins_with_own_line != Some(false),
        };
        let (whose, why) = match (is_ours, self.is_foreign) {
            (true, false) => return Ok(()),
            (true, true) if is_named => return Ok(()),
            (true, true) => ("the repository's", "does not end in .jsonl"),
            (false, true) => ("the repository's", "holds something else than memories"),
            (false, false) => ("this", "holds something else than memories"),
        };
        Err(StoreError::Unavailable {
            what: format!("cannot use {whose} store"),
            source: format!("'{}' {why}", path.display()).into(),
        })
    }

    /// The same of one file. `false`: it is no longer the file it was.
    fn read_new_lines_of(
        &mut self,
        is_local: bool,
        into: &mut Vec<TimedBatch>,
    ) -> StoreResult<bool> {
        let tape = if is_local {
            &mut self.local
        } else {
            &mut self.shared
        };
        let read = tape.read_new_lines();
        let Some((lines, tail)) = read.map_err(store_error_from_io("cannot read the store"))?
        else {
            return Ok(false);
        };
        for bytes in lines.iter().chain(&tail).filter(|_| !is_local) {
            let is_own = is_own_line(bytes, &self.repo);
            let is_empty = bytes.trim_ascii().is_empty();
            if !is_empty {
                self.begins_with_own_line.get_or_insert(is_own);
            }
            self.has_own_line |= is_own && !is_empty;
            self.has_other_line |= !is_own;
        }
        for bytes in &lines {
            match parse_line_bytes(bytes, &self.repo, self.is_foreign)? {
                Ok(batch) => into.extend(batch),
                Err(why) => self.problems.push(describe_unreadable_line(bytes, &why)),
            }
        }
        // A last line without its end that can be read is whole; one that cannot may still be growing.
        if let Some(bytes) = tail {
            match parse_line_bytes(&bytes, &self.repo, self.is_foreign)? {
                Ok(batch) => {
                    into.extend(batch);
                    tape.accept_tail();
                }
                Err(why) => self.problems.push(format!(
                    "the last line is torn: {}",
                    describe_unreadable_line(&bytes, &why)
                )),
            }
        }
        Ok(true)
    }

    /// Folds in what comes behind everything that was folded before, or everything at once.
    fn fold_batches(&mut self, batches: Vec<TimedBatch>) {
        let mut batches = merge::order_batches(batches);
        for (_, events) in &batches {
            self.graves.note_forgotten(events);
        }
        if self.last_at == Timestamp::MIN {
            merge::renumber_memories(&mut batches, &self.graves);
        }
        if self.is_foreign {
            self.held
                .note_held(batches.iter().flat_map(|(_, events)| events));
        }
        for (at, events) in batches {
            self.last_at = self.last_at.max(at);
            let mut events = self.graves.drop_forgotten(events);
            events.retain(|it| !self.held.is_released_by(it));
            self.state.append_events(&events);
        }
    }

    /// An approval that would not be read again is not written.
    fn check_approvals(&self, batch: &Batch) -> StoreResult<()> {
        if !batch.events().iter().any(|it| self.held.is_released_by(it)) {
            return Ok(());
        }
        let why = "what its repository's file holds back is not let out by that file, which others write too; \
                   say it in words of your own, or forget it";
        Err(StoreError::Unavailable {
            what: "cannot approve".into(),
            source: why.into(),
        })
    }

    /// What would not be read again is not written.
    fn check_spaces(&self, batch: &Batch) -> StoreResult<()> {
        match batch
            .events()
            .iter()
            .find(|it| self.is_foreign && it.space != self.repo)
        {
            None => Ok(()),
            Some(other) => Err(StoreError::Unavailable {
                what: "cannot write the store".into(),
                source: format!("this file is {}'s, not {}'s", self.repo, other.space).into(),
            }),
        }
    }
}

/// Whether a line is one of ours by its beginning, whatever has become of it, or can be read. An empty one may be anyone's.
fn is_own_line(bytes: &[u8], repo: &Space) -> bool {
    let is_begun = bytes.starts_with(b"{\"v\":");
    is_begun || matches!(parse_line_bytes(bytes, repo, false), Ok(Ok(_)))
}

/// What a line brings, as it counts here.
fn parse_line_bytes(bytes: &[u8], repo: &Space, is_foreign: bool) -> StoreResult<ParsedLine> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Ok(Err("it is not UTF-8".into()));
    };
    Ok(match line::parse_jsonl_line(text, repo)? {
        Ok(Some((at, events))) if is_foreign => {
            foreign::admit_foreign_events(events, repo).map(|events| Some((at, events)))
        }
        parsed => parsed,
    })
}

fn describe_unreadable_line(bytes: &[u8], why: &str) -> String {
    let start: String = String::from_utf8_lossy(bytes).chars().take(24).collect();
    format!("a line cannot be read ({why}), it begins with {start:?}; it is kept as it is")
}

impl EventLog for JsonlStore {
    fn append_batch(&self, batch: &Batch) -> StoreResult<AppendReceipt> {
        let patience = if batch.is_durable() {
            PATIENCE
        } else {
            LOG_PATIENCE
        };
        self.with_write_lock(patience, || self.append_locked(batch))
    }

    fn erase_memory(&self, erasure: &Erasure) -> StoreResult<bool> {
        self.with_write_lock(PATIENCE, || self.erase_locked(erasure))
    }

    fn forget_questions(
        &self,
        space: &Space,
        during: &RangeInclusive<Timestamp>,
    ) -> StoreResult<usize> {
        self.with_write_lock(PATIENCE, || {
            let mut reading = self.refresh_state()?;
            let n_asked = reading.state.count_questions(space, during);
            if n_asked > 0 {
                let strip =
                    |it: &str| line::strip_questions_from_line(it, (space, during), &reading.repo);
                reading.rewrite_files(&strip, "")?;
                reading.reload_files()?;
            }
            Ok(n_asked)
        })
    }

    fn get_memories(&self, keys: MemoryKeys) -> StoreResult<Vec<Memory>> {
        Ok(self.refresh_state()?.state.get_memories(keys))
    }

    fn list_memories(&self, filter: &MemoryFilter) -> StoreResult<Vec<Memory>> {
        Ok(self.refresh_state()?.state.list_memories(filter))
    }

    fn list_spaces(&self) -> StoreResult<Vec<Space>> {
        Ok(self.refresh_state()?.state.list_spaces())
    }

    fn summarize_space(&self, space: &Space) -> StoreResult<SpaceSummary> {
        Ok(self.refresh_state()?.state.summarize_space(space))
    }

    fn read_events(&self, space: &Space, page: &EventPage) -> StoreResult<Vec<LoggedEvent>> {
        Ok(self.refresh_state()?.state.read_events(space, page))
    }

    fn check_health(&self) -> StoreResult<StoreHealth> {
        let mut reading = lock_ignoring_poison(&self.read);
        reading.reload_files()?;
        Ok(StoreHealth {
            name: format!("jsonl:{}", self.path.display()),
            problems: reading.problems.clone(),
        })
    }
}

impl Store for JsonlStore {
    fn read_postings(&self, space: &Space, terms: &[String]) -> StoreResult<Postings> {
        Ok(self.refresh_state()?.state.read_postings(space, terms))
    }

    fn list_terms(&self, space: &Space, initial: char) -> StoreResult<Vec<String>> {
        Ok(self.refresh_state()?.state.list_terms(space, initial))
    }

    fn find_terms(
        &self,
        space: &Space,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> StoreResult<Vec<String>> {
        Ok(self.refresh_state()?.state.find_terms(space, is_wanted))
    }

    fn read_breaker_state(&self, space: &Space, since: Timestamp) -> StoreResult<BreakerState> {
        Ok(self.refresh_state()?.state.read_breaker_state(space, since))
    }

    fn read_event_traces(
        &self,
        space: &Space,
        since: Timestamp,
        limit: usize,
    ) -> StoreResult<Vec<EventTrace>> {
        Ok(self
            .refresh_state()?
            .state
            .read_event_traces(space, since, limit))
    }

    fn read_embeddings(
        &self,
        space: &Space,
        model: &EmbeddingModel,
    ) -> StoreResult<Vec<MemoryEmbedding>> {
        let Some(file) = &self.embeddings else {
            return Ok(Vec::new());
        };
        let reading = self.refresh_state()?;
        let rows = file.read_rows().into_iter().filter(|(key, _)| {
            key.0 == *space && key.1 == *model && reading.state.is_active(space, key.2)
        });
        Ok(rows.map(|(_, it)| it).collect())
    }

    fn write_embeddings(
        &self,
        space: &Space,
        model: &EmbeddingModel,
        embeddings: &[MemoryEmbedding],
    ) -> StoreResult<usize> {
        let Some(file) = &self.embeddings else {
            return Ok(0);
        };
        self.with_write_lock(PATIENCE, || {
            self.write_embeddings_locked(file, (space, model), embeddings)
        })
    }

    fn remove_embeddings(&self, model: &EmbeddingModel) -> StoreResult<()> {
        let Some(file) = &self.embeddings else {
            return Ok(());
        };
        let mut rows = file.read_rows();
        rows.retain(|key, _| key.1 != *model);
        file.write_rows(&rows)
    }
}

/// The events with the numbers that their memories will have.
fn number_new_memories(state: &StoreState, events: &[Event]) -> StoreResult<Vec<Event>> {
    let mut events = events.to_vec();
    let mut given = BTreeMap::new();
    for event in &mut events {
        if let EventBody::Remembered { memory, .. } = &mut event.what {
            let last: &mut u64 = given
                .entry(event.space.clone())
                .or_insert_with(|| state.last_number(&event.space));
            if memory.number == 0 {
                memory.number = last.saturating_add(1);
            }
            // What nobody could read again is not written.
            if memory.number > MAX_NUMBER {
                let at = format!("a line took the last number that {} has", event.space);
                return Err(StoreError::Corrupt { at });
            }
            *last = (*last).max(memory.number);
        }
    }
    Ok(events)
}
