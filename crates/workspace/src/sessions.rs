//! Where the sessions of agents are written down.

use apostille_agents::ledger::SessionLedger;

use crate::{error::CommandError, system::System};

/// Whether a session has read words from outside, as far as its hooks saw it.
pub fn is_exposed_session(system: &System, session: &str) -> bool {
    open_session_ledger(system).is_ok_and(|it| it.read_session(session).is_exposed())
}

/// The sessions of this user's agents.
pub fn open_session_ledger(system: &System) -> Result<SessionLedger, CommandError> {
    Ok(SessionLedger::new(
        &system.require_data_dir()?.join("sessions"),
    ))
}
