//! Codex.
//!
//! | moment | event | context |
//! |---|---|---|
//! | start | `SessionStart` | taken |
//! | prompt | `UserPromptSubmit` | taken |
//! | touch | `PreToolUse`, and `PostToolUse` | taken by both; the first is installed |
//! | compact | `PreCompact` | not taken; a `SessionStart` with the source `compact` follows |
//! | stop | `Stop` | not taken: what it knows is `decision`, which continues the turn |
//! | end | `SessionEnd` | has no answer at all |
//!
//! Its answers are closed (`codex-rs/hooks/schema/generated`, 2026-08-22): one unknown key, and the hook has failed. At
//! `PreToolUse` some of the known ones fail it too (`engine/output_parser.rs`), so nothing is said that need not be.
//! Hooks see two tools of interest: `Bash`, and `apply_patch`, whose `command` is the patch. Reading a file is a command.

use super::touched::Tool::{File, Shell};
use super::{Fields, Moment, Reply, SNAKE, Told, Ways, What, answers, nowhere, sample};

pub const WAYS: Ways = Ways {
    events: &[
        ("SessionStart", What::Start),
        ("UserPromptSubmit", What::Prompt),
        ("PreToolUse", What::Before),
        ("PostToolUse", What::After),
        ("PreCompact", What::Compact),
        ("Stop", What::Stop),
        ("SessionEnd", What::End),
    ],
    fields: Fields {
        turn: &["turn_id"],
        ..SNAKE
    },
    tools: &[("Bash", Shell), ("apply_patch", File)],
    transcript: nowhere,
    answer,
    has_notice: true,
    samples: &[
        sample!("codex", "SessionStart"),
        sample!("codex", "UserPromptSubmit"),
        sample!("codex", "PreToolUse", "PreToolUse-Bash"),
        sample!("codex", "PreToolUse", "PreToolUse-apply_patch"),
        sample!("codex", "PostToolUse"),
        sample!("codex", "PreCompact"),
        sample!("codex", "Stop"),
        sample!("codex", "SessionEnd"),
    ],
};

fn answer(told: &Told, reply: &Reply) -> String {
    match told.moment {
        Moment::Compact | Moment::Stop { .. } => answers::nested(told, reply, false),
        Moment::End => String::new(),
        _ => answers::nested(told, reply, true),
    }
}
