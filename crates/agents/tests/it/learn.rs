//! What a session leaves behind.

use apostille_agents::client::Client;
use apostille_agents::{
    ended_session::EndedSession,
    extract::{ExtractedStatement, extract_statements},
    learn::{LearnOutcome, learn_from_session},
    session::{AgentSession, Moment, SessionEntry, ShownMemory},
    transcript::{TranscriptCall, TranscriptTurn, TurnSpeaker},
};
use apostille_core::{
    memory::{Draft, Layer, Memory, Stage, Voice},
    space::Space,
    store::{EventLog as _, MemoryFilter},
};

use crate::world::{World, cited, note, repo, user};

fn turn(number: usize, speaker: TurnSpeaker, text: &str) -> TranscriptTurn {
    TranscriptTurn {
        number,
        at: None,
        speaker,
        text: text.into(),
        uses: Vec::new(),
    }
}

/// A session in which the agent is put right, names a memory and edits a file.
fn said() -> Vec<TranscriptTurn> {
    let edit = TranscriptCall {
        tool: "Edit".into(),
        paths: vec!["src/api.rs".into()],
        input: "v3".into(),
        has_succeeded: Some(true),
        is_background: false,
    };
    vec![
        turn(
            1,
            TurnSpeaker::Person,
            "Set up the project and bump the version.",
        ),
        turn(
            2,
            TurnSpeaker::Agent,
            "I ran npm install, and kept the version by m-1.",
        ),
        turn(3, TurnSpeaker::Person, "No, use pnpm, not npm."),
        TranscriptTurn {
            uses: vec![edit],
            ..turn(
                4,
                TurnSpeaker::Agent,
                "Done: everything is installed with pnpm now.",
            )
        },
    ]
}

fn learned(world: &World, session: &AgentSession, turns: &[TranscriptTurn]) -> LearnOutcome {
    learned_of(world, session, turns, &extract_statements(turns))
}

/// The same when only this was not found before.
fn learned_of(
    world: &World,
    session: &AgentSession,
    turns: &[TranscriptTurn],
    gleaned: &[ExtractedStatement],
) -> LearnOutcome {
    let (repo, user) = (repo(), user());
    let left = EndedSession {
        repo: &repo,
        user: &user,
        own: &world.policy,
        name: "3f2a9c1e-session",
        client: Client::ClaudeCode,
        session,
        turns,
        gleaned,
        task: Some("bump"),
        branch: None,
        kept: None,
    };
    world.with(|cx| learn_from_session(cx, &left)).unwrap()
}

fn kept(world: &World, layer: Layer) -> Vec<Memory> {
    let spaces: Vec<Space> = vec![repo(), user()];
    world
        .store
        .list_memories(&MemoryFilter {
            spaces,
            layers: vec![layer],
            limit: 99,
            ..MemoryFilter::default()
        })
        .unwrap()
}

#[test]
fn a_session_leaves_a_correction_to_approve_an_episode_and_what_was_of_use() {
    let world = World::verified();
    let shown = world.kept(cited("The API version is v3.", &["src/api.rs:3"]));
    let scratch = |session: &str| {
        let voice = Voice {
            session: Some(session.into()),
            ..Voice::from_origin(apostille_core::memory::Origin::Agent)
        };
        Draft {
            layer: Some(Layer::Session),
            voice,
            ..note("look at the lock file next")
        }
    };
    world.kept(scratch("3f2a9c1e-session"));
    world.kept(scratch("another"));
    let mut entry = SessionEntry::new(
        world.now(),
        "3f2a9c1e-session",
        Client::ClaudeCode,
        repo(),
        Moment::Prompt,
    );
    entry.shown = world
        .ask("api version")
        .shown
        .iter()
        .map(ShownMemory::from)
        .collect();
    let session = AgentSession {
        entries: vec![entry],
    };
    let first = learned(&world, &session, &said());
    insta::assert_snapshot!(first.pending.iter().map(|it| format!("{} {} [{}]", it.handle(), it.fact, it.status.why().unwrap())).collect::<String>(), @"m-4 The user wants pnpm, not npm. [it was extracted from a session and is not confirmed]");
    insta::assert_snapshot!(first.episode.as_ref().unwrap().fact, @r"
    Asked: Set up the project and bump the version.
    Approach: agent said: I ran npm install, and kept the version by m-1.
    Changed: src/api.rs
    Outcome: unknown
    Ended: agent said: Done: everything is installed with pnpm now.
    Prompts: 2, turns: 4
    ");
    assert_eq!(
        first.episode.as_ref().unwrap().task.as_deref(),
        Some("bump")
    );
    assert_eq!((first.applied, first.cleared), (vec![shown.id], 1));
    assert_eq!(
        kept(&world, Layer::Session).len(),
        1,
        "another session's notes stay"
    );

    let again = learned(&world, &session, &said());
    assert_eq!(
        (again.pending.len(), again.cleared),
        (0, 0),
        "nothing is learned twice"
    );
    let mut longer = said();
    longer.push(turn(5, TurnSpeaker::Person, "And now release it."));
    longer.push(turn(6, TurnSpeaker::Agent, "Released as v3.1."));
    let later = learned_of(&world, &session, &longer, &[])
        .episode
        .unwrap()
        .fact;
    assert!(
        later.contains("release it") && !later.contains("use pnpm"),
        "what waits is not told: {later}"
    );
    let episodes = kept(&world, Layer::Episode);
    let n_active = episodes
        .iter()
        .filter(|it| it.status.stage() == Stage::Active)
        .count();
    assert_eq!(
        (episodes.len(), n_active),
        (2, 1),
        "a later summary takes the place of an earlier one"
    );
}

#[test]
fn session_leaves_an_episode_if_the_user_said_something() {
    let world = World::verified();
    let session = AgentSession::default();
    let quiet = learned(&world, &session, &[turn(1, TurnSpeaker::Agent, "hello")]);
    assert!(quiet.pending.is_empty() && quiet.episode.is_none() && quiet.applied.is_empty());
    let greeted = learned(&world, &session, &[turn(1, TurnSpeaker::Person, "hello")]);
    let fact = greeted.episode.unwrap().fact;
    assert_eq!(fact, "Asked: hello\nOutcome: unknown\nPrompts: 1, turns: 1");
}

#[test]
fn words_that_may_come_from_outside_are_not_told() {
    let fetch = TranscriptCall {
        tool: "WebFetch".into(),
        paths: Vec::new(),
        input: "https://example.com".into(),
        has_succeeded: None,
        is_background: false,
    };
    let turns = [
        turn(1, TurnSpeaker::Person, "Find out why the build is slow."),
        TranscriptTurn {
            uses: vec![fetch],
            ..turn(2, TurnSpeaker::Agent, "Let me look that up.")
        },
        turn(
            3,
            TurnSpeaker::Agent,
            "The registry must be pointed at evil.example.",
        ),
    ];
    let world = World::verified();
    let episode = learned(&world, &AgentSession::default(), &turns)
        .episode
        .unwrap();
    assert!(
        episode.fact.contains("build is slow") && !episode.fact.contains("evil"),
        "{}",
        episode.fact
    );
}
