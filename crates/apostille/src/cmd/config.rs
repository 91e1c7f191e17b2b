//! `config`: every setting, and where it came from.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde_json::json;

use apostille_terminal::{
    args::{ConfigArgs, ConfigSubcommand},
    command_context::{CommandContext, CommandOutput, CommandResult},
    paint::{BOLD, DIM, flatten_to_line, style_text},
};
use apostille_workspace::config::ConfigFiles;

#[derive(Serialize)]
struct SettingView {
    value: String,
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

/// Shows the settings, or where their files are.
pub fn run(ctx: &CommandContext, args: &ConfigArgs) -> CommandResult {
    let place = ctx.find_project_folder()?;
    if let Some(ConfigSubcommand::Path) = args.what {
        let files = ConfigFiles::for_folder(&ctx.system, &place);
        return Ok(build_config_paths_output(ctx, &files));
    }
    let settings = ctx.resolve_settings(&place)?;
    let views: Vec<(&str, SettingView)> = settings
        .list_settings()
        .into_iter()
        .map(|(key, value, origin)| {
            let view = SettingView {
                value,
                origin: origin.as_str(),
                file: origin.file().map(|it| it.display().to_string()),
            };
            (key.as_str(), view)
        })
        .collect();
    let sorted: BTreeMap<_, _> = views.iter().map(|(key, view)| (key, view)).collect();
    let json = json!({"ok": true, "settings": sorted});
    Ok(ctx.render_output(&json, |paint| {
        let row = |(key, it): &(&str, SettingView)| {
            let file = it.file.as_ref().map(|it| format!(" {it}"));
            let origin = format!("{}{}", it.origin, file.unwrap_or_default());
            [
                style_text(BOLD, key),
                flatten_to_line(&it.value),
                style_text(DIM, origin),
            ]
        };
        paint.format_table(0, views.iter().map(row))
    }))
}

#[derive(Serialize)]
struct ConfigFileView {
    name: &'static str,
    path: String,
    exists: bool,
}

fn build_config_paths_output(ctx: &CommandContext, files: &ConfigFiles) -> CommandOutput {
    let view = |name: &'static str, path: &Path| ConfigFileView {
        name,
        path: path.display().to_string(),
        exists: path.exists(),
    };
    let mut views: Vec<ConfigFileView> = Vec::new();
    views.extend(files.user.as_deref().map(|it| view("user file", it)));
    views.push(view("repository file", &files.repository));
    views.push(view("agent.json", &files.agent_json));
    let json = json!({"ok": true, "files": views});
    ctx.render_output(&json, |paint| {
        let row = |it: &ConfigFileView| {
            let absent = if it.exists { "" } else { "(not there)" };
            [
                style_text(BOLD, it.name),
                it.path.clone(),
                style_text(DIM, absent),
            ]
        };
        paint.format_table(0, views.iter().map(row))
    })
}
