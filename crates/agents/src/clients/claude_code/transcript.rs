//! Claude Code: one JSON object per line, of many types; a message's parts come on lines of their own.

use std::collections::HashSet;

use crate::transcript::Turn;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::transcripts::TranscriptReader;
use crate::transcripts::input::{text, texts, time};
use crate::transcripts::turns::TurnList;

/// A line, as far as it matters. The bulky fields – requests, snapshots, what hooks rendered – are passed over.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClaudeCodeLine {
    #[serde(rename = "type")]
    kind: Option<Value>,
    uuid: Option<Value>,
    timestamp: Option<Value>,
    message: Option<Value>,
    attachment: Option<ClaudeCodeAttachment>,
    origin: Option<Value>,
    is_sidechain: Option<Value>,
    is_meta: Option<Value>,
    is_compact_summary: Option<Value>,
    is_visible_in_transcript_only: Option<Value>,
}

/// What stands beside a prompt. Only a prompt that was queued while the agent worked is the person's.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClaudeCodeAttachment {
    #[serde(rename = "type")]
    kind: Option<Value>,
    prompt: Option<Value>,
    command_mode: Option<Value>,
    origin: Option<Value>,
}

pub(crate) fn new_claude_code_reader() -> Box<dyn TranscriptReader> {
    Box::new(ClaudeCodeReader::default())
}

#[derive(Default)]
struct ClaudeCodeReader {
    turns: TurnList,
    /// Lines are written again when a session is resumed.
    seen: HashSet<String>,
}

impl TranscriptReader for ClaudeCodeReader {
    fn read_line(&mut self, line: &[u8]) {
        let Ok(line) = serde_json::from_slice::<ClaudeCodeLine>(line) else {
            return;
        };
        let is_new = line
            .uuid
            .as_ref()
            .and_then(Value::as_str)
            .is_none_or(|it| self.seen.insert(it.into()));
        // A subagent is asked by the agent, not by the person.
        if !is_new || is_set(line.is_sidechain.as_ref()) {
            return;
        }
        let at = time(line.timestamp.as_ref());
        match line.kind.as_ref().and_then(Value::as_str) {
            Some("user") => self.user(at, &line),
            Some("assistant") => self.assistant(at, line.message.as_ref()),
            Some("attachment") => self.queued(at, line.attachment.as_ref()),
            _ => {}
        }
    }

    fn into_turns(self: Box<Self>) -> Vec<Turn> {
        self.turns.into_turns()
    }
}

impl ClaudeCodeReader {
    fn user(&mut self, at: Option<Timestamp>, line: &ClaudeCodeLine) {
        let Some(content) = line.message.as_ref().and_then(|it| it.get("content")) else {
            return;
        };
        for part in content.as_array().into_iter().flatten() {
            if text(part, "type") == Some("tool_result") {
                let is_error = part
                    .get("is_error")
                    .and_then(Value::as_bool)
                    .unwrap_or(false);
                let printed = part.get("content").map(texts).unwrap_or_default();
                self.turns
                    .result(at, text(part, "tool_use_id"), &printed, Some(!is_error));
            }
        }
        let is_ours = [
            &line.is_meta,
            &line.is_compact_summary,
            &line.is_visible_in_transcript_only,
        ];
        if !is_ours.iter().any(|it| is_set(it.as_ref())) && is_human(line.origin.as_ref()) {
            self.turns.person(at, &said(content));
        }
    }

    fn assistant(&mut self, at: Option<Timestamp>, message: Option<&Value>) {
        let Some(content) = message.and_then(|it| it.get("content")) else {
            return;
        };
        if let Some(text) = content.as_str() {
            self.turns.agent(at, text);
        }
        for part in content.as_array().into_iter().flatten() {
            match text(part, "type") {
                Some("text") => self.turns.agent(at, text(part, "text").unwrap_or("")),
                Some("tool_use") => {
                    let name = text(part, "name").unwrap_or("");
                    self.turns.call(
                        at,
                        text(part, "id"),
                        name,
                        part.get("input").unwrap_or(&Value::Null),
                    );
                }
                _ => {}
            }
        }
    }

    fn queued(&mut self, at: Option<Timestamp>, attachment: Option<&ClaudeCodeAttachment>) {
        let Some(it) = attachment else { return };
        let is = |field: &Option<Value>, word: &str| {
            field.as_ref().and_then(Value::as_str) == Some(word)
        };
        let is_prompt = is(&it.kind, "queued_command") && is(&it.command_mode, "prompt");
        if let Some(prompt) = it
            .prompt
            .as_ref()
            .filter(|_| is_prompt && is_human(it.origin.as_ref()))
        {
            self.turns.person(at, &said(prompt));
        }
    }
}

/// The texts of a prompt, without what tools gave back.
fn said(content: &Value) -> String {
    match content {
        Value::Array(parts) => {
            let spoken = |it: &&Value| text(it, "type") == Some("text");
            parts
                .iter()
                .filter(spoken)
                .map(texts)
                .collect::<Vec<_>>()
                .join("\n")
        }
        _ => texts(content),
    }
}

fn is_set(flag: Option<&Value>) -> bool {
    flag.and_then(Value::as_bool).unwrap_or(false)
}

/// Where the client says who wrote a prompt, it must have been a person.
fn is_human(origin: Option<&Value>) -> bool {
    origin
        .and_then(|it| text(it, "kind"))
        .is_none_or(|it| it == "human")
}
