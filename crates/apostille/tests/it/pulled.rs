//! `reviews pull`: what reviewers wrote, read from an API that answers as GitHub's does.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};

use crate::{deliveries::status, env::Env};

/// What the host has, and what it was asked.
#[derive(Default)]
struct HostState {
    /// Comments at lines, by their ids.
    comments: Vec<Value>,
    pulls: Vec<Value>,
    is_limited: bool,
    asked: Vec<String>,
}

/// A host on this machine. It ends with the test's process.
struct ReviewHost(Arc<Mutex<HostState>>);

impl ReviewHost {
    /// Starts it, and makes it the one of the repository here.
    fn start(env: &Env) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::<Mutex<HostState>>::default();
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let reply = answer(&stream, &mut shared.lock().unwrap());
                let _ = stream.write_all(&reply);
            }
        });
        env.git(&[
            "remote",
            "set-url",
            "origin",
            "http://127.0.0.1/acme/app.git",
        ]);
        let config = format!(
            "[github]\nurl = \"http://127.0.0.1:{port}\"\n[reviews]\nrepos = \"acme/app\"\n"
        );
        env.beside(".config/apostille/config.toml", &config);
        Self(state)
    }

    fn comment(&self, who: &str, pull: u64, id: u64, text: &str) {
        let mut state = self.0.lock().unwrap();
        state.comments.push(json!({
            "id": id, "body": text, "path": "src/api.rs", "user": {"login": who, "type": "User"},
            "author_association": "MEMBER", "created_at": "2026-03-01T08:00:00Z", "updated_at": "2026-03-01T08:00:00Z",
            "pull_request_url": format!("http://127.0.0.1/repos/acme/app/pulls/{pull}"),
            "html_url": format!("http://127.0.0.1/acme/app/pull/{pull}#discussion_r{id}"),
        }));
        if state.pulls.iter().all(|it| it["number"] != pull) {
            let pull = json!({"number": pull, "state": "open", "user": {"login": "erin"}, "updated_at": "2026-03-01T08:00:00Z"});
            state.pulls.push(pull);
        }
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().asked)
    }
}

fn answer(stream: &TcpStream, state: &mut HostState) -> Vec<u8> {
    let lines: Vec<String> = BufReader::new(stream)
        .lines()
        .map_while(Result::ok)
        .take_while(|it| !it.is_empty())
        .collect();
    let target = lines[0].split(' ').nth(1).unwrap_or_default().to_owned();
    let known = lines
        .iter()
        .any(|it| it.to_ascii_lowercase().starts_with("if-none-match"));
    let path = target.trim_start_matches("/repos/acme/app").to_owned();
    state
        .asked
        .push(format!("{path}{}", if known { " (known)" } else { "" }));
    if state.is_limited {
        return http(
            "403 Forbidden\r\nretry-after: 60",
            "{\"message\":\"rate limit\"}",
        );
    }
    let (path, _) = path.split_once('?').unwrap_or((&path, ""));
    let body = match path.split('/').skip(1).collect::<Vec<_>>()[..] {
        ["pulls"] if known => return http("304 Not Modified", ""),
        ["pulls"] => json!(state.pulls),
        ["pulls", "comments"] => json!(state.comments),
        ["issues", "comments"] | ["pulls", _, "reviews"] => json!([]),
        ["pulls", "comments", id] => {
            let mut comments = state.comments.iter();
            match comments.find(|it| it["id"].as_u64() == id.parse().ok()) {
                Some(comment) => comment.clone(),
                None => return http("404 Not Found", "{}"),
            }
        }
        _ => return http("404 Not Found", "{}"),
    };
    http("200 OK\r\netag: \"one\"", &body.to_string())
}

fn http(status: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
        .into_bytes()
}

const RULE: &str = "We always wrap database calls in a transaction.";

#[test]
fn pulled_comments_become_a_rule_and_deleted_ones_take_it_back() {
    let mut env = Env::new();
    let host = ReviewHost::start(&env);
    host.comment("alice", 1, 1, RULE);
    host.comment("bob", 2, 2, RULE);
    host.comment("erin", 2, 3, "We never do that anywhere in this repo.");
    assert_eq!(
        env.ok(&["reviews", "pull"]),
        "3 events read: 1 in use now, 1 new candidates\n"
    );
    insta::assert_snapshot!("pull_asks", host.asked().join("\n"));
    // Nothing happened since: what is known is asked for by its name, and read again where there is no name.
    env.at("2026-03-02T12:00:00Z");
    assert_eq!(env.ok(&["reviews", "pull"]), "3 events read: nothing new\n");
    assert!(host.asked().iter().any(|it| it.ends_with("(known)")));
    host.0.lock().unwrap().comments.retain(|it| it["id"] != 2);
    env.at("2026-03-03T12:00:00Z");
    assert_eq!(
        env.ok(&["reviews", "pull"]),
        "3 events read: 1 lost support\n"
    );
    assert_eq!(status(&env)["rules"], json!([]));
}

#[test]
fn limit_of_the_host_ends_the_pull_and_loses_nothing() {
    let env = Env::new();
    let host = ReviewHost::start(&env);
    host.comment("alice", 1, 1, RULE);
    host.0.lock().unwrap().is_limited = true;
    let told = env.run(&["reviews", "pull"]);
    assert_ne!(told.code, 0);
    assert!(told.err.contains("60 seconds"), "{}", told.err);
    assert_eq!(status(&env)["pulled_at"], Value::Null);
    host.0.lock().unwrap().is_limited = false;
    assert!(env.ok(&["reviews", "pull"]).contains("1 new candidates"));
}
