//! The plugin of Claude Code and the extension of Gemini CLI in `integrations/`: files of the repository, made of the same
//! tables as what `init` writes. `APOSTILLE_BLESS=1` writes them anew.

use std::{
    fs,
    path::{Path, PathBuf},
};

use apostille_agents::{
    client::Client,
    clients::{ClientProfile, find_client_profile},
    settings::{
        program::ProgramCommand,
        rules_block::RULES,
        server::SettingsOwner,
        settings_part::{SettingsEdit, SettingsPart, parse_jsonc_value, plan_settings_edit},
    },
};
use serde_json::{Value, json};

const DESCRIPTION: &str = "Verified, shared memory for coding agents: the memory server, and hooks that bring memory without being asked";

/// What a settings part says in a file of its own.
fn part(part: SettingsPart) -> Value {
    let program = ProgramCommand::new("apostille");
    match plan_settings_edit(None, &[part], &program) {
        SettingsEdit::Bytes(bytes) => {
            parse_jsonc_value(&String::from_utf8(bytes).unwrap()).unwrap()
        }
        other => panic!("{other:?}"),
    }
}

fn server(profile: &ClientProfile) -> Value {
    let server = profile.settings.server;
    part(SettingsPart::Server(server, SettingsOwner::Anybody))
}

fn hooks(profile: &ClientProfile) -> Value {
    part(SettingsPart::Hooks(profile.settings.hooks.unwrap()))
}

fn page(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

/// A folder that is a plugin, and a marketplace that lists it.
fn claude_code_files() -> Vec<(&'static str, String)> {
    let profile = find_client_profile(Client::ClaudeCode);
    let version = env!("CARGO_PKG_VERSION");
    let manifest = json!({
        "name": "apostille", "version": version, "description": DESCRIPTION,
        "author": {"name": "Apostille contributors"}, "license": "MIT OR Apache-2.0",
        "keywords": ["memory", "mcp", "hooks"],
    });
    let marketplace = json!({
        "name": "apostille", "owner": {"name": "Apostille contributors"},
        "metadata": {"description": DESCRIPTION, "version": version},
        "plugins": [{"name": "apostille", "source": "./", "description": DESCRIPTION}],
    });
    vec![
        (".claude-plugin/plugin.json", page(&manifest)),
        (".claude-plugin/marketplace.json", page(&marketplace)),
        (".mcp.json", page(&server(profile))),
        ("hooks/hooks.json", page(&hooks(profile))),
    ]
}

/// An extension: it may not trust its own server, so that is left to the person.
fn gemini_files() -> Vec<(&'static str, String)> {
    let profile = find_client_profile(Client::Gemini);
    let mut manifest = json!({
        "name": "apostille", "version": env!("CARGO_PKG_VERSION"), "description": DESCRIPTION,
        "contextFileName": "GEMINI.md",
    });
    let mut servers = server(profile)["mcpServers"].take();
    servers["apostille"]
        .as_object_mut()
        .unwrap()
        .shift_remove("trust");
    manifest["mcpServers"] = servers;
    vec![
        ("gemini-extension.json", page(&manifest)),
        ("hooks/hooks.json", page(&hooks(profile))),
        ("GEMINI.md", format!("{RULES}\n")),
    ]
}

#[expect(
    clippy::disallowed_methods,
    reason = "whoever runs the test says whether to write them anew"
)]
fn check_folder(name: &str, files: Vec<(&'static str, String)>) {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../integrations")
        .join(name);
    for (path, expected) in files {
        let file = folder.join(path);
        if std::env::var_os("APOSTILLE_BLESS").is_some() {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, &expected).unwrap();
        }
        let found = fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(
            found, expected,
            "{name}/{path}: APOSTILLE_BLESS=1 writes it anew"
        );
    }
}

#[test]
fn plugin_of_claude_code_says_what_init_writes() {
    check_folder("claude-code", claude_code_files());
}

#[test]
fn extension_of_gemini_says_what_init_writes() {
    check_folder("gemini-cli", gemini_files());
}
