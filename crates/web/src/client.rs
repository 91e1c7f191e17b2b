//! Asking over HTTP: what all our clients do alike.

pub mod address;
pub mod bearer;
#[cfg(any(test, feature = "test-server"))]
#[path = "../tests/support/scripted_server.rs"]
pub mod scripted_server;

use std::{
    io::{self, Read as _},
    time::Duration,
};

use ureq::{
    Agent, Body, Proxy,
    http::{HeaderValue, Response},
    tls::{PemItem, RootCerts, TlsConfig, parse_pem},
};

use address::Address;

/// How a server is reached.
pub struct HttpClientSettings<'a> {
    /// How long one request may take, from the name of the host to the last byte.
    pub timeout: Duration,
    /// The proxy to go through.
    pub proxy: Option<&'a str>,
    /// Certificates to trust instead of the usual ones, as PEM.
    pub authorities: Option<&'a [u8]>,
}

/// Every setting that would otherwise come from the environment, or send a token on, is made here.
pub fn build_http_agent(
    address: &Address,
    way: &HttpClientSettings<'_>,
) -> Result<Agent, &'static str> {
    let proxy = way.proxy.filter(|_| !address.is_loopback());
    let proxy = proxy
        .map(Proxy::new)
        .transpose()
        .map_err(|_| "the proxy's address is not a URL")?;
    let roots = way
        .authorities
        .map_or(Ok(RootCerts::WebPki), parse_authorities)?;
    Ok(Agent::config_builder()
        .proxy(proxy)
        .max_redirects(0)
        .http_status_as_error(false)
        .timeout_global(Some(way.timeout))
        .tls_config(TlsConfig::builder().root_certs(roots).build())
        .user_agent(concat!("apostille/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent())
}

fn parse_authorities(pem: &[u8]) -> Result<RootCerts, &'static str> {
    let certificates: Vec<_> = parse_pem(pem)
        .filter_map(|it| match it {
            Ok(PemItem::Certificate(it)) => Some(it),
            _ => None,
        })
        .collect();
    if certificates.is_empty() {
        return Err("the file of certificate authorities holds no certificate");
    }
    Ok(RootCerts::new_with_certs(&certificates))
}

/// A header's value that is never shown, if the word is one of plain characters.
pub fn build_secret_header(scheme: &str, word: &str) -> Option<HeaderValue> {
    let is_one_word = !word.is_empty() && word.bytes().all(|it| it.is_ascii_graphic());
    let mut value = HeaderValue::from_str(&format!("{scheme}{word}"))
        .ok()
        .filter(|_| is_one_word)?;
    value.set_sensitive(true);
    Some(value)
}

/// A header of an answer, where it is text.
pub fn response_header<'a>(response: &'a Response<Body>, name: &str) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

/// The beginning of a body. The agent's own limit would count bytes before they are unpacked.
pub fn read_body_beginning(response: &mut Response<Body>, limit: u64) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    response
        .body_mut()
        .as_reader()
        .take(limit)
        .read_to_end(&mut body)?;
    Ok(body)
}

/// Whether the time ran out.
pub fn is_timeout_error(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Timeout(_) => true,
        ureq::Error::Io(error) => error.kind() == io::ErrorKind::TimedOut,
        _ => false,
    }
}
