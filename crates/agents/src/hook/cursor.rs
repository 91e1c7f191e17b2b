//! Cursor.
//!
//! | moment | event | context |
//! |---|---|---|
//! | start | `sessionStart` | taken, but nobody waits for it |
//! | prompt | `beforeSubmitPrompt` | taken, though the documentation does not say so |
//! | touch | `postToolUse` | taken: the read is the moment before the edit |
//! | touch | `preToolUse` | not taken |
//! | compact | `preCompact` | not taken |
//! | stop | `stop` | not taken: what it knows is a follow-up, which continues the turn |
//! | end | `sessionEnd` | not taken |
//!
//! From `cursor.com/docs/hooks` and `…/third-party-hooks`, and for the prompt from DietrichGebert/ponytail, who read the
//! program (3.20.17): there an answer asks whether to go on, so it is always given. The hooks in `.claude/settings.json`
//! are run under Cursor's own event names. A message is shown to the person only when something is refused.
//!
//! `cwd` may be missing or empty; the first of the workspace's roots stands for it.

use std::path::PathBuf;

use super::touched::Tool::{File, Shell};
use super::{Env, Fields, Moment, Reply, SNAKE, Told, Ways, What, answers, sample};

pub const WAYS: Ways = Ways {
    events: &[
        ("sessionStart", What::Start),
        ("beforeSubmitPrompt", What::Prompt),
        ("preToolUse", What::Before),
        ("postToolUse", What::After),
        ("preCompact", What::Compact),
        ("stop", What::Stop),
        ("sessionEnd", What::End),
        // From Claude Code's file, should the payload ever be without a name.
        ("SessionStart", What::Start),
        ("UserPromptSubmit", What::Prompt),
        ("PreToolUse", What::Before),
        ("PostToolUse", What::After),
        ("PreCompact", What::Compact),
        ("Stop", What::Stop),
        ("SessionEnd", What::End),
    ],
    fields: Fields {
        session: &["conversation_id", "session_id"],
        turn: &["generation_id"],
        cwd: &["cwd", "workspace_roots"],
        ..SNAKE
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
    transcript,
    answer,
    has_notice: false,
    samples: &[
        sample!("cursor", "sessionStart"),
        sample!("cursor", "beforeSubmitPrompt"),
        sample!("cursor", "preToolUse"),
        sample!("cursor", "postToolUse", "postToolUse-Read"),
        sample!("cursor", "postToolUse", "postToolUse-Shell"),
        sample!("cursor", "preCompact"),
        sample!("cursor", "stop"),
        sample!("cursor", "sessionEnd"),
    ],
};

fn answer(told: &Told, reply: &Reply) -> String {
    match told.moment {
        Moment::Prompt { .. } => answers::snake(reply, true, Some(true)),
        Moment::Start { .. }
        | Moment::Touch {
            is_before: false, ..
        } => answers::snake(reply, true, None),
        _ => String::new(),
    }
}

fn transcript(_: Option<&str>, env: &Env<'_>) -> Option<PathBuf> {
    env("CURSOR_TRANSCRIPT_PATH")
        .filter(|it| !it.is_empty())
        .map(PathBuf::from)
}
