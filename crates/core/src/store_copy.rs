//! A store copied into another, of whatever kind: memories with their ids, numbers and counters, and the whole history with
//! its times.
//!
//! The history is written again, event by event, as the stores themselves write it: so every store can be read and written
//! this way, and what each derives from events (counters, index, what an event replaced) is its own. What an event is known by
//! does not change, so that a copy that was interrupted goes on where it ended, and a store that holds anything else of a space
//! is recognised. Vectors are not copied: they can be made again.

use std::collections::{BTreeMap, HashMap, HashSet};

use apostille_text::digest::Digest;
use jiff::Timestamp;

use crate::{
    event::{Batch, Erasure, Event, EventBody, EventKind, LoggedEvent},
    evidence::RunTally,
    format::{EventRecord, MemoryRecord},
    memory::{Kind, Layer, Memory, MemoryId, Origin, Status, UsageCounts, Voice},
    space::Space,
    store::{EventPage, MemoryFilter, Store, StoreError},
};

/// How much of a log is read at once.
const PAGE: usize = 4_096;
/// How many events are written at once.
const LOT: usize = 1_000;
/// The same where each batch is a line that people read.
const LINE_LOT: usize = 20;

/// Why a store cannot be copied.
#[derive(Debug, thiserror::Error)]
pub enum StoreCopyError {
    /// The target holds something else of this space.
    #[error("the target holds other memories of {0} already; name a store that does not")]
    Occupied(Space),
    /// Two memories in use say the same, which the target does not allow.
    #[error(
        "the target does not take two memories in use that say the same; forget or supersede one of them"
    )]
    Twins(#[source] StoreError),
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a store holds of a space, to be held against what another one does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpaceProof {
    /// How many memories.
    pub memories: u64,
    /// How many events.
    pub events: u64,
    /// The digest of all memories, with their counters, and of all events.
    pub digest: Digest,
}

/// A space that was copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedSpace {
    /// Which.
    pub space: Space,
    /// How many events were written now; the others were there.
    pub written: u64,
    /// What the source holds.
    pub source: SpaceProof,
    /// What the target holds.
    pub target: SpaceProof,
}

impl CopiedSpace {
    /// Whether both hold the same.
    pub fn is_proven(&self) -> bool {
        self.source == self.target
    }
}

/// How a copy is made.
pub struct StoreCopyRun<'a> {
    /// Whether the target keeps what is merely counted in another file than what is shared.
    pub keeps_telemetry_apart: bool,
    /// Whether to look only: nothing is written, and the target's side of the proof is what it holds now.
    pub is_dry_run: bool,
    /// Told how many events of how many are done; whether to go on.
    pub goes_on: &'a dyn Fn(u64, u64) -> bool,
}

/// Copies every space of a store into another; `None`: it was stopped.
pub fn copy_store(
    source: &dyn Store,
    target: &dyn Store,
    run: &StoreCopyRun,
) -> Result<Option<Vec<CopiedSpace>>, StoreCopyError> {
    let mut copies = Vec::new();
    for space in source.list_spaces()? {
        copies.push(SpaceCopy::survey(source, target, space)?);
    }
    if !run.is_dry_run && !write_copies(&copies, target, run)? {
        return Ok(None);
    }
    let mut copied = Vec::new();
    for copy in copies {
        copied.push(CopiedSpace {
            written: copy.missing.len() as u64,
            source: prove_space(source, &copy.space)?,
            target: prove_space(target, &copy.space)?,
            space: copy.space,
        });
    }
    Ok(Some(copied))
}

/// Writes what the target lacks, in the order in which it happened; whether it came to its end.
fn write_copies(
    copies: &[SpaceCopy],
    target: &dyn Store,
    run: &StoreCopyRun,
) -> Result<bool, StoreCopyError> {
    for copy in copies {
        copy.remove_left_over(target)?;
    }
    let is_telemetry = |it: &Event| EventKind::TELEMETRY.contains(&it.what.event_kind());
    let lot = match run.keeps_telemetry_apart {
        true => LINE_LOT,
        false => LOT,
    };
    let order = merge_by_time(copies);
    let (mut done, all) = (0, order.len() as u64);
    let mut batch: Vec<Event> = Vec::new();
    let mut is_durable = true;
    for (copy, event) in order {
        let durable = !(run.keeps_telemetry_apart && is_telemetry(event));
        let is_highest = copy.is_highest_tombstone(event);
        let is_apart = is_highest || matches!(event.what, EventBody::RolledBack { .. });
        if batch.len() >= lot || durable != is_durable || is_apart {
            done += batch.len() as u64;
            append_events(target, std::mem::take(&mut batch), is_durable)?;
            if !(run.goes_on)(done, all) {
                return Ok(false);
            }
        }
        is_durable = durable;
        if is_highest {
            copy.bury_placeholder(target, event)?;
            done += 1;
        } else {
            batch.push(copy.place_rollback(target, event)?);
        }
    }
    append_events(target, batch, is_durable)?;
    (run.goes_on)(all, all);
    Ok(true)
}

/// The events of several spaces in the order of their times; those of one space stay in theirs.
fn merge_by_time(copies: &[SpaceCopy]) -> Vec<(&SpaceCopy, &Event)> {
    let mut heads: Vec<_> = copies
        .iter()
        .map(|it| it.missing.iter().peekable())
        .collect();
    let mut order = Vec::new();
    loop {
        let ready = heads.iter_mut().enumerate();
        let ready = ready.filter_map(|(n, it)| it.peek().map(|(seq, event)| (event.at, *seq, n)));
        let Some((_, _, first)) = ready.min() else {
            return order;
        };
        order.extend(
            heads[first]
                .next()
                .map(|(_, event)| (&copies[first], event)),
        );
    }
}

fn append_events(
    target: &dyn Store,
    events: Vec<Event>,
    is_durable: bool,
) -> Result<(), StoreCopyError> {
    if events.is_empty() {
        return Ok(());
    }
    let batch = match is_durable {
        true => Batch::new_durable(events, Vec::new()),
        false => Batch::new_telemetry(events, Vec::new()),
    };
    match target.append_batch(&batch) {
        Ok(_) => Ok(()),
        Err(error @ StoreError::Conflict { .. }) => Err(StoreCopyError::Twins(error)),
        Err(error) => Err(error.into()),
    }
}

/// What a store holds of a space.
pub fn prove_space(store: &dyn Store, space: &Space) -> Result<SpaceProof, StoreError> {
    let mut memories = list_all_memories(store, space)?;
    memories.sort_by_key(|it| it.id);
    let mut form = String::new();
    for memory in &memories {
        form += &format!("{:?}\n", MemoryRecord::from(memory));
    }
    let mut events = Vec::new();
    each_event(store, space, |it| events.push(identify_event(&it.event)))?;
    events.sort_unstable();
    for event in &events {
        form += &format!("{event}\n");
    }
    Ok(SpaceProof {
        memories: memories.len() as u64,
        events: events.len() as u64,
        digest: Digest::hash_bytes(form.as_bytes()),
    })
}

fn list_all_memories(store: &dyn Store, space: &Space) -> Result<Vec<Memory>, StoreError> {
    store.list_memories(&MemoryFilter {
        spaces: vec![space.clone()],
        limit: usize::MAX,
        ..MemoryFilter::default()
    })
}

fn each_event(
    store: &dyn Store,
    space: &Space,
    mut see: impl FnMut(LoggedEvent),
) -> Result<(), StoreError> {
    let mut page = EventPage {
        limit: PAGE,
        ..EventPage::default()
    };
    loop {
        let events = store.read_events(space, &page)?;
        let is_last = events.len() < PAGE;
        page.after = events.last().map_or(page.after, |it| it.seq);
        events.into_iter().for_each(&mut see);
        if is_last {
            return Ok(());
        }
    }
}

/// What an event is known by in every store: all it says, but for the memory that it brought, whose state moves on, and for
/// places in the log, which each store counts by itself.
fn identify_event(event: &Event) -> Digest {
    let record = match &event.what {
        EventBody::Remembered {
            forced, rationale, ..
        } => {
            let applied = EventBody::Applied;
            let event = Event {
                what: applied,
                ..event.clone()
            };
            EventRecord {
                event: EventKind::Remembered.as_str().into(),
                forced: *forced,
                rationale: rationale.clone(),
                ..EventRecord::from(&event)
            }
        }
        _ => EventRecord {
            to: None,
            ..EventRecord::from(event)
        },
    };
    Digest::hash_bytes(format!("{record:?}").as_bytes())
}

/// A space on its way.
struct SpaceCopy {
    space: Space,
    /// The events that the target lacks, in order, each with its place in the source.
    missing: Vec<(u64, Event)>,
    /// The places of the source's events, to find the same place in the target.
    places: Vec<u64>,
    /// A memory that an interrupted copy left, which is to be forgotten.
    left_over: Vec<MemoryId>,
    /// The number of a memory that is gone, where it is the highest of all.
    last_forgotten: Option<u64>,
}

impl SpaceCopy {
    /// Finds out what the target lacks.
    fn survey(
        source: &dyn Store,
        target: &dyn Store,
        space: Space,
    ) -> Result<Self, StoreCopyError> {
        let mut events = Vec::new();
        each_event(source, &space, |it| events.push(it))?;
        let forgotten: HashSet<MemoryId> = events
            .iter()
            .filter(|it| matches!(it.event.what, EventBody::Forgotten { .. }))
            .filter_map(|it| it.event.memory)
            .collect();
        let mut there: HashMap<Digest, usize> = HashMap::new();
        let mut left_over = Vec::new();
        each_event(target, &space, |it| match &it.event.what {
            EventBody::Remembered { memory, .. } if forgotten.contains(&memory.id) => {
                left_over.push(memory.id);
            }
            _ => *there.entry(identify_event(&it.event)).or_default() += 1,
        })?;
        let firsts = find_first_states(&events);
        let last_number = firsts.values().map(|it| it.number).max();
        let numbers = events
            .iter()
            .filter_map(|it| find_forgotten_number(&it.event));
        let mut copy = Self {
            last_forgotten: numbers.max().filter(|it| Some(*it) > last_number),
            places: events.iter().map(|it| it.seq).collect(),
            missing: Vec::new(),
            left_over,
            space,
        };
        for logged in events {
            let n_there = there.entry(identify_event(&logged.event)).or_default();
            if *n_there > 0 {
                *n_there -= 1;
                continue;
            }
            let mut event = logged.event;
            if let EventBody::Remembered { memory, .. } = &mut event.what
                && let Some(first) = firsts.get(&memory.id)
            {
                **memory = first.clone();
            }
            copy.missing.push((logged.seq, event));
        }
        match there.values().any(|it| *it > 0) {
            true => Err(StoreCopyError::Occupied(copy.space)),
            false => Ok(copy),
        }
    }

    /// Forgets what an interrupted copy left in the middle of forgetting it.
    fn remove_left_over(&self, target: &dyn Store) -> Result<(), StoreError> {
        for id in &self.left_over {
            let is_tombstone = |it: &&(u64, Event)| it.1.memory == Some(*id);
            if let Some((_, tombstone)) = self.missing.iter().find(is_tombstone) {
                target.erase_memory(&Erasure::new(*id, tombstone.clone()))?;
            }
        }
        Ok(())
    }

    /// Whether this says that the memory with the highest number of all is gone. That number is given to no other.
    fn is_highest_tombstone(&self, event: &Event) -> bool {
        find_forgotten_number(event).is_some_and(|it| Some(it) == self.last_forgotten)
    }

    /// Has the target give the number of a forgotten memory once, so that it does not give it again.
    fn bury_placeholder(
        &self,
        target: &dyn Store,
        tombstone: &Event,
    ) -> Result<(), StoreCopyError> {
        let (EventBody::Forgotten { number, .. }, Some(id)) = (&tombstone.what, tombstone.memory)
        else {
            return Ok(());
        };
        // It is forgotten already, where an interrupted copy was about to.
        if self.left_over.contains(&id) {
            return Ok(());
        }
        let memory = build_placeholder(&self.space, id, *number, tombstone.at);
        let remembered = Event {
            what: EventBody::Remembered {
                memory: Box::new(memory),
                forced: false,
                rationale: None,
            },
            ..tombstone.clone()
        };
        append_events(target, vec![remembered], true)?;
        target.erase_memory(&Erasure::new(id, tombstone.clone()))?;
        Ok(())
    }

    /// A rollback names a place of the log: the same event has another place in the target.
    fn place_rollback(&self, target: &dyn Store, event: &Event) -> Result<Event, StoreCopyError> {
        let mut event = event.clone();
        if let EventBody::RolledBack { to, .. } = &mut event.what {
            let n_before = self.places.iter().filter(|it| **it <= *to).count();
            let page = EventPage {
                limit: n_before,
                ..EventPage::default()
            };
            let before = target.read_events(&self.space, &page)?;
            *to = before
                .last()
                .filter(|_| n_before > 0)
                .map_or(0, |it| it.seq);
        }
        Ok(event)
    }
}

fn find_forgotten_number(event: &Event) -> Option<u64> {
    match event.what {
        EventBody::Forgotten { number, .. } => Some(number),
        _ => None,
    }
}

/// Every memory of a log as it began.
fn find_first_states(events: &[LoggedEvent]) -> BTreeMap<MemoryId, Memory> {
    let mut touching: BTreeMap<MemoryId, Vec<LoggedEvent>> = BTreeMap::new();
    for logged in events {
        for id in logged.event.touched_memories() {
            touching.entry(id).or_default().push(logged.clone());
        }
    }
    let mut firsts = BTreeMap::new();
    for logged in events {
        if let EventBody::Remembered { memory, .. } = &logged.event.what {
            let about = touching.get(&memory.id).map_or(&[][..], Vec::as_slice);
            firsts.insert(memory.id, memory.at_first(about));
        }
    }
    firsts
}

/// A memory without words.
fn build_placeholder(space: &Space, id: MemoryId, number: u64, at: Timestamp) -> Memory {
    Memory {
        id,
        number,
        space: space.clone(),
        layer: Layer::Session,
        kind: Kind::Reference,
        subject: None,
        fact: "forgotten".into(),
        reason: None,
        citations: Vec::new(),
        evidence: Vec::new(),
        names: Vec::new(),
        runs: RunTally::default(),
        tags: Vec::new(),
        voice: Voice::from_origin(Origin::System),
        task: None,
        marks: Vec::new(),
        status: Status::Retired {
            why: "forgotten".into(),
        },
        supersedes: None,
        vouchers: Vec::new(),
        recorded_at: at,
        refreshed_at: at,
        usage: UsageCounts::default(),
    }
}
