//! Claude Code: one JSON object per line, of many types; a message's parts come on lines of their own.

use std::collections::HashSet;

use crate::transcript::TranscriptTurn;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::transcripts::TranscriptReader;
use crate::transcripts::tool_input::{join_content_texts, parse_line_time, text_field};
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
        if !is_new || is_flag_set(line.is_sidechain.as_ref()) {
            return;
        }
        let at = parse_line_time(line.timestamp.as_ref());
        match line.kind.as_ref().and_then(Value::as_str) {
            Some("user") => self.add_user_line(at, &line),
            Some("assistant") => self.add_assistant_message(at, line.message.as_ref()),
            Some("attachment") => self.add_queued_prompt(at, line.attachment.as_ref()),
            _ => {}
        }
    }

    fn into_turns(self: Box<Self>) -> Vec<TranscriptTurn> {
        self.turns.into_turns()
    }
}

impl ClaudeCodeReader {
    fn add_user_line(&mut self, at: Option<Timestamp>, line: &ClaudeCodeLine) {
        let Some(content) = line.message.as_ref().and_then(|it| it.get("content")) else {
            return;
        };
        for part in content.as_array().into_iter().flatten() {
            if text_field(part, "type") == Some("tool_result") {
                let is_error = part
                    .get("is_error")
                    .and_then(Value::as_bool)
                    .unwrap_or(false);
                let printed = part
                    .get("content")
                    .map(join_content_texts)
                    .unwrap_or_default();
                self.turns.add_result(
                    at,
                    text_field(part, "tool_use_id"),
                    &printed,
                    Some(!is_error),
                );
            }
        }
        let is_ours = [
            &line.is_meta,
            &line.is_compact_summary,
            &line.is_visible_in_transcript_only,
        ];
        if !is_ours.iter().any(|it| is_flag_set(it.as_ref()))
            && is_human_origin(line.origin.as_ref())
        {
            self.turns.add_person(at, &join_prompt_texts(content));
        }
    }

    fn add_assistant_message(&mut self, at: Option<Timestamp>, message: Option<&Value>) {
        let Some(content) = message.and_then(|it| it.get("content")) else {
            return;
        };
        if let Some(text) = content.as_str() {
            self.turns.add_agent(at, text);
        }
        for part in content.as_array().into_iter().flatten() {
            match text_field(part, "type") {
                Some("text") => self
                    .turns
                    .add_agent(at, text_field(part, "text").unwrap_or("")),
                Some("tool_use") => {
                    let name = text_field(part, "name").unwrap_or("");
                    self.turns.add_call(
                        at,
                        text_field(part, "id"),
                        name,
                        part.get("input").unwrap_or(&Value::Null),
                    );
                }
                _ => {}
            }
        }
    }

    fn add_queued_prompt(
        &mut self,
        at: Option<Timestamp>,
        attachment: Option<&ClaudeCodeAttachment>,
    ) {
        let Some(it) = attachment else { return };
        let is = |field: &Option<Value>, word: &str| {
            field.as_ref().and_then(Value::as_str) == Some(word)
        };
        let is_prompt = is(&it.kind, "queued_command") && is(&it.command_mode, "prompt");
        if let Some(prompt) = it
            .prompt
            .as_ref()
            .filter(|_| is_prompt && is_human_origin(it.origin.as_ref()))
        {
            self.turns.add_person(at, &join_prompt_texts(prompt));
        }
    }
}

/// The texts of a prompt, without what tools gave back.
fn join_prompt_texts(content: &Value) -> String {
    match content {
        Value::Array(parts) => {
            let spoken = |it: &&Value| text_field(it, "type") == Some("text");
            parts
                .iter()
                .filter(spoken)
                .map(join_content_texts)
                .collect::<Vec<_>>()
                .join("\n")
        }
        _ => join_content_texts(content),
    }
}

fn is_flag_set(flag: Option<&Value>) -> bool {
    flag.and_then(Value::as_bool).unwrap_or(false)
}

/// Where the client says who wrote a prompt, it must have been a person.
fn is_human_origin(origin: Option<&Value>) -> bool {
    origin
        .and_then(|it| text_field(it, "kind"))
        .is_none_or(|it| it == "human")
}
