//! Memory in the repository: a file of lines, reviewed and merged like code.
//!
//! Each line is one batch of events with a checksum; the state is what the lines fold into. What was merely shown goes
//! to a file beside it (`memories.local.jsonl`), so that reading a memory never changes a file under version control.
//! A plain notebook's `memories.jsonl` opens as it is. Lines that cannot be read are kept and reported, never dropped.
//!
//! A line that somebody edited does not match its checksum: it counts for nothing and is reported. A line that somebody
//! took out is not noticed here, because merging branches adds and removes lines all the time; git says who did it.

mod foreign;
mod line;
mod merge;
mod tape;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use apostille_core::event::trace::Trace;
use apostille_core::event::{Batch, Erasure, Event, Logged, What};
use apostille_core::memory::{MAX_NUMBER, Memory, MemoryId};
use apostille_core::space::Space;
use apostille_core::store::state::State;
use apostille_core::store::watch::Watch;
use apostille_core::store::{
    EventPage, Filter, Health, Log, MemoryKeys, Postings, Receipt, SpaceSummary, Store, StoreError,
};
use jiff::Timestamp;

use crate::fault::{corrupt, io};
use apostille_files::lock;
use apostille_files::lock::Queue;
use foreign::Held;
use line::Read;
use merge::{Graves, Told};
use tape::{News, Tape};

/// How long a write waits in line.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a log entry that nobody waits for waits in line.
const LOG_PATIENCE: Duration = Duration::from_millis(100);

/// Memories in a file of lines.
#[derive(Debug)]
pub struct Jsonl {
    hand: Hand,
    path: PathBuf,
    queue: Mutex<Queue>,
    read: Mutex<Reading>,
}

/// Whose lines they are.
#[derive(Debug, Clone)]
struct Hand {
    /// Where lines of a plain notebook belong.
    repo: Space,
    /// Whether the file came with the repository: then it speaks for that repository alone, and what it says is moderated
    /// as if it were said now.
    is_foreign: bool,
}

/// What was read of the files so far.
#[derive(Debug)]
struct Reading {
    state: State,
    shared: Tape,
    local: Tape,
    last_at: Timestamp,
    /// What a repository's file holds and nothing in that file lets out.
    held: Held,
    /// What was forgotten.
    graves: Graves,
    problems: Vec<String>,
}

impl Jsonl {
    /// Opens the file, which need not be there yet. Lines of a plain notebook belong to `repo`.
    pub fn open(path: &Path, repo: &Space) -> Result<Self, StoreError> {
        Self::opened(
            path,
            Hand {
                repo: repo.clone(),
                is_foreign: false,
            },
        )
    }

    /// Opens a file that the repository itself names, and whoever wrote the repository may have written: no link is
    /// followed, lines of other spaces count for nothing, and what is read is moderated as if it were said now.
    pub fn of_repository(path: &Path, repo: &Space) -> Result<Self, StoreError> {
        Self::opened(
            path,
            Hand {
                repo: repo.clone(),
                is_foreign: true,
            },
        )
    }

    fn opened(path: &Path, hand: Hand) -> Result<Self, StoreError> {
        let reading = Reading {
            state: State::default(),
            shared: Tape::new(path.into(), !hand.is_foreign),
            local: Tape::new(path.with_extension("local.jsonl"), false),
            last_at: Timestamp::MIN,
            held: Held::default(),
            graves: Graves::default(),
            problems: Vec::new(),
        };
        let queue = Mutex::new(Queue::new(path.with_extension("lock")));
        let store = Self {
            hand,
            path: path.into(),
            queue,
            read: Mutex::new(reading),
        };
        // A repository's file that cannot be read says so when it is asked, and not before anything else is.
        if !store.hand.is_foreign {
            drop(store.current()?);
        }
        Ok(store)
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        // A panic while the lock was held leaves a reading that the files' marks no longer match at worst.
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, with what other processes wrote meanwhile.
    fn current(&self) -> Result<MutexGuard<'_, Reading>, StoreError> {
        let mut reading = self.reading();
        reading.catch_up(&self.hand)?;
        Ok(reading)
    }

    /// Does something while no other process writes.
    fn alone<T>(
        &self,
        patience: Duration,
        act: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if let Some(folder) = self.path.parent().filter(|it| !it.as_os_str().is_empty()) {
            lock::private_folder(folder)
                .map_err(|error| io("cannot make the store's folder", error))?;
        }
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let _held = queue.hold(patience).map_err(crate::fault::lock)?;
        act()
    }

    fn append_alone(&self, batch: &Batch) -> Result<Receipt, StoreError> {
        self.hand.speaks_for(batch)?;
        let mut reading = self.current()?;
        reading.state.check(batch.expects())?;
        reading.may_say(batch)?;
        if batch.is_durable() && reading.graves.is_haunted {
            reading.bury(&self.hand)?;
        }
        let events = numbered(&reading.state, batch.events())?;
        let tape = if batch.is_durable() {
            &reading.shared
        } else {
            &reading.local
        };
        tape.append(
            &line::written(&events, reading.last_at)?,
            batch.is_durable(),
        )?;
        reading.catch_up(&self.hand)?;
        Ok(Receipt {
            numbers: events.iter().filter_map(brought).collect(),
        })
    }

    fn erase_alone(&self, erasure: &Erasure) -> Result<bool, StoreError> {
        let mut reading = self.current()?;
        if !reading.state.knows(erasure.id()) {
            return Ok(false);
        }
        let tombstone = line::written(std::slice::from_ref(erasure.tombstone()), reading.last_at)?;
        reading.rewrite(&self.hand, &reading.graves.with(erasure.id()), &tombstone)?;
        reading.reload(&self.hand)?;
        Ok(true)
    }
}

impl Reading {
    /// Folds in what is new. Lines are folded in the order of their times, so that files merged line by line mean the
    /// same whatever their order; what does not come behind what was read makes the state be folded anew.
    fn catch_up(&mut self, hand: &Hand) -> Result<(), StoreError> {
        let mut batches = Vec::new();
        let read = self.read_on(hand, &mut batches);
        // What was read before it failed is not the whole: it is read again when it is asked for again.
        let replaced = read.inspect_err(|_| self.rewind())?;
        let is_first = self.last_at == Timestamp::MIN;
        let is_behind =
            || merge::is_behind(&batches, self.last_at, |it| self.state.last_number(it));
        if replaced || !is_first && !is_behind() {
            return self.reload(hand);
        }
        self.fold(hand, batches);
        Ok(())
    }

    /// Takes out of the files what was forgotten in another clone and came back with a merge.
    fn bury(&mut self, hand: &Hand) -> Result<(), StoreError> {
        self.rewrite(hand, self.graves.all(), "")?;
        self.reload(hand)
    }

    /// Rewrites the files without what they say of these memories, and with a last line.
    fn rewrite(&self, hand: &Hand, gone: &HashSet<MemoryId>, last: &str) -> Result<(), StoreError> {
        let mut shared = self.shared.without(gone, &hand.repo)?;
        shared.extend(last.bytes());
        self.shared.rewrite(&shared)?;
        if self.local.path().exists() {
            self.local.rewrite(&self.local.without(gone, &hand.repo)?)?;
        }
        Ok(())
    }

    fn reload(&mut self, hand: &Hand) -> Result<(), StoreError> {
        self.rewind();
        let mut batches = Vec::new();
        let read = self.read_on(hand, &mut batches);
        read.inspect_err(|_| self.rewind())?;
        self.fold(hand, batches);
        Ok(())
    }

    /// Forgets everything that was read.
    fn rewind(&mut self) {
        self.state = State::default();
        self.last_at = Timestamp::MIN;
        self.held.clear();
        self.graves.clear();
        self.problems.clear();
        self.shared.rewind();
        self.local.rewind();
    }

    /// Reads what both files have to say since the last time. `true`: one of them is no longer the file it was.
    fn read_on(&mut self, hand: &Hand, into: &mut Vec<Told>) -> Result<bool, StoreError> {
        let Self {
            shared,
            local,
            problems,
            ..
        } = self;
        for tape in [shared, local] {
            match tape.news()? {
                News::Nothing => {}
                News::Replaced => return Ok(true),
                News::Added(lines, tail) => {
                    for bytes in &lines {
                        problems
                            .extend(told(bytes, hand, into)?.map(|why| unreadable(bytes, &why)));
                    }
                    // A last line without its end that can be read is whole; one that cannot may still be growing.
                    if let Some(bytes) = tail {
                        match told(&bytes, hand, into)? {
                            None => tape.take_tail(),
                            Some(why) => problems.push(format!(
                                "the last line is torn: {}",
                                unreadable(&bytes, &why)
                            )),
                        }
                    }
                }
            }
        }
        Ok(false)
    }

    /// Folds in what comes behind everything that was folded before, or everything at once.
    fn fold(&mut self, hand: &Hand, batches: Vec<Told>) {
        let mut batches = merge::ordered(batches);
        batches
            .iter()
            .for_each(|(_, events)| self.graves.note(events));
        if self.last_at == Timestamp::MIN {
            merge::number(&mut batches, &self.graves);
        }
        if hand.is_foreign {
            batches
                .iter()
                .for_each(|(_, events)| self.held.note(events));
        }
        for (at, events) in batches {
            self.last_at = self.last_at.max(at);
            let mut events = self.graves.sifted(events);
            events.retain(|it| !self.held.is_let_out_by(it));
            self.state.append(&events);
        }
    }
}

impl Reading {
    /// An approval that would not be read again is not written.
    fn may_say(&self, batch: &Batch) -> Result<(), StoreError> {
        if !batch.events().iter().any(|it| self.held.is_let_out_by(it)) {
            return Ok(());
        }
        let why = "what its repository's file holds back is not let out by that file, which others write too; \
                   say it in words of your own, or forget it";
        Err(io("cannot approve", std::io::Error::other(why)))
    }
}

impl Hand {
    /// The events of a line as they count here, or why they do not.
    fn admitted(&self, events: Vec<Event>) -> Result<Vec<Event>, String> {
        if !self.is_foreign {
            return Ok(events);
        }
        foreign::all_admitted(events, &self.repo)
    }

    /// What would not be read again is not written.
    fn speaks_for(&self, batch: &Batch) -> Result<(), StoreError> {
        let other = batch
            .events()
            .iter()
            .find(|it| self.is_foreign && it.space != self.repo);
        other.map_or(Ok(()), |it| {
            let why = format!("this file is {}'s, not {}'s", self.repo, it.space);
            Err(io("cannot write the store", std::io::Error::other(why)))
        })
    }
}

/// Reads one line into the batches; `Some` is why it cannot be read.
fn told(bytes: &[u8], hand: &Hand, into: &mut Vec<Told>) -> Result<Option<String>, StoreError> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Ok(Some("it is not UTF-8".into()));
    };
    match line::read(text, &hand.repo)? {
        Read::Empty => Ok(None),
        Read::Unreadable(why) => Ok(Some(why)),
        Read::Events((at, events)) => {
            let events = match hand.admitted(events) {
                Ok(events) => events,
                Err(why) => return Ok(Some(why)),
            };
            into.push((at, events));
            Ok(None)
        }
    }
}

fn unreadable(bytes: &[u8], why: &str) -> String {
    let start: String = String::from_utf8_lossy(bytes).chars().take(24).collect();
    format!("a line cannot be read ({why}), it begins with {start:?}; it is kept as it is")
}

impl Log for Jsonl {
    fn append(&self, batch: &Batch) -> Result<Receipt, StoreError> {
        let patience = if batch.is_durable() {
            PATIENCE
        } else {
            LOG_PATIENCE
        };
        self.alone(patience, || self.append_alone(batch))
    }

    fn erase(&self, erasure: &Erasure) -> Result<bool, StoreError> {
        self.alone(PATIENCE, || self.erase_alone(erasure))
    }

    fn get(&self, keys: MemoryKeys<'_>) -> Result<Vec<Memory>, StoreError> {
        Ok(self.current()?.state.get(keys))
    }

    fn list(&self, filter: &Filter) -> Result<Vec<Memory>, StoreError> {
        Ok(self.current()?.state.list(filter))
    }

    fn spaces(&self) -> Result<Vec<Space>, StoreError> {
        Ok(self.current()?.state.spaces())
    }

    fn summary(&self, space: &Space) -> Result<SpaceSummary, StoreError> {
        Ok(self.current()?.state.summary(space))
    }

    fn events(&self, space: &Space, page: &EventPage) -> Result<Vec<Logged>, StoreError> {
        Ok(self.current()?.state.events(space, page))
    }

    fn health(&self) -> Result<Health, StoreError> {
        let mut reading = self.reading();
        reading.reload(&self.hand)?;
        Ok(Health {
            name: format!("jsonl:{}", self.path.display()),
            problems: reading.problems.clone(),
        })
    }
}

impl Store for Jsonl {
    fn postings(&self, space: &Space, terms: &[String]) -> Result<Postings, StoreError> {
        Ok(self.current()?.state.postings(space, terms))
    }

    fn vocabulary(&self, space: &Space, initial: char) -> Result<Vec<String>, StoreError> {
        Ok(self.current()?.state.vocabulary(space, initial))
    }

    fn watch(&self, space: &Space, since: Timestamp) -> Result<Watch, StoreError> {
        Ok(self.current()?.state.watch(space, since))
    }

    fn traces(
        &self,
        space: &Space,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<Trace>, StoreError> {
        Ok(self.current()?.state.traces(space, since, limit))
    }
}

/// The events with the numbers that their memories will have.
fn numbered(state: &State, events: &[Event]) -> Result<Vec<Event>, StoreError> {
    let mut events = events.to_vec();
    let mut given: std::collections::BTreeMap<Space, u64> = std::collections::BTreeMap::new();
    for event in &mut events {
        if let What::Remembered { memory, .. } = &mut event.what {
            let last = given
                .entry(event.space.clone())
                .or_insert_with(|| state.last_number(&event.space));
            if memory.number == 0 {
                memory.number = last.saturating_add(1);
            }
            // What nobody could read again is not written.
            if memory.number > MAX_NUMBER {
                return Err(corrupt(format!(
                    "a line took the last number that {} has",
                    event.space
                )));
            }
            *last = (*last).max(memory.number);
        }
    }
    Ok(events)
}

fn brought(event: &Event) -> Option<(MemoryId, u64)> {
    match &event.what {
        What::Remembered { memory, .. } => Some((memory.id, memory.number)),
        _ => None,
    }
}
