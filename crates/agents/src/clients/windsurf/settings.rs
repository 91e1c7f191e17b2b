//! Windsurf's settings. It reads servers from the user's own file alone; a repository has rules for it, and no server.

use serde_json::json;

use crate::settings::{
    layout::{AGENTS_MD, ClientSettings, UserFiles},
    server::{ServerEntry, ServerFormat},
};

pub(super) const SETTINGS: ClientSettings = ClientSettings {
    marks: &[".windsurf", ".windsurfrules"],
    programs: &["windsurf"],
    servers: &[],
    server: &SERVER,
    hooks_file: None,
    instructions: &[AGENTS_MD],
    own_notes: None,
    excluded: None,
    user_server: &SERVER,
    find_user_files: |user| {
        let folder = user.home.join(".codeium/windsurf");
        UserFiles {
            servers: folder.join("mcp_config.json"),
            hooks: None,
            instructions: None,
            folder,
        }
    },
    hooks: None,
    own_events: None,
    trust_note: "reads no server from a repository: `apostille init --user --client windsurf` registers it for all of them",
    hooks_note: None,
    rules_note: None,
};

const SERVER: ServerEntry = ServerEntry {
    format: ServerFormat::Json,
    list: "mcpServers",
    make: |command| json!({"command": command, "args": ["mcp"]}),
};
