//! Gemini CLI's settings.

use crate::client::Client;
use serde_json::{Value, json};

use crate::settings::{
    hooks::{HookShape, HooksLayout},
    layout::{ClientSettings, Instructions, OwnNotes, OwnNotesPlaces, RulesNote, UserFiles},
    server::{ServerEntry, ServerFormat},
};

pub(super) const SETTINGS: ClientSettings = ClientSettings {
    marks: &[".gemini", "GEMINI.md"],
    programs: &["gemini"],
    servers: &[".gemini/settings.json"],
    server: &SERVER,
    hooks_file: Some(".gemini/settings.json"),
    instructions: &[Instructions {
        file: "GEMINI.md",
        is_made: false,
    }],
    own_notes: Some(&OwnNotesPlaces {
        list: |user, _| {
            let folder = user.variable_or("GEMINI_CLI_HOME", "").join(".gemini");
            let notes = OwnNotes {
                heading: Some("## Gemini Added Memories"),
                ..OwnNotes::of_user(folder.join("GEMINI.md"))
            };
            vec![notes]
        },
        way_off: "`save_memory` under `tools.exclude` in its settings",
    }),
    excluded: None,
    user_server: &SERVER,
    find_user_files: |user| {
        let folder = user.variable_or("GEMINI_CLI_HOME", "").join(".gemini");
        UserFiles {
            servers: folder.join("settings.json"),
            hooks: Some(folder.join("settings.json")),
            instructions: Some((folder.join("GEMINI.md"), false)),
            folder,
        }
    },
    hooks: Some(&HOOKS),
    own_events: None,
    trust_note: "reads the files of a repository only where you trust it",
    hooks_note: None,
    rules_note: Some(RulesNote {
        file: "GEMINI.md",
        is_settled: |settings| match &settings["context"]["fileName"] {
            Value::Array(all) => all.iter().any(|it| it == "AGENTS.md"),
            one => one == "AGENTS.md",
        },
        text: "gemini reads neither AGENTS.md nor CLAUDE.md: make a GEMINI.md and run `apostille init` again, or set \
             context.fileName to [\"AGENTS.md\", \"GEMINI.md\"] in .gemini/settings.json",
    }),
};

/// Without `trust`, Gemini CLI offers no tools when it is run with a prompt.
const SERVER: ServerEntry = ServerEntry {
    format: ServerFormat::Json,
    list: "mcpServers",
    make: |command| json!({"command": command, "args": ["mcp"], "trust": true}),
};

const HOOKS: HooksLayout = HooksLayout {
    owner: Client::Gemini,
    shape: HookShape::NamedGroups,
    events: &[
        "SessionStart",
        "BeforeAgent",
        "BeforeTool",
        "AfterTool",
        "PreCompress",
        "AfterAgent",
        "SessionEnd",
    ],
    tool_events: &[
        (
            "BeforeTool",
            "invoke_agent|delegate_to_agent|codebase_investigator",
        ),
        // It announces an automatic compression before every prompt, whether or not there will be one.
        ("PreCompress", "manual"),
        (
            "AfterTool",
            "read_file|read_many_files|grep_search|search_file_content|write_file|replace|run_shell_command|web_fetch|google_web_search|activate_skill|invoke_agent|delegate_to_agent|codebase_investigator|mcp_.*",
        ),
    ],
    quick_event: None,
};
