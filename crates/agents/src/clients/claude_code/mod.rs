//! Claude Code.
//!
//! | moment | event | context |
//! |---|---|---|
//! | start | `SessionStart` | taken |
//! | prompt | `UserPromptSubmit` | taken |
//! | touch | `PreToolUse`, and `PostToolUse` | taken by both; the first is installed |
//! | sub-agent's task | `PreToolUse` of `Agent` or `Task` | `updatedInput`, taken without a decision, and deciding nothing |
//! | failed command | `PostToolUseFailure` | taken |
//! | compact | `PreCompact` | plain text, which becomes instructions for the summary |
//! | stop | `Stop` | never given: it would continue the turn |
//! | end | `SessionEnd` | not taken |

mod payload;
mod reply;
pub(super) mod settings;
pub(super) mod transcript;

use crate::client::Client;

use super::ClientProfile;

pub(super) static PROFILE: ClientProfile = ClientProfile {
    client: Client::ClaudeCode,
    caller: payload::CALLER,
    payload: payload::FORMAT,
    reply: reply::FORMAT,
    new_reader: || Box::<transcript::ClaudeCodeReader>::default(),
    places: transcript::PLACES,
    settings: settings::SETTINGS,
    shell_variables: &["CLAUDECODE", "CLAUDE_CODE_SESSION_ID"],
    own_variables: &["CLAUDE_CODE_ENTRYPOINT"],
    program_names: &["claude", "claude-code"],
};
