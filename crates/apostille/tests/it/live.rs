//! Changes as they happen, and the numbers and lines for whoever watches over a server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
#[cfg(unix)]
use std::process::Stdio;

use serde_json::{Value, json};

use crate::{
    door::made,
    env::Env,
    socket::{Server, patiently},
};

/// Somebody who listens.
struct Ear(BufReader<TcpStream>);

impl Ear {
    fn new(server: &Server, path: &str, token: &str, last: &str) -> Self {
        let mut stream = server.connect();
        let bearer = format!("Bearer {token}");
        let headers = [("Authorization", bearer.as_str()), ("Last-Event-ID", last)];
        stream
            .write_all(server.written("GET", path, &headers, "").as_bytes())
            .unwrap();
        let mut ear = Self(BufReader::new(stream));
        ear.until("retry: ");
        ear
    }

    /// The rest of the next line that begins so.
    fn until(&mut self, start: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(
                self.0.read_line(&mut line).unwrap() > 0,
                "the stream ended before '{start}'"
            );
            assert!(
                !line.starts_with(": still here"),
                "nothing was said before '{start}'"
            );
            if let Some(rest) = line.strip_prefix(start) {
                return rest.trim().to_owned();
            }
        }
    }

    /// The next change, with its id.
    fn change(&mut self) -> (String, Value) {
        self.until("event: change");
        let id = self.until("id: ");
        (id, serde_json::from_str(&self.until("data: ")).unwrap())
    }
}

#[test]
fn what_another_process_changes_is_told_without_its_text() {
    let env = Env::new();
    env.with_facts();
    let server = Server::new(&env, &[]);
    let mut ear = Ear::new(&server, "/api/live", &server.token, "");
    env.ok(&["invalidate", "m-2", "--reason", "no longer so"]);
    let (id, change) = ear.change();
    let has = |name: &str, expected: &str| assert_eq!(change[name], json!(expected), "{change}");
    has("event", "invalidated");
    has("space", "git.example.com/acme/app");
    has("handle", "m-2");
    has("at", "2026-03-01T12:00:00Z");
    assert!(
        change["seq"].is_u64() && change["memory"].is_string(),
        "{change}"
    );
    assert_eq!(change.as_object().unwrap().len(), 6, "{change}");
    // Whoever was away is told what happened since.
    env.stated(&["forget", "u-1", "--yes"]);
    assert_eq!(ear.change().1["event"], json!("forgotten"));
    drop(ear);
    env.ok(&["invalidate", "m-1", "--reason", "no longer so"]);
    let mut ear = Ear::new(&server, "/api/live", &server.token, &id);
    let events =
        [ear.change().1, ear.change().1].map(|it| format!("{} {}", it["event"], it["handle"]));
    let mut events = events.to_vec();
    events.sort();
    assert_eq!(events, [r#""forgotten" "u-1""#, r#""invalidated" "m-1""#]);
}

#[test]
fn what_this_server_changes_is_told_too() {
    let env = Env::new();
    env.with_facts();
    let server = Server::new(&env, &[]);
    let mut ear = Ear::new(&server, "/api/live", &server.token, "");
    server.call(&server.token, "memory_forget", json!({"id": "m-1"}));
    assert_eq!(ear.change().1["handle"], json!("m-1"));
}

#[test]
fn only_the_spaces_of_a_pass_are_told_and_only_while_it_holds() {
    let env = Env::new();
    env.with_facts();
    let server = Server::new(&env, &[]);
    let mut ear = Ear::new(
        &server,
        "/api/live",
        &made(&env, &["app", "--space", "acme/app"]),
        "",
    );
    env.stated(&["forget", "u-1", "--yes"]);
    env.ok(&["forget", "m-1", "--yes"]);
    assert_eq!(ear.change().1["handle"], json!("m-1"));
    assert_eq!(
        server
            .get_with(
                "/api/live",
                &made(&env, &["other", "--space", "acme/other"])
            )
            .status,
        403
    );
    assert_eq!(server.get("/api/live?repo=acme/nothing").status, 404);
    env.ok(&["token", "revoke", "app"]);
    // The stream ends; nothing more is said.
    let mut rest = String::new();
    ear.0.read_to_string(&mut rest).unwrap();
    assert!(!rest.contains("event:"), "{rest}");
}

#[test]
fn one_pass_leaves_seats_to_others() {
    let env = Env::new();
    let server = Server::new(&env, &["--limit", "listeners=4"]);
    let _ear = Ear::new(&server, "/api/live", &server.token, "");
    assert_eq!(server.get("/api/live").status, 503);
    let _other = Ear::new(&server, "/api/live", &made(&env, &["other"]), "");
}

#[test]
fn not_everybody_may_listen_at_once() {
    let env = Env::new();
    let server = Server::new(&env, &["--limit", "listeners=1"]);
    let ear = Ear::new(&server, "/api/live", &server.token, "");
    let turned = server.get("/api/live");
    assert_eq!(
        (turned.status, turned.header("retry-after")),
        (503, Some("30")),
        "{turned}"
    );
    assert!(
        server
            .get("/metrics")
            .body
            .contains("apostille_live_listeners 1\n")
    );
    drop(ear);
    patiently("the listener is gone", || {
        server
            .get("/metrics")
            .body
            .contains("apostille_live_listeners 0\n")
    });
    Ear::new(&server, "/api/live", &server.token, "");
}

#[test]
fn the_numbers_are_those_of_the_spaces_that_a_pass_reaches() {
    let env = Env::new();
    env.with_facts();
    let server = Server::new(&env, &[]);
    assert_eq!(server.send("GET", "/metrics", &[], "").status, 401);
    server.get("/api/spaces");
    let page = server.get("/metrics").body;
    for it in [
        "apostille_http_requests_total{route=\"/api/spaces\",method=\"GET\",status=\"200\"} 1\n",
        "apostille_http_requests_total{route=\"/metrics\",method=\"GET\",status=\"401\"} 1\n",
        "apostille_http_request_seconds_count{route=\"/api/spaces\"} 1\n",
        "apostille_http_in_flight 1\n",
        "apostille_memories{space=\"git.example.com/acme/app\",stage=\"active\"} 2\n",
        "apostille_memories{space=\"users/ana\",stage=\"active\"} 1\n",
        "apostille_events_total{space=\"git.example.com/acme/app\",event=\"remembered\"} 2\n",
    ] {
        assert!(page.contains(it), "{it}: {page}");
    }
    let page = server
        .get_with("/metrics", &made(&env, &["app", "--space", "acme/app"]))
        .body;
    assert!(
        page.contains("acme/app") && !page.contains("users/ana"),
        "{page}"
    );
}

#[test]
fn a_store_that_cannot_be_read_is_not_ready_and_no_path_is_told() {
    let env = Env::new();
    env.with_facts();
    let server = Server::new(&env, &[]);
    let ready = server.send("GET", "/ready", &[], "");
    assert_eq!(
        (ready.status, ready.body.as_str()),
        (200, "ready\n"),
        "{ready}"
    );
    let broken = env.beside(
        "broken.db",
        "this is no store at all, and long enough to be looked at",
    );
    let server = Server::new(&env, &["--store", &format!("sqlite:{broken}")]);
    let ready = server.send("GET", "/ready", &[], "");
    assert_eq!(ready.status, 503, "{ready}");
    assert!(
        !ready.body.contains(env.home().to_str().unwrap()),
        "{ready}"
    );
    assert_eq!(server.send("GET", "/health", &[], "").status, 200);
}

/// What a server wrote beside its output about some requests.
#[cfg(unix)]
fn logged(arguments: &[&str]) -> String {
    let env = Env::new();
    env.with_facts();
    let mut command = env.command(&[&["serve", "--port", "0", "--json"], arguments].concat());
    command.stderr(Stdio::piped());
    let mut server = Server::started(command);
    server.get("/api/memories?repo=acme/app&text=question");
    server.send("GET", "/api/spaces", &[("X-Request-Id", "job-1")], "");
    server.call(
        &server.token,
        "memory_recall",
        json!({"query": "api version"}),
    );
    server.tell_to_stop();
    assert!(server.child.wait().unwrap().success());
    let mut said = String::new();
    server
        .child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert!(!said.contains(&server.token), "{said}");
    said
}

#[cfg(unix)]
#[test]
fn each_request_is_one_line_without_what_was_asked() {
    let said = logged(&[]);
    let lines: Vec<Value> = said
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    let told = |it: &Value| {
        format!(
            "{} {} {} {} {}",
            it["level"], it["method"], it["route"], it["status"], it["pass"]
        )
    };
    let told: Vec<String> = lines.iter().map(told).collect();
    assert_eq!(
        told,
        [
            r#""info" "GET" "/api/memories" 200 "run""#,
            r#""warn" "GET" "/api/spaces" 401 null"#,
            r#""info" "POST" "/mcp" 200 "run""#,
        ]
    );
    assert_eq!(lines[1]["id"], json!("job-1"));
    assert!(
        lines
            .iter()
            .all(|it| it["ms"].is_f64() && it["at"] == json!("2026-03-01T12:00:00Z")),
        "{said}"
    );
    for it in ["question", "repo", "api version", "API_VERSION"] {
        assert!(!said.contains(it), "{it}: {said}");
    }
}

#[cfg(unix)]
#[test]
fn less_is_told_by_request() {
    assert_eq!(logged(&["--log", "problems"]).lines().count(), 1);
    assert_eq!(logged(&["--log", "off"]), "");
}

#[test]
fn the_panel_listens_with_its_session() {
    let env = Env::new();
    env.with_facts();
    let server = Server::new(&env, &[]);
    let browser = server.browser();
    let mut stream = server.connect();
    let request = server.written("GET", "/live", &[("Cookie", &browser.cookie)], "");
    stream.write_all(request.as_bytes()).unwrap();
    let mut ear = Ear(BufReader::new(stream));
    assert_eq!(ear.until("content-type: "), "text/event-stream");
    ear.until("retry: ");
    env.ok(&["forget", "m-1", "--yes"]);
    assert_eq!(ear.change().1["handle"], json!("m-1"));
}
