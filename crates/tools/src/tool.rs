//! A tool as clients and models are told of it.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use apostille_api::wire::InputSchema;

/// What calling a tool does to what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolEffect {
    /// Nothing.
    Reads,
    /// Something is added; the same call twice adds it once, or asks.
    Adds,
    /// Something is changed; what was there before stays in the history.
    Changes,
    /// Something is gone afterwards.
    Removes,
}

/// A tool.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Its name: letters and underscores, because several clients refuse anything else.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// When to call it, and what it does.
    pub about: &'static str,
    /// The schema of its arguments, with one example.
    pub input: Value,
    /// What it does to what is kept.
    pub effect: ToolEffect,
}

/// What may be said with every call, whichever tool it is of. Only some tools tell of it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CallMarks {
    /// The words come from a web page, issue or tool output
    #[serde(default)]
    pub(super) tainted: bool,
    /// The user asked to ignore memory this turn
    #[serde(default)]
    pub(super) ignore_memory: bool,
    /// owner/name, only if asked for
    #[schemars(with = "Option<String>")]
    #[expect(
        dead_code,
        reason = "read by whoever finds the place of a call, before it comes to a tool"
    )]
    repo: Option<IgnoredAny>,
}

impl CallMarks {
    /// The schema of those that a tool tells of.
    pub(super) fn select_schema(names: &[&str]) -> InputSchema {
        InputSchema::from_type::<Self>().keep_only(names)
    }
}
