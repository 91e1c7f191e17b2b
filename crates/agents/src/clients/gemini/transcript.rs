//! Gemini CLI: messages with ids, and patches of them: `$set` puts a whole list in place, `$rewindTo` takes a message
//! and all behind it back, and a message that is written again replaces the first.

use crate::transcript::TranscriptTurn;
use jiff::Timestamp;
use serde_json::Value;

use crate::transcripts::TranscriptReader;
use crate::transcripts::tool_input::{
    join_content_texts, parse_exit_line, parse_line_time, text_field,
};
use crate::transcripts::turns::TurnList;

pub(crate) fn new_gemini_reader() -> Box<dyn TranscriptReader> {
    Box::new(GeminiReader::default())
}

#[derive(Default)]
struct GeminiReader {
    messages: Vec<(String, Value)>,
    /// The session was started by an agent: nobody in it is the person.
    is_helper: bool,
}

impl TranscriptReader for GeminiReader {
    fn read_line(&mut self, line: &[u8]) {
        let Ok(line) = serde_json::from_slice::<Value>(line) else {
            return;
        };
        if let Some(id) = text_field(&line, "$rewindTo") {
            self.rewind_to(id);
        } else if text_field(&line, "id").is_some() {
            self.put_message(line);
        } else {
            let patch = line.get("$set").unwrap_or(&line);
            self.is_helper |= text_field(patch, "kind").is_some_and(|it| it != "main");
            if let Some(messages) = patch.get("messages").and_then(Value::as_array) {
                self.messages.clear();
                messages.iter().for_each(|it| self.put_message(it.clone()));
            }
        }
    }

    fn into_turns(self: Box<Self>) -> Vec<TranscriptTurn> {
        let mut turns = TurnList::default();
        for (_, message) in &self.messages {
            let at = parse_line_time(message.get("timestamp"));
            match text_field(message, "type") {
                Some("user") if !self.is_helper => {
                    turns.add_person(at, &extract_typed_text(message))
                }
                Some("gemini") => add_gemini_answer(&mut turns, at, message),
                _ => {}
            }
        }
        turns.into_turns()
    }
}

impl GeminiReader {
    fn put_message(&mut self, message: Value) {
        let Some(id) = text_field(&message, "id").map(str::to_owned) else {
            return;
        };
        // What is written again is nearly always the last.
        match self.messages.iter_mut().rev().find(|it| it.0 == id) {
            Some(known) => known.1 = message,
            None => self.messages.push((id, message)),
        }
    }

    /// The client takes everything back when it does not know the message.
    fn rewind_to(&mut self, id: &str) {
        let at = self.messages.iter().position(|it| it.0 == id).unwrap_or(0);
        self.messages.truncate(at);
    }
}

/// What was typed: where files were named, `displayContent` is without them.
fn extract_typed_text(message: &Value) -> String {
    let content = message
        .get("displayContent")
        .or_else(|| message.get("content"));
    content.map(join_content_texts).unwrap_or_default()
}

fn add_gemini_answer(turns: &mut TurnList, at: Option<Timestamp>, message: &Value) {
    turns.add_agent(
        at,
        &message
            .get("content")
            .map(join_content_texts)
            .unwrap_or_default(),
    );
    let calls = || {
        message
            .get("toolCalls")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    for call in calls() {
        let given = call.get("args").unwrap_or(&Value::Null);
        turns.add_call(
            at,
            text_field(call, "id"),
            text_field(call, "name").unwrap_or(""),
            given,
        );
    }
    for call in calls() {
        let is_ok = match text_field(call, "status") {
            Some("success") => Some(parse_exit_line(&extract_tool_output(call)) != Some(false)),
            Some("error" | "cancelled") => Some(false),
            _ => None,
        };
        turns.add_result(
            at,
            text_field(call, "id"),
            &extract_tool_output(call),
            is_ok,
        );
    }
}

/// What a tool gave back: for the eye, or as the model got it.
fn extract_tool_output(call: &Value) -> String {
    let shown = call
        .get("resultDisplay")
        .and_then(Value::as_str)
        .map(str::to_owned);
    let response = || call.pointer("/result/0/functionResponse/response");
    let told = || {
        ["output", "error"]
            .iter()
            .find_map(|it| response()?.get(it)?.as_str())
            .map(str::to_owned)
    };
    told().or(shown).unwrap_or_default()
}
