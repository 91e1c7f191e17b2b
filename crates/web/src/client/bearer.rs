//! Asking a server that knows its callers by a token: bounded, without redirects, and never as plain text to another machine.

use ureq::{
    Agent, Body,
    http::{HeaderValue, Response},
};

use super::{
    HttpClientSettings, address::Address, build_http_agent, build_secret_header, is_timeout_error,
    read_body_beginning,
};

/// A server, and the token that it knows.
pub struct BearerClient {
    agent: Agent,
    address: Address,
    token: HeaderValue,
}

/// What the server answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BearerReply {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

/// Why there is no answer. It never holds the token.
#[derive(Debug, thiserror::Error)]
pub enum BearerError {
    /// This cannot be asked so.
    #[error("{0}")]
    Unfit(String),
    /// Nobody answered, or not in time, or not to the end.
    #[error("{0}")]
    Unreachable(String),
    /// The answer is longer than is read.
    #[error("{host} answered with more than {limit} bytes")]
    TooLong {
        /// Who answered.
        host: String,
        /// How much is read.
        limit: u64,
    },
}

impl BearerClient {
    /// The server at an address, with a token that is sent over https only, or to this machine.
    pub fn new(
        address: Address,
        token: &str,
        settings: &HttpClientSettings<'_>,
    ) -> Result<Self, BearerError> {
        let unfit = |why: &str| BearerError::Unfit(why.to_owned());
        if !address.is_private() {
            return Err(unfit("a token is sent over https only"));
        }
        let token = build_secret_header("Bearer ", token)
            .ok_or_else(|| unfit("the token is not one word of plain characters"))?;
        let agent = build_http_agent(&address, settings).map_err(unfit)?;
        Ok(Self {
            agent,
            address,
            token,
        })
    }

    /// Asks for what is at a path below the address.
    pub fn get(&self, path: &str, limit: u64) -> Result<BearerReply, BearerError> {
        let request = self.agent.get(self.address.join_path(path));
        let answer = request.header("authorization", &self.token).call();
        self.read_reply(answer, limit)
    }

    /// Sends a body of this kind to a path below the address.
    pub fn post(
        &self,
        path: &str,
        kind: &str,
        body: &[u8],
        limit: u64,
    ) -> Result<BearerReply, BearerError> {
        let request = self.agent.post(self.address.join_path(path));
        let request = request.header("authorization", &self.token);
        let answer = request.header("content-type", kind).send(body);
        self.read_reply(answer, limit)
    }

    fn read_reply(
        &self,
        answer: Result<Response<Body>, ureq::Error>,
        limit: u64,
    ) -> Result<BearerReply, BearerError> {
        let mut response = answer.map_err(|it| self.describe_error(&it))?;
        let status = response.status().as_u16();
        let read = read_body_beginning(&mut response, limit + 1);
        let body = read.map_err(|it| self.describe_error(&it.into()))?;
        if body.len() as u64 > limit {
            let host = self.address.host().to_owned();
            return Err(BearerError::TooLong { host, limit });
        }
        Ok(BearerReply { status, body })
    }

    fn describe_error(&self, error: &ureq::Error) -> BearerError {
        let host = self.address.host();
        BearerError::Unreachable(if is_timeout_error(error) {
            format!("{host} did not answer in time")
        } else {
            format!("{host}: {error}")
        })
    }
}
