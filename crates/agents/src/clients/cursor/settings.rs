//! Cursor's settings.

use crate::client::Client;
use serde_json::json;

use crate::settings::hooks::{HookEvent, HookShape, HooksLayout};
use crate::settings::layout::{
    AGENTS_MD, ClientSettings, RepositoryLayout, UserFiles, UserFolders, UserLayout,
};
use crate::settings::server::{ServerEntry, ServerFormat};

pub(super) const SETTINGS: ClientSettings = ClientSettings {
    marks: &[".cursor", ".cursorrules"],
    programs: &["cursor", "cursor-agent"],
    repository: RepositoryLayout {
        servers: ".cursor/mcp.json",
        server: &SERVER,
        hooks: ".cursor/hooks.json",
        instructions: &[AGENTS_MD],
        excluded: None,
    },
    user: UserLayout {
        server: &SERVER,
        find_files: find_cursor_files,
    },
    hooks: &HOOKS,
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
        HookEvent::new("sessionStart"),
        HookEvent::new("beforeSubmitPrompt"),
        HookEvent::for_tools("postToolUse", "Read|Write|Delete|Shell|WebFetch|WebSearch"),
        HookEvent::new("stop"),
        HookEvent::new("sessionEnd"),
    ],
};

fn find_cursor_files(user: &UserFolders<'_>) -> UserFiles {
    let folder = user.home.join(".cursor");
    UserFiles {
        servers: folder.join("mcp.json"),
        hooks: folder.join("hooks.json"),
        instructions: None,
        folder,
    }
}
