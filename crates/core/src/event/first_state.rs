//! How a memory began, from how it stands and what happened to it.
//!
//! Some stores keep a memory's text in one place only and tell a `remembered` event with the memory as it is now. Who writes its
//! history somewhere else needs it as it was.

use super::previous_state::PreviousState;
use crate::{
    event::{EventBody, LoggedEvent},
    evidence::RunTally,
    memory::{Memory, Status, UsageCounts},
};

impl Memory {
    /// The memory as it was when it was remembered: `events` are those about it, the oldest first, as its log tells them. The
    /// counters are left as they were without what these events count.
    #[must_use]
    pub fn at_first(&self, events: &[LoggedEvent]) -> Self {
        let known = || events.iter().filter_map(|it| it.was.as_ref());
        let mut first = self.clone();
        first.status = find_first_status(events).unwrap_or_else(|| self.status.clone());
        if let Some(citations) = known().find_map(|it| it.citations.clone()) {
            first.citations = citations;
        }
        first.refreshed_at = known()
            .map(|it| it.refreshed_at)
            .next()
            .unwrap_or(self.refreshed_at);
        for logged in events {
            if let EventBody::Refreshed { voucher, .. } = &logged.event.what {
                first.vouchers.retain(|it| Some(it) != voucher.as_ref());
            }
            subtract_usage(&mut first.usage, logged.event.what.usage());
        }
        if events
            .iter()
            .any(|it| matches!(it.event.what, EventBody::Ran(_)))
        {
            first.runs = RunTally::default();
        }
        first
    }
}

/// Where a memory stood before the first event that says so.
fn find_first_status(events: &[LoggedEvent]) -> Option<Status> {
    events.iter().find_map(|it| {
        let was = it.was.as_ref().map(|it| it.status.clone());
        was.or_else(|| PreviousState::assumed_status(&it.event.what))
    })
}

fn subtract_usage(from: &mut UsageCounts, less: UsageCounts) {
    from.recalls = from.recalls.saturating_sub(less.recalls);
    from.applied = from.applied.saturating_sub(less.applied);
    from.verified = from.verified.saturating_sub(less.verified);
}
