//! Codex: `{timestamp, type, payload}` per line. The same words come as a response item and as an event; the items are
//! read, and of the events how a call ended. Old rollouts are compressed by the client and are not read.

use crate::transcript::Turn;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::transcripts::TranscriptReader;
use crate::transcripts::input::{exit, text, texts, time};
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
        let at = time(line.timestamp.as_ref());
        match (kind, text(payload, "type")) {
            ("session_meta", _) => self.is_helper = is_helper(payload),
            ("response_item", Some("message")) => self.message(at, payload),
            ("response_item", Some("function_call" | "custom_tool_call" | "local_shell_call")) => {
                self.call(at, payload);
            }
            ("response_item", Some("function_call_output" | "custom_tool_call_output")) => {
                self.output(at, payload)
            }
            ("event_msg", Some("item_completed")) => self.completed(payload.get("item")),
            ("event_msg", Some("thread_rolled_back")) => {
                let n = payload
                    .get("num_turns")
                    .and_then(Value::as_u64)
                    .unwrap_or(0);
                self.turns
                    .take_back(usize::try_from(n).unwrap_or(usize::MAX));
            }
            _ => {}
        }
    }

    fn into_turns(self: Box<Self>) -> Vec<Turn> {
        self.turns.into_turns()
    }
}

impl CodexReader {
    fn message(&mut self, at: Option<Timestamp>, payload: &Value) {
        let Some(content) = payload.get("content").and_then(Value::as_array) else {
            return;
        };
        match text(payload, "role") {
            Some("assistant") => self.turns.agent(at, &texts(&Value::Array(content.clone()))),
            // What hooks add comes as `developer`, or as an item of another kind.
            Some("user") if !self.is_helper => {
                let kinds = payload
                    .pointer("/internal_chat_message_metadata_passthrough/content_item_kinds");
                let typed = content
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| is_typed(kinds, *at));
                let typed: Vec<Value> = typed.map(|(_, it)| it.clone()).collect();
                self.turns.person(at, &texts(&Value::Array(typed)));
            }
            _ => {}
        }
    }

    fn call(&mut self, at: Option<Timestamp>, payload: &Value) {
        let name = text(payload, "name").unwrap_or("local_shell");
        let name = match text(payload, "namespace") {
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
        self.turns.call(at, text(payload, "call_id"), &name, &given);
    }

    /// How a server's tool ended is said in the event alone.
    fn completed(&mut self, item: Option<&Value>) {
        let Some(item) = item.filter(|it| text(it, "type") == Some("McpToolCall")) else {
            return;
        };
        let is_error = item
            .pointer("/result/isError")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        self.turns.ended(
            text(item, "id"),
            Some(text(item, "status") == Some("completed") && !is_error),
        );
    }

    fn output(&mut self, at: Option<Timestamp>, payload: &Value) {
        let output = payload.get("output").unwrap_or(&Value::Null);
        let printed = match output {
            Value::Object(it) => it.get("content").map(texts).unwrap_or_default(),
            _ => texts(output),
        };
        let said = output.get("success").and_then(Value::as_bool);
        self.turns.result(
            at,
            text(payload, "call_id"),
            &printed,
            said.or_else(|| ended(&printed)),
        );
    }
}

/// Whether a rollout belongs to an agent's helper.
fn is_helper(meta: &Value) -> bool {
    let is_subagent = text(meta, "thread_source").is_some_and(|it| it != "user");
    is_subagent
        || meta
            .get("source")
            .is_some_and(|it| it.get("subagent").is_some())
}

/// Whether the person typed a content item; where the client does not say the kind, its marks are looked for later.
fn is_typed(kinds: Option<&Value>, at: usize) -> bool {
    let kind = kinds.and_then(|it| it.get(at)).and_then(Value::as_str);
    kind.is_none_or(|it| it.starts_with("user.") || it == "unknown")
}

/// How a command ended: said in front of what it printed, or beside it.
fn ended(printed: &str) -> Option<bool> {
    let json = || {
        serde_json::from_str::<Value>(printed)
            .ok()?
            .pointer("/metadata/exit_code")?
            .as_i64()
    };
    exit(printed).or_else(|| json().map(|it| it == 0))
}
