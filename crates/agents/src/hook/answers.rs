//! The shapes that answers have.

use serde::Serialize;

use super::{Reply, Told};

/// One object, as a client prints it; nothing when it would be empty.
fn print<T: Serialize>(answer: &T) -> String {
    match serde_json::to_string(answer) {
        Ok(text) if text != "{}" => text,
        _ => String::new(),
    }
}

/// The context, if there is one and the client takes it here.
pub fn context(reply: &Reply, is_taken: bool) -> Option<&str> {
    reply
        .context
        .as_deref()
        .filter(|it| is_taken && !it.is_empty())
}

/// The notice on one line.
fn notice(reply: &Reply) -> Option<String> {
    let line = reply
        .notice
        .as_deref()?
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    (!line.is_empty()).then_some(line)
}

/// The shape that Claude Code began with: context inside, by the event's name, and a message for the person outside.
pub fn nested(told: &Told, reply: &Reply, is_taken: bool) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Answer<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        system_message: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        hook_specific_output: Option<Specific<'a>>,
    }
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Specific<'a> {
        hook_event_name: &'a str,
        additional_context: &'a str,
    }
    let hook_specific_output = context(reply, is_taken).map(|it| Specific {
        hook_event_name: &told.event,
        additional_context: it,
    });
    print(&Answer {
        system_message: notice(reply),
        hook_specific_output,
    })
}

/// Copilot's shape: context and nothing else.
pub fn flat(reply: &Reply, is_taken: bool) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Answer<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        additional_context: Option<&'a str>,
    }
    print(&Answer {
        additional_context: context(reply, is_taken),
    })
}

/// Cursor's shape: context in its own spelling, and where it asks whether to go on, always yes.
pub fn snake(reply: &Reply, is_taken: bool, goes_on: Option<bool>) -> String {
    #[derive(Serialize)]
    struct Answer<'a> {
        #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
        goes_on: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        additional_context: Option<&'a str>,
    }
    print(&Answer {
        goes_on,
        additional_context: context(reply, is_taken),
    })
}
