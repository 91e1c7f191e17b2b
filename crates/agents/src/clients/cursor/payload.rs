//! What Cursor sends to a hook. The hooks in `.claude/settings.json` are run under Cursor's own event names.
//!
//! `cwd` may be missing or empty; the first of the workspace's roots stands for it.

use crate::hook::{
    caller::{CallerMarks, UNMARKED},
    failure::{CommandEnd, CommandOutcome},
    format::{COMMON_EVENTS, COMMON_FIELDS, COMMON_FORMAT, FieldNames, PayloadFormat, sample},
    payload::Payload,
};

pub(super) const CALLER: CallerMarks = CallerMarks {
    is_only_reader: true,
    fields: &["cursor_version", "conversation_id"],
    resembles: |_, env| env("CURSOR_VERSION").is_some(),
    variables: &["CURSOR_VERSION", "CURSOR_TRANSCRIPT_PATH"],
    ..UNMARKED
};

pub(super) const FORMAT: PayloadFormat = PayloadFormat {
    events: &[
        [
            "sessionStart",
            "beforeSubmitPrompt",
            "preToolUse",
            "postToolUse",
            "preCompact",
            "stop",
            "sessionEnd",
            "postToolUseFailure",
        ],
        // From Claude Code's file, should the payload ever be without a name.
        COMMON_EVENTS,
    ],
    fields: FieldNames {
        session: &["conversation_id", "session_id"],
        turn: &["generation_id"],
        cwd: &["cwd", "workspace_roots"],
        ..COMMON_FIELDS
    },
    reading_tools: &["Read"],
    editing_tools: &["Write", "StrReplace", "Edit", "Delete"],
    shell_tools: &["Shell", "Bash"],
    // An object in a text. `postToolUseFailure` takes no context, so it is not asked for.
    read_outcome: |payload| {
        let output = payload.raw_json(&["tool_output"])?;
        let output = Payload::parse_object(&output)?;
        Some(CommandOutcome {
            end: CommandEnd::Exited(output.whole_number("exitCode")?),
            output: output.first_text(&["output"]).unwrap_or_default(),
        })
    },
    find_transcript: |_, env| {
        let path = env("CURSOR_TRANSCRIPT_PATH")?;
        (!path.is_empty()).then(|| path.into())
    },
    is_transcript_known: false,
    samples: &[
        sample!("sessionStart"),
        sample!("beforeSubmitPrompt"),
        sample!("preToolUse"),
        sample!("postToolUse", "postToolUse-Read"),
        sample!("postToolUse", "postToolUse-Shell"),
        sample!("postToolUse", "postToolUse-failed"),
        sample!("preCompact"),
        sample!("stop"),
        sample!("sessionEnd"),
    ],
    ..COMMON_FORMAT
};
