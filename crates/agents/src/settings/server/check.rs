//! Whether the entry of a server is ours. In a repository it is the word of whoever could write there: it may not say more
//! than we would, or it would choose whom the memory is for, where it is kept, and what is loaded with the program.

use apostille_text::secrets;
use apostille_text::shorten::shorten_text;
use serde_json::{Value, json};

use super::{
    super::program::{NAME, is_own_program},
    PASSED_ON, ServerEntry, SettingsOwner,
};

/// How much of an entry is shown, in characters.
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

/// The program that an entry starts, and what it is told. Some clients write both as one list.
pub(super) fn split_entry_command(entry: &Value) -> Option<(&str, Vec<&Value>)> {
    match &entry["command"] {
        Value::Array(words) => {
            let (program, arguments) = words.split_first()?;
            Some((program.as_str()?, arguments.iter().collect()))
        }
        program => Some((
            program.as_str()?,
            entry["args"].as_array()?.iter().collect(),
        )),
    }
}

/// Whether an entry starts this program as a server, however.
pub(super) fn is_own_server(entry: &Value) -> bool {
    let command = split_entry_command(entry);
    command.is_some_and(|(program, arguments)| {
        is_own_program(program) && arguments.first().is_some_and(|it| *it == "mcp")
    })
}

impl ServerEntry {
    /// What is wrong with an entry; nothing, if it is one of ours.
    pub fn check_entry(&self, entry: &Value, whose: SettingsOwner) -> Result<(), String> {
        let (problem, advice) = match whose {
            _ if !is_own_server(entry) => ("starts something else", ""),
            SettingsOwner::Anybody if !self.is_plain_entry(entry) => (
                "says more than init writes",
                "; take it out if it is not yours",
            ),
            _ => return Ok(()),
        };
        let entry = format_server_entry(entry);
        Err(format!("`{NAME}` is there and {problem}: {entry}{advice}"))
    }

    /// Whether an entry says nothing that would lead the program elsewhere.
    fn is_plain_entry(&self, entry: &Value) -> bool {
        let is = |key: &str, expected: &Value| entry.get(key).is_none_or(|it| it == expected);
        let mut names = entry["env_vars"].as_array().into_iter().flatten();
        split_entry_command(entry).is_some_and(|(_, it)| it == [&json!("mcp")])
            && is(
                "type",
                (self.make)("").get("type").unwrap_or(&json!("stdio")),
            )
            && is("cwd", &(self.make)("")["cwd"])
            && names.all(|it| it.as_str().is_some_and(|it| PASSED_ON.contains(&it)))
            && entry
                .as_object()
                .is_some_and(|it| it.keys().all(|key| HARMLESS.contains(&key.as_str())))
    }
}

fn format_server_entry(entry: &Value) -> String {
    let text = entry.to_string();
    match secrets::find_secret(&text) {
        Some(_) => "… (it holds a secret)".into(),
        None => shorten_text(&text, SHOWN),
    }
}
