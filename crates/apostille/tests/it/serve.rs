//! The server behind a socket: who is let in, and who is not.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::{
    net::TcpStream,
    process::{Child, Stdio},
};

use serde_json::{Value, json};

use crate::env::Env;

/// A server of its own, on a free port.
struct Server {
    child: Child,
    port: String,
    token: Option<String>,
}

impl Server {
    fn new(env: &Env, arguments: &[&str]) -> Self {
        let mut command = env.command(&[&["serve", "--port", "0", "--json"], arguments].concat());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let url = said["url"].as_str().unwrap();
        let port = url
            .strip_prefix("http://127.0.0.1:")
            .and_then(|it| it.strip_suffix("/mcp"))
            .unwrap()
            .to_owned();
        Self {
            child,
            port,
            token: said["token"].as_str().map(Into::into),
        }
    }

    /// The status and the body of what is answered to a call of `memory_recall` with these headers.
    fn asked(&self, headers: &[(&str, &str)]) -> (u16, String) {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
        let params =
            json!({"name": "memory_recall", "arguments": {"query": "api version"}, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
            .to_string();
        let mut request = format!(
            "POST /mcp HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n",
            body.len()
        );
        let host = format!("127.0.0.1:{}", self.port);
        let bearer = self
            .token
            .as_ref()
            .map(|it| format!("Bearer {it}"))
            .unwrap_or_default();
        let usual = [
            ("Host", host.as_str()),
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "memory_recall"),
        ];
        let given = |name: &str| headers.iter().any(|it| it.0 == name);
        for (name, value) in usual
            .iter()
            .filter(|it| !given(it.0))
            .chain(headers)
            .filter(|it| !it.1.is_empty())
        {
            request += &format!("{name}: {value}\r\n");
        }
        self.sent(&format!("{request}\r\n{body}"))
    }

    fn sent(&self, request: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(format!("127.0.0.1:{}", self.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn whoever_brings_the_token_is_served() {
    let env = Env::new();
    env.with_facts();
    let (status, body) = Server::new(&env, &[]).asked(&[]);
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("API_VERSION must equal"), "{body}");
}

#[test]
fn without_the_token_from_a_page_or_under_another_name_nobody_is_served() {
    let env = Env::new();
    env.with_facts();
    let server = Server::new(&env, &[]);
    let check = |header: (&str, &str), expected: u16| {
        let (status, body) = server.asked(&[header]);
        assert_eq!(status, expected, "{header:?}: {body}");
        assert_eq!(
            body.contains("API_VERSION"),
            expected == 200,
            "{header:?}: {body}"
        );
    };
    check(("Authorization", ""), 401);
    check(("Authorization", "Bearer guess"), 401);
    check(("Origin", "https://evil.example"), 403);
    check(("Origin", "http://localhost.evil.example"), 403);
    check(("Origin", "null"), 403);
    check(("Host", "evil.example"), 403);
    check(("Origin", "http://localhost:5173"), 200);
    check(("Origin", "http://127.0.0.1:5173"), 200);
}

#[test]
fn a_token_that_was_brought_is_not_written_down() {
    let mut env = Env::new();
    env.set("APOSTILLE_TOKEN", "brought");
    let mut server = Server::new(&env, &[]);
    assert_eq!(server.token, None);
    assert_eq!(server.asked(&[]).0, 401);
    server.token = Some("brought".into());
    assert_eq!(server.asked(&[]).0, 200);
}

#[test]
fn without_a_token_by_request_every_program_here_is_served_and_no_page() {
    let env = Env::new();
    let server = Server::new(&env, &["--no-token"]);
    assert_eq!(server.asked(&[]).0, 200);
    assert_eq!(server.asked(&[("Origin", "https://evil.example")]).0, 403);
}

#[test]
fn its_health_is_told_to_anybody_and_nothing_else_is() {
    let env = Env::new();
    let server = Server::new(&env, &[]);
    let get = |path: &str| {
        server
            .sent(&format!(
                "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            ))
            .0
    };
    assert_eq!((get("/health"), get("/"), get("/mcp")), (200, 401, 401));
}

#[test]
fn a_port_that_is_taken_is_said_with_the_way_out() {
    let env = Env::new();
    let server = Server::new(&env, &[]);
    let ran = env.run(&["serve", "--port", &server.port]);
    assert_eq!(ran.code, 2, "{ran}");
    assert!(ran.err.contains("--port 0 takes a free one"), "{ran}");
}

#[cfg(unix)]
#[test]
fn it_ends_well_when_it_is_told_to() {
    let env = Env::new();
    let mut server = Server::new(&env, &[]);
    assert_eq!(server.asked(&[]).0, 200);
    let told = std::process::Command::new("kill")
        .args(["-TERM", &server.child.id().to_string()])
        .status()
        .unwrap();
    assert!(told.success());
    assert!(server.child.wait().unwrap().success());
}
