//! Lines that came with a repository: somebody else may have written them, past every check there is on writing.

use apostille_core::event::{Event, What};
use apostille_core::import;
use apostille_core::memory::Status;
use apostille_core::remember::moderate::neutralised;
use apostille_core::space::Space;

/// The event as it counts here; or why the line is left out. It never says what the line holds.
pub(super) fn admitted(mut event: Event, repo: &Space) -> Result<Event, String> {
    let is_ours = |it: &Space| it == repo;
    if !is_ours(&event.space) {
        return Err(format!("it is about another space than {repo}"));
    }
    if let Some(actor) = &mut event.actor {
        *actor = neutralised(actor);
    }
    match &mut event.what {
        What::Remembered { memory, rationale, .. } => {
            if !is_ours(&memory.space) {
                return Err(format!("it is about another space than {repo}"));
            }
            **memory = import::moderated((**memory).clone()).map_err(|it| it.to_string())?;
            rationale.iter_mut().for_each(|it| *it = neutralised(it));
        }
        What::Superseded { reason, .. } | What::Corrected { reason, .. } => {
            reason.iter_mut().for_each(|it| *it = neutralised(it));
        }
        What::Invalidated { reason, diff } => {
            *reason = neutralised(reason);
            diff.iter_mut().for_each(|it| *it = neutralised(it));
        }
        What::Retired { reason } | What::Forgotten { reason, .. } => *reason = neutralised(reason),
        What::Retrieved { query, .. } => *query = neutralised(query),
        What::Refreshed { followed, .. } => followed.iter_mut().for_each(|it| *it = neutralised(it)),
        What::Tripped { actor, why, .. } => {
            actor.iter_mut().for_each(|it| *it = neutralised(it));
            *why = neutralised(why);
        }
        What::Restored { status, .. } => {
            if let Status::Pending { why } | Status::Invalid { why } | Status::Retired { why } = status {
                *why = neutralised(why);
            }
        }
        What::RolledBack { .. } | What::Closed { .. } => {}
        What::Approved | What::Verified { .. } | What::Applied | What::Refused { .. } => {}
    }
    Ok(event)
}
