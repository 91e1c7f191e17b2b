//! Copilot CLI and VS Code: events `{type, data, timestamp}`, one per line.

use std::collections::HashSet;

use crate::{
    past_transcripts::{
        RecordedFolder, SessionHead, TranscriptPlaces, has_ending, list_files_below, read_side_file,
    },
    transcript::TranscriptTurn,
    transcripts::{
        TranscriptReader,
        tool_input::{join_content_texts, parse_exit_line},
        turns::TurnList,
    },
};
use serde_json::Value;

use super::settings::find_copilot_home;

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

/// `~/.copilot/session-state/SESSION/events.jsonl`, with the folder in `workspace.yaml` beside it.
pub(in crate::clients) const PLACES: TranscriptPlaces = TranscriptPlaces {
    list: |user| {
        let folder = find_copilot_home(user).join("session-state");
        list_files_below(&folder, 1, &|it| has_ending(it, &["events.jsonl"]))
    },
    read_outside: |path| {
        let folder = path.parent();
        let name = folder.and_then(|it| it.file_name()?.to_str());
        let workspace = folder.and_then(|it| read_side_file(&it.join("workspace.yaml")).ok());
        let cwd = workspace.iter().flat_map(|it| it.lines());
        let cwd = cwd.filter_map(|it| it.strip_prefix("cwd: ")).next();
        let cwd = cwd.map(|it| it.trim().trim_matches(['"', '\'']));
        SessionHead {
            name: name.map(Into::into),
            folder: cwd.map(|it| RecordedFolder::Path(it.into())),
            ..SessionHead::default()
        }
    },
    read_line: fill_in_session_start,
    find_folder: |_, _| None,
    why_unread: None,
};

/// What the event with which a session begins says of it.
pub(in crate::clients) fn fill_in_session_start(head: &mut SessionHead, line: &Value) {
    if line["type"] == "session.start" || line["type"] == "session.resume" {
        let (data, context) = (&line["data"], &line["data"]["context"]);
        let id = &data["sessionId"];
        head.fill_in(id, &context["cwd"], &context["branch"], &data["startTime"]);
        let (cwd, branch) = (&context["gitRoot"], &context["branch"]);
        head.fill_in(id, cwd, branch, &line["timestamp"]);
    }
}
