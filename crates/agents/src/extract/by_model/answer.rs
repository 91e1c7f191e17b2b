//! The form of the answer. Anything else is refused whole: a model that does not keep to the form is not to be believed
//! about the rest.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::extract::StatementSort;
use apostille_core::model::ModelError;

/// The longest answer that is read, in bytes.
const MAX_ANSWER: usize = 64 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExtractionAnswer {
    found: Vec<ExtractionItem>,
}

/// A find as the model states it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExtractionItem {
    pub(super) fact: String,
    pub(super) sort: String,
    pub(super) turn: usize,
    pub(super) quote: String,
}

/// The form as a JSON schema, with nothing in it that a strict server does not know.
pub(super) fn build_extraction_schema() -> Value {
    let sorts: Vec<&str> = StatementSort::ALL.iter().map(|it| it.as_str()).collect();
    let item = json!({
        "type": "object",
        "properties": {
            "fact": { "type": "string" },
            "sort": { "type": "string", "enum": sorts },
            "turn": { "type": "integer" },
            "quote": { "type": "string" },
        },
        "required": ["fact", "sort", "turn", "quote"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": { "found": { "type": "array", "items": item } },
        "required": ["found"],
        "additionalProperties": false,
    })
}

/// Reads an answer.
pub(super) fn parse_extraction_answer(text: &str) -> Result<Vec<ExtractionItem>, ModelError> {
    if text.len() > MAX_ANSWER {
        return Err(ModelError::TooLarge {
            limit: MAX_ANSWER as u64,
        });
    }
    let text = text.trim();
    // Where a server knows no JSON mode, many models put a fence around all that they say.
    let fenced = text
        .strip_prefix("```json")
        .or_else(|| text.strip_prefix("```"))
        .and_then(|it| it.strip_suffix("```"));
    serde_json::from_str(fenced.map_or(text, str::trim))
        .map(|it: ExtractionAnswer| it.found)
        .map_err(|_| ModelError::Misshapen("it is not the JSON that was asked for"))
}
