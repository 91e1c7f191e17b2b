//! The port to a language model. None is needed: where one is configured, it is asked beside the work, and what it
//! answers is a claim to be checked.

use std::time::Duration;

use serde_json::Value;

/// One question. Whoever asks bounds it.
#[derive(Debug, Clone, Copy)]
pub struct ModelRequest<'a> {
    /// What the model is to do, in our words alone.
    pub system: &'a str,
    /// What it is to do it with. Words of others stand here, between delimiters and marked as data.
    pub user: &'a str,
    /// The JSON schema of the answer. A server may ignore it, so the answer is checked all the same.
    pub schema: &'a Value,
    /// How long the answer may become.
    pub max_tokens: u32,
}

/// Why there is no answer. No key and nothing that a server wrote is ever part of it.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// There is no model.
    #[error("no model is configured; set model.url and model.name")]
    Off,
    /// The day's requests are used up.
    #[error(
        "none of today's requests to the model is left, of {per_day}; model.budget sets how many a day has"
    )]
    Spent {
        /// How many a day has.
        per_day: u32,
    },
    /// The request could not be counted, and so it was not made.
    #[error("requests to the model cannot be counted, so none is made")]
    Uncounted(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The key is not there, or is none.
    #[error("the model's key cannot be used: {0}")]
    Key(String),
    /// The answer did not come in time.
    #[error("the model did not answer within {after:?}; model.timeout_ms sets how long is waited")]
    TimedOut {
        /// How long was waited.
        after: Duration,
    },
    /// The server said no.
    #[error("the model's server answered with status {status}; {}", advise_on_model_status(*.status))]
    Refused {
        /// The HTTP status.
        status: u16,
    },
    /// The answer is longer than is read.
    #[error("the model's answer is longer than {limit} bytes")]
    TooLarge {
        /// How much is read.
        limit: u64,
    },
    /// The answer is not what was asked for.
    #[error("the model's answer cannot be used: {0}")]
    Misshapen(&'static str),
    /// The request or its answer did not get through.
    #[error("the model cannot be reached")]
    Unreachable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// What to look at after a refusal.
fn advise_on_model_status(status: u16) -> &'static str {
    match status {
        401 | 403 => "look at the key that model.key_env names",
        404 | 405 => "look at model.url, model.name and model.api",
        300..=399 => "redirects are not followed, so look at model.url",
        408 | 425 | 429 | 500.. => "try again later",
        _ => "look at model.name and model.api",
    }
}

/// Answers questions. The answer is the model's text and nothing around it: JSON, if it did as it was told.
pub trait Model: Send + Sync {
    /// Asks once and waits for the answer, for as long as the model's owner allows.
    fn complete(&self, ask: &ModelRequest) -> Result<String, ModelError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_way_out() {
        let check = |status: u16, expected: &str| {
            let said = ModelError::Refused { status }.to_string();
            assert_eq!(
                said,
                format!("the model's server answered with status {status}; {expected}")
            );
        };
        check(400, "look at model.name and model.api");
        check(401, "look at the key that model.key_env names");
        check(404, "look at model.url, model.name and model.api");
        check(307, "redirects are not followed, so look at model.url");
        check(429, "try again later");
        check(529, "try again later");
    }
}
