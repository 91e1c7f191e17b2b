//! The server in a client's TOML: a section of its own at the end. What comes out is read again and compared, so that
//! nothing else can have changed, however the file is written.

use std::ops::Range;

use toml::de::DeValue;
use toml::{Table, Value};

use super::super::program::NAME;
use super::check::check_server_entry;
use super::{ServerEntry, SettingsOwner};

/// The entry of the server, if there is one; why there cannot be, where the text has another shape.
pub(super) fn find_toml_server(
    text: &str,
    list: &str,
) -> Result<Option<serde_json::Value>, String> {
    let whole = parse_toml_table(text.trim_start_matches('\u{feff}'))?;
    let Some(servers) = whole.get(list) else {
        return Ok(None);
    };
    let servers = servers
        .as_table()
        .ok_or_else(|| format!("`{list}` is not a table"))?;
    servers
        .get(NAME)
        .map(serde_json::to_value)
        .transpose()
        .map_err(|it| it.to_string())
}

/// The text with the server in it.
pub(super) fn put_toml_server(
    text: &str,
    server: &ServerEntry,
    whose: SettingsOwner,
    command: &str,
) -> Result<String, String> {
    let old = parse_toml_table(text)?;
    let Some(there) = find_toml_server(text, server.list).ok().flatten() else {
        return append_toml_server(text, old, server, command);
    };
    check_server_entry(&there, None, whose)?;
    match there["command"] == command {
        true => Ok(text.to_owned()),
        false => replace_toml_command(text, old, server.list, command),
    }
}

/// The text without the server in these lists; as it is, if it has none.
pub(in crate::settings) fn remove_toml_server(
    text: &str,
    lists: &[&str],
) -> Result<String, String> {
    let mut text = text.to_owned();
    for list in lists {
        text = remove_toml_section(&text, list)?;
    }
    Ok(text)
}

fn remove_toml_section(text: &str, list: &str) -> Result<String, String> {
    let is_ours_there =
        |it: &serde_json::Value| check_server_entry(it, None, SettingsOwner::User).is_ok();
    if !find_toml_server(text, list)?
        .as_ref()
        .is_some_and(is_ours_there)
    {
        return Ok(text.to_owned());
    }
    let mut expected = parse_toml_table(text)?;
    let Some(servers) = expected.get_mut(list).and_then(Value::as_table_mut) else {
        return Ok(text.to_owned());
    };
    if servers.remove(NAME).is_none() {
        return Ok(text.to_owned());
    }
    if servers.is_empty() {
        expected.remove(list);
    }
    let sections = split_toml_sections(text);
    let is_last = sections
        .last()
        .is_some_and(|it| is_own_toml_section(it, list));
    let new = sections
        .into_iter()
        .filter(|it| !is_own_toml_section(it, list))
        .collect::<String>();
    let new = if is_last {
        trim_toml_end(&new, text)
    } else {
        new
    };
    check_toml_result(new, &expected, list, "take out")
}

fn format_section_header(list: &str) -> String {
    format!("[{list}.{NAME}]")
}

fn append_toml_server(
    text: &str,
    mut expected: Table,
    server: &ServerEntry,
    command: &str,
) -> Result<String, String> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let (mut entry, mut lines) = (Table::new(), String::new());
    // A TOML table would sort the keys; JSON keeps the order in which they were written.
    for (key, value) in (server.make)(command).as_object().into_iter().flatten() {
        let value = Value::try_from(value).map_err(|it| it.to_string())?;
        lines += &format!("{key} = {value}{newline}");
        entry.insert(key.clone(), value);
    }
    let servers = expected
        .entry(server.list)
        .or_insert_with(|| Table::new().into());
    if let Some(servers) = servers.as_table_mut() {
        servers.insert(NAME.into(), entry.into());
    }
    let gap = match text {
        _ if text.trim().is_empty() => "",
        _ if text.ends_with('\n') => newline,
        _ => &newline.repeat(2),
    };
    let new = format!(
        "{text}{gap}{}{newline}{lines}",
        format_section_header(server.list)
    );
    check_toml_result(new, &expected, server.list, "add")
}

/// The text with another command in the entry that is there.
fn replace_toml_command(
    text: &str,
    mut expected: Table,
    list: &str,
    command: &str,
) -> Result<String, String> {
    let span = find_toml_command(text, list).ok_or("its command is nowhere")?;
    let entry = expected
        .get_mut(list)
        .and_then(|it| it.get_mut(NAME))
        .and_then(Value::as_table_mut);
    entry
        .ok_or("its entry is nowhere")?
        .insert("command".into(), command.into());
    let new = format!(
        "{}{}{}",
        &text[..span.start],
        Value::from(command),
        &text[span.end..]
    );
    check_toml_result(new, &expected, list, "change")
}

/// Where the command of the entry stands.
fn find_toml_command(text: &str, list: &str) -> Option<Range<usize>> {
    let whole = DeValue::Table(toml::de::DeTable::parse(text).ok()?.into_inner());
    let entry = whole.get(list)?.get_ref().get(NAME)?.get_ref();
    entry.get("command").map(toml::Spanned::span)
}

fn check_toml_result(
    new: String,
    expected: &Table,
    list: &str,
    what: &str,
) -> Result<String, String> {
    match parse_toml_table(&new) {
        Ok(found) if found == *expected => Ok(new),
        _ => Err(format!(
            "it is written in a way that {} cannot be put into; {what} it by hand",
            format_section_header(list)
        )),
    }
}

fn parse_toml_table(text: &str) -> Result<Table, String> {
    text.parse::<Table>()
        .map_err(|it| describe_toml_error(text, &it))
}

fn describe_toml_error(text: &str, error: &toml::de::Error) -> String {
    let at = error.span().map_or(0, |it| it.start);
    let line = text.get(..at).unwrap_or(text).matches('\n').count() + 1;
    format!("line {line}: {}", error.message())
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
    let first: String = section
        .lines()
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let name = first.replace('"', "");
    name.starts_with(&self::format_section_header(list))
        || name.starts_with(&format!("[{list}.{NAME}."))
}

/// Without the empty line that stood before the section, at the end.
fn trim_toml_end(new: &str, old: &str) -> String {
    let newline = if old.contains("\r\n") { "\r\n" } else { "\n" };
    match new.trim_end() {
        "" => String::new(),
        body => format!("{body}{newline}"),
    }
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

    fn with(text: &str, whose: SettingsOwner, command: &str) -> Result<String, String> {
        put_toml_server(text, &SERVER, whose, command)
    }

    fn without(text: &str) -> Result<String, String> {
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
