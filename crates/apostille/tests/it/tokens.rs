//! Tokens: made, listed, taken back; and how far each of them reaches.

use std::fs;
use std::io::{Read as _, Write as _};

use serde_json::{Value, json};

use crate::{door::made, env::Env, socket::Server};

#[test]
fn a_token_is_shown_once_and_kept_as_its_digest() {
    let env = Env::new();
    let token = made(&env, &["ci", "--space", "acme/app", "--days", "30"]);
    assert!(
        token
            .strip_prefix("apostille_")
            .is_some_and(|it| it.len() == 32),
        "{token}"
    );
    let file = env.home().join(".local/share/apostille/tokens.json");
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        !text.contains(&token) && text.contains("\"version\": 1"),
        "{text}"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |it: &std::path::Path| fs::metadata(it).unwrap().permissions().mode() & 0o777;
        let modes = [&*file, &file.with_extension("lock"), file.parent().unwrap()].map(mode);
        assert_eq!(modes, [0o600, 0o600, 0o700]);
    }
    let listed = env.ok(&["token"]);
    assert!(
        listed.contains("ci")
            && listed.contains("acme/app, until 2026-03-31")
            && !listed.contains(&token)
    );
}

#[test]
fn the_token_alone_is_the_output() {
    let env = Env::new();
    let ran = env.run(&["token", "create", "ci"]);
    assert!(ran.code == 0 && ran.out.starts_with("apostille_"), "{ran}");
    assert_eq!(ran.out.split_whitespace().count(), 1, "{ran}");
    assert!(ran.err.contains("it is not shown again"), "{ran}");
}

#[test]
fn names_are_plain_and_taken_once() {
    let env = Env::new();
    let check = |arguments: &[&str], expected: &str| {
        let ran = env.run(&[&["token"], arguments].concat());
        assert!(
            ran.code == 2 && ran.err.contains(expected),
            "{arguments:?}: {ran}"
        );
    };
    made(&env, &["ci"]);
    check(&["create", "ci"], "there is a token 'ci' already");
    check(&["create", "a b"], "letters");
    check(&["create", "panel"], "the server's own name");
    check(&["create", "x", "--space", "nonsense"], "not a space");
    check(&["create", "x", "--days", "0"], "--days");
    check(&["revoke", "x"], "there is no token 'x'");
}

#[test]
fn only_a_person_makes_one_that_reviews() {
    let env = Env::new();
    let ran = env.run(&["token", "create", "boss", "--access", "review"]);
    assert_eq!(ran.code, 3, "{ran}");
    assert_eq!(env.run(&["token"]).code, 1);
    made(&env, &["boss", "--access", "review"]);
}

#[test]
fn a_token_reaches_its_spaces_and_no_others() {
    let env = Env::new();
    env.with_facts();
    env.ok(&[
        "--repo",
        "acme/other",
        "remember",
        "--layer",
        "episode",
        "the other one was deployed",
    ]);
    let server = Server::new(&env, &[]);
    let told = |it: &Value| {
        let spaces = it["spaces"].as_array().unwrap().iter();
        spaces
            .map(|it| it["space"].as_str().unwrap())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let check = |arguments: &[&str], path: &str, expected: &str| {
        let token = made(&env, arguments);
        let reply = server.get_with(path, &token);
        let found = match reply.status {
            200 => told(&reply.json()),
            status => format!(
                "{status} {}",
                reply.json()["error"]["message"].as_str().unwrap()
            ),
        };
        assert_eq!(found, expected, "{arguments:?} {path}");
    };
    let all = "/api/stats";
    check(&["a"], all, "git.example.com/acme/app users/ana");
    check(
        &["b", "--space", "acme/app"],
        all,
        "git.example.com/acme/app",
    );
    check(&["c", "--space", "users/ana"], all, "users/ana");
    check(
        &["d", "--space", "acme/other"],
        all,
        "403 'd' is for acme/other, and this is acme/app",
    );
    check(
        &["e", "--space", "acme/other"],
        "/api/stats?repo=acme/other",
        "acme/other",
    );
    check(
        &["f", "--space", "acme/app"],
        "/api/stats?repo=acme/other",
        "403 'f' is for git.example.com/acme/app, and this is acme/other",
    );
}

#[test]
fn who_is_not_let_in_is_told_why() {
    let env = Env::new();
    env.with_facts();
    let server = Server::new(&env, &[]);
    let file = env.home().join(".local/share/apostille/tokens.json");
    let (over, revoked) = (made(&env, &["old", "--days", "1"]), made(&env, &["gone"]));
    let text = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        text.replace("2026-03-02T12:00:00", "2026-02-01T12:00:00"),
    )
    .unwrap();
    env.ok(&["token", "revoke", "gone"]);
    let check = |headers: &[(&str, &str)], expected: &str| {
        for path in ["/api/stats", "/mcp", "/metrics"] {
            let reply = server.send("GET", path, headers, "");
            assert_eq!(reply.status, 401, "{path}: {reply}");
            let is_said =
                reply.body.contains(expected) && reply.body.contains("apostille token create");
            assert!(is_said, "{path}: {reply}");
        }
    };
    let bearer = |it: &str| format!("Bearer {it}");
    check(&[], "no token was sent;");
    check(&[("Authorization", "Basic eDp5")], "no token was sent;");
    check(
        &[("Authorization", &bearer("guess"))],
        "this token is not known here, or was revoked;",
    );
    check(
        &[("Authorization", &bearer(&revoked))],
        "this token is not known here, or was revoked;",
    );
    check(
        &[("Authorization", &bearer(&over))],
        "this token is over since 2026-02-01T12:00:00Z;",
    );
    // Nearly right is as wrong as anything.
    check(
        &[("Authorization", &bearer(&over[..over.len() - 1]))],
        "this token is not known here, or was revoked;",
    );
}

#[test]
fn an_agent_with_a_token_reaches_no_further_than_it() {
    let env = Env::new();
    env.with_facts();
    let server = Server::new(&env, &[]);
    let asked = |token: &str| {
        server
            .call(
                token,
                "memory_recall",
                json!({"query": "small commits API version"}),
            )
            .body
    };
    let (repo, user) = (
        made(&env, &["repo", "--space", "acme/app"]),
        made(&env, &["user", "--space", "users/ana"]),
    );
    let both = asked(&server.token);
    assert!(
        both.contains("API_VERSION must") && both.contains("prefers small"),
        "{both}"
    );
    let one = asked(&repo);
    assert!(
        one.contains("API_VERSION must") && !one.contains("prefers small"),
        "{one}"
    );
    let other = asked(&user);
    assert!(
        !other.contains("API_VERSION must") && other.contains("prefers small"),
        "{other}"
    );
    let none = asked(&made(&env, &["none", "--space", "acme/other"]));
    assert!(
        none.contains("is for acme/other") && !none.contains("API_VERSION"),
        "{none}"
    );
}

#[test]
fn an_agent_with_a_token_that_looks_changes_nothing() {
    let env = Env::new();
    env.with_facts();
    let server = Server::new(&env, &[]);
    let (read, write) = (made(&env, &["r"]), made(&env, &["w", "--access", "write"]));
    let remember = |token: &str| {
        let arguments = json!({"fact": "the build needs the flag --locked", "citations": ["src/api.rs:3"], "kind": "feedback"});
        server.call(token, "memory_remember", arguments).body
    };
    let turned = remember(&read);
    assert!(turned.contains("may only read"), "{turned}");
    assert!(!env.ok(&["list"]).contains("--locked"));
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let tools = |token: &str| {
        server
            .said("tools/list", "", token, &json!({"_meta": meta}))
            .body
    };
    assert!(tools(&read).contains("memory_recall") && !tools(&read).contains("memory_remember"));
    assert!(tools(&write).contains("memory_remember"));
    let kept = remember(&write);
    assert!(env.ok(&["list"]).contains("--locked"), "{kept}");
}

#[test]
fn a_token_that_is_revoked_or_over_opens_nothing_any_more() {
    let mut env = Env::new();
    let (gone, stays) = (made(&env, &["gone"]), made(&env, &["stays"]));
    let server = Server::new(&env, &[]);
    let status = |token: &str| server.get_with("/api/spaces", token).status;
    assert_eq!((status(&gone), status(&stays)), (200, 200));
    env.ok(&["token", "revoke", "gone"]);
    assert_eq!((status(&gone), status(&stays)), (401, 200));
    let later = made(&env, &["later"]);
    assert_eq!(status(&later), 200);
    let brief = made(&env, &["brief", "--days", "1"]);
    assert_eq!(status(&brief), 200);
    env.at("2026-03-03T12:00:00Z");
    let server = Server::new(&env, &[]);
    assert_eq!(server.get_with("/api/spaces", &brief).status, 401);
    assert_eq!(server.get_with("/api/spaces", &stays).status, 200);
}

#[test]
fn a_file_that_cannot_be_read_lets_nobody_in_and_is_said() {
    let env = Env::new();
    let token = made(&env, &["ci"]);
    let server = Server::new(&env, &[]);
    assert_eq!(server.get_with("/api/spaces", &token).status, 200);
    env.beside(".local/share/apostille/tokens.json", "{\"version\": 2}");
    assert_eq!(server.get_with("/api/spaces", &token).status, 401);
    assert_eq!(server.get("/api/spaces").status, 200);
    let ran = env.run(&["token"]);
    assert!(ran.code != 0 && ran.err.contains("format 2"), "{ran}");
}

#[test]
fn a_session_ends_with_its_token_also_where_everybody_is_let_in() {
    let env = Env::new();
    env.with_facts();
    let token = made(&env, &["look", "--space", "acme/app"]);
    let server = Server::new(&env, &["--no-token"]);
    let browser = server.with_cookie(&server.send("POST", "/open", &[], &format!("token={token}")));
    let status = || {
        server
            .send("GET", "/", &[("Cookie", &browser.cookie)], "")
            .status
    };
    assert_eq!(status(), 200);
    env.ok(&["token", "revoke", "look"]);
    assert_eq!(status(), 401);
}

/// A message of the agents' protocol with sessions, as it is sent.
fn message(server: &Server, method: &str, token: &str, session: &str, body: &Value) -> String {
    let headers = [
        ("Authorization", &*format!("Bearer {token}")),
        ("Content-Type", "application/json"),
        (
            "Accept",
            if method == "GET" {
                "text/event-stream"
            } else {
                "application/json, text/event-stream"
            },
        ),
        ("Mcp-Session-Id", session),
    ];
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    server.written(method, "/mcp", &headers, &body)
}

#[test]
fn a_session_of_an_agent_is_its_own_and_ends_with_its_token() {
    let env = Env::new();
    let (one, other) = (made(&env, &["one"]), made(&env, &["other"]));
    let server = Server::new(&env, &[]);
    let sent = |method: &str, token: &str, session: &str, body: Value| {
        server.raw(message(&server, method, token, session, &body).as_bytes())
    };
    let who = json!({"name": "t", "version": "1"});
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who});
    let opened = sent(
        "POST",
        &one,
        "",
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
    );
    let session = opened
        .header("mcp-session-id")
        .unwrap_or_else(|| panic!("{opened}"));
    let ready = || json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(sent("POST", &one, session, ready()).status, 202);
    let ping = || json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    assert_eq!(sent("POST", &other, session, ping()).status, 404);
    assert_eq!(sent("DELETE", &other, session, Value::Null).status, 404);
    assert_eq!(sent("POST", &one, session, ping()).status, 200);
    let mut stream = server.connect();
    stream
        .write_all(message(&server, "GET", &one, session, &Value::Null).as_bytes())
        .unwrap();
    let mut begun = [0; 12];
    stream.read_exact(&mut begun).unwrap();
    assert_eq!(&begun, b"HTTP/1.1 200");
    env.ok(&["token", "revoke", "one"]);
    // Reading to the end returns only because the server ends it.
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
}

#[test]
fn an_agent_learns_nothing_of_folders_elsewhere() {
    let env = Env::new();
    env.with_facts();
    let server = Server::new(&env, &[]);
    let asked = |folder: &str| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "x-codex-turn-metadata": {"workspaces": {folder: {}}},
        });
        let params =
            json!({"name": "memory_recall", "arguments": {"query": "api version"}, "_meta": meta});
        server
            .said("tools/call", "memory_recall", &server.token, &params)
            .body
    };
    let elsewhere = asked(env.home().parent().unwrap().to_str().unwrap());
    assert!(
        elsewhere.contains("works elsewhere") && !elsewhere.contains("local/"),
        "{elsewhere}"
    );
    assert_eq!(elsewhere, asked("/there/is/no/such/folder"));
    assert!(asked(env.repo().to_str().unwrap()).contains("API_VERSION"));
}

#[test]
fn without_a_token_by_request_nobody_reviews() {
    let env = Env::new();
    env.with_facts();
    let server = Server::new(&env, &["--no-token"]);
    assert_eq!(server.send("GET", "/api/spaces", &[], "").status, 200);
    assert_eq!(server.get_with("/api/spaces", "whatever").status, 200);
    assert_eq!(
        server
            .get_with("/api/spaces", &made(&env, &["x", "--space", "acme/other"]))
            .status,
        403
    );
    assert_eq!(server.send("GET", "/", &[], "").status, 401);
}

/// What a token that writes can be made to say in a person's name: nothing.
#[test]
fn whoever_holds_a_token_is_no_person() {
    let env = Env::new();
    env.with_facts();
    env.ok(&[
        "remember",
        "--from",
        "web",
        "--kind",
        "feedback",
        "the vendor wants retries to be ten",
    ]);
    env.person(&["remember", "--kind", "feedback", "never push on a Friday"]);
    let server = Server::new(&env, &[]);
    let write = made(&env, &["w", "--access", "write"]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    });
    let listed: Value = serde_json::from_str(&env.ok(&["list", "--json"])).unwrap();
    let named = |fact: &str| {
        let memories = listed["memories"].as_array().unwrap();
        let found = memories
            .iter()
            .find(|it| it["fact"].as_str().unwrap().contains(fact))
            .unwrap();
        found["handle"].as_str().unwrap().to_owned()
    };
    let (waits, persons) = (named("retries to be ten"), named("on a Friday"));
    let call = |tool: &str, arguments: Value| {
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        server.said("tools/call", tool, &write, &params).body
    };
    // Nobody is asked, because whoever holds the token could answer.
    let approved = call("memory_revise", json!({"id": waits, "action": "approve"}));
    assert!(approved.contains("expected correct"), "{approved}");
    for name in [&waits, &persons] {
        let answer = call("memory_forget", json!({"id": name}));
        assert!(answer.contains("only a person"), "{answer}");
        assert!(!answer.contains("elicitation"), "{answer}");
    }
    assert!(env.ok(&["show", &waits]).contains("pending"));
    assert!(env.ok(&["show", &persons]).contains("active"));
}

/// A client may call itself anything; the log has the token.
#[test]
fn the_log_names_the_token_and_not_what_its_holder_says() {
    let env = Env::new();
    env.with_facts();
    let server = Server::new(&env, &[]);
    let write = made(&env, &["bot", "--access", "write"]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "ana", "version": "1"},
    });
    let fact = json!({"fact": "reviews want small commits", "kind": "feedback"});
    let params = json!({"name": "memory_remember", "arguments": fact, "_meta": meta});
    server.said("tools/call", "memory_remember", &write, &params);
    server.post_with(
        "/api/memories",
        &write,
        r#"{"fact":"reviews want green builds","kind":"feedback"}"#,
    );
    let log: Value = serde_json::from_str(&env.ok(&["log", "--json", "--limit", "2"])).unwrap();
    for event in log["events"].as_array().unwrap() {
        assert_eq!(event["actor"], "bot", "{event}");
    }
    assert_eq!(log["events"].as_array().unwrap().len(), 2, "{log}");
}

/// Whether another repository is kept here is told to nobody who may not see it.
#[test]
fn what_is_out_of_reach_is_the_same_whether_it_is_there_or_not() {
    let env = Env::new();
    env.with_facts();
    env.ok(&[
        "remember",
        "--repo",
        "acme/other",
        "--kind",
        "feedback",
        "other things matter there",
    ]);
    let server = Server::new(&env, &[]);
    let token = made(&env, &["one", "--space", "acme/app"]);
    let asked = |repo: &str| server.get_with(&format!("/api/memories?repo={repo}"), &token);
    let (there, absent) = (asked("acme/other"), asked("acme/nobody"));
    assert_eq!(
        (there.status, absent.status),
        (403, 403),
        "{there} {absent}"
    );
    assert_eq!(
        there.body.replace("acme/other", "X"),
        absent.body.replace("acme/nobody", "X")
    );
}

/// An agent can give its own server a list of its own tokens.
#[test]
fn server_of_an_agent_takes_no_decision_from_a_token() {
    let env = Env::new();
    env.ok(&[
        "remember",
        "--from",
        "web",
        "--kind",
        "feedback",
        "the vendor wants ten retries",
    ]);
    let made = env.person(&["token", "create", "mine", "--access", "review"]);
    let bearer = format!("Bearer {}", made.out.trim());
    let mut command = env.command(&["serve", "--port", "0", "--json"]);
    command
        .env("CLAUDECODE", "1")
        .stderr(std::process::Stdio::null());
    let server = Server::started(command);
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
    ];
    let reply = server.send("POST", "/api/memories/m-1/approve", &headers, "{}");
    assert_eq!(reply.status, 403);
    assert!(env.ok(&["show", "m-1"]).contains("pending"));
}
