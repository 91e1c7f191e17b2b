//! What Gemini CLI sends to a hook.

use crate::hook::{
    caller::{CallerMarks, UNMARKED},
    failure::CommandOutcome,
    format::{COMMON_FIELDS, COMMON_FORMAT, FieldNames, PayloadFormat, sample},
    hook_blocks::BlockTags,
    payload::Payload,
};

/// What a hook said at the start of a session comes back in this, as a part of the prompt (`packages/cli/src/gemini.tsx`).
const ECHO: BlockTags = BlockTags {
    open: &["<hook_context"],
    close: &["</hook_context>"],
};

pub(super) const CALLER: CallerMarks = CallerMarks {
    is_only_reader: true,
    fields: &["prompt_response"],
    session_variable: Some("GEMINI_SESSION_ID"),
    is_stamped: true,
    events: &[
        "BeforeAgent",
        "AfterAgent",
        "BeforeTool",
        "AfterTool",
        "PreCompress",
    ],
    variables: &["GEMINI_CLI", "GEMINI_SESSION_ID", "GEMINI_CLI_HOME"],
    ..UNMARKED
};

pub(super) const FORMAT: PayloadFormat = PayloadFormat {
    events: &[[
        "SessionStart",
        "BeforeAgent",
        "BeforeTool",
        "AfterTool",
        "PreCompress",
        "AfterAgent",
        "SessionEnd",
        // It has none of its own for a tool that failed.
        "AfterTool",
    ]],
    fields: FieldNames {
        said: &["prompt_response"],
        ..COMMON_FIELDS
    },
    reading_tools: &["read_file", "read_many_files"],
    editing_tools: &["write_file", "replace"],
    shell_tools: &["run_shell_command"],
    task_tools: (
        &["invoke_agent", "delegate_to_agent", "codebase_investigator"],
        &["prompt", "objective", "task"],
    ),
    // "Output: …", "Exit Code: 3" where it is not 0, and more lines; "Signal: 9" where one ended it.
    read_outcome: |payload| {
        let response = payload.raw_json(&["tool_response"])?;
        let text = Payload::parse_object(&response)?.first_text(&["llmContent"])?;
        let text = text.trim_start_matches("<untrusted_context>\n");
        CommandOutcome::from_noted_code(text.trim_start_matches("Output: "), "Exit Code: ")
    },
    // It asks before every prompt, and only then looks whether there is anything to compress; `/compress` is `manual`
    // (`ChatCompressionService.compress`).
    is_compaction: |payload| payload.first_text(&["trigger"]).as_deref() == Some("manual"),
    echo: Some(ECHO),
    samples: &[
        sample!("SessionStart"),
        sample!("BeforeAgent"),
        sample!("BeforeTool"),
        sample!("BeforeTool", "BeforeTool-invoke_agent"),
        sample!("AfterTool", "AfterTool-read_file"),
        sample!("AfterTool", "AfterTool-run_shell_command"),
        sample!("AfterTool", "AfterTool-failed"),
        sample!("AfterTool", "AfterTool-signal"),
        sample!("PreCompress"),
        sample!("PreCompress", "PreCompress-manual"),
        sample!("AfterAgent"),
        sample!("SessionEnd"),
    ],
    ..COMMON_FORMAT
};
