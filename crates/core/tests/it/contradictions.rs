//! What is stated later takes the place of what it contradicts, where that is beyond doubt; else somebody is asked.

use apostille_core::memory::{Draft, DuplicateChoice, Kind, Layer, Origin, Voice};
use apostille_core::remember::RememberOutcome;
use proptest::prelude::*;

use crate::world::{World, cited, note, repo, user};

const OLD: &str = "the team uses Jest";
const NEW: &str = "the team migrated to Vitest";

fn about(draft: Draft) -> Draft {
    Draft {
        subject: Some("Test runner".into()),
        kind: Some(Kind::Feedback),
        ..draft
    }
}

fn said(origin: Origin, draft: Draft) -> Draft {
    Draft {
        voice: Voice::from_origin(origin),
        ..draft
    }
}

/// What becomes of the second draft, in a word.
fn then(old: Draft, new: Draft) -> String {
    let world = World::verified();
    world.shelf.write("web/app.js", "use(jest)\nuse(vitest)\n");
    world
        .shelf
        .write("tools/app.js", "use(jest)\nuse(vitest)\n");
    let old = world.kept(old);
    let outcome = world.remember(new);
    let is_active = world.look(&old.id.to_string()).is_active();
    match outcome {
        RememberOutcome::Remembered {
            superseded: Some(near),
            memory,
            ..
        } => {
            assert_eq!(
                (memory.supersedes, near.id, is_active),
                (Some(old.id), old.id, false)
            );
            "superseded".into()
        }
        other => {
            assert!(is_active, "silenced by {other:?}");
            match other {
                RememberOutcome::Remembered { .. } => "beside".into(),
                RememberOutcome::Similar { near } => near[0].relation.as_str().into(),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn newer_contradiction_wins_within_one_module() {
    let check = |old: Draft, new: Draft, expected: &str| {
        assert_eq!(
            then(about(old.clone()), about(new.clone())),
            expected,
            "{old:?}, then {new:?}"
        );
    };
    let app = |fact: &str| cited(fact, &["web/app.js:1-2"]);
    let tools = |fact: &str| cited(fact, &["tools/app.js:1-2"]);
    check(note(OLD), note(NEW), "superseded");
    check(app(OLD), app(NEW), "superseded");
    // Of different modules both may be right; of a part and the whole nobody knows.
    check(app(OLD), tools(NEW), "beside");
    check(note(OLD), app(NEW), "contradiction");
    check(app(OLD), note(NEW), "contradiction");
    // Nobody is overruled by somebody of less trust.
    check(said(Origin::User, note(OLD)), note(NEW), "contradiction");
    check(note(OLD), said(Origin::User, note(NEW)), "superseded");
    check(
        said(Origin::UserCorrection, note(OLD)),
        said(Origin::User, note(NEW)),
        "contradiction",
    );
    // What only adds, or could be so too, is not taken for a contradiction.
    check(
        note(OLD),
        note("the team uses Jest and Playwright"),
        "beside",
    );
    check(
        note("the suite lints with `eslint`"),
        note("the suite lints with `oxlint`"),
        "contradiction",
    );
}

#[test]
fn pending_contradiction_supersedes_nothing() {
    let tainted = Draft {
        voice: Voice {
            tainted: true,
            ..Voice::from_origin(Origin::Agent)
        },
        ..note(NEW)
    };
    assert_eq!(then(about(note(OLD)), about(tainted)), "contradiction");
    let skipped = Draft {
        on_duplicate: DuplicateChoice::Skip,
        ..note(NEW)
    };
    assert_eq!(then(about(note(OLD)), about(skipped)), "contradiction");
    let both = Draft {
        on_duplicate: DuplicateChoice::Create("the docs still use it".into()),
        ..note(NEW)
    };
    assert_eq!(then(about(note(OLD)), about(both)), "beside");
}

#[test]
fn contradictions_stay_within_their_space_layer_and_subject() {
    let in_layer = |layer: Layer, draft: Draft| Draft {
        layer: Some(layer),
        ..about(draft)
    };
    let of_user = |fact: &str| Draft::new(user(), fact, Voice::from_origin(Origin::User));
    assert_eq!(then(about(note(OLD)), about(of_user(NEW))), "beside");
    assert_eq!(
        then(about(note(OLD)), in_layer(Layer::Episode, note(NEW))),
        "beside"
    );
    assert_eq!(
        then(
            in_layer(Layer::Episode, note(OLD)),
            in_layer(Layer::Episode, note(NEW))
        ),
        "contradiction"
    );
    let other = Draft {
        subject: Some("End-to-end".into()),
        ..about(note(NEW))
    };
    assert_eq!(then(about(note(OLD)), other), "beside");
    let none = Draft {
        subject: None,
        ..about(note(NEW))
    };
    // Without a subject it may be about the same, and is asked about.
    assert_eq!(then(about(note(OLD)), none), "contradiction");
}

#[test]
fn of_several_that_are_contradicted_none_goes_unasked() {
    let world = World::verified();
    for fact in [OLD, "our team uses Jest"] {
        world.kept(Draft {
            on_duplicate: DuplicateChoice::Create("told twice".into()),
            ..about(note(fact))
        });
    }
    let outcome = world.remember(about(note(NEW)));
    assert!(
        matches!(&outcome, RememberOutcome::Similar { near } if near.len() == 2),
        "{outcome:?}"
    );
    assert!(["m-1", "m-2"].iter().all(|it| world.look(it).is_active()));
}

proptest! {
    #[test]
    fn compare_facts_takes_any_two_texts(a in "\\PC{0,60}", b in "\\PC{0,60}") {
        use apostille_text::contradict::{FactCompatibility, compare_facts};
        prop_assert_eq!(compare_facts(&a, &a), FactCompatibility::Compatible);
        let _ = compare_facts(&a, &b);
    }

    #[test]
    fn two_modules_always_coexist(old in 1_u32..99, new in 1_u32..99) {
        prop_assume!(old != new);
        let draft = |n: u32, place: &str| {
            Draft { subject: Some("limit".into()), ..cited(&format!("the limit is {n}"), &[place]) }
        };
        let world = World::verified();
        world.shelf.write("a/x", &format!("limit = {old}\n"));
        world.shelf.write("b/x", &format!("limit = {new}\n"));
        world.kept(draft(old, "a/x:1"));
        world.kept(draft(new, "b/x:1"));
        prop_assert!(world.look("m-1").is_active() && world.look("m-1").space == repo());
    }
}
