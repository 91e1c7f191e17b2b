//! The server in a client's JSON.

use serde_json::Value;

use super::super::jsonc::{self, JsonKind, JsonStep};
use super::super::program::NAME;
use super::check::check_server_entry;
use super::{ServerEntry, SettingsOwner};

/// The entry by the name of this program, if there is one; why there cannot be, where the text has another shape.
pub(super) fn find_json_server(text: &str, server: &ServerEntry) -> Result<Option<Value>, String> {
    let Some(root) = jsonc::parse_jsonc(text)? else {
        return Ok(None);
    };
    if !matches!(root.kind, JsonKind::Object(_)) {
        return Err("it is not an object".into());
    }
    let Some(list) = root.child(JsonStep::Key(server.list)) else {
        return Ok(None);
    };
    if !matches!(list.kind, JsonKind::Object(_)) {
        return Err(format!("`{}` is not an object", server.list));
    }
    Ok(list
        .child(JsonStep::Key(NAME))
        .map(jsonc::JsonNode::to_value))
}

/// The text with the server in it. Of an entry that is there, only what is missing and the program's path are changed:
/// the rest is somebody's choice, in their own files.
pub(super) fn put_json_server(
    text: &str,
    server: &ServerEntry,
    whose: SettingsOwner,
    command: &str,
) -> Result<String, String> {
    let path = [server.list, NAME];
    let wanted = (server.make)(command);
    let root = jsonc::parse_jsonc(text)?;
    let there = root.as_ref().and_then(|it| {
        it.child(JsonStep::Key(path[0]))?
            .child(JsonStep::Key(path[1]))
    });
    let Some(there) = there.map(jsonc::JsonNode::to_value) else {
        return jsonc::set_jsonc_value(text, &path, &wanted);
    };
    check_server_entry(&there, server.working_folder().as_deref(), whose)?;
    let wanted = wanted.as_object().cloned().unwrap_or_default();
    let is_due = |key: &str, value: &Value| match there.get(key) {
        None => true,
        Some(found) => key == "command" && found != value,
    };
    let due = wanted.iter().filter(|(key, value)| is_due(key, value));
    due.into_iter()
        .try_fold(text.to_owned(), |text, (key, value)| {
            jsonc::set_jsonc_value(&text, &[path[0], path[1], key], value)
        })
}

/// The text without the server in these lists, and without a list if `first` had it not.
pub(in crate::settings) fn remove_json_server(
    text: &str,
    first: Option<&str>,
    lists: &[&str],
) -> Result<String, String> {
    let mut text = text.to_owned();
    for place in lists.iter().copied() {
        let Some(root) = jsonc::parse_jsonc(&text)? else {
            return Ok(text);
        };
        let Some(list) = root.child(JsonStep::Key(place)) else {
            continue;
        };
        let is_ours = list
            .child(JsonStep::Key(NAME))
            .is_some_and(|it| is_own_server(&it.to_value()));
        if !is_ours {
            continue;
        }
        let is_only = list.items().len() == 1 && !jsonc::has_jsonc_path(first, &[place]);
        let path = [JsonStep::Key(place), JsonStep::Key(NAME)];
        text = jsonc::remove_jsonc_entry(&text, if is_only { &path[..1] } else { &path })?;
    }
    Ok(text)
}

/// Whether an entry starts this program as a server, however.
fn is_own_server(entry: &Value) -> bool {
    check_server_entry(entry, None, SettingsOwner::User).is_ok()
}
