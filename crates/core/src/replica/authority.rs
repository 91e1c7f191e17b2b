//! Which lines somebody may bring to a replica that has people of its own: a team's server.
//!
//! To a remote or into a folder everybody writes what they like, and the lines say what happened. A server knows who is calling. So a
//! line is taken there only from who could do the same to that memory through any other call: what takes a person takes one here.

use super::line::ReplicaLine;
use crate::{
    event::EventBody,
    memory::Memory,
    speaker::{PersonVerb, Speaker},
};

/// Why a line was left out, for the one who brought it.
pub const TAKES_PERSON: &str =
    "it says what only a person decides here; that takes a token with --access review";

/// Whether a speaker may bring this line to a replica where the memory it is about is this one.
pub fn may_bring_line(line: &ReplicaLine, memory: Option<&Memory>, by: &Speaker) -> bool {
    // What a replica brought, replicas change: whose person it was who spoke there, the program there knows, and no line proves.
    let may = |verb| memory.is_none_or(|it| was_brought(it) || by.can_decide(verb, it));
    match &line.event.what {
        EventBody::Remembered { .. } | EventBody::Refreshed { .. } => true,
        EventBody::Superseded { .. }
        | EventBody::Corrected { .. }
        | EventBody::Invalidated { .. }
        | EventBody::Retired { .. } => may(PersonVerb::Invalidate),
        EventBody::Forgotten { .. } => may(PersonVerb::Forget),
        // An approval, and a rollback, which puts back what was rejected as well.
        _ => by
            .person()
            .is_some_and(|it| it.can_reach(&line.event.space)),
    }
}

fn was_brought(memory: &Memory) -> bool {
    memory.is_active() && memory.voice.is_persons_word() && !memory.voice.is_person()
}
