//! Letting a memory out of quarantine.

use crate::Context;
use crate::event::{Event, EventBody, Precondition};
use crate::memory::{Memory, Status};
use crate::remember::EarlyEnd;

/// What lets a memory out of quarantine, and puts it in the place of the one that it was to replace.
pub(crate) fn build_approval_events(
    cx: &Context,
    memory: &mut Memory,
) -> Result<(Vec<Event>, Vec<Precondition>), EarlyEnd> {
    let approved = cx.new_event(&memory.space, Some(memory.id), EventBody::Approved);
    memory.apply_event(&approved);
    let (mut events, mut expects) = (vec![approved], Vec::new());
    let old = memory
        .supersedes
        .map_or(Ok(Vec::new()), |id| cx.store.get_by_ids(&[id]))?;
    for old in old
        .iter()
        .filter(|it| it.is_active() && it.space == memory.space)
    {
        events.push(cx.new_event(
            &old.space,
            Some(old.id),
            EventBody::Superseded {
                by: memory.id,
                reason: None,
            },
        ));
        expects.push(Precondition::Unmoved(old.id, Status::Active));
    }
    Ok((events, expects))
}
