//! What happened.

use std::collections::BTreeMap;

use apostille_core::{
    event::LoggedEvent,
    format::EventRecord,
    memory::MemoryId,
    store::{Store, StoreError},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::record_schemas::EventSchema;

/// An event with its place in the log.
#[derive(Serialize, JsonSchema)]
pub struct EventView {
    /// Its place.
    pub seq: u64,
    /// What happened, and to what.
    #[serde(flatten)]
    #[schemars(with = "EventSchema")]
    pub event: EventRecord,
    /// The memory's handle, where it is still there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
}

/// A part of the log.
#[derive(Serialize, JsonSchema)]
pub struct LogReply {
    /// Always true.
    #[schemars(extend("const" = true))]
    pub ok: bool,
    /// What happened.
    pub events: Vec<EventView>,
    /// What to say as `after` to read on, where there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}

/// The handles of the memories that these events are about, of those that are still there.
pub fn read_event_handles(
    store: &dyn Store,
    events: &[LoggedEvent],
) -> Result<BTreeMap<MemoryId, String>, StoreError> {
    let mut ids: Vec<MemoryId> = events
        .iter()
        .flat_map(|it| it.event.touched_memories().collect::<Vec<_>>())
        .collect();
    ids.sort();
    ids.dedup();
    Ok(store
        .get_by_ids(&ids)?
        .into_iter()
        .map(|it| (it.id, it.handle().to_string()))
        .collect())
}

/// Events with the handles of memories that are still there.
pub fn build_event_views(
    store: &dyn Store,
    events: &[LoggedEvent],
) -> Result<Vec<EventView>, StoreError> {
    let handles = read_event_handles(store, events)?;
    let view = |it: &LoggedEvent| EventView {
        seq: it.seq,
        handle: it.event.memory.and_then(|id| handles.get(&id).cloned()),
        event: EventRecord::from(&it.event),
    };
    Ok(events.iter().map(view).collect())
}
