//! Codex's settings.

use crate::client::Client;
use serde_json::json;

use crate::settings::{
    hooks::{HookShape, HooksLayout},
    layout::{AGENTS_MD, ClientSettings, OwnNotes, OwnNotesPlaces, UserFiles},
    server::{PASSED_ON, ServerEntry, ServerFormat},
};

pub(super) const SETTINGS: ClientSettings = ClientSettings {
    marks: &[".codex"],
    programs: &["codex"],
    servers: &[".codex/config.toml"],
    server: &SERVER,
    hooks_file: Some(".codex/hooks.json"),
    instructions: &[AGENTS_MD],
    own_notes: Some(&OwnNotesPlaces {
        list: |user, _| {
            let folder = user.variable_or("CODEX_HOME", ".codex");
            vec![OwnNotes::of_user(folder.join("memories"))]
        },
        way_off: "`memories = false` under `[features]` in its config.toml",
    }),
    excluded: None,
    user_server: &SERVER,
    find_user_files: |user| {
        let folder = user.variable_or("CODEX_HOME", ".codex");
        UserFiles {
            servers: folder.join("config.toml"),
            hooks: Some(folder.join("hooks.json")),
            // They hide nothing, so they are made.
            instructions: Some((folder.join("AGENTS.md"), true)),
            folder,
        }
    },
    hooks: Some(&HOOKS),
    own_events: None,
    trust_note: "reads the files of a repository only where you trust it",
    hooks_note: Some("skips hooks that were not reviewed: run /hooks in it and trust them"),
    rules_note: None,
};

/// Codex starts servers in a bare environment.
const SERVER: ServerEntry = ServerEntry {
    format: ServerFormat::Toml,
    list: "mcp_servers",
    make: |command| json!({"command": command, "args": ["mcp"], "env_vars": PASSED_ON}),
};

const HOOKS: HooksLayout = HooksLayout {
    owner: Client::Codex,
    shape: HookShape::Groups,
    events: &[
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Stop",
        "SessionEnd",
    ],
    tool_events: &[
        ("PreToolUse", "Bash|apply_patch|mcp__.*"),
        ("PostToolUse", "Bash"),
    ],
    // Codex allows no more than three seconds at the end.
    quick_event: Some("SessionEnd"),
};
