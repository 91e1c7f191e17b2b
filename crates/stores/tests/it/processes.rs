//! Many processes on one store (bars R1 and R7): nothing lost, nothing twice, no error shown.

use std::collections::BTreeSet;

use crate::rig::{STORES, Writer, all, fact, keep, open};

#[test]
fn sixteen_processes_write_at_once() {
    for (kind, file) in STORES {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file);
        let writers: Vec<Writer> = (0..16)
            .map(|name| Writer::spawn(kind, &path, name, 20))
            .collect();
        let said: Vec<String> = writers.into_iter().flat_map(Writer::finish).collect();
        let failed: Vec<&String> = said.iter().filter(|it| it.starts_with("failed")).collect();
        assert!(failed.is_empty(), "{kind}: {failed:?}");
        assert_eq!(said.len(), 16 * 20, "{kind}");
        let store = open(kind, &path).unwrap();
        let memories = all(&*store).unwrap();
        assert_eq!(
            memories.len(),
            16 * 20 + 1,
            "{kind}: each once, and the one that everybody states once"
        );
        let numbers: BTreeSet<u64> = memories.iter().map(|it| it.number).collect();
        assert_eq!(
            numbers,
            (1..=16 * 20 + 1).collect(),
            "{kind}: handles are given once"
        );
        assert_eq!(
            store.check_health().unwrap().problems,
            Vec::<String>::new(),
            "{kind}"
        );
    }
}

#[test]
fn what_was_acknowledged_survives_kill_9() {
    for (kind, file) in STORES {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file);
        let mut acked = BTreeSet::new();
        for round in 0..8 {
            let mut writers: Vec<Writer> = (0..4)
                .map(|n| Writer::spawn(kind, &path, round * 4 + n, 100_000))
                .collect();
            for (n, writer) in writers.iter_mut().enumerate() {
                for _ in 0..=(round + 2 * n) {
                    acked.insert(writer.next().expect("a writer writes until it is killed"));
                }
            }
            for writer in &mut writers {
                writer.child.kill().unwrap();
            }
            // What it said before it died counts as acknowledged too.
            acked.extend(writers.into_iter().flat_map(Writer::finish));
            let store = open(kind, &path).unwrap();
            let found: BTreeSet<String> = all(&*store)
                .unwrap()
                .iter()
                .map(|it| format!("ack {}", it.id))
                .collect();
            let lost: Vec<&String> = acked.iter().filter(|it| !found.contains(*it)).collect();
            assert!(lost.is_empty(), "{kind}, round {round}: {lost:?}");
            keep(&*store, fact(format!("round {round} goes on"))).unwrap();
        }
        let problems = open(kind, &path).unwrap().check_health().unwrap().problems;
        assert!(
            problems.iter().all(|it| it.contains("line cannot be read")),
            "{kind}: {problems:?}"
        );
    }
}
