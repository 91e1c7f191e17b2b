//! What Copilot CLI sends to a hook.
//!
//! An event may be spelled in two ways, and the payload follows the spelling: `sessionStart` with camelCase fields,
//! `SessionStart` with snake_case ones (github/docs, `hooks-reference.md`).
//!
//! Only `agentStop` and `preCompact` say where the transcript is; it is always at the same place.

use std::path::PathBuf;

use crate::hook::{
    caller::{CallerMarks, UNMARKED},
    failure::CommandOutcome,
    format::{COMMON_EVENTS, COMMON_FORMAT, FieldNames, PayloadFormat, sample},
    payload::Payload,
};

/// What it sets in every program that it starts.
const MARK: &str = "COPILOT_CLI";

pub(super) const CALLER: CallerMarks = CallerMarks {
    fields: &["sessionId"],
    session_variable: Some("COPILOT_AGENT_SESSION_ID"),
    is_stamped: true,
    // Copilot sends what VS Code sends, on purpose: a few fields differ, and Copilot marks its children.
    resembles: |payload, env| {
        let has_any = |names: &[&str]| names.iter().any(|it| payload.has_field(it));
        let is_vscodes = || has_any(&["tool_use_id", "tool_response"]);
        let is_set = || env(MARK).is_some_and(|it| it == "1");
        has_any(&["tool_result", "initial_prompt", "stop_reason"]) || !is_vscodes() && is_set()
    },
    sets: &[(MARK, "1")],
    variables: &[MARK, "COPILOT_AGENT_SESSION_ID", "COPILOT_HOME"],
    ..UNMARKED
};

pub(super) const FORMAT: PayloadFormat = PayloadFormat {
    events: &[
        [
            "sessionStart",
            "userPromptSubmitted",
            "preToolUse",
            "postToolUse",
            "preCompact",
            "agentStop",
            "sessionEnd",
            "postToolUseFailure",
        ],
        COMMON_EVENTS,
    ],
    fields: FieldNames {
        event: &["hook_event_name"],
        // A sub-agent's events have its own name as the session, and that of who started it beside (seen in 1.0.102).
        session: &[
            "parentAgentId",
            "parent_agent_id",
            "sessionId",
            "session_id",
        ],
        turn: &[],
        agent: &["agentId", "agent_id"],
        cwd: &["cwd", "workingDirectory"],
        transcript: &["transcriptPath", "transcript_path"],
        said: &["finalMessage", "last_assistant_message"],
        tool: &["toolName", "tool_name"],
        input: &["toolArgs", "tool_input"],
    },
    // Those with a capital are what the tools are called under an event that begins with one.
    reading_tools: &["view", "Read"],
    editing_tools: &[
        "create",
        "edit",
        "str_replace_editor",
        "apply_patch",
        "Write",
        "Edit",
    ],
    shell_tools: &["bash", "powershell", "Bash"],
    // A command that fails is a success of its tool; the last line is `<shellId: 0 completed with exit code 3>`. What has
    // `postToolUseFailure` was not run at all (seen in 1.0.102).
    read_outcome: |payload| {
        let result = payload.raw_json(&["toolResult", "tool_result"])?;
        let result = Payload::parse_object(&result)?;
        let text = result.first_text(&["textResultForLlm", "text_result_for_llm"])?;
        CommandOutcome::from_noted_code(&text, "exit code ")
    },
    // `~/.copilot/session-state/<session>/events.jsonl`. An id that could lead elsewhere leads nowhere.
    find_transcript: |session, env| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let session = session.filter(|it| !it.is_empty() && it.chars().all(is_plain))?;
        let set = |name: &str| env(name).filter(|it| !it.is_empty()).map(PathBuf::from);
        let home = || set("HOME").or_else(|| set("USERPROFILE"));
        let folder = set("COPILOT_HOME").or_else(|| Some(home()?.join(".copilot")))?;
        Some(folder.join(format!("session-state/{session}/events.jsonl")))
    },
    samples: &[
        sample!("sessionStart"),
        sample!("userPromptSubmitted"),
        sample!("userPromptSubmitted", "userPromptSubmitted-agent"),
        sample!("preToolUse"),
        sample!("postToolUse", "postToolUse-view"),
        sample!("postToolUse", "postToolUse-bash"),
        sample!("postToolUse", "postToolUse-failed"),
        sample!("postToolUse", "postToolUse-grep"),
        sample!("postToolUseFailure"),
        sample!("preCompact"),
        sample!("agentStop"),
        sample!("sessionEnd"),
    ],
    ..COMMON_FORMAT
};

/// The other spelling, as it is documented.
#[cfg(test)]
pub(crate) mod pascal {
    use crate::hook::{HookSample, format::sample};

    pub(in crate::clients) const SAMPLES: &[HookSample] = &[
        sample!("SessionStart", "pascal/SessionStart"),
        sample!("UserPromptSubmit", "pascal/UserPromptSubmit"),
        sample!("PreToolUse", "pascal/PreToolUse"),
        sample!("PostToolUse", "pascal/PostToolUse"),
        sample!("PreCompact", "pascal/PreCompact"),
        sample!("Stop", "pascal/Stop"),
        sample!("SessionEnd", "pascal/SessionEnd"),
    ];
}
