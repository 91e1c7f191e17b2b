//! How a client's payloads are read: the names of its events, fields and tools, and the reading by them.

use std::path::PathBuf;

use crate::client::Client;
use crate::transcript::is_outside_text_tool;

use super::hook_blocks::{self, BlockTags};
use super::payload::Payload;
use super::touched_paths::{self, ToolKind};
use super::{EnvLookup, HookCall, HookMoment, HookSample};

/// What a client sends to a hook.
pub(crate) struct PayloadFormat {
    /// Its events, by its own names.
    pub(crate) events: &'static [(&'static str, EventKind)],
    pub(crate) fields: FieldNames,
    /// Its tools that are about files; others are not looked at.
    pub(crate) tools: &'static [(&'static str, ToolKind)],
    /// The block in which it hands back what a hook said, as a part of the next prompt.
    pub(crate) echo: Option<BlockTags>,
    /// Where the transcript is when the payload does not say.
    pub(crate) find_transcript: fn(session: Option<&str>, env: &EnvLookup<'_>) -> Option<PathBuf>,
    /// What the client documents, for every event that is answered.
    pub(crate) samples: &'static [HookSample],
}

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventKind {
    Start,
    Prompt,
    Before,
    After,
    Compact,
    Stop,
    End,
}

/// The names that a client gives to its fields. Where there are several, the first that says something counts.
pub(crate) struct FieldNames {
    pub(crate) event: &'static [&'static str],
    pub(crate) session: &'static [&'static str],
    pub(crate) turn: &'static [&'static str],
    pub(crate) cwd: &'static [&'static str],
    pub(crate) transcript: &'static [&'static str],
    pub(crate) said: &'static [&'static str],
    pub(crate) tool: &'static [&'static str],
    pub(crate) input: &'static [&'static str],
}

/// The names that most clients have taken over from one another.
pub(crate) const COMMON_FIELDS: FieldNames = FieldNames {
    event: &["hook_event_name"],
    session: &["session_id"],
    turn: &[],
    cwd: &["cwd"],
    transcript: &["transcript_path"],
    said: &["last_assistant_message"],
    tool: &["tool_name"],
    input: &["tool_input"],
};

/// The events that Claude Code began with, and others took over by name.
pub(crate) const COMMON_EVENTS: &[(&str, EventKind)] = &[
    ("SessionStart", EventKind::Start),
    ("UserPromptSubmit", EventKind::Prompt),
    ("PreToolUse", EventKind::Before),
    ("PostToolUse", EventKind::After),
    ("PreCompact", EventKind::Compact),
    ("Stop", EventKind::Stop),
    ("SessionEnd", EventKind::End),
];

impl PayloadFormat {
    /// What is called. `None`: an event that is not known.
    pub(crate) fn read_call(
        &self,
        client: Client,
        payload: &Payload<'_>,
        named_event: &str,
        env: &EnvLookup<'_>,
    ) -> Option<HookCall> {
        let (event, kind) = self.find_event(payload, named_event)?;
        let fields = &self.fields;
        let session = payload.first_text(fields.session);
        let transcript = payload.first_text(fields.transcript).map(PathBuf::from);
        Some(HookCall {
            client,
            event: event.to_owned(),
            turn: payload.first_text(fields.turn),
            cwd: payload.first_text(fields.cwd).map(PathBuf::from),
            transcript: transcript.or_else(|| (self.find_transcript)(session.as_deref(), env)),
            moment: self.read_moment(kind, payload),
            session,
        })
    }

    /// The event: what the payload says it is, or else what the command line says.
    fn find_event(&self, payload: &Payload<'_>, named: &str) -> Option<(&'static str, EventKind)> {
        let known = |name: &str| self.events.iter().copied().find(|(it, _)| *it == name);
        payload
            .first_text(self.fields.event)
            .and_then(|it| known(&it))
            .or_else(|| known(named))
    }

    fn read_moment(&self, kind: EventKind, payload: &Payload<'_>) -> HookMoment {
        match kind {
            EventKind::Start => read_session_start(payload),
            EventKind::Prompt => HookMoment::Prompt {
                text: self.read_prompt(payload),
            },
            EventKind::Before => self.read_touch(payload, true),
            EventKind::After => self.read_touch(payload, false),
            EventKind::Compact => HookMoment::Compact,
            EventKind::Stop => HookMoment::Stop {
                said: payload.first_text(self.fields.said),
            },
            EventKind::End => HookMoment::End,
        }
    }

    fn read_prompt(&self, payload: &Payload<'_>) -> String {
        let prompt = payload.first_text(&["prompt"]).unwrap_or_default();
        hook_blocks::strip_hook_blocks(self.echo.as_ref(), &prompt)
    }

    fn read_touch(&self, payload: &Payload<'_>, is_before: bool) -> HookMoment {
        let name = payload.first_text(self.fields.tool).unwrap_or_default();
        let mut tools = self.tools.iter();
        let tool = tools.find(|(it, _)| *it == name).map(|(_, tool)| *tool);
        let input = payload.raw_json(self.fields.input).unwrap_or_default();
        let command = if tool == Some(ToolKind::Shell) {
            &*input
        } else {
            ""
        };
        HookMoment::Touch {
            is_outside: is_outside_text_tool(&name, command),
            paths: tool
                .map(|tool| touched_paths::find_touched_paths(tool, &input))
                .unwrap_or_default(),
            is_before,
        }
    }
}

/// `source` is the same field in every client that has it.
fn read_session_start(payload: &Payload<'_>) -> HookMoment {
    let source = payload.first_text(&["source"]).unwrap_or_default();
    let is_again = ["resume", "fork", "compact"].contains(&source.as_str());
    HookMoment::Start {
        is_again,
        is_compacted: source == "compact",
    }
}

/// For clients that always say where the transcript is, or never.
pub(crate) fn find_no_transcript(_: Option<&str>, _: &EnvLookup<'_>) -> Option<PathBuf> {
    None
}

/// A documented payload, kept as a file in `samples` beside the caller: `sample!("Stop")`, or with the file's name when an
/// event has several.
macro_rules! sample {
    ($event:literal) => {
        sample!($event, $event)
    };
    ($event:literal, $file:literal) => {
        $crate::hook::HookSample {
            event: $event,
            stdin: include_str!(concat!("samples/", $file, ".json")),
        }
    };
}
pub(crate) use sample;
