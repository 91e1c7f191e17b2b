//! What a code host delivers to a server: taken when it is signed, once, and without costing anybody else a place.

use std::{fs, io::Write as _};

use apostille_reviews::signature::sign_body;
use serde_json::{Value, json};

use crate::{
    env::Env,
    socket::{Reply, Server, patiently},
};

pub const SECRET: &str = "a secret for tests, long enough";

/// Sets up reviews of this repository, whose host is not GitHub's own.
pub fn set_up_reviews(env: &Env) {
    let config = format!(
        "[github]\nurl = \"https://git.example.com/api/v3\"\n[reviews]\nrepos = \"acme/app\"\nsecret = \"{SECRET}\"\n"
    );
    env.beside(".config/apostille/config.toml", &config);
}

/// Sends a delivery, signed with this secret.
pub fn deliver(server: &Server, event: &str, id: &str, body: &str, secret: &str) -> Reply {
    let signature = sign_body(secret, body.as_bytes());
    deliver_signed(server, event, id, body, &signature)
}

fn deliver_signed(server: &Server, event: &str, id: &str, body: &str, signature: &str) -> Reply {
    let headers = [
        ("Content-Type", "application/json"),
        ("X-GitHub-Event", event),
        ("X-GitHub-Delivery", id),
        ("X-Hub-Signature-256", signature),
    ];
    server.send("POST", "/hooks/github", &headers, body)
}

pub fn status(env: &Env) -> Value {
    serde_json::from_str(&env.ok(&["reviews", "--json"])).unwrap()
}

/// Waits until everything that was delivered was gone through.
pub fn finish(env: &Env) {
    patiently("deliveries wait for ever", || status(env)["waiting"] == 0);
}

fn comment(who: &str, association: &str, pull: u64, id: u64, text: &str) -> String {
    json!({
        "action": "created",
        "comment": {
            "id": id, "body": text, "path": "src/api.rs",
            "user": {"login": who, "type": "User"}, "author_association": association,
            "created_at": format!("2026-03-01T10:{:02}:00Z", id % 60),
        },
        "pull_request": {"number": pull, "user": {"login": "erin"}},
        "repository": {"full_name": "acme/app"},
    })
    .to_string()
}

const EVENT: &str = "pull_request_review_comment";
const RULE: &str = "We always wrap database calls in a transaction.";

#[test]
fn signed_deliveries_become_a_rule_that_is_told_before_an_edit() {
    let env = Env::new();
    set_up_reviews(&env);
    let server = Server::new(&env, &[]);
    for (n, who) in [(1, "alice"), (2, "bob")] {
        let body = comment(who, "MEMBER", n, n, RULE);
        let reply = deliver(&server, EVENT, &format!("d-{n}"), &body, SECRET);
        assert_eq!(
            (reply.status, &reply.json()["outcome"]),
            (202, &json!("taken")),
            "{reply}"
        );
    }
    finish(&env);
    insta::assert_snapshot!("reviews_status", env.ok(&["reviews"]));
    let listed = env.ok(&["list", "--address", "/acme/app/review-rules/"]);
    assert!(listed.contains(RULE), "{listed}");
    let asked = json!({"query": "change the limits", "paths": ["src/limits.rs"]});
    let told = server.post_with("/api/recall", &server.token, &asked.to_string());
    assert!(told.body.contains(RULE), "{told}");
}

#[test]
fn forged_deliveries_are_refused_and_leave_nothing() {
    let env = Env::new();
    set_up_reviews(&env);
    let server = Server::new(&env, &[]);
    let body = comment("alice", "OWNER", 1, 1, RULE);
    let good = sign_body(SECRET, body.as_bytes());
    let other = sign_body("another secret of the same length", body.as_bytes());
    let of_other_body = sign_body(SECRET, b"{}");
    for signature in [
        "",
        "sha256=",
        "sha256=00",
        &other,
        &of_other_body,
        &good.replace("sha256", "sha1"),
        &good[..good.len() - 1],
        &format!("{good}0"),
    ] {
        let reply = deliver_signed(&server, EVENT, "d-1", &body, signature);
        assert!([400, 401].contains(&reply.status), "{signature}: {reply}");
        assert!(!reply.body.contains(SECRET), "{reply}");
    }
    // Without the headers, or with odd ones, it is not even looked at.
    for (event, id) in [("", "d-1"), (EVENT, ""), (EVENT, "../../x"), ("a b", "d-1")] {
        let reply = deliver_signed(&server, event, id, &body, &good);
        assert_eq!(reply.status, 400, "{event} {id}: {reply}");
    }
    assert_eq!(server.send("GET", "/hooks/github", &[], "").status, 405);
    let waiting = env.home().join(".local/share/apostille/reviews/waiting");
    assert!(!waiting.exists(), "{waiting:?}");
    assert_eq!(status(&env)["candidates"], json!([]));
}

#[test]
fn replayed_delivery_is_taken_once() {
    let env = Env::new();
    set_up_reviews(&env);
    let server = Server::new(&env, &[]);
    let body = comment("alice", "OWNER", 1, 1, RULE);
    let outcomes: Vec<Value> = (0..5)
        .map(|_| deliver(&server, EVENT, "d-1", &body, SECRET).json()["outcome"].clone())
        .collect();
    assert_eq!(outcomes, ["taken", "known", "known", "known", "known"]);
    finish(&env);
    // Under other names it is another delivery of the same comment, which counts once.
    for n in 0..5 {
        deliver(&server, EVENT, &format!("again-{n}"), &body, SECRET);
    }
    finish(&env);
    let told = status(&env);
    assert_eq!(told["candidates"][0]["asked"].as_array().unwrap().len(), 1);
    assert_eq!(told["rules"], json!([]));
}

#[test]
fn huge_odd_and_unwanted_deliveries_fill_nothing() {
    let env = Env::new();
    set_up_reviews(&env);
    let server = Server::new(&env, &[]);
    let huge = comment("alice", "OWNER", 1, 1, &"x".repeat(1_100_000));
    assert_eq!(deliver(&server, EVENT, "huge", &huge, SECRET).status, 413);
    assert_eq!(
        deliver(&server, EVENT, "odd", "{\"action\":", SECRET).status,
        400
    );
    for (name, body) in [
        (
            "other",
            comment("alice", "OWNER", 1, 1, RULE).replace("acme/app", "acme/other"),
        ),
        ("stranger", comment("eve", "NONE", 1, 1, RULE)),
        (
            "bot",
            comment("alice", "OWNER", 1, 1, RULE).replace("\"User\"", "\"Bot\""),
        ),
        ("empty", "{}".to_owned()),
    ] {
        let reply = deliver(&server, EVENT, name, &body, SECRET);
        assert_eq!(
            (reply.status, &reply.json()["outcome"]),
            (202, &json!("ignored")),
            "{name}"
        );
    }
    assert_eq!(status(&env)["waiting"], 0);
}

#[test]
fn flood_of_deliveries_costs_nobody_else_a_place() {
    let env = Env::new();
    set_up_reviews(&env);
    let server = Server::new(&env, &[]);
    // Forty connections begin a delivery and say nothing more.
    let mut held = Vec::new();
    for n in 0..40 {
        let mut stream = server.connect();
        let head = format!(
            "POST /hooks/github HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nX-GitHub-Event: {EVENT}\r\nX-GitHub-Delivery: slow-{n}\r\n\
             X-Hub-Signature-256: sha256=00\r\nContent-Length: 900000\r\n\r\n{{",
            server.port
        );
        stream.write_all(head.as_bytes()).unwrap();
        held.push(stream);
    }
    // Many more are forged, until the server has enough of them.
    let mut refused = Vec::new();
    for n in 0..200 {
        let body = comment("mallory", "OWNER", n, n, RULE);
        refused.push(
            deliver(
                &server,
                EVENT,
                &format!("f-{n}"),
                &body,
                "not the secret at all",
            )
            .status,
        );
        if n % 10 == 0 {
            let reply = server.get("/api/stats");
            assert_eq!(reply.status, 200, "{reply}");
        }
    }
    assert!(
        refused.iter().all(|it| [401, 429, 503].contains(it)),
        "{refused:?}"
    );
    assert!(
        refused.contains(&429) || refused.contains(&503),
        "{refused:?}"
    );
    drop(held);
    assert_eq!(status(&env)["candidates"], json!([]));
}

#[test]
fn crash_loses_no_delivery_that_was_accepted() {
    let env = Env::new();
    set_up_reviews(&env);
    let mut server = Server::new(&env, &[]);
    for (n, who) in [(1, "alice"), (2, "bob")] {
        let body = comment(who, "MEMBER", n, n, RULE);
        let reply = deliver(&server, EVENT, &format!("d-{n}"), &body, SECRET);
        assert_eq!(reply.status, 202, "{reply}");
    }
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let _server = Server::new(&env, &[]);
    finish(&env);
    assert_eq!(status(&env)["rules"].as_array().unwrap().len(), 1);
}

#[test]
fn file_that_an_agent_puts_among_the_deliveries_is_not_believed() {
    let env = Env::new();
    set_up_reviews(&env);
    let server = Server::new(&env, &[]);
    let event = json!({
        "kind": "commented", "repo": "git.example.com/acme/app", "pull_request": 1, "comment": "discussion_r1",
        "reviewer": "alice", "authority": "maintainer", "body": RULE, "at": "2026-03-01T10:00:00Z",
    });
    let seal = sign_body("a secret that the agent made up", b"x");
    let file = json!({"v": 1, "id": "mine", "event": event.to_string(), "seal": seal});
    let folder = env.home().join(".local/share/apostille/reviews/waiting");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("00000000000001-mine.json"), file.to_string()).unwrap();
    // Something real wakes the worker.
    let body = comment("alice", "MEMBER", 1, 1, "LGTM");
    deliver(&server, EVENT, "d-1", &body, SECRET);
    finish(&env);
    assert_eq!(status(&env)["candidates"], json!([]));
}

#[test]
fn without_a_secret_or_a_repository_there_is_nothing_at_the_address() {
    let env = Env::new();
    let server = Server::new(&env, &[]);
    let body = comment("alice", "OWNER", 1, 1, RULE);
    assert_eq!(deliver(&server, EVENT, "d-1", &body, SECRET).status, 404);
    insta::assert_snapshot!("reviews_not_set_up", env.ok(&["reviews"]));
    let told = env.run(&["reviews", "pull"]);
    assert_eq!(told.code, 2);
    insta::assert_snapshot!("reviews_pull_not_set_up", told.err);
}

#[test]
fn secret_is_never_printed() {
    let env = Env::new();
    set_up_reviews(&env);
    for arguments in [
        &["config"][..],
        &["config", "--json"],
        &["doctor"],
        &["reviews", "--json"],
    ] {
        let told = env.run(arguments);
        assert!(
            !told.out.contains(SECRET) && !told.err.contains(SECRET),
            "{arguments:?}"
        );
    }
    let short = "[reviews]\nsecret = \"hunter2\"\n";
    env.beside(".config/apostille/config.toml", short);
    let told = env.run(&["config"]);
    assert_eq!(told.code, 2);
    assert!(
        !told.err.contains("hunter2") && told.err.contains("at least 16"),
        "{}",
        told.err
    );
}

#[test]
fn what_decides_about_reviews_comes_from_the_users_own_file_alone() {
    let mut env = Env::new();
    set_up_reviews(&env);
    env.set("APOSTILLE_REVIEWS_MAINTAINERS", "1");
    let told = env.run(&["config"]);
    assert_eq!(told.code, 2);
    assert!(
        told.err.contains("your own config file only"),
        "{}",
        told.err
    );
    let env = Env::new().trusting();
    env.write("apostille.toml", "[reviews]\nmaintainers = 1\n");
    let told = env.run(&["config"]);
    assert_eq!(told.code, 2);
    assert!(
        told.err.contains("whose reviews are believed"),
        "{}",
        told.err
    );
}

#[test]
fn agent_does_not_choose_which_server_is_asked_for_reviews() {
    let mut env = Env::new();
    set_up_reviews(&env);
    env.set("APOSTILLE_GITHUB_URL", "http://127.0.0.1:9/git.example.com");
    let told = env.run(&["reviews", "pull"]);
    assert_eq!(told.code, 2);
    assert!(
        told.err.contains("github.url in your own config file")
            || told.err.contains("not read here"),
        "{}",
        told.err
    );
}
