//! A person's word reaches a memory through an agent only as the person's own words, looked up in the session's record.

use apostille_core::{
    Context,
    evidence::{CommandRun, Testimony, UserTurn},
    forget::{ForgetOutcome, erase_withdrawn_memories, forget, withdrawn_until},
    memory::{Draft, Kind, ReplacementKind},
    remember::RememberOutcome,
    revise::{self, ReviseOutcome},
    speaker::{ConnectionFacts, Speaker},
};

use crate::world::{World, a_person, preference, user};

const RULE: &str = "Always ask me before force pushing";

/// A session in which the user said this.
struct Said(&'static str);

impl Testimony for Said {
    fn list_user_turns(&self, session: &str) -> Option<Vec<UserTurn>> {
        let turn = UserTurn {
            turn: 1,
            text: self.0.into(),
            at: None,
        };
        (session == "s-1").then(|| vec![turn])
    }

    fn list_command_runs(&self, _: &str) -> Option<Vec<CommandRun>> {
        None
    }
}

fn agent(is_exposed: bool) -> Speaker {
    Speaker::on_connection(ConnectionFacts {
        client: Some("codex".into()),
        session: Some("s-1".into()),
        is_exposed,
        ..ConnectionFacts::default()
    })
}

fn in_session<T>(world: &World, said: &'static str, verb: impl FnOnce(&Context<'_>) -> T) -> T {
    let record = Said(said);
    world.with(|cx| {
        verb(&Context {
            testimony: Some(&record),
            ..*cx
        })
    })
}

/// A world in which a person has a rule, `u-1`.
fn ruled() -> World {
    let world = World::verified();
    world.kept(preference(RULE));
    world
}

fn forgotten(world: &World, said: &'static str, is_exposed: bool) -> &'static str {
    let (by, name) = (agent(is_exposed), "u-1".parse().unwrap());
    match in_session(world, said, |cx| forget(cx, &by, &[user()], name, "")).unwrap() {
        ForgetOutcome::Done(_) => "erased",
        ForgetOutcome::Withdrawn(_) => "withdrawn",
        ForgetOutcome::Refused(refusal) => refusal.class(),
    }
}

#[test]
fn agent_forgets_a_persons_words_only_at_their_request() {
    let check = |said, is_exposed, expected| {
        let world = ruled();
        assert_eq!(forgotten(&world, said, is_exposed), expected, "{said}");
        assert_eq!(world.look("u-1").is_active(), expected == "not_a_person");
    };
    check("Please forget u-1.", false, "withdrawn");
    check(
        "forget that you have to ask me before force pushing",
        false,
        "withdrawn",
    );
    check("Please forget u-1.", true, "not_a_person");
    check("forget it", false, "not_a_person");
    check("Don't forget u-1!", false, "not_a_person");
    check("Fix the parser.", false, "not_a_person");
}

#[test]
fn withdrawn_memory_is_erased_after_a_day_unless_it_is_restored() {
    let world = ruled();
    forgotten(&world, "Please forget u-1.", false);
    let erased = |world: &World| {
        world
            .with(|cx| erase_withdrawn_memories(cx, &[user()]))
            .unwrap()
    };
    world.advance(23 * 3_600);
    assert!(withdrawn_until(&world.look("u-1")).is_some());
    assert_eq!(erased(&world).len(), 0);
    let name = "u-1".parse().unwrap();
    world
        .with(|cx| revise::reconsider_memory(cx, a_person(), &[user()], name))
        .unwrap();
    assert!(world.look("u-1").is_active());
    forgotten(&world, "Please forget u-1.", false);
    world.advance(24 * 3_600);
    assert_eq!(erased(&world).len(), 1);
    assert!(!world.log_text().contains("force"));
}

#[test]
fn agent_calls_a_persons_words_wrong_only_at_their_request() {
    let check = |said, expected: bool| {
        let (world, by, name) = (ruled(), agent(false), "u-1".parse().unwrap());
        let verb = |cx: &Context<'_>| revise::invalidate_memory(cx, &by, &[user()], name, "so");
        let done = in_session(&world, said, verb).unwrap();
        assert_eq!(matches!(done, ReviseOutcome::Done(_)), expected, "{said}");
    };
    check("u-1 is outdated", true);
    check("You needn't ask me before force pushing any more.", true);
    check("u-1 is fine", false);
    check("The parser is wrong.", false);
}

#[test]
fn agent_replaces_a_persons_words_only_by_their_newer_ones() {
    let check = |said, fact: &str, is_exposed, expected: bool| {
        let (world, by, name) = (ruled(), agent(is_exposed), "u-1".parse().unwrap());
        let draft = Draft {
            kind: Some(Kind::User),
            ..Draft::new(user(), fact, by.voice().clone())
        };
        let how = ReplacementKind::Better;
        let verb =
            |cx: &Context<'_>| revise::supersede_memory(cx, &by, &[user()], name, draft, how);
        let outcome = in_session(&world, said, verb).unwrap();
        assert!(
            matches!(outcome, RememberOutcome::Remembered { .. }),
            "{outcome:?}"
        );
        assert_eq!(!world.look("u-1").is_active(), expected, "{said} / {fact}");
    };
    let never = "Never ask before force pushing";
    check(
        "Never ask me before force pushing again.",
        never,
        false,
        true,
    );
    check(
        "Never ask me before force pushing again.",
        never,
        true,
        false,
    );
    check("Always ask me before force pushing.", never, false, false);
    check("I prefer tabs.", "The user prefers tabs", false, false);
}

#[test]
fn agent_that_keeps_trying_meets_a_breaker() {
    let world = World::verified().called_by_agent();
    for n in 0..60 {
        world.kept(preference(&format!(
            "Preference number {n} is about topic{n}"
        )));
    }
    let by = world.caller_speaker();
    let tried = |n: usize| {
        let name = format!("u-{n}").parse().unwrap();
        match world
            .with(|cx| forget(cx, by, &[user()], name, ""))
            .unwrap()
        {
            ForgetOutcome::Refused(refusal) => refusal.class(),
            _ => "done",
        }
    };
    let classes: Vec<&str> = (1..=60).map(tried).collect();
    assert_eq!(classes[0], "not_a_person");
    assert_eq!(classes.last(), Some(&"breaker_open"));
    assert!((1..=60).all(|n| world.look(&format!("u-{n}")).is_active()));
}

/// A rule that hangs on a line goes when the line goes, so nobody else hangs it there.
#[test]
fn agent_hangs_no_rule_of_a_person_on_code() {
    let world = ruled();
    let (name, voice) = ("u-1".parse().unwrap(), agent(false).voice().clone());
    let cites = ["src/api.rs:3".parse().unwrap()];
    for cites in [&cites[..], &[]] {
        let confirmed = world.with(|cx| revise::confirm_memory(cx, &[user()], name, cites, &voice));
        let refused =
            matches!(confirmed, Ok(ReviseOutcome::Refused(it)) if it.class() == "not_a_person");
        assert!(refused, "{cites:?}");
    }
    assert!(world.look("u-1").citations.is_empty());
}

#[test]
fn words_in_a_transcript_change_nothing_where_a_confirmation_is_needed() {
    let world = ruled();
    let (by, name) = (agent(false), "u-1".parse().unwrap());
    let outcome = in_session(&world, "Please forget u-1.", |cx| {
        let policy = apostille_core::policy::Policy {
            is_confirmation_needed: true,
            ..*cx.policy
        };
        let policy = &policy;
        forget(&Context { policy, ..*cx }, &by, &[user()], name, "")
    });
    assert!(
        matches!(outcome, Ok(ForgetOutcome::Refused(_))),
        "{outcome:?}"
    );
    assert!(world.look("u-1").is_active());
}
