//! Where the sessions of agents are written down.

use apostille_backends::ledger::Ledger;

use super::World;
use crate::error::Fault;

/// The sessions of this user's agents.
pub fn ledger(world: &World) -> Result<Ledger, Fault> {
    let folder = world.env.data_dir().map(|it| it.join("sessions"));
    let unknown = || Fault::config("cannot tell where your data is kept: HOME is not set");
    folder.map(|it| Ledger::new(&it)).ok_or_else(unknown)
}
