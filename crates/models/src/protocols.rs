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

use std::fmt;
use std::time::Duration;

use apostille_core::model::{Ask, Model, ModelError};
use apostille_text::words::UnknownWord;
use serde_json::Value;
use ureq::Agent;

use apostille_web::client as web;
use apostille_web::client::Way;
use apostille_web::client::address::Address;
use call::{Call, Reply};

pub use meter::Meter;

/// How long one question may take, unless its owner says otherwise.
pub const TIMEOUT: Duration = Duration::from_secs(20);

/// Which protocol a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Api {
    /// `POST {base}/chat/completions`.
    #[default]
    OpenAi,
    /// `POST {base}/v1/messages`.
    Anthropic,
}

impl Api {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::OpenAi, Self::Anthropic];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    fn path(self, address: &Address) -> &'static str {
        match self {
            Self::OpenAi => "/chat/completions",
            // People copy the address with or without its version.
            Self::Anthropic if address.url("").ends_with("/v1") => "/messages",
            Self::Anthropic => "/v1/messages",
        }
    }

    fn body(self, name: &str, ask: &Ask<'_>, form: Form) -> Value {
        match self {
            Self::OpenAi => openai::body(name, ask, form),
            Self::Anthropic => anthropic::body(name, ask, form),
        }
    }

    /// The model's text.
    fn read(self, answer: &Value) -> Result<String, ModelError> {
        match self {
            Self::OpenAi => openai::read(answer),
            Self::Anthropic => anthropic::read(answer),
        }
    }
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl std::str::FromStr for Api {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|it| it.as_str() == word)
            .ok_or_else(|| UnknownWord {
                idea: "api",
                word: word.chars().take(40).collect(),
                known: Self::ALL.map(Self::as_str).join(", "),
            })
    }
}

/// How JSON is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// By its schema.
    Schema,
    /// As some object.
    Object,
    /// In words only.
    Words,
}

/// How a question is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Form {
    shape: Shape,
    /// Whether the limit goes by its newer name, `max_completion_tokens`.
    has_new_limit: bool,
}

impl Form {
    const STRICTEST: Self = Self {
        shape: Shape::Schema,
        has_new_limit: false,
    };

    /// What to try when a server does not take this form; `None` when nothing is left.
    fn next(self, api: Api, complaint: &[u8]) -> Option<Self> {
        let wants = || String::from_utf8_lossy(complaint).contains("max_completion_tokens");
        if api == Api::OpenAi && !self.has_new_limit && wants() {
            return Some(Self {
                has_new_limit: true,
                ..self
            });
        }
        let shape = match (self.shape, api) {
            (Shape::Schema, Api::OpenAi) => Shape::Object,
            (Shape::Object, _) | (Shape::Schema, Api::Anthropic) => Shape::Words,
            (Shape::Words, _) => return None,
        };
        Some(Self { shape, ..self })
    }
}

/// Which model is asked, and how it is reached.
#[derive(Clone)]
pub struct Options {
    /// Which protocol its server speaks.
    pub api: Api,
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
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Options");
        shown.field("api", &self.api).field("name", &self.name);
        shown
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Whose model it is: who holds the key, pays for requests, and can wait.
pub trait Owner: Send + Sync {
    /// The key, read anew for each question; `None` where the server needs none.
    fn key(&self) -> Result<Option<String>, ModelError>;

    /// Counts one request before it is made, or says why it may not be made.
    fn spend(&self) -> Result<(), ModelError>;

    /// Waits.
    fn pause(&self, time: Duration);
}

/// A model on a server.
pub struct Remote {
    agent: Agent,
    address: Address,
    api: Api,
    name: String,
    timeout: Duration,
    owner: Box<dyn Owner>,
}

impl Remote {
    /// The model that these options name. Nothing is asked yet, not even for the key.
    pub fn new(options: &Options, owner: impl Owner + 'static) -> Result<Self, ModelError> {
        let address = Address::parse(&options.base).map_err(unreachable)?;
        let (proxy, authorities) = (options.proxy.as_deref(), options.authorities.as_deref());
        let way = Way {
            timeout: options.timeout,
            proxy,
            authorities,
        };
        let agent = web::agent(&address, &way).map_err(unreachable)?;
        let (name, owner) = (options.name.clone(), Box::new(owner));
        Ok(Self {
            agent,
            address,
            api: options.api,
            name,
            timeout: options.timeout,
            owner,
        })
    }

    /// Whether nobody on the way can read what is sent: only then is a key sent.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.address.is_private()
    }

    fn url(&self) -> String {
        self.address.url(self.api.path(&self.address))
    }
}

impl Model for Remote {
    fn complete(&self, ask: &Ask<'_>) -> Result<String, ModelError> {
        let mut call = Call::new(self)?;
        let mut form = Form::STRICTEST;
        loop {
            match call.post(&self.api.body(&self.name, ask, form))? {
                Reply::Answer(answer) => return self.api.read(&answer),
                Reply::Complaint { status, text } => {
                    form = form
                        .next(self.api, &text)
                        .ok_or(ModelError::Refused { status })?;
                }
            }
        }
    }
}

/// Without the owner, who knows the key.
impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Remote");
        shown
            .field("api", &self.api)
            .field("address", &self.address)
            .field("name", &self.name);
        shown
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

fn unreachable(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ModelError {
    ModelError::Unreachable(why.into())
}
