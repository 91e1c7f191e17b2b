//! Codex: `{timestamp, type, payload}` per line. The same words come as a response item and as an event; the items are
//! read, and of the events how a call ended. Old rollouts are compressed by the client and are not read.

use crate::transcript::TranscriptTurn;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::transcripts::TranscriptReader;
use crate::transcripts::tool_input::{
    join_content_texts, parse_exit_line, parse_line_time, text_field,
};
use crate::transcripts::turns::TurnList;

#[derive(Deserialize)]
struct CodexLine {
    #[serde(rename = "type")]
    kind: Option<Value>,
    payload: Option<Value>,
    timestamp: Option<Value>,
}

pub(crate) fn new_codex_reader() -> Box<dyn TranscriptReader> {
    Box::new(CodexReader::default())
}

#[derive(Default)]
struct CodexReader {
    turns: TurnList,
    /// The session was started by an agent: nobody in it is the person.
    is_helper: bool,
}

impl TranscriptReader for CodexReader {
    fn read_line(&mut self, line: &[u8]) {
        let Ok(line) = serde_json::from_slice::<CodexLine>(line) else {
            return;
        };
        let (Some(kind), Some(payload)) =
            (line.kind.as_ref().and_then(Value::as_str), &line.payload)
        else {
            return;
        };
        let at = parse_line_time(line.timestamp.as_ref());
        match (kind, text_field(payload, "type")) {
            ("session_meta", _) => self.is_helper = is_helper_rollout(payload),
            ("response_item", Some("message")) => self.add_message(at, payload),
            ("response_item", Some("function_call" | "custom_tool_call" | "local_shell_call")) => {
                self.add_tool_call(at, payload);
            }
            ("response_item", Some("function_call_output" | "custom_tool_call_output")) => {
                self.add_tool_output(at, payload)
            }
            ("event_msg", Some("item_completed")) => self.set_call_outcome(payload.get("item")),
            ("event_msg", Some("thread_rolled_back")) => {
                let n = payload
                    .get("num_turns")
                    .and_then(Value::as_u64)
                    .unwrap_or(0);
                self.turns
                    .remove_last_prompts(usize::try_from(n).unwrap_or(usize::MAX));
            }
            _ => {}
        }
    }

    fn into_turns(self: Box<Self>) -> Vec<TranscriptTurn> {
        self.turns.into_turns()
    }
}

impl CodexReader {
    fn add_message(&mut self, at: Option<Timestamp>, payload: &Value) {
        let Some(content) = payload.get("content").and_then(Value::as_array) else {
            return;
        };
        match text_field(payload, "role") {
            Some("assistant") => self
                .turns
                .add_agent(at, &join_content_texts(&Value::Array(content.clone()))),
            // What hooks add comes as `developer`, or as an item of another kind.
            Some("user") if !self.is_helper => {
                let kinds = payload
                    .pointer("/internal_chat_message_metadata_passthrough/content_item_kinds");
                let typed = content
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| is_typed_item(kinds, *at));
                let typed: Vec<Value> = typed.map(|(_, it)| it.clone()).collect();
                self.turns
                    .add_person(at, &join_content_texts(&Value::Array(typed)));
            }
            _ => {}
        }
    }

    fn add_tool_call(&mut self, at: Option<Timestamp>, payload: &Value) {
        let name = text_field(payload, "name").unwrap_or("local_shell");
        let name = match text_field(payload, "namespace") {
            Some(space) => format!("{space}__{name}"),
            None => name.to_owned(),
        };
        let given = ["arguments", "input", "action"]
            .iter()
            .find_map(|it| payload.get(it));
        let given = match given {
            Some(Value::String(text)) => {
                serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into())
            }
            Some(other) => other.clone(),
            None => Value::Null,
        };
        self.turns
            .add_call(at, text_field(payload, "call_id"), &name, &given);
    }

    /// How a server's tool ended is said in the event alone.
    fn set_call_outcome(&mut self, item: Option<&Value>) {
        let Some(item) = item.filter(|it| text_field(it, "type") == Some("McpToolCall")) else {
            return;
        };
        let is_error = item
            .pointer("/result/isError")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        self.turns.set_outcome(
            text_field(item, "id"),
            Some(text_field(item, "status") == Some("completed") && !is_error),
        );
    }

    fn add_tool_output(&mut self, at: Option<Timestamp>, payload: &Value) {
        let output = payload.get("output").unwrap_or(&Value::Null);
        let printed = match output {
            Value::Object(it) => it
                .get("content")
                .map(join_content_texts)
                .unwrap_or_default(),
            _ => join_content_texts(output),
        };
        let said = output.get("success").and_then(Value::as_bool);
        self.turns.add_result(
            at,
            text_field(payload, "call_id"),
            &printed,
            said.or_else(|| parse_command_outcome(&printed)),
        );
    }
}

/// Whether a rollout belongs to an agent's helper.
fn is_helper_rollout(meta: &Value) -> bool {
    let is_subagent = text_field(meta, "thread_source").is_some_and(|it| it != "user");
    is_subagent
        || meta
            .get("source")
            .is_some_and(|it| it.get("subagent").is_some())
}

/// Whether the person typed a content item; where the client does not say the kind, its marks are looked for later.
fn is_typed_item(kinds: Option<&Value>, at: usize) -> bool {
    let kind = kinds.and_then(|it| it.get(at)).and_then(Value::as_str);
    kind.is_none_or(|it| it.starts_with("user.") || it == "unknown")
}

/// How a command ended: said in front of what it printed, or beside it.
fn parse_command_outcome(printed: &str) -> Option<bool> {
    let json = || {
        serde_json::from_str::<Value>(printed)
            .ok()?
            .pointer("/metadata/exit_code")?
            .as_i64()
    };
    parse_exit_line(printed).or_else(|| json().map(|it| it == 0))
}
