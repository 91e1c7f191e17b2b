//! What an event does to the rows of a store, decided by a pure function before anything is written.
//!
//! Every store folds events into rows by this one rule. SQLite writes what it says as rows of one transaction; the RAM
//! twin, and the JSONL store with it, puts it into maps. What differs between them stays with each: how a number is given
//! (a file that git merges may bring two of one), and the index, which the twin keeps as a plain map so that it can be
//! held against the packed one.
//!
//! A batch is planned event by event while it is written, and not as a whole: the second event about a memory sees what
//! the first one made of it, a new memory has its number by then, and a batch of a hundred thousand is never in memory
//! twice.

use crate::event::previous_state::PreviousState;
use crate::{
    event::{Event, EventBody, EventKind},
    memory::{Memory, MemoryId, UsageCounts},
};

/// What one event changes.
#[derive(Debug, Clone, PartialEq)]
pub struct RowChanges<'a> {
    /// How the memory stood before, to be kept with the event in the log so that it can be taken back.
    pub was: Option<PreviousState>,
    /// What becomes of memories.
    pub memories: MemoryChange<'a>,
}

/// What an event makes of memories.
#[derive(Debug, Clone, PartialEq)]
pub enum MemoryChange<'a> {
    /// None changes: the event is in the log and nowhere else.
    None,
    /// A new one. Without a number it gets the next of its space.
    Insert(&'a Memory),
    /// One is written over.
    Update(Box<MemoryUpdate>),
    /// The counters of all that the event touches grow by this; see [`Event::touched_memories`].
    Count(UsageCounts),
    /// One goes, with every event about it and the questions it answered.
    Erase(MemoryId),
}

/// A memory before and after an event.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryUpdate {
    /// As it was.
    pub before: Memory,
    /// As it is now.
    pub after: Memory,
}

impl MemoryUpdate {
    /// Whether it cites other places now: the paths that it is found by change, and its terms, which they are part of.
    pub fn has_new_citations(&self) -> bool {
        self.before.citations != self.after.citations
    }

    /// Whether the terms that it had leave the index, where only active memories are.
    pub fn leaves_index(&self) -> bool {
        self.before.is_active() && (!self.after.is_active() || self.has_new_citations())
    }

    /// Whether the terms that it has now enter the index.
    pub fn enters_index(&self) -> bool {
        self.after.is_active() && (!self.before.is_active() || self.has_new_citations())
    }
}

/// The memory that an event writes over. Its row must be read to plan the event; for any other event no row is needed.
pub fn changed_memory(event: &Event) -> Option<MemoryId> {
    let is_new_or_gone = matches!(
        event.what,
        EventBody::Remembered { .. } | EventBody::Forgotten { .. }
    );
    let is_aside = EventKind::TELEMETRY.contains(&event.what.event_kind());
    event.memory.filter(|_| !is_new_or_gone && !is_aside)
}

/// What an event changes, given the memory that it writes over as it was before; see [`changed_memory`]. An event about a
/// memory that is not there changes nothing.
pub fn plan_event(event: &Event, before: Option<Memory>) -> RowChanges<'_> {
    let was = before
        .as_ref()
        .and_then(|it| PreviousState::before_event(it, event));
    let memories = match (&event.what, event.memory, before) {
        (EventBody::Remembered { memory, .. }, ..) => MemoryChange::Insert(memory),
        (EventBody::Forgotten { .. }, Some(id), _) => MemoryChange::Erase(id),
        (_, _, Some(before)) => {
            let mut after = before.clone();
            after.apply_event(event);
            MemoryChange::Update(Box::new(MemoryUpdate { before, after }))
        }
        (what, ..) => match what.usage() {
            usage if usage == UsageCounts::default() => MemoryChange::None,
            usage => MemoryChange::Count(usage),
        },
    };
    RowChanges { was, memories }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::event::RetrievedMemory;
    use crate::format::MemoryRecord;
    use crate::memory::Status;
    use crate::space::Space;

    fn space() -> Space {
        Space::repo("acme/shop").unwrap()
    }

    fn memory() -> Memory {
        let record = r#"{"id":"0190163d-8694-739b-aea5-966c26f8ad91","number":1,"space":"acme/shop",
            "layer":"knowledge","kind":"reference","fact":"uploads are limited to 10 MB","origin":"user",
            "status":"active","recorded_at":"2026-07-01T00:00:00Z","refreshed_at":"2026-07-01T00:00:00Z"}"#;
        let record: MemoryRecord = serde_json::from_str(record).unwrap();
        record.try_into().unwrap()
    }

    fn event(memory: &Memory, what: EventBody) -> Event {
        Event {
            at: Timestamp::UNIX_EPOCH,
            space: space(),
            memory: Some(memory.id),
            actor: None,
            what,
        }
    }

    #[test]
    fn plan_updates_what_an_event_writes_over() {
        let memory = memory();
        let event = event(
            &memory,
            EventBody::Retired {
                reason: "old".into(),
            },
        );
        assert_eq!(changed_memory(&event), Some(memory.id));
        let changes = plan_event(&event, Some(memory.clone()));
        assert_eq!(changes.was.map(|it| it.status), Some(Status::Active));
        let MemoryChange::Update(update) = changes.memories else {
            panic!("{:?}", changes.memories)
        };
        assert_eq!(update.before, memory);
        assert_eq!(update.after.status, Status::Retired { why: "old".into() });
        assert!(update.leaves_index() && !update.enters_index());
        assert_eq!(plan_event(&event, None).memories, MemoryChange::None);
    }

    #[test]
    fn plan_counts_what_was_only_shown() {
        let memory = memory();
        let shown = vec![RetrievedMemory {
            id: memory.id,
            score: 1.0,
            verdict: "holds".into(),
        }];
        let what = EventBody::Retrieved {
            query: "upload limit".into(),
            shown,
        };
        let event = event(&memory, what);
        assert_eq!(changed_memory(&event), None);
        let recalled = UsageCounts {
            recalls: 1,
            ..UsageCounts::default()
        };
        let changes = plan_event(&event, None);
        assert_eq!(changes.memories, MemoryChange::Count(recalled));
        assert_eq!(changes.was, None);
    }

    #[test]
    fn plan_inserts_and_erases_without_a_row() {
        let memory = memory();
        let remembered = EventBody::Remembered {
            memory: Box::new(memory.clone()),
            forced: false,
            rationale: None,
        };
        let forgotten = EventBody::Forgotten {
            number: 1,
            reason: "asked to".into(),
        };
        let (new, gone) = (event(&memory, remembered), event(&memory, forgotten));
        assert_eq!((changed_memory(&new), changed_memory(&gone)), (None, None));
        let changes = plan_event(&new, None);
        assert_eq!(changes.memories, MemoryChange::Insert(&memory));
        let changes = plan_event(&gone, None);
        assert_eq!(changes.memories, MemoryChange::Erase(memory.id));
    }
}
