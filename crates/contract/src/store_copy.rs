//! A copy of a store is that store, also when it was interrupted, and is made over nothing else.

use std::cell::Cell;

use apostille_core::{
    event::EventBody,
    store::{EventPage, Store},
    store_copy::{StoreCopyError, StoreCopyRun, copy_store},
};

use super::{ContractFixture, StoreStep, compare_stores, run_store_step, sample_spaces};

/// Does all this to a store, copies it with interruptions, and compares the two.
///
/// # Panics
/// When they differ.
pub fn check_store_copy<'a>(
    open_source: &dyn Fn() -> Box<dyn Store + 'a>,
    open_target: &dyn Fn() -> Box<dyn Store + 'a>,
    steps: &[StoreStep],
    keeps_telemetry_apart: bool,
) {
    let source = ContractFixture::new(open_source());
    // Vectors are no part of a copy.
    let is_copied = |it: &&StoreStep| !matches!(it, StoreStep::Embed(..));
    for step in steps.iter().filter(is_copied) {
        run_store_step(&source, step).expect("a store that works");
    }
    let copy = |lots: u64| {
        let left = Cell::new(lots);
        let goes_on = |_, _| left.replace(left.get().saturating_sub(1)) > 0;
        let run = StoreCopyRun {
            keeps_telemetry_apart,
            is_dry_run: false,
            goes_on: &goes_on,
        };
        copy_store(&*source.store, &*open_target(), &run)
    };
    for lots in [0, 1, 3] {
        copy(lots).expect("a copy that was interrupted");
    }
    let copied = copy(u64::MAX).expect("a copy").expect("it is whole");
    for it in copied {
        assert!(it.is_proven(), "{it:?}");
    }
    compare_stores(&*open_target(), &*source.store);
    // Another copy writes nothing, and what was forgotten last leaves its number to nobody.
    let again = copy(u64::MAX).expect("a copy").expect("it is whole");
    assert!(again.iter().all(|it| it.written == 0));
    let target = ContractFixture::new(open_target());
    target.ticks.set(source.ticks.get());
    target.serial.set(source.serial.get());
    let more = StoreStep::Remember {
        space: 0,
        words: vec![39, 38, 37, 36, 35],
        cited: false,
        layer: 9,
        tainted: false,
    };
    let (found, expected) = (
        run_store_step(&target, &more),
        run_store_step(&source, &more),
    );
    assert_eq!(found.expect("a store"), expected.expect("a store"));
    refuse_other_memories(&*target.store, keeps_telemetry_apart);
}

/// What the target has and the source has not is in the way.
fn refuse_other_memories(target: &dyn Store, keeps_telemetry_apart: bool) {
    let other = ContractFixture::new(Box::new(apostille_core::store::ram::RamStore::default()));
    let step = StoreStep::Remember {
        space: 0,
        words: vec![1],
        cited: false,
        layer: 9,
        tainted: false,
    };
    run_store_step(&other, &step).expect("a store that works");
    let run = StoreCopyRun {
        keeps_telemetry_apart,
        is_dry_run: false,
        goes_on: &|_, _| true,
    };
    let has_any = |store: &dyn Store| {
        let page = EventPage {
            limit: usize::MAX,
            ..EventPage::default()
        };
        let events = store
            .read_events(&sample_spaces()[0], &page)
            .expect("a log");
        events
            .iter()
            .any(|it| matches!(it.event.what, EventBody::Remembered { .. }))
    };
    if has_any(target) {
        let copied = copy_store(&*other.store, target, &run);
        assert!(
            matches!(copied, Err(StoreCopyError::Occupied(_))),
            "{copied:?}"
        );
    }
}
