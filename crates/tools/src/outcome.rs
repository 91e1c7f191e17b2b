//! What became of a write: one value, whichever verb was called, from which each set of tools makes the form that its
//! clients know.

use apostille_core::memory::{Draft, Handle, Memory, MemoryName, ReplacementKind};
use apostille_core::{
    Context, CoreError,
    refusal::Refusal,
    remember::{NearMemory, RememberOutcome, remember},
    revise::{self, ReviseOutcome},
    space::Space,
    speaker::{Question, Speaker},
};

use crate::tool::ToolCall;
use apostille_api::CallFault;

/// What became of a write.
pub(super) enum WriteOutcome {
    /// It was done.
    Done(CompletedWrite),
    /// Nothing was kept, because this is known: the nearest first, and nothing in it that does not hold here.
    Similar(Vec<NearMemory>),
    /// Nothing was done.
    Refused(Refusal),
}

/// Something that was done.
pub(super) struct CompletedWrite {
    /// What it was.
    pub(super) deed: WriteAction,
    /// The memory as it is now, or was.
    pub(super) memory: Box<Memory>,
    /// What it contradicts, and took the place of by itself.
    pub(super) superseded: Option<NearMemory>,
    /// What it is kept beside, and takes the place of once the default branch has the code that it cites.
    pub(super) beside: Option<Handle>,
    /// What to ask a person, where it waits to take the place of a person's words.
    pub(super) question: Option<Question>,
}

/// What was done to a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteAction {
    /// It is new.
    Remembered,
    /// It was there already when it was to be kept, and is fresh again.
    KnownAlready,
    /// It was there, and this was done to it: `applied`, `forgotten`.
    Revised(&'static str),
}

impl WriteAction {
    /// The word for it.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Remembered => "remembered",
            Self::KnownAlready => "refreshed",
            Self::Revised(word) => word,
        }
    }
}

impl WriteOutcome {
    fn new_done(deed: WriteAction, memory: Box<Memory>) -> Self {
        Self::Done(CompletedWrite {
            deed,
            memory,
            superseded: None,
            beside: None,
            question: None,
        })
    }

    /// What to ask a person whose word would change the outcome.
    pub(super) fn question(&self) -> Option<Question> {
        match self {
            Self::Refused(Refusal::AsksPerson(question)) => Some((**question).clone()),
            Self::Done(it) => it.question.clone(),
            _ => None,
        }
    }
}

/// Keeps a draft.
pub(super) fn write_draft(cx: &Context, draft: Draft) -> Result<WriteOutcome, CallFault> {
    convert_remember_outcome(cx, remember(cx, draft)?)
}

/// Puts a draft in the place of a memory.
pub(super) fn supersede_for_tool(
    cx: &Context,
    by: &Speaker,
    spaces: &[Space],
    name: MemoryName,
    draft: Draft,
    how: ReplacementKind,
) -> Result<WriteOutcome, CallFault> {
    let outcome = revise::supersede_memory(cx, by, spaces, name, draft, how)?;
    let mut outcome = convert_remember_outcome(cx, outcome)?;
    if let WriteOutcome::Done(it) = &mut outcome {
        it.question = revise::ask_about_replacement(cx, &it.memory)?;
    }
    Ok(outcome)
}

/// Marks a memory as wrong, on the caller's word.
pub(super) fn invalidate_for_tool(
    call: &ToolCall,
    name: MemoryName,
    reason: &str,
) -> Result<WriteOutcome, CallFault> {
    let by = call.caller.speaker;
    let revised = revise::invalidate_memory(call, by, &call.spaces(), name, reason);
    convert_revise_outcome("invalidated", revised)
}

/// Removes a memory for good.
pub(super) fn forget_for_tool(
    call: &ToolCall,
    name: MemoryName,
    reason: &str,
) -> Result<WriteOutcome, CallFault> {
    let forgotten = apostille_api::forget_with_cleanup(call, call.caller, name, reason)?;
    Ok(match forgotten {
        Ok(forgotten) => {
            let deed = WriteAction::Revised(forgotten.word());
            WriteOutcome::new_done(deed, Box::new(forgotten.memory().clone()))
        }
        Err(refusal) => WriteOutcome::Refused(refusal),
    })
}

/// What became of a memory that was there, and the word for it.
pub(super) fn convert_revise_outcome(
    word: &'static str,
    revised: Result<ReviseOutcome, CoreError>,
) -> Result<WriteOutcome, CallFault> {
    Ok(match revised? {
        ReviseOutcome::Done(memory) => WriteOutcome::new_done(WriteAction::Revised(word), memory),
        ReviseOutcome::Refused(refusal) => WriteOutcome::Refused(refusal),
    })
}

fn convert_remember_outcome(
    cx: &Context,
    outcome: RememberOutcome,
) -> Result<WriteOutcome, CallFault> {
    Ok(match outcome {
        RememberOutcome::Remembered {
            memory,
            superseded,
            beside,
            ..
        } => WriteOutcome::Done(CompletedWrite {
            deed: WriteAction::Remembered,
            memory,
            superseded,
            beside,
            question: None,
        }),
        RememberOutcome::Refreshed { memory } => {
            WriteOutcome::new_done(WriteAction::KnownAlready, memory)
        }
        RememberOutcome::Similar { near } => {
            WriteOutcome::Similar(apostille_api::withhold_stale_neighbours(cx, near)?)
        }
        RememberOutcome::Refused(refusal) => WriteOutcome::Refused(refusal),
    })
}

/// What is known already, by its handles.
pub(super) fn join_near_handles(near: &[NearMemory]) -> String {
    let handles: Vec<String> = near.iter().map(|it| it.handle.to_string()).collect();
    handles.join(", ")
}
