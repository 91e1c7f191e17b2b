//! Forget: the text is removed everywhere, the log included; id, time and reason stay.

use crate::event::{Erasure, EventBody};
use crate::{
    Context, CoreError, list,
    memory::{Layer, Memory, MemoryName},
    refusal::{Refusal, check_text},
    space::Space,
    speaker::Speaker,
    store::{DamagedMemory, StoreError},
};
use apostille_text::moderate;

/// What only a person does.
pub const PERSONS_VERB: &str = "forget what a person said, what is pending, or what was rejected";

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
    cx: &Context,
    by: &Speaker,
    spaces: &[Space],
    name: MemoryName,
    reason: &str,
) -> Result<ForgetOutcome, CoreError> {
    let verb = PERSONS_VERB;
    match list::find_named_or_refuse(cx, spaces, name)? {
        Ok(memory) if by.can_forget(&memory) => erase_with_reason(cx, memory, reason),
        Ok(_) => Ok(ForgetOutcome::Refused(Refusal::PersonDecides { verb })),
        Err(refusal) => Ok(ForgetOutcome::Refused(refusal)),
    }
}

/// Clears a note of a session that is over, whoever wrote it: scratch is kept for one session. Anything else stays.
pub fn clear_scratch(cx: &Context, memory: Memory) -> Result<(), CoreError> {
    if memory.layer == Layer::Session {
        erase_with_reason(cx, memory, "the session is over")?;
    }
    Ok(())
}

fn erase_with_reason(
    cx: &Context,
    memory: Memory,
    reason: &str,
) -> Result<ForgetOutcome, CoreError> {
    // The reason outlives the memory, so it must not carry the text away with it.
    if let Err(refusal) = check_text("reason", reason) {
        return Ok(ForgetOutcome::Refused(refusal));
    }
    let reason = Some(reason).filter(|it| !it.contains(&memory.fact));
    let reason = reason.map(moderate::neutralise_text).unwrap_or_default();
    let what = EventBody::Forgotten {
        number: memory.number,
        reason: reason.chars().take(cx.policy.limits.reason_chars).collect(),
    };
    let tombstone = cx.new_memory_event(&memory, what);
    let is_erased = cx.store.erase_memory(&Erasure::new(memory.id, tombstone))?;
    Ok(if is_erased {
        ForgetOutcome::Done(Box::new(memory))
    } else {
        ForgetOutcome::Refused(Refusal::no_such_memory(memory.handle()))
    })
}

/// The memory of this name that is there and cannot be read; `None` where there is none, or it can be read.
pub fn find_damaged_memory(
    cx: &Context,
    spaces: &[Space],
    name: MemoryName,
) -> Result<Option<DamagedMemory>, CoreError> {
    match list::find_named_memory(cx, spaces, name) {
        Err(StoreError::Corrupt { .. }) => {}
        found => return found.map(|_| None),
    }
    let is_named = |it: &&Space| !matches!(name, MemoryName::Handle(handle) if handle.letter != it.handle_letter());
    let named = spaces.iter().filter(is_named);
    let mut damaged = named.map(|it| cx.store.find_damaged(it, name));
    damaged.find_map(Result::transpose).transpose()
}

/// Removes what is left of a memory that cannot be read. The tombstone says that it was damaged, and nothing that it
/// said: what a person would say of it was said of another text.
pub fn discard_damaged_memory(cx: &Context, damaged: &DamagedMemory) -> Result<bool, CoreError> {
    let what = EventBody::Forgotten {
        number: damaged.number,
        reason: DAMAGED.into(),
    };
    let tombstone = cx.new_event(&damaged.space, Some(damaged.id), what);
    cx.store.erase_memory(&Erasure::new(damaged.id, tombstone))
}
