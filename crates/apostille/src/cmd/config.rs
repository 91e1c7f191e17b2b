//! `config`: every setting, and where it came from.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::args::{Config, ConfigWhat};
use crate::paint::{BOLD, DIM, Paint, Table, ink, one_line};
use crate::shell::{Answer, Shell};
use apostille_workspace::config::{Files, Origin, Settings};
use apostille_workspace::error;
use apostille_workspace::error::Fault;

#[derive(Serialize)]
struct Reply {
    ok: bool,
    settings: BTreeMap<&'static str, Setting>,
}

#[derive(Serialize)]
struct Setting {
    value: String,
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

/// Shows the settings, or where their files are.
pub fn run(shell: &Shell, args: &Config) -> Result<Answer, Fault> {
    let place = shell.place()?;
    if let Some(ConfigWhat::Path) = args.what {
        return Ok(paths(shell, &Files::of(&shell.world, &place)));
    }
    let settings = shell.settings(&place)?;
    let view = |value: String, origin: &Origin| Setting {
        value,
        origin: origin.as_str(),
        file: origin.file().map(|it| it.display().to_string()),
    };
    let each = settings
        .each()
        .into_iter()
        .map(|(key, value, origin)| (key.as_str(), view(value, origin)));
    let json = Reply {
        ok: true,
        settings: each.collect(),
    };
    Ok(shell.answer(error::OK, &json, |paint| table(paint, &settings)))
}

fn table(paint: &Paint, settings: &Settings) -> String {
    let mut table = Table::default();
    for (key, value, origin) in settings.each() {
        let file = origin
            .file()
            .map(|it| format!(" {}", it.display()))
            .unwrap_or_default();
        table.row([
            ink(BOLD, key.as_str()),
            one_line(&value),
            ink(DIM, format!("{}{file}", origin.as_str())),
        ]);
    }
    table.text(paint, 0)
}

#[derive(Serialize)]
struct PathsReply {
    ok: bool,
    files: Vec<FileView>,
}

#[derive(Serialize)]
struct FileView {
    name: &'static str,
    path: String,
    exists: bool,
}

fn paths(shell: &Shell, files: &Files) -> Answer {
    let view = |name: &'static str, path: &Path| FileView {
        name,
        path: path.display().to_string(),
        exists: path.exists(),
    };
    let user = files.user.as_deref().map(|it| view("user file", it));
    let ours = [
        view("repository file", &files.repository),
        view("agent.json", &files.agent_json),
    ];
    let json = PathsReply {
        ok: true,
        files: user.into_iter().chain(ours).collect(),
    };
    shell.answer(error::OK, &json, |paint| {
        let mut table = Table::default();
        for it in &json.files {
            let absent = if it.exists { "" } else { "(not there)" };
            table.row([ink(BOLD, it.name), it.path.clone(), ink(DIM, absent)]);
        }
        table.text(paint, 0)
    })
}
