//! Claude Code.
//!
//! | moment | event | context |
//! |---|---|---|
//! | start | `SessionStart` | taken |
//! | prompt | `UserPromptSubmit` | taken |
//! | touch | `PreToolUse`, and `PostToolUse` | taken by both; the first is installed |
//! | compact | `PreCompact` | plain text, which becomes instructions for the summary |
//! | stop | `Stop` | never given: it would continue the turn |
//! | end | `SessionEnd` | not taken |
//!
//! Read in the program itself (2.1.325): `additionalContext` is a field of the answers to all of the first four, and what a
//! successful `PreCompact` hook prints is handed to the summariser as it stands, JSON or not. So an answer there is never
//! JSON, and a notice is not given at all.

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
        turn: &["prompt_id"],
        ..SNAKE
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
    transcript: nowhere,
    answer,
    has_notice: true,
    samples: &[
        sample!("claude-code", "SessionStart"),
        sample!("claude-code", "SessionStart", "SessionStart-compact"),
        sample!("claude-code", "UserPromptSubmit"),
        sample!("claude-code", "PreToolUse", "PreToolUse-Edit"),
        sample!("claude-code", "PreToolUse", "PreToolUse-Bash"),
        sample!("claude-code", "PostToolUse"),
        sample!("claude-code", "PreCompact"),
        sample!("claude-code", "Stop"),
        sample!("claude-code", "SessionEnd"),
    ],
};

fn answer(told: &Told, reply: &Reply) -> String {
    match told.moment {
        Moment::Compact => answers::context(reply, true).unwrap_or_default().to_owned(),
        Moment::Stop { .. } => answers::nested(told, reply, false),
        Moment::End => String::new(),
        _ => answers::nested(told, reply, true),
    }
}
