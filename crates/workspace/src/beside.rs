//! What is kept beside the store, as a server's pages read it: sessions, and the tasks of the checkout.

use apostille_agents::session::Session;
use apostille_api::host::{Beside, Unplaced};
use apostille_api::pass::Pass;
use apostille_core::space::Space;
use apostille_tasks::task::{Passage, Slug, Task};

use super::place::Place;
use super::sessions;
use super::task::Tasks;
use crate::config::Settings;
use crate::system::World;

/// What is kept beside the store of a call.
pub struct Kept {
    pub world: World,
    pub place: Place,
    pub settings: Settings,
    /// How far whoever asks may reach; `None`: everywhere.
    pub pass: Option<Pass>,
    /// Whether the checkout is that of the repository that is looked at.
    pub is_here: bool,
}

impl Kept {
    /// The tasks of the checkout, where they are meant and within reach.
    fn tasks(&self) -> Result<Option<Tasks>, Unplaced> {
        if !self.is_here || !self.reaches(&self.settings.repo.value) {
            return Ok(None);
        }
        Ok(Some(Tasks::at(&self.world, &self.place, &self.settings)?))
    }

    fn reaches(&self, space: &Space) -> bool {
        self.pass.as_ref().is_none_or(|it| it.reaches(space))
    }

    /// Leaves out what was shown of the person's own, where that is out of reach: a score tells of words.
    fn narrow(&self, session: &mut Session) {
        let user = &self.settings.user.value;
        if self.reaches(user) {
            return;
        }
        for entry in &mut session.entries {
            entry.shown.retain(|it| it.handle.letter != user.letter());
            entry
                .withheld
                .retain(|it| it.handle.letter != user.letter());
        }
    }

    fn is_told(&self, session: &Session) -> bool {
        session.entries.iter().all(|it| self.reaches(&it.space))
    }
}

impl Beside for Kept {
    fn sessions(&self, limit: usize) -> Result<Vec<Session>, Unplaced> {
        let ledger = sessions::ledger(&self.world)?;
        let mut latest = ledger.latest(limit, |it| self.is_told(it));
        latest.iter_mut().for_each(|it| self.narrow(it));
        Ok(latest)
    }

    fn session(&self, name: &str) -> Result<Option<Session>, Unplaced> {
        let mut session = sessions::ledger(&self.world)?.read(name);
        self.narrow(&mut session);
        Ok(Some(session).filter(|it| !it.entries.is_empty() && self.is_told(it)))
    }

    fn tasks(&self) -> Result<Vec<Task>, Unplaced> {
        let tasks = self.tasks()?.map(|it| it.all()).transpose()?;
        Ok(tasks.unwrap_or_default())
    }

    fn active_task(&self) -> Option<Slug> {
        Some(self.tasks().ok()??.active()?.slug)
    }

    fn is_started(&self, task: &Slug) -> bool {
        self.tasks()
            .ok()
            .flatten()
            .is_some_and(|it| it.is_started(task))
    }

    fn gates(&self, task: &Slug) -> Result<Vec<Passage>, Unplaced> {
        let gates = self.tasks()?.map(|it| it.gates(task)).transpose()?;
        Ok(gates.unwrap_or_default())
    }
}
