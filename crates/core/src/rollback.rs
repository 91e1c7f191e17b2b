//! Rollback: a space is taken back to how it stood at a point of its log.
//!
//! Every change tells what it replaced ([`PreviousState`]), so the log is walked from its end to the point, and for each memory the
//! earliest of these is how it stood. What was remembered since is retired; what was forgotten since has no bytes left
//! and cannot come back. Counters are history and stay. A rollback is itself written as events, so it can be taken back
//! like anything else, and exactly.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::event::previous_state::PreviousState;
use crate::event::{Batch, Event, EventBody, LoggedEvent, Precondition};
use crate::format::format_timestamp;
use crate::memory::{Memory, MemoryId, Stage, Status};
use crate::remember::{EarlyEnd, retry_on_conflict};
use crate::space::Space;
use crate::speaker::Person;
use crate::store::EventPage;
use crate::{Context, CoreError};
use apostille_cite::citation::Citation;

/// How much of the log is read at once.
const PAGE: usize = 4_096;

/// Where to go back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RollbackPoint {
    /// To how it stood after the event at this place; 0 is before everything. What was written together counts together.
    Event(u64),
    /// To how it stood at this time.
    Time(Timestamp),
    /// To just before the last rollback.
    Undo,
}

/// What is to be done to one memory.
#[derive(Debug, Clone, PartialEq)]
pub struct RollbackStep {
    /// The memory as it stands.
    pub memory: Memory,
    /// What is to happen to it.
    pub what: EventBody,
}

/// What a rollback comes to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RollbackPlan {
    /// The place in the log of the last event that still counts; 0: none does.
    pub to: u64,
    /// When that was.
    pub at: Option<Timestamp>,
    /// What changes, in the order in which it is done.
    pub turns: Vec<RollbackStep>,
    /// How many memories were forgotten since and cannot come back.
    pub lost: u64,
}

impl RollbackPlan {
    /// How many memories are put back as they stood.
    pub fn count_restored(&self) -> u64 {
        self.turns.len() as u64 - self.count_retired()
    }

    /// How many were remembered since and are retired.
    pub fn count_retired(&self) -> u64 {
        self.turns
            .iter()
            .filter(|it| matches!(it.what, EventBody::Retired { .. }))
            .count() as u64
    }
}

/// What going back to this point would change; `None`: the log has no such point.
pub fn plan_rollback(
    cx: &Context,
    space: &Space,
    point: RollbackPoint,
) -> Result<Option<RollbackPlan>, CoreError> {
    let Some(point) = settle_rollback_point(cx, space, point)? else {
        return Ok(None);
    };
    let mut walk = LogWalk::default();
    if !walk.walk_back_to(cx, space, point)? && point == RollbackPoint::Undo {
        return Ok(None);
    }
    walk.look_up_memories(cx)?;
    Ok(Some(walk.into_plan(point)))
}

/// Takes the space back; `None`: the log has no such point. Nothing is written where nothing would change.
///
/// ```compile_fail
/// # use apostille_core::{Context, rollback::{RollbackPoint, rollback}, space::Space};
/// fn roll_back_unasked(cx: &Context<'_>, space: &Space) {
///     let _ = rollback(cx, space, RollbackPoint::Undo);
/// }
/// ```
pub fn rollback(
    cx: &Context,
    by: &Person,
    space: &Space,
    point: RollbackPoint,
) -> Result<Option<RollbackPlan>, CoreError> {
    if !by.can_reach(space) {
        return Ok(None);
    }
    let done = retry_on_conflict(|| {
        let Some(plan) = plan_rollback(cx, space, point).map_err(EarlyEnd::Broken)? else {
            return Ok(None);
        };
        if !plan.turns.is_empty() {
            cx.store
                .append_batch(&build_rollback_batch(cx, space, &plan))?;
        }
        Ok(Some(plan))
    });
    expect_no_refusal(done)
}

/// The place of the last event of a space; 0 where nothing happened yet.
pub fn find_last_event_place(cx: &Context, space: &Space) -> Result<u64, CoreError> {
    let last = EventPage {
        newest_first: true,
        limit: 1,
        ..EventPage::default()
    };
    Ok(cx
        .store
        .read_events(space, &last)?
        .first()
        .map_or(0, |it| it.seq))
}

/// Takes back what was done to these memories, and to no others, since the event at a place. The memories as they stood
/// before it was taken back; none where nothing is left to take back.
pub fn take_back_changes(
    cx: &Context,
    space: &Space,
    after: u64,
    only: &[MemoryId],
    reason: &str,
) -> Result<Vec<Memory>, CoreError> {
    let done = retry_on_conflict(|| {
        let mut walk = LogWalk::default();
        walk.walk_back_to(cx, space, RollbackPoint::Event(after))
            .map_err(EarlyEnd::Broken)?;
        walk.met.retain(|it| only.contains(it));
        walk.look_up_memories(cx).map_err(EarlyEnd::Broken)?;
        let turns = walk.take_steps(reason);
        if !turns.is_empty() {
            cx.store
                .append_batch(&build_steps_batch(cx, space, &turns, Vec::new()))?;
        }
        Ok(turns)
    });
    expect_no_refusal(done).map(|turns| turns.into_iter().map(|it| it.memory).collect())
}

fn expect_no_refusal<T>(done: Result<T, EarlyEnd>) -> Result<T, CoreError> {
    done.map_err(|stop| match stop {
        EarlyEnd::Broken(error) => error,
        EarlyEnd::Refused(_) => unreachable!("a rollback is not moderated"),
    })
}

fn build_rollback_batch(cx: &Context, space: &Space, plan: &RollbackPlan) -> Batch {
    let (restored, retired) = (plan.count_restored(), plan.count_retired());
    let what = EventBody::RolledBack {
        to: plan.to,
        restored,
        retired,
        lost: plan.lost,
    };
    build_steps_batch(
        cx,
        space,
        &plan.turns,
        vec![cx.new_event(space, None, what)],
    )
}

fn build_steps_batch(
    cx: &Context,
    space: &Space,
    turns: &[RollbackStep],
    mut events: Vec<Event>,
) -> Batch {
    events.extend(
        turns
            .iter()
            .map(|it| cx.new_event(space, Some(it.memory.id), it.what.clone())),
    );
    let unmoved = |it: &RollbackStep| Precondition::Unmoved(it.memory.id, it.memory.status.clone());
    Batch::new_durable(events, turns.iter().map(unmoved).collect())
}

/// The point as the log has it: an event that was written with others counts with them. `None`: there is no such event.
fn settle_rollback_point(
    cx: &Context,
    space: &Space,
    point: RollbackPoint,
) -> Result<Option<RollbackPoint>, CoreError> {
    let RollbackPoint::Event(place @ 1..) = point else {
        return Ok(Some(point));
    };
    let page = |after, limit| EventPage {
        after,
        limit,
        ..EventPage::default()
    };
    let Some(mut last) = cx
        .store
        .read_events(space, &page(place - 1, 1))?
        .pop()
        .filter(|it| it.seq == place)
    else {
        return Ok(None);
    };
    loop {
        let next = cx.store.read_events(space, &page(last.seq, PAGE))?;
        let is_last = next.len() < PAGE;
        for logged in next {
            if !is_same_write(&last.event, &logged.event) {
                return Ok(Some(RollbackPoint::Event(last.seq)));
            }
            last = logged;
        }
        if is_last {
            return Ok(Some(RollbackPoint::Event(last.seq)));
        }
    }
}

/// Whether an event was written together with the one before it: a replacement, what makes room, an approval, a rollback.
fn is_same_write(before: &Event, next: &Event) -> bool {
    let follows = match (&before.what, &next.what) {
        (
            EventBody::Superseded { by, .. } | EventBody::Corrected { by, .. },
            EventBody::Remembered { memory, .. },
        ) => memory.id == *by,
        (
            EventBody::Retired { .. },
            EventBody::Retired { .. } | EventBody::Remembered { .. } | EventBody::Restored { .. },
        ) => true,
        (
            EventBody::RolledBack { .. } | EventBody::Restored { .. },
            EventBody::Retired { .. } | EventBody::Restored { .. },
        ) => true,
        (EventBody::Refreshed { .. }, EventBody::Approved) => true,
        (
            EventBody::Refreshed { .. } | EventBody::Approved,
            EventBody::Superseded { .. } | EventBody::Corrected { .. },
        ) => true,
        _ => false,
    };
    follows && (before.at, &before.actor) == (next.at, &next.actor)
}

/// What the log says of the memories that changed since a point.
#[derive(Debug, Default)]
struct LogWalk {
    found: HashMap<MemoryId, StateAtPoint>,
    /// The order in which they were met.
    met: Vec<MemoryId>,
    forgotten: Vec<MemoryId>,
    to: u64,
    at: Option<Timestamp>,
}

/// How a memory stood, as far as it changed since.
#[derive(Debug, Default)]
struct StateAtPoint {
    /// It was remembered since.
    is_new: bool,
    /// How it stands.
    now: Option<Memory>,
    status: Option<Status>,
    citations: Option<Vec<Citation>>,
    refreshed_at: Option<Timestamp>,
}

impl LogWalk {
    /// Walks from the end of the log to the point; whether it was reached before the log began.
    fn walk_back_to(
        &mut self,
        cx: &Context,
        space: &Space,
        point: RollbackPoint,
    ) -> Result<bool, CoreError> {
        let mut after = 0;
        loop {
            let page = EventPage {
                newest_first: true,
                changes_only: true,
                after,
                limit: PAGE,
                ..EventPage::default()
            };
            let log = cx.store.read_events(space, &page)?;
            let is_last = log.len() < PAGE;
            after = log.last().map_or(after, |it| it.seq);
            for logged in log {
                if self.is_reached(&logged, point) {
                    return Ok(true);
                }
                self.note_event(logged);
            }
            if is_last {
                return Ok(false);
            }
        }
    }

    fn is_reached(&mut self, logged: &LoggedEvent, point: RollbackPoint) -> bool {
        let (seq, at) = (logged.seq, logged.event.at);
        let (is_reached, to) = match point {
            RollbackPoint::Event(place) => (seq <= place, place),
            RollbackPoint::Time(time) => (at <= time, seq),
            RollbackPoint::Undo => (
                matches!(logged.event.what, EventBody::RolledBack { .. }),
                seq - 1,
            ),
        };
        if is_reached {
            (self.to, self.at) = (to, Some(at));
        }
        is_reached
    }

    fn note_event(&mut self, logged: LoggedEvent) {
        let Some(id) = logged.event.memory else {
            return;
        };
        if let EventBody::Forgotten { .. } = logged.event.what {
            self.forgotten.push(id);
            return;
        }
        let met = &mut self.met;
        let before = self.found.entry(id).or_insert_with(|| {
            met.push(id);
            StateAtPoint::default()
        });
        if let EventBody::Remembered { memory, .. } = logged.event.what {
            (before.is_new, before.now) = (true, Some(*memory));
            return;
        }
        match logged.was {
            Some(was) => {
                before.status = Some(was.status);
                before.refreshed_at = Some(was.refreshed_at);
                before.citations = was.citations.or_else(|| before.citations.take());
            }
            None => {
                before.status = PreviousState::assumed_status(&logged.event.what)
                    .or_else(|| before.status.take())
            }
        }
    }

    /// Looks up how the memories stand that were not remembered since; those come with their event.
    fn look_up_memories(&mut self, cx: &Context) -> Result<(), CoreError> {
        let old: Vec<MemoryId> = self
            .met
            .iter()
            .filter(|id| self.found.get(id).is_some_and(|it| it.now.is_none()))
            .copied()
            .collect();
        for ids in old.chunks(PAGE) {
            for memory in cx.store.get_by_ids(ids)? {
                if let Some(before) = self.found.get_mut(&memory.id) {
                    before.now = Some(memory);
                }
            }
        }
        Ok(())
    }

    /// What is to be done.
    fn into_plan(mut self, point: RollbackPoint) -> RollbackPlan {
        let reason = match (point, self.at) {
            (RollbackPoint::Undo, _) => {
                "the rollback before it was remembered was taken back".to_owned()
            }
            (_, Some(at)) => format!("rolled back to {}", format_timestamp(at)),
            (_, None) => "rolled back to the beginning".into(),
        };
        let turns = self.take_steps(&reason);
        let since = self.at.map_or(0, |it| it.as_millisecond());
        let lost = self
            .forgotten
            .iter()
            .filter(|it| it.at_millisecond() <= since)
            .count() as u64;
        RollbackPlan {
            to: self.to,
            at: self.at,
            turns,
            lost,
        }
    }

    /// First what leaves use, then what comes back to it, because a claim is made once at a time.
    fn take_steps(&mut self, reason: &str) -> Vec<RollbackStep> {
        let found = &mut self.found;
        let mut turns: Vec<RollbackStep> = self
            .met
            .iter()
            .filter_map(|id| found.remove(id)?.into_step(reason))
            .collect();
        turns.sort_by_key(|it| (is_back_in_use(&it.what), it.memory.number));
        turns
    }
}

fn is_back_in_use(what: &EventBody) -> bool {
    matches!(what, EventBody::Restored { status, .. } if matches!(status.stage(), Stage::Active | Stage::Pending))
}

impl StateAtPoint {
    /// What makes it stand as it stood; nothing, where it does or is gone.
    fn into_step(self, reason: &str) -> Option<RollbackStep> {
        let memory = self.now?;
        if self.is_new {
            let is_aside = memory.status.stage() == Stage::Retired;
            return (!is_aside).then(|| RollbackStep {
                what: EventBody::Retired {
                    reason: reason.into(),
                },
                memory,
            });
        }
        let status = self.status.unwrap_or_else(|| memory.status.clone());
        let citations = self.citations.filter(|it| *it != memory.citations);
        let refreshed_at = self.refreshed_at.unwrap_or(memory.refreshed_at);
        let is_same =
            status == memory.status && citations.is_none() && refreshed_at == memory.refreshed_at;
        (!is_same).then_some(RollbackStep {
            what: EventBody::Restored {
                status,
                citations,
                refreshed_at,
            },
            memory,
        })
    }
}
