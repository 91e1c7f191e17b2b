//! What is kept beside the store, for these tests: sessions and the gates of tasks, both as the real ones are.

use std::cell::RefCell;

use apostille_agents::client::Client;
use apostille_agents::session::{Entry, Moment, Session, Shown};
use apostille_api::host::{Beside, Unplaced};
use apostille_tasks::task::{Passage, Slug, Task};

use super::*;

/// Sessions and gates in memory.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) sessions: Vec<Session>,
    pub(super) gates: RefCell<Vec<Passage>>,
    pub(super) active: Option<Slug>,
    /// Tasks whose files came with the repository.
    pub(super) foreign: Vec<String>,
    pub(super) is_broken: bool,
}

impl Kept {
    fn whole<T>(&self, it: T) -> Result<T, Unplaced> {
        if self.is_broken {
            Err(Unplaced::Broken("the disk hums".into()))
        } else {
            Ok(it)
        }
    }

    pub(super) fn passed(&self, at: Timestamp, task: &str, what: apostille_tasks::task::What) {
        let task = task.parse().unwrap();
        self.gates.borrow_mut().push(Passage {
            at,
            task,
            session: None,
            what,
        });
    }
}

impl Beside for Kept {
    fn sessions(&self, limit: usize) -> Result<Vec<Session>, Unplaced> {
        self.whole(self.sessions.iter().take(limit).cloned().collect())
    }

    fn session(&self, name: &str) -> Result<Option<Session>, Unplaced> {
        let is_meant = |it: &&Session| it.entries.iter().any(|it| it.session == name);
        self.whole(self.sessions.iter().find(is_meant).cloned())
    }

    fn tasks(&self) -> Result<Vec<Task>, Unplaced> {
        let gates = self.gates.borrow();
        let mut slugs: Vec<&Slug> = gates.iter().map(|it| &it.task).collect();
        slugs.dedup();
        let of = |slug: &Slug| {
            gates
                .iter()
                .filter(|it| it.task == *slug)
                .cloned()
                .collect::<Vec<_>>()
        };
        self.whole(
            slugs
                .into_iter()
                .filter_map(|it| Task::fold(&of(it)))
                .collect(),
        )
    }

    fn active_task(&self) -> Option<Slug> {
        self.active.clone()
    }

    fn is_started(&self, task: &Slug) -> bool {
        !self.foreign.iter().any(|it| it == task.as_str())
    }

    fn gates(&self, task: &Slug) -> Result<Vec<Passage>, Unplaced> {
        self.whole(
            self.gates
                .borrow()
                .iter()
                .filter(|it| it.task == *task)
                .cloned()
                .collect(),
        )
    }
}

/// A moment of this session, a second after the one before.
pub(super) fn moment(world: &World, session: &str, moment: Moment) -> Entry {
    world.advance(1);
    let entry = Entry::new(now(world), session, Client::ClaudeCode, repo(), moment);
    Entry {
        took: Some(2_500),
        ..entry
    }
}

/// What recall shows and withholds for a prompt.
pub(super) fn asked(world: &World, prompt: &str) -> (Vec<Shown>, Vec<Shown>) {
    let found = world.ask(prompt);
    (
        found.shown.iter().map(Shown::from).collect(),
        found.withheld.iter().map(Shown::from).collect(),
    )
}

/// The time.
pub(super) fn now(world: &World) -> Timestamp {
    world.with(|cx| cx.now)
}
