//! Citing code by its name on the command line.

use crate::env::Env;

fn world() -> Env {
    let env = Env::new();
    env.write(
        "src/net/http.rs",
        "pub struct Server;\n\nimpl Server {\n    /// Nobody outside may connect.\n    pub fn bind(&self) -> &str {\n        \"127.0.0.1\"\n    }\n}\n\nimpl Client {\n    fn bind(&self) {}\n}\n",
    );
    env.commit();
    env
}

#[test]
fn remember_cites_by_symbol() {
    let env = world();
    let check = |arguments: &[&str], expected: &str| {
        let ran = env
            .run(&[&["remember", "--cite"], arguments].concat())
            .to_string();
        assert!(ran.contains(expected), "{arguments:?}: {ran}");
    };
    check(
        &[
            "src/net/http.rs::Server::bind",
            "the server binds to \"127.0.0.1\"",
        ],
        "src/net/http.rs:5-7",
    );
    check(
        &["src/net/http.rs::bind", "clients bind"],
        "2 items are called that: Server::bind (lines 5-7), Client::bind (line 11)",
    );
    check(
        &["src/net/http.rs::Server::bnd", "clients bind"],
        "nothing of that name is defined there; there is Server::bind (lines 5-7)",
    );
    // From the current folder, like every path that is typed; a link's lines as well.
    check(
        &["http.rs::Client::bind", "a client binds", "-C", "src/net"],
        "src/net/http.rs:11",
    );
    check(
        &["http.rs#L5-L7", "a server returns a text", "-C", "src/net"],
        "src/net/http.rs:5-7",
    );
}

#[test]
fn the_item_is_kept_and_healed() {
    let env = world();
    let item = || {
        let shown = env.ok(&["show", "m-1", "--json"]);
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        let cited = &shown["memory"]["citations"][0];
        format!("{} {}", cited["line_start"], cited["item"])
    };
    env.ok(&[
        "remember",
        "--cite",
        "src/net/http.rs::Server::bind",
        "the server binds to \"127.0.0.1\"",
    ]);
    assert_eq!(
        item(),
        r#"5 {"path":"Server::bind","kind":"function","line_start":5,"line_end":7}"#
    );
    let text = std::fs::read_to_string(env.repo().join("src/net/http.rs")).unwrap();
    env.write("src/net/http.rs", format!("use std::io;\n\n{text}"));
    env.commit();
    env.ok(&["verify"]);
    assert_eq!(
        item(),
        r#"7 {"path":"Server::bind","kind":"function","line_start":7,"line_end":9}"#
    );
}
