//! The log of each space is the same in every store, whole and in pages.

use super::sample_spaces;
use apostille_core::{
    event::{Event, EventBody, LoggedEvent, previous_state::PreviousState},
    space::Space,
    store::{EventPage, MemoryFilter, Store},
};

/// Compares what happened in each space, from either end, and what happened last in all of them.
pub(super) fn compare_logs(ours: &dyn Store, twin: &dyn Store) {
    let log = |it: &dyn Store, space: &Space, page: &EventPage| {
        let log = it.read_events(space, page).map(clear_rollback_places);
        format!("{log:#?}")
    };
    let whole = EventPage {
        limit: 10_000,
        ..EventPage::default()
    };
    let changes = EventPage {
        changes_only: true,
        ..whole.clone()
    };
    let end = EventPage::newest(5);
    for space in &sample_spaces() {
        let first = MemoryFilter {
            spaces: vec![space.clone()],
            limit: 1,
            ..MemoryFilter::default()
        };
        let first = twin.list_memories(&first).ok().and_then(|mut it| it.pop());
        let of_one = EventPage {
            memory: first.map(|it| it.id),
            ..whole.clone()
        };
        for page in [&whole, &changes, &end, &of_one] {
            let (ours, twin) = (log(ours, space, page), log(twin, space, page));
            assert_eq!(ours, twin, "the log of {space}, {page:?}");
        }
        check_log_paging(ours, space);
    }
    // Only time orders what happened in two spaces: of one moment, each store tells them in its own order.
    let times = |log: Vec<LoggedEvent>| log.iter().map(|it| it.event.at).collect::<Vec<_>>();
    let latest = |it: &dyn Store| format!("{:?}", it.latest_events(5).map(times));
    assert_eq!(latest(ours), latest(twin), "the end of all logs");
}

/// A log that is read in pages is the log, from either end.
fn check_log_paging(store: &dyn Store, space: &Space) {
    for newest_first in [false, true] {
        let mut page = EventPage {
            newest_first,
            limit: usize::MAX,
            ..EventPage::default()
        };
        let whole = store.read_events(space, &page).expect("the log");
        let mut read = Vec::new();
        page.limit = whole.len() / 3 + 1;
        loop {
            let part = store.read_events(space, &page).expect("a page");
            let Some(last) = part.last() else { break };
            page.after = last.seq;
            read.extend(part);
        }
        assert_eq!(read, whole, "the log of {space} in pages");
    }
}

/// Events without their places, and without those that a rollback names: they are each store's own.
fn clear_rollback_places(mut log: Vec<LoggedEvent>) -> Vec<(Event, Option<PreviousState>)> {
    for logged in &mut log {
        if let EventBody::RolledBack { to, .. } = &mut logged.event.what {
            *to = 0;
        }
    }
    log.into_iter().map(|it| (it.event, it.was)).collect()
}
