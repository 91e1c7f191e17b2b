//! Gemini CLI's settings.

use crate::client::Client;
use serde_json::{Value, json};

use crate::settings::hooks::{HookEvent, HookShape, HooksLayout};
use crate::settings::layout::{
    ClientSettings, Instructions, RepositoryLayout, RulesNote, UserFiles, UserFolders, UserLayout,
};
use crate::settings::server::{ServerEntry, ServerFormat};

pub(super) const SETTINGS: ClientSettings = ClientSettings {
    marks: &[".gemini", "GEMINI.md"],
    programs: &["gemini"],
    repository: RepositoryLayout {
        servers: ".gemini/settings.json",
        server: &SERVER,
        hooks: ".gemini/settings.json",
        instructions: &[Instructions {
            file: "GEMINI.md",
            is_made: false,
        }],
        excluded: None,
    },
    user: UserLayout {
        server: &SERVER,
        find_files: find_gemini_files,
    },
    hooks: &HOOKS,
    own_events: None,
    trust_note: "reads the files of a repository only where you trust it",
    hooks_note: None,
    rules_note: Some(RulesNote {
        file: "GEMINI.md",
        is_settled: has_agents_md_setting,
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
    shape: HookShape::Groups {
        ticks: 1_000,
        is_named: true,
    },
    events: &[
        HookEvent::new("SessionStart"),
        HookEvent::new("BeforeAgent"),
        HookEvent::for_tools(
            "AfterTool",
            "read_file|read_many_files|write_file|replace|run_shell_command|web_fetch|google_web_search",
        ),
        HookEvent::new("AfterAgent"),
        HookEvent::new("SessionEnd"),
    ],
};

/// Whether it is told to read AGENTS.md.
fn has_agents_md_setting(settings: &Value) -> bool {
    match &settings["context"]["fileName"] {
        Value::Array(all) => all.iter().any(|it| it == "AGENTS.md"),
        one => one == "AGENTS.md",
    }
}

fn find_gemini_files(user: &UserFolders<'_>) -> UserFiles {
    let folder = user.variable_or("GEMINI_CLI_HOME", "").join(".gemini");
    UserFiles {
        servers: folder.join("settings.json"),
        hooks: folder.join("settings.json"),
        instructions: Some((folder.join("GEMINI.md"), false)),
        folder,
    }
}
