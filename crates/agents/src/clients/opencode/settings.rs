//! opencode's settings: one file with its servers, and a folder in which it loads every plugin.

use serde_json::json;

use crate::{
    client::Client,
    hook::Names,
    settings::{
        hooks::{HookShape, HooksLayout},
        layout::{AGENTS_MD, ClientSettings, UserFiles, choose_settings_file},
        server::{ServerEntry, ServerFormat},
    },
};

/// It reads both, and people have one of them.
const CONFIG: Names = &["opencode.json", "opencode.jsonc"];

pub(super) const SETTINGS: ClientSettings = ClientSettings {
    marks: &["opencode.json", "opencode.jsonc", ".opencode"],
    programs: &["opencode"],
    servers: CONFIG,
    server: &SERVER,
    // Where a repository has a folder `.opencode`, it installs packages into it (seen in 1.18.33), and it runs what is
    // there without asking. So the plugin is the user's own.
    hooks_file: None,
    instructions: &[AGENTS_MD],
    own_notes: None,
    excluded: None,
    user_server: &SERVER,
    find_user_files: |user| {
        let folder = user.xdg_config_folder().join("opencode");
        let servers = choose_settings_file(&folder, CONFIG);
        UserFiles {
            servers: servers.unwrap_or_else(|| folder.join(CONFIG[0])),
            hooks: Some(folder.join("plugins/apostille.js")),
            // They hide nothing in a repository, so they are made.
            instructions: Some((folder.join("AGENTS.md"), true)),
            folder,
        }
    },
    hooks: Some(&HOOKS),
    own_events: None,
    trust_note: "has its hooks from a plugin in your own folder: `apostille init --user --client opencode` writes it",
    hooks_note: None,
    rules_note: None,
};

/// The program and what it is told are one list.
const SERVER: ServerEntry = ServerEntry {
    format: ServerFormat::Json,
    list: "mcp",
    make: |command| json!({"type": "local", "command": [command, "mcp"], "enabled": true}),
};

const HOOKS: HooksLayout = HooksLayout {
    owner: Client::Opencode,
    shape: HookShape::Plugin(include_str!("plugin.js")),
    events: &[
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
        "PreCompact",
        "Stop",
        "SessionEnd",
    ],
    tool_events: &[],
    quick_event: None,
};
