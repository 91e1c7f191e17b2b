//! Sessions, as a person reads them.

use apostille_agents::session::{AgentSession, Moment, NotedFile, SessionEntry};
use apostille_contract::sample_speaker;
use apostille_core::forget::forget;

use super::{
    beside::{Kept, asked, moment},
    *,
};

/// A session in which everything happened once.
fn told(world: &World) -> Kept {
    let start = SessionEntry {
        is_fresh: true,
        ..moment(world, "s-1", Moment::Start)
    };
    let (shown, _) = asked(world, "which API version is it?");
    let first = SessionEntry {
        shown,
        ..moment(world, "s-1", Moment::Prompt)
    };
    let used = first.shown[..1].to_vec();
    world
        .shelf
        .write("docs/api.md", "# API\n\nIt is another one.\n");
    let (_, withheld) = asked(world, "what do the docs say of the version?");
    let second = SessionEntry {
        withheld,
        ..moment(world, "s-1", Moment::Prompt)
    };
    let touch = SessionEntry {
        is_outside: true,
        noted: vec![NotedFile {
            path: "docs/api.md".parse().unwrap(),
            before: None,
        }],
        ..moment(world, "s-1", Moment::Touch)
    };
    let third = SessionEntry {
        is_ignored: true,
        ..moment(world, "s-1", Moment::Prompt)
    };
    let done = SessionEntry {
        shown: used,
        took: None,
        ..moment(world, "s-1", Moment::Done)
    };
    Kept {
        sessions: vec![AgentSession {
            entries: vec![start, first, second, touch, third, done],
        }],
        ..Kept::default()
    }
}

/// A world with a fact that holds, and one whose code will change.
fn small() -> World {
    let world = World::verified();
    world.kept(cited("API_VERSION is v3", &["src/api.rs:3"]));
    world.kept(cited(
        "The docs say that the version is v3",
        &["docs/api.md:3"],
    ));
    world
}

#[test]
fn sessions_are_listed_with_what_they_were_shown() {
    let world = small();
    let kept = told(&world);
    insta::assert_snapshot!(Person::of(&world).beside(&kept).reads("/sessions"), @r"
    Sessions
    What the hooks of your agents wrote down, the last first.
    claude-code
    s-1
    myorg/myapp just now 5 moments 1 withheld 1 of use words from outside
    2 shown
    ");
}

#[test]
fn a_session_is_told_turn_by_turn_with_why() {
    let world = small();
    let kept = told(&world);
    insta::assert_snapshot!(Person::of(&world).beside(&kept).reads("/sessions/s-1"), @"
    Session s-1
    ← All sessions
    Client: claude-code
    Repository: myorg/myapp
    Began: 5 seconds ago
    Last moment: just now
    In numbers: 3 turns, 2 shown, 1 withheld, 1 of use
    Hooks took: 2.5 ms in the middle, 2.5 ms at most
    From outside: words from outside What was learned after that waits for a person.
    Beginning
    start 5 seconds ago 2.5 ms
    Turn 1
    prompt 4 seconds ago 2.5 ms
    m-1 stands of use
    API_VERSION is v3
    Score 0.74
    relevance 0.74 (api, version)
    recency 1.00
    trust 1.00
    usefulness 1.00
    affinity 1.00
    clarity 1.76: 1 is about one word that none of 15 others has
    m-2 stands then, contradicted now
    The docs say that the version is v3
    Score 0.54
    relevance 0.54 (api, version)
    recency 1.00
    trust 1.00
    usefulness 1.00
    affinity 1.00
    clarity 1.10: 1 is about one word that none of 15 others has
    Turn 2
    prompt 3 seconds ago 2.5 ms
    m-2 withheld contradicted
    The docs say that the version is v3
    Score 2.86
    relevance 2.81 (docs, say, version)
    recency 1.00
    trust 1.02 (found to hold 1× 1.02)
    usefulness 1.00
    affinity 1.00
    clarity 3.80: 1 is about one word that none of 15 others has
    touch 2 seconds ago 2.5 ms words from outside
    edits docs/api.md
    Turn 3
    prompt 1 second ago 2.5 ms
    Nothing: you asked to leave memory out of it.
    ");
}

#[test]
fn what_was_forgotten_since_is_only_named() {
    let world = small();
    let kept = told(&world);
    world
        .with(|cx| {
            forget(
                cx,
                sample_speaker(),
                &[repo()],
                "m-1".parse().unwrap(),
                "for the test",
            )
        })
        .unwrap();
    let page = Person::of(&world).beside(&kept).sees("/sessions/s-1");
    assert!(
        text(main(&page)).contains("stands then; forgotten since"),
        "{}",
        text(main(&page))
    );
    assert!(!page.contains("API_VERSION is v3"));
    assert!(!page.contains("/memories/m-1"));
}

#[test]
fn a_pass_sees_no_session_of_a_space_that_it_does_not_reach() {
    let world = small();
    let kept = told(&world);
    let narrow = Person {
        spaces: Some(vec![user()]),
        ..Person::of(&world).beside(&kept)
    };
    assert!(
        narrow
            .reads("/sessions")
            .contains("No session was seen yet")
    );
    assert_eq!(
        narrow.asks(HttpMethod::Get, "/sessions/s-1", "").status,
        404
    );
}

#[test]
fn what_cannot_be_read_is_said_and_what_is_missing_leads_back() {
    let world = World::verified();
    let broken = Kept {
        is_broken: true,
        ..Kept::default()
    };
    assert!(
        Person::of(&world)
            .beside(&broken)
            .reads("/sessions")
            .contains("the disk hums")
    );
    assert!(
        Person::of(&world)
            .reads("/sessions")
            .contains("apostille init")
    );
    let reply = Person::of(&world).asks(HttpMethod::Get, "/sessions/nobody", "");
    assert_eq!(reply.status, 404);
    assert!(text(main(&reply.body)).contains("All sessions"));
}

#[test]
fn of_many_moments_the_last_are_told() {
    let world = small();
    let entries: Vec<SessionEntry> = (0..250)
        .map(|_| moment(&world, "s-9", Moment::Prompt))
        .collect();
    let kept = Kept {
        sessions: vec![AgentSession { entries }],
        ..Kept::default()
    };
    let page = Person::of(&world).beside(&kept).reads("/sessions/s-9");
    assert!(page.contains("50 earlier moments are not told here."));
    assert!(page.contains("Turn 250") && page.contains("Turn 51\n") && !page.contains("Turn 50\n"));
}
