//! A space that is taken back stands as it stood.

use std::collections::BTreeMap;

use apostille_core::{
    memory::{Memory, Stage, UsageCounts},
    rollback::{RollbackPoint, rollback},
    space::Space,
    store::{MemoryFilter, Store},
};

use super::{
    ContractFixture, StoreStep, compare_stores, run_store_step, sample_person, sample_spaces,
    seconds_after_start,
};

/// Random steps with the standing of one space written down after each; then the space is taken back to one of these
/// moments and must stand exactly as it stood, and the rollback is taken back and must leave no trace.
///
/// # Panics
/// When anything stands otherwise.
pub fn check_rollback<'a>(
    open: &dyn Fn() -> Box<dyn Store + 'a>,
    steps: &[StoreStep],
    chosen: usize,
) {
    let bench = ContractFixture::new(open());
    let [space, ..] = sample_spaces();
    let mut moments = vec![(
        seconds_after_start(0),
        snapshot_space(&*bench.store, &space),
    )];
    for step in steps {
        run_store_step(&bench, step).expect("a step");
        moments.push((bench.current_time(), snapshot_space(&*bench.store, &space)));
    }
    let (moment, before) = &moments[chosen % moments.len()];
    let last = snapshot_space(&*bench.store, &space);
    let go_back = |point| {
        let plan = bench
            .run_at_next_second(|cx| rollback(cx, sample_person(), &space, point))
            .expect("rollback");
        (plan, snapshot_space(&*bench.store, &space))
    };
    for _ in 0..2 {
        let (plan, after) = go_back(RollbackPoint::Time(*moment));
        assert_space_restored(&after, before);
        if plan.is_some_and(|it| !it.turns.is_empty()) {
            for (expected, what) in [
                (&last, "taken back"),
                (&after, "done again"),
                (&last, "and taken back again"),
            ] {
                let (plan, now) = go_back(RollbackPoint::Undo);
                assert!(plan.is_some(), "a rollback");
                assert_eq!(&now, expected, "{what}");
            }
        }
    }
    assert_eq!(
        bench.store.check_health().expect("health").problems,
        Vec::<String>::new()
    );
    compare_stores(&*open(), &*bench.store);
}

/// The memories of a space by number, without their counters, which are history.
fn snapshot_space(store: &dyn Store, space: &Space) -> BTreeMap<u64, Memory> {
    let filter = MemoryFilter {
        spaces: vec![space.clone()],
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    let mut memories = store.list_memories(&filter).expect("list");
    for memory in &mut memories {
        memory.usage = UsageCounts::default();
    }
    memories.into_iter().map(|it| (it.number, it)).collect()
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
