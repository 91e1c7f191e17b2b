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

mod foreign;
mod line;
mod line_file;
mod merge;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use apostille_core::event::trace::EventTrace;
use apostille_core::event::{Batch, Erasure, Event, EventBody, LoggedEvent};
use apostille_core::memory::{MAX_NUMBER, Memory, MemoryId};
use apostille_core::space::Space;
use apostille_core::store::breaker_state::BreakerState;
use apostille_core::store::state::StoreState;
use apostille_core::store::{
    AppendReceipt, EventLog, EventPage, MemoryFilter, MemoryKeys, Postings, SpaceSummary, Store,
    StoreError, StoreHealth,
};
use jiff::Timestamp;

use crate::store_errors::{store_error_from_io, store_error_from_lock};
use apostille_files::lock;
use apostille_files::lock::StoreLock;
use foreign::HeldMemories;
use line::ParsedJsonlLine;
use line_file::{LineFile, NewLines};
use merge::{TimedBatch, Tombstones};

/// How long a write waits in line.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a log entry that nobody waits for waits in line.
const LOG_PATIENCE: Duration = Duration::from_millis(100);

/// Memories in a file of lines.
#[derive(Debug)]
pub struct JsonlStore {
    hand: JsonlOrigin,
    path: PathBuf,
    queue: Mutex<StoreLock>,
    read: Mutex<JsonlState>,
}

/// Whose lines they are.
#[derive(Debug, Clone)]
struct JsonlOrigin {
    /// Where lines of a plain notebook belong.
    repo: Space,
    /// Whether the file came with the repository: then it speaks for that repository alone, and what it says is moderated
    /// as if it were said now.
    is_foreign: bool,
}

/// What was read of the files so far.
#[derive(Debug)]
struct JsonlState {
    state: StoreState,
    shared: LineFile,
    local: LineFile,
    last_at: Timestamp,
    /// What a repository's file holds and nothing in that file lets out.
    held: HeldMemories,
    /// What was forgotten.
    graves: Tombstones,
    problems: Vec<String>,
}

impl JsonlStore {
    /// Opens the file, which need not be there yet. Lines of a plain notebook belong to `repo`.
    pub fn open(path: &Path, repo: &Space) -> Result<Self, StoreError> {
        Self::open_with_origin(
            path,
            JsonlOrigin {
                repo: repo.clone(),
                is_foreign: false,
            },
        )
    }

    /// Opens a file that the repository itself names, and whoever wrote the repository may have written: no link is
    /// followed, lines of other spaces count for nothing, and what is read is moderated as if it were said now.
    pub fn open_from_repository(path: &Path, repo: &Space) -> Result<Self, StoreError> {
        Self::open_with_origin(
            path,
            JsonlOrigin {
                repo: repo.clone(),
                is_foreign: true,
            },
        )
    }

    fn open_with_origin(path: &Path, hand: JsonlOrigin) -> Result<Self, StoreError> {
        let reading = JsonlState {
            state: StoreState::default(),
            shared: LineFile::new(path.into(), !hand.is_foreign),
            local: LineFile::new(path.with_extension("local.jsonl"), false),
            last_at: Timestamp::MIN,
            held: HeldMemories::default(),
            graves: Tombstones::default(),
            problems: Vec::new(),
        };
        let queue = Mutex::new(StoreLock::new(path.with_extension("lock")));
        let store = Self {
            hand,
            path: path.into(),
            queue,
            read: Mutex::new(reading),
        };
        // A repository's file that cannot be read says so when it is asked, and not before anything else is.
        if !store.hand.is_foreign {
            drop(store.refresh_state()?);
        }
        Ok(store)
    }

    fn lock_state(&self) -> MutexGuard<'_, JsonlState> {
        // A panic while the lock was held leaves a reading that the files' marks no longer match at worst.
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, with what other processes wrote meanwhile.
    fn refresh_state(&self) -> Result<MutexGuard<'_, JsonlState>, StoreError> {
        let mut reading = self.lock_state();
        reading.catch_up(&self.hand)?;
        Ok(reading)
    }

    /// Does something while no other process writes.
    fn with_write_lock<T>(
        &self,
        patience: Duration,
        act: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if let Some(folder) = self.path.parent().filter(|it| !it.as_os_str().is_empty()) {
            lock::create_private_folder(folder)
                .map_err(|error| store_error_from_io("cannot make the store's folder", error))?;
        }
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let held = queue.wait_for_lock(patience);
        let _held = held.map_err(store_error_from_lock)?;
        act()
    }

    fn append_locked(&self, batch: &Batch) -> Result<AppendReceipt, StoreError> {
        self.hand.check_spaces(batch)?;
        let mut reading = self.refresh_state()?;
        reading.state.check_preconditions(batch.preconditions())?;
        reading.check_approvals(batch)?;
        if batch.is_durable() && reading.graves.is_haunted {
            reading.remove_forgotten(&self.hand)?;
        }
        let events = number_new_memories(&reading.state, batch.events())?;
        let tape = if batch.is_durable() {
            &reading.shared
        } else {
            &reading.local
        };
        tape.append_line(
            &line::format_batch_line(&events, reading.last_at)?,
            batch.is_durable(),
        )?;
        reading.catch_up(&self.hand)?;
        Ok(AppendReceipt {
            numbers: events.iter().filter_map(remembered_id_and_number).collect(),
        })
    }

    fn erase_locked(&self, erasure: &Erasure) -> Result<bool, StoreError> {
        let mut reading = self.refresh_state()?;
        if !reading.state.has_memory(erasure.id()) {
            return Ok(false);
        }
        let tombstone =
            line::format_batch_line(std::slice::from_ref(erasure.tombstone()), reading.last_at)?;
        reading.rewrite_files(
            &self.hand,
            &reading.graves.ids_with(erasure.id()),
            &tombstone,
        )?;
        reading.reload_files(&self.hand)?;
        Ok(true)
    }
}

impl JsonlState {
    /// Folds in what is new. Lines are folded in the order of their times, so that files merged line by line mean the
    /// same whatever their order; what does not come behind what was read makes the state be folded anew.
    fn catch_up(&mut self, hand: &JsonlOrigin) -> Result<(), StoreError> {
        let mut batches = Vec::new();
        let read = self.read_new_lines(hand, &mut batches);
        // What was read before it failed is not the whole: it is read again when it is asked for again.
        let replaced = read.inspect_err(|_| self.reset_state())?;
        let is_first = self.last_at == Timestamp::MIN;
        let is_behind =
            || merge::can_fold_behind(&batches, self.last_at, |it| self.state.last_number(it));
        if replaced || !is_first && !is_behind() {
            return self.reload_files(hand);
        }
        self.fold_batches(hand, batches);
        Ok(())
    }

    /// Takes out of the files what was forgotten in another clone and came back with a merge.
    fn remove_forgotten(&mut self, hand: &JsonlOrigin) -> Result<(), StoreError> {
        self.rewrite_files(hand, self.graves.ids(), "")?;
        self.reload_files(hand)
    }

    /// Rewrites the files without what they say of these memories, and with a last line.
    fn rewrite_files(
        &self,
        hand: &JsonlOrigin,
        gone: &HashSet<MemoryId>,
        last: &str,
    ) -> Result<(), StoreError> {
        let mut shared = self.shared.content_without(gone, &hand.repo)?;
        shared.extend(last.bytes());
        self.shared.replace_content(&shared)?;
        if self.local.path().exists() {
            self.local
                .replace_content(&self.local.content_without(gone, &hand.repo)?)?;
        }
        Ok(())
    }

    fn reload_files(&mut self, hand: &JsonlOrigin) -> Result<(), StoreError> {
        self.reset_state();
        let mut batches = Vec::new();
        let read = self.read_new_lines(hand, &mut batches);
        read.inspect_err(|_| self.reset_state())?;
        self.fold_batches(hand, batches);
        Ok(())
    }

    /// Forgets everything that was read.
    fn reset_state(&mut self) {
        self.state = StoreState::default();
        self.last_at = Timestamp::MIN;
        self.held.clear();
        self.graves.clear();
        self.problems.clear();
        self.shared.reset_mark();
        self.local.reset_mark();
    }

    /// Reads what both files have to say since the last time. `true`: one of them is no longer the file it was.
    fn read_new_lines(
        &mut self,
        hand: &JsonlOrigin,
        into: &mut Vec<TimedBatch>,
    ) -> Result<bool, StoreError> {
        let Self {
            shared,
            local,
            problems,
            ..
        } = self;
        for tape in [shared, local] {
            match tape.read_new_lines()? {
                NewLines::Nothing => {}
                NewLines::Replaced => return Ok(true),
                NewLines::Added(lines, tail) => {
                    for bytes in &lines {
                        problems.extend(
                            parse_line_into(bytes, hand, into)?
                                .map(|why| describe_unreadable_line(bytes, &why)),
                        );
                    }
                    // A last line without its end that can be read is whole; one that cannot may still be growing.
                    if let Some(bytes) = tail {
                        match parse_line_into(&bytes, hand, into)? {
                            None => tape.accept_tail(),
                            Some(why) => problems.push(format!(
                                "the last line is torn: {}",
                                describe_unreadable_line(&bytes, &why)
                            )),
                        }
                    }
                }
            }
        }
        Ok(false)
    }

    /// Folds in what comes behind everything that was folded before, or everything at once.
    fn fold_batches(&mut self, hand: &JsonlOrigin, batches: Vec<TimedBatch>) {
        let mut batches = merge::order_batches(batches);
        batches
            .iter()
            .for_each(|(_, events)| self.graves.note_forgotten(events));
        if self.last_at == Timestamp::MIN {
            merge::renumber_memories(&mut batches, &self.graves);
        }
        if hand.is_foreign {
            batches
                .iter()
                .for_each(|(_, events)| self.held.note_held(events));
        }
        for (at, events) in batches {
            self.last_at = self.last_at.max(at);
            let mut events = self.graves.drop_forgotten(events);
            events.retain(|it| !self.held.is_released_by(it));
            self.state.append_events(&events);
        }
    }
}

impl JsonlState {
    /// An approval that would not be read again is not written.
    fn check_approvals(&self, batch: &Batch) -> Result<(), StoreError> {
        if !batch.events().iter().any(|it| self.held.is_released_by(it)) {
            return Ok(());
        }
        let why = "what its repository's file holds back is not let out by that file, which others write too; \
                   say it in words of your own, or forget it";
        Err(store_error_from_io(
            "cannot approve",
            std::io::Error::other(why),
        ))
    }
}

impl JsonlOrigin {
    /// The events of a line as they count here, or why they do not.
    fn admit_events(&self, events: Vec<Event>) -> Result<Vec<Event>, String> {
        if !self.is_foreign {
            return Ok(events);
        }
        foreign::admit_foreign_events(events, &self.repo)
    }

    /// What would not be read again is not written.
    fn check_spaces(&self, batch: &Batch) -> Result<(), StoreError> {
        let other = batch
            .events()
            .iter()
            .find(|it| self.is_foreign && it.space != self.repo);
        other.map_or(Ok(()), |it| {
            let why = format!("this file is {}'s, not {}'s", self.repo, it.space);
            Err(store_error_from_io(
                "cannot write the store",
                std::io::Error::other(why),
            ))
        })
    }
}

/// Reads one line into the batches; `Some` is why it cannot be read.
fn parse_line_into(
    bytes: &[u8],
    hand: &JsonlOrigin,
    into: &mut Vec<TimedBatch>,
) -> Result<Option<String>, StoreError> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Ok(Some("it is not UTF-8".into()));
    };
    match line::parse_jsonl_line(text, &hand.repo)? {
        ParsedJsonlLine::Empty => Ok(None),
        ParsedJsonlLine::Unreadable(why) => Ok(Some(why)),
        ParsedJsonlLine::Events((at, events)) => {
            let events = match hand.admit_events(events) {
                Ok(events) => events,
                Err(why) => return Ok(Some(why)),
            };
            into.push((at, events));
            Ok(None)
        }
    }
}

fn describe_unreadable_line(bytes: &[u8], why: &str) -> String {
    let start: String = String::from_utf8_lossy(bytes).chars().take(24).collect();
    format!("a line cannot be read ({why}), it begins with {start:?}; it is kept as it is")
}

impl EventLog for JsonlStore {
    fn append_batch(&self, batch: &Batch) -> Result<AppendReceipt, StoreError> {
        let patience = if batch.is_durable() {
            PATIENCE
        } else {
            LOG_PATIENCE
        };
        self.with_write_lock(patience, || self.append_locked(batch))
    }

    fn erase_memory(&self, erasure: &Erasure) -> Result<bool, StoreError> {
        self.with_write_lock(PATIENCE, || self.erase_locked(erasure))
    }

    fn get_memories(&self, keys: MemoryKeys<'_>) -> Result<Vec<Memory>, StoreError> {
        Ok(self.refresh_state()?.state.get_memories(keys))
    }

    fn list_memories(&self, filter: &MemoryFilter) -> Result<Vec<Memory>, StoreError> {
        Ok(self.refresh_state()?.state.list_memories(filter))
    }

    fn list_spaces(&self) -> Result<Vec<Space>, StoreError> {
        Ok(self.refresh_state()?.state.list_spaces())
    }

    fn summarize_space(&self, space: &Space) -> Result<SpaceSummary, StoreError> {
        Ok(self.refresh_state()?.state.summarize_space(space))
    }

    fn read_events(&self, space: &Space, page: &EventPage) -> Result<Vec<LoggedEvent>, StoreError> {
        Ok(self.refresh_state()?.state.read_events(space, page))
    }

    fn check_health(&self) -> Result<StoreHealth, StoreError> {
        let mut reading = self.lock_state();
        reading.reload_files(&self.hand)?;
        Ok(StoreHealth {
            name: format!("jsonl:{}", self.path.display()),
            problems: reading.problems.clone(),
        })
    }
}

impl Store for JsonlStore {
    fn read_postings(&self, space: &Space, terms: &[String]) -> Result<Postings, StoreError> {
        Ok(self.refresh_state()?.state.read_postings(space, terms))
    }

    fn list_terms(&self, space: &Space, initial: char) -> Result<Vec<String>, StoreError> {
        Ok(self.refresh_state()?.state.list_terms(space, initial))
    }

    fn read_breaker_state(
        &self,
        space: &Space,
        since: Timestamp,
    ) -> Result<BreakerState, StoreError> {
        Ok(self.refresh_state()?.state.read_breaker_state(space, since))
    }

    fn read_event_traces(
        &self,
        space: &Space,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<EventTrace>, StoreError> {
        Ok(self
            .refresh_state()?
            .state
            .read_event_traces(space, since, limit))
    }
}

/// The events with the numbers that their memories will have.
fn number_new_memories(state: &StoreState, events: &[Event]) -> Result<Vec<Event>, StoreError> {
    let mut events = events.to_vec();
    let mut given: std::collections::BTreeMap<Space, u64> = std::collections::BTreeMap::new();
    for event in &mut events {
        if let EventBody::Remembered { memory, .. } = &mut event.what {
            let last = given
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

fn remembered_id_and_number(event: &Event) -> Option<(MemoryId, u64)> {
    match &event.what {
        EventBody::Remembered { memory, .. } => Some((memory.id, memory.number)),
        _ => None,
    }
}
