//! What waits for a person has a budget: five decisions a week, the rest waits, and nothing for ever.

use std::fs;

use serde_json::{Value, json};

use crate::{
    env::Env,
    hook::{context, hooked},
};

const FACTS: [&str; 8] = [
    "uploaded avatars are resized by a queue consumer",
    "invoices get their number when they are sent",
    "the webhook sender gives up after a day",
    "sign-in links are valid for one hour",
    "exports run on a machine of their own",
    "coupons are checked again at payment",
    "reports read from the replica",
    "tenants are deleted by the night job",
];

/// An agent's facts that wait, because their words come from outside.
fn propose(env: &Env, n: usize) {
    for fact in FACTS.iter().take(n) {
        env.ok(&["remember", "--tainted", "--cite", "src/api.rs:1-3", fact]);
    }
}

fn due(env: &Env, arguments: &[&str]) -> Vec<String> {
    let told: Value = serde_json::from_str(&env.ok(&[arguments, &["--json"]].concat())).unwrap();
    let due = told["due"].as_array().unwrap().iter();
    due.map(|it| it.as_str().unwrap().to_owned()).collect()
}

fn count_listed(text: &str) -> usize {
    FACTS.iter().filter(|it| text.contains(*it)).count()
}

fn start(env: &Env, session: &str) -> String {
    context(&hooked(
        env,
        session,
        "SessionStart",
        &json!({ "source": "startup" }),
    ))
}

#[test]
fn five_decisions_a_week_are_put_before_a_person() {
    let mut env = Env::new();
    propose(&env, 8);
    assert_eq!(due(&env, &["review"]).len(), 5);
    let listed = env.ok(&["review"]);
    assert_eq!(count_listed(&listed), 5, "{listed}");
    assert!(listed.contains("not shown: 3 for a later week"), "{listed}");
    let all = env.ok(&["review", "--all"]);
    assert_eq!(count_listed(&all), 8, "{all}");
    assert!(
        start(&env, "s1").contains("8 memories wait for a person's approval, 5 of them this week")
    );
    let first = due(&env, &["review"]);
    env.person(&[
        "review", "--reject", &first[0], &first[1], "--reason", "wrong",
    ]);
    env.person(&["review", "--accept", &first[2]]);
    assert_eq!(due(&env, &["review"]).len(), 2);
    let stats = env.ok(&["stats"]);
    assert!(
        stats.contains("5 waiting, 3 decided in the last 7 days"),
        "{stats}"
    );
    // The next week has room again.
    env.at("2026-03-09T12:00:00Z");
    assert_eq!(due(&env, &["review"]).len(), 5);
    env.set("APOSTILLE_QUEUE_PER_WEEK", "2");
    assert_eq!(due(&env, &["review"]).len(), 2);
    env.set("APOSTILLE_QUEUE_PER_WEEK", "0");
    assert_eq!(due(&env, &["review"]).len(), 5);
}

#[test]
fn week_without_room_is_not_announced() {
    let mut env = Env::new();
    propose(&env, 3);
    env.set("APOSTILLE_QUEUE_PER_WEEK", "1");
    env.person(&["review", "--accept", "m-1"]);
    assert!(!start(&env, "s1").contains("approval"));
    env.at("2026-03-09T12:00:00Z");
    assert!(
        start(&env, "s2").contains("2 memories wait for a person's approval, 1 of them this week")
    );
}

#[test]
fn what_nobody_decides_expires_and_stays_in_the_history() {
    let mut env = Env::new();
    propose(&env, 1);
    env.at("2026-04-15T12:00:00Z");
    assert_eq!(due(&env, &["review"]), Vec::<String>::new());
    assert!(env.ok(&["review"]).contains("1 that waited too long"));
    live(
        &mut env,
        "s9",
        &[
            ("user", "start", json!([])),
            ("assistant", "Done.", json!([])),
        ],
    );
    let shown = env.ok(&["show", "m-1"]);
    assert!(
        shown.contains("retired") && shown.contains("nobody decided within 30 days"),
        "{shown}"
    );
    assert!(env.ok(&["review"]).contains("nothing waits"));
}

/// A session of Claude Code that is over.
fn live(env: &mut Env, session: &str, turns: &[(&str, &str, Value)]) {
    let mut lines = String::new();
    let mut push = |role: &str, content: Value| {
        let n = lines.lines().count();
        let line = json!({
            "type": role, "uuid": format!("{session}-{n}"), "timestamp": format!("2026-04-15T10:00:{n:02}Z"), "sessionId": session,
            "message": { "id": format!("m{n}"), "role": role, "content": content },
        });
        lines.push_str(&format!("{line}\n"));
    };
    for (role, text, commands) in turns {
        let mut content = vec![json!({ "type": "text", "text": text })];
        let mut results = Vec::new();
        for (at, command) in commands.as_array().unwrap().iter().enumerate() {
            let command = command.as_str().unwrap();
            let (id, plain) = (format!("{text}-{at}"), command.trim_start_matches('!'));
            content.push(json!({
                "type": "tool_use", "id": id, "name": "Bash", "input": { "command": plain },
            }));
            results.push(json!({
                "type": "tool_result", "tool_use_id": id, "content": "x", "is_error": command.starts_with('!'),
            }));
        }
        push(role, json!(content));
        if !results.is_empty() {
            push("user", json!(results));
        }
    }
    fs::write(env.home().join(format!("{session}.jsonl")), lines).unwrap();
    for (role, text, _) in turns {
        if *role == "user" {
            crate::hook::prompt(env, session, text);
        }
    }
    hooked(env, session, "SessionEnd", &json!({ "reason": "other" }));
    env.ok(&["hook", &format!("--after={session}")]);
}

#[test]
fn session_leaves_a_statement_and_what_its_commands_showed() {
    let mut env = Env::new();
    env.with_facts();
    env.at("2026-04-15T12:00:00Z");
    live(
        &mut env,
        "s1",
        &[
            ("user", "run the tests", json!([])),
            (
                "assistant",
                "They pass now, on staging at port 5432.",
                json!(["!make test", "make deps", "make test"]),
            ),
            (
                "user",
                "no, the staging database is on port 5433, keep that in mind",
                json!([]),
            ),
            ("assistant", "Understood.", json!([])),
        ],
    );
    let queue: Value = serde_json::from_str(&env.ok(&["review", "--json"])).unwrap();
    let facts: Vec<&str> = queue["queue"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["memory"]["fact"].as_str().unwrap())
        .collect();
    assert_eq!(facts.len(), 2, "{queue}");
    assert!(
        facts.contains(&"The staging database is on port 5433."),
        "{queue}"
    );
    let lesson = "`make test` fails until `make deps` has run.";
    let at = facts.iter().position(|it| *it == lesson).unwrap();
    let shown = env.ok(&[
        "show",
        queue["queue"][at]["memory"]["handle"].as_str().unwrap(),
    ]);
    assert!(
        shown.contains("make test") && shown.contains("pending"),
        "{shown}"
    );
    let evidence = queue["queue"][at]["memory"]["evidence"].to_string();
    assert!(
        evidence.contains("make test") && evidence.contains("ran"),
        "{queue}"
    );
    // Nothing of it is active.
    assert_eq!(env.run(&["recall", "make deps"]).code, 1);
}
