//! opencode. It has plugins in place of hooks: `plugin.js` asks this program at the moments below and hands the answer
//! on. It calls them by the names that Claude Code gave to them, so that what is sent is our own.
//!
//! | moment | in the plugin | context |
//! |---|---|---|
//! | start | the first `chat.message` of a session | taken, with the prompt |
//! | prompt | `chat.message` | taken, as a part of the message that the person does not see |
//! | sub-agent's task | `chat.message` of a session with a parent | taken |
//! | touch, failed command | `tool.execute.after` | taken, behind what the tool answered |
//! | compact | `experimental.session.compacting` | taken, for the summary |
//! | stop | the event `session.idle` | not taken |
//! | end | `dispose` | not taken |
//!
//! From `@opencode-ai/plugin` 1.18.33, and run with opencode 1.18.33.

mod payload;
mod reply;
mod settings;

use crate::{client::Client, past_transcripts::NO_TRANSCRIPTS, transcripts::UnreadTranscript};

use super::ClientProfile;

pub(super) static PROFILE: ClientProfile = ClientProfile {
    client: Client::Opencode,
    caller: payload::CALLER,
    payload: payload::FORMAT,
    reply: reply::FORMAT,
    // It keeps sessions in a database of its own. What was said is known from the prompts that the plugin sent.
    new_reader: || Box::new(UnreadTranscript),
    places: NO_TRANSCRIPTS,
    settings: settings::SETTINGS,
    shell_variables: &["OPENCODE"],
    own_variables: &[],
    program_names: &["opencode"],
};
