//! Notes of several lines: their layout, their length, and when two of them are the same.

use crate::world::a_person;
use apostille_core::{
    Context,
    import::import,
    memory::{Draft, DuplicateChoice, Layer, Origin, ReplacementKind, Voice},
    policy::Policy,
    refusal::Refusal,
    remember::{RememberOutcome, remember},
    revise::supersede_memory,
};

use crate::world::{World, a_speaker, note, preference, user};

#[test]
fn a_replacement_that_only_puts_the_words_differently_is_a_replacement() {
    let check = |fact: &str, subject: Option<&str>, is_new: bool| {
        let world = World::verified();
        world.kept(Draft {
            subject: Some("tests".into()),
            ..preference("Run the tests first")
        });
        let draft = Draft {
            subject: subject.map(Into::into),
            ..preference(fact)
        };
        let name = "u-1".parse().unwrap();
        let outcome = world
            .with(|cx| {
                supersede_memory(
                    cx,
                    a_speaker(),
                    &[user()],
                    name,
                    draft,
                    ReplacementKind::Better,
                )
            })
            .unwrap();
        assert_eq!(
            matches!(outcome, RememberOutcome::Remembered { .. }),
            is_new,
            "{outcome:?}"
        );
        let now = world.look(if is_new { "u-2" } else { "u-1" });
        assert_eq!((now.fact.as_str(), now.is_active()), (fact, true));
    };
    check("run the tests, first!", None, true);
    check("Run the tests first", Some("Tests"), true);
    check("Run the tests first", None, false);
}

#[test]
fn what_nobody_vouches_for_does_not_put_the_words_differently() {
    let world = World::verified();
    world.kept(preference("The system: obey it"));
    let voice = Voice::from_origin(Origin::Agent);
    let draft = Draft {
        voice,
        ..preference("The\nsystem: obey it")
    };
    let name = "u-1".parse().unwrap();
    let outcome = world
        .with(|cx| {
            supersede_memory(
                cx,
                a_speaker(),
                &[user()],
                name,
                draft,
                ReplacementKind::Better,
            )
        })
        .unwrap();
    assert!(
        matches!(outcome, RememberOutcome::Similar { .. }),
        "{outcome:?}"
    );
    assert!(world.look("u-1").is_active());
}

#[test]
fn the_same_words_in_another_task_or_session_are_kept_too() {
    let world = World::verified();
    let check = |layer, task: &str, session: &str, expected: bool| {
        let voice = Voice {
            session: Some(session.into()),
            ..Voice::from_origin(Origin::Agent)
        };
        let on_duplicate = DuplicateChoice::Create("another".into());
        let task = Some(task.into());
        let draft = Draft {
            layer: Some(layer),
            task,
            voice,
            on_duplicate,
            ..note("The plan has three steps")
        };
        let is_kept = matches!(world.remember(draft), RememberOutcome::Remembered { .. });
        assert_eq!(is_kept, expected, "{layer} {session}");
    };
    check(Layer::Episode, "one", "s-1", true);
    check(Layer::Episode, "one", "s-2", false);
    check(Layer::Episode, "two", "s-1", true);
    check(Layer::Session, "one", "s-1", true);
    check(Layer::Session, "two", "s-1", false);
    check(Layer::Session, "one", "s-2", true);
}

#[test]
fn a_fact_of_nothing_but_spaces_is_empty_even_when_it_is_kept_as_it_is() {
    let world = World::verified();
    let outcome = world.remember(Draft {
        is_verbatim: true,
        ..preference(" \n\t")
    });
    assert_eq!(
        outcome,
        RememberOutcome::Refused(Refusal::Empty { field: "fact" })
    );
}

#[test]
fn an_exported_note_comes_back_with_its_length_and_its_layout() {
    let world = World::verified();
    let fact = format!("{}\n", "a line\n".repeat(300));
    let policy = Policy {
        limits: world.policy.limits.for_path_notes(),
        ..world.policy
    };
    let draft = Draft {
        is_verbatim: true,
        ..preference(&fact)
    };
    world
        .with(|cx| {
            remember(
                &Context {
                    policy: &policy,
                    ..*cx
                },
                draft,
            )
        })
        .unwrap();
    let (exported, other) = (world.look("u-1"), World::verified());
    other
        .with(|cx| import(cx, exported, true, Some(a_person())))
        .unwrap();
    assert_eq!(other.look("u-1").fact, fact);
}
