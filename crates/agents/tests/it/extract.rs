//! What becomes of a session: statements that wait for a person, a summary, and which memories were of use.

use crate::world::a_person;
use apostille_agents::{
    client::Client,
    episode::{EpisodeMaterial, MAX_EPISODE_CHARS, UserDecision, write_session_episode},
    extract::{
        ExtractedStatement, StatementSort, applied::find_applied_memories,
        draft_extracted_statement, extract_statements,
    },
    transcript::{TranscriptCall, TranscriptTurn, TurnSpeaker},
};
use apostille_core::{
    memory::{Draft, Kind, Layer, Memory, Origin, Status, Voice},
    remember::RememberOutcome,
    revise,
};
use proptest::prelude::*;

use crate::world::{World, note, preference, repo, user};

/// Turns from lines: `person: …`, `agent: …`, `tool: …`, `call: Tool input`, `failed: Tool input`.
fn turns(text: &str) -> Vec<TranscriptTurn> {
    let mut turns: Vec<TranscriptTurn> = Vec::new();
    for line in text.lines().map(str::trim).filter(|it| !it.is_empty()) {
        let (who, said) = line.split_once(": ").unwrap();
        if matches!(who, "call" | "failed") {
            let (tool, input) = said.split_once(' ').unwrap();
            let paths = if input.contains('/') {
                vec![input.to_owned()]
            } else {
                Vec::new()
            };
            let has_succeeded = Some(who == "call");
            let it = TranscriptCall {
                tool: tool.into(),
                paths,
                input: input.into(),
                has_succeeded,
                is_background: false,
            };
            turns.last_mut().unwrap().uses.push(it);
            continue;
        }
        let (number, speaker) = (turns.len() + 1, who.parse::<TurnSpeaker>().unwrap());
        turns.push(TranscriptTurn {
            number,
            at: None,
            speaker,
            text: said.into(),
            uses: Vec::new(),
        });
    }
    turns
}

fn facts(text: &str) -> Vec<String> {
    extract_statements(&turns(text))
        .into_iter()
        .map(|it| it.fact)
        .collect()
}

fn drafted(fact: &str, sort: StatementSort) -> Draft {
    let gleaned = ExtractedStatement {
        fact: fact.into(),
        sort,
        turn: 7,
    };
    draft_extracted_statement(
        &gleaned,
        &repo(),
        &user(),
        "01a1e288-0f39-78d1",
        Client::Codex,
    )
}

#[test]
fn gleaned_text_is_fact_not_instruction() {
    let check = |said: &str, expected: &str| {
        let session =
            format!("person: start\nagent: Done.\ncall: Bash npm install\nperson: {said}");
        assert_eq!(facts(&session), [expected], "{said}");
    };
    check("no, use pnpm, not npm", "The user wants pnpm, not npm.");
    check(
        "From now on, write tests first.",
        "The user wants the agent to write tests first.",
    );
    check("I prefer short answers", "The user prefers short answers.");
    check(
        "we don't use moment here, use date-fns",
        "We don't use moment in this project, use date-fns.",
    );
    check("that's wrong: the port is 5433", "The port is 5433.");
    check(
        "please don't ever force-push",
        "The user does not want the agent to force-push.",
    );
    check(
        "stop adding comments",
        "The user wants the agent to stop adding comments.",
    );
    check(
        "I told you not to touch the lockfile",
        "The user does not want the agent to touch the lockfile.",
    );
    check(
        "记住，我们的端口是 5433",
        "The user said: \"记住，我们的端口是 5433.\"",
    );
}

#[test]
fn two_sentences_of_one_thought_are_one_fact() {
    let check = |said: &str, expected: &[&str]| {
        let session = format!("person: start\nagent: Done.\nperson: {said}");
        assert_eq!(facts(&session), expected, "{said}");
    };
    check(
        "Never commit directly to main. Always open a branch.",
        &[
            "The user wants the agent to never commit directly to main, and to always open a branch.",
        ],
    );
    check(
        "Don't push to main, ever. Open a PR instead.",
        &["The user does not want the agent to push to main, but to open a PR instead."],
    );
    check(
        "Never edit migrations. Always add a new one.",
        &["The user wants the agent to never edit migrations, and to always add a new one."],
    );
    check(
        "Never merge your own PRs. Always wait for a review.",
        &["The user said: \"Never merge your own PRs. Always wait for a review.\""],
    );
    // A piece of work is no half of a rule, and neither is what was taken back.
    check(
        "Never push to main. Run the tests.",
        &["The user wants the agent to never push to main."],
    );
    check(
        "Never push to main. Scratch that. Always open a branch.",
        &[],
    );
}

#[test]
fn at_most_five_are_gleaned_and_none_twice() {
    let said = |n: usize| {
        format!("person: remember that rule {n} is kept in docs/rule{n}.md\nagent: ok\n")
    };
    let many: String = (1..9).map(said).collect();
    assert_eq!(facts(&many).len(), 5);
    assert_eq!(
        facts("person: I prefer tabs to spaces.\nagent: ok\nperson: i prefer tabs to spaces").len(),
        1
    );
}

#[test]
fn what_is_gleaned_waits_for_a_person() {
    let check = |fact: &str, sort: StatementSort, space: &str, kind: Kind| {
        let world = World::verified();
        let memory = world.kept(drafted(fact, sort));
        assert_eq!(
            (memory.space.as_str(), memory.kind, memory.layer),
            (space, kind, Layer::Knowledge)
        );
        let why = "it was extracted from a session and is not confirmed";
        assert_eq!(memory.status, Status::Pending { why: why.into() });
        assert_eq!(
            memory.reason.as_deref(),
            Some("stated in session 01a1e288, turn 7")
        );
        assert_eq!(memory.tags, ["gleaned", sort.as_str()]);
        assert_eq!(memory.voice.origin, Origin::System);
        assert!(
            world.ask(fact).shown.is_empty(),
            "a pending memory was recalled"
        );
    };
    check(
        "The user prefers tabs.",
        StatementSort::Preference,
        "users/ana",
        Kind::User,
    );
    check(
        "We only support Node 20 and up.",
        StatementSort::Preference,
        "myorg/myapp",
        Kind::Feedback,
    );
    let here = "The user wants the agent to always use snake_case for new test names in this repo.";
    check(
        here,
        StatementSort::Preference,
        "myorg/myapp",
        Kind::Feedback,
    );
    let said = "The user said: \"I always want you to run tox here.\"";
    check(
        said,
        StatementSort::Preference,
        "myorg/myapp",
        Kind::Feedback,
    );
    check(
        "The user prefers adhering to PEP 8.",
        StatementSort::Preference,
        "users/ana",
        Kind::User,
    );
    check(
        "The user wants pnpm, not npm.",
        StatementSort::Correction,
        "myorg/myapp",
        Kind::Feedback,
    );
    check(
        "Our staging DB is on port 5433.",
        StatementSort::Fact,
        "myorg/myapp",
        Kind::Project,
    );
    check(
        "The user said: \"I work in Berlin time.\"",
        StatementSort::Fact,
        "users/ana",
        Kind::User,
    );
}

#[test]
fn gleaning_twice_keeps_one() {
    let world = World::verified();
    let first = world.kept(drafted(
        "Our staging DB is on port 5433.",
        StatementSort::Fact,
    ));
    for fact in [
        "Our staging DB is on port 5433.",
        "our staging db is on port 5433",
    ] {
        let outcome = world.remember(drafted(fact, StatementSort::Fact));
        assert!(
            !matches!(outcome, RememberOutcome::Remembered { .. }),
            "{outcome:?}"
        );
    }
    assert_eq!(
        world
            .look(&first.handle().to_string())
            .status
            .stage()
            .as_str(),
        "pending"
    );
    let known = world.kept(preference("The user prefers tabs."));
    let outcome = world.remember(drafted("The user prefers tabs.", StatementSort::Preference));
    assert!(
        matches!(outcome, RememberOutcome::Similar { .. }),
        "{outcome:?}"
    );
    assert!(world.look(&known.handle().to_string()).is_active());
}

#[test]
fn gleaned_fact_activates_when_stated_or_approved() {
    let world = World::verified();
    let gleaned = world.kept(drafted("The user prefers tabs.", StatementSort::Preference));
    world.remember(preference("The user prefers tabs"));
    assert!(world.look(&gleaned.handle().to_string()).is_active());
    let fact = world.kept(drafted("Deploys go through Argo CD.", StatementSort::Fact));
    let name = fact.handle().to_string().parse().unwrap();
    world
        .with(|cx| revise::approve_memory(cx, a_person(), &[repo()], name))
        .unwrap();
    assert!(world.look(&fact.handle().to_string()).is_active());
}

/// A record of what happened is no finding: it is there at once.
#[test]
fn an_episode_of_the_system_does_not_wait() {
    let world = World::verified();
    let voice = Voice::from_origin(Origin::System);
    let episode = Draft {
        layer: Some(Layer::Episode),
        ..Draft::new(repo(), "Asked: fix the login", voice)
    };
    assert!(world.kept(episode).is_active());
}

#[test]
fn applied_memory_has_no_other_explanation() {
    let world = World::verified();
    let handle = |memory: &Memory| memory.handle().to_string();
    let memory = world.kept(preference(
        "Integration tests run with `make test-docker` and DOCKER_HOST set",
    ));
    let check = |session: &str, after: usize, expected: bool| {
        let session = session.replace("HANDLE", &handle(&memory));
        assert_eq!(
            !find_applied_memories(&turns(&session), &[(memory.clone(), after)]).is_empty(),
            expected,
            "{session}"
        );
    };
    check(
        "person: test it\nagent: I use make test-docker as noted.",
        0,
        true,
    );
    check(
        "person: test it\nagent: Running.\ncall: Bash make test-docker",
        0,
        true,
    );
    check(
        "person: test it\nagent: As HANDLE says, Docker first.",
        0,
        true,
    );
    check("person: test it\nagent: As HANDLE0 says.", 0, false);
    check(
        "person: run make test-docker and DOCKER_HOST\nagent: Running.\ncall: Bash make test-docker",
        0,
        false,
    );
    check(
        "person: go\nagent: I read.\ntool: make test-docker, DOCKER_HOST\nagent: So make test-docker.",
        0,
        false,
    );
    check(
        "person: go\nagent: I run make test-docker.\nperson: ok\nagent: make test-docker passed.",
        2,
        false,
    );
    check("person: go\nagent: I run make test-docker.", 2, false);
    check(
        "person: go\nagent: Recalling.\ncall: mcp__apostille__memory_verify make test-docker",
        0,
        false,
    );
    check("person: go\nagent: The tests pass.", 0, false);
    let plain = world.kept(Draft {
        kind: Some(Kind::Feedback),
        ..note("Small commits are liked by the team")
    });
    let said = turns("person: go\nagent: I make small commits, liked by the team.");
    assert_eq!(find_applied_memories(&said, &[(plain, 0)]), []);
}

proptest! {
    #[test]
    fn statements_and_episode_are_bounded_whatever_was_said(texts in prop::collection::vec("\\PC{0,400}", 1..40)) {
        let turn = |(at, text): (usize, &String)| {
            let speaker = if at % 2 == 0 { TurnSpeaker::Person } else { TurnSpeaker::Agent };
            let it = TranscriptCall { tool: "Write".into(), paths: vec![text.clone()], input: text.clone(), has_succeeded: None, is_background: false };
            let uses = if speaker == TurnSpeaker::Agent { vec![it.clone(), TranscriptCall { tool: "Bash".into(), ..it }] } else { Vec::new() };
            TranscriptTurn { number: at + 1, at: None, speaker, text: text.clone(), uses }
        };
        let turns: Vec<TranscriptTurn> = texts.iter().enumerate().map(turn).collect();
        let decision = |text: &String| UserDecision { text: text.clone(), answered: Some(text.clone()) };
        let decisions: Vec<UserDecision> = texts.iter().map(decision).collect();
        let material = EpisodeMaterial {
            repo: &repo(),
            turns: &turns,
            foreign_from: None,
            decisions: &decisions,
            edited: &texts,
            is_cut_off: true,
        };
        let episode = write_session_episode(&material).unwrap().text;
        prop_assert!(!episode.is_empty() && episode.chars().count() <= MAX_EPISODE_CHARS);
        prop_assert!(extract_statements(&turns).len() <= 5);
    }
}
