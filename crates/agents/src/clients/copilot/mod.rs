//! GitHub Copilot CLI, and the SDK, which runs the same program.
//!
//! | moment | event | context |
//! |---|---|---|
//! | start | `sessionStart` | taken |
//! | prompt | `userPromptSubmitted` | taken, though an older page of the documentation says otherwise |
//! | sub-agent's task | `userPromptSubmitted` with an `agentId` | taken |
//! | touch, failed command | `postToolUse` | taken |
//! | touch | `preToolUse` | taken, but never installed: a hook that cannot be started there denies the tool |
//! | compact | `preCompact` | not taken |
//! | stop | `agentStop` | not taken: what it knows is `decision`, which continues the turn |
//! | end | `sessionEnd` | not taken |

pub(super) mod payload;
mod reply;
pub(super) mod settings;
pub(super) mod transcript;

use crate::client::Client;

use super::ClientProfile;

pub(super) static PROFILE: ClientProfile = ClientProfile {
    client: Client::Copilot,
    caller: payload::CALLER,
    payload: payload::FORMAT,
    reply: reply::FORMAT,
    new_reader: || Box::<transcript::CopilotReader>::default(),
    places: transcript::PLACES,
    settings: settings::SETTINGS,
    shell_variables: &["COPILOT_AGENT_SESSION_ID"],
    own_variables: &["COPILOT_CLI"],
    program_names: &["copilot"],
};
