//! Visual Studio Code.
//!
//! | moment | event | context |
//! |---|---|---|
//! | start | `SessionStart` | taken |
//! | prompt | `UserPromptSubmit` | taken |
//! | touch | `PreToolUse`, and `PostToolUse` | taken by both; the first is installed |
//! | compact | `PreCompact` | not taken |
//! | stop | `Stop` | not taken: what it knows is `decision`, which continues the turn |
//! | end | none is documented | – |
//!
//! From microsoft/vscode-docs (`docs/agents/reference/hooks-reference.md`, 2026-08-21) and microsoft/vscode-copilot-chat
//! (`chatHookService.ts`, `defaultIntentRequestHandler.ts`). It has no hooks file of its own: it reads Copilot's and
//! Claude Code's, turns camelCase events into its own, and ignores matchers, so a hook runs for every tool. An answer under
//! another event's name is dropped.

use super::touched::Tool::{File, Shell};
use super::{Moment, Reply, SNAKE, Told, Ways, What, answers, nowhere, sample};

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
    fields: SNAKE,
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
    transcript: nowhere,
    answer,
    has_notice: true,
    samples: &[
        sample!("vscode", "SessionStart"),
        sample!("vscode", "UserPromptSubmit"),
        sample!("vscode", "PreToolUse", "PreToolUse-editFiles"),
        sample!("vscode", "PreToolUse", "PreToolUse-run_in_terminal"),
        sample!("vscode", "PostToolUse"),
        sample!("vscode", "PreCompact"),
        sample!("vscode", "Stop"),
    ],
};

fn answer(told: &Told, reply: &Reply) -> String {
    match told.moment {
        Moment::Compact | Moment::Stop { .. } => answers::nested(told, reply, false),
        Moment::End => String::new(),
        _ => answers::nested(told, reply, true),
    }
}
