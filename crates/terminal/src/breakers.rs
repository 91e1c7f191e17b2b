//! The breakers of the spaces in play, and how they are told.

use crate::command_context::CommandResult;
use apostille_core::{breaker, space::Space, store::breaker_state::OpenBreaker};
use apostille_workspace::workspace::Workspace;

use crate::paint::flatten_to_line;

/// The breakers that are open in the spaces in play.
pub fn list_breakers_in_play(workspace: &Workspace) -> CommandResult<Vec<(Space, OpenBreaker)>> {
    collect_breakers(workspace, |space| {
        breaker::list_open_breakers(&workspace.context_for(space), space)
    })
}

/// What each space in play answers, with the space.
pub fn collect_breakers(
    workspace: &Workspace,
    trips: impl Fn(&Space) -> Result<Vec<OpenBreaker>, apostille_core::CoreError>,
) -> CommandResult<Vec<(Space, OpenBreaker)>> {
    let mut all = Vec::new();
    for space in workspace.spaces() {
        all.extend(trips(&space)?.into_iter().map(|it| (space.clone(), it)));
    }
    Ok(all)
}

/// That a breaker is open, in a sentence.
pub fn announce_open_breaker(trip: &OpenBreaker) -> String {
    format!("a breaker is open: {}", describe_breaker(trip, true))
}

/// Whose writes wait, or waited until it was closed, and why, in a few words.
pub fn describe_breaker(trip: &OpenBreaker, is_open: bool) -> String {
    let actor = trip
        .actor
        .as_deref()
        .map_or_else(|| "everybody but you".into(), flatten_to_line);
    let waits = if is_open {
        "writes waits"
    } else {
        "wrote waited"
    };
    format!("what {actor} {waits}: {}", flatten_to_line(&trip.why))
}
