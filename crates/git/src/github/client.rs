//! One request: what is sent, where redirects may lead, and what an answer other than the expected one means.

use std::fmt;
use std::{ops::ControlFlow, time::Duration};

use apostille_cite::source::{SourceError, SourceResult};
use jiff::Timestamp;
use ureq::{
    Agent, Body,
    http::{HeaderValue, Response},
};

use super::{
    backoff::{BackoffReason, RequestBackoff, UNSAID, read_limit_headers},
    options::GitHubOptions,
};
use crate::git::{ErrorCause, source_unavailable};
pub(super) use apostille_web::client::address::{Address, BadAddress};
use apostille_web::{
    client as web,
    client::{HttpClientSettings, read_body_beginning, response_header},
};

/// How many redirects are followed: a renamed repository needs one.
const MAX_REDIRECTS: usize = 3;
/// How much is read of an answer that is a message.
pub(super) const MAX_MESSAGE: u64 = 64 * 1024;

/// Tells the time.
pub(super) type GitHubClock = Box<dyn Fn() -> Timestamp + Send + Sync>;

/// Asks the API.
pub(super) struct GitHubClient {
    agent: Agent,
    pub(super) address: Address,
    pub(super) token: Option<HeaderValue>,
    timeout: Duration,
    gate: RequestBackoff,
    now: GitHubClock,
}

/// What is asked for.
pub(super) struct GitHubRequest {
    /// What it is, for messages.
    pub(super) what: String,
    pub(super) url: String,
    /// The form the answer should have.
    pub(super) accept: &'static str,
    /// How many bytes it may have.
    pub(super) limit: u64,
}

/// An answer that the one who asked can judge: 200, 304, 404, 409 or 422.
pub(super) struct GitHubReply {
    pub(super) status: u16,
    pub(super) etag: Option<String>,
    pub(super) body: Vec<u8>,
}

impl GitHubRequest {
    /// The error for an answer that did not come, or is none.
    pub(super) fn unavailable(&self, why: impl Into<ErrorCause>) -> SourceError {
        source_unavailable(self.what.as_str(), why)
    }
}

impl GitHubClient {
    pub(super) fn new(options: &GitHubOptions, now: GitHubClock) -> SourceResult<Self> {
        let address = Address::parse(&options.base).map_err(github_option_error)?;
        if options.token.is_some() && !address.is_private() {
            return Err(github_option_error(BadAddress::Plain));
        }
        let bearer = |token: &str| {
            web::build_secret_header("Bearer ", token)
                .ok_or_else(|| github_option_error("the token is not one word of plain characters"))
        };
        let token = options.token.as_deref().map(bearer).transpose()?;
        let settings = HttpClientSettings {
            timeout: options.timeout,
            proxy: options.proxy.as_deref(),
            authorities: options.authorities.as_deref(),
        };
        let agent = web::build_http_agent(&address, &settings).map_err(github_option_error)?;
        Ok(Self {
            agent,
            address,
            token,
            timeout: options.timeout,
            gate: RequestBackoff::default(),
            now,
        })
    }

    /// Asks, and follows redirects on the same host. With an `etag` the answer may be 304: what you have still holds.
    pub(super) fn get(&self, ask: &GitHubRequest, etag: Option<&str>) -> SourceResult<GitHubReply> {
        let mut url = ask.url.clone();
        for _ in 0..=MAX_REDIRECTS {
            self.check_backoff(ask)?;
            let response = self
                .send_request(ask, &url, etag)
                .map_err(|error| self.transport_error(ask, error))?;
            match self.judge_response(ask, response)? {
                ControlFlow::Break(reply) => return Ok(reply),
                ControlFlow::Continue(next) => url = next,
            }
        }
        Err(ask.unavailable(format!("{} redirects without end", self.address.host())))
    }

    fn check_backoff(&self, ask: &GitHubRequest) -> SourceResult<()> {
        match self.gate.remaining_wait((self.now)()) {
            None => Ok(()),
            Some((BackoffReason::Limit, left)) => Err(self.rate_limit_error(left)),
            Some((BackoffReason::Silence, _)) => {
                let why = format!(
                    "{} did not answer a moment ago; try again later",
                    self.address.host()
                );
                Err(ask.unavailable(why))
            }
        }
    }

    fn send_request(
        &self,
        ask: &GitHubRequest,
        url: &str,
        etag: Option<&str>,
    ) -> Result<Response<Body>, ureq::Error> {
        let mut request = self
            .agent
            .get(url)
            .header("accept", ask.accept)
            .header("x-github-api-version", "2022-11-28");
        if let Some(token) = &self.token {
            request = request.header("authorization", token);
        }
        if let Some(etag) = etag.and_then(|it| HeaderValue::from_str(it).ok()) {
            request = request.header("if-none-match", etag);
        }
        request.call()
    }

    /// The reply, or the URL where it is.
    fn judge_response(
        &self,
        ask: &GitHubRequest,
        mut response: Response<Body>,
    ) -> SourceResult<ControlFlow<GitHubReply, String>> {
        let status = response.status().as_u16();
        let host = self.address.host();
        let failed = |why: String| Err(ask.unavailable(why));
        match status {
            200 | 304 | 404 | 409 | 422 => {
                let limit = if status == 200 {
                    ask.limit
                } else {
                    MAX_MESSAGE
                };
                let body = read_body_beginning(&mut response, limit + 1)
                    .map_err(|it| self.transport_error(ask, it.into()))?;
                if body.len() as u64 > limit {
                    return failed(format!("{host} answered with more than {limit} bytes"));
                }
                let etag = response_header(&response, "etag").map(str::to_owned);
                Ok(ControlFlow::Break(GitHubReply { status, etag, body }))
            }
            301 | 302 | 307 | 308 => {
                let location = response_header(&response, "location");
                match location.and_then(|it| self.address.follow_redirect(it)) {
                    Some(url) => Ok(ControlFlow::Continue(url)),
                    None => failed(format!(
                        "{host} redirects to another host, which is not followed"
                    )),
                }
            }
            401 | 403 | 429 => Err(self.refusal_error(ask, response)),
            _ => failed(format!(
                "{host} answered with status {status}; try again later"
            )),
        }
    }

    /// A limit, or the want of a right. A limit may be told by the message only.
    fn refusal_error(&self, ask: &GitHubRequest, mut response: Response<Body>) -> SourceError {
        let status = response.status().as_u16();
        let now = (self.now)();
        let told = read_limit_headers(status, now, |name| response_header(&response, name));
        let body = read_body_beginning(&mut response, MAX_MESSAGE).unwrap_or_default();
        let text = String::from_utf8_lossy(&body).to_ascii_lowercase();
        let by_text = text.contains("rate limit") || text.contains("abuse detection");
        if let Some(wait) = told.or(by_text.then_some(UNSAID)) {
            return self.rate_limit_error(self.gate.back_off_for_limit(now, wait));
        }
        let host = self.address.host();
        let why = match (self.token.is_some(), status) {
            (false, _) => format!("{host} refuses it; set a token"),
            (true, 401) => {
                format!("{host} does not accept the token; it may have run out, so make a new one")
            }
            (true, _) => format!("{host} refuses it; the token needs the right to read contents"),
        };
        ask.unavailable(why)
    }

    fn rate_limit_error(&self, wait: Duration) -> SourceError {
        let host = self.address.host();
        let what = if self.token.is_some() {
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
    fn transport_error(&self, ask: &GitHubRequest, error: ureq::Error) -> SourceError {
        if web::is_timeout_error(&error) {
            self.gate.back_off_for_silence((self.now)());
            let why = format!(
                "{} did not answer within {:?}",
                self.address.host(),
                self.timeout
            );
            return ask.unavailable(why);
        }
        ask.unavailable(error)
    }
}

/// Without the token, and without the agent, which knows the proxy's password.
impl fmt::Debug for GitHubClient {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Client")
            .field("address", &self.address)
            .field("has_token", &self.token.is_some())
            .field("gate", &self.gate)
            .finish_non_exhaustive()
    }
}

fn github_option_error(why: impl Into<ErrorCause>) -> SourceError {
    source_unavailable("the repository on GitHub", why)
}
