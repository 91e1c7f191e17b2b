//! Who can reach the server, and by which names.

use std::{fmt, net::Ipv6Addr, str::FromStr, sync::Arc};

use super::{proxy::TrustedProxies, tls::TlsIdentity};

/// The longest name that a host can have.
const MAX_NAME: usize = 253;

/// A name that clients call the server by, with the port where it is not the usual one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicHost {
    /// The name, or an address; one of version 6 is in brackets.
    pub name: String,
    /// The port that clients say.
    pub port: Option<u16>,
}

impl PublicHost {
    /// The name as a certificate has it.
    #[must_use]
    pub fn bare_name(&self) -> &str {
        self.name.trim_start_matches('[').trim_end_matches(']')
    }

    /// Whether `NAME` or `NAME:PORT` is this host. `unsaid` is the port where none is said, `own` the one listened on.
    pub(super) fn is_authority(&self, authority: &str, unsaid: u16, own: u16) -> bool {
        let Some((name, rest)) = authority.split_at_checked(self.name.len()) else {
            return false;
        };
        let port = match rest.strip_prefix(':') {
            Some(said) => said.parse().ok(),
            None => rest.is_empty().then_some(unsaid),
        };
        let is_port = |it: u16| match self.port {
            Some(port) => it == port,
            None => [80, 443, own].contains(&it),
        };
        name.eq_ignore_ascii_case(&self.name) && port.is_some_and(is_port)
    }
}

impl FromStr for PublicHost {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("'{text}' is not a host name, with or without its port");
        let (name, port) = match text.rsplit_once(':') {
            Some((name, port)) if !text.ends_with(']') => {
                let port = port.parse().map_err(|_| expected())?;
                (name, Some(port))
            }
            _ => (text, None),
        };
        let inner = name.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
        let is_name = match inner {
            Some(address) => address.parse::<Ipv6Addr>().is_ok(),
            None => {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
                (1..=MAX_NAME).contains(&name.len()) && name.chars().all(is_plain)
            }
        };
        let name = name.to_ascii_lowercase();
        is_name.then_some(Self { name, port }).ok_or_else(expected)
    }
}

impl fmt::Display for PublicHost {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// Who can reach the server; unless said, programs of this machine.
#[derive(Debug, Clone, Default)]
pub struct NetworkReach {
    /// What connections are encrypted with, if they are.
    pub tls: Option<Arc<TlsIdentity>>,
    /// The proxies that stand before it.
    pub proxies: TrustedProxies,
    /// What clients call it, beside the names of this machine to itself.
    pub hosts: Vec<PublicHost>,
    /// Whether other machines reach it, themselves or through a proxy.
    pub is_public: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_host_is_a_name_and_a_port() {
        let check = |text: &str, expected: Option<&str>| {
            let read = text.parse::<PublicHost>().ok().map(|it| it.to_string());
            assert_eq!(read.as_deref(), expected, "{text:?}");
        };
        check("memory.example", Some("memory.example"));
        check("Memory.Example:8443", Some("memory.example:8443"));
        check("10.0.0.7", Some("10.0.0.7"));
        check("[2001:db8::7]:8443", Some("[2001:db8::7]:8443"));
        check("[2001:db8::7]", Some("[2001:db8::7]"));
        check("", None);
        check("2001:db8::7", None);
        check("https://memory.example", None);
        check("memory.example/", None);
        check("*.example", None);
        check("a b", None);
        check("name:99999", None);
    }

    #[test]
    fn public_host_answers_on_its_port_alone() {
        let check = |host: &str, authority: &str, unsaid: u16, expected: bool| {
            let host: PublicHost = host.parse().unwrap();
            let found = host.is_authority(authority, unsaid, 7787);
            assert_eq!(found, expected, "{host} {authority}");
        };
        check("memory.example", "memory.example", 443, true);
        check("memory.example", "MEMORY.example:443", 443, true);
        check("memory.example", "memory.example:7787", 443, true);
        check("memory.example", "memory.example:8443", 443, false);
        check("memory.example", "memory.example.evil.example", 443, false);
        check("memory.example", "evil.example", 443, false);
        check("memory.example", "memory.example:", 443, false);
        check("memory.example:8443", "memory.example:8443", 443, true);
        check("memory.example:8443", "memory.example:443", 443, false);
        check("[2001:db8::7]", "[2001:db8::7]:7787", 443, true);
    }
}
