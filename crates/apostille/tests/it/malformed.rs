//! What no client should send: each is told so with a 4xx or an error of the protocol, nothing is stored, and the server
//! goes on.

use serde_json::Value;

use crate::{
    env::Env,
    socket::{Reply, Server},
};

/// How a message is sent: these headers instead of the usual ones.
type Headers<'a> = &'a [(&'a str, &'a str)];

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;

fn sent(server: &Server, headers: Headers<'_>, body: &[u8]) -> Reply {
    let (bearer, length) = (format!("Bearer {}", server.token), body.len().to_string());
    let usual = [
        ("Authorization", &*bearer),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("Content-Length", &*length),
    ];
    let given = |name: &str| headers.iter().any(|it| it.0 == name);
    let usual: Vec<(&str, &str)> = usual.into_iter().filter(|it| !given(it.0)).collect();
    let head = server.written("POST", "/mcp", &[&usual, headers].concat(), "");
    server.raw(&[head.as_bytes(), body].concat())
}

/// Whether it was turned away: by its status, or by an error of the protocol.
fn is_turned_away(reply: &Reply) -> bool {
    let messages = reply
        .body
        .lines()
        .map(|it| it.strip_prefix("data: ").unwrap_or(it));
    let mut messages = messages.filter_map(|it| serde_json::from_str::<Value>(it).ok());
    let is_error = |it: Value| it.get("error").is_some() || it["result"]["isError"] == true;
    (400..500).contains(&reply.status) || messages.any(is_error)
}

#[test]
fn messages_that_are_none_are_turned_away() {
    let env = Env::new();
    let server = Server::new(&env, &[]);
    let rows: &[&[u8]] = &[
        b"",
        b"{",
        b"nonsense",
        b"null",
        b"[]",
        b"[1,2,3]",
        b"\"text\"",
        b"\xff\xfe{\x00}\x00",
        b"{\"a\":\"\xff\"}",
        br#"{"jsonrpc":"2.0"}"#,
        br#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#,
        br#"{"jsonrpc":"2.0","id":1,"method":1}"#,
        br#"{"jsonrpc":"2.0","id":[1],"method":"tools/list"}"#,
        br#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#,
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm -rf","arguments":{}}}"#,
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_remember","arguments":{"fact":123}}}"#,
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_remember","arguments":"x"}}"#,
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}"#,
        br#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ];
    for row in rows {
        let reply = sent(&server, &[], row);
        assert!(
            is_turned_away(&reply),
            "{}: {reply}",
            String::from_utf8_lossy(row)
        );
    }
    let code = |body: &[u8]| sent(&server, &[], body).json()["error"]["code"].as_i64();
    assert_eq!(
        (code(b"{"), code(b"[1]"), code(b"{}")),
        (Some(-32700), Some(-32600), Some(-32600))
    );
    let deep = ["[".repeat(100_000), "]".repeat(100_000)].concat();
    assert!(is_turned_away(&sent(&server, &[], deep.as_bytes())));
    assert_eq!(server.get("/api/spaces").status, 200);
    assert_eq!(env.run(&["list"]).code, 1, "nothing is kept");
}

#[test]
fn requests_with_odd_headers_are_turned_away() {
    let env = Env::new();
    let server = Server::new(&env, &[]);
    let good = format!("Bearer {}", server.token);
    let long = "a".repeat(65_536);
    let check = |headers: Headers<'_>, expected: &[u16]| {
        let reply = sent(&server, headers, LIST.as_bytes());
        assert!(expected.contains(&reply.status), "{headers:.200?}: {reply}");
    };
    check(&[("Authorization", "")], &[401]);
    check(&[("Authorization", "Bearer ")], &[401]);
    check(&[("Authorization", "Basic Zm9vOmJhcg==")], &[401]);
    check(
        &[("Authorization", &good), ("Authorization", "Bearer guess")],
        &[401],
    );
    check(&[("Origin", "https://evil.example")], &[403]);
    check(&[("Host", "evil.example")], &[403]);
    check(&[("Content-Type", "text/plain")], &[415]);
    check(&[("Accept", "text/html")], &[406]);
    check(&[("X-Long", &long)], &[431]);
    check(&[("X-Fold", "a\r\n b")], &[400]);
    check(&[("X-Nul", "a\0b")], &[400]);
    check(
        &[("Transfer-Encoding", "chunked"), ("Content-Length", "4")],
        &[400],
    );
    check(&[("Content-Length", "5"), ("Content-Length", "6")], &[400]);
    check(&[("Content-Length", "-1")], &[400]);
    check(&[("Transfer-Encoding", "gzip")], &[400, 501]);
    assert_eq!(server.get("/api/spaces").status, 200);
}

#[test]
fn requests_that_are_none_are_turned_away() {
    let env = Env::new();
    let server = Server::new(&env, &["--limit", "head_ms=300"]);
    let rows: &[&[u8]] = &[
        b"GET /\r\n",
        b"\r\n\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nConnection: close\r\n\r\n",
        b"GET http://evil.example/health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ];
    for row in rows {
        let reply = server.raw(row);
        let is_turned_away = reply.status == 0 || (400..500).contains(&reply.status);
        assert!(is_turned_away, "{}: {reply}", String::from_utf8_lossy(row));
    }
    for method in ["TRACE", "PATCH", "PUT", "NONSENSE"] {
        let bearer = format!("Bearer {}", server.token);
        let reply = server.send(method, "/mcp", &[("Authorization", &bearer)], "");
        assert_eq!(reply.status, 405, "{method}: {reply}");
    }
    assert_eq!(server.get("/api/spaces").status, 200);
}
