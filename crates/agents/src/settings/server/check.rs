//! Whether the entry of a server is ours. In a repository it is the word of whoever could write there: it may not say more
//! than we would, or it would choose whom the memory is for, where it is kept, and what is loaded with the program.

use apostille_text::secrets;
use serde_json::{Value, json};

use super::super::program::{NAME, is_own_program};
use super::{PASSED_ON, SettingsOwner};

/// How much of an entry is shown.
const SHOWN: usize = 400;

/// What an entry may say besides: which tools are shown, for how long they are waited for, and whether it is on.
const HARMLESS: [&str; 17] = [
    "command",
    "args",
    "type",
    "cwd",
    "env_vars",
    "alwaysLoad",
    "description",
    "disabled",
    "disabled_tools",
    "enabled",
    "enabled_tools",
    "excludeTools",
    "includeTools",
    "startup_timeout_sec",
    "timeout",
    "tools",
    "trust",
];

/// Why an entry is not ours, if it is not; `cwd` is the folder that we would name.
pub(super) fn check_server_entry(
    entry: &Value,
    cwd: Option<&str>,
    whose: SettingsOwner,
) -> Result<(), String> {
    let is_program = entry["command"].as_str().is_some_and(is_own_program);
    if !is_program || entry["args"][0] != "mcp" {
        return Err(format!(
            "`{NAME}` is there and starts something else: {}",
            format_server_entry(entry)
        ));
    }
    match whose {
        SettingsOwner::Anybody if !is_plain_server_entry(entry, cwd) => Err(format!(
            "`{NAME}` is there and says more than init writes: {}; take it out if it is not yours",
            format_server_entry(entry)
        )),
        _ => Ok(()),
    }
}

/// Whether an entry says nothing that would lead the program elsewhere.
fn is_plain_server_entry(entry: &Value, cwd: Option<&str>) -> bool {
    let is = |key: &str, expected: &Value| entry.get(key).is_none_or(|it| it == expected);
    let names = entry["env_vars"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let is_ours = |it: &Value| it.as_str().is_some_and(|it| PASSED_ON.contains(&it));
    entry["args"] == json!(["mcp"])
        && is("type", &json!("stdio"))
        && is("cwd", &cwd.map_or(Value::Null, Into::into))
        && names.iter().all(is_ours)
        && entry
            .as_object()
            .is_some_and(|it| it.keys().all(|key| HARMLESS.contains(&key.as_str())))
}

fn format_server_entry(entry: &Value) -> String {
    let text = entry.to_string();
    if secrets::find_secret(&text).is_some() {
        "… (it holds a secret)".into()
    } else {
        truncate_entry_text(&text, SHOWN)
    }
}

/// The text, or as much of it as there is room for, in characters.
fn truncate_entry_text(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let kept: String = text.chars().take(room - 1).collect();
    format!("{}…", kept.trim_end())
}
