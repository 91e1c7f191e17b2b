//! A space that is taken back stands as it stood.

use std::collections::BTreeMap;

use apostille_core::memory::{Memory, Stage, UsageCounts};
use apostille_core::rollback::{RollbackPoint, rollback};
use apostille_core::space::Space;
use apostille_core::store::{MemoryFilter, Store};

use super::{
    ContractFixture, StoreStep, compare_stores, run_store_step, sample_person, sample_spaces,
    suite_start_time,
};

/// Random steps with the standing of one space written down after each; then the space is taken back to one of these
/// moments and must stand exactly as it stood, and the rollback is taken back and must leave no trace.
///
/// # Panics
/// When anything stands otherwise.
#[expect(clippy::expect_used, reason = "a suite fails by panicking")]
pub fn check_rollback<'a>(
    open: &dyn Fn() -> Box<dyn Store + 'a>,
    steps: &[StoreStep],
    chosen: usize,
) {
    let bench = ContractFixture::new(open());
    let [space, ..] = sample_spaces();
    let mut moments = vec![(suite_start_time(), snapshot_space(&*bench.store, &space))];
    for step in steps {
        run_store_step(&bench, step).expect("a step");
        moments.push((bench.current_time(), snapshot_space(&*bench.store, &space)));
    }
    let (moment, before) = &moments[chosen % moments.len()];
    let last = snapshot_space(&*bench.store, &space);
    for _ in 0..2 {
        let plan = bench
            .run_at_next_second(|cx| {
                rollback(cx, sample_person(), &space, RollbackPoint::Time(*moment))
            })
            .expect("rollback");
        assert_space_restored(&snapshot_space(&*bench.store, &space), before);
        if plan.is_some_and(|it| !it.turns.is_empty()) {
            let after = snapshot_space(&*bench.store, &space);
            bench
                .run_at_next_second(|cx| rollback(cx, sample_person(), &space, RollbackPoint::Undo))
                .expect("undo")
                .expect("a rollback");
            assert_eq!(snapshot_space(&*bench.store, &space), last, "taken back");
            bench
                .run_at_next_second(|cx| rollback(cx, sample_person(), &space, RollbackPoint::Undo))
                .expect("redo")
                .expect("a rollback");
            assert_eq!(snapshot_space(&*bench.store, &space), after, "done again");
            bench
                .run_at_next_second(|cx| rollback(cx, sample_person(), &space, RollbackPoint::Undo))
                .expect("undo")
                .expect("a rollback");
            assert_eq!(
                snapshot_space(&*bench.store, &space),
                last,
                "and taken back again"
            );
        }
    }
    assert_eq!(
        bench.store.check_health().expect("health").problems,
        Vec::<String>::new()
    );
    compare_stores(&*open(), &*bench.store);
}

/// The memories of a space by number, without their counters, which are history.
#[expect(clippy::expect_used, reason = "a suite fails by panicking")]
fn snapshot_space(store: &dyn Store, space: &Space) -> BTreeMap<u64, Memory> {
    let filter = MemoryFilter {
        spaces: vec![space.clone()],
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    let uncounted = |it: Memory| {
        (
            it.number,
            Memory {
                usage: UsageCounts::default(),
                ..it
            },
        )
    };
    store
        .list_memories(&filter)
        .expect("list")
        .into_iter()
        .map(uncounted)
        .collect()
}

/// Every memory stands as it did, and what came since is retired. What was forgotten since cannot be there.
fn assert_space_restored(now: &BTreeMap<u64, Memory>, before: &BTreeMap<u64, Memory>) {
    for (number, memory) in now {
        match before.get(number) {
            Some(old) => assert_eq!(memory, old, "it stands as it stood"),
            None => assert_eq!(
                memory.status.stage(),
                Stage::Retired,
                "it came since: {memory:?}"
            ),
        }
    }
}
