//! Claude Code's settings.

use crate::client::Client;
use serde_json::json;

use crate::settings::hooks::{HookEvent, HookShape, HooksLayout};
use crate::settings::layout::{
    AGENTS_MD, ClientSettings, Instructions, RepositoryLayout, UserFiles, UserFolders, UserLayout,
};
use crate::settings::server::{ServerEntry, ServerFormat};

pub(super) const SETTINGS: ClientSettings = ClientSettings {
    marks: &[".claude", "CLAUDE.md", ".mcp.json"],
    programs: &["claude"],
    repository: RepositoryLayout {
        servers: ".mcp.json",
        server: &SERVER,
        // A hook in the settings that are committed would fail for whoever has not got the program.
        hooks: ".claude/settings.local.json",
        instructions: &[AGENTS_MD, CLAUDE_MD],
        excluded: Some("/.claude/settings.local.json"),
    },
    user: UserLayout {
        server: &SERVER,
        find_files: find_claude_code_files,
    },
    hooks: &HOOKS,
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
    shape: HookShape::Groups {
        ticks: 1,
        is_named: false,
    },
    events: &[
        HookEvent::new("SessionStart"),
        HookEvent::new("UserPromptSubmit"),
        HookEvent::for_tools(
            "PreToolUse",
            "Read|Edit|MultiEdit|Write|NotebookEdit|Bash|WebFetch|WebSearch|mcp__.*",
        ),
        HookEvent::new("PreCompact"),
        HookEvent::new("Stop"),
        HookEvent::new("SessionEnd"),
    ],
};

fn find_claude_code_files(user: &UserFolders<'_>) -> UserFiles {
    let named = (user.variable)("CLAUDE_CONFIG_DIR");
    let folder = user.variable_or("CLAUDE_CONFIG_DIR", ".claude");
    UserFiles {
        servers: named
            .unwrap_or_else(|| user.home.clone())
            .join(".claude.json"),
        hooks: folder.join("settings.json"),
        instructions: Some((folder.join("CLAUDE.md"), false)),
        folder,
    }
}
