//! The server in a client's JSON.

use serde_json::Value;

use super::{
    super::{
        EditedText,
        jsonc::{self, JsonNode, JsonStep},
        program::NAME,
    },
    ServerEntry, SettingsOwner,
    check::is_own_server,
};

/// The entry by the name of this program, if there is one; why there cannot be, where the text has another shape.
pub(super) fn find_json_server(text: &str, server: &ServerEntry) -> Result<Option<Value>, String> {
    let Some(root) = jsonc::parse_jsonc(text)? else {
        return Ok(None);
    };
    let path = [server.list, NAME];
    let (entry, rest) = jsonc::follow_json_path(&root, &path)?;
    Ok(rest.is_empty().then(|| entry.to_value()))
}

/// The text with the server in it. Of an entry that is there, only what is missing and the program's path are changed:
/// the rest is somebody's choice, in their own files.
pub(super) fn put_json_server(
    text: &str,
    server: &ServerEntry,
    whose: SettingsOwner,
    command: &str,
) -> EditedText {
    let wanted = (server.make)(command);
    let root = jsonc::parse_jsonc(text)?;
    let there = root
        .as_ref()
        .and_then(|it| it.member(server.list)?.member(NAME));
    let Some(there) = there.map(JsonNode::to_value) else {
        return jsonc::set_jsonc_value(text, &[server.list, NAME], &wanted);
    };
    server.check_entry(&there, whose)?;
    let is_same_program = ServerEntry::entry_program(&there) == Some(command);
    let is_due = |(key, _): &(&String, &Value)| match there.get(*key) {
        None => true,
        Some(_) => *key == "command" && !is_same_program,
    };
    let mut due = wanted.as_object().into_iter().flatten().filter(is_due);
    due.try_fold(text.to_owned(), |text, (key, value)| {
        // Where the program is the first word of a list, the words behind it stay.
        let mut corrected = there.get(key).filter(|it| it.is_array()).cloned();
        if let Some(program) = corrected.as_mut().and_then(|it| it.get_mut(0)) {
            *program = command.into();
        }
        let value = corrected.as_ref().unwrap_or(value);
        jsonc::set_jsonc_value(&text, &[server.list, NAME, key], value)
    })
}

/// The text without the server in these lists, and without a list if `first` had it not.
pub(in crate::settings) fn remove_json_server(
    text: &str,
    first: Option<&str>,
    lists: &[&str],
) -> EditedText {
    lists.iter().try_fold(text.to_owned(), |text, key| {
        let root = jsonc::parse_jsonc(&text)?;
        let list = root.as_ref().and_then(|it| it.member(key));
        let is_ours = |it: &JsonNode| is_own_server(&it.to_value());
        let Some(list) = list.filter(|it| it.member(NAME).is_some_and(is_ours)) else {
            return Ok(text);
        };
        let is_only = list.items().len() == 1 && !jsonc::has_jsonc_path(first, &[key]);
        let path = [JsonStep::Key(key), JsonStep::Key(NAME)];
        jsonc::remove_jsonc_entry(&text, if is_only { &path[..1] } else { &path })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ServerFormat;
    use super::*;

    /// An entry whose program is the first word of a list.
    const LISTED: ServerEntry = ServerEntry {
        format: ServerFormat::Json,
        list: "mcp",
        make: |command| json!({"type": "local", "command": [command, "mcp"], "enabled": true}),
    };

    fn put(entry: &str, whose: SettingsOwner) -> EditedText {
        let text = format!("{{\"mcp\": {{\"apostille\": {entry}}}}}");
        put_json_server(&text, &LISTED, whose, "apostille")
    }

    #[test]
    fn program_in_a_list_is_corrected_and_what_is_behind_it_stays() {
        let own = r#"{"command": ["/old/apostille", "mcp", "--tools", "files"], "enabled": false}"#;
        let new = put(own, SettingsOwner::User).unwrap();
        assert!(
            new.contains(r#""apostille", "mcp", "--tools", "files""#),
            "{new}"
        );
        assert!(new.contains(r#""enabled": false"#), "{new}");
        assert!(new.contains(r#""type": "local""#), "{new}");
        assert!(put(own, SettingsOwner::Anybody).is_err());
        let due = r#"{"type": "local", "command": ["apostille", "mcp"], "enabled": true}"#;
        let same = put(due, SettingsOwner::Anybody).unwrap();
        assert!(same.contains(due), "{same}");
    }

    #[test]
    fn entry_that_starts_another_program_is_left_alone() {
        for entry in [
            r#"{"command": ["sh", "-c", "apostille mcp"]}"#,
            r#"{"command": []}"#,
            r#"{"type": "remote", "url": "https://example.com/mcp"}"#,
            r#"{"type": "local", "command": ["apostille", "mcp"], "environment": {"APOSTILLE_STORE": "x"}}"#,
        ] {
            assert!(put(entry, SettingsOwner::Anybody).is_err(), "{entry}");
        }
    }
}
