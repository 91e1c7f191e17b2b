//! Zed's settings: one file with everything, in which people write comments.

use serde_json::json;

use crate::settings::{
    layout::{AGENTS_MD, ClientSettings, UserFiles},
    server::{ServerEntry, ServerFormat},
};

pub(super) const SETTINGS: ClientSettings = ClientSettings {
    marks: &[".zed"],
    programs: &["zed", "zeditor"],
    servers: &[".zed/settings.json"],
    server: &SERVER,
    hooks_file: None,
    instructions: &[AGENTS_MD],
    own_notes: None,
    excluded: None,
    user_server: &SERVER,
    find_user_files: |user| {
        // On macOS, too, it is the folder of XDG.
        let folder = match cfg!(windows) {
            true => user.config_folder().join("Zed"),
            false => user.xdg_config_folder().join("zed"),
        };
        UserFiles {
            servers: folder.join("settings.json"),
            hooks: None,
            instructions: None,
            folder,
        }
    },
    hooks: None,
    own_events: None,
    trust_note: "starts the server of a repository only where you trust the worktree",
    hooks_note: None,
    rules_note: None,
};

const SERVER: ServerEntry = ServerEntry {
    format: ServerFormat::Json,
    list: "context_servers",
    make: |command| json!({"command": command, "args": ["mcp"]}),
};
