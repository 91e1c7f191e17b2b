//! An event in outline: what counting takes, and no text.

use jiff::Timestamp;

use super::{EventBody, EventKind, LoggedEvent};
use crate::memory::{MemoryId, Stage};

/// An event in outline: what counting days takes, and no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventTrace {
    /// When.
    pub at: Timestamp,
    /// What.
    pub happening: EventKind,
    /// Which memory, where it is one.
    pub memory: Option<MemoryId>,
    /// Where it stood before, where the event moved it.
    pub was: Option<Stage>,
    /// Where it stood afterwards; of one that was remembered, where it stands today.
    pub stage: Option<Stage>,
    /// How many memories were shown.
    pub n_shown: usize,
    /// How many of these cite code that was looked at for it and held.
    pub n_held: usize,
    /// The class of a refusal.
    pub class: Option<String>,
}

impl EventTrace {
    /// An event of which no more is known than that it happened.
    pub fn new(at: Timestamp, happening: EventKind) -> Self {
        Self {
            at,
            happening,
            memory: None,
            was: None,
            stage: None,
            n_shown: 0,
            n_held: 0,
            class: None,
        }
    }
}

impl From<&LoggedEvent> for EventTrace {
    fn from(it: &LoggedEvent) -> Self {
        let happening = it.event.what.event_kind();
        let was = it.was.as_ref().map(|it| it.status.stage());
        let mut trace = Self {
            memory: it.event.memory,
            was: was.or_else(|| stage_moved_from(happening)),
            stage: stage_moved_to(happening),
            ..Self::new(it.event.at, happening)
        };
        match &it.event.what {
            EventBody::Remembered { memory, .. } => trace.stage = Some(memory.status.stage()),
            EventBody::Restored { status, .. } => trace.stage = Some(status.stage()),
            EventBody::Retrieved { shown, .. } => {
                trace.n_shown = shown.len();
                let held = shown.iter().filter(|it| is_held_verdict(&it.verdict));
                trace.n_held = held.count();
            }
            EventBody::Refused { class } => trace.class = Some(class.clone()),
            _ => {}
        }
        trace
    }
}

/// Whether a memory was shown with this verdict by a version that wrote verdicts there, and no event for what held. Today a
/// recall writes standings, and an event for every look.
pub fn is_held_verdict(verdict: &str) -> bool {
    matches!(verdict, "holds" | "moved")
}

/// Where an event of this word puts a memory, where the word alone says it.
pub fn stage_moved_to(happening: EventKind) -> Option<Stage> {
    match happening {
        EventKind::Superseded | EventKind::Corrected => Some(Stage::Superseded),
        EventKind::Invalidated => Some(Stage::Invalid),
        EventKind::Retired => Some(Stage::Retired),
        EventKind::Approved => Some(Stage::Active),
        _ => None,
    }
}

/// Where a memory must have stood for this to happen to it: all that a log tells which does not say how it stood.
pub fn stage_moved_from(happening: EventKind) -> Option<Stage> {
    match happening {
        EventKind::Approved => Some(Stage::Pending),
        other => stage_moved_to(other).map(|_| Stage::Active),
    }
}
