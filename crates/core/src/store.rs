//! The port to where memories are kept. One write method; the same answers from every store.
//!
//! It has two halves. [`EventLog`] is what a backend must do: append a batch, erase, and read back what was written. [`Store`] is a
//! log with what ranking and the guards of a write ask for, answered from an index or from counters rather than by reading
//! every memory. What a batch does to rows is not up to a backend, see [`plan`].

pub mod breaker_state;
pub mod plan;
pub mod ram;
pub mod shelf;
pub mod state;

use std::{
    cmp::{Ordering, Reverse},
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use jiff::Timestamp;

use crate::{
    address::MemoryAddress,
    embedding::{EmbeddingModel, MemoryEmbedding},
    event::{Batch, Erasure, LoggedEvent, trace::EventTrace},
    memory::{Handle, Kind, Layer, Memory, MemoryId, MemoryName, Origin, Stage},
    space::Space,
    store::{breaker_state::BreakerState, shelf::ReplicaShelf},
};
use apostille_cite::citation::RepoPath;
use apostille_text::digest::Digest;

/// The store is broken, or the ground of a decision has moved.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A newer program wrote it.
    #[error("the store has format {found}, this program reads up to {known}; update apostille")]
    Newer {
        /// The format found.
        found: u32,
        /// The newest format known.
        known: u32,
    },
    /// Its bytes are not what was written.
    #[error("the store is damaged: {at}; run `apostille doctor`")]
    Corrupt {
        /// Where, or how it shows.
        at: String,
    },
    /// Another writer was first; decide again.
    #[error("another writer changed {what} meanwhile; try again")]
    Conflict {
        /// What changed.
        what: String,
    },
    /// No room on the disk.
    #[error("the disk is full; nothing was written")]
    Full,
    /// The place cannot be written.
    #[error("the store cannot be written here: it is read-only")]
    ReadOnly,
    /// The file that was opened is no longer the one in its place.
    #[error(
        "the store's file was removed or replaced while it was open; this change is not kept; try again"
    )]
    Removed,
    /// Others held the store for too long.
    #[error("the store was busy for {waited_ms} ms; nothing was written")]
    Busy {
        /// How long was waited.
        waited_ms: u64,
    },
    /// The outside world failed.
    #[error("{what}")]
    Unavailable {
        /// What was tried.
        what: String,
        /// What went wrong.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// What a store answers.
pub type StoreResult<T> = Result<T, StoreError>;

/// What a write was given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppendReceipt {
    /// The numbers of the memories that the batch brought, in its order.
    pub numbers: Vec<(MemoryId, u64)>,
}

/// The order of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ListOrder {
    /// Recorded last, first.
    #[default]
    Newest,
    /// Recorded first, first.
    Oldest,
    /// Refreshed last, first.
    Refreshed,
}

/// A place in a listing, from which it goes on: the memory that was told last, by what it is sorted by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListCursor {
    /// When it was recorded, or refreshed where that is the order.
    pub at: Timestamp,
    /// Its number.
    pub number: u64,
    /// Its space.
    pub space: Space,
}

/// Which memories to list. An empty list of spaces, layers, kinds, stages, origins or replaced memories means any.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryFilter {
    /// In these spaces.
    pub spaces: Vec<Space>,
    /// Of these layers.
    pub layers: Vec<Layer>,
    /// Of these kinds.
    pub kinds: Vec<Kind>,
    /// In these stages.
    pub stages: Vec<Stage>,
    /// Said by these.
    pub origins: Vec<Origin>,
    /// Made to take the place of one of these.
    pub supersedes: Vec<MemoryId>,
    /// With all of these tags.
    pub tags: Vec<String>,
    /// At this address.
    pub address: Option<MemoryAddress>,
    /// Of this task.
    pub task: Option<String>,
    /// Citing this file, or a file below this folder.
    pub path: Option<RepoPath>,
    /// With this text in subject or fact, whatever its case.
    pub text: Option<String>,
    /// Recorded at this time or later.
    pub since: Option<Timestamp>,
    /// Recorded before this time.
    pub until: Option<Timestamp>,
    /// Behind this place in the order.
    pub after: Option<ListCursor>,
    /// In this order.
    pub order: ListOrder,
    /// At most so many.
    pub limit: usize,
}

impl MemoryFilter {
    /// What is in use in these spaces, the newest first.
    pub fn active_in(spaces: impl Into<Vec<Space>>, limit: usize) -> Self {
        Self {
            spaces: spaces.into(),
            stages: vec![Stage::Active],
            limit,
            ..Self::default()
        }
    }

    /// The same at an address. What it says is also said to the store's own columns, where nothing is said there yet.
    #[must_use]
    pub fn at_address(mut self, address: Option<MemoryAddress>) -> Self {
        if let Some(it) = &address {
            if self.layers.is_empty() {
                self.layers.extend(it.layer());
            }
            self.task = self.task.or_else(|| it.task().map(Into::into));
        }
        self.address = address;
        self
    }

    /// Whether this memory is among those asked for. Every store filters by this one rule.
    pub fn admits_memory(&self, memory: &Memory) -> bool {
        is_any_or_among(&self.spaces, &memory.space)
            && is_any_or_among(&self.layers, &memory.layer)
            && is_any_or_among(&self.kinds, &memory.kind)
            && is_any_or_among(&self.stages, &memory.status.stage())
            && is_any_or_among(&self.origins, &memory.voice.origin)
            && (self.supersedes.is_empty()
                || memory
                    .supersedes
                    .is_some_and(|it| self.supersedes.contains(&it)))
            && self.since.is_none_or(|since| memory.recorded_at >= since)
            && self.until.is_none_or(|until| memory.recorded_at < until)
            && self.after.as_ref().is_none_or(|it| {
                let after = (it.at, it.number, &it.space);
                self.compare_keys(self.sort_key(memory), after).is_gt()
            })
            && self.tags.iter().all(|tag| memory.tags.contains(tag))
            && self.address.as_ref().is_none_or(|it| it.admits(memory))
            && self
                .task
                .as_ref()
                .is_none_or(|task| memory.task.as_ref() == Some(task))
            && self
                .path
                .as_ref()
                .is_none_or(|path| has_citation_below(memory, path))
            && self
                .text
                .as_ref()
                .is_none_or(|text| has_matching_text(memory, text))
    }

    /// Puts memories into the order asked for: total, so that no store leaves a tie to chance.
    pub fn sort_memories(&self, memories: &mut [Memory]) {
        memories.sort_by(|a, b| self.compare_keys(self.sort_key(a), self.sort_key(b)));
    }

    /// Where a listing goes on that ended with this memory.
    pub fn cursor_after(&self, memory: &Memory) -> ListCursor {
        let (at, number, space) = self.sort_key(memory);
        ListCursor {
            at,
            number,
            space: space.clone(),
        }
    }

    fn sort_key<'a>(&self, memory: &'a Memory) -> (Timestamp, u64, &'a Space) {
        let at = match self.order {
            ListOrder::Refreshed => memory.refreshed_at,
            ListOrder::Newest | ListOrder::Oldest => memory.recorded_at,
        };
        (at, memory.number, &memory.space)
    }

    fn compare_keys(&self, a: (Timestamp, u64, &Space), b: (Timestamp, u64, &Space)) -> Ordering {
        let order = (a.0, a.1).cmp(&(b.0, b.1));
        let order = if self.order == ListOrder::Oldest {
            order
        } else {
            order.reverse()
        };
        order.then_with(|| a.2.cmp(b.2))
    }
}

pub(crate) fn is_any_or_among<T: PartialEq>(wanted: &[T], it: &T) -> bool {
    wanted.is_empty() || wanted.contains(it)
}

/// Whether a memory cites this file, or a file below this folder.
pub(crate) fn has_citation_below(memory: &Memory, path: &RepoPath) -> bool {
    memory.citations.iter().any(|it| it.path.is_below(path))
}

fn has_matching_text(memory: &Memory, text: &str) -> bool {
    let text = text.to_lowercase();
    let mut texts = memory.subject.iter().chain([&memory.fact]);
    texts.any(|it| it.to_lowercase().contains(&text))
}

/// One memory under one term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// The memory's number within the space.
    pub number: u64,
    /// How often the term stands in it.
    pub count: u32,
    /// How many terms it has in all.
    pub len: u32,
}

/// What a space's index knows of some terms. Only active memories are in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Postings {
    /// How many memories are indexed.
    pub n_docs: u64,
    /// The sum of their lengths in terms.
    pub total_len: u64,
    /// For each term asked for, the memories that have it, by number.
    pub lists: Vec<Vec<Posting>>,
}

/// The numbers of a space.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpaceSummary {
    /// Memories by stage and layer.
    pub memories: BTreeMap<(Stage, Layer), u64>,
    /// Characters in the active identity layer.
    pub identity_chars: usize,
    /// Events by their word.
    pub events: BTreeMap<String, u64>,
}

impl SpaceSummary {
    /// How many memories are in this stage.
    pub fn count_in_stage(&self, stage: Stage) -> u64 {
        self.memories
            .iter()
            .filter(|((it, _), _)| *it == stage)
            .map(|(_, n)| n)
            .sum()
    }

    /// How many active memories a layer has.
    pub fn count_active(&self, layer: Layer) -> u64 {
        let n = self.memories.get(&(Stage::Active, layer));
        n.copied().unwrap_or(0)
    }

    /// How many events have this word.
    pub fn count_events(&self, word: &str) -> u64 {
        self.events.get(word).copied().unwrap_or(0)
    }
}

/// Which part of the log of a space to read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventPage {
    /// Only about this memory.
    pub memory: Option<MemoryId>,
    /// Only what changes where memories stand, and not what merely counts, see [`EventKind::TELEMETRY`].
    ///
    /// [`EventKind::TELEMETRY`]: crate::event::EventKind::TELEMETRY
    pub changes_only: bool,
    /// Newest first, rather than oldest first.
    pub newest_first: bool,
    /// Continue behind this place of the space's log, see [`LoggedEvent::seq`]; 0 begins.
    pub after: u64,
    /// At most so many.
    pub limit: usize,
}

/// A memory that is there and cannot be read, because another program changed it: all that is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedMemory {
    /// The id it is filed under.
    pub id: MemoryId,
    /// Its space.
    pub space: Space,
    /// Its number there.
    pub number: u64,
}

impl EventPage {
    /// The end of the log, the newest first.
    pub fn newest(limit: usize) -> Self {
        Self {
            newest_first: true,
            limit,
            ..Self::default()
        }
    }
}

impl DamagedMemory {
    /// What people call it.
    pub fn handle(&self) -> Handle {
        Handle::new(&self.space, self.number)
    }
}

/// What a store says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoreHealth {
    /// Where it is and what it is, for people.
    pub name: String,
    /// What is wrong; empty is healthy.
    pub problems: Vec<String>,
}

/// How memories are asked for by name. The kinds are not mixed: each is one statement of a database, and none copies the
/// name of a space for every memory.
#[derive(Debug, Clone, Copy)]
pub enum MemoryKeys<'a> {
    /// By their ids, in whatever space.
    Ids(&'a [MemoryId]),
    /// By their numbers in a space.
    Numbers(&'a Space, &'a [u64]),
    /// The active or pending memory of a space that makes this claim.
    Claim(&'a Space, &'a Digest),
}

/// Where memories are kept: a log of what happened, and the memories that it folds into.
///
/// Each space has a log of its own. A store may count the places of several spaces together, and no caller may rely on it:
/// places are compared, and used as cursors, within one space.
pub trait EventLog: Send + Sync {
    /// Appends the batch and applies it to the state and the index: all or nothing. A durable batch is on the disk
    /// when this returns. Fails with [`StoreError::Conflict`] when an expectation no longer holds.
    fn append_batch(&self, batch: &Batch) -> Result<AppendReceipt, StoreError>;

    /// Removes the text everywhere, the log included; the tombstone stays. `false`: there was no such memory. One that
    /// cannot be read is removed by the number that the tombstone tells.
    fn erase_memory(&self, erasure: &Erasure) -> Result<bool, StoreError>;

    /// Takes what was asked in a space during this time out of the log, because the conversation was forgotten; how many
    /// questions. Only earlier versions logged whole questions, so a store of many people, whose log is theirs too, does nothing.
    fn forget_questions(
        &self,
        _space: &Space,
        _during: &RangeInclusive<Timestamp>,
    ) -> Result<usize, StoreError> {
        Ok(0)
    }

    /// The memories with these keys, in the order asked; absent ones are left out. One that is damaged is left out among
    /// several, and an error where it alone was asked for.
    fn get_memories(&self, keys: MemoryKeys) -> Result<Vec<Memory>, StoreError>;

    /// The memories that a filter admits, in its order.
    fn list_memories(&self, filter: &MemoryFilter) -> Result<Vec<Memory>, StoreError>;

    /// The numbers of the newest active memories of some layers of a space, at most so many. A store that keeps memories on a
    /// disk answers without reading them.
    fn list_active_numbers(
        &self,
        space: &Space,
        layers: &[Layer],
        most: usize,
    ) -> Result<Vec<u64>, StoreError> {
        let filter = MemoryFilter {
            layers: layers.to_vec(),
            ..MemoryFilter::active_in([space.clone()], most)
        };
        let found = self.list_memories(&filter)?.into_iter();
        Ok(found.map(|it| it.number).collect())
    }

    /// Which of these numbers of a space are active memories of these layers, in the order asked. A store that keeps memories
    /// on a disk answers without reading them.
    fn retain_active_numbers(
        &self,
        space: &Space,
        numbers: &[u64],
        layers: &[Layer],
    ) -> Result<Vec<u64>, StoreError> {
        let mut found = self.get_memories(MemoryKeys::Numbers(space, numbers))?;
        found.retain(|it| it.is_active() && layers.contains(&it.layer));
        Ok(found.into_iter().map(|it| it.number).collect())
    }

    /// A part of the log of a space.
    fn read_events(&self, space: &Space, page: &EventPage) -> Result<Vec<LoggedEvent>, StoreError>;

    /// The spaces there are, sorted.
    fn list_spaces(&self) -> Result<Vec<Space>, StoreError>;

    /// The numbers of a space.
    fn summarize_space(&self, space: &Space) -> Result<SpaceSummary, StoreError>;

    /// Looks itself over: slow and thorough.
    fn check_health(&self) -> Result<StoreHealth, StoreError>;
}

/// A log that can be ranked and guarded: what it takes to answer that without reading every memory or event.
pub trait Store: EventLog {
    /// Whether what was opened is still what is kept under its name. A server opens a store anew where it is not.
    fn is_in_place(&self) -> bool {
        true
    }

    /// Where replicas of its spaces are kept, where the store itself holds them: several machines share it.
    fn replica_shelf(&self) -> Option<&dyn ReplicaShelf> {
        None
    }

    /// What the space's index knows of these terms.
    fn read_postings(&self, space: &Space, terms: &[String]) -> Result<Postings, StoreError>;

    /// The terms of the space's index that begin with this character, sorted.
    fn list_terms(&self, space: &Space, initial: char) -> Result<Vec<String>, StoreError>;

    /// The terms of the space's index that are wanted, sorted. Every term is looked at, and no memory.
    fn find_terms(
        &self,
        space: &Space,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<String>, StoreError>;

    /// What a write looks at before it is let through: how much was recorded since then, and which breakers are open. It
    /// is not part of [`EventLog::summarize_space`], because every write asks for it and the summary may count every memory.
    fn read_breaker_state(
        &self,
        space: &Space,
        since: Timestamp,
    ) -> Result<BreakerState, StoreError>;

    /// What happened in a space, in outline and the newest first, up to the first that is older than this time; at most
    /// so many.
    fn read_event_traces(
        &self,
        space: &Space,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<EventTrace>, StoreError> {
        let newest = self.read_events(space, &EventPage::newest(limit))?;
        let recent = newest.iter().take_while(|it| it.event.at >= since);
        Ok(recent.map(EventTrace::from).collect())
    }

    /// The last events of all spaces together, the newest first. There is no going on from here: only a space has a cursor.
    fn latest_events(&self, limit: usize) -> Result<Vec<LoggedEvent>, StoreError> {
        let mut events = Vec::new();
        for space in self.list_spaces()? {
            events.extend(self.read_events(&space, &EventPage::newest(limit))?);
        }
        sort_newest_first(&mut events);
        events.truncate(limit);
        Ok(events)
    }

    /// The memory of this space and name that is there and cannot be read. A store that leaves out what it cannot read
    /// has none.
    fn find_damaged(
        &self,
        space: &Space,
        name: MemoryName,
    ) -> Result<Option<DamagedMemory>, StoreError> {
        let _ = (space, name);
        Ok(None)
    }

    /// The paths that the memories of a space cite, sorted.
    fn list_cited_paths(&self, space: &Space) -> Result<Vec<String>, StoreError> {
        let memories = self.list_memories(&MemoryFilter {
            spaces: vec![space.clone()],
            limit: usize::MAX,
            ..MemoryFilter::default()
        })?;
        let citations = memories.into_iter().flat_map(|it| it.citations);
        let paths: BTreeSet<String> = citations.map(|it| it.path.to_string()).collect();
        Ok(paths.into_iter().collect())
    }

    /// The vectors that a model made of the active memories of a space, by number. A store that keeps none has none.
    fn read_embeddings(
        &self,
        space: &Space,
        model: &EmbeddingModel,
    ) -> Result<Vec<MemoryEmbedding>, StoreError> {
        let _ = (space, model);
        Ok(Vec::new())
    }

    /// Keeps vectors of active memories, in the place of those they had, and drops those of the space that belong to
    /// memories which are active no more. How many of these were kept: vectors of memories that are not active are not.
    fn write_embeddings(
        &self,
        space: &Space,
        model: &EmbeddingModel,
        embeddings: &[MemoryEmbedding],
    ) -> Result<usize, StoreError> {
        let _ = (space, model, embeddings);
        Ok(0)
    }

    /// Drops all vectors of a model, in every space.
    fn remove_embeddings(&self, model: &EmbeddingModel) -> Result<(), StoreError> {
        let _ = model;
        Ok(())
    }

    /// The memories with these ids, in the order asked; absent ones are left out.
    fn get_by_ids(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, StoreError> {
        self.get_memories(MemoryKeys::Ids(ids))
    }

    /// The memories of a space with these numbers, in the order asked; absent ones are left out.
    fn get_by_numbers(&self, space: &Space, numbers: &[u64]) -> Result<Vec<Memory>, StoreError> {
        self.get_memories(MemoryKeys::Numbers(space, numbers))
    }

    /// The active or pending memory of the space that makes this claim.
    fn get_by_claim(&self, space: &Space, claim: &Digest) -> Result<Option<Memory>, StoreError> {
        Ok(self.get_memories(MemoryKeys::Claim(space, claim))?.pop())
    }
}

/// Puts events of several spaces into one order: by time, and by place where that says nothing.
pub fn sort_newest_first(events: &mut [LoggedEvent]) {
    events.sort_by_key(|it| Reverse((it.event.at, it.seq)));
}
