//! The server in Codex's TOML: a section of its own at the end. What comes out is read again and compared, so that
//! nothing else can have changed, however the file is written.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Table, Value};

use super::part::{self, Whose};
use super::program::NAME;

const SERVERS: &str = "mcp_servers";
const HEADER: &str = "[mcp_servers.apostille]";

/// What Codex would not pass on, and the store depends on: hooks and server must find the same one.
pub const PASSED_ON: [&str; 7] = [
    "APOSTILLE_CONFIG",
    "APOSTILLE_REPO",
    "APOSTILLE_STORE",
    "APOSTILLE_USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

/// The entry of the server, if there is one; why there cannot be, where the text has another shape.
pub fn entry(text: &str) -> Result<Option<serde_json::Value>, String> {
    let whole = read(text.trim_start_matches('\u{feff}'))?;
    let Some(servers) = whole.get(SERVERS) else {
        return Ok(None);
    };
    let servers = servers
        .as_table()
        .ok_or_else(|| format!("`{SERVERS}` is not a table"))?;
    servers
        .get(NAME)
        .map(serde_json::to_value)
        .transpose()
        .map_err(|it| it.to_string())
}

/// The text with the server in it.
pub fn with(text: &str, whose: Whose, command: &str) -> Result<String, String> {
    let old = read(text)?;
    let Some(there) = entry(text).ok().flatten() else {
        return appended(text, old, command);
    };
    part::checked(&there, None, whose)?;
    match there["command"] == command {
        true => Ok(text.to_owned()),
        false => respelt(text, old, command),
    }
}

/// The text without the server; as it is, if it has none.
pub fn without(text: &str) -> Result<String, String> {
    let is_ours_there = |it: &serde_json::Value| part::checked(it, None, Whose::User).is_ok();
    if !entry(text)?.as_ref().is_some_and(is_ours_there) {
        return Ok(text.to_owned());
    }
    let mut expected = read(text)?;
    let Some(servers) = expected.get_mut(SERVERS).and_then(Value::as_table_mut) else {
        return Ok(text.to_owned());
    };
    if servers.remove(NAME).is_none() {
        return Ok(text.to_owned());
    }
    if servers.is_empty() {
        expected.remove(SERVERS);
    }
    let sections = sections(text);
    let is_last = sections.last().is_some_and(|it| is_ours(it));
    let new = sections
        .into_iter()
        .filter(|it| !is_ours(it))
        .collect::<String>();
    let new = if is_last { trimmed(&new, text) } else { new };
    compared(new, &expected, "take out")
}

fn appended(text: &str, mut expected: Table, command: &str) -> Result<String, String> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let texts =
        |all: &[&str]| Value::from(all.iter().map(|it| Value::from(*it)).collect::<Vec<_>>());
    let pairs = [
        ("command", Value::from(command)),
        ("args", texts(&["mcp"])),
        ("env_vars", texts(&PASSED_ON)),
    ];
    let lines: String = pairs
        .iter()
        .map(|(key, value)| format!("{key} = {value}{newline}"))
        .collect();
    let entry = Table::from_iter(pairs.map(|(key, value)| (key.to_owned(), value)));
    let servers = expected
        .entry(SERVERS)
        .or_insert_with(|| Table::new().into());
    if let Some(servers) = servers.as_table_mut() {
        servers.insert(NAME.into(), entry.into());
    }
    let gap = match text {
        _ if text.trim().is_empty() => "",
        _ if text.ends_with('\n') => newline,
        _ => &newline.repeat(2),
    };
    compared(
        format!("{text}{gap}{HEADER}{newline}{lines}"),
        &expected,
        "add",
    )
}

/// The text with another command in the entry that is there.
fn respelt(text: &str, mut expected: Table, command: &str) -> Result<String, String> {
    #[derive(Deserialize)]
    struct Whole {
        mcp_servers: BTreeMap<String, Entry>,
    }
    #[derive(Deserialize)]
    struct Entry {
        command: Option<Spanned<Value>>,
    }
    let whole: Whole = toml::from_str(text).map_err(|it| said(text, &it))?;
    let span = whole
        .mcp_servers
        .get(NAME)
        .and_then(|it| it.command.as_ref())
        .map(Spanned::span);
    let span = span.ok_or("its command is nowhere")?;
    let entry = expected
        .get_mut(SERVERS)
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
    compared(new, &expected, "change")
}

fn compared(new: String, expected: &Table, what: &str) -> Result<String, String> {
    match read(&new) {
        Ok(found) if found == *expected => Ok(new),
        _ => Err(format!(
            "it is written in a way that {HEADER} cannot be put into; {what} it by hand"
        )),
    }
}

fn read(text: &str) -> Result<Table, String> {
    text.parse::<Table>().map_err(|it| said(text, &it))
}

fn said(text: &str, error: &toml::de::Error) -> String {
    let at = error.span().map_or(0, |it| it.start);
    let line = text.get(..at).unwrap_or(text).matches('\n').count() + 1;
    format!("line {line}: {}", error.message())
}

/// The text in pieces, each beginning with a line that looks like a header.
fn sections(text: &str) -> Vec<String> {
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

fn is_ours(section: &str) -> bool {
    let header: String = section
        .lines()
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let header = header.replace('"', "");
    header.starts_with(HEADER) || header.starts_with("[mcp_servers.apostille.")
}

/// Without the empty line that stood before the section, at the end.
fn trimmed(new: &str, old: &str) -> String {
    let newline = if old.contains("\r\n") { "\r\n" } else { "\n" };
    match new.trim_end() {
        "" => String::new(),
        body => format!("{body}{newline}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTION: &str = "[mcp_servers.apostille]\ncommand = \"apostille\"\nargs = [\"mcp\"]\nenv_vars = [\"APOSTILLE_CONFIG\", \
                           \"APOSTILLE_REPO\", \"APOSTILLE_STORE\", \"APOSTILLE_USER\", \"XDG_CACHE_HOME\", \"XDG_CONFIG_HOME\", \
                           \"XDG_DATA_HOME\"]\n";

    #[test]
    fn the_section_comes_last_and_goes_again() {
        let check = |text: &str, before: &str| {
            let new = with(text, Whose::Anybody, "apostille").unwrap();
            assert_eq!(new.replace("\r\n", "\n"), format!("{before}{SECTION}"));
            assert_eq!(
                with(&new, Whose::Anybody, "apostille").as_deref(),
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
        let new = with(old, Whose::User, "apostille").unwrap();
        assert_eq!(new, old.replace("'/old/apostille'", "\"apostille\""));
        assert_eq!(without(&new).unwrap(), "[x]\n");
    }

    #[test]
    fn what_cannot_be_changed_is_said() {
        let check = |text: &str, expected: &str| {
            let why = with(text, Whose::Anybody, "apostille").unwrap_err();
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
