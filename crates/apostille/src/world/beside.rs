//! What is kept beside the store, as a server's pages read it: sessions, and the tasks of the checkout.

use apostille_core::session::Session;
use apostille_core::task::{Passage, Slug, Task};
use apostille_server::host::{Beside, Unplaced};

use super::World;
use super::desk::Desk;
use super::host::broken;
use super::sessions;
use super::task::Tasks;
use crate::error::Fault;

/// What is kept beside this desk's store.
pub struct Kept<'a> {
    pub world: &'a World,
    pub desk: &'a Desk,
}

impl Kept<'_> {
    fn tasks(&self) -> Result<Tasks, Fault> {
        Tasks::at(self.world, &self.desk.place, &self.desk.settings)
    }
}

impl Beside for Kept<'_> {
    fn sessions(&self, limit: usize) -> Result<Vec<Session>, Unplaced> {
        Ok(sessions::ledger(self.world).map_err(|it| broken(&it))?.latest(limit))
    }

    fn session(&self, name: &str) -> Result<Option<Session>, Unplaced> {
        let session = sessions::ledger(self.world).map_err(|it| broken(&it))?.read(name);
        Ok(Some(session).filter(|it| !it.entries.is_empty()))
    }

    fn tasks(&self) -> Result<Vec<Task>, Unplaced> {
        self.tasks().and_then(|it| it.all()).map_err(|it| broken(&it))
    }

    fn active_task(&self) -> Option<Slug> {
        Some(self.tasks().ok()?.active()?.slug)
    }

    fn is_started(&self, task: &Slug) -> bool {
        self.tasks().is_ok_and(|it| it.is_started(task))
    }

    fn gates(&self, task: &Slug) -> Result<Vec<Passage>, Unplaced> {
        self.tasks().and_then(|it| it.gates(task)).map_err(|it| broken(&it))
    }
}
