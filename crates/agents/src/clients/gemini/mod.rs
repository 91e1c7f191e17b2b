//! Gemini CLI.
//!
//! | moment | event | context |
//! |---|---|---|
//! | start | `SessionStart` | taken |
//! | prompt | `BeforeAgent` | taken |
//! | touch, failed command | `AfterTool` | taken: the read is the moment before the edit |
//! | touch | `BeforeTool` | not taken |
//! | sub-agent's task | `BeforeTool` of `invoke_agent` | `tool_input`, which replaces all of it |
//! | compact | `PreCompress` | not taken |
//! | stop | `AfterAgent` | not taken: what it knows is `decision`, which continues the turn |
//! | end | `SessionEnd` | not taken |
//!
//! From `docs/hooks/reference.md` and `packages/core/src/hooks/types.ts` (2026-08-21).

mod payload;
mod reply;
mod settings;
mod transcript;

use crate::client::Client;

use super::ClientProfile;

pub(super) static PROFILE: ClientProfile = ClientProfile {
    client: Client::Gemini,
    caller: payload::CALLER,
    payload: payload::FORMAT,
    reply: reply::FORMAT,
    new_reader: || Box::<transcript::GeminiReader>::default(),
    places: transcript::PLACES,
    settings: settings::SETTINGS,
    shell_variables: &["GEMINI_CLI"],
    own_variables: &["GEMINI_SESSION_ID"],
    program_names: &["gemini", "gemini-cli"],
};
