//! Forget: the text is removed everywhere, the log included; id, time and reason stay.

use crate::event::{Erasure, What};
use crate::memory::{Memory, Name};
use crate::refusal::Refusal;
use crate::remember::moderate;
use crate::space::Space;
use crate::{Context, Error, list};

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Forgotten {
    /// It is gone; this is what it was.
    Done(Box<Memory>),
    /// There was nothing to forget.
    Refused(Refusal),
}

/// Forgets a memory, in whatever stage it is.
pub fn forget(cx: &Context<'_>, spaces: &[Space], name: Name, reason: &str) -> Result<Forgotten, Error> {
    let refused = Ok(Forgotten::Refused(Refusal::NoSuchMemory { name: name.to_string() }));
    let Some(memory) = list::named(cx, spaces, name)? else { return refused };
    // The reason outlives the memory, so it must not carry the text away with it.
    if let Err(refusal) = moderate::check_text("reason", reason) {
        return Ok(Forgotten::Refused(refusal));
    }
    let reason = if reason.contains(&memory.fact) { String::new() } else { moderate::neutralised(reason) };
    let reason = reason.chars().take(cx.policy.limits.reason_chars).collect();
    let tombstone =
        cx.event(&memory.space, Some(memory.id), What::Forgotten { number: memory.number, reason });
    let erased = cx.store.erase(&Erasure::new(memory.id, tombstone))?;
    if erased { Ok(Forgotten::Done(Box::new(memory))) } else { refused }
}
