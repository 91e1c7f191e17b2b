//! Where the API is: its address, what may be joined to it, and where a redirect may lead.

use std::net::IpAddr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use ureq::http::Uri;

/// An address that cannot be asked. It is not repeated, because it may hold a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    /// It is not a URL.
    #[error(
        "its address is not a URL such as https://api.github.com or https://ghe.example.com/api/v3"
    )]
    Form,
    /// It carries a name or a password.
    #[error("its address holds a name or a password; take them out and give a token instead")]
    Credentials,
    /// It would send a token in the clear.
    #[error("a token is sent over https only; use an address that begins with https://")]
    Plain,
}

/// The address of the API: everything is asked below it, and nothing beside its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Scheme, host and port, as in `https://api.github.com`.
    origin: String,
    /// The path that all others begin with; empty, or as in `/api/v3`.
    prefix: String,
    host: String,
}

impl Address {
    /// The address a user gave.
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        if text.contains(['?', '#', '\\']) || text.contains("/../") {
            return Err(BadAddress::Form);
        }
        let uri: Uri = text.parse().map_err(|_| BadAddress::Form)?;
        if uri.authority().is_some_and(|it| it.as_str().contains('@')) {
            return Err(BadAddress::Credentials);
        }
        let (origin, host) = normalize_origin(&uri).ok_or(BadAddress::Form)?;
        Ok(Self {
            origin,
            prefix: uri.path().trim_end_matches('/').to_owned(),
            host,
        })
    }

    /// Who is asked, for messages.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether it is this machine, where tests are.
    pub(crate) fn is_loopback(&self) -> bool {
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|it| it.is_loopback())
    }

    /// Whether nobody on the way can read what is sent.
    pub fn is_private(&self) -> bool {
        self.origin.starts_with("https://") || self.is_loopback()
    }

    /// The URL of a path below the address.
    pub fn join_path(&self, path: &str) -> String {
        format!("{}{}{path}", self.origin, self.prefix)
    }

    /// The URL that a redirect leads to; `None` if that is another host, port or scheme.
    pub fn follow_redirect(&self, location: &str) -> Option<String> {
        if location.starts_with('/') && !location.starts_with("//") {
            return Some(format!("{}{location}", self.origin));
        }
        let uri: Uri = location.parse().ok()?;
        let is_same = normalize_origin(&uri).is_some_and(|(it, _)| it == self.origin);
        let path = uri.path_and_query().map_or("/", |it| it.as_str());
        is_same.then(|| format!("{}{path}", self.origin))
    }
}

/// Scheme, host and port in their one spelling, and the host.
fn normalize_origin(uri: &Uri) -> Option<(String, String)> {
    let scheme = uri
        .scheme_str()
        .filter(|it| matches!(*it, "http" | "https"))?;
    let host = uri.host().filter(|it| !it.is_empty())?.to_ascii_lowercase();
    let usual = if scheme == "https" { 443 } else { 80 };
    let port = match uri.port_u16() {
        Some(port) if port != usual => format!(":{port}"),
        _ => String::new(),
    };
    Some((format!("{scheme}://{host}{port}"), host))
}

/// What stands for itself in a segment of a path.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// One segment of a path: everything but letters, digits and `-._~` is percent-encoded, slashes too.
pub fn percent_encode_segment(segment: &str) -> String {
    utf8_percent_encode(segment, UNRESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_joined() {
        let check = |base: &str, expected: &str| {
            let url = Address::parse(base).map(|it| it.join_path("/repos/o/n"));
            assert_eq!(
                url.unwrap_or_else(|error| format!("{error:?}")),
                expected,
                "{base}"
            );
        };
        check("https://api.github.com", "https://api.github.com/repos/o/n");
        check(
            "https://api.github.com/",
            "https://api.github.com/repos/o/n",
        );
        check(
            "https://GHE.example.com:443/api/v3/",
            "https://ghe.example.com/api/v3/repos/o/n",
        );
        check("http://127.0.0.1:8080", "http://127.0.0.1:8080/repos/o/n");
        check("http://[::1]:8080", "http://[::1]:8080/repos/o/n");
        check("api.github.com", "Form");
        check("ftp://api.github.com", "Form");
        check("https://", "Form");
        check("https://api.github.com?x=1", "Form");
        check("https://api.github.com#x", "Form");
        check("https://api.github.com/../x", "Form");
        check("https://ana:hunter2@ghe.example.com", "Credentials");
        check("", "Form");
    }

    #[test]
    fn only_https_and_this_machine_are_private() {
        let check = |base: &str, expected: bool| {
            assert_eq!(
                Address::parse(base).map(|it| it.is_private()),
                Ok(expected),
                "{base}"
            );
        };
        check("https://ghe.example.com", true);
        check("http://ghe.example.com", false);
        check("http://127.0.0.1:8080", true);
        check("http://[::1]", true);
        check("http://localhost:3", true);
        check("http://localhost.example.com", false);
        check("http://127.0.0.1.example.com", false);
        check("http://10.0.0.1", false);
    }

    #[test]
    fn redirects_stay_on_the_host() {
        let address = Address::parse("https://ghe.example.com/api/v3").unwrap();
        let check = |location: &str, expected: Option<&str>| {
            assert_eq!(
                address.follow_redirect(location).as_deref(),
                expected,
                "{location}"
            );
        };
        check(
            "https://ghe.example.com/x?y=1",
            Some("https://ghe.example.com/x?y=1"),
        );
        check(
            "https://GHE.example.com:443/x",
            Some("https://ghe.example.com/x"),
        );
        check("/x?y=1", Some("https://ghe.example.com/x?y=1"));
        check("https://ghe.example.com:8443/x", None);
        check("http://ghe.example.com/x", None);
        check("https://ghe.example.com.evil.example/x", None);
        check("https://ghe.example.com@evil.example/x", None);
        check("//evil.example/x", None);
        check("x", None);
        check("", None);
    }

    #[test]
    fn segments_are_encoded() {
        let check = |text: &str, expected: &str| assert_eq!(percent_encode_segment(text), expected);
        check("main", "main");
        check("v1.0-rc_1~2", "v1.0-rc_1~2");
        check("feature/x", "feature%2Fx");
        check("naïve file#1?.md", "na%C3%AFve%20file%231%3F.md");
        check("100%", "100%25");
    }
}
