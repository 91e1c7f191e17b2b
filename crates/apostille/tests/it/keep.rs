//! What a person states goes into memory while they say it: the prompt's hook says so in one line, and the agent keeps their words.

use std::fs::{self, OpenOptions};
use std::io::Write as _;

use serde_json::{Value, json};

use crate::{
    env::Env,
    hook::{context, hooked, prompt},
    mcp::{Era, Talk},
};

const KEEP: &str = "If the user just stated something lasting";
const LINT: &str = "that's wrong. in this repository the tests are run with make check";

/// A turn of the session as Claude Code writes it down.
fn write_turn(env: &Env, session: &str, role: &str, text: &str) {
    let path = env.home().join(format!("{session}.jsonl"));
    let n = fs::read_to_string(&path)
        .unwrap_or_default()
        .lines()
        .count();
    let line = json!({
        "type": role, "uuid": format!("u{n}"), "timestamp": format!("2026-03-01T10:00:{n:02}Z"), "sessionId": session,
        "message": { "id": format!("m{n}"), "role": role, "content": [{ "type": "text", "text": text }] },
    });
    let file = OpenOptions::new().create(true).append(true).open(path);
    writeln!(file.unwrap(), "{line}").unwrap();
}

/// The person says something: written down, and told to the hook.
fn say(env: &Env, session: &str, text: &str) -> String {
    write_turn(env, session, "user", text);
    let told = prompt(env, session, text);
    write_turn(env, session, "assistant", "Understood.");
    told
}

fn remember(env: &mut Env, session: &str, arguments: Value) -> Value {
    env.set("CLAUDE_CODE_SESSION_ID", session);
    let (kept, is_refused) = Talk::here(env, Era::Modern).call("memory_remember", arguments);
    assert!(!is_refused, "{kept}");
    kept
}

#[test]
fn correction_is_kept_with_the_users_words_and_holds_at_once() {
    let mut env = Env::new();
    env.with_facts();
    assert!(!say(&env, "s1", "run the tests").contains(KEEP));
    let told = say(&env, "s1", LINT);
    assert_eq!(told.matches(KEEP).count(), 1, "{told}");
    let fact = "In this repository the tests are run with make check.";
    let said = "in this repository the tests are run with make check";
    let kept = remember(&mut env, "s1", json!({ "fact": fact, "said": said }));
    assert_eq!(kept["ok"], true, "{kept}");
    assert!(kept.get("pending").is_none(), "{kept}");
    let shown = env.ok(&["recall", "how are the tests run", "--json"]);
    assert!(
        shown.contains(fact) && shown.contains("\"said\""),
        "{shown}"
    );
}

#[test]
fn preference_for_everywhere_is_the_users() {
    let mut env = Env::new();
    env.with_facts();
    say(&env, "s1", "add a test");
    let told = say(
        &env,
        "s1",
        "remember that I prefer small commits everywhere",
    );
    assert!(told.contains(KEEP), "{told}");
    let kept = remember(
        &mut env,
        "s1",
        json!({
            "fact": "The user prefers small commits everywhere.", "kind": "user",
            "said": "I prefer small commits everywhere",
        }),
    );
    assert!(kept.get("pending").is_none(), "{kept}");
    assert!(kept["id"].as_str().unwrap().starts_with("u-"), "{kept}");
}

#[test]
fn reminder_is_bounded_and_not_repeated() {
    let env = Env::new();
    env.with_facts();
    let told = say(&env, "s1", LINT);
    let line = told.lines().find(|it| it.starts_with(KEEP)).unwrap();
    assert!(line.chars().count() < 200, "{line}");
    assert!(!say(&env, "s1", LINT).contains(KEEP), "the same statement");
    assert!(say(&env, "s1", "From now on always run make lint").contains(KEEP));
}

#[test]
fn nothing_is_said_of_what_is_no_statement() {
    let env = Env::new();
    env.with_facts();
    say(&env, "s1", "add a test");
    for text in [
        "should we always run the linter before a commit?",
        "rename getUser to fetchUser in the whole package",
        "thanks, that looks good",
        "use port 8081 for now",
        "a reviewer wrote: \"We never use unwrap in this codebase\"",
        "I get this:\n```\nerror: from now on always run make deps\n```",
        "ignore memory: from now on always run make lint",
    ] {
        assert!(!say(&env, "s1", text).contains(KEEP), "{text}");
    }
}

#[test]
fn first_statement_is_heard_where_nothing_was_kept_yet() {
    let env = Env::new();
    assert_eq!(say(&env, "s1", "add a test"), "");
    let told = say(&env, "s1", LINT);
    assert_eq!(told.matches(KEEP).count(), 1, "{told}");
    assert_eq!(say(&env, "s1", LINT), "");
    assert_eq!(
        say(
            &env,
            "s1",
            "ignore memory: from now on always run make lint"
        ),
        ""
    );
}

#[test]
fn subagent_and_a_session_that_shows_nothing_are_not_reminded() {
    let mut env = Env::new();
    env.with_facts();
    let task = json!({ "prompt": LINT, "agent_id": "a1" });
    assert!(!context(&hooked(&env, "s1", "UserPromptSubmit", &task)).contains(KEEP));
    env.set("APOSTILLE_INJECT_MODE", "off");
    assert_eq!(say(&env, "s2", LINT), "");
}
