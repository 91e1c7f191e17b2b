//! Tasks that nobody ended.

use apostille_core::memory::{Channel, Origin, Voice};
use apostille_tasks::task::{GateAction, Task, left_open, left_open::DAYS};
use jiff::SignedDuration;

use super::CheckoutTasks;
use crate::{error::CommandError, workspace::Workspace};

impl CheckoutTasks {
    /// Closes this person's tasks, of those that were begun here, whose last gate lies a week back, or whose session has ended, each with a minimal
    /// episode; taken up again, they go on. Asked twice it does nothing more, and what cannot be closed now is closed
    /// another time.
    pub fn close_left_open(
        &self,
        workspace: &Workspace,
        has_ended: impl Fn(&str) -> bool,
    ) -> Result<Vec<Task>, CommandError> {
        let (cx, space) = (workspace.context(), &workspace.settings.repo);
        let (mut all, week) = (self.list_tasks()?, SignedDuration::from_hours(24 * DAYS));
        all.retain(|it| it.is_open() && self.is_started(&it.slug));
        let mut closed = Vec::new();
        let me = cx.actor.unwrap_or_default();
        for task in left_open::find_left_open_tasks(&all, me, cx.now, week, has_ended) {
            let voice = Voice::from_origin(Origin::System).with_channel(Channel::Record);
            let episode = left_open::remember_left_open_task(&cx, space, task, voice);
            if let Ok(Some(episode)) = episode {
                let gate = GateAction::Abandoned(Some(episode.id));
                closed.extend(self.record_gate(&task.slug, gate));
            }
        }
        if !closed.is_empty() {
            self.refresh_notes(workspace)?;
        }
        Ok(closed)
    }
}
