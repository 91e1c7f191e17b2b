//! Tasks that nobody ended.

use apostille_core::memory::{Channel, Origin, Voice};
use apostille_tasks::task::left;
use apostille_tasks::task::left::DAYS;
use apostille_tasks::task::{Task, What};
use jiff::SignedDuration;

use super::Tasks;
use crate::desk::Desk;
use crate::error::Fault;

impl Tasks {
    /// Closes this person's tasks, of those that were begun here, whose last gate lies a week back, or whose session has ended, each with a minimal
    /// episode; taken up again, they go on. Asked twice it does nothing more, and what cannot be closed now is closed
    /// another time.
    pub fn close_left(
        &self,
        desk: &Desk,
        has_ended: impl Fn(&str) -> bool,
    ) -> Result<Vec<Task>, Fault> {
        let (cx, space) = (desk.cx(), &desk.settings.repo.value);
        let (mut all, week) = (self.all()?, SignedDuration::from_hours(24 * DAYS));
        all.retain(|it| it.is_open() && self.is_started(&it.slug));
        let mut closed = Vec::new();
        for task in left::leftovers(&all, cx.actor.unwrap_or_default(), cx.now, week, has_ended) {
            let episode = left::episode(
                &cx,
                space,
                task,
                Voice::of(Origin::System).via(Channel::Record),
            )
            .ok()
            .flatten();
            closed.extend(
                episode.and_then(|it| self.pass(&task.slug, What::Abandoned(Some(it.id))).ok()),
            );
        }
        if !closed.is_empty() {
            self.refresh_notes(desk)?;
        }
        Ok(closed)
    }
}
