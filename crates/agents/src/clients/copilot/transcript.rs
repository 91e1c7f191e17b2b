//! Copilot CLI and VS Code: events `{type, data, timestamp}`, one per line.

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
        if is_subagent_event(data) || line.agent_id.is_some_and(|it| it.is_string()) {
            return;
        }
        let at = parse_line_time(line.timestamp.as_ref());
        match kind {
            "user.message" => self.add_user_message(at, data),
            "assistant.message" => self.add_assistant_message(at, data),
            "tool.execution_start" => self.add_started_call(at, data),
            "tool.execution_complete" => self.add_call_result(at, data),
            _ => {}
        }
    }

    fn into_turns(self: Box<Self>) -> Vec<TranscriptTurn> {
        self.turns.into_turns()
    }
}

impl CopilotReader {
    /// `content` is what was typed; `transformedContent` has what hooks added, and is never read.
    fn add_user_message(&mut self, at: Option<Timestamp>, data: &Value) {
        let is_typed = text_field(data, "source").is_none_or(|it| it == "user");
        if let Some(content) = data.get("content").filter(|_| is_typed) {
            self.turns.add_person(at, &join_content_texts(content));
        }
    }

    fn add_assistant_message(&mut self, at: Option<Timestamp>, data: &Value) {
        self.turns.add_agent(
            at,
            &data
                .get("content")
                .map(join_content_texts)
                .unwrap_or_default(),
        );
        for request in data
            .get("toolRequests")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let (id, name) = (
                text_field(request, "toolCallId"),
                text_field(request, "name").unwrap_or(""),
            );
            self.asked.extend(id.map(Into::into));
            self.turns
                .add_call(at, id, name, &parse_call_arguments(request));
        }
    }

    fn add_started_call(&mut self, at: Option<Timestamp>, data: &Value) {
        let id = text_field(data, "toolCallId");
        if id.is_none_or(|it| self.asked.insert(it.into())) {
            self.turns.add_call(
                at,
                id,
                text_field(data, "toolName").unwrap_or(""),
                &parse_call_arguments(data),
            );
        }
    }

    fn add_call_result(&mut self, at: Option<Timestamp>, data: &Value) {
        let result = data.get("result");
        let printed = ["textResultForLlm", "content", "detailedContent"]
            .iter()
            .find_map(|it| result?.get(it))
            .or_else(|| data.get("error")?.get("message"))
            .or(result);
        let printed = printed.map(join_content_texts).unwrap_or_default();
        // A command that ends badly is a success of the tool.
        let is_ok = data
            .get("success")
            .and_then(Value::as_bool)
            .map(|it| it && parse_exit_line(&printed) != Some(false));
        self.turns
            .add_result(at, text_field(data, "toolCallId"), &printed, is_ok);
    }
}

fn is_subagent_event(data: &Value) -> bool {
    text_field(data, "parentToolCallId").is_some()
}

/// What a tool was given: an object, or one written as a string.
fn parse_call_arguments(call: &Value) -> Value {
    match call.get("arguments") {
        Some(Value::String(text)) => {
            serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into())
        }
        Some(other) => other.clone(),
        None => Value::Null,
    }
}
