//! Codex: `{timestamp, type, payload}` per line. The same words come as a response item and as an event; the items are
//! read, and of the events how a call ended. Old rollouts are compressed by the client and are not read.

use std::path::Path;

use crate::{
    past_transcripts::{SessionHead, TranscriptPlaces, has_ending, list_files_below},
    transcript::TranscriptTurn,
};
use serde_json::Value;

use crate::transcripts::{
    TranscriptReader,
    tool_input::{join_content_texts, join_part_texts, parse_exit_line},
    turns::TurnList,
};

#[derive(Default)]
pub(super) struct CodexReader {
    turns: TurnList,
    /// The session was started by an agent: nobody in it is the person.
    is_helper: bool,
    /// The tokens so far.
    tokens: Option<u64>,
}

impl TranscriptReader for CodexReader {
    fn read_line(&mut self, line: &Value) {
        let payload = &line["payload"];
        self.turns.set_line_time(&line["timestamp"]);
        match (line["type"].as_str(), payload["type"].as_str()) {
            (Some("session_meta"), _) => {
                self.is_helper = is_helper_session(payload);
            }
            (Some("response_item"), Some("message")) => self.add_message(payload),
            (
                Some("response_item"),
                Some("function_call" | "custom_tool_call" | "local_shell_call"),
            ) => self.add_tool_call(payload),
            (Some("response_item"), Some("function_call_output" | "custom_tool_call_output")) => {
                self.add_tool_output(payload)
            }
            (Some("event_msg"), Some("token_count")) => {
                let used = &payload["info"]["total_token_usage"];
                let total = used["total_tokens"].as_u64();
                let cached = used["cached_input_tokens"].as_u64().unwrap_or(0);
                self.tokens = total.map(|it| it.saturating_sub(cached)).or(self.tokens);
            }
            (Some("event_msg"), Some("item_completed")) => self.set_call_outcome(&payload["item"]),
            (Some("event_msg"), Some("thread_rolled_back")) => {
                let n = payload["num_turns"].as_u64().unwrap_or(0);
                self.turns
                    .remove_last_prompts(usize::try_from(n).unwrap_or(usize::MAX));
            }
            _ => {}
        }
    }

    fn count_tokens(&self) -> Option<u64> {
        self.tokens
    }

    fn into_turns(self: Box<Self>) -> Vec<TranscriptTurn> {
        self.turns.into_turns()
    }
}

impl CodexReader {
    fn add_message(&mut self, payload: &Value) {
        let Some(content) = payload["content"].as_array() else {
            return;
        };
        match payload["role"].as_str() {
            Some("assistant") => self.turns.add_agent(&join_part_texts(content)),
            // What hooks add comes as `developer`, or as an item of another kind.
            Some("user") if !self.is_helper => {
                let kinds = &payload["internal_chat_message_metadata_passthrough"];
                let kinds = &kinds["content_item_kinds"];
                // Where the client does not say the kind, its marks are looked for later.
                let is_typed = |(at, _): &(usize, _)| {
                    let kind = kinds[at].as_str();
                    kind.is_none_or(|it| it.starts_with("user.") || it == "unknown")
                };
                let typed = content.iter().enumerate().filter(is_typed);
                self.turns
                    .add_person(&join_part_texts(typed.map(|(_, it)| it)));
            }
            _ => {}
        }
    }

    fn add_tool_call(&mut self, payload: &Value) {
        let mut name = payload["name"].as_str().unwrap_or("local_shell").to_owned();
        if let Some(space) = payload["namespace"].as_str() {
            name = format!("{space}__{name}");
        }
        let given = ["arguments", "input", "action"]
            .iter()
            .find_map(|it| payload.get(it));
        self.turns
            .add_call(&payload["call_id"], &name, given.unwrap_or(&Value::Null));
    }

    /// How a server's tool ended is said in the event alone.
    fn set_call_outcome(&mut self, item: &Value) {
        if item["type"] == "McpToolCall" {
            let is_ok = item["status"] == "completed" && item["result"]["isError"] != true;
            self.turns.set_outcome(&item["id"], Some(is_ok));
        }
    }

    fn add_tool_output(&mut self, payload: &Value) {
        let output = &payload["output"];
        let printed = join_content_texts(if output.is_object() {
            &output["content"]
        } else {
            output
        });
        let is_ok = output["success"]
            .as_bool()
            .or_else(|| parse_command_outcome(&printed));
        self.turns.add_result(&payload["call_id"], &printed, is_ok);
    }
}

/// How a command ended: said in front of what it printed, or beside it.
fn parse_command_outcome(printed: &str) -> Option<bool> {
    parse_exit_line(printed).or_else(|| {
        let said: Value = serde_json::from_str(printed).ok()?;
        Some(said["metadata"]["exit_code"].as_i64()? == 0)
    })
}

/// `~/.codex/sessions/2026/11/16/rollout-TIME-ID.jsonl`, and `archived_sessions` beside it.
pub(super) const PLACES: TranscriptPlaces = TranscriptPlaces {
    list: |user| {
        let folder = user.variable_or("CODEX_HOME", ".codex");
        let is_rollout = |it: &Path| has_ending(it, &[".jsonl", ".jsonl.zst"]);
        let mut all = list_files_below(&folder.join("sessions"), 3, &is_rollout);
        let archived = folder.join("archived_sessions");
        all.extend(list_files_below(&archived, 0, &is_rollout));
        all
    },
    read_outside: |_| SessionHead::default(),
    read_line: |head, line| {
        if line["type"] == "session_meta" {
            let meta = &line["payload"];
            let branch = &meta["git"]["branch"];
            head.is_helper |= is_helper_session(meta);
            head.fill_in(&meta["id"], &meta["cwd"], branch, &meta["timestamp"]);
            head.fill_in(&Value::Null, &Value::Null, branch, &line["timestamp"]);
        }
    },
    find_folder: |_, _| None,
    why_unread: None,
};

/// Whether an agent started a session.
fn is_helper_session(meta: &Value) -> bool {
    let starter = meta["thread_source"].as_str();
    starter.is_some_and(|it| it != "user") || meta["source"].get("subagent").is_some()
}
