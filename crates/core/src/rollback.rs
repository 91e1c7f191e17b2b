//! Rollback: a space is taken back to how it stood at a point of its log.
//!
//! Every change tells what it replaced ([`PreviousState`]), so the log is walked from its end to the point, and for each memory the
//! earliest of these is how it stood. What was remembered since is retired; what was forgotten since has no bytes left
//! and cannot come back. Counters are history and stay. A rollback is itself written as events, so it can be taken back
//! like anything else, and exactly.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::{
    Context, CoreError,
    event::{
        Event, EventBody, EventKind, LoggedEvent, Precondition, previous_state::PreviousState,
    },
    format::format_timestamp,
    memory::{Memory, MemoryId, Stage, Status},
    remember::{EarlyEnd, retry_on_conflict},
    space::Space,
    speaker::Person,
    store::EventPage,
};
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
    retry_unmoderated(|| {
        let plan = plan_rollback(cx, space, point)?;
        if let Some(plan) = &plan {
            let what = EventBody::RolledBack {
                to: plan.to,
                restored: plan.count_restored(),
                retired: plan.count_retired(),
                lost: plan.lost,
            };
            let rolled_back = cx.new_event(space, None, what);
            append_steps(cx, &plan.turns, Some(rolled_back))?;
        }
        Ok(plan)
    })
}

/// The place of the last event of a space; 0 where nothing happened yet.
pub fn find_last_event_place(cx: &Context, space: &Space) -> Result<u64, CoreError> {
    let last = cx.store.read_events(space, &EventPage::newest(1))?;
    Ok(last.first().map_or(0, |it| it.seq))
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
    retry_unmoderated(|| {
        let mut walk = LogWalk::default();
        walk.walk_back_to(cx, space, RollbackPoint::Event(after))?;
        walk.met.retain(|it| only.contains(it));
        walk.look_up_memories(cx)?;
        let turns = walk.take_steps(reason);
        append_steps(cx, &turns, None)?;
        Ok(turns.into_iter().map(|it| it.memory).collect())
    })
}

/// Decides again while another writer is first, about what nobody can refuse.
fn retry_unmoderated<T>(mut decide: impl FnMut() -> Result<T, CoreError>) -> Result<T, CoreError> {
    let done = retry_on_conflict(|| Ok(decide()?));
    done.map_err(|end| match end {
        EarlyEnd::Broken(error) => error,
        EarlyEnd::Refused(_) => unreachable!("a rollback is not moderated"),
    })
}

/// Writes what is to be done to each memory behind what says why. Nothing is written where nothing is to be done.
fn append_steps(cx: &Context, turns: &[RollbackStep], why: Option<Event>) -> Result<(), CoreError> {
    if turns.is_empty() {
        return Ok(());
    }
    let step = |it: &RollbackStep| cx.new_memory_event(&it.memory, it.what.clone());
    let events = why.into_iter().chain(turns.iter().map(step)).collect();
    let unmoved = |it: &RollbackStep| Precondition::unmoved(&it.memory);
    cx.append_durable(events, turns.iter().map(unmoved).collect())?;
    Ok(())
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
    let read = |after, limit| {
        let page = EventPage {
            after,
            limit,
            ..EventPage::default()
        };
        cx.store.read_events(space, &page)
    };
    let found = read(place - 1, 1)?.pop();
    let Some(mut last) = found.filter(|it| it.seq == place) else {
        return Ok(None);
    };
    loop {
        let next = read(last.seq, PAGE)?;
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
        (before, next) => matches!(
            (before.event_kind(), next.event_kind()),
            (
                EventKind::Retired,
                EventKind::Retired | EventKind::Remembered | EventKind::Restored,
            ) | (
                EventKind::RolledBack | EventKind::Restored,
                EventKind::Retired | EventKind::Restored,
            ) | (EventKind::Refreshed, EventKind::Approved)
                | (
                    EventKind::Refreshed | EventKind::Approved,
                    EventKind::Superseded | EventKind::Corrected,
                )
        ),
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
        let mut page = EventPage::newest(PAGE);
        page.changes_only = true;
        loop {
            let log = cx.store.read_events(space, &page)?;
            let is_last = log.len() < PAGE;
            page.after = log.last().map_or(page.after, |it| it.seq);
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
        if let Some(was) = logged.was {
            before.status = Some(was.status);
            before.refreshed_at = Some(was.refreshed_at);
            before.citations = was.citations.or_else(|| before.citations.take());
        } else if let Some(status) = PreviousState::assumed_status(&logged.event.what) {
            before.status = Some(status);
        }
    }

    /// Looks up how the memories stand that were not remembered since; those come with their event.
    fn look_up_memories(&mut self, cx: &Context) -> Result<(), CoreError> {
        let mut old = self.met.clone();
        old.retain(|id| self.found.get(id).is_some_and(|it| it.now.is_none()));
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
        let since = self.at.map_or(0, |it| it.as_millisecond());
        let mut lost = self.forgotten.clone();
        lost.retain(|it| it.at_millisecond() <= since);
        RollbackPlan {
            to: self.to,
            at: self.at,
            turns: self.take_steps(&reason),
            lost: lost.len() as u64,
        }
    }

    /// First what leaves use, then what comes back to it, because a claim is made once at a time.
    fn take_steps(&mut self, reason: &str) -> Vec<RollbackStep> {
        let found = &mut self.found;
        let steps = self.met.iter();
        let mut turns: Vec<RollbackStep> = steps
            .filter_map(|id| found.remove(id)?.into_step(reason))
            .collect();
        turns.sort_by_key(|it| {
            let is_back =
                matches!(&it.what, EventBody::Restored { status, .. } if status.stage().is_live());
            (is_back, it.memory.number)
        });
        turns
    }
}

impl StateAtPoint {
    /// What makes it stand as it stood; nothing, where it does or is gone.
    fn into_step(self, reason: &str) -> Option<RollbackStep> {
        let memory = self.now?;
        if self.is_new {
            let reason = reason.into();
            let what = EventBody::Retired { reason };
            let is_aside = memory.status.stage() == Stage::Retired;
            return (!is_aside).then_some(RollbackStep { memory, what });
        }
        let status = self.status.unwrap_or_else(|| memory.status.clone());
        let citations = self.citations.filter(|it| *it != memory.citations);
        let refreshed_at = self.refreshed_at.unwrap_or(memory.refreshed_at);
        let is_same =
            status == memory.status && citations.is_none() && refreshed_at == memory.refreshed_at;
        let what = EventBody::Restored {
            status,
            citations,
            refreshed_at,
        };
        (!is_same).then_some(RollbackStep { memory, what })
    }
}
