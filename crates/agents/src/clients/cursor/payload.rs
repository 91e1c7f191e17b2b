//! What Cursor sends to a hook. The hooks in `.claude/settings.json` are run under Cursor's own event names.
//!
//! `cwd` may be missing or empty; the first of the workspace's roots stands for it.

use std::path::PathBuf;

use crate::hook::EnvLookup;
use crate::hook::caller::{CallerMarks, UNMARKED};
use crate::hook::format::{COMMON_FIELDS, EventKind, FieldNames, PayloadFormat, sample};
use crate::hook::touched_paths::ToolKind::{File, Shell};

pub(super) const CALLER: CallerMarks = CallerMarks {
    is_only_reader: true,
    fields: &["cursor_version", "conversation_id"],
    resembles: |_, env| env("CURSOR_VERSION").is_some(),
    variables: &["CURSOR_VERSION", "CURSOR_TRANSCRIPT_PATH"],
    ..UNMARKED
};

pub(super) const FORMAT: PayloadFormat = PayloadFormat {
    events: &[
        ("sessionStart", EventKind::Start),
        ("beforeSubmitPrompt", EventKind::Prompt),
        ("preToolUse", EventKind::Before),
        ("postToolUse", EventKind::After),
        ("preCompact", EventKind::Compact),
        ("stop", EventKind::Stop),
        ("sessionEnd", EventKind::End),
        // From Claude Code's file, should the payload ever be without a name.
        ("SessionStart", EventKind::Start),
        ("UserPromptSubmit", EventKind::Prompt),
        ("PreToolUse", EventKind::Before),
        ("PostToolUse", EventKind::After),
        ("PreCompact", EventKind::Compact),
        ("Stop", EventKind::Stop),
        ("SessionEnd", EventKind::End),
    ],
    fields: FieldNames {
        session: &["conversation_id", "session_id"],
        turn: &["generation_id"],
        cwd: &["cwd", "workspace_roots"],
        ..COMMON_FIELDS
    },
    tools: &[
        ("Read", File),
        ("Write", File),
        ("StrReplace", File),
        ("Edit", File),
        ("Delete", File),
        ("Shell", Shell),
        ("Bash", Shell),
    ],
    echo: None,
    find_transcript: find_cursor_transcript,
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
};

fn find_cursor_transcript(_: Option<&str>, env: &EnvLookup<'_>) -> Option<PathBuf> {
    env("CURSOR_TRANSCRIPT_PATH")
        .filter(|it| !it.is_empty())
        .map(PathBuf::from)
}
