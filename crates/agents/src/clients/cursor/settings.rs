//! Cursor's settings.

use crate::client::Client;
use serde_json::json;

use crate::settings::{
    hooks::{HookShape, HooksLayout},
    layout::{AGENTS_MD, ClientSettings, UserFiles},
    server::{ServerEntry, ServerFormat},
};

pub(super) const SETTINGS: ClientSettings = ClientSettings {
    marks: &[".cursor", ".cursorrules"],
    programs: &["cursor", "cursor-agent"],
    servers: &[".cursor/mcp.json"],
    server: &SERVER,
    hooks_file: Some(".cursor/hooks.json"),
    instructions: &[AGENTS_MD],
    own_notes: None,
    excluded: None,
    user_server: &SERVER,
    find_user_files: |user| {
        let folder = user.home.join(".cursor");
        UserFiles {
            servers: folder.join("mcp.json"),
            hooks: Some(folder.join("hooks.json")),
            instructions: None,
            folder,
        }
    },
    hooks: Some(&HOOKS),
    own_events: None,
    trust_note: "asks once whether to use the server of mcp.json",
    hooks_note: None,
    rules_note: None,
};

const SERVER: ServerEntry = ServerEntry {
    format: ServerFormat::Json,
    list: "mcpServers",
    make: |command| json!({"command": command, "args": ["mcp"]}),
};

const HOOKS: HooksLayout = HooksLayout {
    owner: Client::Cursor,
    shape: HookShape::Flat,
    events: &[
        "sessionStart",
        "beforeSubmitPrompt",
        "postToolUse",
        "preCompact",
        "stop",
        "sessionEnd",
    ],
    tool_events: &[(
        "postToolUse",
        "Read|Grep|Write|Delete|Shell|Task|WebFetch|WebSearch|MCP:.*",
    )],
    quick_event: None,
};
