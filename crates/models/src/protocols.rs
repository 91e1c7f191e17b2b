//! A language model behind an address: any server that speaks OpenAI's chat completions, or Anthropic's messages.
//!
//! One question is one budget of time, however many requests it takes. A server that does not know the strictest form
//! of asking for JSON is asked for the next one. It is asked once more, and once only, when it is busy.

mod anthropic;
mod call;
mod meter;
mod openai;

#[cfg(test)]
mod tests;

use std::{fmt, time::Duration};

use apostille_core::model::{Model, ModelError, ModelRequest};
use apostille_text::words::words;
use serde_json::Value;
use ureq::Agent;

use apostille_web::{
    client as web,
    client::{HttpClientSettings, address::Address},
};
use call::{ModelCall, ModelReply};

pub use meter::DailyRequestMeter;

/// How long one question may take, unless its owner says otherwise.
pub const TIMEOUT: Duration = Duration::from_secs(20);

words! {
    /// Which protocol a server speaks.
    #[derive(Default)]
    ModelApi as "api" {
        /// `POST {base}/chat/completions`.
        #[default]
        OpenAi = "openai",
        /// `POST {base}/v1/messages`.
        Anthropic = "anthropic",
    }
}

impl ModelApi {
    fn request_path(self, address: &Address) -> &'static str {
        match self {
            Self::OpenAi => "/chat/completions",
            // People copy the address with or without its version.
            Self::Anthropic if address.join_path("").ends_with("/v1") => "/messages",
            Self::Anthropic => "/v1/messages",
        }
    }

    fn build_body(self, name: &str, ask: &ModelRequest, form: RequestForm) -> Value {
        match self {
            Self::OpenAi => openai::build_openai_body(name, ask, form),
            Self::Anthropic => anthropic::build_anthropic_body(name, ask, form),
        }
    }

    /// The model's text.
    fn read_answer(self, answer: &Value) -> Result<String, ModelError> {
        match self {
            Self::OpenAi => openai::read_openai_answer(answer),
            Self::Anthropic => anthropic::read_anthropic_answer(answer),
        }
    }
}

/// How JSON is asked for.
#[derive(Clone, Copy, PartialEq)]
enum AnswerShape {
    /// By its schema.
    Schema,
    /// As some object.
    Object,
    /// In words only.
    Words,
}

/// How a question is put.
#[derive(Clone, Copy)]
struct RequestForm {
    shape: AnswerShape,
    /// Whether the limit goes by its newer name, `max_completion_tokens`.
    has_new_limit: bool,
}

impl RequestForm {
    const STRICTEST: Self = Self {
        shape: AnswerShape::Schema,
        has_new_limit: false,
    };

    /// What to try when a server does not take this form; `None` when nothing is left.
    fn relax_form(self, api: ModelApi, complaint: &[u8]) -> Option<Self> {
        let wants = || String::from_utf8_lossy(complaint).contains("max_completion_tokens");
        if api == ModelApi::OpenAi && !self.has_new_limit && wants() {
            return Some(Self {
                has_new_limit: true,
                ..self
            });
        }
        let shape = match (self.shape, api) {
            (AnswerShape::Schema, ModelApi::OpenAi) => AnswerShape::Object,
            (AnswerShape::Object, _) | (AnswerShape::Schema, ModelApi::Anthropic) => {
                AnswerShape::Words
            }
            (AnswerShape::Words, _) => return None,
        };
        Some(Self { shape, ..self })
    }
}

/// Which model is asked, and how it is reached.
#[derive(Clone)]
pub struct ModelOptions {
    /// Which protocol its server speaks.
    pub api: ModelApi,
    /// The address, as in `https://api.openai.com/v1` or `https://api.anthropic.com`.
    pub base: String,
    /// The model's name there.
    pub name: String,
    /// How long one question may take in all.
    pub timeout: Duration,
    /// The proxy to go through, as in `http://proxy.example.com:3128`.
    pub proxy: Option<String>,
    /// Certificates to trust instead of the usual ones, as PEM: those of a company's own authority.
    pub authorities: Option<Vec<u8>>,
}

/// Without the base and the proxy, which may hold passwords.
impl fmt::Debug for ModelOptions {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Options")
            .field("api", &self.api)
            .field("name", &self.name)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Whose model it is: who holds the key, pays for requests, and can wait.
pub trait ModelOwner: Send + Sync {
    /// The key, read anew for each question; `None` where the server needs none.
    fn read_key(&self) -> Result<Option<String>, ModelError>;

    /// Counts one request before it is made, or says why it may not be made.
    fn count_request(&self) -> Result<(), ModelError>;

    /// Waits.
    fn pause(&self, time: Duration);
}

/// A model on a server.
pub struct RemoteModel {
    agent: Agent,
    address: Address,
    options: ModelOptions,
    owner: Box<dyn ModelOwner>,
}

impl RemoteModel {
    /// The model that these options name. Nothing is asked yet, not even for the key.
    pub fn new(
        options: &ModelOptions,
        owner: impl ModelOwner + 'static,
    ) -> Result<Self, ModelError> {
        let address = Address::parse(&options.base).map_err(model_unreachable_error)?;
        let way = HttpClientSettings {
            timeout: options.timeout,
            proxy: options.proxy.as_deref(),
            authorities: options.authorities.as_deref(),
        };
        let agent = web::build_http_agent(&address, &way).map_err(model_unreachable_error)?;
        Ok(Self {
            agent,
            address,
            options: options.clone(),
            owner: Box::new(owner),
        })
    }

    /// Whether nobody on the way can read what is sent: only then is a key sent.
    pub fn is_private(&self) -> bool {
        self.address.is_private()
    }
}

impl Model for RemoteModel {
    fn complete(&self, ask: &ModelRequest) -> Result<String, ModelError> {
        let mut call = ModelCall::new(self)?;
        let (api, mut form) = (self.options.api, RequestForm::STRICTEST);
        loop {
            match call.post_body(&api.build_body(&self.options.name, ask, form))? {
                ModelReply::Answer(answer) => return api.read_answer(&answer),
                ModelReply::Complaint { status, text } => {
                    let next = form.relax_form(api, &text);
                    form = next.ok_or(ModelError::Refused { status })?;
                }
            }
        }
    }
}

/// Without the owner, who knows the key.
impl fmt::Debug for RemoteModel {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Remote")
            .field("address", &self.address)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

fn require_text(text: String) -> Result<String, ModelError> {
    if text.is_empty() {
        Err(ModelError::Misshapen("there is no text in it"))
    } else {
        Ok(text)
    }
}

fn model_unreachable_error(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ModelError {
    ModelError::Unreachable(why.into())
}
