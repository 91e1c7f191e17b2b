//! The calls of the API on standard input, as a program makes them that started the server.

use serde_json::{Value, json};

use crate::{
    env::Env,
    mcp::{Era, Talk},
};

/// Makes a call and gives its status and body.
fn call(talk: &mut Talk, asked: Value) -> (u64, Value) {
    let message = talk.request("apostille/call", asked);
    let result = &message["result"];
    let status = result["status"].as_u64();
    (
        status.unwrap_or_else(|| panic!("{message}")),
        result["body"].clone(),
    )
}

fn remember(talk: &mut Talk, fact: &str) -> Value {
    let body = json!({"fact": fact, "citations": ["src/api.rs:3"], "rationale": "each is told"});
    let (status, body) = call(talk, json!({"call": "remember", "body": body}));
    assert_eq!(status, 201, "{body}");
    body["memory"].clone()
}

#[test]
fn program_is_answered_what_the_api_answers_in_both_eras() {
    for era in [Era::Legacy, Era::Modern] {
        let env = Env::new();
        let mut talk = Talk::here(&env, era);
        let kept = remember(&mut talk, "API_VERSION must equal the client's");
        assert_eq!(
            (&kept["handle"], &kept["origin"]),
            (&json!("m-1"), &json!("agent"))
        );
        let (_, found) = call(
            &mut talk,
            json!({"call": "recall", "body": {"query": "api version"}}),
        );
        assert_eq!(found["memories"][0]["standing"], "stands");
        let shown = json!({"call": "showMemory", "parts": {"name": "m-1"}});
        assert_eq!(call(&mut talk, shown).1["memory"]["recalls"], 1);
        let (_, text) = call(
            &mut talk,
            json!({"call": "export", "query": [["format", "markdown"]]}),
        );
        assert!(text.as_str().is_some_and(|it| it.contains("API_VERSION")));
        assert!(talk.end());
    }
}

#[test]
fn program_is_refused_as_over_http_and_decides_nothing() {
    let env = Env::new();
    let mut talk = Talk::here(&env, Era::Modern);
    let (status, body) = call(
        &mut talk,
        json!({"call": "remember", "body": {"fact": "the build needs make"}}),
    );
    assert_eq!(
        (status, &body["refused"]["class"]),
        (422, &json!("needs_citation"))
    );
    let wrong = json!({"call": "recall", "body": {"limit": 1000}});
    assert_eq!(call(&mut talk, wrong).0, 400);
    let elsewhere = json!({"call": "stats", "query": [["repo", "other/app"]]});
    assert_eq!(call(&mut talk, elsewhere).0, 400);
    env.stated(&[
        "remember",
        "releases are tagged on Fridays",
        "--kind",
        "feedback",
    ]);
    let forget = json!({"call": "forget", "parts": {"name": "m-1"}});
    let (status, body) = call(&mut talk, forget);
    assert_eq!(
        (status, &body["refused"]["class"]),
        (422, &json!("not_a_person"))
    );
    let approve = json!({"call": "approve", "parts": {"name": "m-1"}});
    assert_eq!(call(&mut talk, approve).0, 403);
    let unknown = talk.request("apostille/call", json!({"call": "burn"}));
    assert_eq!(unknown["error"]["code"], -32602);
    let unknown = talk.request("apostille/burn", json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
}

/// The place where a page ends is told with the repository's whole name.
#[test]
fn page_begins_behind_the_last_memory_of_the_page_before() {
    let env = Env::new();
    env.git(&[
        "remote",
        "set-url",
        "origin",
        "https://github.com/acme/app.git",
    ]);
    let mut talk = Talk::here(&env, Era::Modern);
    for year in 2020..2025 {
        remember(
            &mut talk,
            &format!("API_VERSION is as it was in the release of {year}"),
        );
    }
    let (mut handles, mut after) = (Vec::new(), String::new());
    loop {
        let page = json!({"call": "listMemories", "query": [["limit", "2"], ["after", after]]});
        let (_, page) = call(&mut talk, page);
        let listed = page["memories"].as_array().unwrap().iter();
        handles.extend(listed.map(|it| it["number"].as_u64().unwrap()));
        match page["next"].as_str() {
            Some(next) => next.clone_into(&mut after),
            None => break,
        }
    }
    assert_eq!(handles, [5, 4, 3, 2, 1]);
}

#[test]
fn conversation_is_learned_from_and_what_it_says_waits() {
    let env = Env::new();
    let mut talk = Talk::here(&env, Era::Modern);
    remember(&mut talk, "API_VERSION must equal the client's");
    let turns = json!([
        {"speaker": "user", "text": "From now on, always use tabs in this repo."},
        {"speaker": "assistant", "text": "I will. As m-1 says, the versions are equal. We always use spaces in this repo."},
    ]);
    let learn =
        json!({"call": "learn", "body": {"turns": turns, "shown": ["m-1"], "session": "run-7"}});
    let (status, learned) = call(&mut talk, learn.clone());
    assert_eq!(status, 200, "{learned}");
    let proposed = learned["proposed"].as_array().unwrap();
    assert_eq!(proposed.len(), 1, "{learned}");
    assert_eq!(
        (&proposed[0]["status"], &proposed[0]["origin"]),
        (&json!("pending"), &json!("system"))
    );
    assert_eq!(learned["applied"][0]["handle"], "m-1");
    assert_eq!(
        call(&mut talk, learn).1["proposed"],
        json!([]),
        "nothing is proposed twice"
    );
}
