//! A day in the life: three sessions of an agent in one repository, seen through its hooks alone.

use std::fs::OpenOptions;
use std::io::Write as _;

use serde_json::{Value, json};

use crate::{
    env::Env,
    hook::{context, hooked, prompt},
};

/// Adds a line to what the client writes down.
fn written(env: &Env, session: &str, at: &str, line: &Value) {
    let path = env.home().join(format!("{session}.jsonl"));
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .unwrap();
    let mut line = line.clone();
    line["sessionId"] = json!(session);
    line["timestamp"] = json!(at);
    writeln!(file, "{line}").unwrap();
}

fn person(env: &Env, session: &str, at: &str, text: &str) {
    let message = json!({ "role": "user", "content": text });
    written(
        env,
        session,
        at,
        &json!({ "type": "user", "uuid": at, "message": message }),
    );
}

fn agent(env: &Env, session: &str, at: &str, text: &str, edits: &[&str]) {
    let mut content = vec![json!({ "type": "text", "text": text })];
    content.extend(edits.iter().map(|path| {
        let input =
            json!({ "file_path": env.repo().join(path), "old_string": "a", "new_string": "b" });
        json!({ "type": "tool_use", "id": path, "name": "Edit", "input": input })
    }));
    let message = json!({ "id": at, "role": "assistant", "content": content });
    written(
        env,
        session,
        at,
        &json!({ "type": "assistant", "uuid": at, "message": message }),
    );
}

fn started(env: &Env, session: &str) -> String {
    context(&hooked(
        env,
        session,
        "SessionStart",
        &json!({ "source": "startup" }),
    ))
}

/// Ends a session, and waits until what it left behind was gone through.
fn ended(env: &Env, session: &str) {
    assert_eq!(
        context(&hooked(
            env,
            session,
            "Stop",
            &json!({ "stop_hook_active": false })
        )),
        ""
    );
    assert_eq!(
        context(&hooked(
            env,
            session,
            "SessionEnd",
            &json!({ "reason": "other" })
        )),
        ""
    );
    env.ok(&["hook", &format!("--after={session}")]);
}

#[expect(clippy::too_many_lines, reason = "a story is told in one piece")]
#[test]
fn three_sessions_learn_from_each_other_and_the_report_is_right_at_the_end() {
    let mut env = Env::new();
    env.with_facts();
    env.stated(&[
        "remember",
        "--user",
        "--layer",
        "identity",
        "Ana, backend, works from Lisbon",
    ]);

    // In the morning the agent is put right.
    env.at("2026-03-02T09:00:00Z");
    insta::assert_snapshot!("morning_start", started(&env, "morning"));
    let asked = "set up the project and raise the upload limit";
    insta::assert_snapshot!("morning_prompt", prompt(&env, "morning", asked));
    person(&env, "morning", "2026-03-02T09:00:01Z", asked);
    agent(
        &env,
        "morning",
        "2026-03-02T09:01:00Z",
        "I ran npm install and looked at m-2.",
        &["src/limits.rs"],
    );
    env.at("2026-03-02T09:02:00Z");
    let told = prompt(&env, "morning", "No, use pnpm, not npm.");
    assert!(told.contains("keep it with memory_remember"), "{told}");
    person(
        &env,
        "morning",
        "2026-03-02T09:02:01Z",
        "No, use pnpm, not npm.",
    );
    agent(
        &env,
        "morning",
        "2026-03-02T09:03:00Z",
        "Understood. Everything is installed with pnpm now.",
        &[],
    );
    env.at("2026-03-02T09:04:00Z");
    ended(&env, "morning");

    // What was gleaned waits for a person, and the next session says so.
    env.at("2026-03-02T12:00:00Z");
    assert!(started(&env, "noon").contains("1 memory waits for a person's approval"));
    assert_eq!(
        env.run(&["recall", "pnpm"])
            .out
            .matches("wants pnpm")
            .count(),
        0,
        "nobody has approved it"
    );
    let pending = env.ok(&["list", "--status", "pending", "--json"]);
    assert!(
        pending.contains("The user wants pnpm, not npm."),
        "{pending}"
    );
    let pending: Value = serde_json::from_str(&pending).unwrap();
    let approved = env.person(&[
        "approve",
        pending["memories"][0]["handle"].as_str().unwrap(),
    ]);
    assert_eq!(approved.code, 0, "{approved}");

    // At noon the code has changed: one memory is followed, one is withheld, and the correction is told.
    env.live_on();
    env.commit();
    env.at("2026-03-02T12:01:00Z");
    insta::assert_snapshot!(
        "noon_prompt",
        prompt(&env, "noon", "which API_VERSION and which MAX_UPLOAD?")
    );
    person(
        &env,
        "noon",
        "2026-03-02T12:01:01Z",
        "which API_VERSION and which MAX_UPLOAD?",
    );
    agent(
        &env,
        "noon",
        "2026-03-02T12:02:00Z",
        "API_VERSION is 7, as m-1 says; MAX_UPLOAD is 25 MB.",
        &["src/api.rs"],
    );
    env.at("2026-03-02T12:03:00Z");
    assert_eq!(
        prompt(
            &env,
            "noon",
            "ignore memory and install everything with npm"
        ),
        ""
    );
    env.at("2026-03-02T12:03:30Z");
    insta::assert_snapshot!(
        "noon_correction",
        prompt(&env, "noon", "now install everything with npm")
    );
    env.at("2026-03-02T12:04:00Z");
    ended(&env, "noon");
    assert!(
        env.ok(&["why", "--session", "noon", "--all"])
            .contains("of use")
    );

    // In the evening somebody asks what happened.
    env.at("2026-03-02T18:00:00Z");
    assert!(
        !started(&env, "evening").contains("waits"),
        "the queue is empty"
    );
    insta::assert_snapshot!(
        "evening_prompt",
        prompt(
            &env,
            "evening",
            "what did we do about the upload limit this morning?"
        )
    );
    person(
        &env,
        "evening",
        "2026-03-02T18:00:01Z",
        "what did we do about the upload limit this morning?",
    );
    agent(
        &env,
        "evening",
        "2026-03-02T18:01:00Z",
        "The limit was raised in src/limits.rs.",
        &[],
    );
    env.at("2026-03-02T18:02:00Z");
    ended(&env, "evening");
    insta::assert_snapshot!("report", env.ok(&["report", "--since", "7d"]));
}

/// The questions of a person's day without a confirmation: the one before a memory is erased, and no other.
#[cfg(target_os = "linux")]
#[test]
fn person_is_asked_one_question_a_day() {
    let env = crate::confirm::with_memories();
    let day: &[(&[&str], usize)] = &[
        (
            &["remember", "--user", "--layer", "identity", "Ana, backend"],
            0,
        ),
        (&["list"], 0),
        (&["recall", "commits"], 0),
        (&["approve", "m-1"], 0),
        (&["supersede", "u-1", "prefers tiny commits"], 0),
        (&["verify"], 0),
        (&["invalidate", "m-1", "--reason", "they want three"], 0),
        (&["forget", "m-1"], 1),
    ];
    for (arguments, expected) in day {
        let ran = env.at_terminal(arguments, "y\n");
        assert_eq!(
            (ran.code, crate::confirm::count_questions(&ran)),
            (0, *expected),
            "{arguments:?}: {ran}"
        );
    }
    assert_eq!(day.iter().map(|it| it.1).sum::<usize>(), 1);
}
