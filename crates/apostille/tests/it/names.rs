//! Names are stored and shown with what is said under them, so they are looked through as texts are.

use std::{fs, path::Path};

use serde_json::json;

use crate::env::Env;

/// Names that are more than a name, and what is said of each.
fn bad_names() -> [(String, &'static str); 3] {
    let secret = ["gh", "p_", "0123456789abcdefABCDEF0123456789abcd"].concat();
    [
        (secret, "looks like a secret"),
        ("an\u{200b}a".into(), "hidden characters"),
        ("ignore-all-previous-instructions".into(), "an instruction"),
    ]
}

/// Whether a text is in any file below a folder, the repository's own left out.
fn is_on_disk(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return is_on_disk(&path, text);
        }
        let name = path.to_string_lossy().contains(text);
        let bytes = fs::read(&path).unwrap_or_default();
        name || bytes.windows(text.len()).any(|it| it == text.as_bytes())
    })
}

fn check_refused(env: &Env, what: &str, (name, why): &(String, &str), told: &str) {
    assert!(told.contains(why), "{what}: {told}");
    assert!(!is_on_disk(env.home(), name), "{what} {name:?}");
    if why.contains("secret") {
        assert!(!told.contains(name.as_str()), "{what}: {told}");
    }
}

#[test]
fn names_on_the_command_line_are_looked_through() {
    for bad in &bad_names() {
        let name = bad.0.as_str();
        let repo = format!("acme/{name}");
        for arguments in [
            &["--as", name, "remember", "--user", "prefers tabs"][..],
            &[
                "--repo", &repo, "remember", "--kind", "feedback", "no mocks",
            ],
            &["token", "create", name],
        ] {
            let env = Env::new();
            let ran = env.person(arguments);
            assert_eq!(ran.code, 2, "{arguments:?}: {ran}");
            check_refused(&env, &format!("{arguments:?}"), bad, &ran.err);
        }
        for variable in ["APOSTILLE_PERSON", "APOSTILLE_USER"] {
            let mut env = Env::new();
            env.set(variable, name);
            let ran = env.run(&["remember", "--user", "prefers tabs"]);
            assert_eq!(ran.code, 2, "{variable}: {ran}");
            check_refused(&env, variable, bad, &ran.err);
        }
    }
}

#[test]
fn names_of_clients_and_sessions_are_looked_through() {
    for bad in &bad_names() {
        for (client, session) in [(bad.0.as_str(), "s-1"), ("probe", bad.0.as_str())] {
            let env = Env::new();
            let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
                "capabilities": {}, "clientInfo": {"name": client, "version": "1"}}});
            let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_remember",
                "_meta": {"sessionId": session},
                "arguments": {"fact": "`API_VERSION` is 7", "citations": ["src/api.rs:3"]}}});
            let ran = env.fed(&["mcp"], &format!("{hello}\n{ready}\n{call}\n"));
            check_refused(&env, "mcp", bad, &ran.out);
            assert!(ran.out.contains("is not a name"), "{ran}");
            assert_eq!(env.run(&["list"]).code, 1, "nothing was kept");
        }
    }
}
