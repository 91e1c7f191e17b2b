//! The breakers of the spaces in play, and how they are told.

use apostille_core::breaker;
use apostille_core::space::Space;
use apostille_core::store::breaker_state::OpenBreaker;
use apostille_workspace::error::CommandError;
use apostille_workspace::workspace::Workspace;

use crate::paint::flatten_to_line;

/// The breakers that are open in the spaces in play.
pub fn list_breakers_in_play(desk: &Workspace) -> Result<Vec<(Space, OpenBreaker)>, CommandError> {
    collect_breakers(desk, |space| {
        breaker::list_open_breakers(&desk.context_for(space), space)
    })
}

/// What each space in play answers, with the space.
pub fn collect_breakers(
    desk: &Workspace,
    trips: impl Fn(&Space) -> Result<Vec<OpenBreaker>, apostille_core::CoreError>,
) -> Result<Vec<(Space, OpenBreaker)>, CommandError> {
    let mut all = Vec::new();
    for space in desk.spaces() {
        all.extend(trips(&space)?.into_iter().map(|it| (space.clone(), it)));
    }
    Ok(all)
}

/// Whose writes wait, and why, in a few words.
pub fn describe_open_breaker(trip: &OpenBreaker) -> String {
    let actor = trip
        .actor
        .as_deref()
        .map_or_else(|| "everybody but you".into(), flatten_to_line);
    format!("what {actor} writes waits: {}", flatten_to_line(&trip.why))
}
