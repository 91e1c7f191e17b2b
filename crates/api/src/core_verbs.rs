//! What every face does around a verb of the core.

use apostille_cite::citation::RepoPath;
use apostille_core::{
    Context,
    forget::{ForgetOutcome, forget},
    list,
    memory::{DuplicateChoice, Memory, MemoryName, Stage},
    refusal::Refusal,
    remember::dedupe::{self, NearMemory},
    space::Space,
    speaker::PersonVerb,
    store::{ListOrder, MemoryFilter},
};

use crate::{CallFault, host::Caller};

/// How many memories are looked up by one call.
const MAX_VERIFIED: usize = 1_000;

/// A memory that is not there any more.
#[derive(Debug)]
pub enum ForgottenMemory {
    /// It is erased.
    Erased(Box<Memory>),
    /// It is not shown any more, and erased after a day.
    Withdrawn(Box<Memory>),
}

impl ForgottenMemory {
    /// The word for what was done.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Erased(_) => "forgotten",
            Self::Withdrawn(_) => "withdrawn",
        }
    }

    /// What it was.
    pub fn memory(&self) -> &Memory {
        match self {
            Self::Erased(memory) | Self::Withdrawn(memory) => memory,
        }
    }
}

/// Forgets a memory, and has forgotten what was kept beside the store.
pub fn forget_with_cleanup(
    cx: &Context,
    caller: &Caller,
    name: MemoryName,
    reason: &str,
) -> Result<Result<ForgottenMemory, Refusal>, CallFault> {
    // Also where it goes wrong half way: nothing of what is kept beside the store is missed.
    if let Some(memory) = list::find_named_memory(cx, &caller.spaces(), name)?
        && caller.speaker.can_decide(PersonVerb::Forget, &memory)
        && let Some(forgot) = caller.forgot
    {
        forgot.borrow_mut().push(memory.id);
    }
    Ok(
        match forget(cx, caller.speaker, &caller.spaces(), name, reason)? {
            ForgetOutcome::Done(memory) => Ok(ForgottenMemory::Erased(memory)),
            ForgetOutcome::Withdrawn(memory) => Ok(ForgottenMemory::Withdrawn(memory)),
            ForgetOutcome::Refused(refusal) => Err(refusal),
        },
    )
}

/// Memories that a draft resembles, as they may be told: what one says that does not hold here is not repeated.
pub fn withhold_stale_neighbours(
    cx: &Context,
    near: Vec<NearMemory>,
) -> Result<Vec<NearMemory>, CallFault> {
    Ok(dedupe::withhold_stale_facts(cx, near)?)
}

/// The memories with these names, or else those in use that cite something at this path.
pub fn find_memories_to_verify(
    cx: &Context,
    spaces: Vec<Space>,
    names: Vec<MemoryName>,
    path: Option<RepoPath>,
) -> Result<Result<Vec<Memory>, Refusal>, CallFault> {
    if !names.is_empty() {
        return Ok(list::find_all_named(cx, &spaces, names)?);
    }
    let filter = MemoryFilter {
        spaces,
        stages: vec![Stage::Active],
        path,
        order: ListOrder::Refreshed,
        limit: MAX_VERIFIED,
        ..MemoryFilter::default()
    };
    Ok(Ok(list::list_memories(cx, &filter)?))
}

/// What to do where a draft resembles something that is known.
pub fn choose_duplicate_handling(
    merge_with: Option<MemoryName>,
    rationale: Option<String>,
) -> DuplicateChoice {
    match (merge_with, rationale) {
        (Some(name), _) => DuplicateChoice::Merge(name),
        (None, Some(why)) => DuplicateChoice::Create(why),
        (None, None) => DuplicateChoice::Ask,
    }
}
