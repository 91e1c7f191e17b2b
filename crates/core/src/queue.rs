//! What waits for a person has a budget: few decisions a week, and nothing waits for ever.
//!
//! A queue that grows is not read. So what is put before a person is decided here, from what waits and what was decided lately;
//! faces show that, and all of it on request.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use crate::{
    Context, CoreError,
    event::{EventBody, EventKind, Precondition, trace::EventTrace},
    memory::{Handle, Memory, Stage},
    policy::QueuePolicy,
    review_remarks::{REVIEWS_ACTOR, is_review_rule},
    space::Space,
    store::{EventPage, ListOrder, MemoryFilter, StoreError},
};

/// How many days a week has: the budget is for the last seven, whatever the weekday.
const WEEK: i64 = 7;
/// How many changes of a space are looked through for decisions.
const MAX_CHANGES: usize = 500;
/// How many memories expire at once.
const MAX_EXPIRED: usize = 200;

/// A decision that waits, as far as its place in the queue depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingDecision {
    /// Since when.
    pub since: Timestamp,
    /// Whether what it cites speaks against it by now.
    pub is_refuted: bool,
    /// A memory in use that says it already.
    pub said_by: Option<Handle>,
}

/// What becomes of a decision that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueuePlace {
    /// It is put before the person now.
    Due,
    /// The week has no room for it.
    Later,
    /// The code speaks against it.
    Refuted,
    /// A memory in use says it.
    Known(Handle),
    /// It waited too long.
    Expired,
}

/// Which of these decisions are put before a person, the first ones first, where so many were made in the last week.
pub fn place_decisions(
    policy: QueuePolicy,
    now: Timestamp,
    decided: usize,
    waiting: &[WaitingDecision],
) -> Vec<QueuePlace> {
    let mut left = policy.left_this_week(decided);
    let places = waiting.iter().map(|it| {
        if policy.is_expired(it.since, now) {
            QueuePlace::Expired
        } else if let Some(known) = it.said_by {
            QueuePlace::Known(known)
        } else if it.is_refuted {
            QueuePlace::Refuted
        } else if left == 0 {
            QueuePlace::Later
        } else {
            left -= 1;
            QueuePlace::Due
        }
    });
    places.collect()
}

impl QueuePolicy {
    /// How many more decisions this week has.
    #[must_use]
    pub fn left_this_week(&self, decided: usize) -> usize {
        match self.per_week {
            0 => usize::MAX,
            most => most.saturating_sub(decided),
        }
    }

    fn is_expired(&self, since: Timestamp, now: Timestamp) -> bool {
        now.duration_since(since) > days(self.expire_days)
    }
}

fn days(n: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * n)
}

/// How many memories of these spaces the person decided about in the last week: accepted, rejected, or merged. Whose user's space is
/// among them is the person; without one, whoever decided counts.
pub fn count_weekly_decisions(cx: &Context, spaces: &[Space]) -> Result<usize, CoreError> {
    let page = EventPage {
        changes_only: true,
        ..EventPage::newest(MAX_CHANGES)
    };
    let since = cx.now.saturating_sub(days(WEEK)).unwrap_or(Timestamp::MIN);
    let mut decided = BTreeSet::new();
    for space in spaces {
        let changes = cx.store.read_events(space, &page)?.into_iter();
        let recent = changes.take_while(|it| it.event.at >= since);
        let own = recent.filter(|it| is_own(it.event.actor.as_deref(), cx, spaces));
        // What several reviewers decided cost the person nothing.
        let own = own.filter(|it| it.event.actor.as_deref() != Some(REVIEWS_ACTOR));
        decided.extend(own.filter_map(|it| is_decision(&EventTrace::from(&it))));
    }
    Ok(decided.len())
}

/// The memory that a person decided about. What expired was decided by nobody.
fn is_decision(it: &EventTrace) -> Option<crate::memory::MemoryId> {
    let is_pending = it.was == Some(Stage::Pending);
    let is_expiry = it.happening == EventKind::Retired;
    it.memory
        .filter(|_| is_pending && !is_expiry && it.stage.is_some())
}

/// Whether the person of these spaces may have done it. An agent reads the queue for its user, under another name.
fn is_own(actor: Option<&str>, cx: &Context, spaces: &[Space]) -> bool {
    let mut users = spaces.iter().filter(|it| it.is_user()).peekable();
    let name = |it: &Space| it.as_str().split_once('/').map(|it| it.1.to_owned());
    match actor {
        Some(actor) if users.peek().is_some() => {
            cx.actor == Some(actor) || users.any(|it| name(it).as_deref() == Some(actor))
        }
        _ => true,
    }
}

/// Sets aside what waited too long for a person. It stays in the history with the reason, and what was said in the archive.
pub fn expire_pending(cx: &Context, spaces: &[Space]) -> Result<Vec<Memory>, CoreError> {
    let filter = MemoryFilter {
        spaces: spaces.to_vec(),
        stages: vec![Stage::Pending],
        order: ListOrder::Oldest,
        limit: MAX_EXPIRED,
        ..MemoryFilter::default()
    };
    let policy = cx.policy.queue;
    let mut expired = Vec::new();
    for memory in cx.store.list_memories(&filter)? {
        let is_old = policy.is_expired(memory.recorded_at, cx.now);
        // A reviewer's rule waits for others as well, and expires by its own clock.
        if !is_old
            || is_review_rule(&memory)
            || !policy.is_expired(read_waiting_since(cx, &memory)?, cx.now)
        {
            continue;
        }
        let reason = format!("nobody decided within {} days", policy.expire_days);
        match retire_pending(cx, memory, reason) {
            Ok(memory) => expired.push(memory),
            // Somebody decided about it meanwhile.
            Err(StoreError::Conflict { .. }) => (),
            Err(broken) => return Err(broken),
        }
    }
    Ok(expired)
}

/// Since when a memory waits here. What came from another replica, or was in use before, was recorded long before that.
pub fn read_waiting_since(cx: &Context, memory: &Memory) -> Result<Timestamp, StoreError> {
    let page = EventPage {
        memory: Some(memory.id),
        changes_only: true,
        newest_first: true,
        limit: MAX_CHANGES,
        ..EventPage::default()
    };
    let changes = cx.store.read_events(&memory.space, &page)?.into_iter();
    let mut began = changes.filter(|it| {
        let kind = it.event.what.event_kind();
        matches!(kind, EventKind::Remembered | EventKind::Restored)
    });
    let since = began.next().map_or(memory.recorded_at, |it| it.event.at);
    Ok(since.max(memory.recorded_at))
}

fn retire_pending(cx: &Context, mut memory: Memory, reason: String) -> Result<Memory, StoreError> {
    let event = cx.new_memory_event(&memory, EventBody::Retired { reason });
    cx.append_durable(vec![event.clone()], vec![Precondition::unmoved(&memory)])?;
    memory.apply_event(&event);
    Ok(memory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    #[test]
    fn few_decisions_a_week_are_put_before_a_person() {
        let now: Timestamp = "2026-03-31T12:00:00Z".parse().unwrap();
        let since = |ago: i64| WaitingDecision {
            since: now.checked_sub(days(ago)).unwrap(),
            is_refuted: false,
            said_by: None,
        };
        let refuted = WaitingDecision {
            is_refuted: true,
            ..since(1)
        };
        let known = WaitingDecision {
            said_by: Some("m-3".parse().unwrap()),
            ..since(1)
        };
        let check =
            |per_week: usize, decided: usize, waiting: &[WaitingDecision], expected: &str| {
                let policy = QueuePolicy {
                    per_week,
                    ..Policy::default().queue
                };
                let places = place_decisions(policy, now, decided, waiting);
                let told: Vec<String> = places.iter().map(|it| format!("{it:?}")).collect();
                assert_eq!(told.join(" "), expected);
            };
        let three = [since(1), since(2), since(3)];
        check(5, 0, &three, "Due Due Due");
        check(2, 0, &three, "Due Due Later");
        check(5, 4, &three, "Due Later Later");
        check(5, 9, &three, "Later Later Later");
        check(0, 9, &three, "Due Due Due");
        check(5, 0, &[since(29), since(31)], "Due Expired");
        // What is decided already takes no room.
        check(1, 0, &[refuted, since(1)], "Refuted Due");
        let places = place_decisions(Policy::default().queue, now, 0, &[known]);
        assert!(matches!(places[0], QueuePlace::Known(_)));
    }
}
