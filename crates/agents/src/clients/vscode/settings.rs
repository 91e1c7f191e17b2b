//! Visual Studio Code's settings. It has no hooks file of its own: it reads that of Copilot CLI, which says whom to ask.

use std::path::Path;

use serde_json::json;

use super::{
    super::{claude_code::settings as claude_code, copilot::settings as copilot},
    transcript::list_windows_of_folder,
};
use crate::settings::{
    layout::{AGENTS_MD, ClientSettings, OwnNotes, OwnNotesPlaces, UserFiles, UserFolders},
    server::{ServerEntry, ServerFormat},
};

pub(super) const SETTINGS: ClientSettings = ClientSettings {
    marks: &[".vscode/mcp.json"],
    programs: &["code"],
    servers: &[".vscode/mcp.json"],
    server: &ServerEntry {
        format: ServerFormat::Json,
        list: "servers",
        make: |command| {
            json!({
                "type": "stdio", "command": command, "args": ["mcp"], "cwd": "${workspaceFolder}"
            })
        },
    },
    hooks_file: Some(copilot::REPOSITORY_HOOKS),
    instructions: &[AGENTS_MD, claude_code::CLAUDE_MD],
    own_notes: Some(&OwnNotesPlaces {
        list: list_memory_tool_folders,
        way_off: "`github.copilot.chat.tools.memory.enabled` in its settings",
    }),
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
            hooks: Some(copilot::find_copilot_home(user).join(copilot::USER_HOOKS)),
            instructions: None,
            folder,
        }
    },
    hooks: Some(&copilot::HOOKS),
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

/// Below the storage of the user, and below that of the windows that show this repository.
fn list_memory_tool_folders(user: &UserFolders<'_>, root: &Path) -> Vec<OwnNotes> {
    const MEMORIES: &str = "memory-tool/memories";
    let storage = user.config_folder().join("Code/User");
    let global = storage.join("globalStorage/github.copilot-chat");
    let windows = list_windows_of_folder(&storage.join("workspaceStorage"), root);
    let here = windows.into_iter().map(|it| {
        let chat = it.join("GitHub.copilot-chat");
        OwnNotes::of_repository(chat.join(MEMORIES).join("repo"))
    });
    let mut all = vec![OwnNotes::of_user(global.join(MEMORIES))];
    all.extend(here);
    all
}
