//! A tool as clients and models are told of it.

use serde_json::{Value, json};

/// What calling a tool does to what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
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
    /// The schema of its arguments, see [`arguments`].
    pub input: Value,
    /// What it does to what is kept.
    pub effect: Effect,
}

/// The schema of arguments, in the words that every client understands: plain types, no references, nothing nullable.
#[must_use]
pub(super) fn arguments(required: &[&str], properties: Value, example: Value) -> Value {
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema["examples"] = json!([example]);
    schema
}

/// A text.
#[must_use]
pub(super) fn text(about: &str) -> Value {
    json!({"type": "string", "description": about})
}

/// One of a few words.
#[must_use]
pub(super) fn word(words: &[&str], about: &str) -> Value {
    json!({"type": "string", "enum": words, "description": about})
}

/// Several texts.
#[must_use]
pub(super) fn texts(about: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": about})
}

/// A whole number, from 1.
#[must_use]
pub(super) fn count(about: &str) -> Value {
    json!({"type": "integer", "minimum": 1, "description": about})
}

/// Yes or no.
#[must_use]
pub(super) fn flag(about: &str) -> Value {
    json!({"type": "boolean", "description": about})
}
