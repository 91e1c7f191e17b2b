//! Copilot CLI and VS Code: events `{type, data, timestamp}`, one per line.

use crate::transcript::Turn;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::transcripts::TranscriptReader;
use crate::transcripts::input::{exit, text, texts, time};
use crate::transcripts::turns::TurnList;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CopilotLine {
    #[serde(rename = "type")]
    kind: Option<Value>,
    data: Option<Value>,
    timestamp: Option<Value>,
    agent_id: Option<Value>,
}

pub(crate) fn new_copilot_reader() -> Box<dyn TranscriptReader> {
    Box::new(CopilotReader::default())
}

#[derive(Default)]
struct CopilotReader {
    turns: TurnList,
    /// VS Code writes the calls of a message only when they start.
    asked: std::collections::HashSet<String>,
}

impl TranscriptReader for CopilotReader {
    fn read_line(&mut self, line: &[u8]) {
        let Ok(line) = serde_json::from_slice::<CopilotLine>(line) else {
            return;
        };
        let (Some(kind), Some(data)) = (line.kind.as_ref().and_then(Value::as_str), &line.data)
        else {
            return;
        };
        // What a subagent is asked and answers belongs to the agent's work.
        if is_subagents(data) || line.agent_id.is_some_and(|it| it.is_string()) {
            return;
        }
        let at = time(line.timestamp.as_ref());
        match kind {
            "user.message" => self.user(at, data),
            "assistant.message" => self.assistant(at, data),
            "tool.execution_start" => self.start(at, data),
            "tool.execution_complete" => self.complete(at, data),
            _ => {}
        }
    }

    fn into_turns(self: Box<Self>) -> Vec<Turn> {
        self.turns.into_turns()
    }
}

impl CopilotReader {
    /// `content` is what was typed; `transformedContent` has what hooks added, and is never read.
    fn user(&mut self, at: Option<Timestamp>, data: &Value) {
        let is_typed = text(data, "source").is_none_or(|it| it == "user");
        if let Some(content) = data.get("content").filter(|_| is_typed) {
            self.turns.person(at, &texts(content));
        }
    }

    fn assistant(&mut self, at: Option<Timestamp>, data: &Value) {
        self.turns
            .agent(at, &data.get("content").map(texts).unwrap_or_default());
        for request in data
            .get("toolRequests")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let (id, name) = (
                text(request, "toolCallId"),
                text(request, "name").unwrap_or(""),
            );
            self.asked.extend(id.map(Into::into));
            self.turns.call(at, id, name, &given(request));
        }
    }

    fn start(&mut self, at: Option<Timestamp>, data: &Value) {
        let id = text(data, "toolCallId");
        if id.is_none_or(|it| self.asked.insert(it.into())) {
            self.turns
                .call(at, id, text(data, "toolName").unwrap_or(""), &given(data));
        }
    }

    fn complete(&mut self, at: Option<Timestamp>, data: &Value) {
        let result = data.get("result");
        let printed = ["textResultForLlm", "content", "detailedContent"]
            .iter()
            .find_map(|it| result?.get(it))
            .or_else(|| data.get("error")?.get("message"))
            .or(result);
        let printed = printed.map(texts).unwrap_or_default();
        // A command that ends badly is a success of the tool.
        let is_ok = data
            .get("success")
            .and_then(Value::as_bool)
            .map(|it| it && exit(&printed) != Some(false));
        self.turns
            .result(at, text(data, "toolCallId"), &printed, is_ok);
    }
}

fn is_subagents(data: &Value) -> bool {
    text(data, "parentToolCallId").is_some()
}

/// What a tool was given: an object, or one written as a string.
fn given(call: &Value) -> Value {
    match call.get("arguments") {
        Some(Value::String(text)) => {
            serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into())
        }
        Some(other) => other.clone(),
        None => Value::Null,
    }
}
