//! Claude Code's settings.

use crate::client::Client;
use serde_json::json;

use crate::settings::{
    hooks::{HookShape, HooksLayout},
    layout::{AGENTS_MD, ClientSettings, Instructions, OwnNotes, OwnNotesPlaces, UserFiles},
    server::{ServerEntry, ServerFormat},
};

pub(super) const SETTINGS: ClientSettings = ClientSettings {
    marks: &[".claude", "CLAUDE.md", ".mcp.json"],
    programs: &["claude"],
    servers: &[".mcp.json"],
    server: &SERVER,
    // A hook in the settings that are committed would fail for whoever has not got the program.
    hooks_file: Some(".claude/settings.local.json"),
    instructions: &[AGENTS_MD, CLAUDE_MD],
    own_notes: Some(&OwnNotesPlaces {
        list: |user, root| {
            let project = (super::transcript::PLACES.find_folder)(user, root);
            let folder = project.map(|it| it.join("memory"));
            folder.map(OwnNotes::of_repository).into_iter().collect()
        },
        way_off: "`\"autoMemoryEnabled\": false` in its settings",
    }),
    excluded: Some("/.claude/settings.local.json"),
    user_server: &SERVER,
    find_user_files: |user| {
        let named = (user.variable)("CLAUDE_CONFIG_DIR");
        let folder = user.variable_or("CLAUDE_CONFIG_DIR", ".claude");
        UserFiles {
            servers: named
                .unwrap_or_else(|| user.home.clone())
                .join(".claude.json"),
            hooks: Some(folder.join("settings.json")),
            instructions: Some((folder.join("CLAUDE.md"), false)),
            folder,
        }
    },
    hooks: Some(&HOOKS),
    own_events: None,
    trust_note: "asks once whether to use the server of .mcp.json",
    hooks_note: None,
    rules_note: None,
};

/// A new one would hide AGENTS.md from Claude Code, so it is never made.
pub(in crate::clients) const CLAUDE_MD: Instructions = Instructions {
    file: "CLAUDE.md",
    is_made: false,
};

/// Without `alwaysLoad`, Claude Code shows its model the names of tools only.
pub(in crate::clients) const SERVER: ServerEntry = ServerEntry {
    format: ServerFormat::Json,
    list: "mcpServers",
    make: |command| json!({"type": "stdio", "command": command, "args": ["mcp"], "alwaysLoad": true}),
};

const HOOKS: HooksLayout = HooksLayout {
    owner: Client::ClaudeCode,
    shape: HookShape::Groups,
    events: &[
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUseFailure",
        "PreCompact",
        "Stop",
        "SessionEnd",
    ],
    tool_events: &[
        (
            "PreToolUse",
            "Read|Grep|Edit|MultiEdit|Write|NotebookEdit|Bash|PowerShell|WebFetch|WebSearch|Task|Agent|Skill|ReadMcpResourceTool|ListMcpResourcesTool|mcp__.*",
        ),
        ("PostToolUseFailure", "Bash|PowerShell"),
    ],
    quick_event: None,
};
