//! Lines that came with a repository: somebody else may have written them, past every check there is on writing.

use std::collections::HashSet;

use apostille_core::{
    event::{Event, EventBody},
    foreign::{admit_foreign_event, foreign_hold_reason},
    memory::{Memory, MemoryId, Status},
    space::Space,
};

use super::merge::remembered_memory;

/// Why a memory waits for good in such a file.
fn hold_reason(memory: &Memory) -> Option<String> {
    foreign_hold_reason(memory, "came with the repository")
}

/// The memories that wait for good.
#[derive(Debug, Default)]
pub(super) struct HeldMemories(HashSet<MemoryId>);

impl HeldMemories {
    /// Takes note of the memories that these events bring.
    pub(super) fn note_held<'a>(&mut self, events: impl Iterator<Item = &'a Event>) {
        let held = events
            .filter_map(remembered_memory)
            .filter(|it| hold_reason(it).is_some());
        self.0.extend(held.map(|it| it.id));
    }

    /// Whether an event would let one of them out.
    pub(super) fn is_released_by(&self, event: &Event) -> bool {
        let lets_out = matches!(
            event.what,
            EventBody::Approved
                | EventBody::Restored {
                    status: Status::Active,
                    ..
                }
        );
        lets_out && event.memory.is_some_and(|id| self.0.contains(&id))
    }
}

/// The events of a line as they count here; or why the line is left out.
pub(super) fn admit_foreign_events(events: Vec<Event>, repo: &Space) -> Result<Vec<Event>, String> {
    // A repository neither opens nor closes breakers.
    let is_breaker = |it: &Event| {
        matches!(
            it.what,
            EventBody::Tripped { .. } | EventBody::Closed { .. }
        )
    };
    events
        .into_iter()
        .filter(|it| !is_breaker(it))
        .map(|it| {
            let mut event = admit_foreign_event(it, repo)?;
            hold_memory(&mut event);
            Ok(event)
        })
        .collect()
}

/// What would wait here waits, though its line says that it is in use.
fn hold_memory(event: &mut Event) {
    if let EventBody::Remembered { memory, .. } = &mut event.what
        && memory.status == Status::Active
        && let Some(why) = hold_reason(memory)
    {
        memory.status = Status::Pending { why };
    }
}
