//! Gemini CLI.
//!
//! | moment | event | context |
//! |---|---|---|
//! | start | `SessionStart` | taken |
//! | prompt | `BeforeAgent` | taken |
//! | touch | `AfterTool` | taken: the read is the moment before the edit |
//! | touch | `BeforeTool` | not taken |
//! | compact | `PreCompress` | not taken |
//! | stop | `AfterAgent` | not taken: what it knows is `decision`, which continues the turn |
//! | end | `SessionEnd` | not taken |
//!
//! From `docs/hooks/reference.md` and `packages/core/src/hooks/types.ts` (2026-08-21). Context is escaped and wrapped in
//! `<hook_context>`; what was said at the start comes back as a part of the prompt (see `own`). A message for the person
//! is shown at every event.

use super::touched::Tool::{File, Shell};
use super::{Fields, Moment, Reply, SNAKE, Told, Ways, What, answers, nowhere, sample};

pub const WAYS: Ways = Ways {
    events: &[
        ("SessionStart", What::Start),
        ("BeforeAgent", What::Prompt),
        ("BeforeTool", What::Before),
        ("AfterTool", What::After),
        ("PreCompress", What::Compact),
        ("AfterAgent", What::Stop),
        ("SessionEnd", What::End),
    ],
    fields: Fields {
        said: &["prompt_response"],
        ..SNAKE
    },
    tools: &[
        ("read_file", File),
        ("read_many_files", File),
        ("write_file", File),
        ("replace", File),
        ("run_shell_command", Shell),
    ],
    transcript: nowhere,
    answer,
    has_notice: true,
    samples: &[
        sample!("gemini", "SessionStart"),
        sample!("gemini", "BeforeAgent"),
        sample!("gemini", "BeforeTool"),
        sample!("gemini", "AfterTool", "AfterTool-read_file"),
        sample!("gemini", "AfterTool", "AfterTool-run_shell_command"),
        sample!("gemini", "PreCompress"),
        sample!("gemini", "AfterAgent"),
        sample!("gemini", "SessionEnd"),
    ],
};

fn answer(told: &Told, reply: &Reply) -> String {
    match told.moment {
        Moment::Compact
        | Moment::Stop { .. }
        | Moment::Touch {
            is_before: true, ..
        } => answers::nested(told, reply, false),
        Moment::End => String::new(),
        _ => answers::nested(told, reply, true),
    }
}
