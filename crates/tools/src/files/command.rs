//! The six commands, and the arguments of each.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Value;

use apostille_api::{wire, wire::ArgumentError};

/// What to do. Paths are still as they were written: a bad one is answered, not turned away.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(tag = "command")]
pub(super) enum FileCommand {
    View {
        /// A file or directory, as in /memories/notes.md; for every command but rename
        path: String,
        /// view: the first and the last line; -1 as the last means to the end
        #[serde(default)]
        view_range: ViewRangeInput,
    },
    Create {
        path: String,
        /// create: the whole text of the new file
        file_text: String,
    },
    StrReplace {
        path: String,
        /// str_replace: the text to replace, which must stand there exactly once
        old_str: String,
        /// str_replace: what to put there
        new_str: String,
    },
    Insert {
        path: String,
        /// insert: the line behind which the text goes; 0 is the beginning
        #[schemars(range(min = 0))]
        insert_line: i64,
        /// insert: the text
        insert_text: String,
    },
    Delete {
        path: String,
    },
    Rename {
        /// rename: the file as it is called
        old_path: String,
        /// rename: the file as it shall be called
        new_path: String,
    },
}

impl FileCommand {
    /// Reads one. Some clients call a field by the name that it has in other commands.
    pub(super) fn from_arguments(arguments: &Value) -> Result<Self, ArgumentError> {
        let mut arguments = arguments.clone();
        let other = match arguments["command"].as_str() {
            Some("insert") => Some(("insert_text", "new_str")),
            Some("rename") => Some(("old_path", "path")),
            _ => None,
        };
        if let Some((name, other)) = other
            && arguments[name].is_null()
        {
            arguments[name] = arguments[other].clone();
        }
        wire::read_tagged_arguments(&arguments, "command")
    }
}

/// The first and the last line to show, as they were asked for.
pub(super) type ViewRange = (i64, i64);

/// A span, or nothing.
#[derive(Debug, Default, JsonSchema)]
#[schemars(transparent)]
pub(super) struct ViewRangeInput(#[schemars(with = "Vec<i64>")] pub(super) Option<ViewRange>);

impl<'de> Deserialize<'de> for ViewRangeInput {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        match Vec::deserialize(reader)?.as_slice() {
            [] => Ok(Self(None)),
            [first, last] => Ok(Self(Some((*first, *last)))),
            _ => Err(D::Error::custom(
                "expected two numbers, the first and the last line",
            )),
        }
    }
}
