//! What Cursor sends to a hook. The hooks in `.claude/settings.json` are run under Cursor's own event names.
//!
//! `cwd` may be missing or empty; the first of the workspace's roots stands for it.

use crate::hook::caller::{CallerMarks, UNMARKED};
use crate::hook::format::{
    COMMON_EVENTS, COMMON_FIELDS, COMMON_FORMAT, FieldNames, PayloadFormat, sample,
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
    find_transcript: |_, env| {
        let path = env("CURSOR_TRANSCRIPT_PATH")?;
        (!path.is_empty()).then(|| path.into())
    },
    samples: &[
        sample!("sessionStart"),
        sample!("beforeSubmitPrompt"),
        sample!("preToolUse"),
        sample!("postToolUse", "postToolUse-Read"),
        sample!("postToolUse", "postToolUse-Shell"),
        sample!("preCompact"),
        sample!("stop"),
        sample!("sessionEnd"),
    ],
    ..COMMON_FORMAT
};
