//! What happened in this store since it was looked at last, as lines to tell.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{
    ReplicaState,
    line::{ReplicaLine, compute_record_digest},
    log::ReplicaLog,
};
use crate::{
    Context, CoreError,
    event::{Event, EventBody, LoggedEvent},
    memory::{Layer, Memory, MemoryId, Stage, Status},
    store::EventPage,
};

/// How much of the log is read at once.
const PAGE: usize = 4_096;

/// Whether something happened in the store behind the place that was looked at last.
pub fn has_local_changes(
    cx: &Context,
    log: &ReplicaLog,
    state: &ReplicaState,
) -> Result<bool, CoreError> {
    Ok(!is_cursor_in_place(cx, log, state)? || !read_changes(cx, log, state.cursor, 1)?.is_empty())
}

/// Whether something happened in the store behind the place that was looked at last, beside what following the set wrote.
pub(super) fn has_news(
    cx: &Context,
    log: &ReplicaLog,
    state: &ReplicaState,
) -> Result<bool, CoreError> {
    let is_known = |logged: &LoggedEvent| {
        let history = logged.event.memory.and_then(|it| log.history(it));
        match logged.event.what {
            EventBody::Remembered { .. } => history.is_some_and(|it| it.is_told()),
            EventBody::Forgotten { .. } => history.is_some_and(|it| it.tombstone().is_some()),
            _ => state.own_writes.contains(&digest_event(&logged.event)),
        }
    };
    let mut after = state.cursor;
    loop {
        let page = read_changes(cx, log, after, PAGE)?;
        if page.iter().any(|it| !is_known(it)) {
            return Ok(true);
        }
        match page.last() {
            Some(last) if page.len() == PAGE => after = last.seq,
            _ => return Ok(false),
        }
    }
}

/// Adds to the set what happened in this store since the last time; how many lines are new. It is done before lines of others
/// are added: what this replica did counts as later than what it knew, and not than what it is about to hear.
pub fn collect_local_changes(
    cx: &Context,
    log: &mut ReplicaLog,
    state: &mut ReplicaState,
) -> Result<usize, CoreError> {
    let mut touched: BTreeMap<MemoryId, Vec<LoggedEvent>> = BTreeMap::new();
    if !is_cursor_in_place(cx, log, state)? {
        state.cursor = 0;
    }
    loop {
        let page = read_changes(cx, log, state.cursor, PAGE)?;
        let is_last = page.len() < PAGE;
        for logged in page {
            let digest = digest_event(&logged.event);
            let is_own = state.own_writes.contains(&digest);
            (state.cursor, state.at_cursor) = (logged.seq, Some(digest));
            note_logged_event(state, &logged);
            if let Some(id) = logged.event.memory.filter(|_| !is_own) {
                touched.entry(id).or_default().push(logged);
            }
        }
        if is_last {
            break;
        }
    }
    let ids: Vec<MemoryId> = touched.keys().copied().collect();
    let mut memories = BTreeMap::new();
    for ids in ids.chunks(PAGE) {
        let found = cx.store.get_by_ids(ids)?.into_iter();
        memories.extend(found.map(|it| (it.id, it)));
    }
    let mut n_new = 0;
    for (id, events) in touched {
        let lines = match memories.get(&id) {
            Some(memory) => list_memory_lines(cx, log, memory, events)?,
            None => list_tombstone_lines(log, id, &events),
        };
        for line in lines {
            n_new += usize::from(log.insert_line(line));
        }
    }
    Ok(n_new)
}

fn read_changes(
    cx: &Context,
    log: &ReplicaLog,
    after: u64,
    limit: usize,
) -> Result<Vec<LoggedEvent>, CoreError> {
    let page = EventPage {
        changes_only: true,
        after,
        limit,
        ..EventPage::default()
    };
    cx.store.read_events(log.space(), &page)
}

fn note_logged_event(state: &mut ReplicaState, logged: &LoggedEvent) {
    match (&logged.event.what, logged.event.memory) {
        (EventBody::Remembered { memory, .. }, _) => state.note_number(memory.number),
        (EventBody::Forgotten { number, .. }, Some(id)) => {
            state.note_number(*number);
            state.note_forgotten(id);
        }
        _ => {}
    }
}

/// Whether the event up to which the log was read is still where it was.
fn is_cursor_in_place(
    cx: &Context,
    log: &ReplicaLog,
    state: &ReplicaState,
) -> Result<bool, CoreError> {
    let Some(before) = state.cursor.checked_sub(1) else {
        return Ok(true);
    };
    let found = read_changes(cx, log, before, 1)?.pop();
    let found = found.filter(|it| it.seq == state.cursor);
    Ok(found.map(|it| digest_event(&it.event)) == state.at_cursor)
}

/// The digest of an event of this store's log. A `remembered` event is told with the memory as it is now, so the memory is not
/// part of it.
pub(super) fn digest_event(event: &Event) -> String {
    let mut event = event.clone();
    if let EventBody::Remembered { .. } = event.what {
        event.what = EventBody::Applied;
    }
    compute_record_digest(&event).short_hex()
}

/// What is told of a memory that is there: all of it where nobody heard of it yet.
fn list_memory_lines(
    cx: &Context,
    log: &ReplicaLog,
    memory: &Memory,
    mut events: Vec<LoggedEvent>,
) -> Result<Vec<ReplicaLine>, CoreError> {
    if memory.layer == Layer::Session {
        return Ok(Vec::new());
    }
    let history = log.history(memory.id);
    let is_told = history.is_some_and(|it| it.is_told());
    // What it quotes was said to an agent, not to others. One that an earlier version told of is followed.
    if memory.is_session_record() && !is_told {
        return Ok(Vec::new());
    }
    if !is_told {
        let is_whole = matches!(events[0].event.what, EventBody::Remembered { .. });
        if !is_whole {
            events = read_memory_events(cx, log, memory.id)?;
        }
        let first = memory.at_first(&events);
        if !was_ever_active(memory, &first, &events) {
            return Ok(Vec::new());
        }
        put_first_state(&mut events, &first);
    }
    // A decision about a replacement is one about what it replaces, too.
    let replaced = memory.supersedes.and_then(|it| log.history(it));
    let known = [history, replaced].into_iter().flatten();
    let mut last = known.filter_map(|it| it.last_time()).max();
    let mut lines = Vec::new();
    for logged in events.iter().filter(|it| !is_expiry_at_home(it)) {
        let at = place_behind(logged.event.at, last);
        let line = ReplicaLine::of_own_event(&logged.event, at);
        let line = line.filter(|it| history.is_none_or(|history| !history.has_key(&it.key)));
        if let Some(line) = line {
            last = Some(at);
            lines.push(line);
        }
    }
    // Changes of what cannot be told, as of a text that looks like a secret, are not told either.
    let brings_memory = lines.iter().any(|it| it.remembered().is_some());
    Ok(if is_told || brings_memory {
        lines
    } else {
        Vec::new()
    })
}

fn read_memory_events(
    cx: &Context,
    log: &ReplicaLog,
    id: MemoryId,
) -> Result<Vec<LoggedEvent>, CoreError> {
    let page = EventPage {
        memory: Some(id),
        changes_only: true,
        limit: usize::MAX,
        ..EventPage::default()
    };
    cx.store.read_events(log.space(), &page)
}

/// Whether it was in use at some time. What only ever waited, or was turned away, stays at home.
fn was_ever_active(memory: &Memory, first: &Memory, events: &[LoggedEvent]) -> bool {
    let is_let_in = |it: &LoggedEvent| {
        matches!(it.event.what, EventBody::Approved)
            || it
                .was
                .as_ref()
                .is_some_and(|it| it.status == Status::Active)
    };
    memory.is_active() || first.is_active() || events.iter().any(is_let_in)
}

/// Whether it is that nobody decided here about what waits here: that says nothing about what is in use elsewhere.
fn is_expiry_at_home(logged: &LoggedEvent) -> bool {
    let was = logged.was.as_ref().map(|it| it.status.stage());
    matches!(logged.event.what, EventBody::Retired { .. }) && was == Some(Stage::Pending)
}

/// Puts the memory as it began into the event that brought it.
fn put_first_state(events: &mut [LoggedEvent], first: &Memory) {
    for logged in events {
        if let EventBody::Remembered { memory, .. } = &mut logged.event.what {
            **memory = first.clone();
        }
    }
}

/// What is told of a memory that is gone: nothing, where nobody heard of it.
fn list_tombstone_lines(
    log: &ReplicaLog,
    id: MemoryId,
    events: &[LoggedEvent],
) -> Vec<ReplicaLine> {
    let is_told = log.tells_of(id);
    let forgotten = events
        .iter()
        .filter(|it| is_told && matches!(it.event.what, EventBody::Forgotten { .. }));
    let line = |it: &LoggedEvent| ReplicaLine::of_own_event(&it.event, it.event.at);
    forgotten.filter_map(line).collect()
}

/// A place in time behind everything that was known.
fn place_behind(at: Timestamp, last: Option<Timestamp>) -> Timestamp {
    let next = last.and_then(|it| it.checked_add(SignedDuration::from_nanos(1)).ok());
    next.map_or(at, |it| at.max(it))
}
