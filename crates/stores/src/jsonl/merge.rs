//! What lines mean that git merged: the same in whatever order they stand, and however often.

use std::collections::{BTreeMap, HashMap, HashSet};

use apostille_core::{
    event::{Event, EventBody},
    memory::{MAX_NUMBER, Memory, MemoryId},
    space::Space,
};
use jiff::Timestamp;

/// A batch and its place in time.
pub(super) type TimedBatch = (Timestamp, Vec<Event>);

/// The batches in the order of their times. What happened at one time in several lines, which only clones that knew
/// nothing of each other write, is put into an order that does not depend on the lines, and each of it counts once.
pub(super) fn order_batches(mut batches: Vec<TimedBatch>) -> Vec<TimedBatch> {
    batches.sort_by_key(|(at, _)| *at);
    let mut ordered: Vec<TimedBatch> = Vec::with_capacity(batches.len());
    let mut rest = batches.into_iter().peekable();
    while let Some((at, mut events)) = rest.next() {
        if rest.peek().is_some_and(|it| it.0 == at) {
            while let Some((_, more)) = rest.next_if(|it| it.0 == at) {
                events.extend(more);
            }
            events = sort_simultaneous_events(events);
        }
        ordered.push((at, events));
    }
    ordered
}

/// Memories come before what is done to them.
fn sort_simultaneous_events(mut events: Vec<Event>) -> Vec<Event> {
    events.sort_by_cached_key(|it| {
        let id = remembered_memory(it).map(|memory| memory.id);
        (id.is_none(), id, format!("{it:?}"))
    });
    events.dedup();
    events
}

/// The memory that an event brings.
pub(super) fn remembered_memory(event: &Event) -> Option<&Memory> {
    match &event.what {
        EventBody::Remembered { memory, .. } => Some(memory),
        _ => None,
    }
}

/// What was forgotten in any clone. It stays so, whatever other lines say.
#[derive(Debug, Default)]
pub(super) struct Tombstones {
    pub(super) forgotten: HashSet<MemoryId>,
    told: HashSet<MemoryId>,
    numbers: HashSet<(Space, u64)>,
    /// Whether lines about them are still in a file, because another clone had not heard of it.
    pub(super) is_haunted: bool,
}

impl Tombstones {
    /// Takes note of what these events forget.
    pub(super) fn note_forgotten(&mut self, events: &[Event]) {
        for event in events {
            if let (EventBody::Forgotten { number, .. }, Some(id)) = (&event.what, event.memory) {
                self.forgotten.insert(id);
                self.numbers.insert((event.space.clone(), *number));
            }
        }
    }

    /// The events that still count: of a forgotten memory only that it was, once.
    pub(super) fn drop_forgotten(&mut self, mut events: Vec<Event>) -> Vec<Event> {
        if !self.forgotten.is_empty() {
            events.retain_mut(|it| self.still_counts(it));
        }
        events
    }

    fn still_counts(&mut self, event: &mut Event) -> bool {
        match event.memory.filter(|id| self.forgotten.contains(id)) {
            Some(id) if matches!(event.what, EventBody::Forgotten { .. }) => self.told.insert(id),
            Some(_) => {
                self.is_haunted = true;
                false
            }
            None => {
                self.is_haunted |= blank_forgotten_query(event, &self.forgotten);
                true
            }
        }
    }

    /// The memories, and one that is about to be.
    pub(super) fn ids_with(&self, id: MemoryId) -> HashSet<MemoryId> {
        self.forgotten.iter().copied().chain([id]).collect()
    }
}

/// Takes the question out of a showing of one of these. `true`: there was one.
pub(super) fn blank_forgotten_query(event: &mut Event, gone: &HashSet<MemoryId>) -> bool {
    let EventBody::Retrieved { query, shown } = &mut event.what else {
        return false;
    };
    let is_asked = !query.is_empty() && shown.iter().any(|it| gone.contains(&it.id));
    if is_asked {
        query.clear();
    }
    is_asked
}

/// Whether new lines can be folded behind those that were, and mean what they would mean among them.
pub(super) fn can_fold_behind(
    batches: &[TimedBatch],
    last_at: Timestamp,
    last_number: impl Fn(&Space) -> u64,
) -> bool {
    let mut given = HashMap::new();
    let mut is_next = |event: &Event| match &event.what {
        EventBody::Forgotten { .. } => false,
        EventBody::Remembered { memory, .. } => {
            let last = given.insert(memory.space.clone(), memory.number);
            memory.number > last.unwrap_or_else(|| last_number(&memory.space))
        }
        _ => true,
    };
    batches
        .iter()
        .all(|(at, events)| *at > last_at && events.iter().all(&mut is_next))
}

/// Gives every memory a number of its own. Two clones give one number to two memories: the older one keeps it, the other
/// one gets the next that nobody wants, so that no third one has to move. A number that was forgotten is not given again.
pub(super) fn renumber_memories(batches: &mut [TimedBatch], graves: &Tombstones) {
    let mut owners: BTreeMap<(Space, u64), MemoryId> = BTreeMap::new();
    let mut placed: HashSet<MemoryId> = HashSet::new();
    for memory in remembered_memories_mut(batches, graves) {
        let place = (memory.space.clone(), memory.number);
        let is_fit = (1..=MAX_NUMBER).contains(&memory.number) && !graves.numbers.contains(&place);
        if placed.insert(memory.id) && is_fit {
            owners.entry(place).or_insert(memory.id);
        }
    }
    let mut last: HashMap<Space, u64> = HashMap::new();
    for memory in remembered_memories_mut(batches, graves) {
        // Its first copy is the one that counts.
        if !placed.remove(&memory.id) {
            continue;
        }
        let last = last.entry(memory.space.clone()).or_default();
        let mut place = (memory.space.clone(), memory.number);
        if owners.get(&place) != Some(&memory.id) {
            place.1 = *last + 1;
            while owners.contains_key(&place) || graves.numbers.contains(&place) {
                place.1 += 1;
            }
            memory.number = place.1;
            owners.insert(place, memory.id);
        }
        *last = (*last).max(memory.number);
    }
}

/// The memories that these batches bring, in their order.
fn remembered_memories_mut<'a>(
    batches: &'a mut [TimedBatch],
    graves: &'a Tombstones,
) -> impl Iterator<Item = &'a mut Memory> {
    batches
        .iter_mut()
        .flat_map(|(_, events)| events)
        .filter_map(|it| match &mut it.what {
            EventBody::Remembered { memory, .. } if !graves.forgotten.contains(&memory.id) => {
                Some(&mut **memory)
            }
            _ => None,
        })
}
