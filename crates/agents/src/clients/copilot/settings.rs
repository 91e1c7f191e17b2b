//! Copilot CLI's settings. In a repository it reads Claude Code's servers, in its own folder it has a file of its own.

use std::path::PathBuf;

use crate::{
    client::Client,
    settings::{
        hooks::{HookShape, HooksLayout},
        layout::{AGENTS_MD, ClientSettings, UserFiles, UserFolders},
        server::{ServerEntry, ServerFormat},
    },
};
use serde_json::json;

use super::super::claude_code::settings as claude_code;

pub(super) const SETTINGS: ClientSettings = ClientSettings {
    marks: &[
        ".github/hooks",
        ".github/copilot-instructions.md",
        ".github/mcp.json",
    ],
    programs: &["copilot"],
    servers: &[".mcp.json"],
    server: &claude_code::SERVER,
    hooks_file: Some(REPOSITORY_HOOKS),
    instructions: &[AGENTS_MD, claude_code::CLAUDE_MD],
    own_notes: None,
    excluded: None,
    user_server: &SERVER,
    find_user_files: |user| {
        let folder = find_copilot_home(user);
        UserFiles {
            servers: folder.join("mcp-config.json"),
            hooks: Some(folder.join(USER_HOOKS)),
            instructions: None,
            folder,
        }
    },
    hooks: Some(&HOOKS),
    own_events: None,
    trust_note: "reads the files of a repository only where you trust it",
    hooks_note: None,
    rules_note: None,
};

const SERVER: ServerEntry = ServerEntry {
    format: ServerFormat::Json,
    list: "mcpServers",
    make: |command| json!({"type": "stdio", "command": command, "args": ["mcp"], "tools": ["*"]}),
};

/// Its hooks in a repository.
pub(in crate::clients) const REPOSITORY_HOOKS: &str = ".github/hooks/apostille.json";

/// Its hooks in its folder of the user's home.
pub(in crate::clients) const USER_HOOKS: &str = "hooks/apostille.json";

/// Never `preToolUse`: there a hook that fails denies the tool.
pub(in crate::clients) const HOOKS: HooksLayout = HooksLayout {
    owner: Client::Copilot,
    shape: HookShape::Shells,
    events: &[
        "sessionStart",
        "userPromptSubmitted",
        "postToolUse",
        "preCompact",
        "agentStop",
        "sessionEnd",
    ],
    // Tools of servers have a hyphen or a slash in their name, its own have none.
    tool_events: &[(
        "postToolUse",
        "view|grep|edit|create|str_replace_editor|apply_patch|bash|powershell|web_fetch|web_search|task|skill|.*[-/].*",
    )],
    quick_event: None,
};

/// Its folder in the user's home.
pub(in crate::clients) fn find_copilot_home(user: &UserFolders) -> PathBuf {
    user.variable_or("COPILOT_HOME", ".copilot")
}
