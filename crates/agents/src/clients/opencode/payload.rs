//! What the plugin in opencode sends. Tools and their input are as opencode names them.

use crate::hook::{
    caller::{CallerMarks, UNMARKED},
    failure::{CommandEnd, CommandOutcome},
    format::{COMMON_FORMAT, PayloadFormat, sample},
    payload::Payload,
};

pub(super) const CALLER: CallerMarks = CallerMarks {
    is_only_reader: true,
    ..UNMARKED
};

pub(super) const FORMAT: PayloadFormat = PayloadFormat {
    reading_tools: &["read", "grep"],
    editing_tools: &["edit", "write", "multiedit", "patch", "apply_patch"],
    shell_tools: &["bash"],
    read_outcome: |payload| {
        let response = payload.raw_json(&["tool_response"])?;
        let response = Payload::parse_object(&response)?;
        Some(CommandOutcome {
            end: CommandEnd::Exited(response.whole_number("exit")?),
            output: response.first_text(&["output"]).unwrap_or_default(),
        })
    },
    is_transcript_known: false,
    samples: &[
        sample!("SessionStart"),
        sample!("SessionStart", "SessionStart-resume"),
        sample!("UserPromptSubmit"),
        sample!("UserPromptSubmit", "UserPromptSubmit-agent"),
        sample!("PostToolUse", "PostToolUse-read"),
        sample!("PostToolUse", "PostToolUse-edit"),
        sample!("PostToolUse", "PostToolUse-bash"),
        sample!("PostToolUse", "PostToolUse-failed"),
        sample!("PreCompact"),
        sample!("Stop"),
        sample!("SessionEnd"),
    ],
    ..COMMON_FORMAT
};
