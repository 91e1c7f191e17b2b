//! Recall and list narrowed by what memories are: tags, projects, kinds, files, times and addresses.

use serde_json::{Value, json};

use crate::{
    env::{Env, Ran},
    mcp::{Era, Talk},
};

/// The handles of a JSON answer, in its order.
fn handles(ran: &Ran, field: &str) -> String {
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    let memories = answer[field].as_array().unwrap_or_else(|| panic!("{ran}"));
    let handle = |it: &Value| {
        let memory = it.get("memory").unwrap_or(it);
        memory["handle"].as_str().unwrap_or("?").to_owned()
    };
    let mut handles: Vec<String> = memories.iter().map(handle).collect();
    handles.sort();
    handles.join(" ")
}

/// Three facts, one of a project, and two notes of a task.
fn furnished() -> Env {
    let mut env = Env::new();
    env.at("2026-02-01T12:00:00Z").with_facts();
    env.ok(&[
        "remember",
        "--project",
        "Billing",
        "--tag",
        "limits",
        "--cite",
        "src/limits.rs:1",
        "a MB is 1024 * 1024 bytes",
    ]);
    env.at("2026-03-01T12:00:00Z");
    env.ok(&["task", "start", "Raise the limits"]);
    env.ok(&["task", "note", "the old upload limit came from the proxy"]);
    env
}

#[test]
fn recall_takes_filters() {
    let env = furnished();
    let check = |flags: &[&str], expected: &str| {
        let ran = env.run(&[&["recall", "--json", "limits MB upload"], flags].concat());
        assert_eq!(handles(&ran, "memories"), expected, "{flags:?}");
    };
    check(&[], "m-2 m-3");
    check(&["--tag", "limits"], "m-2 m-3");
    check(&["--tag", "limits", "--project", "billing"], "m-3");
    check(&["--kind", "feedback"], "");
    check(&["--citing", "src"], "m-2 m-3");
    check(&["--since", "7d"], "");
    check(&["--until", "2026-02-02"], "m-2 m-3");
    check(&["--address", "/acme/app/knowledge/"], "m-2 m-3");
    check(&["--address", "/git.example.com/acme/app/episodes"], "m-4");
    check(
        &["--address", "/acme/app/episodes/raise-the-limits/"],
        "m-4",
    );
}

#[test]
fn list_takes_projects_and_addresses() {
    let env = furnished();
    let check = |flags: &[&str], expected: &str| {
        let ran = env.run(&[&["list", "--json"], flags].concat());
        assert_eq!(handles(&ran, "memories"), expected, "{flags:?}");
    };
    check(&["--project", "billing"], "m-3");
    check(&["--tag", "project:billing"], "m-3");
    check(&["--address", "/acme/app/"], "m-1 m-2 m-3 m-4");
    check(&["--address", "/acme/app/episodes/"], "m-4");
    check(&["--address", "/acme/app/review-rules/"], "");
    check(
        &["--address", "/acme/app/knowledge/", "--tag", "limits"],
        "m-2 m-3",
    );
    check(&["--all-spaces", "--address", "/acme/app/episodes/"], "m-4");
}

#[test]
fn bad_address_is_told() {
    let env = furnished();
    for verb in [&["recall", "limits"][..], &["list"]] {
        let told = |address: &str| {
            let ran = env.run(&[verb, &["--address", address]].concat());
            (ran.code, ran.err)
        };
        let (code, err) = told("knowledge");
        assert_eq!(code, 2);
        assert!(
            err.contains("is not an address: it names no space"),
            "{err}"
        );
        // The same whether or not there is such a space.
        for other in ["/acme/other/", "users/eve/knowledge/"] {
            let (code, err) = told(other);
            assert_eq!(code, 2);
            assert!(
                err.contains(&format!(
                    "{other} is not in a space that is asked here (acme/app, "
                )),
                "{err}"
            );
            assert!(err.contains("--repo"), "{err}");
        }
    }
    let ran = env.run(&["remember", "--project", "two words", "x is y"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("is not a project's name"), "{ran}");
}

#[test]
fn recall_tells_of_episodes_that_match() {
    let env = Env::new();
    env.with_facts();
    let fact = "Fixed the upload race with a lock file";
    env.ok(&["remember", "--layer", "episode", fact]);
    let told = "1 episode matches; see it with --episodes";
    let check = |arguments: &[&str], expected: bool| {
        let ran = env.run(arguments);
        assert_eq!(ran.err.contains(told), expected, "{arguments:?}: {ran}");
    };
    check(&["recall", "upload race"], true);
    check(&["recall", "--episodes", "upload race"], false);
    check(&["recall", "API_VERSION"], false);
    let json = env.run(&["recall", "--json", "upload race"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["episodes"], 1, "{json}");
}

#[test]
fn recall_of_nothing_known_exits_1_and_recent_shows_the_last() {
    let env = Env::new();
    env.with_facts();
    let ran = env.run(&["recall", "zebra quantum"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{ran}");
    for asked in [
        &["recall", "--recent"][..],
        &["recall", "zebra", "--recent"],
    ] {
        let recent = env.ok(asked);
        assert!(recent.contains("prefers small commits"), "{recent}");
    }
}

/// Whoever sets a budget learns that it is to blame.
#[test]
fn recall_says_that_what_matches_does_not_fit() {
    let env = Env::new();
    env.with_facts();
    let ran = env.run(&["recall", "--tokens", "5", "upload limit"]);
    let told = "1 memory matches, and is longer than the budget allows; raise --tokens or --chars to see more\n";
    assert_eq!((ran.code, &*ran.out, &*ran.err), (1, "", told));
    let ran = env.run(&["recall", "--chars", "5", "upload limit", "--json"]);
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&json["unfit"], ran.code), (&json!(1), 1), "{ran}");
    let mut talk = Talk::here(&env, Era::Modern);
    for asked in ["query", "task"] {
        let (answer, _) = talk.call("memory_recall", json!({asked: "upload limit", "tokens": 5}));
        let next = "1 memory matches, and is longer than the budget allows: ask again with more tokens, or without";
        assert_eq!(answer, json!({"memories": [], "next": next}), "{asked}");
    }
}
