//! One request: what is sent, where redirects may lead, and what an answer other than the expected one means.

use std::fmt;
use std::time::Duration;

use apostille_cite::source::SourceError;
use jiff::Timestamp;
use ureq::http::{HeaderValue, Response};
use ureq::{Agent, Body};

use super::gate::{Gate, Reason, Wait};
use super::options::Options;
use crate::git::unavailable;
use apostille_web::client as web;
pub(super) use apostille_web::client::address::{Address, BadAddress};
use apostille_web::client::{Way, beginning, header};

/// How many redirects are followed: a renamed repository needs one.
const MAX_REDIRECTS: usize = 3;
/// How much is read of an answer that is a message.
pub(super) const MAX_MESSAGE: u64 = 64 * 1024;

/// Tells the time.
pub(super) type Clock = Box<dyn Fn() -> Timestamp + Send + Sync>;

/// Asks the API.
pub(super) struct Client {
    agent: Agent,
    address: Address,
    token: Option<HeaderValue>,
    timeout: Duration,
    gate: Gate,
    now: Clock,
}

/// What is asked for.
pub(super) struct Ask {
    /// What it is, for messages.
    pub(super) what: String,
    pub(super) url: String,
    /// The form the answer should have.
    pub(super) accept: &'static str,
    /// How many bytes it may have.
    pub(super) limit: u64,
}

/// An answer that the one who asked can judge: 200, 304, 404, 409 or 422.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) etag: Option<String>,
    pub(super) body: Vec<u8>,
}

enum Step {
    Done(Reply),
    Elsewhere(String),
}

impl Client {
    pub(super) fn new(options: &Options, now: Clock) -> Result<Self, SourceError> {
        let address = Address::parse(&options.base).map_err(bad_option)?;
        if options.token.is_some() && !address.is_private() {
            return Err(bad_option(BadAddress::Plain));
        }
        let token = options.token.as_deref().map(bearer).transpose()?;
        let agent = agent(options, &address)?;
        Ok(Self {
            agent,
            address,
            token,
            timeout: options.timeout,
            gate: Gate::default(),
            now,
        })
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    pub(super) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Asks, and follows redirects on the same host. With an `etag` the answer may be 304: what you have still holds.
    pub(super) fn get(&self, ask: &Ask, etag: Option<&str>) -> Result<Reply, SourceError> {
        let mut url = ask.url.clone();
        for _ in 0..=MAX_REDIRECTS {
            self.may_ask(ask)?;
            let response = self
                .send(ask, &url, etag)
                .map_err(|error| self.trouble(ask, error))?;
            match self.judge(ask, response)? {
                Step::Done(reply) => return Ok(reply),
                Step::Elsewhere(next) => url = next,
            }
        }
        Err(unavailable(
            ask.what.as_str(),
            format!("{} redirects without end", self.address.host()),
        ))
    }

    fn may_ask(&self, ask: &Ask) -> Result<(), SourceError> {
        match self.gate.closed((self.now)()) {
            None => Ok(()),
            Some((Reason::Limit, left)) => Err(self.limited(left)),
            Some((Reason::Silence, _)) => {
                let why = format!(
                    "{} did not answer a moment ago; try again later",
                    self.address.host()
                );
                Err(unavailable(ask.what.as_str(), why))
            }
        }
    }

    fn send(
        &self,
        ask: &Ask,
        url: &str,
        etag: Option<&str>,
    ) -> Result<Response<Body>, ureq::Error> {
        let mut request = self.agent.get(url).header("accept", ask.accept);
        request = request.header("x-github-api-version", "2022-11-28");
        if let Some(token) = &self.token {
            request = request.header("authorization", token);
        }
        if let Some(etag) = etag.and_then(|it| HeaderValue::from_str(it).ok()) {
            request = request.header("if-none-match", etag);
        }
        request.call()
    }

    fn judge(&self, ask: &Ask, mut response: Response<Body>) -> Result<Step, SourceError> {
        let status = response.status().as_u16();
        let host = self.address.host();
        let failed = |why: String| Err(unavailable(ask.what.as_str(), why));
        match status {
            200 | 304 | 404 | 409 | 422 => {
                let limit = if status == 200 {
                    ask.limit
                } else {
                    MAX_MESSAGE
                };
                let body = beginning(&mut response, limit + 1)
                    .map_err(|it| self.trouble(ask, it.into()))?;
                if body.len() as u64 > limit {
                    return failed(format!("{host} answered with more than {limit} bytes"));
                }
                let etag = header(&response, "etag").map(str::to_owned);
                Ok(Step::Done(Reply { status, etag, body }))
            }
            301 | 302 | 307 | 308 => {
                match header(&response, "location").and_then(|it| self.address.follow(it)) {
                    Some(url) => Ok(Step::Elsewhere(url)),
                    None => failed(format!(
                        "{host} redirects to another host, which is not followed"
                    )),
                }
            }
            401 | 403 | 429 => Err(self.refusal(ask, response)),
            _ => failed(format!(
                "{host} answered with status {status}; try again later"
            )),
        }
    }

    /// A limit, or the want of a right. A limit may be told by the message only.
    fn refusal(&self, ask: &Ask, mut response: Response<Body>) -> SourceError {
        let told = Wait::told(response.status().as_u16(), |name| header(&response, name));
        let body = beginning(&mut response, MAX_MESSAGE).unwrap_or_default();
        let text = String::from_utf8_lossy(&body).to_ascii_lowercase();
        let by_text = ["rate limit", "abuse detection"]
            .iter()
            .any(|it| text.contains(it));
        if let Some(wait) = told.or(by_text.then_some(Wait::Unsaid)) {
            return self.limited(self.gate.limit((self.now)(), wait));
        }
        let host = self.address.host();
        let why = match (self.has_token(), response.status().as_u16()) {
            (false, _) => format!("{host} refuses it; set a token"),
            (true, 401) => {
                format!("{host} does not accept the token; it may have run out, so make a new one")
            }
            (true, _) => format!("{host} refuses it; the token needs the right to read contents"),
        };
        unavailable(ask.what.as_str(), why)
    }

    fn limited(&self, wait: Duration) -> SourceError {
        let host = self.address.host();
        let what = if self.has_token() {
            host.to_owned()
        } else {
            format!("without a token, {host}")
        };
        SourceError::Limited {
            what,
            retry_after: Some(wait),
        }
    }

    /// The request did not get through, or its answer did not.
    fn trouble(&self, ask: &Ask, error: ureq::Error) -> SourceError {
        if web::is_late(&error) {
            self.gate.silence((self.now)());
            let why = format!(
                "{} did not answer within {:?}",
                self.address.host(),
                self.timeout
            );
            return unavailable(ask.what.as_str(), why);
        }
        unavailable(ask.what.as_str(), error)
    }
}

/// Without the token, and without the agent, which knows the proxy's password.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Client");
        shown
            .field("address", &self.address)
            .field("has_token", &self.has_token());
        shown.field("gate", &self.gate).finish_non_exhaustive()
    }
}

fn agent(options: &Options, address: &Address) -> Result<Agent, SourceError> {
    let (proxy, authorities) = (options.proxy.as_deref(), options.authorities.as_deref());
    web::agent(
        address,
        &Way {
            timeout: options.timeout,
            proxy,
            authorities,
        },
    )
    .map_err(bad_option)
}

fn bearer(token: &str) -> Result<HeaderValue, SourceError> {
    web::secret("Bearer ", token)
        .ok_or_else(|| bad_option("the token is not one word of plain characters"))
}

fn bad_option(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> SourceError {
    unavailable("the repository on GitHub", why)
}
