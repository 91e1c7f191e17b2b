//! Codex.
//!
//! | moment | event | context |
//! |---|---|---|
//! | start | `SessionStart` | taken |
//! | prompt | `UserPromptSubmit` | taken |
//! | sub-agent's task | `UserPromptSubmit` with an `agent_id` | taken |
//! | touch | `PreToolUse` | taken |
//! | failed command | `PostToolUse` | taken; it has what the command printed, and not how it ended |
//! | compact | `PreCompact` | not taken; a `SessionStart` with the source `compact` follows |
//! | stop | `Stop` | not taken: what it knows is `decision`, which continues the turn |
//! | end | `SessionEnd` | has no answer at all |

mod payload;
mod reply;
mod settings;
mod transcript;

use crate::client::Client;

use super::ClientProfile;

pub(super) static PROFILE: ClientProfile = ClientProfile {
    client: Client::Codex,
    caller: payload::CALLER,
    payload: payload::FORMAT,
    reply: reply::FORMAT,
    new_reader: || Box::<transcript::CodexReader>::default(),
    places: transcript::PLACES,
    settings: settings::SETTINGS,
    shell_variables: &["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"],
    own_variables: &["CODEX_THREAD_ID", "CODEX_CI"],
    program_names: &["codex"],
};
