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
//! (`chatHookService.ts`, `defaultIntentRequestHandler.ts`).

mod payload;
mod reply;
mod settings;
mod transcript;

use crate::client::Client;

use super::ClientProfile;

pub(super) static PROFILE: ClientProfile = ClientProfile {
    client: Client::Vscode,
    caller: payload::CALLER,
    payload: payload::FORMAT,
    reply: reply::FORMAT,
    new_reader: || Box::<transcript::CopilotReader>::default(),
    places: transcript::PLACES,
    settings: settings::SETTINGS,
    shell_variables: &[],
    own_variables: &[],
    program_names: &[],
};
