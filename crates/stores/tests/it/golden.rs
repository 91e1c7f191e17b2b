//! Files of earlier versions are a promise: they open, they say what they said, and they can be written. Never edit a
//! golden file; a new version of a format adds a new one.

use std::path::Path;

use crate::rig::{all, fact, keep, open};

/// What the contract's story leaves behind.
const STORY: [&str; 3] = [
    "m-4 active Handlers are pure functions",
    "m-2 superseded Retries of the payment gateway stop after the 3 attempts",
    "m-1 active Retries of the payment gateway stop after 3 attempts",
];

#[test]
fn stores_of_version_1_open_and_say_what_they_said() {
    for (kind, file) in [
        ("sqlite", "v1.db"),
        ("sqlite", "tables2.db"),
        ("jsonl", "v1.jsonl"),
    ] {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/golden")
            .join(file);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file);
        std::fs::copy(&golden, &path).unwrap();
        let store = open(kind, &path).unwrap();
        let told: Vec<String> = all(&*store)
            .unwrap()
            .iter()
            .map(|it| format!("{} {} {}", it.handle(), it.status.stage(), it.fact))
            .collect();
        assert_eq!(told, STORY, "{kind}");
        assert_eq!(
            store.check_health().unwrap().problems,
            Vec::<String>::new(),
            "{kind}"
        );
        assert_eq!(
            keep(&*store, fact("the next one")).unwrap().number,
            5,
            "{kind}"
        );
    }
}
