//! What Claude Code sends to a hook.

use crate::hook::caller::{CallerMarks, UNMARKED};
use crate::hook::format::{
    COMMON_EVENTS, COMMON_FIELDS, FieldNames, PayloadFormat, find_no_transcript, sample,
};
use crate::hook::touched_paths::ToolKind::{File, Shell};

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
    events: COMMON_EVENTS,
    fields: FieldNames {
        turn: &["prompt_id"],
        ..COMMON_FIELDS
    },
    tools: &[
        ("Read", File),
        ("Edit", File),
        ("MultiEdit", File),
        ("Write", File),
        ("NotebookEdit", File),
        ("Bash", Shell),
        ("PowerShell", Shell),
    ],
    echo: None,
    find_transcript: find_no_transcript,
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
};
