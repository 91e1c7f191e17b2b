//! Breakers: who writes as nobody honest does waits from then on; a person never does.

use crate::world::a_person;
use apostille_core::speaker::{ConnectionFacts, Speaker, TerminalFacts};
use apostille_core::{
    breaker::{ActorWrites, close_breakers, find_tripped_breaker, list_open_breakers},
    event::Breaker,
    memory::{
        Channel, Draft, DuplicateChoice, Kind, Memory, MemoryName, Origin, Stage, Status, Voice,
    },
    policy::{BreakerPolicy, Policy},
    refusal::Refusal,
    remember::{RememberOutcome, remember},
    revise::{self, ReviseOutcome},
};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use crate::world::{World, a_speaker, repo, user};

fn voice(author: &str, origin: Origin) -> Voice {
    Voice {
        author: Some(author.into()),
        ..Voice::from_origin(origin).with_channel(Channel::Mcp)
    }
}

fn agent(author: &str) -> Voice {
    voice(author, Origin::Agent)
}

/// A fact that resembles no other.
fn fact(n: usize) -> String {
    let letters = |n: usize| -> String {
        (0..6)
            .map(|at| char::from(b'a' + u8::try_from((n * 7 + at * (n + 3)) % 26).unwrap()))
            .collect()
    };
    format!("{}{n} {} {}", letters(n), letters(n + 11), letters(n + 29))
}

fn rule(fact: String, voice: Voice) -> Draft {
    let on_duplicate = DuplicateChoice::Create("it is another".into());
    Draft {
        kind: Some(Kind::Feedback),
        on_duplicate,
        ..Draft::new(repo(), fact, voice)
    }
}

fn said(world: &World, n: usize, voice: Voice) -> Memory {
    world.kept(rule(fact(n), voice))
}

fn is_open(world: &World) -> bool {
    !world
        .with(|cx| list_open_breakers(cx, &repo()))
        .unwrap()
        .is_empty()
}

/// A world in which an agent wrote so many memories, a second apart.
fn after(n: usize) -> World {
    let world = World::verified();
    (0..n).for_each(|it| drop(said(&world, it, agent("claude"))));
    world
}

fn held(memory: &Memory) -> bool {
    memory
        .status
        .why()
        .is_some_and(|it| it.starts_with("it was written while a breaker was open: "))
}

#[test]
fn a_burst_is_held_from_the_first_that_is_too_many() {
    let world = after(60);
    assert!(!is_open(&world));
    let late = said(&world, 60, agent("claude"));
    assert_eq!(
        late.status.why(),
        Some("it was written while a breaker was open: 61 new memories in 10 minutes")
    );
    assert_eq!(
        world.words().iter().filter(|it| **it == "tripped").count(),
        1
    );
    assert!(held(&said(&world, 61, agent("claude"))));
    assert_eq!(
        world.words().iter().filter(|it| **it == "tripped").count(),
        1,
        "it trips once"
    );
}

#[test]
fn others_and_other_spaces_go_on() {
    let world = after(61);
    assert!(said(&world, 70, agent("codex")).is_active());
    assert!(
        said(
            &world,
            71,
            Voice {
                session: Some("s1".into()),
                ..Voice::from_origin(Origin::Agent)
            }
        )
        .is_active()
    );
    let elsewhere = Draft {
        space: user(),
        kind: Some(Kind::Feedback),
        ..rule(fact(72), agent("claude"))
    };
    assert!(world.kept(elsewhere).is_active());
    assert!(
        said(&world, 73, voice("claude", Origin::User)).is_active(),
        "a person is never stopped"
    );
    assert!(held(&said(&world, 74, agent("claude"))));
}

#[test]
fn reading_and_what_is_known_are_left_alone() {
    let world = after(61);
    assert!(!world.ask(&fact(3)).shown.is_empty());
    let again = world.remember(rule(fact(3), agent("claude")));
    assert!(
        matches!(&again, RememberOutcome::Refreshed { memory } if memory.is_active()),
        "{again:?}"
    );
    let name: MemoryName = "m-5".parse().unwrap();
    assert!(matches!(
        world
            .with(|cx| revise::refresh_memory(cx, &[repo()], name))
            .unwrap(),
        ReviseOutcome::Done(_)
    ));
}

#[test]
fn what_replaces_a_memory_waits_and_the_memory_stays() {
    let world = after(61);
    let draft = Draft {
        on_duplicate: DuplicateChoice::Merge("m-5".parse().unwrap()),
        ..rule(fact(80), agent("claude"))
    };
    assert!(held(&world.kept(draft)));
    assert!(world.look("m-5").is_active());
    let draft = rule(fact(4).to_uppercase(), agent("claude"));
    let name: MemoryName = "m-5".parse().unwrap();
    let how = apostille_core::memory::ReplacementKind::Better;
    let outcome = world
        .with(|cx| revise::supersede_memory(cx, a_speaker(), &[repo()], name, draft, how))
        .unwrap();
    assert!(
        matches!(&outcome, RememberOutcome::Refreshed { memory } if memory.fact == fact(4)),
        "{outcome:?}"
    );
}

#[test]
fn a_person_closes_it_and_what_was_before_is_forgiven() {
    let world = after(62);
    let closed = world
        .with(|cx| close_breakers(cx, a_person(), &repo(), Some("claude")))
        .unwrap();
    assert_eq!((closed.len(), closed[0].breaker), (1, Breaker::Burst));
    assert!(
        world
            .with(|cx| close_breakers(cx, a_person(), &repo(), Some("claude")))
            .unwrap()
            .is_empty()
    );
    world.advance(1);
    (100..160).for_each(|it| assert!(said(&world, it, agent("claude")).is_active(), "{it}"));
    assert!(
        held(&said(&world, 160, agent("claude"))),
        "a second burst is one again"
    );
    assert!(
        world
            .with(|cx| close_breakers(cx, a_person(), &repo(), Some("codex")))
            .unwrap()
            .is_empty()
    );
    assert!(
        !world
            .with(|cx| close_breakers(cx, a_person(), &repo(), None))
            .unwrap()
            .is_empty()
    );
    assert!(!is_open(&world));
}

#[test]
fn it_closes_by_itself_after_a_quiet_time_and_not_before() {
    let world = after(61);
    world.advance(59 * 60);
    assert!(is_open(&world));
    assert!(
        held(&said(&world, 61, agent("claude"))),
        "the quiet time begins anew"
    );
    world.advance(59 * 60);
    assert!(is_open(&world));
    world.advance(60);
    assert!(!is_open(&world));
    assert!(said(&world, 62, agent("claude")).is_active());
    assert!(world.words().contains(&"closed"), "the next write says so");
    assert!(said(&world, 63, agent("claude")).is_active());
}

#[test]
fn near_copies_are_noticed_and_versions_of_one_note_are_not() {
    let long =
        "the deploy is started by the release script of the platform team and by nothing else";
    let copy = |n: usize| format!("{long}, {}", fact(n).split(' ').next().unwrap());
    let world = World::verified();
    (0..12).for_each(|n| assert!(!held(&world.kept(rule(copy(n), agent("claude")))), "{n}"));
    assert!(held(&world.kept(rule(copy(12), agent("claude")))));
    let world = World::verified();
    let mut last = world.kept(rule(copy(0), agent("claude")));
    for n in 1..40 {
        let draft = Draft {
            on_duplicate: DuplicateChoice::Merge(MemoryName::Id(last.id)),
            ..rule(copy(n), agent("claude"))
        };
        last = world.kept(draft);
        assert!(last.is_active(), "{n}: {:?}", last.status);
    }
}

#[test]
fn tainted_copies_trip_it_too_and_keep_their_own_reason() {
    let tainted = || Voice {
        tainted: true,
        ..agent("claude")
    };
    let world = World::verified();
    for n in 0..13 {
        let fact = format!(
            "the deploy is started by the release script of the platform team and by nothing else {}",
            fact(n).split(' ').next().unwrap()
        );
        assert_eq!(
            world.kept(rule(fact, tainted())).status,
            Status::Pending {
                why: "the text comes from outside".into()
            }
        );
    }
    assert!(is_open(&world));
    assert!(held(&said(&world, 50, agent("claude"))));
}

#[test]
fn a_sudden_change_is_noticed_where_something_was_before() {
    let about = |n: usize, subject: &str| Draft {
        subject: Some(subject.into()),
        ..rule(fact(n), agent("claude"))
    };
    let world = World::verified();
    (0..30).for_each(|n| {
        assert!(
            world.kept(about(n, "billing")).is_active(),
            "in a new space all is new"
        )
    });
    let world = after(5);
    world.advance(2 * 3600);
    (10..24).for_each(|n| assert!(world.kept(about(n, "billing")).is_active(), "{n}"));
    assert!(held(&world.kept(about(24, "Billing"))));
    let world = World::verified();
    world.kept(about(0, "billing"));
    world.advance(2 * 3600);
    (10..40).for_each(|n| {
        assert!(
            world.kept(about(n, "billing")).is_active(),
            "the subject is known: {n}"
        )
    });
}

#[test]
fn a_sudden_loss_of_trust_is_noticed() {
    let tainted = || Voice {
        tainted: true,
        ..agent("claude")
    };
    let run = |former: usize| {
        let world = after(former);
        world.advance(2 * 3600);
        (100..114).for_each(|n| drop(said(&world, n, tainted())));
        assert!(!is_open(&world));
        said(&world, 114, tainted());
        is_open(&world)
    };
    assert!(run(10));
    assert!(!run(9), "too little was before");
}

/// Who speaks with this voice.
fn speaker_with_voice(voice: &Voice) -> Speaker {
    if voice.is_person() {
        return Speaker::at_terminal(&TerminalFacts {
            is_manned: true,
            ..TerminalFacts::default()
        });
    }
    Speaker::on_connection(ConnectionFacts {
        client: voice.author.clone(),
        session: voice.session.clone(),
        ..ConnectionFacts::default()
    })
}

fn wrong(world: &World, n: usize, by: &Voice) -> ReviseOutcome {
    let by = &speaker_with_voice(by);
    let name = format!("m-{n}").parse().unwrap();
    world
        .with(|cx| revise::invalidate_memory(cx, by, &[repo()], name, "it is wrong"))
        .unwrap()
}

#[test]
fn many_invalidations_are_refused_to_all_but_persons() {
    let world = after(50);
    (1..=20).for_each(|n| {
        assert!(
            matches!(wrong(&world, n, &agent("codex")), ReviseOutcome::Done(_)),
            "{n}"
        )
    });
    let ReviseOutcome::Refused(refusal @ Refusal::BreakerOpen { .. }) =
        wrong(&world, 21, &agent("codex"))
    else {
        panic!("the 21st is one too many")
    };
    assert!(
        refusal
            .to_string()
            .contains("21 memories found wrong in an hour"),
        "{refusal}"
    );
    assert!(world.look("m-21").is_active());
    assert!(matches!(
        wrong(&world, 22, &agent("codex")),
        ReviseOutcome::Refused(Refusal::BreakerOpen { .. })
    ));
    assert!(
        held(&said(&world, 90, agent("codex"))),
        "what they write waits too"
    );
    assert!(matches!(
        wrong(&world, 22, &agent("claude")),
        ReviseOutcome::Done(_)
    ));
    (23..=50).for_each(|n| {
        assert!(matches!(
            wrong(&world, n, &Voice::from_origin(Origin::User)),
            ReviseOutcome::Done(_)
        ))
    });
}

#[test]
fn a_small_share_of_much_is_no_matter() {
    let mut world = World::new(Policy {
        breakers: BreakerPolicy::OFF,
        ..Policy::default()
    });
    (0..400).for_each(|it| drop(said(&world, it, agent("claude"))));
    world.policy = Policy::default();
    let n_done = (1..=60)
        .take_while(|n| matches!(wrong(&world, *n, &agent("codex")), ReviseOutcome::Done(_)))
        .count();
    assert_eq!(n_done, 36, "a tenth of what is in use");
}

#[test]
fn what_is_switched_off_never_trips() {
    let world = World::new(Policy {
        breakers: BreakerPolicy::OFF,
        ..Policy::default()
    });
    (0..100).for_each(|it| assert!(said(&world, it, agent("claude")).is_active()));
    assert!(
        (1..=100).all(|n| matches!(wrong(&world, n, &agent("claude")), ReviseOutcome::Done(_)))
    );
}

/// What the decision alone says about so many memories, so many minutes ago.
fn decided(n: usize, minutes: i64, limits: &BreakerPolicy) -> Option<Breaker> {
    let world = World::new(Policy {
        breakers: BreakerPolicy::OFF,
        ..Policy::default()
    });
    let now: Timestamp = world.now();
    let memories: Vec<Memory> = (0..=n)
        .map(|it| said(&world, it, agent("claude")))
        .collect();
    let aged = |it: &Memory| Memory {
        recorded_at: now - SignedDuration::from_mins(minutes),
        ..it.clone()
    };
    let recent: Vec<Memory> = memories[..n].iter().map(aged).collect();
    let draft = Memory {
        recorded_at: now,
        ..memories[n].clone()
    };
    let doings = ActorWrites {
        recent: recent.iter().collect(),
        ..ActorWrites::default()
    };
    find_tripped_breaker(limits, 0.85, &draft, &doings).map(|it| it.0)
}

#[test]
fn the_decision_is_a_table() {
    let check = |n: usize, minutes: i64, limits: BreakerPolicy, expected: Option<Breaker>| {
        assert_eq!(
            decided(n, minutes, &limits),
            expected,
            "{n} memories, {minutes} minutes ago, {limits:?}"
        );
    };
    let usual = Policy::default().breakers;
    check(0, 0, usual, None);
    check(59, 0, usual, None);
    check(60, 0, usual, Some(Breaker::Burst));
    check(60, 10, usual, Some(Breaker::Burst));
    check(60, 11, usual, None);
    check(60, 0, BreakerPolicy { burst: 0, ..usual }, None);
    check(
        5,
        0,
        BreakerPolicy { burst: 5, ..usual },
        Some(Breaker::Burst),
    );
    check(
        5,
        29,
        BreakerPolicy {
            burst: 5,
            window_minutes: 30,
            ..usual
        },
        Some(Breaker::Burst),
    );
    check(60, 0, BreakerPolicy::OFF, None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Whatever agents do around them, what a person says is in use, and what they find wrong is wrong.
    #[test]
    fn a_person_is_never_stopped(deeds in prop::collection::vec((0..5_u8, 0..120_i64), 1..120)) {
        let policy = Policy {
            breakers: BreakerPolicy { burst: 3, window_minutes: 10, copies: 2, drift: 4, invalidations: 2, quiet_minutes: 30 },
            ..Policy::default()
        };
        let world = World::new(policy);
        for (n, (deed, seconds)) in deeds.iter().enumerate() {
            world.advance(*seconds);
            match deed {
                0 | 1 => drop(said(&world, n, agent("ana"))),
                2 => drop(said(&world, n, Voice { tainted: true, ..agent("ana") }.with_channel(Channel::Web))),
                3 => drop(wrong(&world, n / 2 + 1, &agent("ana"))),
                _ => {
                    let own = said(&world, n, voice("ana", Origin::User));
                    prop_assert_eq!(own.status.stage(), Stage::Active);
                    let name = MemoryName::Id(own.id);
                    let done = world.with(|cx| revise::invalidate_memory(cx, a_speaker(), &[repo()], name, "no")).unwrap();
                    prop_assert!(matches!(done, ReviseOutcome::Done(_)));
                }
            }
        }
    }

    /// What persons say is not counted against anybody.
    #[test]
    fn a_person_is_never_counted(n in 1..80_usize) {
        let world = World::verified();
        for at in 0..n {
            said(&world, at, voice("claude", Origin::User));
        }
        prop_assert!(said(&world, n, agent("claude")).is_active());
        prop_assert!(!is_open(&world));
    }
}

#[test]
fn a_name_that_somebody_gives_himself_names_nobody() {
    use apostille_core::breaker::name_write_actor;
    let said = |author: &str, session: Option<&str>| Voice {
        author: Some(author.into()),
        session: session.map(Into::into),
        ..Voice::from_origin(Origin::Agent).with_channel(Channel::Command)
    };
    assert_eq!(name_write_actor(&agent("claude")), "claude");
    assert_eq!(name_write_actor(&said("ana", Some("s1"))), "s1");
    assert_eq!(name_write_actor(&said("ana", None)), "unnamed");
    assert_eq!(
        name_write_actor(&said("ana", None).with_channel(Channel::Web)),
        "unnamed, from outside"
    );
}

#[test]
fn a_held_actor_lifts_nothing_by_stating_it_again() {
    let waits = "cart totals are rounded down to whole cents";
    let check = |by: Voice, is_lifted: bool| {
        let world = after(0);
        world.kept(rule(waits.into(), voice("gleaner", Origin::System)));
        (0..61).for_each(|it| drop(said(&world, it, agent("claude"))));
        assert!(!world.look("m-1").is_active());
        world
            .with(|cx| remember(cx, rule(waits.into(), by)))
            .unwrap();
        assert_eq!(world.look("m-1").is_active(), is_lifted);
    };
    check(agent("claude"), false);
    check(agent("codex"), true);
}
