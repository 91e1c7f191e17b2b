//! What Visual Studio Code sends to a hook. It has no hooks file of its own: it reads Copilot's and Claude Code's, turns
//! camelCase events into its own, and ignores matchers, so a hook runs for every tool.

use crate::hook::{
    caller::{CallerMarks, UNMARKED},
    failure::CommandOutcome,
    format::{COMMON_FORMAT, PayloadFormat, sample},
};

pub(super) const CALLER: CallerMarks = CallerMarks {
    is_stamped: true,
    resembles: |_, _| true,
    ..UNMARKED
};

pub(super) const FORMAT: PayloadFormat = PayloadFormat {
    // The names in use, and behind them those that the documentation has.
    reading_tools: &["read_file", "readFile"],
    editing_tools: &[
        "create_file",
        "insert_edit_into_file",
        "replace_string_in_file",
        "multi_replace_string_in_file",
        "edit_notebook_file",
        "apply_patch",
        "editFiles",
        "createFile",
    ],
    shell_tools: &["run_in_terminal", "runTerminalCommand"],
    // A line behind the output, where the terminal tells (`runInTerminalTool.ts` and its strategies).
    read_outcome: |payload| {
        let text = payload.first_text(&["tool_response"])?;
        CommandOutcome::from_noted_code(&text, "Command exited with code ")
    },
    samples: &[
        sample!("SessionStart"),
        sample!("UserPromptSubmit"),
        sample!("PreToolUse", "PreToolUse-editFiles"),
        sample!("PreToolUse", "PreToolUse-run_in_terminal"),
        sample!("PostToolUse"),
        sample!("PostToolUse", "PostToolUse-failed"),
        sample!("PreCompact"),
        sample!("Stop"),
    ],
    ..COMMON_FORMAT
};
