//! Where the sessions of agents are written down.

use apostille_agents::ledger::SessionLedger;

use crate::{error::CommandError, system::System};

/// Whether a session has read words from outside, as far as its hooks saw it.
pub fn is_exposed_session(world: &System, session: &str) -> bool {
    open_session_ledger(world).is_ok_and(|it| it.read_session(session).is_exposed())
}

/// The sessions of this user's agents.
pub fn open_session_ledger(world: &System) -> Result<SessionLedger, CommandError> {
    Ok(SessionLedger::new(
        &world.require_data_dir()?.join("sessions"),
    ))
}
