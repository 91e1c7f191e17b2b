//! What is kept beside the store, for these tests: sessions and the gates of tasks, both as the real ones are.

use std::cell::RefCell;

use apostille_agents::{
    client::Client,
    session::{AgentSession, Moment, SessionEntry, ShownMemory},
};
use apostille_api::host::{ActivityStore, PlaceError};
use apostille_tasks::task::{GateEvent, Task, TaskSlug};

use super::*;

/// Sessions and gates in memory.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) sessions: Vec<AgentSession>,
    pub(super) gates: RefCell<Vec<GateEvent>>,
    pub(super) active: Option<TaskSlug>,
    /// Tasks whose files came with the repository.
    pub(super) foreign: Vec<String>,
    pub(super) is_broken: bool,
}

impl Kept {
    fn whole<T>(&self, it: T) -> Result<T, PlaceError> {
        if self.is_broken {
            Err(PlaceError::Broken("the disk hums".into()))
        } else {
            Ok(it)
        }
    }

    pub(super) fn passed(
        &self,
        at: Timestamp,
        task: &str,
        what: apostille_tasks::task::GateAction,
    ) {
        let task = task.parse().unwrap();
        self.gates.borrow_mut().push(GateEvent {
            at,
            task,
            session: None,
            what,
        });
    }
}

impl ActivityStore for Kept {
    fn list_sessions(&self, limit: usize) -> Result<Vec<AgentSession>, PlaceError> {
        self.whole(self.sessions.iter().take(limit).cloned().collect())
    }

    fn find_session(&self, name: &str) -> Result<Option<AgentSession>, PlaceError> {
        let is_meant = |it: &&AgentSession| it.entries.iter().any(|it| it.session == name);
        self.whole(self.sessions.iter().find(is_meant).cloned())
    }

    fn list_tasks(&self) -> Result<Vec<Task>, PlaceError> {
        let gates = self.gates.borrow();
        let mut slugs: Vec<&TaskSlug> = gates.iter().map(|it| &it.task).collect();
        slugs.dedup();
        let of = |slug: &TaskSlug| {
            gates
                .iter()
                .filter(|it| it.task == *slug)
                .cloned()
                .collect::<Vec<_>>()
        };
        self.whole(
            slugs
                .into_iter()
                .filter_map(|it| Task::from_events(&of(it)))
                .collect(),
        )
    }

    fn active_task(&self) -> Option<TaskSlug> {
        self.active.clone()
    }

    fn is_started_here(&self, task: &TaskSlug) -> bool {
        !self.foreign.iter().any(|it| it == task.as_str())
    }

    fn list_gate_events(&self, task: &TaskSlug) -> Result<Vec<GateEvent>, PlaceError> {
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
pub(super) fn moment(world: &World, session: &str, moment: Moment) -> SessionEntry {
    world.advance(1);
    let entry = SessionEntry::new(now(world), session, Client::ClaudeCode, repo(), moment);
    SessionEntry {
        took: Some(2_500),
        ..entry
    }
}

/// What recall shows and withholds for a prompt.
pub(super) fn asked(world: &World, prompt: &str) -> (Vec<ShownMemory>, Vec<ShownMemory>) {
    let found = world.ask(prompt);
    (
        found.shown.iter().map(ShownMemory::from).collect(),
        found.withheld.iter().map(ShownMemory::from).collect(),
    )
}

/// The time.
pub(super) fn now(world: &World) -> Timestamp {
    world.with(|cx| cx.now)
}
