//! Forget: the text is removed everywhere, the log included; id, time and reason stay.

use jiff::{SignedDuration, Timestamp};

use crate::event::{Erasure, EventBody, LoggedEvent, Precondition};
use crate::{
    Context, CoreError, breaker, list,
    memory::{Handle, Layer, Memory, MemoryId, MemoryName, Stage, Status},
    person_word::{Authority, require_authority},
    refusal::{Refusal, check_text},
    remember::{EarlyEnd, retry_on_conflict, separate_refusal},
    space::Space,
    speaker::{Person, PersonVerb, Speaker},
    store::{DamagedMemory, EventPage, MemoryFilter, StoreError},
};
use apostille_text::moderate;

/// Why a memory is gone that could not be read.
const DAMAGED: &str = "its row was damaged by another program";
/// What the reason of a withdrawn memory begins with; the time follows from which its bytes may go.
const WITHDRAWN: &str = "withdrawn at the user's words, to be erased at ";
/// How long a withdrawn memory can be restored.
const GRACE: SignedDuration = SignedDuration::from_hours(24);
/// How much of the log is read at once.
const PAGE: usize = 4_096;
/// How many withdrawn memories are erased at once.
const LOT: usize = 200;

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub enum ForgetOutcome {
    /// It is gone; this is what it was.
    Done(Box<Memory>),
    /// The user asked an agent for it: it is not shown any more, and erased after a day unless somebody restores it.
    Withdrawn(Box<Memory>),
    /// There was nothing to forget, or nobody to decide it.
    Refused(Refusal),
}

/// Forgets a memory, in whatever stage it is.
///
/// What a person said, and what a person decides about, is forgotten only by a person. An agent may pass on its user's own
/// words; those withdraw the memory, so that a mistake can be undone.
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
    let memory = match list::find_named_or_refuse(cx, spaces, name)? {
        Ok(memory) => memory,
        Err(refusal) => return Ok(ForgetOutcome::Refused(refusal)),
    };
    if let Some(refusal) = breaker::consult_invalidation(cx, &memory, by)? {
        return Ok(ForgetOutcome::Refused(refusal));
    }
    let actor = breaker::name_removal_actor(by);
    let cx = &Context {
        actor: actor.as_deref().or(cx.actor),
        ..*cx
    };
    match require_authority(cx, by, PersonVerb::Forget, &memory) {
        Err(refusal) => Ok(ForgetOutcome::Refused(refusal)),
        Ok(Authority::Speaker) => erase_with_reason(cx, memory, reason),
        Ok(Authority::UsersWords) => withdraw_memory(cx, memory),
    }
}

fn withdraw_memory(cx: &Context, memory: Memory) -> Result<ForgetOutcome, CoreError> {
    let due = cx.now.checked_add(GRACE).unwrap_or(Timestamp::MAX);
    let reason = format!("{WITHDRAWN}{due}");
    let what = EventBody::Invalidated { reason, diff: None };
    let done = retry_on_conflict(|| {
        let mut memory = list::find_named_or_refuse(
            cx,
            std::slice::from_ref(&memory.space),
            MemoryName::Id(memory.id),
        )??;
        let event = cx.new_memory_event(&memory, what.clone());
        cx.append_durable(vec![event.clone()], vec![Precondition::unmoved(&memory)])?;
        memory.apply_event(&event);
        Ok::<_, EarlyEnd>(memory)
    });
    Ok(match separate_refusal(done)? {
        Ok(memory) => ForgetOutcome::Withdrawn(Box::new(memory)),
        Err(refusal) => ForgetOutcome::Refused(refusal),
    })
}

/// When the bytes of a memory may go that the user asked an agent to forget; `None` for any other memory.
pub fn withdrawn_until(memory: &Memory) -> Option<Timestamp> {
    match &memory.status {
        Status::Invalid { why } => why.strip_prefix(WITHDRAWN)?.parse().ok(),
        _ => None,
    }
}

/// Erases what was withdrawn and not restored in time. What was erased.
pub fn erase_withdrawn_memories(cx: &Context, spaces: &[Space]) -> Result<Vec<Memory>, CoreError> {
    let found = cx.store.list_memories(&MemoryFilter {
        spaces: spaces.to_vec(),
        stages: vec![Stage::Invalid],
        limit: LOT,
        ..MemoryFilter::default()
    })?;
    let is_due = |it: &Memory| withdrawn_until(it).is_some_and(|due| due <= cx.now);
    let mut erased = Vec::new();
    for memory in found.into_iter().filter(is_due) {
        if let ForgetOutcome::Done(memory) = erase_with_reason(cx, memory, "the user asked for it")?
        {
            erased.push(*memory);
        }
    }
    Ok(erased)
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

/// The id of a memory of this name that was forgotten before: what is kept beside the store may still tell of it, where that was
/// interrupted.
pub fn find_forgotten_id(
    cx: &Context,
    spaces: &[Space],
    name: MemoryName,
) -> Result<Option<MemoryId>, CoreError> {
    for space in spaces {
        let is_named = |it: &LoggedEvent| match (&it.event.what, name) {
            (EventBody::Forgotten { .. }, MemoryName::Id(id)) => it.event.memory == Some(id),
            (EventBody::Forgotten { number, .. }, MemoryName::Handle(handle)) => {
                handle == Handle::new(space, *number)
            }
            _ => false,
        };
        let mut page = EventPage {
            changes_only: true,
            newest_first: true,
            limit: PAGE,
            ..EventPage::default()
        };
        loop {
            let events = cx.store.read_events(space, &page)?;
            if let Some(found) = events.iter().find(|it| is_named(it)) {
                return Ok(found.event.memory);
            }
            match events.last() {
                Some(last) if events.len() == PAGE => page.after = last.seq,
                _ => break,
            }
        }
    }
    Ok(None)
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
/// said: what a person would say of it was said of another text. Nobody can tell whose words they were, so a person decides.
pub fn discard_damaged_memory(
    cx: &Context,
    by: &Person,
    damaged: &DamagedMemory,
) -> Result<bool, CoreError> {
    if !by.can_reach(&damaged.space) {
        return Ok(false);
    }
    let what = EventBody::Forgotten {
        number: damaged.number,
        reason: DAMAGED.into(),
    };
    let tombstone = cx.new_event(&damaged.space, Some(damaged.id), what);
    cx.store.erase_memory(&Erasure::new(damaged.id, tombstone))
}
