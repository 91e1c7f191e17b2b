//! The reader of lines against whatever a file may hold: it never panics, never loses a sound line, and what it cannot
//! read is still there after the next write.

use std::path::Path;
use std::sync::OnceLock;

use apostille_core::replica::ReplicaLog;
use jiff::Timestamp;
use proptest::prelude::*;

use crate::rig::{all, fact, keep, open};

/// Lines that the store itself has written.
fn real() -> &'static [Vec<u8>] {
    static LINES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    LINES.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("memories.jsonl");
        let store = open("jsonl", &path).unwrap();
        for n in 0..4 {
            keep(
                &*store,
                fact(format!("real fact number {n} of the queue worker")),
            )
            .unwrap();
        }
        let bytes = std::fs::read(&path).unwrap();
        bytes
            .split(|it| *it == b'\n')
            .filter(|it| !it.is_empty())
            .map(<[u8]>::to_vec)
            .collect()
    })
}

/// A line that is whole, torn, edited in one place, or nothing of ours.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let whole = prop::sample::select(real().to_vec());
    let torn = (whole.clone(), any::<prop::sample::Index>())
        .prop_map(|(line, at)| line[..at.index(line.len())].to_vec());
    let edited = (whole.clone(), any::<prop::sample::Index>(), any::<u8>()).prop_map(
        |(mut line, at, byte)| {
            let at = at.index(line.len());
            line[at] = byte;
            line
        },
    );
    let glued = (whole.clone(), whole.clone()).prop_map(|(a, b)| [a, b].concat());
    let foreign = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        "\\{\"(id|v|sum|events|text|scope|ts)\":([0-9]{1,25}|\"\\PC{0,20}\"|null|\\[\\]|\\{\\})(,\"v\":-?[0-9]{1,20})?\\}"
            .prop_map(String::into_bytes),
        Just(b"[".repeat(3_000)),
        Just(b"{\"a\":".repeat(2_000)),
    ];
    prop_oneof![3 => whole, 2 => torn, 3 => edited, 1 => glued, 3 => foreign]
}

fn written(path: &Path, lines: &[Vec<u8>], has_end: bool) {
    let mut bytes = lines.join(&b'\n');
    bytes.extend(has_end.then_some(b'\n'));
    std::fs::write(path, bytes).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_file_is_read_or_refused_and_sound_lines_stay(
        lines in prop::collection::vec(line(), 0..12),
        has_end in any::<bool>(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("memories.jsonl");
        written(&path, &lines, has_end);
        let before = std::fs::read(&path).unwrap();
        // A file that says it is from a newer program is refused as a whole, and left alone.
        let Ok(store) = open("jsonl", &path) else {
            prop_assert_eq!(std::fs::read(&path).unwrap(), before);
            return Ok(());
        };
        let Ok(found) = all(&*store) else {
            prop_assert_eq!(std::fs::read(&path).unwrap(), before);
            return Ok(());
        };
        // An edit may put a line break into a sound line's neighbour; what is whole is found all the same.
        let content: Vec<&[u8]> = before.split(|it| *it == b'\n').collect();
        for (n, real) in real().iter().enumerate() {
            let is_there = content.iter().any(|it| it == real);
            let is_found = found.iter().any(|it| it.fact == format!("real fact number {n} of the queue worker"));
            prop_assert!(!is_there || is_found, "a sound line was lost");
        }
        prop_assert!(store.check_health().is_ok());
        if keep(&*store, fact("one more")).is_ok() {
            let after = std::fs::read(&path).unwrap();
            prop_assert!(after.starts_with(&before), "what was there is still there");
        }
    }

    #[test]
    fn any_lines_of_a_replica_are_read_or_left_out(lines in prop::collection::vec(line(), 0..24)) {
        let texts: Vec<_> = lines.iter().map(|it| String::from_utf8_lossy(it)).collect();
        let read = |texts: &[&str]| {
            let mut log = ReplicaLog::new("acme/shop".parse().unwrap());
            let intake = log.insert_foreign_texts(texts.iter().copied(), Timestamp::MAX);
            (log.lines().map(|it| it.text.clone()).collect::<Vec<_>>(), intake)
        };
        let mut texts: Vec<&str> = texts.iter().map(|it| &**it).collect();
        let (kept, intake) = read(&texts);
        prop_assert!(intake.new <= texts.len());
        texts.reverse();
        prop_assert_eq!(&read(&texts).0, &kept, "the order of lines means something");
        // A sound line is kept, whatever stands beside it, and what is kept is read again as it is.
        for real in real() {
            let is_there = lines.iter().any(|it| it == real);
            prop_assert!(!is_there || kept.iter().any(|it| it.as_bytes() == real));
        }
        let again: Vec<&str> = kept.iter().map(String::as_str).collect();
        prop_assert_eq!(read(&again).0, kept.clone());
    }
}
