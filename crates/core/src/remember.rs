//! The write path, one function: moderate → classify → prove → guard → dedupe → commit.

pub(crate) mod approval;
pub mod classify;
mod commit;
pub mod consolidation;
pub mod dedupe;
pub mod guard;
pub mod moderate;
pub mod modules;
pub mod prove;
pub mod quarantine;
pub mod relation;
mod replacement;
pub mod resubmission;
pub(crate) mod reviewed;
mod testify;

use crate::{
    Context, CoreError,
    memory::{Draft, Handle, Memory},
    refusal::Refusal,
    store::StoreError,
};

pub use dedupe::{DraftRelation, NearMemory};

/// How often a decision is made again because another writer was first.
const TRIES: usize = 8;

/// What became of a draft.
#[derive(Debug, Clone, PartialEq)]
pub enum RememberOutcome {
    /// It was kept.
    Remembered {
        /// The memory, with its handle.
        memory: Box<Memory>,
        /// Percent of the identity layer in use, when it went there.
        identity_percent: Option<u8>,
        /// How many of the oldest were retired to make room.
        retired: usize,
        /// What it contradicts, and took the place of by itself.
        superseded: Option<NearMemory>,
        /// The memory that it is kept beside, and takes the place of once the default branch has the code that it cites.
        beside: Option<Handle>,
    },
    /// It was known already, and is now refreshed.
    Refreshed {
        /// The memory as it is now.
        memory: Box<Memory>,
    },
    /// Something much like it is known: skip it, merge it, or create it with a rationale.
    Similar {
        /// What is known, the nearest first.
        near: Vec<NearMemory>,
    },
    /// It was turned away.
    Refused(Refusal),
}

/// Why the path ends early.
pub(crate) enum EarlyEnd {
    Refused(Refusal),
    Broken(CoreError),
}

impl From<Refusal> for EarlyEnd {
    fn from(it: Refusal) -> Self {
        Self::Refused(it)
    }
}

impl From<StoreError> for EarlyEnd {
    fn from(it: StoreError) -> Self {
        Self::Broken(it)
    }
}

/// The end of a path as a caller is told it: a refusal is an answer, a broken world an error.
pub(crate) fn separate_refusal<T>(
    done: Result<T, EarlyEnd>,
) -> Result<Result<T, Refusal>, CoreError> {
    match done {
        Ok(done) => Ok(Ok(done)),
        Err(EarlyEnd::Refused(refusal)) => Ok(Err(refusal)),
        Err(EarlyEnd::Broken(error)) => Err(error),
    }
}

/// Keeps one fact with the code that proves it, or says why not.
pub fn remember(cx: &Context, draft: Draft) -> Result<RememberOutcome, CoreError> {
    let space = draft.space.clone();
    Ok(separate_refusal(run_remember_path(cx, draft))?
        .unwrap_or_else(|refusal| commit::log_refusal(cx, &space, refusal)))
}

/// Whether a draft would be let through, as far as that is known before it is compared with what is kept. Nothing is written.
pub(crate) fn check_draft(cx: &Context, draft: Draft) -> Result<Result<(), Refusal>, CoreError> {
    let check = || {
        let moderated = moderate::moderate_draft(draft)?;
        let proven = prove::prove_draft(cx, classify::classify_draft(moderated)?)?;
        guard::admit_draft(cx, proven)?;
        Ok(())
    };
    separate_refusal(check())
}

/// The stages in their order. Which write follows is decided in [`dedupe`]; what is new is looked over before it is written.
fn run_remember_path(cx: &Context, draft: Draft) -> Result<RememberOutcome, EarlyEnd> {
    let moderated = moderate::moderate_draft(draft)?;
    let classified = classify::classify_draft(moderated)?;
    let proven = prove::prove_draft(cx, classified)?;
    let mut is_first = true;
    // A model is asked once, however often another writer is first.
    let mut weighed = None;
    retry_on_conflict(|| {
        let mut vetted = guard::admit_draft(cx, proven.clone())?;
        let decision = dedupe::decide_duplicate(cx, &vetted, std::mem::take(&mut is_first))?;
        if decision.brings_something_new(&vetted) {
            vetted = guard::consult_breakers_and_guardian(cx, vetted, &mut weighed)?;
        }
        commit::commit_decision(cx, &vetted, decision)
    })
}

/// Decides again while another writer keeps being first: what was read before the write no longer held.
///
/// Many agents write to one store, and most of a decision is slow: citations are read, neighbours compared, perhaps a model
/// asked. No lock is held meanwhile. Instead a `Batch` carries the [`Precondition`](crate::event::Precondition)s that the
/// decision rests on (no twin, this status, this much of the identity layer used), and the store checks them in the
/// transaction that writes. When one fails, the batch must not simply be written again with fresh numbers: the other
/// writer may have stated the same fact (now it is a restatement), rejected it (now it waits), or filled the layer (now it
/// is refused). Only deciding anew finds that out. Moderating, classifying and reading the citations do not depend on the
/// store, so they are outside this loop.
///
/// The number of tries is bounded because a store that always reports a conflict is broken, and its error is the answer.
pub(crate) fn retry_on_conflict<T>(
    mut decide: impl FnMut() -> Result<T, EarlyEnd>,
) -> Result<T, EarlyEnd> {
    for _ in 1..TRIES {
        match decide() {
            Err(EarlyEnd::Broken(StoreError::Conflict { .. })) => {}
            other => return other,
        }
    }
    decide()
}
