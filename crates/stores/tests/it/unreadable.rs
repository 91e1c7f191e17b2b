//! A memory that cannot be read can be forgotten; afterwards the store is sound, unless more than that was changed.

use apostille_contract::sample_speaker;
use apostille_core::{
    event::EventBody,
    forget::{ForgetOutcome, discard_damaged_memory, find_damaged_memory, forget},
    memory::{Handle, MemoryName},
    store::{EventPage, Store},
};
use apostille_text::digest::Digest;
use rusqlite::Connection;

use crate::{
    rig::{open, space, with_context},
    tampering::{furnished, problems},
};

/// What another program does to memory 8 or to what belongs to it, and what else there is to forget.
const EDITS: &[(&str, &[u64])] = &[
    (
        "UPDATE memory SET record = replace(record, 'fact number', 'obey') WHERE KEY = 8",
        &[],
    ),
    ("UPDATE memory SET record = 'x' WHERE KEY = 8", &[]),
    ("UPDATE memory SET record = x'00' WHERE KEY = 8", &[]),
    (
        "UPDATE memory SET seal = x'0102030405060708' WHERE KEY = 8",
        &[],
    ),
    (
        "UPDATE memory SET id = x'01020304050607080910111213141516' WHERE KEY = 8",
        &[],
    ),
    (
        "UPDATE memory SET record = 'x' WHERE KEY IN (8, 9, 70)",
        &[9, 70],
    ),
    // One that is cited, one that was used, one that was replaced, one that was found wrong.
    (
        "UPDATE memory SET record = 'x' WHERE KEY IN (8, 1, 4, 5, 3)",
        &[1, 4, 5, 3],
    ),
    (
        "UPDATE memory SET record = 'x' WHERE KEY = 8; UPDATE event SET record = replace(record, 'at', 'ta') \
         WHERE memory = (SELECT id FROM memory WHERE KEY = 8)",
        &[],
    ),
];

/// What is not only about memory 8: forgetting it does not make that right.
const MORE: &[&str] = &[
    "DELETE FROM event WHERE name = 'invalidated'",
    "UPDATE usage SET recalls = recalls + 1",
    "UPDATE memory SET record = 'x' WHERE KEY = 9",
    "UPDATE event SET record = replace(record, 'wrong', 'right') WHERE name = 'invalidated'",
];

/// Runs an edit in which `KEY` stands for the number of a memory of the shop.
fn edit(db: &Connection, sql: &str) {
    let shop = "(SELECT id FROM space WHERE name = 'acme/shop')";
    db.execute_batch(&sql.replace("KEY", &format!("space = {shop} AND key >> 22")))
        .unwrap();
    assert!(db.changes() > 0, "{sql}");
}

fn gone(store: &dyn Store, number: u64) {
    let name = MemoryName::Handle(Handle {
        letter: 'm',
        number,
    });
    with_context(store, |cx| {
        match find_damaged_memory(cx, &[space()], name).unwrap() {
            Some(it) => assert!(
                discard_damaged_memory(cx, apostille_contract::sample_person(), &it).unwrap(),
                "m-{number}"
            ),
            // A row that says what was written and is filed wrongly is read.
            None => {
                assert!(
                    matches!(
                        forget(cx, sample_speaker(), &[space()], name, "").unwrap(),
                        ForgetOutcome::Done(_)
                    ),
                    "m-{number}"
                );
            }
        }
    });
    assert!(
        store
            .get_by_numbers(&space(), &[number])
            .unwrap()
            .is_empty(),
        "m-{number}"
    );
}

#[test]
fn what_cannot_be_read_is_forgotten_and_the_store_is_sound() {
    for (sql, others) in EDITS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("memories.db");
        let store = furnished("sqlite", &path);
        edit(&Connection::open(&path).unwrap(), sql);
        assert!(!problems(&*store).is_empty(), "{sql}");
        gone(&*store, 8);
        assert_eq!(problems(&*store).is_empty(), others.is_empty(), "{sql}");
        others.iter().for_each(|it| gone(&*store, *it));
        assert_eq!(problems(&*store), Vec::<String>::new(), "{sql}");
        assert_eq!(
            problems(&*open("sqlite", &path).unwrap()),
            Vec::<String>::new(),
            "{sql}"
        );
        for entry in std::fs::read_dir(dir.path()).unwrap().map(Result::unwrap) {
            let bytes = std::fs::read(entry.path()).unwrap();
            for word in ["fact number 7 of", "obey"] {
                assert!(
                    !bytes.windows(word.len()).any(|it| it == word.as_bytes()),
                    "{sql}: {word}"
                );
            }
        }
    }
}

#[test]
fn forgetting_one_does_not_make_another_change_right() {
    for more in MORE {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("memories.db");
        let store = furnished("sqlite", &path);
        let db = Connection::open(&path).unwrap();
        edit(&db, "UPDATE memory SET record = 'x' WHERE KEY = 8");
        edit(&db, more);
        gone(&*store, 8);
        let left = problems(&*store);
        assert!(
            left.iter().any(|it| it.contains("do not add up")),
            "{more}: {left:?}"
        );
        assert!(
            !left.iter().any(|it| it.contains("m-8 ")),
            "{more}: {left:?}"
        );
    }
}

/// A program that also makes a seal right is found out by the sum, and stays so.
#[test]
fn a_row_that_is_sealed_again_is_not_taken_for_what_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("memories.db");
    let store = furnished("sqlite", &path);
    let db = Connection::open(&path).unwrap();
    let row = "SELECT key, replace(record, 'fact number 8 of', 'obey') FROM memory WHERE record LIKE '%fact number 8 of%'";
    let (key, record): (i64, String) = db
        .query_row(row, [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    let seal = Digest::hash_bytes(record.as_bytes()).as_bytes()[..8].to_vec();
    let update = "UPDATE memory SET record = ?2, seal = ?3 WHERE key = ?1";
    db.execute(update, rusqlite::params![key, record, seal])
        .unwrap();
    edit(&db, "UPDATE memory SET record = 'x' WHERE KEY = 8");
    gone(&*store, 8);
    let left = problems(&*store);
    assert!(
        left.iter().any(|it| it.contains("do not add up")),
        "{left:?}"
    );
}

/// The log keeps that it was there, and why it is not any more.
#[test]
fn the_tombstone_says_that_it_was_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("memories.db");
    let store = furnished("sqlite", &path);
    edit(
        &Connection::open(&path).unwrap(),
        "UPDATE memory SET record = 'x' WHERE KEY = 8",
    );
    let told = problems(&*store);
    assert!(
        told.iter()
            .any(|it| it.contains("`apostille forget m-8` removes it")),
        "{told:?}"
    );
    gone(&*store, 8);
    let last = EventPage {
        newest_first: true,
        limit: 1,
        ..EventPage::default()
    };
    let told = store
        .read_events(&space(), &last)
        .unwrap()
        .remove(0)
        .event
        .what;
    assert_eq!(
        told,
        EventBody::Forgotten {
            number: 8,
            reason: "its row was damaged by another program".into()
        }
    );
}

/// A memory that can be read is nobody's wreck, and one that is not there neither.
#[test]
fn what_can_be_read_is_not_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let store = furnished("sqlite", &dir.path().join("memories.db"));
    for number in [8, 6, 999] {
        let name = MemoryName::Handle(Handle {
            letter: 'm',
            number,
        });
        assert_eq!(
            with_context(&*store, |cx| find_damaged_memory(cx, &[space()], name)).unwrap(),
            None
        );
    }
}
