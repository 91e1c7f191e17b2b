//! Files of earlier versions are a promise: they open, they say what they said, and they can be written. Never edit a
//! golden file; a new version of a format adds a new one.

use std::path::Path;

use apostille_core::{
    Context,
    evidence::{CommandRun, Evidence, Testimony, UserTurn},
    memory::{Draft, Kind, Memory, Origin, Voice},
    remember::{RememberOutcome, remember},
    runs::record_command_runs,
    store::Store,
};

use crate::rig::{all, fact, keep, open, space, with_context};

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

const SMOKE: &str = "run `make smoke` before you push, see docs/deploy.md";

/// What a session left behind, as a client would have written it down.
struct OneSession;

impl Testimony for OneSession {
    fn list_user_turns(&self, _: &str) -> Option<Vec<UserTurn>> {
        Some(vec![UserTurn {
            turn: 3,
            text: SMOKE.into(),
            at: None,
        }])
    }

    fn list_command_runs(&self, _: &str) -> Option<Vec<CommandRun>> {
        Some(vec![one_run(true, "2026-11-18T12:01:00Z")])
    }
}

fn one_run(has_succeeded: bool, at: &str) -> CommandRun {
    CommandRun {
        command: "make smoke".into(),
        has_succeeded,
        session: Some("s-1".into()),
        at: at.parse().unwrap(),
    }
}

/// Keeps a memory with everything that version 2 added: words, a run, names, an item, and how its command fared.
fn write_story_of_version_2(store: &dyn Store) {
    let voice = Voice {
        session: Some("s-1".into()),
        ..Voice::from_origin(Origin::Agent)
    };
    let smoke = Draft {
        kind: Some(Kind::Reference),
        said: Some(SMOKE.into()),
        ran: Some("make smoke".into()),
        ..Draft::new(space(), SMOKE, voice.clone())
    };
    let retries = Draft {
        kind: Some(Kind::Project),
        citations: vec!["src/api.rs::RETRIES".parse().unwrap()],
        ..Draft::new(space(), "`RETRIES` is 3, which the gateway allows", voice)
    };
    for draft in [smoke, retries] {
        let kept = with_context(store, |cx| {
            let cx = Context {
                testimony: Some(&OneSession),
                ..*cx
            };
            remember(&cx, draft).unwrap()
        });
        assert!(
            matches!(kept, RememberOutcome::Remembered { .. }),
            "{kept:?}"
        );
    }
    let failed = [one_run(false, "2026-11-19T08:30:00Z")];
    with_context(store, |cx| record_command_runs(cx, &space(), &failed)).unwrap();
}

/// What version 2 added, of every memory, as text.
fn describe_evidence(store: &dyn Store) -> Vec<String> {
    let describe = |it: &Memory| {
        let name = |it: &Evidence| match it {
            Evidence::Said(said) => format!("said in turn {}", said.turn),
            Evidence::Ran(run) => format!("ran {}", run.command),
            Evidence::Review(remark) => format!("asked for by {}", remark.reviewer),
            Evidence::Episodes(_) | Evidence::Memories(_) => it.kind().to_string(),
        };
        let evidence: Vec<String> = it.evidence.iter().map(name).collect();
        let items = it.citations.iter().filter_map(|it| it.item.as_ref());
        let items: Vec<&str> = items.map(|it| it.path.as_str()).collect();
        let names: Vec<String> = it.names.iter().map(|it| format!("{it:?}")).collect();
        format!(
            "{} {evidence:?} {items:?} {names:?} succeeded {} failed {}",
            it.handle(),
            it.runs.succeeded_at.is_some(),
            it.runs.failed_at.len()
        )
    };
    all(store).unwrap().iter().map(describe).collect()
}

/// Files of version 2, written by the program of then. `APOSTILLE_BLESS=1` writes those that are not there.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the environment says whether a golden file is to be made"
)]
fn stores_of_version_2_open_and_keep_their_evidence() {
    for (kind, file) in [("sqlite", "v2.db"), ("jsonl", "v2.jsonl")] {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/golden")
            .join(file);
        let dir = tempfile::tempdir().unwrap();
        let fresh = dir.path().join(format!("fresh-{file}"));
        let store = open(kind, &fresh).unwrap();
        write_story_of_version_2(&*store);
        let expected = describe_evidence(&*store);
        drop(store);
        if std::env::var_os("APOSTILLE_BLESS").is_some() && !golden.exists() {
            std::fs::copy(&fresh, &golden).unwrap();
        }
        let path = dir.path().join(file);
        std::fs::copy(&golden, &path).unwrap();
        let store = open(kind, &path).unwrap();
        assert_eq!(describe_evidence(&*store), expected, "{kind}");
        let problems = store.check_health().unwrap().problems;
        assert_eq!(problems, Vec::<String>::new(), "{kind}");
        assert_eq!(keep(&*store, fact("the next one")).unwrap().number, 3);
    }
}
