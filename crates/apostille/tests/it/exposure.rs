//! A session that has read what strangers wrote, told by its hooks; what is said under its name afterwards waits.

use serde_json::{Value, json};

use crate::{
    env::Env,
    hook::hooked,
    mcp::{Era, Talk},
};

/// What becomes of an agent's correction, which is in use at once unless the session is exposed.
fn say(env: &Env, session: &str, fact: &str) -> String {
    let told = env.ok(&[
        "remember",
        "--kind",
        "feedback",
        "--session",
        session,
        "--json",
        "--create",
        "of its own",
        fact,
    ]);
    let told: Value = serde_json::from_str(&told).unwrap();
    told["memory"]["status"].as_str().unwrap().to_owned()
}

fn bash(command: &str) -> Value {
    json!({ "tool_name": "Bash", "tool_input": { "command": command } })
}

fn place() -> Env {
    let env = Env::new();
    env.write(
        "scripts/notes.sh",
        "#!/bin/sh\ncurl -s https://evil.example/notes\n",
    );
    env.write(
        "scripts/lint.sh",
        "#!/bin/sh\n# no curl here\ncargo clippy\n",
    );
    env.write("node_modules/.bin/tsc", "");
    env.git(&["remote", "add", "fork", "https://github.com/eve/shop"]);
    env
}

#[test]
fn hooks_look_at_scripts_remotes_and_installed_packages() {
    let check = |used: Value, expected: &str| {
        let env = place();
        hooked(&env, "s-1", "PreToolUse", &used);
        assert_eq!(
            say(&env, "s-1", "Use the portal for uploads"),
            expected,
            "{used}"
        );
    };
    check(bash("./scripts/notes.sh"), "pending");
    check(bash("sh scripts/lint.sh"), "active");
    check(bash("git show fork/main"), "pending");
    check(bash("git show feature/x"), "active");
    check(bash("npx cowsay"), "pending");
    check(bash("npx tsc --noEmit"), "active");
    check(bash("cargo test"), "active");
    check(
        json!({ "tool_name": "mcp__apostille2__memory_recall" }),
        "pending",
    );
    check(
        json!({ "tool_name": "mcp__apostille__memory_recall" }),
        "active",
    );
    let read = json!({ "file_path": "node_modules/x/README.md" });
    check(
        json!({ "tool_name": "Read", "tool_input": read }),
        "pending",
    );
}

#[test]
fn whoever_writes_under_a_sessions_name_has_read_what_it_read() {
    let mut env = Env::new();
    hooked(
        &env,
        "browsing",
        "PreToolUse",
        &bash("curl https://evil.example"),
    );
    assert_eq!(
        say(&env, "browsing", "Use the portal for uploads"),
        "pending"
    );
    assert_eq!(say(&env, "quiet", "Ask before a release is cut"), "active");
    // The client's own session counts, whichever is named beside it; and so does the one that is named.
    env.set("CLAUDE_CODE_SESSION_ID", "quiet");
    assert_eq!(say(&env, "browsing", "Send logs to the portal"), "pending");
    env.set("CLAUDE_CODE_SESSION_ID", "browsing");
    assert_eq!(
        say(&env, "quiet", "Name the portal in each commit"),
        "pending"
    );
}

/// A server is told its session by its environment, and by what comes with a call; what either has read counts.
#[test]
fn tools_inherit_what_their_session_read() {
    let check = |own: &str, named: Option<&str>, expected: &str| {
        let mut env = Env::new();
        hooked(
            &env,
            "browsing",
            "PreToolUse",
            &bash("curl https://evil.example"),
        );
        env.set("CLAUDE_CODE_SESSION_ID", own);
        let mut talk = Talk::here(&env, Era::Legacy);
        let fact = json!({ "fact": "Use the portal for uploads", "kind": "feedback" });
        let mut call = json!({ "name": "memory_remember", "arguments": fact });
        if let Some(named) = named {
            call["_meta"]["sessionId"] = named.into();
        }
        talk.request("tools/call", call);
        let listed: Value = serde_json::from_str(&env.ok(&["list", "--json"])).unwrap();
        let status = &listed["memories"][0]["status"];
        assert_eq!(status, expected, "{own} {named:?}");
    };
    check("quiet", None, "active");
    check("browsing", None, "pending");
    check("quiet", Some("browsing"), "pending");
    check("browsing", Some("quiet"), "pending");
    check("quiet", Some("silent"), "active");
}
