//! Where the sessions of agents are written down.

use apostille_agents::ledger::Ledger;

use crate::error::Fault;
use crate::system::World;

/// Whether a session has read words from outside, as far as its hooks saw it.
pub fn is_exposed(world: &World, session: &str) -> bool {
    ledger(world).is_ok_and(|it| it.read(session).is_exposed())
}

/// The sessions of this user's agents.
pub fn ledger(world: &World) -> Result<Ledger, Fault> {
    let folder = world.env.data_dir().map(|it| it.join("sessions"));
    let unknown = || Fault::config("cannot tell where your data is kept: HOME is not set");
    folder.map(|it| Ledger::new(&it)).ok_or_else(unknown)
}
