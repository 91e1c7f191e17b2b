//! What a write looks at before it is let through: how busy the space is, and which breakers are open.

use jiff::Timestamp;

use crate::event::{Breaker, Event, EventBody};

/// Memories are counted up to here: more is as many as too many.
pub const MANY: u64 = 1_000;

/// A breaker that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenBreaker {
    /// Since when.
    pub at: Timestamp,
    /// Whose writes wait; everybody's where it is nobody in particular.
    pub actor: Option<String>,
    /// Which breaker.
    pub breaker: Breaker,
    /// What was seen.
    pub why: String,
}

/// How a space stands before a write.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BreakerState {
    /// How many memories were recorded since the time asked for, at most [`MANY`].
    pub recent: u64,
    /// The breakers that are open, the one that opened first at the front.
    pub open: Vec<OpenBreaker>,
}

/// The open breakers after this event: the one rule that every store follows. A breaker that trips again for the same
/// actor is one breaker, open since the later time.
pub fn fold_open_breakers(open: &mut Vec<OpenBreaker>, event: &Event) {
    match &event.what {
        EventBody::Tripped {
            breaker,
            actor,
            why,
        } => {
            open.retain(|it| (it.breaker, &it.actor) != (*breaker, actor));
            open.push(OpenBreaker {
                at: event.at,
                actor: actor.clone(),
                breaker: *breaker,
                why: why.clone(),
            });
        }
        EventBody::Closed { actor } => open.retain(|it| actor.is_some() && it.actor != *actor),
        _ => {}
    }
}
