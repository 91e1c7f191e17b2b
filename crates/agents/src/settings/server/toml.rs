//! The server in a client's TOML: a section of its own at the end. What comes out is read again and compared, so that
//! nothing else can have changed, however the file is written.

use std::ops::Range;

use toml::{Table, Value, de::DeValue};

use super::{
    super::{EditedText, detect_newline, program::NAME},
    ServerEntry, SettingsOwner,
    check::is_own_server,
};

/// The entry of the server, if there is one; why there cannot be, where the text has another shape.
pub(super) fn find_toml_server(
    text: &str,
    list: &str,
) -> Result<Option<serde_json::Value>, String> {
    let whole = parse_toml_table(text.trim_start_matches('\u{feff}'))?;
    let Some(servers) = whole.get(list) else {
        return Ok(None);
    };
    let not_table = || format!("`{list}` is not a table");
    let entry = servers.as_table().ok_or_else(not_table)?.get(NAME);
    let entry = entry.map(serde_json::to_value).transpose();
    entry.map_err(|it| it.to_string())
}

/// The text with the server in it.
pub(super) fn put_toml_server(
    text: &str,
    server: &ServerEntry,
    whose: SettingsOwner,
    command: &str,
) -> EditedText {
    let old = parse_toml_table(text)?;
    let Some(there) = find_toml_server(text, server.list).ok().flatten() else {
        return append_toml_server(text, old, server, command);
    };
    server.check_entry(&there, whose)?;
    match there["command"] == command {
        true => Ok(text.to_owned()),
        false => replace_toml_command(text, old, server.list, command),
    }
}

/// The text without the server in these lists; as it is, if it has none.
pub(in crate::settings) fn remove_toml_server(text: &str, lists: &[&str]) -> EditedText {
    let mut lists = lists.iter();
    lists.try_fold(text.to_owned(), |text, list| {
        remove_toml_section(text, list)
    })
}

fn remove_toml_section(text: String, list: &str) -> EditedText {
    let entry = find_toml_server(&text, list)?;
    if !entry.as_ref().is_some_and(is_own_server) {
        return Ok(text);
    }
    let mut expected = parse_toml_table(&text)?;
    if let Some(servers) = expected.get_mut(list).and_then(Value::as_table_mut) {
        servers.remove(NAME);
        if servers.is_empty() {
            expected.remove(list);
        }
    }
    let mut sections = split_toml_sections(&text);
    let is_ours = |it: &String| is_own_toml_section(it, list);
    let is_last = sections.last().is_some_and(is_ours);
    sections.retain(|it| !is_ours(it));
    let mut new = sections.concat();
    // The empty line that stood before the section goes with it.
    if is_last {
        new.truncate(new.trim_end().len());
        if !new.is_empty() {
            new += detect_newline(&text);
        }
    }
    check_toml_result(new, &expected, list, "take out")
}

fn append_toml_server(
    text: &str,
    mut expected: Table,
    server: &ServerEntry,
    command: &str,
) -> EditedText {
    let (list, newline) = (server.list, detect_newline(text));
    let (mut entry, mut lines) = (Table::new(), String::new());
    // A TOML table would sort the keys; JSON keeps the order in which they were written.
    for (key, value) in (server.make)(command).as_object().into_iter().flatten() {
        let value = Value::try_from(value).map_err(|it| it.to_string())?;
        lines += &format!("{key} = {value}{newline}");
        entry.insert(key.clone(), value);
    }
    let servers = expected.entry(list).or_insert_with(|| Table::new().into());
    if let Some(servers) = servers.as_table_mut() {
        servers.insert(NAME.into(), entry.into());
    }
    let gap = match text {
        _ if text.trim().is_empty() => "",
        _ if text.ends_with('\n') => newline,
        _ => &newline.repeat(2),
    };
    let new = format!("{text}{gap}[{list}.{NAME}]{newline}{lines}");
    check_toml_result(new, &expected, list, "add")
}

/// The text with another command in the entry that is there.
fn replace_toml_command(text: &str, mut expected: Table, list: &str, command: &str) -> EditedText {
    let Range { start, end } = find_toml_command(text, list).ok_or("its command is nowhere")?;
    let entry = expected.get_mut(list).and_then(|it| it.get_mut(NAME));
    entry
        .and_then(Value::as_table_mut)
        .ok_or("its entry is nowhere")?
        .insert("command".into(), command.into());
    let new = [
        &text[..start],
        &Value::from(command).to_string(),
        &text[end..],
    ]
    .concat();
    check_toml_result(new, &expected, list, "change")
}

/// Where the command of the entry stands.
fn find_toml_command(text: &str, list: &str) -> Option<Range<usize>> {
    let whole = DeValue::Table(toml::de::DeTable::parse(text).ok()?.into_inner());
    let entry = whole.get(list)?.get_ref().get(NAME)?.get_ref();
    entry.get("command").map(toml::Spanned::span)
}

fn check_toml_result(new: String, expected: &Table, list: &str, what: &str) -> EditedText {
    match parse_toml_table(&new) {
        Ok(found) if found == *expected => Ok(new),
        _ => Err(format!(
            "it is written in a way that [{list}.{NAME}] cannot be put into; {what} it by hand"
        )),
    }
}

fn parse_toml_table(text: &str) -> Result<Table, String> {
    text.parse().map_err(|error: toml::de::Error| {
        let at = error.span().map_or(0, |it| it.start);
        let line = text.get(..at).unwrap_or(text).matches('\n').count() + 1;
        format!("line {line}: {}", error.message())
    })
}

/// The text in pieces, each beginning with a line that looks like a header.
fn split_toml_sections(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('[') {
            pieces.push(String::new());
        }
        if let Some(last) = pieces.last_mut() {
            last.push_str(line);
        }
    }
    pieces
}

fn is_own_toml_section(section: &str, list: &str) -> bool {
    let header = section.lines().next().unwrap_or_default();
    let header: String = header.split_whitespace().collect();
    let header = header.replace('"', "");
    let rest = header.strip_prefix(&format!("[{list}.{NAME}"));
    rest.is_some_and(|it| it.starts_with([']', '.']))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{PASSED_ON, ServerFormat};
    use super::*;

    const SERVER: ServerEntry = ServerEntry {
        format: ServerFormat::Toml,
        list: "mcp_servers",
        make: |command| json!({"command": command, "args": ["mcp"], "env_vars": PASSED_ON}),
    };

    fn with(text: &str, whose: SettingsOwner, command: &str) -> EditedText {
        put_toml_server(text, &SERVER, whose, command)
    }

    fn without(text: &str) -> EditedText {
        remove_toml_server(text, &[SERVER.list])
    }

    const SECTION: &str = "[mcp_servers.apostille]\ncommand = \"apostille\"\nargs = [\"mcp\"]\nenv_vars = [\"APOSTILLE_CONFIG\", \
                           \"APOSTILLE_REPO\", \"APOSTILLE_STORE\", \"APOSTILLE_USER\", \"XDG_CACHE_HOME\", \"XDG_CONFIG_HOME\", \
                           \"XDG_DATA_HOME\"]\n";

    #[test]
    fn the_section_comes_last_and_goes_again() {
        let check = |text: &str, before: &str| {
            let new = with(text, SettingsOwner::Anybody, "apostille").unwrap();
            assert_eq!(new.replace("\r\n", "\n"), format!("{before}{SECTION}"));
            assert_eq!(
                with(&new, SettingsOwner::Anybody, "apostille").as_deref(),
                Ok(new.as_str()),
                "twice is once"
            );
            assert_eq!(without(&new).unwrap().trim_end(), text.trim_end());
        };
        check("", "");
        check("model = \"x\" # mine\n", "model = \"x\" # mine\n\n");
        check("model = \"x\"", "model = \"x\"\n\n");
        check(
            "[mcp_servers.other]\r\ncommand = \"o\"\r\n",
            "[mcp_servers.other]\ncommand = \"o\"\n\n",
        );
    }

    #[test]
    fn an_entry_that_is_there_keeps_what_a_person_said() {
        let old = "[mcp_servers.apostille]\ncommand = '/old/apostille' # there\nargs = [\"mcp\", \"--profile\", \"all\"]\n\n[x]\n";
        let new = with(old, SettingsOwner::User, "apostille").unwrap();
        assert_eq!(new, old.replace("'/old/apostille'", "\"apostille\""));
        assert_eq!(without(&new).unwrap(), "[x]\n");
    }

    #[test]
    fn what_cannot_be_changed_is_said() {
        let check = |text: &str, expected: &str| {
            let why = with(text, SettingsOwner::Anybody, "apostille").unwrap_err();
            assert!(why.contains(expected), "{text:?}: {why}");
        };
        check("a = \nb = 1", "line 1");
        check("mcp_servers = { other = { command = \"o\" } }\n", "by hand");
        check(
            "[mcp_servers.apostille]\ncommand = \"docker\"\n",
            "something else",
        );
        check("mcp_servers = 1\n", "by hand");
    }
}
