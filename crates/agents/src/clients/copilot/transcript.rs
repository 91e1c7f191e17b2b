//! Copilot CLI and VS Code: events `{type, data, timestamp}`, one per line.

use std::collections::HashSet;

use crate::{
    transcript::TranscriptTurn,
    transcripts::{
        TranscriptReader,
        tool_input::{join_content_texts, parse_exit_line},
        turns::TurnList,
    },
};
use serde_json::Value;

#[derive(Default)]
pub(in crate::clients) struct CopilotReader {
    turns: TurnList,
    /// VS Code writes the calls of a message only when they start.
    asked: HashSet<String>,
}

impl TranscriptReader for CopilotReader {
    fn read_line(&mut self, line: &Value) {
        let data = &line["data"];
        // What a subagent is asked and answers belongs to the agent's work.
        if data["parentToolCallId"].is_string() || line["agentId"].is_string() {
            return;
        }
        self.turns.set_line_time(&line["timestamp"]);
        match line["type"].as_str() {
            Some("user.message") => self.add_user_message(data),
            Some("assistant.message") => self.add_assistant_message(data),
            Some("tool.execution_start") => self.add_started_call(data),
            Some("tool.execution_complete") => self.add_call_result(data),
            _ => {}
        }
    }

    fn into_turns(self: Box<Self>) -> Vec<TranscriptTurn> {
        self.turns.into_turns()
    }
}

impl CopilotReader {
    /// `content` is what was typed; `transformedContent` has what hooks added, and is never read.
    fn add_user_message(&mut self, data: &Value) {
        if data["source"].as_str().is_none_or(|it| it == "user") {
            self.turns.add_person(&join_content_texts(&data["content"]));
        }
    }

    fn add_assistant_message(&mut self, data: &Value) {
        self.turns.add_agent(&join_content_texts(&data["content"]));
        for request in data["toolRequests"].as_array().into_iter().flatten() {
            let id = &request["toolCallId"];
            self.asked.extend(id.as_str().map(Into::into));
            let name = request["name"].as_str().unwrap_or("");
            self.turns.add_call(id, name, &request["arguments"]);
        }
    }

    fn add_started_call(&mut self, data: &Value) {
        let id = &data["toolCallId"];
        if id.as_str().is_none_or(|it| self.asked.insert(it.into())) {
            let name = data["toolName"].as_str().unwrap_or("");
            self.turns.add_call(id, name, &data["arguments"]);
        }
    }

    fn add_call_result(&mut self, data: &Value) {
        let result = &data["result"];
        let printed = ["textResultForLlm", "content", "detailedContent"]
            .iter()
            .find_map(|it| result.get(it))
            .or_else(|| data["error"].get("message"));
        let printed = join_content_texts(printed.unwrap_or(result));
        // A command that ends badly is a success of the tool.
        let is_ok = data["success"]
            .as_bool()
            .map(|it| it && parse_exit_line(&printed) != Some(false));
        self.turns.add_result(&data["toolCallId"], &printed, is_ok);
    }
}
