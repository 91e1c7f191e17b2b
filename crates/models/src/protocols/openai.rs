//! Chat completions, as OpenAI defined them and many servers speak them.

use apostille_core::model::{ModelError, ModelRequest};
use serde_json::{Value, json};

use super::{AnswerShape, RequestForm, require_text};

/// What is sent. No temperature: some models take only their own.
pub(super) fn build_openai_body(name: &str, ask: &ModelRequest, form: RequestForm) -> Value {
    let limit = if form.has_new_limit {
        "max_completion_tokens"
    } else {
        "max_tokens"
    };
    let mut body = json!({
        "model": name,
        "messages": [
            { "role": "system", "content": ask.system },
            { "role": "user", "content": ask.user },
        ],
        "stream": false,
    });
    body[limit] = ask.max_tokens.into();
    match form.shape {
        AnswerShape::Schema => {
            let schema = json!({ "name": "answer", "strict": true, "schema": ask.schema });
            body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
        }
        AnswerShape::Object => body["response_format"] = json!({ "type": "json_object" }),
        AnswerShape::Words => {}
    }
    body
}

/// The text of the first choice. Some servers give it in parts.
pub(super) fn read_openai_answer(answer: &Value) -> Result<String, ModelError> {
    let choice = &answer["choices"][0];
    match choice["finish_reason"].as_str() {
        Some("length") => return Err(ModelError::Misshapen("it was cut off at its limit")),
        Some("content_filter") => return Err(ModelError::Misshapen("the server filtered it")),
        _ => {}
    }
    let content = &choice["message"]["content"];
    let texts = content
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|it| it["text"].as_str());
    require_text(content.as_str().into_iter().chain(texts).collect())
}
