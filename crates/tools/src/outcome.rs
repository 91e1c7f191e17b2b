//! What became of a write: one value, whichever verb was called, from which each set of tools makes the form that its
//! clients know.

use apostille_core::memory::{Draft, Memory, Name, Replacement, Status, Twin};
use apostille_core::refusal::Refusal;
use apostille_core::remember::{Near, Outcome, remember};
use apostille_core::revise::{self, Revised};
use apostille_core::space::Space;
use apostille_core::{Context, Error};

use apostille_api::{Fault, Here};

/// What became of a write.
pub(super) enum WriteOutcome {
    /// It was done.
    Done(Written),
    /// Nothing was kept, because this is known: the nearest first, and nothing in it that does not hold here.
    Similar(Vec<Near>),
    /// Nothing was done.
    Refused(Refusal),
}

/// Something that was done.
pub(super) struct Written {
    /// What it was.
    pub(super) deed: Deed,
    /// The memory as it is now, or was.
    pub(super) memory: Box<Memory>,
    /// What it contradicts, and took the place of by itself.
    pub(super) superseded: Option<Near>,
}

/// What was done to a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    /// It is new.
    Remembered,
    /// It was there already when it was to be kept, and is fresh again.
    KnownAlready,
    /// It was there, and this was done to it: `applied`, `forgotten`.
    Revised(&'static str),
}

impl Deed {
    /// The word for it.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Remembered => "remembered",
            Self::KnownAlready => "refreshed",
            Self::Revised(word) => word,
        }
    }
}

impl Written {
    fn new(deed: Deed, memory: Box<Memory>) -> Self {
        Self {
            deed,
            memory,
            superseded: None,
        }
    }
}

/// Keeps a draft.
pub(super) fn write_draft(cx: &Context<'_>, draft: Draft) -> Result<WriteOutcome, Fault> {
    drafted(cx, remember(cx, draft)?)
}

/// Puts a draft in the place of a memory.
pub(super) fn supersede_memory(
    cx: &Context<'_>,
    spaces: &[Space],
    name: Name,
    draft: Draft,
    how: Replacement,
) -> Result<WriteOutcome, Fault> {
    drafted(cx, revise::supersede(cx, spaces, name, draft, how)?)
}

/// Marks a memory as wrong, on the caller's word.
pub(super) fn invalidate_memory(
    cx: &Context<'_>,
    here: &Here<'_>,
    name: Name,
    reason: &str,
) -> Result<WriteOutcome, Fault> {
    let by = here.voice(cx.actor);
    let revised = revise::invalidate_as(cx, &here.spaces(), name, reason, &by);
    revise_outcome("invalidated", revised)
}

/// Removes a memory for good.
pub(super) fn forget_memory(
    cx: &Context<'_>,
    here: &Here<'_>,
    name: Name,
    reason: &str,
) -> Result<WriteOutcome, Fault> {
    let forgotten = apostille_api::forgotten(cx, here, name, reason)?;
    Ok(match forgotten {
        Ok(memory) => WriteOutcome::Done(Written::new(Deed::Revised("forgotten"), memory)),
        Err(refusal) => WriteOutcome::Refused(refusal),
    })
}

/// What became of a memory that was there, and the word for it.
pub(super) fn revise_outcome(
    word: &'static str,
    revised: Result<Revised, Error>,
) -> Result<WriteOutcome, Fault> {
    Ok(match revised? {
        Revised::Done(memory) => WriteOutcome::Done(Written::new(Deed::Revised(word), memory)),
        Revised::Refused(refusal) => WriteOutcome::Refused(refusal),
    })
}

fn drafted(cx: &Context<'_>, outcome: Outcome) -> Result<WriteOutcome, Fault> {
    Ok(match outcome {
        Outcome::Remembered {
            memory, superseded, ..
        } => WriteOutcome::Done(Written {
            superseded,
            ..Written::new(Deed::Remembered, memory)
        }),
        Outcome::Refreshed { memory } => {
            WriteOutcome::Done(Written::new(Deed::KnownAlready, memory))
        }
        Outcome::Similar { near } => WriteOutcome::Similar(apostille_api::told_near(cx, near)?),
        Outcome::Refused(refusal) => WriteOutcome::Refused(refusal),
    })
}

/// What to do where a draft resembles something that is known.
pub(super) fn choose_twin(merge_with: Option<Name>, rationale: Option<String>) -> Twin {
    match (merge_with, rationale) {
        (Some(name), _) => Twin::Merge(name),
        (None, Some(why)) => Twin::Create(why),
        (None, None) => Twin::Ask,
    }
}

/// Why a memory is kept but not in use yet.
pub(super) fn pending_reason(memory: &Memory) -> Option<&str> {
    match &memory.status {
        Status::Pending { why } => Some(why),
        _ => None,
    }
}

/// What is known already, by its handles.
pub(super) fn list_handles(near: &[Near]) -> String {
    let handles: Vec<String> = near.iter().map(|it| it.handle.to_string()).collect();
    handles.join(", ")
}
