//! What a change replaced: enough to take it back.

use jiff::Timestamp;

use super::trace::{stage_moved_from, stage_moved_to};
use crate::{
    event::{Event, EventBody},
    memory::{Memory, Stage, Status},
};
use apostille_cite::citation::Citation;

/// How a memory stood before an event changed it. It is kept with the event, so it is about that memory alone and goes
/// with it when it is forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviousState {
    /// Where it stood.
    pub status: Status,
    /// Its citations, where the event replaced them.
    pub citations: Option<Vec<Citation>>,
    /// When it had last been stated or found to hold.
    pub refreshed_at: Timestamp,
}

impl PreviousState {
    /// What this event is about to replace in the memory; nothing, where it only counts.
    pub fn before_event(memory: &Memory, event: &Event) -> Option<Self> {
        let is_recited = match &event.what {
            EventBody::Refreshed { citations, .. } | EventBody::Restored { citations, .. } => {
                citations.is_some()
            }
            what => {
                stage_moved_to(what.event_kind())?;
                false
            }
        };
        Some(Self {
            status: memory.status.clone(),
            citations: is_recited.then(|| memory.citations.clone()),
            refreshed_at: memory.refreshed_at,
        })
    }

    /// Where a memory must have stood for this to happen to it: all that a log without a [`PreviousState`] tells.
    pub fn assumed_status(what: &EventBody) -> Option<Status> {
        match stage_moved_from(what.event_kind())? {
            Stage::Pending => Some(Status::Pending {
                why: "waits for approval again".into(),
            }),
            _ => Some(Status::Active),
        }
    }
}
