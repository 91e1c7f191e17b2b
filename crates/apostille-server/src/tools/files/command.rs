//! The six commands: raw as they come on the wire, then complete.

use serde::Deserialize;
use serde_json::Value;

use crate::wire::{Malformed, list, required, text};

/// The words for them.
pub(super) const COMMANDS: &[&str] = &[
    "view",
    "create",
    "str_replace",
    "insert",
    "delete",
    "rename",
];

/// A command, on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawCommand {
    command: Option<Value>,
    path: Option<Value>,
    view_range: Option<Value>,
    file_text: Option<Value>,
    old_str: Option<Value>,
    new_str: Option<Value>,
    insert_line: Option<Value>,
    insert_text: Option<Value>,
    old_path: Option<Value>,
    new_path: Option<Value>,
}

/// What to do. Paths are still as they were written: a bad one is answered, not turned away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    View {
        path: String,
        range: Option<Span>,
    },
    Create {
        path: String,
        file_text: String,
    },
    StrReplace {
        path: String,
        old: String,
        new: String,
    },
    Insert {
        path: String,
        line: i64,
        text: String,
    },
    Delete {
        path: String,
    },
    Rename {
        old: String,
        new: String,
    },
}

/// The first and the last line to show, as they were asked for.
pub(super) type Span = (i64, i64);

impl Command {
    /// The word for it.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::View { .. } => "view",
            Self::Create { .. } => "create",
            Self::StrReplace { .. } => "str_replace",
            Self::Insert { .. } => "insert",
            Self::Delete { .. } => "delete",
            Self::Rename { .. } => "rename",
        }
    }
}

impl TryFrom<RawCommand> for Command {
    type Error = Malformed;
    fn try_from(raw: RawCommand) -> Result<Self, Malformed> {
        let command = required("command", raw.command)?;
        let path = |path| required("path", path);
        Ok(match command.as_str() {
            "view" => Self::View {
                path: path(raw.path)?,
                range: span(raw.view_range)?,
            },
            "create" => Self::Create {
                path: path(raw.path)?,
                file_text: required("file_text", raw.file_text)?,
            },
            "str_replace" => Self::StrReplace {
                path: path(raw.path)?,
                old: required("old_str", raw.old_str)?,
                new: required("new_str", raw.new_str)?,
            },
            "insert" => Self::Insert {
                path: path(raw.path)?,
                line: integer("insert_line", raw.insert_line)?,
                // Some clients call it by the name it has elsewhere.
                text: required("insert_text", raw.insert_text.or(raw.new_str))?,
            },
            "delete" => Self::Delete {
                path: path(raw.path)?,
            },
            "rename" => Self::Rename {
                old: required("old_path", raw.old_path.or(raw.path))?,
                new: required("new_path", raw.new_path)?,
            },
            _ => {
                return Err(Malformed::new(
                    "command",
                    format!("expected one of {}", COMMANDS.join(", ")),
                ));
            }
        })
    }
}

fn span(value: Option<Value>) -> Result<Option<Span>, Malformed> {
    let items = list("view_range", value)?;
    match items.as_slice() {
        [] => Ok(None),
        [first, last] => {
            let number = |at, it: &Value| integer(&format!("view_range[{at}]"), Some(it.clone()));
            Ok(Some((number(0, first)?, number(1, last)?)))
        }
        _ => Err(Malformed::new(
            "view_range",
            "expected two numbers, the first and the last line",
        )),
    }
}

/// A whole number of either sign, or a text of digits, because agents write that.
fn integer(field: &str, value: Option<Value>) -> Result<i64, Malformed> {
    let found = match &value {
        Some(Value::Number(it)) => it.as_i64(),
        Some(it @ Value::String(_)) => {
            text(field, Some(it.clone()))?.and_then(|it| it.trim().parse().ok())
        }
        None => return Err(Malformed::missing(field)),
        Some(_) => None,
    };
    found.ok_or_else(|| Malformed::new(field, "expected a whole number"))
}
