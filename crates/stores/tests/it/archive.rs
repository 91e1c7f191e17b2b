//! The archive in a file, beside its twin in memory.

use std::{collections::BTreeSet, fs, path::Path};

use apostille_core::{
    archive::{
        Archive, ArchiveFilter, ArchiveHandle, ArchiveKind, ArchivePassage, ArchiveRecord,
        ArchiveScope, PassageSpeaker,
        ram::RamArchive,
        related::find_related,
        search::{ArchiveQuery, search_archive},
    },
    space::Space,
};
use apostille_stores::archive::SqliteArchive;
use jiff::Timestamp;
use proptest::prelude::*;

fn space(name: &str) -> Space {
    Space::repo(name).unwrap()
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_780_000_000 + second).unwrap()
}

/// A conversation of these turns, the user's and the agent's in turns.
fn talk(name: &str, second: i64, turns: &[&str]) -> ArchiveRecord {
    let passage = |(n, text): (usize, &&str)| ArchivePassage {
        number: n as u32 + 1,
        speaker: [PassageSpeaker::User, PassageSpeaker::Agent][n % 2],
        at: at(second + n as i64),
        text: (*text).to_owned(),
        pasted: None,
    };
    ArchiveRecord {
        number: 0,
        kind: ArchiveKind::Conversation,
        space: space("acme/app"),
        name: name.into(),
        author: Some("claude-code".into()),
        started_at: at(second),
        ended_at: at(second + turns.len() as i64),
        task: None,
        branch: Some("main".into()),
        paths: ["src/retry.rs".parse().unwrap()].into(),
        is_exposed: false,
        passages: turns.iter().enumerate().map(passage).collect(),
        related: BTreeSet::new(),
    }
}

fn scope(space: &Space) -> ArchiveScope<'_> {
    ArchiveScope {
        space,
        kind: ArchiveKind::Conversation,
    }
}

#[derive(Debug, Clone)]
enum ArchiveStep {
    Keep {
        name: u8,
        words: Vec<u8>,
        related: Vec<u64>,
        is_other: bool,
    },
    Forget {
        record: u64,
        passage: Option<u32>,
    },
}

const WORDS: [&str; 8] = [
    "retry",
    "budget",
    "seven",
    "upstream",
    "useCheckout",
    "the",
    "日本語",
    "cart.rs",
];

fn any_step() -> impl Strategy<Value = ArchiveStep> {
    let keep = (
        0..6u8,
        prop::collection::vec(0..8u8, 1..6),
        prop::collection::vec(1..8u64, 0..3),
        any::<bool>(),
    );
    let keep = keep.prop_map(|(name, words, related, is_other)| ArchiveStep::Keep {
        name,
        words,
        related,
        is_other,
    });
    let forget = (1..8u64, prop::option::of(1..4u32));
    prop_oneof![
        3 => keep,
        1 => forget.prop_map(|(record, passage)| ArchiveStep::Forget { record, passage }),
    ]
}

fn run_step(archive: &dyn Archive, step: &ArchiveStep) -> String {
    match step {
        ArchiveStep::Keep {
            name,
            words,
            related,
            is_other,
        } => {
            let turns: Vec<&str> = words.iter().map(|it| WORDS[usize::from(*it)]).collect();
            let mut record = talk(&format!("s{name}"), i64::from(*name) * 100, &turns);
            record.related = related.iter().copied().collect();
            if *is_other {
                record.space = space("acme/other");
            }
            let number = archive.keep_record(&record).unwrap();
            let lines = words.iter().map(|it| u32::from(*it)).collect();
            if let Some(number) = number {
                archive.keep_lines(number, &lines).unwrap();
            }
            format!("{number:?}")
        }
        ArchiveStep::Forget { record, passage } => {
            let handle = ArchiveHandle {
                record: *record,
                passage: *passage,
            };
            format!("{}", archive.forget_record(handle).unwrap())
        }
    }
}

/// Everything that can be asked.
fn describe_archive(archive: &dyn Archive) -> String {
    let terms: Vec<String> = ["retri", "budget", "usecheckout", "日本"]
        .map(String::from)
        .into();
    let numbers: Vec<u64> = (1..12).collect();
    let mut told = format!("{:#?}", archive.read_records(&numbers).unwrap());
    for name in ["acme/app", "acme/other"] {
        let space = space(name);
        let scope = scope(&space);
        let filter = ArchiveFilter {
            since: Some(at(150)),
            ..ArchiveFilter::default()
        };
        let query = ArchiveQuery {
            space: &space,
            kind: ArchiveKind::Conversation,
            text: "retry budget of the upstream",
            filter: ArchiveFilter::default(),
            count: 3,
        };
        told.push_str(&format!(
            "{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n",
            archive.read_postings(scope, &terms).unwrap(),
            archive.list_records(scope, &filter, 9).unwrap(),
            archive
                .list_records(scope, &ArchiveFilter::default(), 2)
                .unwrap(),
            archive.find_record(scope, "s1").unwrap(),
            archive.measure_size(scope).unwrap(),
            archive
                .list_records_by_lines(scope, &[1, 2, 5].into(), 3)
                .unwrap(),
            search_archive(archive, &query).unwrap(),
        ));
    }
    told
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn archive_file_agrees_with_the_twin(steps in prop::collection::vec(any_step(), 1..14)) {
        let folder = tempfile::tempdir().unwrap();
        let file = SqliteArchive::new(&folder.path().join("archive.db"));
        let twin = RamArchive::default();
        for step in &steps {
            prop_assert_eq!(run_step(&file, step), run_step(&twin, step));
        }
        prop_assert_eq!(describe_archive(&file), describe_archive(&twin));
        // Another process finds the same.
        let again = SqliteArchive::new(&folder.path().join("archive.db"));
        prop_assert_eq!(describe_archive(&again), describe_archive(&twin));
    }
}

fn holds_bytes(folder: &Path, text: &str) -> bool {
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|it| fs::read(it.unwrap().path()).unwrap());
    let mut files = files.filter(|it| it.windows(text.len()).any(|it| it == text.as_bytes()));
    files.next().is_some()
}

#[test]
fn forgotten_words_leave_no_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let archive = SqliteArchive::new(&folder.path().join("archive.db"));
    let whole = talk(
        "whole-session-name",
        0,
        &["zanzibarique is the codename", "understood"],
    );
    let part = talk(
        "s2",
        100,
        &["keep it at seven", "fine", "the quokkaport is 5433"],
    );
    let whole = archive.keep_record(&whole).unwrap().unwrap();
    let part_number = archive.keep_record(&part).unwrap().unwrap();
    for text in ["zanzibariqu", "quokkaport", "whole-session-name"] {
        assert!(holds_bytes(folder.path(), text), "{text}");
    }
    assert!(archive.forget_record(ArchiveHandle::record(whole)).unwrap());
    let passage = ArchiveHandle {
        record: part_number,
        passage: Some(3),
    };
    assert!(archive.forget_record(passage).unwrap());
    for text in ["zanzibariqu", "quokkaport", "whole-session-name"] {
        assert!(!holds_bytes(folder.path(), text), "{text}");
    }
    // The same session, gone through once more, does not bring it back.
    assert_eq!(archive.keep_record(&part).unwrap(), Some(part_number));
    assert!(!holds_bytes(folder.path(), "quokkaport"));
    // Nor does it under other times.
    let later = talk(
        "s2",
        777,
        &["Keep it at seven!", "fine", "The quokkaport: is 5433."],
    );
    let gone = archive
        .list_forgotten(scope(&part.space), "s2", &later.passages)
        .unwrap();
    assert_eq!(gone, [3].into());
    archive.keep_record(&later).unwrap();
    assert!(!holds_bytes(folder.path(), "quokkaport"));
    let gone = talk("whole-session-name", 0, &["zanzibarique is the codename"]);
    assert_eq!(archive.keep_record(&gone).unwrap(), None);
}

#[test]
fn words_are_forgotten_while_another_program_reads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let archive = SqliteArchive::new(&path);
    let said = talk("s1", 0, &["zanzibarique is the codename", "understood"]);
    let number = archive.keep_record(&said).unwrap().unwrap();
    let reader = rusqlite::Connection::open(&path).unwrap();
    reader
        .execute_batch("BEGIN; SELECT * FROM passage")
        .unwrap();
    assert!(
        archive
            .forget_record(ArchiveHandle::record(number))
            .unwrap()
    );
    assert!(archive.has_pending_bytes().unwrap());
    assert!(archive.read_records(&[number]).unwrap().is_empty());
    // Nobody closes it in order: the next program that writes finishes it.
    std::mem::forget(archive);
    reader.execute_batch("COMMIT").unwrap();
    std::mem::forget(reader);
    let archive = SqliteArchive::new(&path);
    archive
        .keep_record(&talk("s2", 9, &["hello there"]))
        .unwrap();
    assert!(!holds_bytes(folder.path(), "zanzibariqu"));
}

#[test]
fn damaged_archive_is_named_and_the_one_in_its_place_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    fs::write(&path, "garbage".repeat(1_000)).unwrap();
    let archive = SqliteArchive::new(&path);
    let told = archive.check_file().unwrap_err().to_string();
    assert!(told.contains("archive.db"), "{told}");
    fs::remove_file(&path).unwrap();
    archive
        .keep_record(&talk("s1", 0, &["keep it at seven"]))
        .unwrap();
    archive.check_file().unwrap();
}

#[test]
fn archive_that_is_not_there_is_empty_and_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let archive = SqliteArchive::new(&path);
    let space = space("acme/app");
    let found = archive.list_records(scope(&space), &ArchiveFilter::default(), 9);
    assert!(found.unwrap().is_empty());
    assert!(!path.exists());
}

#[test]
fn archive_of_the_first_version_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let record = talk("s1", 0, &["keep it at seven", "never eight"]);
    SqliteArchive::new(&path).keep_record(&record).unwrap();
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute_batch(
        "DROP TABLE forgotten_words; DROP TABLE forgotten_key; PRAGMA user_version = 1",
    )
    .unwrap();
    drop(db);
    let archive = SqliteArchive::new(&path);
    let passage = "c-1.2".parse().unwrap();
    assert!(archive.forget_record(passage).unwrap());
    archive
        .keep_record(&talk("s1", 60, &["keep it at seven", "Never eight."]))
        .unwrap();
    let kept = archive.read_records(&[1]).unwrap().remove(0);
    assert_eq!(kept.passages.len(), 1);
}

#[test]
fn archive_of_a_newer_program_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let record = talk("s1", 0, &["keep it at seven"]);
    SqliteArchive::new(&path).keep_record(&record).unwrap();
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute_batch("PRAGMA user_version = 99").unwrap();
    let told = SqliteArchive::new(&path)
        .keep_record(&record)
        .unwrap_err()
        .to_string();
    assert_eq!(
        told,
        "the store has format 99, this program reads up to 2; update apostille"
    );
}

#[test]
fn conversations_about_one_thing_are_related() {
    let archive = RamArchive::default();
    let keep = |record: &ArchiveRecord| archive.keep_record(record).unwrap().unwrap();
    let first = keep(&talk(
        "s1",
        0,
        &[
            "The upstream rate limiter blocks our retrier with 429s, look at the backoff window",
            "I lower the attempts",
        ],
    ));
    keep(&talk(
        "s2",
        100,
        &[
            "The invoice page shows the wrong currency for Swiss customers",
            "I look at the formatter",
        ],
    ));
    let later = talk(
        "s3",
        200,
        &[
            "Update to the retrier: the upstream widened its rate limiter window, so the backoff may retry nine attempts",
            "Done",
        ],
    );
    assert_eq!(find_related(&archive, &later).unwrap(), [first]);
}
