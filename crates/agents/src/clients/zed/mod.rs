//! Zed. Its agent has no hooks: memory comes through the server, and by the rules that say when to ask it.
//!
//! From `zed.dev/docs/ai/mcp`, `…/ai/rules` and `…/worktree-trust`; it was not run.

mod settings;

use crate::{
    client::Client,
    hook::{caller::UNMARKED, format::COMMON_FORMAT, reply::NESTED},
    past_transcripts::NO_TRANSCRIPTS,
    transcripts::UnreadTranscript,
};

use super::ClientProfile;

pub(super) static PROFILE: ClientProfile = ClientProfile {
    client: Client::Zed,
    caller: UNMARKED,
    payload: COMMON_FORMAT,
    reply: NESTED,
    new_reader: || Box::new(UnreadTranscript),
    places: NO_TRANSCRIPTS,
    settings: settings::SETTINGS,
    // Its agent's shells have the same variables as its terminals, in which people type.
    shell_variables: &[],
    own_variables: &[],
    program_names: &[],
};
