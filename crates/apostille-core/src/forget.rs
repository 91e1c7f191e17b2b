//! Forget: the text is removed everywhere, the log included; id, time and reason stay.

use crate::event::{Erasure, What};
use crate::memory::{Memory, Name, Stage};
use crate::refusal::Refusal;
use crate::refusal::check_text;
use crate::space::Space;
use crate::store::{Damaged, StoreError};
use crate::{Context, Error, list};
use apostille_text::moderate;

/// What only a person does to what [`is_persons`].
pub const PERSONS_VERB: &str = "forget what a person said, or what waits or was rejected";

/// Whether a memory is a person's to forget: their own words, and what they decide about.
#[must_use]
pub fn is_persons(memory: &Memory) -> bool {
    memory.voice.is_person() || matches!(memory.status.stage(), Stage::Pending | Stage::Invalid)
}

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
pub fn forget(
    cx: &Context<'_>,
    spaces: &[Space],
    name: Name,
    reason: &str,
) -> Result<Forgotten, Error> {
    let refused = Ok(Forgotten::Refused(Refusal::NoSuchMemory {
        name: name.to_string(),
    }));
    let Some(memory) = list::named(cx, spaces, name)? else {
        return refused;
    };
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
        refused
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
