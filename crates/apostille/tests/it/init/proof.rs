//! `doctor` proves what `init` did: each hook is tried as its client would.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{programs, tree, world};

/// What `doctor` says of hooks that are answered by this script.
fn said(script: &str) -> (i32, String) {
    let mut env = world();
    env.set("CLAUDECODE", "1");
    env.ok(&["init", "--yes", "--client", "codex", "--no-rules"]);
    let program = programs(&env).join("apostille");
    fs::remove_file(&program).unwrap();
    if !script.is_empty() {
        fs::write(
            &program,
            format!("#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n"),
        )
        .unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let before = tree(env.home());
    let ran = env.run(&["doctor"]);
    assert_eq!(tree(env.home()), before, "nothing of the user's is touched");
    let lines = ran
        .out
        .lines()
        .filter(|it| it.contains("codex"))
        .map(timeless);
    (ran.code, lines.collect::<Vec<_>>().join("\n"))
}

/// A line without the time that something took, and without the number of samples, if all of them were answered.
fn timeless(line: &str) -> String {
    match line.split_once(" answered, slowest ") {
        Some((head, tail)) => {
            let (head, n) = head.rsplit_once(" of ").unwrap();
            let head = head.strip_suffix(n).unwrap();
            format!(
                "{head}all answered, slowest N {}",
                tail.split_once(' ').unwrap().1
            )
        }
        None => line.to_owned(),
    }
}

#[test]
fn hooks_are_tried_as_the_client_would() {
    let check = |script: &str, code: i32, expected: &str| {
        let (found, lines) = said(script);
        assert!(lines.contains(expected), "{script}: {lines}");
        assert_eq!(found, code, "{script}: {lines}");
    };
    let real = format!("exec '{}' \"$@\"", env!("CARGO_BIN_EXE_apostille"));
    let silent = "answered, and none told a memory that was there (.codex/hooks.json)";
    check(
        &real,
        0,
        "hooks     codex: all answered, slowest N ms (.codex/hooks.json)",
    );
    check("cat > /dev/null", 2, silent);
    check(
        r#"printf '{"hookSpecificOutput":{"hookEventName":"%s"}}' "$4""#,
        2,
        silent,
    );
    check(
        "echo hello",
        2,
        "✗ hooks     codex: SessionStart: the answer is not a JSON object",
    );
    check(
        "echo '{\"additionalContext\": 1}'",
        2,
        "codex does not know `additionalContext` in an answer",
    );
    check(
        "echo oh dear >&2; exit 7",
        2,
        "✗ hooks     codex: SessionStart: exit code 7: oh dear",
    );
    check(
        "",
        2,
        "✗ hooks     codex: SessionStart: there is no program as in `apostille hook",
    );
    check(
        "",
        2,
        "✗ server    codex: there is no program 'apostille' (.codex/config.toml)",
    );
    check(
        &format!("test -z \"$CLAUDECODE\" && {real}"),
        0,
        "all answered",
    );
    // The way to the user's own files is bent.
    check(
        &format!("test \"$HOME\" = \"$PWD\" && {real}"),
        0,
        "all answered",
    );
}

#[test]
fn hook_of_a_newer_version_is_missed_and_added_by_init() {
    let env = world();
    let init = ["init", "--yes", "--client", "codex", "--no-rules"];
    env.ok(&init);
    let path = env.repo().join(".codex/hooks.json");
    let now = fs::read_to_string(&path).unwrap();
    let mut older: serde_json::Value = serde_json::from_str(&now).unwrap();
    older["hooks"]
        .as_object_mut()
        .unwrap()
        .remove("PostToolUse");
    fs::write(&path, older.to_string()).unwrap();
    let ran = env.run(&["doctor"]);
    let why =
        "hooks     codex: no hook for PostToolUse; `apostille init` adds it (.codex/hooks.json)";
    assert!(ran.out.contains(why), "{ran}");
    env.ok(&init);
    assert!(
        fs::read_to_string(&path)
            .unwrap()
            .contains("codex PostToolUse")
    );
    assert!(!env.run(&["doctor"]).out.contains("no hook for"));
}
