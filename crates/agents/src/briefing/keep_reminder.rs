//! Whether the agent is told, in one line, to keep what the person has just stated.
//!
//! It goes with the prompt that states it: no turn is added, and the agent decides with the words before it. Answering a stop hook
//! instead would buy a turn each time, and in some clients become a message of the user's.

use apostille_text::digest::Digest;

use crate::{
    extract::find_lasting_sentences,
    session::{AgentSession, Moment},
};

use super::ignore_request::asks_to_ignore_memory;

/// What the agent is told.
pub const KEEP: &str = "If the user just stated something lasting, keep it with memory_remember: their words as `said`, \
                        with where they hold (\"in this repository\", \"everywhere\").";

/// A statement of the person's, of which the agent is reminded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeepReminder {
    /// The statement, as a digest: enough to know it again.
    pub(super) digest: String,
}

impl KeepReminder {
    /// The reminder for a prompt; `None` where it states nothing for good, or nothing that was not stated before in the session.
    pub(super) fn for_prompt(text: &str, session: &AgentSession) -> Option<Self> {
        let has_prompt =
            |it: &AgentSession| it.entries.iter().any(|it| it.moment == Moment::Prompt);
        let stated = find_lasting_sentences(text, has_prompt(session));
        if stated.is_empty() || asks_to_ignore_memory(text) {
            return None;
        }
        let words: Vec<String> = stated.iter().map(|it| it.trim().to_lowercase()).collect();
        let digest = Digest::hash_bytes(words.join("\n").as_bytes());
        let digest = digest.short_hex().to_owned();
        let mut before = session.entries.iter().filter_map(|it| it.stated.as_ref());
        (!before.any(|it| *it == digest)).then_some(Self { digest })
    }
}
