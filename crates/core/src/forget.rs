//! Forget: the text is removed everywhere, the log included; id, time and reason stay.

use crate::event::{Erasure, What};
use crate::memory::{Layer, Memory, Name};
use crate::refusal::Refusal;
use crate::refusal::check_text;
use crate::space::Space;
use crate::speaker::Speaker;
use crate::store::{Damaged, StoreError};
use crate::{Context, Error, list};
use apostille_text::moderate;

/// What only a person does.
pub const PERSONS_VERB: &str = "forget what a person said, or what waits or was rejected";

/// Why a memory is gone that could not be read.
const DAMAGED: &str = "its row was damaged by another program";

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Forgotten {
    /// It is gone; this is what it was.
    Done(Box<Memory>),
    /// There was nothing to forget.
    Refused(Refusal),
}

/// Forgets a memory, in whatever stage it is.
///
/// What a person said, and what a person decides about, is forgotten only by a speaker who [may](Speaker::may_forget).
///
/// ```compile_fail
/// # use apostille_core::{Context, forget::forget, memory::Name, space::Space};
/// fn forget_unasked(cx: &Context<'_>, spaces: &[Space], name: Name) {
///     let _ = forget(cx, spaces, name, "no reason");
/// }
/// ```
pub fn forget(
    cx: &Context<'_>,
    by: &Speaker,
    spaces: &[Space],
    name: Name,
    reason: &str,
) -> Result<Forgotten, Error> {
    let Some(memory) = list::named(cx, spaces, name)? else {
        return Ok(Forgotten::Refused(Refusal::NoSuchMemory {
            name: name.to_string(),
        }));
    };
    if !by.may_forget(&memory) {
        return Ok(Forgotten::Refused(Refusal::PersonDecides {
            verb: PERSONS_VERB,
        }));
    }
    erase_memory(cx, memory, reason)
}

/// Clears a note of a session that is over, whoever wrote it: scratch is kept for one session. Anything else stays.
pub fn clear_scratch(cx: &Context<'_>, memory: Memory) -> Result<(), Error> {
    if memory.layer == Layer::Session {
        erase_memory(cx, memory, "the session is over")?;
    }
    Ok(())
}

fn erase_memory(cx: &Context<'_>, memory: Memory, reason: &str) -> Result<Forgotten, Error> {
    // The reason outlives the memory, so it must not carry the text away with it.
    if let Err(refusal) = check_text("reason", reason) {
        return Ok(Forgotten::Refused(refusal));
    }
    let reason = if reason.contains(&memory.fact) {
        String::new()
    } else {
        moderate::neutralised(reason)
    };
    let reason = reason.chars().take(cx.policy.limits.reason_chars).collect();
    let tombstone = cx.event(
        &memory.space,
        Some(memory.id),
        What::Forgotten {
            number: memory.number,
            reason,
        },
    );
    let erased = cx.store.erase(&Erasure::new(memory.id, tombstone))?;
    if erased {
        Ok(Forgotten::Done(Box::new(memory)))
    } else {
        Ok(Forgotten::Refused(Refusal::NoSuchMemory {
            name: memory.handle().to_string(),
        }))
    }
}

/// The memory of this name that is there and cannot be read; `None` where there is none, or it can be read.
pub fn damaged(cx: &Context<'_>, spaces: &[Space], name: Name) -> Result<Option<Damaged>, Error> {
    match list::named(cx, spaces, name) {
        Err(StoreError::Corrupt { .. }) => {}
        found => return found.map(|_| None).map_err(Error::from),
    }
    let is_named =
        |it: &&Space| !matches!(name, Name::Handle(handle) if handle.letter != it.letter());
    for space in spaces.iter().filter(is_named) {
        if let Some(damaged) = cx.store.damaged(space, name)? {
            return Ok(Some(damaged));
        }
    }
    Ok(None)
}

/// Removes what is left of a memory that cannot be read. The tombstone says that it was damaged, and nothing that it
/// said: what a person would say of it was said of another text.
pub fn discard(cx: &Context<'_>, damaged: &Damaged) -> Result<bool, Error> {
    let what = What::Forgotten {
        number: damaged.number,
        reason: DAMAGED.into(),
    };
    let tombstone = cx.event(&damaged.space, Some(damaged.id), what);
    Ok(cx.store.erase(&Erasure::new(damaged.id, tombstone))?)
}
