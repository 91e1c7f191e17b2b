//! What was said in past conversations, through the program: found with filters, and kept as a memory in one step.

use serde_json::{Value, json};

use crate::{
    archive::{holds_bytes, live, live_decision},
    env::Env,
    mcp::{Era, Talk},
    socket::{Browser, Server},
};

const DECISION: &str = "The retrier makes at most 7 attempts.";

/// A conversation in which the user decided, and one in which the agent read a page before.
fn live_two(env: &mut Env) {
    let turns = [
        "The upstream rate limiter blocks our retrier with 429s",
        "I lower the attempts to 5. Is that fine?",
        DECISION,
        "Done.",
    ];
    live(env, "s1", "2026-03-02", &turns);
    env.at("2026-03-05T10:00:00Z");
}

#[test]
fn person_promotes_what_they_said() {
    let mut env = Env::new();
    live_two(&mut env);
    let out = env.person(&["promote", "c-1.3"]).out;
    assert!(
        out.starts_with("promoted m-2\n  The retrier makes at most 7 attempts.\n"),
        "{out}"
    );
    // The day on which it was said, not the one on which it was kept.
    let told = env.ok(&["recall", "how many attempts does the retrier make"]);
    assert!(told.contains("said by the user, 2026-03-02"), "{told}");
    let again = env.person(&["promote", "c-1.3"]);
    assert!(
        again.out.starts_with("known already; refreshed m-"),
        "{again}"
    );
    let own = [
        "promote",
        "c-1.3",
        "--fact",
        "prefers few attempts",
        "--user",
    ];
    assert!(env.person(&own).out.contains("users/"));
    let check = |arguments: &[&str], expected: &str| {
        let ran = env.person(arguments);
        assert_ne!(ran.code, 0, "{ran}");
        assert!(ran.err.contains(expected), "{ran}");
    };
    check(&["promote", "c-1.2"], "c-1.2 is what the agent said");
    check(&["promote", "c-1"], "c-1 is a whole conversation");
    check(
        &["promote", "c-9.1"],
        "nothing that was said in this repository is called c-9.1",
    );
    check(&["promote", "m-1", "--user"], "--user is for what you said");
    // What was kept for itself is named when the conversation goes.
    let told = env.person(&["forget", "c-1", "--yes"]).out;
    assert!(told.contains("still quoted by m-"), "{told}");
}

#[test]
fn long_passage_is_promoted_in_a_sentence() {
    let mut env = Env::new();
    let long = "It fails. It fails at night. It fails in the retrier. It fails again. Look at it.";
    live(&mut env, "s0", "2026-03-01", &[long, "Done."]);
    live_decision(&mut env);
    let ran = env.person(&["promote", "c-1.1"]);
    assert_eq!(ran.code, 3, "{ran}");
    assert!(
        ran.err
            .contains("say what is to be remembered of it: --fact"),
        "{ran}"
    );
    let fact = "the retrier makes at most 7 attempts";
    let out = env.person(&["promote", "c-2.5", "--fact", fact]).out;
    assert!(out.starts_with("promoted m-"), "{out}");
    let shown = env.ok(&["show", "m-2"]);
    assert!(shown.contains("“Right, leave it at 7.”"), "{shown}");
}

#[test]
fn agent_remembers_what_the_user_said_in_a_past_conversation() {
    let mut env = Env::new();
    live_two(&mut env);
    let mut talk = Talk::here(&env, Era::Modern);
    let (said, _) = talk.call(
        "memory_recall",
        json!({"query": "attempts of the retrier", "layer": "archive", "branch": "main"}),
    );
    let passage = said["conversations"][0]["passages"].as_array().unwrap();
    let handle = passage.last().unwrap()["handle"].clone();
    assert_eq!(handle, "c-1.3");
    let fact = "The retrier makes at most 7 attempts";
    let keep = |said: &str| json!({"fact": fact, "said": said, "kind": "project"});
    let (kept, _) = talk.call("memory_remember", keep("c-1.3"));
    assert_eq!(
        (&kept["ok"], &kept["pending"]),
        (&true.into(), &Value::Null),
        "{kept}"
    );
    let (recalled, _) = talk.call("memory_recall", json!({"query": "attempts of the retrier"}));
    let note = recalled["memories"][0]["note"].as_str().unwrap();
    assert_eq!(note, format!("said by the user, 2026-03-02: “{DECISION}”"));
    let (refused, _) = talk.call("memory_remember", keep("c-1.2"));
    assert_eq!(refused["class"], "not_said", "{refused}");
    let (refused, _) = talk.call("memory_remember", keep("c-1.3: at most 70 attempts"));
    assert_eq!(refused["class"], "not_said", "{refused}");
    for (field, value) in [
        ("branch", "other"),
        ("task", "other"),
        ("since", "2026-03-03"),
        ("path", "src/x.rs"),
    ] {
        let query = json!({"query": "attempts", "layer": "archive", field: value});
        let (said, _) = talk.call("memory_recall", query);
        assert_eq!(said["conversations"], json!([]), "{field}");
    }
}

#[test]
fn archive_that_is_off_is_said_to_be_off() {
    let mut env = Env::new();
    env.set("APOSTILLE_ARCHIVE", "off");
    let mut talk = Talk::here(&env, Era::Modern);
    let (told, _) = talk.call("memory_recall", json!({"query": "x", "layer": "archive"}));
    assert_eq!(told["class"], "archive_off");
    assert_eq!(
        told["error"],
        "conversations are not kept here, or not open to this caller"
    );
    let refused = env.person(&["promote", "c-1.1"]);
    assert!(
        refused.err.contains("conversations are not kept here"),
        "{refused}"
    );
}

#[test]
fn recall_of_what_was_said_takes_the_filters_that_it_has() {
    let mut env = Env::new();
    live_two(&mut env);
    let find = |more: &[&str]| env.run(&[&["recall", "--said", "attempts"], more].concat());
    assert!(
        find(&["--since", "2026-03-01", "--until", "2026-03-04"])
            .out
            .contains("c-1")
    );
    assert_eq!(find(&["--path", "src/other.rs"]).code, 1);
    assert_eq!(find(&["--task", "other"]).code, 1);
    for wrong in [
        &["--tag", "x"][..],
        &["--tokens", "9"],
        &["--address", "/a/b/"],
        &["--path", "a", "--path", "b"],
    ] {
        assert_eq!(find(wrong).code, 2, "{wrong:?}");
    }
}

fn see(server: &Server, browser: &Browser, path: &str) -> String {
    let cookie = [("Cookie", &*browser.cookie)];
    server.send("GET", path, &cookie, "").body
}

#[test]
fn conversations_are_open_to_the_printed_link_alone() {
    let mut env = Env::new();
    live_two(&mut env);
    let server = Server::of_person(&env, &[]);
    let secret = |name: &str| {
        let made = env.person(&["token", "create", name, "--access", "review", "--json"]);
        let made: Value = serde_json::from_str(&made.out).unwrap();
        made["secret"].as_str().unwrap().to_owned()
    };
    let token = secret("colleague");
    let opened = server.send("POST", "/open", &[], &format!("token={token}"));
    let colleague = server.with_cookie(&opened);
    for path in [
        "/conversations",
        "/conversations?q=attempts",
        "/conversations/c-1",
    ] {
        let page = see(&server, &colleague, path);
        assert!(!page.contains("at most 7"), "{path}: {page}");
    }
    assert!(see(&server, &colleague, "/conversations").contains("not open to you"));
    let forget = format!("seal={}&sure=yes", colleague.seal);
    let path = "/conversations/c-1/forget";
    assert_eq!(server.form(&colleague, path, &[], &forget).status, 404);
    let asked = json!({"query": "attempts", "layer": "archive"});
    let told = server.call(&token, "memory_recall", asked);
    assert!(told.body.contains("archive_off"), "{told}");

    let ana = server.browser();
    assert!(see(&server, &ana, "/conversations?q=attempts").contains("at most 7"));
    // Without the seal of the form nothing is forgotten.
    assert_eq!(server.form(&ana, path, &[], "sure=yes").status, 403);
    assert!(see(&server, &ana, "/conversations/c-1").contains("at most 7"));
    let forget = format!("seal={}&sure=yes", ana.seal);
    assert_eq!(server.form(&ana, path, &[], &forget).status, 303);
    assert!(!see(&server, &ana, "/conversations").contains("at most 7"));
    assert_eq!(env.run(&["show", "c-1"]).code, 2);
    let data = env.home().join(".local/share/apostille");
    assert!(!holds_bytes(&data, "at most 7 attempts"));
}
