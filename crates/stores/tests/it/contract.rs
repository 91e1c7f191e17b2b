//! The contract on RAM, SQLite, JSONL, and a store split in two.

use std::path::Path;

use apostille_core::contract::{
    agrees, crowd, holds_many, outlines, prunes, rolls_back, steps, story,
};
use apostille_core::store::Store;
use apostille_core::store::ram::Ram;
use apostille_stores::jsonl::Jsonl;
use apostille_stores::split::Split;
use apostille_stores::sqlite::Sqlite;
use proptest::prelude::*;

fn sqlite(dir: &Path) -> Box<dyn Store> {
    Box::new(Sqlite::open(&dir.join("memories.db")).unwrap())
}

fn jsonl(dir: &Path) -> Box<dyn Store> {
    Box::new(Jsonl::open(&dir.join("memories.jsonl"), &"acme/shop".parse().unwrap()).unwrap())
}

fn split(dir: &Path) -> Box<dyn Store> {
    Box::new(Split::new(jsonl(dir), sqlite(dir)))
}

/// Runs a part of the suite on a fresh folder.
fn on(open: fn(&Path) -> Box<dyn Store>, suite: impl Fn(&dyn Fn() -> Box<dyn Store>)) {
    let dir = tempfile::tempdir().unwrap();
    suite(&|| open(dir.path()));
}

#[test]
fn the_story_on_sqlite() {
    on(sqlite, |open| story(open));
    on(sqlite, |open| prunes(open));
    on(sqlite, |open| crowd(open));
    on(sqlite, |open| holds_many(open));
}

#[test]
fn the_story_on_jsonl() {
    on(jsonl, |open| story(open));
    on(jsonl, |open| prunes(open));
    on(jsonl, |open| crowd(open));
    on(jsonl, |open| holds_many(open));
}

#[test]
fn the_story_on_a_split_store() {
    on(split, |open| story(open));
    on(split, |open| prunes(open));
    on(split, |open| crowd(open));
    on(split, |open| holds_many(open));
}

#[test]
fn the_story_in_ram() {
    let ram = Ram::default();
    story(&|| Box::new(ram.clone()));
    let ram = Ram::default();
    prunes(&|| Box::new(ram.clone()));
}

#[test]
fn what_held_when_it_was_shown_is_outlined() {
    for store in [sqlite, jsonl, split] {
        on(store, |open| outlines(open));
    }
    outlines(&|| Box::new(Ram::default()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sqlite_agrees_with_the_twin(steps in steps()) {
        on(sqlite, |open| agrees(open, &steps));
    }

    #[test]
    fn a_split_store_agrees_with_the_twin(steps in steps()) {
        on(split, |open| agrees(open, &steps));
    }

    #[test]
    fn jsonl_agrees_with_the_twin(steps in steps()) {
        on(jsonl, |open| agrees(open, &steps));
    }

    #[test]
    fn ram_rolls_back_exactly(steps in steps(), chosen in 0_usize..60) {
        let ram = Ram::default();
        rolls_back(&|| Box::new(ram.clone()), &steps, chosen);
    }

    #[test]
    fn sqlite_rolls_back_exactly(steps in steps(), chosen in 0_usize..60) {
        on(sqlite, |open| rolls_back(open, &steps, chosen));
    }

    #[test]
    fn jsonl_rolls_back_exactly(steps in steps(), chosen in 0_usize..60) {
        on(jsonl, |open| rolls_back(open, &steps, chosen));
    }

    #[test]
    fn a_split_store_rolls_back_exactly(steps in steps(), chosen in 0_usize..60) {
        on(split, |open| rolls_back(open, &steps, chosen));
    }
}
