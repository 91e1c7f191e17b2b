//! What Claude Code sends to a hook.

use crate::hook::{
    caller::{CallerMarks, UNMARKED},
    failure::{CommandEnd, CommandOutcome},
    format::{COMMON_FIELDS, COMMON_FORMAT, FieldNames, PayloadFormat, sample},
    payload::Payload,
};

pub(super) const CALLER: CallerMarks = CallerMarks {
    fields: &["prompt_id"],
    session_variable: Some("CLAUDE_CODE_SESSION_ID"),
    variables: &[
        "CLAUDECODE",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_PROJECT_DIR",
        "CLAUDE_CONFIG_DIR",
    ],
    ..UNMARKED
};

pub(super) const FORMAT: PayloadFormat = PayloadFormat {
    fields: FieldNames {
        turn: &["prompt_id"],
        ..COMMON_FIELDS
    },
    reading_tools: &["Read"],
    editing_tools: &["Edit", "MultiEdit", "Write", "NotebookEdit"],
    shell_tools: &["Bash", "PowerShell"],
    task_tools: (&["Agent", "Task"], &["prompt"]),
    // A sub-agent in the background is done.
    own_prompts: &["<task-notification>"],
    read_outcome: read_failed_outcome,
    samples: &[
        sample!("SessionStart"),
        sample!("SessionStart", "SessionStart-compact"),
        sample!("UserPromptSubmit"),
        sample!("PreToolUse", "PreToolUse-Edit"),
        sample!("PreToolUse", "PreToolUse-Bash"),
        sample!("PreToolUse", "PreToolUse-Agent"),
        sample!("PostToolUse"),
        sample!("PostToolUseFailure"),
        sample!("PostToolUseFailure", "PostToolUseFailure-interrupted"),
        sample!("PreCompact"),
        sample!("Stop"),
        sample!("SessionEnd"),
    ],
    ..COMMON_FORMAT
};

/// What a command that failed printed. The event has an `error` whose first line is "Exit code 3"; what was refused, or took
/// too long, has none. A search that finds nothing is no failure to Claude Code (2.1.325).
fn read_failed_outcome(payload: &Payload) -> Option<CommandOutcome> {
    let error = payload.first_text(&["error"])?;
    let (first, output) = error.split_once('\n').unwrap_or((&error, ""));
    let code = first.strip_prefix("Exit code ")?.trim().parse().ok()?;
    let end = match payload.is_true("is_interrupt") {
        true => CommandEnd::Stopped,
        false => CommandEnd::Exited(code),
    };
    Some(CommandOutcome {
        output: output.to_owned(),
        end,
    })
}
