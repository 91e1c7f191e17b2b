//! The contract on RAM, SQLite, JSONL, and a store split in two.

use std::path::Path;

use apostille_contract::{
    check_crowded_space, check_event_traces, check_large_batch_conflict, check_memory_lifecycle,
    check_replicas_converge, check_rollback, check_store_against_ram, check_store_copy,
    check_total_limit, random_store_steps, random_team_steps,
};
use apostille_core::store::{Store, ram::RamStore};
use apostille_stores::{jsonl::JsonlStore, split::SplitStore, sqlite::SqliteStore};
use proptest::prelude::*;

fn sqlite(dir: &Path) -> Box<dyn Store> {
    Box::new(SqliteStore::open(&dir.join("memories.db")).unwrap())
}

fn jsonl(dir: &Path) -> Box<dyn Store> {
    let store = JsonlStore::open(&dir.join("memories.jsonl"), &"acme/shop".parse().unwrap());
    let folder = dir.join("embeddings");
    Box::new(store.unwrap().with_embedding_folder(Some(&folder)))
}

fn split(dir: &Path) -> Box<dyn Store> {
    Box::new(SplitStore::new(jsonl(dir), sqlite(dir), |_| ()))
}

/// Runs a part of the suite on a fresh folder.
fn on(open: fn(&Path) -> Box<dyn Store>, suite: impl Fn(&dyn Fn() -> Box<dyn Store>)) {
    let dir = tempfile::tempdir().unwrap();
    suite(&|| open(dir.path()));
}

#[test]
fn the_story_on_sqlite() {
    on(sqlite, |open| check_memory_lifecycle(open));
    on(sqlite, |open| check_total_limit(open));
    on(sqlite, |open| check_crowded_space(open));
    on(sqlite, |open| check_large_batch_conflict(open));
}

#[test]
fn the_story_on_jsonl() {
    on(jsonl, |open| check_memory_lifecycle(open));
    on(jsonl, |open| check_total_limit(open));
    on(jsonl, |open| check_crowded_space(open));
    on(jsonl, |open| check_large_batch_conflict(open));
}

#[test]
fn the_story_on_a_split_store() {
    on(split, |open| check_memory_lifecycle(open));
    on(split, |open| check_total_limit(open));
    on(split, |open| check_crowded_space(open));
    on(split, |open| check_large_batch_conflict(open));
}

#[test]
fn the_story_in_ram() {
    let ram = RamStore::default();
    check_memory_lifecycle(&|| Box::new(ram.clone()));
    let ram = RamStore::default();
    check_total_limit(&|| Box::new(ram.clone()));
}

#[test]
fn what_held_when_it_was_shown_is_outlined() {
    for store in [sqlite, jsonl, split] {
        on(store, |open| check_event_traces(open));
    }
    check_event_traces(&|| Box::new(RamStore::default()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sqlite_agrees_with_the_twin(steps in random_store_steps()) {
        on(sqlite, |open| check_store_against_ram(open, &steps));
    }

    #[test]
    fn a_split_store_agrees_with_the_twin(steps in random_store_steps()) {
        on(split, |open| check_store_against_ram(open, &steps));
    }

    #[test]
    fn jsonl_agrees_with_the_twin(steps in random_store_steps()) {
        on(jsonl, |open| check_store_against_ram(open, &steps));
    }

    #[test]
    fn copy_of_a_store_is_that_store(steps in random_store_steps(), from in 0_usize..2, to in 0_usize..2) {
        let open = |kind: usize, dir: &Path| if kind == 0 { sqlite(dir) } else { jsonl(dir) };
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let open_source = || open(from, dirs[0].path());
        let open_target = || open(to, dirs[1].path());
        check_store_copy(&open_source, &open_target, &steps, to == 1);
    }

    #[test]
    fn replicas_in_ram_converge(steps in random_team_steps()) {
        let store = || -> Box<dyn Store> { Box::new(RamStore::default()) };
        check_replicas_converge([store(), store(), store()], &steps);
    }

    #[test]
    fn replicas_of_different_stores_converge(steps in random_team_steps()) {
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let stores = [sqlite(dirs[0].path()), Box::new(RamStore::default()), jsonl(dirs[1].path())];
        check_replicas_converge(stores, &steps);
    }

    #[test]
    fn ram_rolls_back_exactly(steps in random_store_steps(), chosen in 0_usize..60) {
        let ram = RamStore::default();
        check_rollback(&|| Box::new(ram.clone()), &steps, chosen);
    }

    #[test]
    fn sqlite_rolls_back_exactly(steps in random_store_steps(), chosen in 0_usize..60) {
        on(sqlite, |open| check_rollback(open, &steps, chosen));
    }

    #[test]
    fn jsonl_rolls_back_exactly(steps in random_store_steps(), chosen in 0_usize..60) {
        on(jsonl, |open| check_rollback(open, &steps, chosen));
    }

    #[test]
    fn a_split_store_rolls_back_exactly(steps in random_store_steps(), chosen in 0_usize..60) {
        on(split, |open| check_rollback(open, &steps, chosen));
    }
}
