//! Turns as they are written down, one after the other.

use std::collections::HashMap;

use crate::transcript::{TranscriptCall, TranscriptTurn, TurnSpeaker, strip_injected_text};
use jiff::Timestamp;
use serde_json::Value;

use super::tool_input;

/// How many turns are kept, the last ones.
const MAX_TURNS: usize = 5_000;
/// How much of what a tool printed is kept, in characters: its beginning and its end.
const TOOL_CHARS: usize = 64 * 1024;

/// The turns so far.
#[derive(Default)]
pub(crate) struct TurnList {
    /// When what is added next was said or done.
    at: Option<Timestamp>,
    turns: Vec<TranscriptTurn>,
    /// Where a call stands, by the client's id of it: the turn, and the use in it.
    calls: HashMap<String, (usize, usize)>,
}

impl TurnList {
    /// What is added next comes from a line that was written at this time.
    pub(crate) fn set_line_time(&mut self, time: &Value) {
        self.at = time.as_str().and_then(|it| it.parse().ok());
    }

    /// The person speaks; what programs put beside their words is left out.
    pub(crate) fn add_person(&mut self, text: &str) {
        let text = strip_injected_text(text);
        if !text.is_empty() {
            self.push_turn(TurnSpeaker::Person, text);
        }
    }

    /// The agent speaks.
    pub(crate) fn add_agent(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            let turn = self.open_agent_turn();
            let gap = if turn.text.is_empty() { "" } else { "\n" };
            turn.text += gap;
            turn.text += text;
        }
    }

    /// The agent calls a tool. What it is given may be a value, or one that is written as a text.
    pub(crate) fn add_call(&mut self, id: &Value, tool: &str, given: &Value) {
        let written = given.as_str().and_then(|it| serde_json::from_str(it).ok());
        let given = written.as_ref().unwrap_or(given);
        let turn = self.open_agent_turn();
        let place = turn.uses.len();
        turn.uses.push(TranscriptCall {
            tool: tool.into(),
            paths: tool_input::extract_input_paths(given),
            input: tool_input::format_tool_input(given),
            has_succeeded: None,
            is_background: tool_input::is_background_call(given),
        });
        if let Some(id) = id.as_str() {
            self.calls.insert(id.into(), (self.turns.len() - 1, place));
        }
    }

    /// A tool answers.
    pub(crate) fn add_result(&mut self, id: &Value, text: &str, is_ok: Option<bool>) {
        self.set_outcome(id, is_ok);
        self.push_turn(TurnSpeaker::Tool, shorten_tool_output(text));
    }

    /// It is known how a call ended.
    pub(crate) fn set_outcome(&mut self, id: &Value, is_ok: Option<bool>) {
        let place = id.as_str().and_then(|it| self.calls.get(it));
        if let (Some(&(turn, place)), Some(_)) = (place, is_ok) {
            self.turns[turn].uses[place].has_succeeded = is_ok;
        }
    }

    /// Takes back the last `n` prompts and all that followed them.
    pub(crate) fn remove_last_prompts(&mut self, n: usize) {
        for _ in 0..n {
            let is_prompt = |it: &TranscriptTurn| it.speaker == TurnSpeaker::Person;
            let Some(at) = self.turns.iter().rposition(is_prompt) else {
                break;
            };
            self.turns.truncate(at);
        }
        self.calls.retain(|_, (turn, _)| *turn < self.turns.len());
    }

    /// The turns, numbered.
    pub(crate) fn into_turns(mut self) -> Vec<TranscriptTurn> {
        self.turns
            .drain(..self.turns.len().saturating_sub(MAX_TURNS));
        for (turn, number) in self.turns.iter_mut().zip(1..) {
            turn.number = number;
        }
        self.turns
    }

    /// What an agent says and calls without an answer in between is one turn.
    fn open_agent_turn(&mut self) -> &mut TranscriptTurn {
        let last = self.turns.last();
        if last.is_none_or(|it| it.speaker != TurnSpeaker::Agent) {
            self.push_turn(TurnSpeaker::Agent, String::new());
        }
        let last = self.turns.len() - 1;
        &mut self.turns[last]
    }

    fn push_turn(&mut self, speaker: TurnSpeaker, text: String) {
        self.turns.push(TranscriptTurn {
            number: 0,
            at: self.at,
            speaker,
            text,
            uses: Vec::new(),
        });
    }
}

fn shorten_tool_output(text: &str) -> String {
    if text.len() <= TOOL_CHARS {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(TOOL_CHARS / 2);
    let tail = text.ceil_char_boundary(text.len() - TOOL_CHARS / 2);
    format!("{}\n…\n{}", &text[..head], &text[tail..])
}
