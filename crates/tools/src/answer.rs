//! What a tool answers.

use apostille_text::moderate;
use serde::Serialize;

use apostille_api::CallFault;

/// What a tool answers: a text, which is JSON for most tools.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolAnswer {
    /// The text as the model reads it.
    pub text: String,
    /// Whether the text is JSON.
    pub is_json: bool,
    /// Whether what was asked for was not done; the text says why, and the way out.
    pub is_refusal: bool,
    /// What a model must know beside it, in a block of its own.
    pub note: Option<String>,
    /// What to ask a person whose word would change the answer.
    pub ask: Option<String>,
}

impl ToolAnswer {
    /// Something done, or found, as JSON.
    pub fn new_json(answer: &impl Serialize) -> Result<Self, CallFault> {
        Ok(Self {
            // The last gate before a model: code and texts alike, whoever put them there.
            text: moderate::clean_json_texts(
                serde_json::to_string(answer)?,
                moderate::clean_code_unless_secret,
            ),
            is_json: true,
            ..Self::default()
        })
    }

    /// Something not done, as JSON that says why.
    pub fn new_refusal(answer: &impl Serialize) -> Result<Self, CallFault> {
        Self::new_reply(false, answer)
    }

    /// What became of something, as JSON that says whether it was done.
    pub(super) fn new_reply(is_done: bool, reply: &impl Serialize) -> Result<Self, CallFault> {
        Ok(Self {
            is_refusal: !is_done,
            ..Self::new_json(reply)?
        })
    }

    /// The same, with what must be known beside it.
    #[must_use]
    pub fn with_note(self, note: Option<String>) -> Self {
        Self { note, ..self }
    }

    /// The same, with what to ask a person whose word would change it.
    #[must_use]
    pub fn with_question(self, question: impl Into<String>) -> Self {
        Self {
            ask: Some(question.into()),
            ..self
        }
    }

    /// Something done, or found, in plain words.
    pub fn new_plain(text: impl Into<String>) -> Self {
        Self {
            text: moderate::neutralise_text(&text.into()),
            ..Self::default()
        }
    }

    /// Something not done, in plain words that say why.
    pub fn new_plain_refusal(text: impl Into<String>) -> Self {
        Self {
            is_refusal: true,
            ..Self::new_plain(text)
        }
    }
}
