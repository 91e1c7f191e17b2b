//! Messages, as Anthropic defined them.

use apostille_core::model::{ModelError, ModelRequest};
use serde_json::{Value, json};

use super::{AnswerShape, RequestForm, require_text};

/// The tool that the model is made to call: its input is the answer.
const TOOL: &str = "answer";

/// What is sent.
pub(super) fn build_anthropic_body(name: &str, ask: &ModelRequest, form: RequestForm) -> Value {
    let mut body = json!({
        "model": name,
        "max_tokens": ask.max_tokens,
        "system": ask.system,
        "messages": [{ "role": "user", "content": ask.user }],
    });
    if form.shape == AnswerShape::Schema {
        let about = "Gives the answer.";
        body["tools"] = json!([{ "name": TOOL, "description": about, "input_schema": ask.schema }]);
        body["tool_choice"] = json!({ "type": "tool", "name": TOOL });
    }
    body
}

/// The input of the tool, or the text where no tool was called.
pub(super) fn read_anthropic_answer(answer: &Value) -> Result<String, ModelError> {
    match answer["stop_reason"].as_str() {
        Some("max_tokens") => return Err(ModelError::Misshapen("it was cut off at its limit")),
        Some("refusal") => return Err(ModelError::Misshapen("the model declined")),
        _ => {}
    }
    let mut text = String::new();
    for block in answer["content"].as_array().into_iter().flatten() {
        match block["type"].as_str() {
            Some("tool_use") if block["name"] == TOOL => return Ok(block["input"].to_string()),
            Some("text") => text += block["text"].as_str().unwrap_or_default(),
            _ => {}
        }
    }
    require_text(text)
}
