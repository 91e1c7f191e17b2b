//! Turns as they are written down, one after the other.

use std::collections::HashMap;

use crate::transcript::{Speaker, ToolCall, TranscriptTurn, strip_injected_text};
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
    turns: Vec<TranscriptTurn>,
    /// Where a call stands, by the client's id of it: the turn, and the use in it.
    calls: HashMap<String, (usize, usize)>,
}

impl TurnList {
    /// The person speaks; what programs put beside their words is left out.
    pub(crate) fn add_person(&mut self, at: Option<Timestamp>, text: &str) {
        let text = strip_injected_text(text);
        if !text.is_empty() {
            self.push_turn(at, Speaker::Person, text);
        }
    }

    /// The agent speaks.
    pub(crate) fn add_agent(&mut self, at: Option<Timestamp>, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            let turn = self.open_agent_turn(at);
            let gap = if turn.text.is_empty() { "" } else { "\n" };
            turn.text.push_str(gap);
            turn.text.push_str(text);
        }
    }

    /// The agent calls a tool.
    pub(crate) fn add_call(
        &mut self,
        at: Option<Timestamp>,
        id: Option<&str>,
        tool: &str,
        given: &Value,
    ) {
        let used = ToolCall {
            tool: tool.into(),
            paths: tool_input::extract_input_paths(given),
            input: tool_input::format_tool_input(given),
            has_succeeded: None,
        };
        let turn = self.open_agent_turn(at);
        turn.uses.push(used);
        let place = turn.uses.len() - 1;
        if let Some(id) = id {
            self.calls.insert(id.into(), (self.turns.len() - 1, place));
        }
    }

    /// A tool answers.
    pub(crate) fn add_result(
        &mut self,
        at: Option<Timestamp>,
        id: Option<&str>,
        text: &str,
        is_ok: Option<bool>,
    ) {
        self.set_outcome(id, is_ok);
        self.push_turn(at, Speaker::Tool, shorten_tool_output(text));
    }

    /// It is known how a call ended.
    pub(crate) fn set_outcome(&mut self, id: Option<&str>, is_ok: Option<bool>) {
        let place = id
            .and_then(|it| self.calls.get(it))
            .filter(|_| is_ok.is_some());
        if let Some(&(turn, place)) = place {
            self.turns[turn].uses[place].has_succeeded = is_ok;
        }
    }

    /// Takes back the last `n` prompts and all that followed them.
    pub(crate) fn remove_last_prompts(&mut self, n: usize) {
        let prompts = self
            .turns
            .iter()
            .enumerate()
            .filter(|(_, it)| it.speaker == Speaker::Person);
        let at = prompts.map(|(at, _)| at).rev().take(n).last();
        self.turns
            .truncate(at.filter(|_| n > 0).unwrap_or(self.turns.len()));
        self.calls.retain(|_, (turn, _)| *turn < self.turns.len());
    }

    /// The turns, numbered.
    pub(crate) fn into_turns(mut self) -> Vec<TranscriptTurn> {
        self.turns
            .drain(..self.turns.len().saturating_sub(MAX_TURNS));
        self.turns
            .iter_mut()
            .zip(1..)
            .for_each(|(turn, number)| turn.number = number);
        self.turns
    }

    /// What an agent says and calls without an answer in between is one turn.
    fn open_agent_turn(&mut self, at: Option<Timestamp>) -> &mut TranscriptTurn {
        if self
            .turns
            .last()
            .is_none_or(|it| it.speaker != Speaker::Agent)
        {
            self.push_turn(at, Speaker::Agent, String::new());
        }
        let last = self.turns.len() - 1;
        &mut self.turns[last]
    }

    fn push_turn(&mut self, at: Option<Timestamp>, speaker: Speaker, text: String) {
        self.turns.push(TranscriptTurn {
            number: 0,
            at,
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
