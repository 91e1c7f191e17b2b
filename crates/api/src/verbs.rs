//! What every face does around a verb of the core.

use apostille_core::forget::{Forgotten, PERSONS_VERB, forget};
use apostille_core::memory::{Memory, Name};
use apostille_core::refusal::Refusal;
use apostille_core::remember::dedupe::{self, Near};
use apostille_core::{Context, list};

use crate::Fault;
use crate::host::Here;

/// Forgets a memory, and has forgotten what was kept beside the store.
pub fn forgotten(
    cx: &Context<'_>,
    here: &Here<'_>,
    name: Name,
    reason: &str,
) -> Result<Result<Box<Memory>, Refusal>, Fault> {
    if let Some(memory) = list::named(cx, &here.spaces(), name)? {
        if !here.speaker.may_forget(&memory) {
            return Ok(Err(Refusal::PersonDecides { verb: PERSONS_VERB }));
        }
        // Also where it goes wrong half way: nothing of what is kept beside the store is missed.
        if let Some(forgot) = here.forgot {
            forgot.borrow_mut().push(memory.id);
        }
    }
    Ok(
        match forget(cx, here.speaker, &here.spaces(), name, reason)? {
            Forgotten::Done(memory) => Ok(memory),
            Forgotten::Refused(refusal) => Err(refusal),
        },
    )
}

/// Memories that a draft resembles, as they may be told: what one says that does not hold here is not repeated.
pub fn told_near(cx: &Context<'_>, near: Vec<Near>) -> Result<Vec<Near>, Fault> {
    Ok(dedupe::told(cx, near)?)
}
