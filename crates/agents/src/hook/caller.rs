//! Who is really calling.
//!
//! `--client` says in whose file the command stands, but files are shared: Copilot CLI, VS Code and Cursor also run the
//! hooks in `.claude/settings.json`, VS Code those in `.github/hooks`, and Codex and Gemini CLI can copy them into files
//! of their own. The answer must have the caller's shape.
//!
//! The environment alone does not tell: a client that is started from another one's shell inherits its variables. So, in
//! this order:
//!
//! 1. `.codex`, `.gemini` and `.cursor` are read by their owners alone;
//! 2. fields that only one client sends;
//! 3. a variable that holds the very session the payload speaks of: an inherited one holds another session;
//! 4. variables that mark a client, as far as the payload agrees: Copilot, VS Code and Gemini stamp it with a time, Claude
//!    Code, Codex and Cursor do not.

use crate::client::Client;

use super::payload::Payload;
use super::{Env, SNAKE};

/// Variables that hold the session's own id.
const SESSIONS: &[(&str, Client)] = &[
    ("CLAUDE_CODE_SESSION_ID", Client::ClaudeCode),
    ("GEMINI_SESSION_ID", Client::Gemini),
    ("COPILOT_AGENT_SESSION_ID", Client::Copilot),
];

/// Fields that only one client sends.
const FIELDS: &[(&str, Client)] = &[
    ("cursor_version", Client::Cursor),
    ("conversation_id", Client::Cursor),
    ("sessionId", Client::Copilot),
    ("turn_id", Client::Codex),
    ("prompt_response", Client::Gemini),
    ("prompt_id", Client::ClaudeCode),
];

/// Events that only Gemini CLI has.
const GEMINI: &[&str] = &[
    "BeforeAgent",
    "AfterAgent",
    "BeforeTool",
    "AfterTool",
    "PreCompress",
];

/// The client that is calling, when the command stands in the file of `named`.
pub fn caller(named: Client, payload: &Payload<'_>, env: &Env<'_>) -> Client {
    if matches!(named, Client::Codex | Client::Gemini | Client::Cursor) {
        return named;
    }
    let by_field = FIELDS
        .iter()
        .find(|(it, _)| payload.has(it))
        .map(|(_, client)| *client);
    by_field
        .or_else(|| by_session(payload, env))
        .unwrap_or_else(|| by_mark(named, payload, env))
}

fn by_session(payload: &Payload<'_>, env: &Env<'_>) -> Option<Client> {
    let session = payload.text(SNAKE.session)?;
    SESSIONS
        .iter()
        .find(|(it, _)| env(it).is_some_and(|held| held == session))
        .map(|(_, client)| *client)
}

fn by_mark(named: Client, payload: &Payload<'_>, env: &Env<'_>) -> Client {
    if payload.has("timestamp") {
        return stamped(payload, env);
    }
    match named {
        _ if env("CURSOR_VERSION").is_some() => Client::Cursor,
        _ if is_codex(payload) => Client::Codex,
        _ => named,
    }
}

/// Copilot sends what VS Code sends, on purpose: a few fields differ, and Copilot marks its children.
fn stamped(payload: &Payload<'_>, env: &Env<'_>) -> Client {
    let event = payload.text(SNAKE.event).unwrap_or_default();
    let has_any = |names: &[&str]| names.iter().any(|it| payload.has(it));
    match () {
        () if GEMINI.contains(&event.as_str()) => Client::Gemini,
        () if has_any(&["tool_result", "initial_prompt", "stop_reason"]) => Client::Copilot,
        () if has_any(&["tool_use_id", "tool_response"]) => Client::Vscode,
        () if env("COPILOT_CLI").is_some_and(|it| it == "1") => Client::Copilot,
        () => Client::Vscode,
    }
}

/// Codex marks nothing, but it alone may have no transcript, and it keeps them in a place of its own.
fn is_codex(payload: &Payload<'_>) -> bool {
    let transcript = payload.text(SNAKE.transcript).unwrap_or_default();
    let name = transcript.rsplit(['/', '\\']).next().unwrap_or_default();
    payload.is_null("transcript_path") || name.starts_with("rollout-")
}
