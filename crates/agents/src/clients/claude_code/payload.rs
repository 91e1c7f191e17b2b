//! What Claude Code sends to a hook.

use crate::hook::caller::{CallerMarks, UNMARKED};
use crate::hook::format::{COMMON_FIELDS, COMMON_FORMAT, FieldNames, PayloadFormat, sample};

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
    samples: &[
        sample!("SessionStart"),
        sample!("SessionStart", "SessionStart-compact"),
        sample!("UserPromptSubmit"),
        sample!("PreToolUse", "PreToolUse-Edit"),
        sample!("PreToolUse", "PreToolUse-Bash"),
        sample!("PostToolUse"),
        sample!("PreCompact"),
        sample!("Stop"),
        sample!("SessionEnd"),
    ],
    ..COMMON_FORMAT
};
