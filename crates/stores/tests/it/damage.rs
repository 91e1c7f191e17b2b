//! Damage (bars R3 and R6): torn lines, flipped bits, foreign and newer files. Nothing panics, nothing is silently wrong.

use std::path::Path;

use apostille_core::store::StoreError;

use crate::rig::{STORES, all, fact, keep, open, space};

fn filled(kind: &str, path: &Path, n: usize) -> Vec<String> {
    let store = open(kind, path).unwrap();
    (0..n)
        .map(|it| {
            keep(
                &*store,
                fact(format!("fact number {it} of the queue worker")),
            )
            .unwrap()
            .fact
        })
        .collect()
}

fn facts(kind: &str, path: &Path) -> Result<Vec<String>, StoreError> {
    let mut memories = all(&*open(kind, path)?)?;
    memories.sort_by_key(|it| it.number);
    Ok(memories.into_iter().map(|it| it.fact).collect())
}

#[test]
fn jsonl_cut_anywhere_keeps_whole_lines() {
    let dir = tempfile::tempdir().unwrap();
    let whole = dir.path().join("whole.jsonl");
    let kept = filled("jsonl", &whole, 5);
    let bytes = std::fs::read(&whole).unwrap();
    let ends: Vec<usize> = bytes
        .iter()
        .enumerate()
        .filter(|(_, it)| **it == b'\n')
        .map(|(at, _)| at + 1)
        .collect();
    let path = dir.path().join("cut.jsonl");
    for cut in ends[1]..bytes.len() {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        // A line that lacks nothing but its end is whole.
        let n_whole = ends.iter().filter(|end| **end - 1 <= cut).count();
        assert_eq!(
            facts("jsonl", &path).unwrap(),
            kept[..n_whole],
            "cut at {cut}"
        );
        let is_torn = !ends.contains(&cut) && !ends.contains(&(cut + 1));
        let store = open("jsonl", &path).unwrap();
        assert_eq!(
            !store.check_health().unwrap().problems.is_empty(),
            is_torn,
            "cut at {cut}"
        );
        keep(&*store, fact("the next one")).unwrap();
        let mut expected = kept[..n_whole].to_vec();
        expected.push("the next one".into());
        assert_eq!(
            facts("jsonl", &path).unwrap(),
            expected,
            "after a cut at {cut}"
        );
        let content = std::fs::read(&path).unwrap();
        assert!(
            content.starts_with(&bytes[..cut]),
            "the torn line is kept, cut at {cut}"
        );
    }
}

#[test]
fn rewrite_keeps_and_reports_unreadable_lines() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("memories.jsonl");
    filled("jsonl", &path, 3);
    let mut bytes = std::fs::read(&path).unwrap();
    let first = bytes.split(|it| *it == b'\n').next().unwrap().to_vec();
    for odd in [
        &b"<<<<<<< HEAD"[..],
        b"\0\0\0\0",
        b"\xff\xfe",
        b"{\"id\":7}",
        b"",
        &first,
    ] {
        bytes.extend(odd);
        bytes.push(b'\n');
    }
    std::fs::write(&path, &bytes).unwrap();
    let store = open("jsonl", &path).unwrap();
    assert_eq!(
        all(&*store).unwrap().len(),
        3,
        "a line that comes twice counts once"
    );
    assert_eq!(store.check_health().unwrap().problems.len(), 4);
    let first = all(&*store).unwrap().pop().unwrap();
    let name = apostille_core::memory::MemoryName::Id(first.id);
    crate::rig::with_context(&*store, |cx| {
        apostille_core::forget::forget(
            cx,
            apostille_contract::sample_speaker(),
            &[space()],
            name,
            "",
        )
    })
    .unwrap();
    assert_eq!(
        store.check_health().unwrap().problems.len(),
        4,
        "a rewrite keeps what it cannot read"
    );
    let content = std::fs::read(&path).unwrap();
    assert!(content.windows(12).any(|it| it == b"<<<<<<< HEAD"));
}

/// The file of a plain notebook opens without conversion, and can be written.
#[test]
fn plain_notebook_opens_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("memories.jsonl");
    let lines = concat!(
        r#"{"id":"m-1","scope":"user","text":"User prefers Python over JavaScript","tags":["preference"],"ts":"2026-02-26T12:00:00Z"}"#,
        "\n",
        r#"{"id":"m-2","scope":"workspace","text":"Project uses PostgreSQL 16 on port 5432","tags":["infra"],"ts":"2026-02-26T12:05:00Z"}"#,
        "\n",
        r#"{"id":"m-7","text":"Deploy target is AWS us-east-1","tags":["infra","deploy"],"ts":"2026-02-26T12:10:00Z"}"#,
    );
    std::fs::write(&path, lines).unwrap();
    let store = open("jsonl", &path).unwrap();
    let found: Vec<String> = all(&*store)
        .unwrap()
        .iter()
        .map(|it| format!("{} {}", it.handle(), it.fact))
        .collect();
    assert_eq!(
        found,
        [
            "m-7 Deploy target is AWS us-east-1",
            "m-2 Project uses PostgreSQL 16 on port 5432",
            "m-1 User prefers Python over JavaScript"
        ]
    );
    assert_eq!(
        keep(&*store, fact("a new line"))
            .unwrap()
            .handle()
            .to_string(),
        "m-8"
    );
    let content = std::fs::read_to_string(&path).unwrap();
    assert!(content.starts_with(lines), "the old lines are untouched");
    assert_eq!(facts("jsonl", &path).unwrap().len(), 4);
}

#[test]
fn a_flipped_bit_is_noticed_or_harmless() {
    for (kind, file) in STORES {
        let dir = tempfile::tempdir().unwrap();
        let sound = dir.path().join("sound");
        std::fs::create_dir(&sound).unwrap();
        let kept = filled(kind, &sound.join(file), 70);
        let bytes = std::fs::read(sound.join(file)).unwrap();
        let path = dir.path().join(file);
        for n in 0..240_usize {
            let mut damaged = bytes.clone();
            let at = n.wrapping_mul(2_654_435_761) % damaged.len();
            damaged[at] ^= 1 << (n % 8);
            std::fs::write(&path, &damaged).unwrap();
            let _ = std::fs::remove_file(dir.path().join(format!("{file}-wal")));
            let _ = std::fs::remove_file(dir.path().join(format!("{file}-shm")));
            match facts(kind, &path) {
                Err(_) => {}
                Ok(found) if found == kept => {}
                Ok(_) => {
                    let problems = open(kind, &path)
                        .and_then(|it| it.check_health())
                        .map(|it| it.problems);
                    let noticed = problems.as_ref().map_or(true, |it| !it.is_empty());
                    assert!(
                        noticed,
                        "{kind}: byte {at}, bit {} changed what is read, unnoticed",
                        n % 8
                    );
                }
            }
        }
    }
}

#[test]
fn foreign_and_newer_files_are_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let check = |name: &str, kind: &str, expected: &str| {
        let error = open(kind, &dir.path().join(name))
            .and_then(|it| all(&*it).map(drop))
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{name}: {error}");
    };
    std::fs::write(
        dir.path().join("text.db"),
        "this is no database, but long enough to look at".repeat(40),
    )
    .unwrap();
    check("text.db", "sqlite", "damaged");
    let other = rusqlite::Connection::open(dir.path().join("other.db")).unwrap();
    other
        .execute_batch("CREATE TABLE t(x); INSERT INTO t VALUES (1)")
        .unwrap();
    check("other.db", "sqlite", "another program");
    drop(open("sqlite", &dir.path().join("newer.db")).unwrap());
    let newer = rusqlite::Connection::open(dir.path().join("newer.db")).unwrap();
    newer.pragma_update(None, "user_version", 99).unwrap();
    check(
        "newer.db",
        "sqlite",
        "the store has format 99, this program reads up to 6",
    );
    std::fs::write(
        dir.path().join("newer.jsonl"),
        "{\"v\":7,\"sum\":\"\",\"events\":[]}\n",
    )
    .unwrap();
    check(
        "newer.jsonl",
        "jsonl",
        "the store has format 7, this program reads up to 2",
    );
}
