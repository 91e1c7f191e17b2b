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
//! program (3.20.17).

mod payload;
mod reply;
mod settings;
mod transcript;

use crate::client::Client;

use super::ClientProfile;

pub(super) static PROFILE: ClientProfile = ClientProfile {
    client: Client::Cursor,
    caller: payload::CALLER,
    payload: payload::FORMAT,
    reply: reply::FORMAT,
    new_reader: || Box::<transcript::ClaudeCodeReader>::default(),
    places: transcript::PLACES,
    settings: settings::SETTINGS,
    shell_variables: &["CURSOR_AGENT"],
    own_variables: &[],
    program_names: &["cursor-agent"],
};
