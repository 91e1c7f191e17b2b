//! What waits for a person.

use std::collections::BTreeMap;

use apostille_audit::review::{ReviewCare, ReviewItem};
use apostille_core::queue::QueuePlace;
use schemars::JsonSchema;
use serde::Serialize;

use super::{MemoryView, NearView, text_schema::TextEncoded};

/// What waits.
#[derive(Serialize, JsonSchema)]
pub struct QueueReply {
    #[schemars(extend("const" = true))]
    ok: bool,
    /// How many memories wait, copies included.
    waiting: usize,
    /// How many decisions that is, by the care they need.
    counts: BTreeMap<&'static str, usize>,
    /// The handles of those that are put before a person this week, in their order.
    due: Vec<String>,
    queue: Vec<WaitingView>,
}

/// A memory that waits, with everything needed to decide.
#[derive(Serialize, JsonSchema)]
struct WaitingView {
    memory: MemoryView,
    #[schemars(with = "TextEncoded<ReviewCare>")]
    care: &'static str,
    /// Whether it may be accepted together with others.
    safe: bool,
    waits_because: String,
    /// The literals that the cited lines do not say as they are now.
    unsaid: Vec<String>,
    near: Vec<NearView>,
    /// The handle of the memory whose place it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<String>,
    /// The handles of memories that say the same.
    copies: Vec<String>,
}

impl From<&ReviewItem> for WaitingView {
    fn from(it: &ReviewItem) -> Self {
        Self {
            memory: MemoryView::from(&it.verified),
            care: it.care.as_str(),
            safe: it.is_safe(),
            waits_because: it.memory().status.why().unwrap_or_default().to_owned(),
            unsaid: it.unsaid.clone(),
            near: it.near.iter().map(NearView::from).collect(),
            replaces: it.replaces.as_ref().map(|it| it.handle().to_string()),
            copies: it.copies.iter().map(|it| it.handle().to_string()).collect(),
        }
    }
}

impl QueueReply {
    /// The first so many of what waits; everything is counted.
    pub fn new(queue: &[ReviewItem], limit: usize) -> Self {
        let mut counts = BTreeMap::new();
        queue
            .iter()
            .for_each(|it| *counts.entry(it.care.as_str()).or_default() += 1);
        let shown = queue.iter().take(limit).map(WaitingView::from).collect();
        Self {
            ok: true,
            waiting: count_queued_memories(queue),
            counts,
            due: Vec::new(),
            queue: shown,
        }
    }

    /// The same with what is put before a person this week, by the place of each.
    #[must_use]
    pub fn with_due(self, queue: &[ReviewItem], places: &[QueuePlace]) -> Self {
        let placed = queue.iter().zip(places);
        let due = placed.filter(|it| *it.1 == QueuePlace::Due);
        Self {
            due: due.map(|it| it.0.memory().handle().to_string()).collect(),
            ..self
        }
    }
}

/// How many memories wait, copies included.
pub fn count_queued_memories(queue: &[ReviewItem]) -> usize {
    queue.iter().map(|it| 1 + it.copies.len()).sum()
}
