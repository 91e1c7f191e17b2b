//! `config`: every setting, and where it came from.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use apostille_terminal::args::{ConfigArgs, ConfigSubcommand};
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{BOLD, DIM, Paint, TextTable, flatten_to_line, style_text};
use apostille_workspace::config::{ConfigFiles, SettingOrigin, Settings};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;

#[derive(Serialize)]
struct ConfigReply {
    ok: bool,
    settings: BTreeMap<&'static str, SettingView>,
}

#[derive(Serialize)]
struct SettingView {
    value: String,
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

/// Shows the settings, or where their files are.
pub fn run(shell: &CommandContext, args: &ConfigArgs) -> Result<CommandOutput, CommandError> {
    let place = shell.find_project_folder()?;
    if let Some(ConfigSubcommand::Path) = args.what {
        return Ok(build_config_paths_output(
            shell,
            &ConfigFiles::for_folder(&shell.world, &place),
        ));
    }
    let settings = shell.resolve_settings(&place)?;
    let view = |value: String, origin: &SettingOrigin| SettingView {
        value,
        origin: origin.as_str(),
        file: origin.file().map(|it| it.display().to_string()),
    };
    let each = settings
        .list_settings()
        .into_iter()
        .map(|(key, value, origin)| (key.as_str(), view(value, origin)));
    let json = ConfigReply {
        ok: true,
        settings: each.collect(),
    };
    Ok(shell.render_output(error::OK, &json, |paint| {
        format_settings_table(paint, &settings)
    }))
}

fn format_settings_table(paint: &Paint, settings: &Settings) -> String {
    let mut table = TextTable::default();
    for (key, value, origin) in settings.list_settings() {
        let file = origin
            .file()
            .map(|it| format!(" {}", it.display()))
            .unwrap_or_default();
        table.add_row([
            style_text(BOLD, key.as_str()),
            flatten_to_line(&value),
            style_text(DIM, format!("{}{file}", origin.as_str())),
        ]);
    }
    table.to_text(paint, 0)
}

#[derive(Serialize)]
struct ConfigPathsReply {
    ok: bool,
    files: Vec<ConfigFileView>,
}

#[derive(Serialize)]
struct ConfigFileView {
    name: &'static str,
    path: String,
    exists: bool,
}

fn build_config_paths_output(shell: &CommandContext, files: &ConfigFiles) -> CommandOutput {
    let view = |name: &'static str, path: &Path| ConfigFileView {
        name,
        path: path.display().to_string(),
        exists: path.exists(),
    };
    let user = files.user.as_deref().map(|it| view("user file", it));
    let ours = [
        view("repository file", &files.repository),
        view("agent.json", &files.agent_json),
    ];
    let json = ConfigPathsReply {
        ok: true,
        files: user.into_iter().chain(ours).collect(),
    };
    shell.render_output(error::OK, &json, |paint| {
        let mut table = TextTable::default();
        for it in &json.files {
            let absent = if it.exists { "" } else { "(not there)" };
            table.add_row([
                style_text(BOLD, it.name),
                it.path.clone(),
                style_text(DIM, absent),
            ]);
        }
        table.to_text(paint, 0)
    })
}
