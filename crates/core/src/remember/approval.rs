//! Letting a memory out of quarantine.

use crate::Context;
use crate::event::{Event, Expect, What};
use crate::memory::{Memory, Status};
use crate::remember::Stop;

/// What lets a memory out of quarantine, and puts it in the place of the one that it was to replace.
pub(crate) fn approval(
    cx: &Context<'_>,
    memory: &mut Memory,
) -> Result<(Vec<Event>, Vec<Expect>), Stop> {
    let approved = cx.event(&memory.space, Some(memory.id), What::Approved);
    memory.apply(&approved);
    let (mut events, mut expects) = (vec![approved], Vec::new());
    let old = memory
        .supersedes
        .map_or(Ok(Vec::new()), |id| cx.store.get_by_ids(&[id]))?;
    for old in old
        .iter()
        .filter(|it| it.is_active() && it.space == memory.space)
    {
        events.push(cx.event(
            &old.space,
            Some(old.id),
            What::Superseded {
                by: memory.id,
                reason: None,
            },
        ));
        expects.push(Expect::Unmoved(old.id, Status::Active));
    }
    Ok((events, expects))
}
