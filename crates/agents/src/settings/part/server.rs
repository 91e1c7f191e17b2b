//! The server in a client's JSON: one entry, by the name of this program.

use serde_json::{Value, json};

use super::super::jsonc::{self, Kind, Step};
use super::super::program::NAME;
use super::Whose;
use super::entry::checked;

/// How a client writes its servers down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Servers {
    /// Claude Code, and Copilot CLI in a repository.
    Claude,
    /// Copilot CLI in its own folder.
    Copilot,
    /// Gemini CLI.
    Gemini,
    /// Cursor.
    Plain,
    /// Visual Studio Code in a repository.
    CodeHere,
    /// Visual Studio Code for the user.
    Code,
}

impl Servers {
    fn place(self) -> &'static str {
        match self {
            Self::CodeHere | Self::Code => "servers",
            _ => "mcpServers",
        }
    }

    /// The folder that the server is started in, where it is named.
    pub fn cwd(self) -> Option<&'static str> {
        (self == Self::CodeHere).then_some("${workspaceFolder}")
    }

    fn entry(self, command: &str) -> Value {
        match self {
            // Without `alwaysLoad`, Claude Code shows its model the names of tools only.
            Self::Claude => {
                json!({"type": "stdio", "command": command, "args": ["mcp"], "alwaysLoad": true})
            }
            Self::Copilot => {
                json!({"type": "stdio", "command": command, "args": ["mcp"], "tools": ["*"]})
            }
            // Without `trust`, Gemini CLI offers no tools when it is run with a prompt.
            Self::Gemini => json!({"command": command, "args": ["mcp"], "trust": true}),
            Self::Plain => json!({"command": command, "args": ["mcp"]}),
            Self::CodeHere => {
                json!({"type": "stdio", "command": command, "args": ["mcp"], "cwd": self.cwd()})
            }
            Self::Code => json!({"type": "stdio", "command": command, "args": ["mcp"]}),
        }
    }
}

/// The entry by the name of this program, if there is one; why there cannot be, where the text has another shape.
pub fn entry(text: &str, servers: Servers) -> Result<Option<Value>, String> {
    let Some(root) = jsonc::parse(text)? else {
        return Ok(None);
    };
    if !matches!(root.kind, Kind::Object(_)) {
        return Err("it is not an object".into());
    }
    let Some(list) = root.child(Step::Key(servers.place())) else {
        return Ok(None);
    };
    if !matches!(list.kind, Kind::Object(_)) {
        return Err(format!("`{}` is not an object", servers.place()));
    }
    Ok(list.child(Step::Key(NAME)).map(jsonc::Node::value))
}

/// The text with the server in it. Of an entry that is there, only what is missing and the program's path are changed:
/// the rest is somebody's choice, in their own files.
pub fn with(text: &str, servers: Servers, whose: Whose, command: &str) -> Result<String, String> {
    let path = [servers.place(), NAME];
    let wanted = servers.entry(command);
    let root = jsonc::parse(text)?;
    let there = root
        .as_ref()
        .and_then(|it| it.child(Step::Key(path[0]))?.child(Step::Key(path[1])));
    let Some(there) = there.map(jsonc::Node::value) else {
        return jsonc::set(text, &path, &wanted);
    };
    checked(&there, servers.cwd(), whose)?;
    let wanted = wanted.as_object().cloned().unwrap_or_default();
    let is_due = |key: &str, value: &Value| match there.get(key) {
        None => true,
        Some(found) => key == "command" && found != value,
    };
    let due = wanted.iter().filter(|(key, value)| is_due(key, value));
    due.into_iter()
        .try_fold(text.to_owned(), |text, (key, value)| {
            jsonc::set(&text, &[path[0], path[1], key], value)
        })
}

/// The text without the server, and without the list of servers if `first` had none.
pub fn without(text: &str, first: Option<&str>) -> Result<String, String> {
    let mut text = text.to_owned();
    for place in ["mcpServers", "servers"] {
        let Some(root) = jsonc::parse(&text)? else {
            return Ok(text);
        };
        let Some(list) = root.child(Step::Key(place)) else {
            continue;
        };
        let is_ours = list
            .child(Step::Key(NAME))
            .is_some_and(|it| is_server(&it.value()));
        if !is_ours {
            continue;
        }
        let is_only = list.items().len() == 1 && !has(first, &[place]);
        let path = [Step::Key(place), Step::Key(NAME)];
        text = jsonc::remove(&text, if is_only { &path[..1] } else { &path })?;
    }
    Ok(text)
}

/// Whether an entry starts this program as a server, however.
fn is_server(entry: &Value) -> bool {
    checked(entry, None, Whose::User).is_ok()
}

/// Whether a text had something at this path; one that cannot be read had.
pub fn has(text: Option<&str>, path: &[&str]) -> bool {
    let Some(text) = text else { return false };
    let Ok(root) = jsonc::parse(text) else {
        return true;
    };
    root.is_some_and(|root| {
        path.iter()
            .try_fold(&root, |node, key| node.child(Step::Key(key)))
            .is_some()
    })
}
