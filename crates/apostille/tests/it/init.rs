//! `init` over the files that people have: what is there stays, twice is once, and it can all be taken back.

mod files;
mod hostile;
mod links;
mod others;
mod proof;
mod together;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use files::FILES;

use crate::env::Env;

/// Where the programs are that a test may start.
fn programs(env: &Env) -> PathBuf {
    env.home().join("bin")
}

/// A world in which this program is on the path, and no agent.
fn world() -> Env {
    let mut env = Env::new();
    let bin = programs(&env);
    fs::create_dir_all(&bin).unwrap();
    let found = |name: &str| {
        let path = std::env::var_os("PATH").unwrap();
        std::env::split_paths(&path)
            .map(|it| it.join(name))
            .find(|it| it.exists())
            .unwrap()
    };
    for name in ["git", "sh"] {
        std::os::unix::fs::symlink(found(name), bin.join(name)).unwrap();
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_apostille"), bin.join("apostille")).unwrap();
    env.set("PATH", bin.to_str().unwrap());
    env
}

/// Every file and folder below a folder, but not what the program keeps for itself, nor git.
fn tree(root: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
            let is_ours =
                path.ends_with(".git") || path.ends_with(".local") || path.ends_with("bin");
            let is_link = path.is_symlink();
            match path.is_dir() {
                _ if is_ours => {}
                true if !is_link => {
                    all.insert(path.clone(), None);
                    folders.push(path);
                }
                _ => {
                    all.insert(path.clone(), fs::read(&path).ok());
                }
            }
        }
    }
    all
}

/// A file with what cannot be seen made visible.
fn visible(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes)
        .replace('\r', "␍")
        .replace('\u{feff}', "[BOM]");
    if text.ends_with('\n') {
        text
    } else {
        text + "[no newline]\n"
    }
}

const EVERYONE: [&str; 9] = [
    "claude-code",
    "codex",
    "copilot",
    "gemini",
    "cursor",
    "vscode",
    "opencode",
    "zed",
    "windsurf",
];

#[test]
fn what_is_there_stays_and_all_can_be_taken_back() {
    for client in EVERYONE {
        let env = world();
        for (_, path, text) in FILES
            .iter()
            .filter(|(whose, _, _)| *whose == client || whose.is_empty())
        {
            env.write(path, text);
        }
        let before = tree(env.home());
        env.ok(&["init", "--yes", "--client", client]);
        let after = tree(env.home());
        let changed = after
            .iter()
            .filter(|(path, bytes)| bytes.is_some() && before.get(*path) != Some(*bytes));
        let pages = changed.map(|(path, bytes)| {
            let name = path.strip_prefix(env.repo()).unwrap().display();
            format!("─── {name}\n{}", visible(bytes.as_ref().unwrap()))
        });
        insta::assert_snapshot!(format!("init_{client}"), pages.collect::<String>());

        assert_eq!(
            env.ok(&["init", "--yes", "--client", client]),
            "nothing to change\n"
        );
        assert_eq!(tree(env.home()), after, "{client}: twice is once");
        env.ok(&["init", "--undo", "--yes"]);
        assert_eq!(tree(env.home()), before, "{client}: taken back");
        assert_eq!(env.ok(&["init", "--undo", "--yes"]), "nothing to undo\n");
    }
}

#[test]
fn odd_files_are_changed_or_left_alone_and_always_come_back() {
    let check = |text: &[u8], code: i32| {
        let env = world();
        env.write(".mcp.json", text);
        let before = tree(env.home());
        let ran = env.run(&["init", "--yes", "--client", "claude-code"]);
        assert_eq!(ran.code, code, "{}: {ran}", visible(text));
        let is_changed = fs::read(env.repo().join(".mcp.json")).unwrap() != text;
        assert_eq!(is_changed, code == 0, "{}", visible(text));
        assert!(
            env.repo().join(".claude/settings.local.json").exists(),
            "the others go on"
        );
        env.ok(&["init", "--undo", "--yes"]);
        assert_eq!(tree(env.home()), before, "{}", visible(text));
    };
    check(b"", 0);
    check(b"\n", 0);
    check(b"{}", 0);
    check(b"// nothing yet\n", 0);
    check(b"\xef\xbb\xbf{}\r\n", 0);
    check(b"{\"mcpServers\":{}}", 0);
    check(b"{\"mcpServers\": [", 3);
    check(b"{'mcpServers': {}}", 3);
    check(b"[]", 3);
    check(b"{\"mcpServers\": []}", 3);
    check(
        b"{\"mcpServers\": {\"apostille\": {\"command\": \"docker\"}}}",
        3,
    );
    check(b"\xff\xfe{\x00}\x00", 3);
}

#[test]
fn an_older_entry_is_brought_up_to_date() {
    let env = world();
    env.write(
        ".claude/settings.local.json",
        r#"{"hooks": {
  "Stop": [{"hooks": [{"type": "command", "command": "/old/apostille hook --client claude-code Stop"}, {"type": "command", "command": "theirs"}]}],
  "Notification": [{"hooks": [{"type": "command", "command": "/old/apostille hook --client claude-code Notification"}]}]
}}"#,
    );
    env.write(
        ".mcp.json",
        r#"{"mcpServers": {"apostille": {"command": "/old/apostille", "args": ["mcp"], "timeout": 9}}}"#,
    );
    let before = tree(env.home());
    env.ok(&["init", "--yes", "--client", "claude-code"]);
    let read = |path: &str| fs::read_to_string(env.repo().join(path)).unwrap();
    let settings = read(".claude/settings.local.json");
    assert!(
        !settings.contains("/old/") && !settings.contains("Notification"),
        "{settings}"
    );
    assert!(
        settings.contains(r#"[{"hooks": [{"type": "command", "command": "theirs"}]}, {"#),
        "{settings}"
    );
    let servers = read(".mcp.json");
    assert_eq!(
        servers,
        r#"{"mcpServers":{"apostille":{"command":"apostille","args":["mcp"],"timeout":9,"type":"stdio","alwaysLoad":true}}}"#
            .replace("\":", "\": ")
            .replace(",\"", ", \"")
    );
    env.ok(&[
        "init",
        "--yes",
        "--client",
        "claude-code",
        "--client",
        "codex",
    ]);
    env.ok(&["init", "--undo", "--yes"]);
    assert_eq!(tree(env.home()), before, "two runs are undone at once");
}

#[test]
fn what_somebody_wrote_since_survives_the_undo() {
    let env = world();
    env.write("AGENTS.md", "# Us\n");
    env.ok(&[
        "init",
        "--yes",
        "--client",
        "claude-code",
        "--client",
        "codex",
        "--client",
        "cursor",
    ]);
    let edit = |path: &str, from: &str, to: &str| {
        let text = fs::read_to_string(env.repo().join(path)).unwrap();
        assert!(text.contains(from), "{path}: {text}");
        env.write(path, text.replacen(from, to, 1));
    };
    edit(
        ".mcp.json",
        "\"mcpServers\": {",
        "\"mcpServers\": {\n    // theirs\n    \"theirs\": {\"command\": \"t\"},",
    );
    edit("AGENTS.md", "# Us\n", "# Us and them\n");
    edit(
        ".codex/config.toml",
        "[mcp_servers",
        "model = \"theirs\"\n\n[mcp_servers",
    );
    edit(
        ".cursor/hooks.json",
        "\"stop\": [",
        "\"stop\": [\n      {\"command\": \"theirs\"},",
    );
    let ran = env.run(&["init", "--undo", "--yes"]);
    insta::assert_snapshot!("init_undo_after_edit", ran.to_string());
    let read = |path: &str| fs::read_to_string(env.repo().join(path)).unwrap();
    assert_eq!(read("AGENTS.md"), "# Us and them\n");
    assert_eq!(read(".codex/config.toml"), "model = \"theirs\"\n");
    assert_eq!(
        read(".mcp.json"),
        "{\n  \"mcpServers\": {\n    // theirs\n    \"theirs\": {\"command\": \"t\"}\n  }\n}\n"
    );
    assert_eq!(
        read(".cursor/hooks.json"),
        "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      {\"command\": \"theirs\"}\n    ]\n  }\n}\n"
    );
    assert!(!env.repo().join(".claude").exists() && !env.repo().join(".codex/hooks.json").exists());
}

#[test]
fn nothing_is_written_unless_somebody_agrees() {
    let env = world();
    let before = tree(env.home());
    let check = |code: i32, arguments: &[&str]| {
        let ran = env.run(arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {ran}");
        assert_eq!(tree(env.home()), before, "{arguments:?}");
        ran
    };
    let ran = check(2, &["init", "--client", "cursor"]);
    insta::assert_snapshot!("init_plan", ran.to_string());
    check(0, &["init", "--client", "cursor", "--dry-run"]);
    check(1, &["init", "--yes"]);
    check(2, &["init", "--client", "emacs"]);
    check(2, &["init", "--undo", "--client", "cursor"]);
    check(
        0,
        &[
            "init",
            "--client",
            "cursor",
            "--no-mcp",
            "--no-hooks",
            "--no-rules",
        ],
    );
    let outside = check(2, &["-C", env.home().to_str().unwrap(), "init", "--yes"]);
    assert!(
        outside.err.contains("not in a repository") && outside.err.contains("--user"),
        "{outside}"
    );
    let json = check(0, &["init", "--client", "cursor", "--dry-run", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(
        (&said["outcome"], &said["files"][0]["action"]),
        (&"planned".into(), &"create".into())
    );
}

#[test]
fn agents_are_found_by_what_they_leave() {
    let found = |prepare: &dyn Fn(&Env)| {
        let env = world();
        prepare(&env);
        let ran = env.run(&["init", "--dry-run", "--json"]);
        let said: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        said["clients"].to_string()
    };
    let folder = |env: &Env, path: &str| fs::create_dir_all(env.home().join(path)).unwrap();
    assert_eq!(found(&|_| {}), "[]");
    assert_eq!(
        found(&|env| env.write("CLAUDE.md", "# Us\n")),
        r#"["claude-code"]"#
    );
    assert_eq!(
        found(&|env| env.write(".cursor/mcp.json", "{}")),
        r#"["cursor"]"#
    );
    assert_eq!(found(&|env| folder(env, ".codex")), r#"["codex"]"#);
    assert_eq!(
        found(&|env| folder(env, ".config/Code/User")),
        r#"["vscode"]"#
    );
    let program = |env: &Env| {
        fs::copy("/bin/sh", programs(env).join("gemini"))
            .map(drop)
            .unwrap()
    };
    assert_eq!(found(&program), r#"["gemini"]"#);
}

/// What a repository says of itself has no say in what is written.
#[test]
fn a_repository_does_not_choose_what_is_written() {
    let plan = |settings: Option<&str>| {
        let env = world();
        if let Some(settings) = settings {
            env.write("apostille.toml", settings);
            env.write(
                "agent.json",
                r#"{"memory": {"store": "x", "command": "evil"}}"#,
            );
        }
        env.ok(&[
            "init",
            "--dry-run",
            "--client",
            "claude-code",
            "--client",
            "codex",
        ])
    };
    let usual = plan(None);
    assert_eq!(plan(Some("store = \"jsonl:m.jsonl\"\n")), usual);
    assert_eq!(
        plan(Some(
            "command = \"evil\"\nhooks = \"evil\"\n[init]\nclient = \"evil\"\n"
        )),
        usual
    );
}
