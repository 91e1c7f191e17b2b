//! What Visual Studio Code sends to a hook. It has no hooks file of its own: it reads Copilot's and Claude Code's, turns
//! camelCase events into its own, and ignores matchers, so a hook runs for every tool.

use crate::hook::caller::{CallerMarks, UNMARKED};
use crate::hook::format::{
    COMMON_EVENTS, COMMON_FIELDS, PayloadFormat, find_no_transcript, sample,
};
use crate::hook::touched_paths::ToolKind::{File, Shell};

pub(super) const CALLER: CallerMarks = CallerMarks {
    is_stamped: true,
    resembles: |_, _| true,
    ..UNMARKED
};

pub(super) const FORMAT: PayloadFormat = PayloadFormat {
    events: COMMON_EVENTS,
    fields: COMMON_FIELDS,
    // The names in use, and below them those that the documentation has.
    tools: &[
        ("read_file", File),
        ("create_file", File),
        ("insert_edit_into_file", File),
        ("replace_string_in_file", File),
        ("multi_replace_string_in_file", File),
        ("edit_notebook_file", File),
        ("apply_patch", File),
        ("run_in_terminal", Shell),
        ("readFile", File),
        ("editFiles", File),
        ("createFile", File),
        ("runTerminalCommand", Shell),
    ],
    echo: None,
    find_transcript: find_no_transcript,
    samples: &[
        sample!("SessionStart"),
        sample!("UserPromptSubmit"),
        sample!("PreToolUse", "PreToolUse-editFiles"),
        sample!("PreToolUse", "PreToolUse-run_in_terminal"),
        sample!("PostToolUse"),
        sample!("PreCompact"),
        sample!("Stop"),
    ],
};
