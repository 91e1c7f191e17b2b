//! What a tool was given, and which files that names.

use jiff::Timestamp;
use serde_json::Value;

/// How much of what a tool was given is kept, in characters.
const INPUT_CHARS: usize = 4_000;
/// The fields in which clients write a file down.
const PATH_FIELDS: &[&str] = &[
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "absolute_path",
    "target_file",
    "filename",
];
/// The fields in which clients write a command down.
const COMMAND_FIELDS: &[&str] = &["command", "cmd"];
/// How a patch names the files it is about.
const PATCH_LINES: &[&str] = &[
    "*** Update File: ",
    "*** Add File: ",
    "*** Delete File: ",
    "*** Move to: ",
];

/// What a tool was given, as text: a command as it was typed, the rest as JSON.
pub(crate) fn format_tool_input(given: &Value) -> String {
    let text = match given {
        Value::String(text) => text.clone(),
        _ => extract_input_command(given).unwrap_or_else(|| given.to_string()),
    };
    text.chars().take(INPUT_CHARS).collect()
}

fn extract_input_command(given: &Value) -> Option<String> {
    let field = COMMAND_FIELDS.iter().find_map(|it| given.get(it))?;
    match field {
        // A file tool has a command and a path, and then the command says little.
        Value::String(text) if extract_input_paths(given).is_empty() => Some(text.clone()),
        Value::Array(words) => Some(
            words
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(" "),
        ),
        _ => None,
    }
}

/// The files that a tool was given.
pub(crate) fn extract_input_paths(given: &Value) -> Vec<String> {
    let named = PATH_FIELDS
        .iter()
        .filter_map(|it| given.get(it))
        .filter_map(Value::as_str)
        .map(str::to_owned);
    let patch = ["input", "patch"]
        .iter()
        .find_map(|it| given.get(it))
        .and_then(Value::as_str);
    let patched = patch
        .or(given.as_str())
        .unwrap_or("")
        .lines()
        .filter_map(|line| {
            PATCH_LINES
                .iter()
                .find_map(|it| line.strip_prefix(it))
                .map(|it| it.trim().to_owned())
        });
    let mut all: Vec<String> = named.chain(patched).filter(|it| !it.is_empty()).collect();
    all.dedup();
    all
}

/// The texts of a message: a string, or parts of which some are texts.
pub(crate) fn join_content_texts(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let text = |it: &Value| {
                it.as_str()
                    .or_else(|| it.get("text")?.as_str())
                    .map(str::to_owned)
            };
            parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
        }
        Value::Object(part) => part
            .get("text")
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_owned(),
        _ => String::new(),
    }
}

/// A field that is a text.
pub(crate) fn text_field<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field)?.as_str()
}

/// When a line was written.
pub(crate) fn parse_line_time(value: Option<&Value>) -> Option<Timestamp> {
    value?.as_str()?.parse().ok()
}

/// How a command ended, from the line that a client puts before or behind what it printed.
pub(crate) fn parse_exit_line(printed: &str) -> Option<bool> {
    const SAYS: &[&str] = &[
        "Process exited with code ",
        "Exit code: ",
        "Exit Code: ",
        "<exited with exit code ",
    ];
    let lines = printed.lines();
    let code = lines
        .clone()
        .take(6)
        .chain(lines.rev().take(6))
        .find_map(|line| {
            let code = SAYS.iter().find_map(|it| line.trim().strip_prefix(it))?;
            code.trim_end_matches('>').trim().parse::<i64>().ok()
        })?;
    Some(code == 0)
}
