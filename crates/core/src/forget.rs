//! Forget: the text is removed everywhere, the log included; id, time and reason stay.

use crate::event::{Erasure, EventBody};
use crate::memory::{Layer, Memory, MemoryName};
use crate::refusal::Refusal;
use crate::refusal::check_text;
use crate::space::Space;
use crate::speaker::Speaker;
use crate::store::{DamagedMemory, StoreError};
use crate::{Context, CoreError, list};
use apostille_text::moderate;

/// What only a person does.
pub const PERSONS_VERB: &str = "forget what a person said, or what waits or was rejected";

/// Why a memory is gone that could not be read.
const DAMAGED: &str = "its row was damaged by another program";

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub enum ForgetOutcome {
    /// It is gone; this is what it was.
    Done(Box<Memory>),
    /// There was nothing to forget.
    Refused(Refusal),
}

/// Forgets a memory, in whatever stage it is.
///
/// What a person said, and what a person decides about, is forgotten only by a speaker who [may](Speaker::can_forget).
///
/// ```compile_fail
/// # use apostille_core::{Context, forget::forget, memory::MemoryName, space::Space};
/// fn forget_unasked(cx: &Context<'_>, spaces: &[Space], name: MemoryName) {
///     let _ = forget(cx, spaces, name, "no reason");
/// }
/// ```
pub fn forget(
    cx: &Context<'_>,
    by: &Speaker,
    spaces: &[Space],
    name: MemoryName,
    reason: &str,
) -> Result<ForgetOutcome, CoreError> {
    let Some(memory) = list::find_named_memory(cx, spaces, name)? else {
        return Ok(ForgetOutcome::Refused(Refusal::NoSuchMemory {
            name: name.to_string(),
        }));
    };
    if !by.can_forget(&memory) {
        return Ok(ForgetOutcome::Refused(Refusal::PersonDecides {
            verb: PERSONS_VERB,
        }));
    }
    erase_with_reason(cx, memory, reason)
}

/// Clears a note of a session that is over, whoever wrote it: scratch is kept for one session. Anything else stays.
pub fn clear_scratch(cx: &Context<'_>, memory: Memory) -> Result<(), CoreError> {
    if memory.layer == Layer::Session {
        erase_with_reason(cx, memory, "the session is over")?;
    }
    Ok(())
}

fn erase_with_reason(
    cx: &Context<'_>,
    memory: Memory,
    reason: &str,
) -> Result<ForgetOutcome, CoreError> {
    // The reason outlives the memory, so it must not carry the text away with it.
    if let Err(refusal) = check_text("reason", reason) {
        return Ok(ForgetOutcome::Refused(refusal));
    }
    let reason = if reason.contains(&memory.fact) {
        String::new()
    } else {
        moderate::neutralise_text(reason)
    };
    let reason = reason.chars().take(cx.policy.limits.reason_chars).collect();
    let tombstone = cx.new_event(
        &memory.space,
        Some(memory.id),
        EventBody::Forgotten {
            number: memory.number,
            reason,
        },
    );
    let erased = cx.store.erase_memory(&Erasure::new(memory.id, tombstone))?;
    if erased {
        Ok(ForgetOutcome::Done(Box::new(memory)))
    } else {
        Ok(ForgetOutcome::Refused(Refusal::NoSuchMemory {
            name: memory.handle().to_string(),
        }))
    }
}

/// The memory of this name that is there and cannot be read; `None` where there is none, or it can be read.
pub fn find_damaged_memory(
    cx: &Context<'_>,
    spaces: &[Space],
    name: MemoryName,
) -> Result<Option<DamagedMemory>, CoreError> {
    match list::find_named_memory(cx, spaces, name) {
        Err(StoreError::Corrupt { .. }) => {}
        found => return found.map(|_| None).map_err(CoreError::from),
    }
    let is_named = |it: &&Space| !matches!(name, MemoryName::Handle(handle) if handle.letter != it.handle_letter());
    for space in spaces.iter().filter(is_named) {
        if let Some(damaged) = cx.store.find_damaged(space, name)? {
            return Ok(Some(damaged));
        }
    }
    Ok(None)
}

/// Removes what is left of a memory that cannot be read. The tombstone says that it was damaged, and nothing that it
/// said: what a person would say of it was said of another text.
pub fn discard_damaged_memory(
    cx: &Context<'_>,
    damaged: &DamagedMemory,
) -> Result<bool, CoreError> {
    let what = EventBody::Forgotten {
        number: damaged.number,
        reason: DAMAGED.into(),
    };
    let tombstone = cx.new_event(&damaged.space, Some(damaged.id), what);
    Ok(cx
        .store
        .erase_memory(&Erasure::new(damaged.id, tombstone))?)
}
