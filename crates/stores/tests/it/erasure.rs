//! What is refused or forgotten is nowhere on the disk: no file of the store holds a byte of it.

use apostille_contract::sample_speaker;
use std::path::Path;

use apostille_core::{
    embedding::{Embedding, EmbeddingModel, MemoryEmbedding},
    event::{Event, EventBody},
    forget::forget,
    memory::{Draft, DuplicateChoice, MemoryName},
    recall::{RecallRequest, recall},
    remember::{RememberOutcome, remember},
    revise::{refresh_memory, supersede_memory},
    store::{EventPage, Store, ram::RamStore},
    unchecked,
};
use apostille_text::digest::Digest;
use jiff::Timestamp;

use crate::rig::{STORES, fact, keep, open, space, with_context};

/// The files below a folder that hold this text.
fn holding(dir: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            found.extend(holding(&entry.path(), text));
            continue;
        }
        let bytes = std::fs::read(entry.path()).unwrap().to_ascii_lowercase();
        if bytes
            .windows(text.len())
            .any(|it| it == text.to_ascii_lowercase().as_bytes())
        {
            found.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    found
}

/// A showing with a whole question, as earlier versions logged it.
fn log_question(store: &dyn Store, second: i64, question: &str) {
    let event = Event {
        at: Timestamp::from_second(second).unwrap(),
        space: space(),
        memory: None,
        actor: None,
        what: EventBody::Retrieved {
            query: question.into(),
            shown: Vec::new(),
        },
    };
    let batch = unchecked::durable_batch(vec![event], Vec::new());
    store.append_batch(&batch).unwrap();
}

#[test]
fn questions_of_a_time_leave_no_bytes() {
    for (kind, file) in STORES {
        let dir = tempfile::tempdir().unwrap();
        let store = open(kind, &dir.path().join(file)).unwrap();
        let twin = RamStore::default();
        for it in [&*store as &dyn Store, &twin] {
            for (second, question) in [(10, "early"), (20, "zanzibarique"), (30, "late")] {
                log_question(it, second, question);
            }
            let at = |second| Timestamp::from_second(second).unwrap();
            let during = at(15)..=at(25);
            assert_eq!(it.forget_questions(&space(), &during).unwrap(), 1);
            assert_eq!(it.forget_questions(&space(), &during).unwrap(), 0);
        }
        let read = |it: &dyn Store| it.read_events(&space(), &EventPage::newest(9)).unwrap();
        assert_eq!(read(&*store), read(&twin));
        assert!(store.check_health().unwrap().problems.is_empty());
        assert_eq!(
            holding(dir.path(), "zanzibariq"),
            Vec::<String>::new(),
            "{file}"
        );
        assert_ne!(holding(dir.path(), "early"), Vec::<String>::new(), "{file}");
    }
}

#[test]
fn forget_leaves_no_bytes() {
    for (kind, file) in STORES {
        let dir = tempfile::tempdir().unwrap();
        let store = open(kind, &dir.path().join(file)).unwrap();
        for n in 0..100 {
            keep(
                &*store,
                fact(format!("ordinary fact {n} about the scheduler")),
            )
            .unwrap();
        }
        let odd = Draft {
            subject: Some("zirconium subject".into()),
            reason: Some("vermilion reason".into()),
            tags: vec!["ultramarine".into()],
            citations: vec!["src/api.rs:2".parse().unwrap()],
            ..fact(
                "The obsidianFalcon of src/api.rs flies at midnight, when quicksilverTurtle sleeps",
            )
        };
        let early = keep(&*store, odd.clone()).unwrap();
        // What the cited lines do not say is named in the reason, too.
        let pending = keep(
            &*store,
            Draft {
                fact: "Only moonstoneHeron swims".into(),
                ..odd.clone()
            },
        )
        .unwrap();
        assert!(
            pending
                .status
                .why()
                .is_some_and(|it| it.contains("moonstoneHeron")),
            "{pending:?}"
        );
        for n in 0..100 {
            keep(&*store, fact(format!("later fact {n} about the renderer"))).unwrap();
        }
        let ask = RecallRequest {
            text: "obsidianFalcon at midnight".into(),
            spaces: vec![space()],
            ..RecallRequest::default()
        };
        let name = MemoryName::Id(early.id);
        with_context(&*store, |cx| recall(cx, &ask)).unwrap();
        with_context(&*store, |cx| refresh_memory(cx, &[space()], name)).unwrap();
        let better = Draft {
            subject: Some("birds".into()),
            on_duplicate: DuplicateChoice::Ask,
            ..fact("Nothing flies at night")
        };
        let how = apostille_core::memory::ReplacementKind::Correction;
        with_context(&*store, |cx| {
            supersede_memory(
                cx,
                apostille_contract::sample_speaker(),
                &[space()],
                name,
                better,
                how,
            )
        })
        .unwrap();
        assert!(
            !holding(dir.path(), "obsidianfalcon").is_empty(),
            "{kind}: it was there"
        );
        for name in [name, MemoryName::Id(pending.id)] {
            with_context(&*store, |cx| {
                forget(cx, sample_speaker(), &[space()], name, "asked to")
            })
            .unwrap();
        }
        let words = [
            "obsidianfalcon",
            "obsidian",
            "quicksilver",
            "zirconium",
            "vermilion",
            "ultramarine",
            "moonstone",
        ];
        for word in words {
            assert_eq!(
                holding(dir.path(), word),
                Vec::<String>::new(),
                "{kind}: {word}"
            );
        }
        assert_eq!(
            store.check_health().unwrap().problems,
            Vec::<String>::new(),
            "{kind}"
        );
    }
}

#[test]
fn forget_leaves_no_vector() {
    let model = EmbeddingModel::new("test");
    // The numbers of the vector are letters, as a file of lines writes them or as they are.
    let (letters, digits) = ("quicksilverturtle", "717569636b73696c766572747572746c65");
    let bytes = [&1_f32.to_le_bytes(), letters.as_bytes()].concat();
    for (kind, file) in STORES {
        let dir = tempfile::tempdir().unwrap();
        let store = open(kind, &dir.path().join(file)).unwrap();
        let others = (0..20).map(|n| keep(&*store, fact(format!("ordinary fact {n}"))).unwrap());
        let others: Vec<u64> = others.map(|it| it.number).collect();
        let odd = keep(&*store, fact("Nobody knows this one")).unwrap();
        let embed = |number: u64, bytes: &[u8]| MemoryEmbedding {
            number,
            text: Digest::hash_bytes(b"text"),
            vector: Embedding::from_bytes(bytes).unwrap(),
        };
        let mut vectors: Vec<MemoryEmbedding> =
            others.iter().map(|it| embed(*it, &[1; 20])).collect();
        vectors.push(embed(odd.number, &bytes));
        let n = store.write_embeddings(&space(), &model, &vectors).unwrap();
        assert_eq!(n, 21, "{kind}");
        let held = |text: &str| !holding(dir.path(), text).is_empty();
        assert!(held(letters) || held(digits), "{kind}: it was there");
        let name = MemoryName::Id(odd.id);
        with_context(&*store, |cx| {
            forget(cx, sample_speaker(), &[space()], name, "asked to")
        })
        .unwrap();
        assert!(!held(letters) && !held(digits), "{kind}");
        let left = store.read_embeddings(&space(), &model).unwrap();
        assert_eq!(left.len(), 20, "{kind}");
    }
}

#[test]
fn a_refused_secret_is_nowhere() {
    let secret = ["gl", "pat-", "A1b2C3d4E5f6G7h8I9j0"].concat();
    for (kind, file) in STORES {
        let dir = tempfile::tempdir().unwrap();
        let store = open(kind, &dir.path().join(file)).unwrap();
        for n in 0..50 {
            let draft = Draft {
                subject: Some(format!("try {n}")),
                ..fact(format!("the key is {secret}, number {n}"))
            };
            let outcome = with_context(&*store, |cx| remember(cx, draft)).unwrap();
            let RememberOutcome::Refused(refusal) = outcome else {
                panic!("{outcome:?}")
            };
            assert!(!refusal.to_string().contains(&secret));
        }
        let ask = RecallRequest {
            text: format!("what is {secret}"),
            spaces: vec![space()],
            ..RecallRequest::default()
        };
        with_context(&*store, |cx| recall(cx, &ask)).unwrap();
        assert_eq!(holding(dir.path(), &secret), Vec::<String>::new(), "{kind}");
        assert_eq!(
            store
                .summarize_space(&space())
                .unwrap()
                .count_events("refused"),
            50,
            "{kind}: but it was counted"
        );
    }
}
