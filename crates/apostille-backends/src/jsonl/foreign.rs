//! Lines that came with a repository: somebody else may have written them, past every check there is on writing.

use apostille_core::event::{Event, What};
use apostille_core::import;
use apostille_core::memory::{Channel, Mark, Memory, Origin, Status, Voice};
use apostille_core::remember::moderate::neutralised;
use apostille_core::space::Space;

/// A memory as far as a file can be believed: who wrote the file is no person at this terminal, and what reads like an
/// instruction waits, whatever its line says of itself.
fn doubted(memory: Memory) -> Memory {
    let channel = if memory.voice.channel.is_outside() { memory.voice.channel } else { Channel::Repository };
    let voice = Voice { origin: memory.voice.origin.max(Origin::Review), channel, ..memory.voice };
    let is_held = memory.status == Status::Active && memory.marks.contains(&Mark::Instruction);
    let why = "it reads like an instruction to a model, and came with the repository";
    let status = if is_held { Status::Pending { why: why.into() } } else { memory.status };
    Memory { voice, status, ..memory }
}

/// The event as it counts here; or why the line is left out. It never says what the line holds.
pub(super) fn admitted(mut event: Event, repo: &Space) -> Result<Event, String> {
    let is_ours = |it: &Space| it == repo;
    if !is_ours(&event.space) {
        return Err(format!("it is about another space than {repo}"));
    }
    if let Some(actor) = &mut event.actor {
        *actor = neutralised(actor);
    }
    match &mut event.what {
        What::Remembered { memory, rationale, .. } => {
            if !is_ours(&memory.space) {
                return Err(format!("it is about another space than {repo}"));
            }
            **memory = doubted(import::moderated((**memory).clone()).map_err(|it| it.to_string())?);
            rationale.iter_mut().for_each(|it| *it = neutralised(it));
        }
        What::Superseded { reason, .. } | What::Corrected { reason, .. } => {
            reason.iter_mut().for_each(|it| *it = neutralised(it));
        }
        What::Invalidated { reason, diff } => {
            *reason = neutralised(reason);
            diff.iter_mut().for_each(|it| *it = neutralised(it));
        }
        What::Retired { reason } | What::Forgotten { reason, .. } => *reason = neutralised(reason),
        What::Retrieved { query, .. } => *query = neutralised(query),
        What::Refreshed { followed, .. } => followed.iter_mut().for_each(|it| *it = neutralised(it)),
        What::Tripped { actor, why, .. } => {
            actor.iter_mut().for_each(|it| *it = neutralised(it));
            *why = neutralised(why);
        }
        What::Restored { status, .. } => {
            if let Status::Pending { why } | Status::Invalid { why } | Status::Retired { why } = status {
                *why = neutralised(why);
            }
        }
        What::RolledBack { .. } | What::Closed { .. } => {}
        What::Approved | What::Verified { .. } | What::Applied | What::Refused { .. } => {}
    }
    Ok(event)
}
