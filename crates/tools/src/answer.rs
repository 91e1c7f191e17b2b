//! What a tool answers.

use apostille_core::speaker::Question;
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
    pub ask: Option<Question>,
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

    /// The same, with something that is told beside it: in an answer that is an object as a field of it, because a client
    /// that shows its model the object shows nothing else; otherwise as a text in a block of its own.
    pub(super) fn with_field(mut self, name: &str, value: &impl Serialize, text: &str) -> Self {
        let field = serde_json::to_string(value).unwrap_or_default();
        let field = moderate::clean_json_texts(field, moderate::clean_code_unless_secret);
        match self.text.strip_suffix('}').filter(|_| self.is_json) {
            Some(body) => {
                let comma = if body.ends_with('{') { "" } else { "," };
                self.text = format!("{body}{comma}\"{name}\":{field}}}");
            }
            None => {
                let note = self.note.into_iter().chain([text.to_owned()]);
                self.note = Some(note.collect::<Vec<_>>().join("\n"));
            }
        }
        self
    }

    /// The same, with what to ask a person whose word would change it.
    #[must_use]
    pub fn with_question(self, ask: Option<Question>) -> Self {
        Self { ask, ..self }
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn what_is_told_beside_an_answer_is_part_of_the_object_or_a_text() {
        let check = |answer: ToolAnswer, text: &str, note: Option<&str>| {
            let answer = answer.with_field("stale", &["m-1"], "m-1 is stale");
            assert_eq!((answer.text.as_str(), answer.note.as_deref()), (text, note));
        };
        let json = |value: Value| ToolAnswer::new_json(&value).unwrap();
        check(
            json(json!({"ok": true})),
            r#"{"ok":true,"stale":["m-1"]}"#,
            None,
        );
        check(json(json!({})), r#"{"stale":["m-1"]}"#, None);
        check(json(json!([{}])), "[{}]", Some("m-1 is stale"));
        check(
            ToolAnswer::new_plain("{done}"),
            "{done}",
            Some("m-1 is stale"),
        );
        let noted = json(json!([])).with_note(Some("first".into()));
        check(noted, "[]", Some("first\nm-1 is stale"));
    }
}
