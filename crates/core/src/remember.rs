//! The write path, one function: moderate → classify → cite → guard → dedupe → commit.

pub(crate) mod approval;
pub mod cite;
pub mod classify;
mod commit;
pub mod contradict;
pub mod dedupe;
pub mod guard;
pub mod moderate;
pub mod queue;
mod replaced;
pub mod trusted;

use crate::memory::{Draft, Memory, Twin};
use crate::refusal::Refusal;
use crate::store::StoreError;
use crate::{Context, Error};

pub use dedupe::{Near, Relation};

/// How often a decision is made again because another writer was first.
const TRIES: usize = 8;

/// What became of a draft.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It was kept.
    Remembered {
        /// The memory, with its handle.
        memory: Box<Memory>,
        /// Percent of the identity layer in use, when it went there.
        identity_percent: Option<u8>,
        /// How many of the oldest were retired to make room.
        retired: usize,
        /// What it contradicts, and took the place of by itself.
        superseded: Option<Near>,
    },
    /// It was known already, and is now refreshed.
    Refreshed {
        /// The memory as it is now.
        memory: Box<Memory>,
    },
    /// Something much like it is known: skip it, merge it, or create it with a rationale.
    Similar {
        /// What is known, the nearest first.
        near: Vec<Near>,
    },
    /// It was turned away.
    Refused(Refusal),
}

/// Why the path ends early.
pub(crate) enum Stop {
    Refused(Refusal),
    Broken(Error),
}

impl From<Refusal> for Stop {
    fn from(it: Refusal) -> Self {
        Self::Refused(it)
    }
}

impl From<StoreError> for Stop {
    fn from(it: StoreError) -> Self {
        Self::Broken(it.into())
    }
}

/// Keeps one fact with the code that proves it, or says why not.
pub fn remember(cx: &Context<'_>, draft: Draft) -> Result<Outcome, Error> {
    let space = draft.space.clone();
    match path(cx, draft) {
        Ok(outcome) => Ok(outcome),
        Err(Stop::Refused(refusal)) => commit::refusal(cx, &space, refusal),
        Err(Stop::Broken(error)) => Err(error),
    }
}

fn path(cx: &Context<'_>, draft: Draft) -> Result<Outcome, Stop> {
    let moderated = moderate::clean(draft)?;
    let classified = classify::sort(moderated)?;
    let cited = cite::read(cx.source, classified)?;
    let mut is_first = true;
    // A model is asked once, however often another writer is first.
    let mut weighed = None;
    decided_anew(|| {
        let vetted = guard::admit(cx, cited.clone())?;
        match dedupe::decide(cx, &vetted, std::mem::take(&mut is_first))? {
            dedupe::Decision::New => commit::memory(cx, &guard::watched(cx, vetted, &mut weighed)?),
            dedupe::Decision::Known(memory) => {
                let changes = guard::settles(&vetted, &memory)
                    || matches!(vetted.twin(), Twin::Merge(_) | Twin::Replace(..));
                let vetted = if changes {
                    guard::watched(cx, vetted, &mut weighed)?
                } else {
                    vetted
                };
                commit::restated(cx, &vetted, memory)
            }
            dedupe::Decision::Instead(old) => {
                let vetted = guard::watched(cx, vetted, &mut weighed)?;
                // Two that make one claim cannot stand side by side.
                let is_same =
                    !vetted.memory().is_active() && old.claim() == vetted.memory().claim();
                if is_same {
                    commit::restated(cx, &vetted, old)
                } else {
                    commit::instead(cx, &vetted, &old)
                }
            }
            dedupe::Decision::Newer(old, near) => {
                let vetted = guard::watched(cx, vetted, &mut weighed)?;
                // What waits silences nothing, and says so as every contradiction does.
                match vetted.memory().is_active() {
                    true => commit::newer(cx, &vetted, &old, near),
                    false => commit::instead(cx, &vetted, &old),
                }
            }
            dedupe::Decision::Near(near) => Ok(Outcome::Similar { near }),
        }
    })
}

/// Decides again while another writer keeps being first: what was read before the write no longer held.
pub(crate) fn decided_anew<T>(mut decide: impl FnMut() -> Result<T, Stop>) -> Result<T, Stop> {
    for _ in 1..TRIES {
        match decide() {
            Err(Stop::Broken(Error::Store(StoreError::Conflict { .. }))) => {}
            other => return other,
        }
    }
    decide()
}
