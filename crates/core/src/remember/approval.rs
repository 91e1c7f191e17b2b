//! Letting a memory out of quarantine.

use crate::{
    Context, branches,
    event::{Event, EventBody, Precondition},
    memory::Memory,
    remember::{
        EarlyEnd,
        consolidation::{build_consolidation_events, list_consolidated_memories},
    },
};

/// What lets a memory out of quarantine, and puts it in the place of the one that it was to replace. Where it cites code of
/// a branch, that one stays in use beside it. A step of consolidation is done instead, and what is handed back is what was kept.
pub(crate) fn build_approval_events(
    cx: &Context,
    memory: &mut Memory,
) -> Result<(Vec<Event>, Vec<Precondition>), EarlyEnd> {
    if let Some(ids) = list_consolidated_memories(memory) {
        return build_consolidation_events(cx, memory, &ids);
    }
    let approved = cx.new_memory_event(memory, EventBody::Approved);
    memory.apply_event(&approved);
    let (mut events, mut expects) = (vec![approved], Vec::new());
    let (by, reason) = (memory.id, None);
    if let Some(id) = memory.supersedes
        && let Some(old) = cx.store.get_by_ids(&[id])?.pop()
        && old.is_active()
        && old.space == memory.space
        && !branches::waits_for_merge(cx, memory, &old)
    {
        events.push(cx.new_memory_event(&old, EventBody::Superseded { by, reason }));
        expects.push(Precondition::unmoved(&old));
    }
    Ok((events, expects))
}
