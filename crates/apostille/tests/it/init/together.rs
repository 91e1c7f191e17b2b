//! Several at once, others in between, and what a person sees before they agree.

use std::fs;
use std::process::Stdio;

use super::{tree, world};

#[test]
fn several_at_once_lose_nothing() {
    let env = world();
    let arguments = [
        "init",
        "--yes",
        "--client",
        "claude-code",
        "--client",
        "codex",
        "--client",
        "gemini",
    ];
    let start = |_| {
        env.command(&arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..8).map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let all = [
        ".mcp.json",
        ".claude/settings.local.json",
        ".codex/config.toml",
        ".codex/hooks.json",
    ];
    for path in all.iter().chain(&[".gemini/settings.json", "AGENTS.md"]) {
        assert!(env.repo().join(path).exists(), "{path}");
    }
    assert_eq!(env.ok(&arguments), "nothing to change\n");
    env.ok(&["init", "--undo", "--yes"]);
    assert!(!env.repo().join(".mcp.json").exists() && !env.repo().join(".codex").exists());
}

#[test]
fn a_line_that_was_added_since_stays_a_line() {
    let env = world();
    env.write("AGENTS.md", "# Us\n\nlast line");
    env.ok(&["init", "--yes", "--client", "codex"]);
    let path = env.repo().join("AGENTS.md");
    let text = fs::read_to_string(&path).unwrap();
    env.write("AGENTS.md", text + "- new rule\n");
    env.ok(&["init", "--undo", "--yes"]);
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "# Us\n\nlast line\n- new rule\n"
    );
}

#[test]
fn what_changes_in_a_long_line_is_shown() {
    let env = world();
    let others: Vec<String> = (0..40)
        .map(|n| format!(r#""server{n}":{{"command":"c{n}"}}"#))
        .collect();
    env.write(
        ".mcp.json",
        format!(r#"{{"mcpServers":{{{}}},"last":1}}"#, others.join(",")),
    );
    let arguments = [
        "init",
        "--dry-run",
        "--client",
        "claude-code",
        "--no-hooks",
        "--no-rules",
    ];
    let shown = env.ok(&arguments);
    assert!(
        shown.contains(r#""apostille":{"type":"stdio","command":"apostille""#),
        "{shown}"
    );
    assert!(
        shown.contains("…") && !shown.contains("server2\""),
        "{shown}"
    );
    let json = env.ok(&[arguments.as_slice(), &["--json"]].concat());
    assert!(
        json.contains(r#"\"apostille\":{\"type\":\"stdio\""#),
        "{json}"
    );
}

#[test]
fn gemini_is_advised_only_where_that_helps() {
    let advice = |settings: &str| {
        let env = world();
        env.write(".gemini/settings.json", settings);
        env.ok(&["init", "--yes", "--client", "gemini"])
            .replace('\n', " ")
            .contains("context.fileName")
    };
    assert!(advice("{}"));
    assert!(advice(r#"{"context": {"fileName": "GEMINI.md"}}"#));
    assert!(!advice(
        r#"{"context": {"fileName": ["AGENTS.md", "GEMINI.md"]}}"#
    ));
    assert!(!advice(r#"{"context": {"fileName": "AGENTS.md"}}"#));
}

#[test]
fn help_is_wrapped_once() {
    let help = world().ok(&["init", "--help"]);
    let tail: Vec<&str> = help
        .lines()
        .skip_while(|it| !it.starts_with("Agents are found"))
        .collect();
    let is_short = |it: &[&str]| it[0].len() < 40 && !it[0].is_empty() && !it[1].is_empty();
    let prose: Vec<&str> = tail
        .into_iter()
        .take_while(|it| !it.starts_with(' '))
        .collect();
    assert!(prose.len() > 2 && !prose.windows(2).any(is_short), "{help}");
}

/// Personal settings do not end up in a commit.
#[test]
fn personal_settings_are_kept_out_of_git() {
    let env = world();
    let path = env.repo().join(".git/info/exclude");
    let before = fs::read_to_string(&path).ok();
    let untouched = tree(env.home());
    env.ok(&["init", "--yes", "--client", "claude-code"]);
    let after = fs::read_to_string(&path).unwrap();
    let is_it = |it: &&str| *it == "/.claude/settings.local.json";
    assert_eq!(after.lines().filter(is_it).count(), 1, "{after}");
    env.git(&["check-ignore", "--quiet", ".claude/settings.local.json"]);
    assert_eq!(
        env.ok(&["init", "--yes", "--client", "claude-code"]),
        "nothing to change\n"
    );
    env.ok(&["init", "--undo", "--yes"]);
    assert_eq!(
        (fs::read_to_string(&path).ok(), tree(env.home())),
        (before, untouched)
    );

    env.ok(&["init", "--yes", "--client", "claude-code"]);
    fs::write(&path, after.clone() + "/theirs\n").unwrap();
    env.ok(&["init", "--undo", "--yes"]);
    let left = fs::read_to_string(&path).unwrap();
    assert!(
        left.ends_with("/theirs\n") && !left.contains("settings.local"),
        "{left}"
    );
    env.ok(&[
        "init",
        "--yes",
        "--client",
        "codex",
        "--client",
        "claude-code",
        "--no-hooks",
    ]);
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        left,
        "no hooks, no personal settings"
    );
}
