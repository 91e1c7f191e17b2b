//! What Codex sends to a hook. Hooks see two tools of interest: `Bash`, and `apply_patch`, whose `command` is the patch.
//! Reading a file is a command.

use crate::hook::{
    caller::{CallerMarks, UNMARKED},
    failure::{CommandEnd, CommandOutcome},
    format::{COMMON_FIELDS, COMMON_FORMAT, FieldNames, PayloadFormat, sample},
};

pub(super) const CALLER: CallerMarks = CallerMarks {
    is_only_reader: true,
    fields: &["turn_id"],
    // Codex marks nothing, but it alone may have no transcript, and it keeps them in a place of its own.
    resembles: |payload, _| {
        let transcript = payload.first_text(COMMON_FIELDS.transcript);
        let transcript = transcript.unwrap_or_default();
        let name = transcript.rsplit(['/', '\\']).next().unwrap_or_default();
        payload.is_null("transcript_path") || name.starts_with("rollout-")
    },
    variables: &["CODEX_HOME"],
    ..UNMARKED
};

pub(super) const FORMAT: PayloadFormat = PayloadFormat {
    fields: FieldNames {
        turn: &["turn_id"],
        ..COMMON_FIELDS
    },
    editing_tools: &["apply_patch"],
    shell_tools: &["Bash"],
    // What a command printed, and not how it ended (seen in 0.166).
    read_outcome: |payload| {
        Some(CommandOutcome {
            output: payload.first_text(&["tool_response"])?,
            end: CommandEnd::Unsaid,
        })
    },
    is_after_for_failures: true,
    samples: &[
        sample!("SessionStart"),
        sample!("UserPromptSubmit"),
        sample!("UserPromptSubmit", "UserPromptSubmit-agent"),
        sample!("PreToolUse", "PreToolUse-Bash"),
        sample!("PreToolUse", "PreToolUse-apply_patch"),
        sample!("PostToolUse"),
        sample!("PostToolUse", "PostToolUse-failed"),
        sample!("PreCompact"),
        sample!("Stop"),
        sample!("SessionEnd"),
    ],
    ..COMMON_FORMAT
};
