//! Lines that came with a repository: somebody else may have written them, past every check there is on writing.

use std::collections::HashSet;

use apostille_core::{
    event::{Event, EventBody},
    import,
    memory::{Channel, Layer, Memory, MemoryId, ModerationMark, Origin, Status, Voice},
    space::Space,
};
use apostille_text::moderate::neutralise_text;

use super::merge::remembered_memory;

/// Why a memory waits for good in such a file, whatever its lines say of it: an approval beside it may be forged as well.
fn foreign_hold_reason(memory: &Memory) -> Option<&'static str> {
    let voice = &memory.voice;
    let is_claim = matches!(memory.layer, Layer::Identity | Layer::Knowledge);
    if memory.marks.contains(&ModerationMark::Instruction) {
        Some("it reads like an instruction to a model, and came with the repository")
    } else if memory.marks.contains(&ModerationMark::Confusable) {
        Some(
            "a word of it is spelled with letters that only look like its own, and it came with the repository",
        )
    } else if voice.tainted || voice.channel.is_outside() {
        Some("its words come from outside, and it came with the repository")
    } else if voice.exposed && is_claim && memory.citations.is_empty() {
        Some("it was said after words from outside were read, and came with the repository")
    } else {
        None
    }
}

/// A memory as far as a file can be believed: who wrote the file is no person at this terminal.
fn distrust_memory(memory: Memory) -> Memory {
    let status = match foreign_hold_reason(&memory) {
        Some(why) if memory.status == Status::Active => Status::Pending { why: why.into() },
        _ => memory.status,
    };
    let channel = if memory.voice.channel.is_outside() {
        memory.voice.channel
    } else {
        Channel::Repository
    };
    let voice = Voice {
        origin: memory.voice.origin.max(Origin::Review),
        channel,
        ..memory.voice
    };
    Memory {
        voice,
        status,
        ..memory
    }
}

/// The memories that wait for good.
#[derive(Debug, Default)]
pub(super) struct HeldMemories(HashSet<MemoryId>);

impl HeldMemories {
    /// Takes note of the memories that these events bring.
    pub(super) fn note_held<'a>(&mut self, events: impl Iterator<Item = &'a Event>) {
        let held = events
            .filter_map(remembered_memory)
            .filter(|it| foreign_hold_reason(it).is_some());
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
        .map(|it| admit_foreign_event(it, repo))
        .collect()
}

/// The event as it counts here; or why the line is left out. It never says what the line holds.
fn admit_foreign_event(mut event: Event, repo: &Space) -> Result<Event, String> {
    let other_space = || Err(format!("it is about another space than {repo}"));
    // Within the repository's own file its name has no host; lines from a store of the user's may have one.
    if !event.space.is_called(repo) {
        return other_space();
    }
    event.space = repo.clone();
    let clean = |text: &mut String| *text = neutralise_text(text);
    event.actor.iter_mut().for_each(clean);
    match &mut event.what {
        EventBody::Remembered {
            memory, rationale, ..
        } => {
            if !memory.space.is_called(repo) {
                return other_space();
            }
            memory.space = repo.clone();
            let moderated = import::moderate_imported_memory((**memory).clone());
            **memory = distrust_memory(moderated.map_err(|it| it.to_string())?);
            rationale.iter_mut().for_each(clean);
        }
        EventBody::Superseded { reason, .. } | EventBody::Corrected { reason, .. } => {
            reason.iter_mut().for_each(clean);
        }
        EventBody::Invalidated { reason, diff } => {
            clean(reason);
            diff.iter_mut().for_each(clean);
        }
        EventBody::Retired { reason } | EventBody::Forgotten { reason, .. } => clean(reason),
        EventBody::Retrieved { query, .. } => clean(query),
        EventBody::Refreshed { followed, .. } => followed.iter_mut().for_each(clean),
        EventBody::Restored { status, .. } => {
            if let Status::Pending { why } | Status::Invalid { why } | Status::Retired { why } =
                status
            {
                clean(why);
            }
        }
        EventBody::RolledBack { .. } | EventBody::Tripped { .. } | EventBody::Closed { .. } => {}
        EventBody::Approved
        | EventBody::Verified { .. }
        | EventBody::Applied
        | EventBody::Ran(_)
        | EventBody::Refused { .. } => {}
    }
    Ok(event)
}
