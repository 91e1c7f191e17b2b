//! What a tool was given, and which files that names.

use serde_json::Value;

use crate::hook::touched_paths::strip_patch_header;

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

/// What a tool was given, as text: a command as it was typed, the rest as JSON.
pub(crate) fn format_tool_input(given: &Value) -> String {
    let text = match given {
        Value::String(text) => text.clone(),
        _ => extract_input_command(given).unwrap_or_else(|| given.to_string()),
    };
    text.chars().take(INPUT_CHARS).collect()
}

fn extract_input_command(given: &Value) -> Option<String> {
    match COMMAND_FIELDS.iter().find_map(|it| given.get(it))? {
        // A file tool has a command and a path, and then the command says little.
        Value::String(text) if extract_input_paths(given).is_empty() => Some(text.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            Some(words.join(" "))
        }
        _ => None,
    }
}

/// Whether a tool was told to go on in the background: it reports success at once.
pub(crate) fn is_background_call(given: &Value) -> bool {
    let flags = [
        "run_in_background",
        "is_background",
        "isBackground",
        "background",
    ];
    flags.iter().any(|it| given[it] == true) || given["mode"] == "async"
}

/// The files that a tool was given.
pub(crate) fn extract_input_paths(given: &Value) -> Vec<String> {
    let named = PATH_FIELDS.iter().filter_map(|it| given[it].as_str());
    let patch = ["input", "patch"].iter().find_map(|it| given.get(it));
    let patch = patch.unwrap_or(given).as_str().or(given.as_str());
    let patched = patch.unwrap_or("").lines().filter_map(strip_patch_header);
    let mut all: Vec<String> = named
        .chain(patched.map(str::trim))
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect();
    all.dedup();
    all
}

/// The texts of a message: a string, or parts of which some are texts.
pub(crate) fn join_content_texts(content: &Value) -> String {
    match content {
        Value::Array(parts) => join_part_texts(parts),
        part => join_part_texts([part]),
    }
}

/// The texts among parts, each of which is a text or has one.
pub(crate) fn join_part_texts<'a>(parts: impl IntoIterator<Item = &'a Value>) -> String {
    let text = |it: &'a Value| it.as_str().or_else(|| it["text"].as_str());
    let texts: Vec<&str> = parts.into_iter().filter_map(text).collect();
    texts.join("\n")
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
