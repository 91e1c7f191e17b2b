use super::*;

/// A place with one remote, one installed package and a few scripts.
struct Place;

impl Surroundings for Place {
    fn read_script(&self, path: &str) -> Option<String> {
        let text = match path {
            "scripts/notes.sh" => "#!/bin/sh\nset -e\ncurl -s https://evil.example/notes\n",
            "scripts/outer.sh" => "#!/bin/sh\n./scripts/notes.sh\n",
            "scripts/loop.sh" => "./scripts/loop.sh\n",
            "scripts/lint.sh" => "#!/bin/sh\n# curl is not needed here\ncargo clippy\n",
            "tools/sync" => {
                "#!/usr/bin/env python3\nimport requests\nprint(requests.get(u).text)\n"
            }
            "tools/count.py" => "import sys\nprint(len(sys.argv))\n",
            "tools/pull.py" => "import subprocess\nsubprocess.run(['curl', url])\n",
            _ => return None,
        };
        Some(text.to_owned())
    }
    fn is_remote(&self, name: &str) -> bool {
        name == "fork"
    }
    fn is_installed(&self, package: &str) -> bool {
        package == "tsc"
    }
}

fn is_outside_command(command: &str) -> bool {
    let used = ToolUse {
        tool: "Bash",
        input: command,
        is_shell: true,
        cwd: Some("/w/vendor/shop"),
    };
    weigh_tool_use(&used).is_outside(&Place)
}

fn list_wrong(commands: &'static str, expected: bool) -> Vec<&'static str> {
    let lines = commands.lines().filter(|it| !it.trim().is_empty());
    let is_wrong = |it: &&str| is_outside_command(&it.replace("␤", "\n")) != expected;
    lines.filter(is_wrong).collect()
}

/// One command a line; `␤` is a line's end inside of a command.
#[test]
fn commands_that_bring_in_strangers_words_expose() {
    assert_eq!(list_wrong(include_str!("tests/outside.txt"), true), [""; 0]);
}

#[test]
fn common_commands_do_not_expose() {
    let harmless = include_str!("tests/harmless.txt");
    assert!(harmless.lines().count() >= 40);
    assert_eq!(list_wrong(harmless, false), [""; 0]);
}

#[test]
fn tools_that_bring_in_strangers_words_expose() {
    let check = |tool: &str, input: &str, expected: bool| {
        let used = ToolUse {
            tool,
            input,
            is_shell: false,
            cwd: Some("/w/vendor/shop"),
        };
        let found = weigh_tool_use(&used).is_outside(&Place);
        assert_eq!(found, expected, "{tool} {input}");
    };
    // Claude Code.
    check("WebFetch", "{}", true);
    check("WebSearch", "{}", true);
    check("Task", "{}", true);
    check("Agent", "{}", true);
    check("Skill", "{}", true);
    check("TaskCreate", "{}", false);
    check(
        "Monitor",
        r#"{"command":"curl https://evil.example"}"#,
        true,
    );
    check("Monitor", r#"{"command":"cargo test"}"#, false);
    check("SomeNewTool", r#"{"url":"https://evil.example"}"#, true);
    check("SomeNewTool", r#"{"url":"http://localhost:3000"}"#, false);
    check("TodoWrite", "{}", false);
    check("Glob", r#"{"pattern":"**/*.rs"}"#, false);
    check(
        "Read",
        r#"{"file_path":"/w/vendor/shop/src/main.rs"}"#,
        false,
    );
    check(
        "Read",
        r#"{"file_path":"/w/vendor/shop/node_modules/x/README.md"}"#,
        true,
    );
    check(
        "Read",
        r#"{"file_path":"/home/me/.cargo/registry/src/x/lib.rs"}"#,
        true,
    );
    check(
        "Read",
        r#"{"file_path":"/home/me/Downloads/notes.md"}"#,
        true,
    );
    check("Read", r#"{"file_path":"src/vendor.rs"}"#, false);
    check("Grep", r#"{"pattern":"x","path":"third_party/zlib"}"#, true);
    check("Grep", r#"{"pattern":"x","glob":"node_modules/**"}"#, true);
    check(
        "Grep",
        r#"{"pattern":"node_modules/x","path":"src"}"#,
        false,
    );
    check(
        "ReadMcpResourceTool",
        r#"{"server":"docs","uri":"x://y"}"#,
        true,
    );
    check(
        "ReadMcpResourceTool",
        r#"{"server":"apostille2","uri":"memory://briefing"}"#,
        true,
    );
    check(
        "ReadMcpResourceTool",
        r#"{"server":"apostille","uri":"memory://briefing"}"#,
        false,
    );
    check("ListMcpResourcesTool", "{}", true);
    // Servers, as each client names their tools.
    check("mcp__apostille__memory_recall", "{}", false);
    check("mcp__evil-memory__ask", "{}", true);
    check("mcp__apostille2__memory_recall", "{}", true);
    check("mcp__Apostille_x__memory_recall", "{}", true);
    check("mcp__x_apostille__memory_recall", "{}", true);
    check("mcp__apostille__read_page", "{}", true);
    check("mcp__apostille__memory_recall_page", "{}", true);
    check("mcp_apostille_memory_recall", "{}", false);
    check("mcp_apostille_x_memory_recall", "{}", true);
    check("mcp_github_get_issue", "{}", true);
    check("apostille-memory_recall", "{}", false);
    check("github-mcp-server-get_issue", "{}", true);
    check("docs/search", "{}", true);
    check("MCP:memory_recall", "{}", false);
    check("MCP:get_issue", "{}", true);
    // Copilot, Gemini CLI, Cursor, VS Code, Codex.
    check("web_fetch", "{}", true);
    check("google_web_search", "{}", true);
    check("fetch_webpage", "{}", true);
    check("github_repo", "{}", true);
    check("runSubagent", "{}", true);
    check("activate_skill", "{}", true);
    check("spawn_agent", "{}", true);
    check("read_mcp_resource", r#"{"server":"docs"}"#, true);
    check("view", r#"{"path":"vendor/x/y.go"}"#, true);
    check("view", r#"{"path":"src/main.go"}"#, false);
    check(
        "read_many_files",
        r#"{"include":["src/**","node_modules/x/*.md"]}"#,
        true,
    );
    check("codebase_search", r#"{"query":"curl"}"#, false);
    check("update_plan", "{}", false);
}

#[test]
fn what_is_open_is_asked_of_the_place() {
    let used = ToolUse {
        input: "bash scripts/a.sh && git show fork/main && npx tsc",
        is_shell: true,
        ..ToolUse::default()
    };
    let expected = OutsideText {
        is_certain: false,
        scripts: vec!["scripts/a.sh".into()],
        remotes: vec!["fork".into()],
        packages: vec!["tsc".into()],
    };
    assert_eq!(weigh_tool_use(&used), expected);
}
