//! Facts whose code changes all the time: each is true today, and has to be looked at again and again.

use std::collections::BTreeMap;

use apostille_core::{
    Context, CoreError,
    event::{EventBody, LoggedEvent},
    memory::{Handle, MemoryId},
    space::Space,
    store::EventPage,
};
use jiff::SignedDuration;

/// How many changes of a space are looked through.
const MAX_CHANGES: usize = 10_000;
/// The days that count.
const DAYS: i64 = 90;
/// From how many changes of its code on a fact is called volatile.
const FEWEST: usize = 3;
/// How many are named.
const MAX_NAMED: usize = 20;

/// A fact whose code changes all the time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolatileMemory {
    /// Which.
    pub handle: Handle,
    /// How often its code was followed to another place, or found to have changed, in the last ninety days.
    pub changes: usize,
}

/// Whether an event tells that the cited code changed: the citations followed it, or a look found it wrong.
fn is_code_change(it: &LoggedEvent) -> bool {
    match &it.event.what {
        EventBody::Refreshed { followed, .. } => !followed.is_empty(),
        EventBody::Verified { valid, .. } => !valid,
        _ => false,
    }
}

/// The facts in use whose code changed at least three times in ninety days, the most restless first: by how often their citations
/// followed the code, and how often a look found them wrong.
pub fn list_volatile_memories(
    cx: &Context,
    spaces: &[Space],
) -> Result<Vec<VolatileMemory>, CoreError> {
    let since = cx.now.saturating_sub(SignedDuration::from_hours(24 * DAYS));
    let since = since.unwrap_or(jiff::Timestamp::MIN);
    let mut changes: BTreeMap<MemoryId, usize> = BTreeMap::new();
    for space in spaces {
        let page = EventPage::newest(MAX_CHANGES);
        let events = cx.store.read_events(space, &page)?.into_iter();
        for it in events.filter(|it| it.event.at >= since) {
            let (Some(id), true) = (it.event.memory, is_code_change(&it)) else {
                continue;
            };
            *changes.entry(id).or_default() += 1;
        }
    }
    changes.retain(|_, n| *n >= FEWEST);
    let ids: Vec<MemoryId> = changes.keys().copied().collect();
    let memories = cx.store.get_by_ids(&ids)?.into_iter();
    let mut found: Vec<VolatileMemory> = memories
        .filter(|it| it.is_active())
        .map(|it| VolatileMemory {
            handle: it.handle(),
            changes: changes.get(&it.id).copied().unwrap_or(0),
        })
        .collect();
    found.sort_by_key(|it| (std::cmp::Reverse(it.changes), it.handle));
    found.truncate(MAX_NAMED);
    Ok(found)
}
