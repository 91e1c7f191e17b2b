//! One question on its way: the time it has left, the one second chance, and what an answer means.

use std::time::{Duration, Instant};

use apostille_core::model::ModelError;
use serde_json::Value;
use ureq::{
    Body,
    http::{HeaderValue, Response},
};

use super::{ModelApi, RemoteModel, model_unreachable_error};
use apostille_web::client as web;

/// The largest answer that is read, in bytes.
pub(super) const MAX_ANSWER: u64 = 256 * 1024;
/// How much is read of a complaint.
const MAX_COMPLAINT: u64 = 16 * 1024;
/// The longest wait before the second chance; a server that wants more is not waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// The wait where a server does not say.
const USUAL_WAIT: Duration = Duration::from_secs(1);
/// The version of Anthropic's protocol.
const VERSION: &str = "2023-06-01";

/// What came back.
pub(super) enum ModelReply {
    /// An answer in JSON.
    Answer(Value),
    /// The server does not take the question in this form.
    Complaint {
        /// The HTTP status.
        status: u16,
        /// What it says about it; for choosing the next form, and never shown.
        text: Vec<u8>,
    },
}

/// A question on its way.
pub(super) struct ModelCall<'a> {
    remote: &'a RemoteModel,
    key: Option<HeaderValue>,
    started: Instant,
    has_second_chance: bool,
}

impl<'a> ModelCall<'a> {
    /// Reads the key, which is sent over https or to this machine only.
    pub(super) fn new(remote: &'a RemoteModel) -> Result<Self, ModelError> {
        let key = remote.owner.read_key()?;
        if key.is_some() && !remote.address.is_private() {
            let why = "it is sent over https only, and model.url begins with http://";
            return Err(ModelError::Key(why.into()));
        }
        let scheme = match remote.options.api {
            ModelApi::OpenAi => "Bearer ",
            ModelApi::Anthropic => "",
        };
        let secret = |it: String| {
            web::build_secret_header(scheme, &it)
                .ok_or_else(|| ModelError::Key("it is not one word of plain characters".into()))
        };
        let key = key.map(secret).transpose()?;
        Ok(Self {
            remote,
            key,
            started: Instant::now(),
            has_second_chance: true,
        })
    }

    /// Sends a body and waits for what comes back.
    pub(super) fn post_body(&mut self, body: &Value) -> Result<ModelReply, ModelError> {
        loop {
            if let Some(reply) = self.try_once(body)? {
                return Ok(reply);
            }
        }
    }

    /// Waits for the second chance, if there is one and it can come in time.
    fn wait_for_retry(&mut self, status: u16, time: Duration) -> Result<(), ModelError> {
        let has_time = time <= LONGEST_WAIT && time < self.time_left();
        if !std::mem::take(&mut self.has_second_chance) || !has_time {
            return Err(ModelError::Refused { status });
        }
        self.remote.owner.pause(time);
        Ok(())
    }

    /// What comes back; `None` where the server was busy, and was waited for.
    fn try_once(&mut self, body: &Value) -> Result<Option<ModelReply>, ModelError> {
        if self.time_left().is_zero() {
            return Err(self.timeout_error());
        }
        self.remote.owner.count_request()?;
        let response = self.send_body(body);
        self.judge_response(response.map_err(|error| self.transport_error(error))?)
    }

    fn send_body(&self, body: &Value) -> Result<Response<Body>, ureq::Error> {
        let (api, address) = (self.remote.options.api, &self.remote.address);
        let request = self
            .remote
            .agent
            .post(address.join_path(api.request_path(address)));
        let config = request.config().timeout_global(Some(self.time_left()));
        let mut request = config
            .build()
            .header("content-type", "application/json")
            .header("accept", "application/json");
        let name = match api {
            ModelApi::OpenAi => "authorization",
            ModelApi::Anthropic => {
                request = request.header("anthropic-version", VERSION);
                "x-api-key"
            }
        };
        if let Some(key) = &self.key {
            request = request.header(name, key);
        }
        request.send(body.to_string())
    }

    fn judge_response(
        &mut self,
        mut response: Response<Body>,
    ) -> Result<Option<ModelReply>, ModelError> {
        let status = response.status().as_u16();
        match status {
            200 => {
                let bytes = self.read_beginning(&mut response, MAX_ANSWER + 1)?;
                if bytes.len() as u64 > MAX_ANSWER {
                    return Err(ModelError::TooLarge { limit: MAX_ANSWER });
                }
                let answer = serde_json::from_slice(&bytes)
                    .map_err(|_| ModelError::Misshapen("the server did not answer in JSON"))?;
                Ok(Some(ModelReply::Answer(answer)))
            }
            400 | 422 => {
                let text = self.read_beginning(&mut response, MAX_COMPLAINT)?;
                Ok(Some(ModelReply::Complaint { status, text }))
            }
            429 | 500..=599 => {
                let wait = parse_retry_after(&response).unwrap_or(USUAL_WAIT);
                drop(response);
                self.wait_for_retry(status, wait)?;
                Ok(None)
            }
            _ => Err(ModelError::Refused { status }),
        }
    }

    fn read_beginning(
        &self,
        response: &mut Response<Body>,
        limit: u64,
    ) -> Result<Vec<u8>, ModelError> {
        web::read_body_beginning(response, limit)
            .map_err(|error| self.transport_error(error.into()))
    }

    fn time_left(&self) -> Duration {
        self.remote
            .options
            .timeout
            .saturating_sub(self.started.elapsed())
    }

    fn timeout_error(&self) -> ModelError {
        ModelError::TimedOut {
            after: self.remote.options.timeout,
        }
    }

    fn transport_error(&self, error: ureq::Error) -> ModelError {
        if web::is_timeout_error(&error) {
            self.timeout_error()
        } else {
            model_unreachable_error(error)
        }
    }
}

/// How long a busy server asks to be left alone. A date is not read: what is that far away is not waited for.
fn parse_retry_after(response: &Response<Body>) -> Option<Duration> {
    Some(
        web::response_header(response, "retry-after")?
            .trim()
            .parse()
            .map_or(Duration::MAX, Duration::from_secs),
    )
}
