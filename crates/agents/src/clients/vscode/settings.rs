//! Visual Studio Code's settings. It has no hooks file of its own: it reads that of Copilot CLI, which says whom to ask.

use serde_json::json;

use super::super::{claude_code::settings as claude_code, copilot::settings as copilot};
use crate::settings::{
    layout::{AGENTS_MD, ClientSettings, UserFiles},
    server::{ServerEntry, ServerFormat},
};

pub(super) const SETTINGS: ClientSettings = ClientSettings {
    marks: &[".vscode/mcp.json"],
    programs: &["code"],
    servers: ".vscode/mcp.json",
    server: &ServerEntry {
        format: ServerFormat::Json,
        list: "servers",
        make: |command| {
            json!({
                "type": "stdio", "command": command, "args": ["mcp"], "cwd": "${workspaceFolder}"
            })
        },
    },
    hooks_file: copilot::REPOSITORY_HOOKS,
    instructions: &[AGENTS_MD, claude_code::CLAUDE_MD],
    excluded: None,
    user_server: &ServerEntry {
        format: ServerFormat::Json,
        list: "servers",
        make: |command| json!({"type": "stdio", "command": command, "args": ["mcp"]}),
    },
    find_user_files: |user| {
        let folder = user.config_folder().join("Code/User");
        UserFiles {
            servers: folder.join("mcp.json"),
            hooks: copilot::find_copilot_home(user).join(copilot::USER_HOOKS),
            instructions: None,
            folder,
        }
    },
    hooks: &copilot::HOOKS,
    // It has none for the end of a session.
    own_events: Some(&[
        ("sessionStart", "SessionStart"),
        ("userPromptSubmitted", "UserPromptSubmit"),
        ("postToolUse", "PostToolUse"),
        ("preCompact", "PreCompact"),
        ("agentStop", "Stop"),
    ]),
    trust_note: "asks once whether to trust the server of mcp.json",
    hooks_note: None,
    rules_note: None,
};
