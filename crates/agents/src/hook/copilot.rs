//! GitHub Copilot CLI, and the SDK, which runs the same program.
//!
//! | moment | event | context |
//! |---|---|---|
//! | start | `sessionStart` | taken |
//! | prompt | `userPromptSubmitted` | taken, though an older page of the documentation says otherwise |
//! | touch | `postToolUse` | taken |
//! | touch | `preToolUse` | taken, but never installed: a hook that cannot be started there denies the tool |
//! | compact | `preCompact` | not taken |
//! | stop | `agentStop` | not taken: what it knows is `decision`, which continues the turn |
//! | end | `sessionEnd` | not taken |
//!
//! An event may be spelled in two ways, and the payload follows the spelling: `sessionStart` with camelCase fields,
//! `SessionStart` with snake_case ones (github/docs, `hooks-reference.md`). The answer is the same: context on the top
//! level; the nested form that others have is ignored. Nothing in an answer is shown to the person. Seen in 1.0.102: when
//! two hooks answer a prompt, the last context counts, and an empty answer takes nothing away.
//!
//! Only `agentStop` and `preCompact` say where the transcript is; it is always at the same place.

use std::path::PathBuf;

use super::touched::Tool::{File, Shell};
use super::{Env, Fields, Moment, Reply, Told, Ways, What, answers, sample};

pub const WAYS: Ways = Ways {
    events: &[
        ("sessionStart", What::Start),
        ("userPromptSubmitted", What::Prompt),
        ("preToolUse", What::Before),
        ("postToolUse", What::After),
        ("preCompact", What::Compact),
        ("agentStop", What::Stop),
        ("sessionEnd", What::End),
        ("SessionStart", What::Start),
        ("UserPromptSubmit", What::Prompt),
        ("PreToolUse", What::Before),
        ("PostToolUse", What::After),
        ("PreCompact", What::Compact),
        ("Stop", What::Stop),
        ("SessionEnd", What::End),
    ],
    fields: Fields {
        event: &["hook_event_name"],
        session: &["sessionId", "session_id"],
        turn: &[],
        cwd: &["cwd", "workingDirectory"],
        transcript: &["transcriptPath", "transcript_path"],
        said: &["finalMessage", "last_assistant_message"],
        tool: &["toolName", "tool_name"],
        input: &["toolArgs", "tool_input"],
    },
    // The second half is what the tools are called under an event that begins with a capital.
    tools: &[
        ("view", File),
        ("create", File),
        ("edit", File),
        ("str_replace_editor", File),
        ("apply_patch", File),
        ("bash", Shell),
        ("powershell", Shell),
        ("Read", File),
        ("Write", File),
        ("Edit", File),
        ("Bash", Shell),
    ],
    transcript,
    answer,
    has_notice: false,
    samples: &[
        sample!("copilot", "sessionStart"),
        sample!("copilot", "userPromptSubmitted"),
        sample!("copilot", "preToolUse"),
        sample!("copilot", "postToolUse", "postToolUse-view"),
        sample!("copilot", "postToolUse", "postToolUse-bash"),
        sample!("copilot", "preCompact"),
        sample!("copilot", "agentStop"),
        sample!("copilot", "sessionEnd"),
    ],
};

fn answer(told: &Told, reply: &Reply) -> String {
    let is_taken = matches!(
        told.moment,
        Moment::Start { .. } | Moment::Prompt { .. } | Moment::Touch { .. }
    );
    answers::flat(reply, is_taken)
}

/// `~/.copilot/session-state/<session>/events.jsonl`. An id that could lead elsewhere leads nowhere.
fn transcript(session: Option<&str>, env: &Env<'_>) -> Option<PathBuf> {
    let session = session.filter(|it| {
        it.chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    })?;
    let set = |name: &str| env(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let home = || {
        set("HOME")
            .or_else(|| set("USERPROFILE"))
            .map(|it| it.join(".copilot"))
    };
    let folder = set("COPILOT_HOME").or_else(home)?;
    Some(
        folder
            .join("session-state")
            .join(session)
            .join("events.jsonl"),
    )
}
