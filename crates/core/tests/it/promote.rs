//! Promote: scratch → episode → knowledge. A note in, what becomes of it out.

use crate::world::a_person;
use apostille_core::{
    memory::{Draft, DuplicateChoice, Kind, Layer, Memory, Origin, Stage, Voice},
    promote::{Promotion, promote},
    remember::RememberOutcome,
    store::{EventLog as _, MemoryFilter},
};
use proptest::prelude::*;

use crate::world::{World, cited, note, repo, user};

fn noted(world: &World, layer: Layer, draft: Draft) -> Memory {
    let voice = Voice {
        session: Some("s1".into()),
        ..draft.voice
    };
    world.kept(Draft {
        layer: Some(layer),
        task: Some("fix-it".into()),
        voice,
        ..draft
    })
}

/// A promotion by an agent with every field that knowledge needs.
fn full(name: &str) -> Promotion {
    let told = Promotion::new(name.parse().unwrap(), Voice::from_origin(Origin::Agent));
    let (subject, reason) = (Some("API version".into()), Some("clients break".into()));
    Promotion {
        subject,
        reason,
        citations: vec!["src/api.rs:3".parse().unwrap()],
        ..told
    }
}

fn plain(name: &str) -> Promotion {
    Promotion::new(name.parse().unwrap(), Voice::from_origin(Origin::Agent))
}

/// What becomes of a promotion, on one line.
fn told(world: &World, it: Promotion) -> String {
    match world.with(|cx| promote(cx, &[repo(), user()], it)).unwrap() {
        RememberOutcome::Remembered { memory, .. } => {
            let old = memory.supersedes.map(|id| world.look(&id.to_string()));
            let old = old
                .map(|it| format!(", {} is {}", it.handle(), it.status.stage()))
                .unwrap_or_default();
            format!(
                "{} {} {} {}{old}",
                memory.handle(),
                memory.layer,
                memory.kind,
                memory.status.stage()
            )
        }
        RememberOutcome::Refused(refusal) => format!("refused: {refusal}"),
        RememberOutcome::Similar { near } => {
            format!("{} {}", near[0].relation.as_str(), near[0].handle)
        }
        RememberOutcome::Refreshed { memory } => format!("{} refreshed", memory.handle()),
    }
}

#[test]
fn promote_lifts_scratch_to_episode_to_knowledge() {
    let world = World::verified();
    noted(&world, Layer::Session, note("API_VERSION is v3"));
    assert_eq!(
        told(&world, plain("m-1")),
        "m-2 episode project active, m-1 is superseded"
    );
    assert_eq!(world.look("m-2").task.as_deref(), Some("fix-it"));
    assert_eq!(told(&world, full("m-2")), "m-3 knowledge project active");
    assert!(
        world.look("m-2").is_active(),
        "the episode stays in its task's history"
    );
    assert_eq!(
        world.words(),
        ["remembered", "superseded", "remembered", "remembered"]
    );
}

#[test]
fn promote_names_missing_fields_with_flags() {
    let world = World::verified();
    noted(&world, Layer::Episode, note("API_VERSION is v3"));
    let check = |it: Promotion, expected: &str| assert_eq!(told(&world, it), expected);
    check(
        plain("m-1"),
        "refused: m-1 cannot become knowledge yet: it has no subject, no reason, no citation; \
         add --subject \"…\" --reason \"…\" --cite PATH:LINES",
    );
    check(
        Promotion {
            reason: Some(" ".into()),
            ..full("m-1")
        },
        "refused: m-1 cannot become knowledge yet: it has no reason; add --reason \"…\"",
    );
    check(
        Promotion {
            citations: Vec::new(),
            ..full("m-1")
        },
        "refused: m-1 cannot become knowledge yet: it has no citation; add --cite PATH:LINES",
    );
    let correction = Promotion {
        citations: Vec::new(),
        kind: Some(Kind::Feedback),
        ..full("m-1")
    };
    check(correction, "m-2 knowledge feedback active");
}

#[test]
fn promote_applies_exclusions_and_other_checks() {
    let world = World::verified();
    world.shelf.write("src/b.rs", "one\ntwo\nthree\n");
    let check = |fact: Draft, it: fn(&str) -> Promotion, expected: &str| {
        let memory = noted(&world, Layer::Session, fact);
        let promotion = Promotion {
            layer: Some(Layer::Knowledge),
            ..it(&memory.handle().to_string())
        };
        let told = told(&world, promotion);
        assert!(told.contains(expected), "{told}");
        assert!(
            world.look(&memory.handle().to_string()).is_active() || expected.contains("active")
        );
    };
    check(
        note("iteration 3 passed at 14:32"),
        full,
        "this reads like ephemeral task state",
    );
    check(note("API_VERSION is v9"), full, "knowledge project pending");
    world.kept(cited(
        "The version of the api is v3 for every one of the clients",
        &["src/api.rs:3"],
    ));
    check(
        note("The version of the api is v3 for every one of our clients"),
        full,
        "near-duplicate",
    );
    let gone = noted(
        &world,
        Layer::Episode,
        cited("Two is between one and three", &["src/b.rs:2"]),
    );
    world.shelf.write("src/b.rs", "one\nthree\n");
    let stale = Promotion {
        citations: Vec::new(),
        ..full(&gone.handle().to_string())
    };
    assert!(
        told(&world, stale)
            .starts_with("refused: cannot cite src/b.rs:2: it is gone since it was noted")
    );
}

#[test]
fn only_scratch_and_episodes_in_use_are_promoted() {
    let world = World::verified();
    world.kept(cited("API_VERSION is v3", &["src/api.rs:3"]));
    noted(&world, Layer::Episode, note("we looked at the api"));
    let outside = Voice {
        tainted: true,
        ..Voice::from_origin(Origin::Agent)
    };
    noted(
        &world,
        Layer::Session,
        Draft {
            voice: outside,
            ..note("a page said so")
        },
    );
    let check = |it: Promotion, expected: &str| {
        let told = told(&world, it);
        assert!(told.starts_with(expected), "{told}");
    };
    check(
        full("m-1"),
        "refused: m-1 is in the knowledge layer and cannot be promoted to knowledge",
    );
    check(
        Promotion {
            layer: Some(Layer::Episode),
            ..full("m-2")
        },
        "refused: m-2 is in the episode layer and cannot be promoted to episode",
    );
    check(
        full("m-3"),
        "refused: m-3 is pending, only an active memory can be promoted",
    );
    check(full("m-9"), "refused: there is no memory m-9 here");
}

/// What comes of a note is trusted no more than the note, unless a person puts it into words of their own.
fn derive_promotion_voice(of: Voice, by: Voice, fact: Option<&str>) -> Voice {
    let world = World::verified();
    let memory = noted(
        &world,
        Layer::Session,
        Draft {
            voice: of,
            ..note("API_VERSION is v3")
        },
    );
    if !memory.is_active() {
        world
            .with(|cx| {
                apostille_core::revise::approve_memory(
                    cx,
                    a_person(),
                    &[repo()],
                    "m-1".parse().unwrap(),
                )
            })
            .unwrap();
    }
    let layer = Some(Layer::Knowledge);
    let it = Promotion {
        voice: by,
        fact: fact.map(Into::into),
        layer,
        ..full("m-1")
    };
    match world.with(|cx| promote(cx, &[repo()], it)).unwrap() {
        RememberOutcome::Remembered { memory, .. } => {
            assert_eq!(
                memory.status.stage() == Stage::Pending,
                memory.voice.tainted || memory.voice.origin == Origin::System
            );
            // While it waits, the note it came from stays in use.
            assert_eq!(world.look("m-1").is_active(), !memory.is_active());
            memory.voice
        }
        other => panic!("{other:?}"),
    }
}

proptest! {
    #[test]
    fn nothing_is_trusted_more_for_being_promoted(of in 0_usize..5, by in 0_usize..5, out in any::<bool>(), reworded in any::<bool>()) {
        let voice = |n: usize, tainted: bool| Voice { tainted, ..Voice::from_origin(Origin::ALL[n]) };
        let by = voice(by, false);
        let fact = reworded.then_some("The API_VERSION of all clients is v3");
        let result = derive_promotion_voice(voice(of, out), by.clone(), fact);
        if reworded && by.is_person() {
            prop_assert_eq!((result.origin, result.tainted), (by.origin, false));
        } else {
            prop_assert!(result.origin >= Origin::ALL[of] && result.origin >= by.origin && result.tainted == out);
        }
    }
}

/// An episode that the program made of a session.
fn session_episode(world: &World, fact: &str, bad: &[&str]) -> Memory {
    let tags = ["session"].iter().chain(bad);
    world.kept(Draft {
        layer: Some(Layer::Episode),
        tags: tags.map(|it| (*it).to_owned()).collect(),
        voice: Voice::from_origin(Origin::System),
        on_duplicate: DuplicateChoice::Create("a session of its own".into()),
        ..note(fact)
    })
}

#[test]
fn failed_episode_becomes_no_knowledge_however_often_it_is_repeated() {
    let world = World::verified();
    for n in 0..6 {
        let fact =
            format!("Asked: fix the upload, try {n}\nOutcome: failed: the last tests failed");
        session_episode(&world, &fact, &["failed"]);
    }
    let knowledge = MemoryFilter {
        spaces: vec![repo(), user()],
        layers: vec![Layer::Knowledge],
        limit: 9,
        ..MemoryFilter::default()
    };
    assert_eq!(world.store.list_memories(&knowledge).unwrap(), []);
    let refused = "refused: m-1 tells of something that failed or was given up";
    assert!(told(&world, full("m-1")).starts_with(refused));
    // What went well is not believed by itself either: the program found it, and a person decides.
    session_episode(&world, "Asked: fix the login\nOutcome: committed", &[]);
    assert_eq!(told(&world, full("m-7")), "m-8 knowledge project pending");
    // A person may say what is to be known, in words of their own.
    let in_words = Promotion {
        fact: Some("API_VERSION is v3, because older clients break".into()),
        voice: Voice::from_origin(Origin::User),
        ..full("m-2")
    };
    assert_eq!(told(&world, in_words), "m-9 knowledge project active");
}
