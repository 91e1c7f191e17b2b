//! Where a request comes from: the other end of its connection, or, where that is a proxy that the operator named, what the
//! proxy says.
//!
//! Anybody can send `X-Forwarded-For`. So only a connection from a named proxy is taken at all, and of what it hands on only
//! what it wrote itself is believed: of a list of addresses the last one that is no named proxy. One header is believed and
//! not two: a proxy writes one of them, and hands on the other as its client sent it.

use std::{net::IpAddr, str::FromStr};

use hyper::header::HeaderMap;
use ipnet::IpNet;

/// In which header a proxy says where a request came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProxyHeader {
    /// `X-Forwarded-For` and `X-Forwarded-Proto`, as nginx, Caddy and most load balancers write them.
    #[default]
    XForwarded,
    /// `Forwarded`, of RFC 7239.
    Forwarded,
}

/// A proxy's address, or the network that its address is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProxyAddress(IpNet);

impl FromStr for ProxyAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let whole = || {
            text.parse::<IpAddr>()
                .map(|it| IpNet::from(it.to_canonical()))
        };
        let net = text.parse().or_else(|_| whole());
        let net: IpNet = net.map_err(|_| {
            format!(
                "'{text}' is not an address such as 10.0.0.7, nor a network such as 10.0.0.0/24"
            )
        })?;
        match net.prefix_len() {
            0 => Err("every address in the world is no proxy's".into()),
            _ => Ok(Self(net)),
        }
    }
}

/// The proxies that stand before the server; none: clients connect themselves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrustedProxies {
    /// Their addresses, or the networks they are in.
    pub addresses: Vec<ProxyAddress>,
    /// Where they say who asks.
    pub header: ProxyHeader,
}

/// The other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ConnectionPeer {
    pub(super) address: IpAddr,
    pub(super) is_tls: bool,
}

/// Who sent a request, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RequestPeer {
    /// The client, or the proxy where it does not say.
    pub(super) address: IpAddr,
    /// Whether the client speaks `https`.
    pub(super) is_secure: bool,
}

/// What a proxy says of a request.
#[derive(Debug, Default, PartialEq, Eq)]
struct ForwardedFacts<'a> {
    /// The addresses on the way, the nearest last.
    addresses: Vec<&'a str>,
    protocol: Option<&'a str>,
}

impl TrustedProxies {
    /// Whether clients connect through a proxy.
    #[must_use]
    pub fn is_used(&self) -> bool {
        !self.addresses.is_empty()
    }

    /// Whether this end of a connection is one to talk to.
    pub(super) fn admits_address(&self, address: IpAddr) -> bool {
        !self.is_used() || self.has_address(address)
    }

    fn has_address(&self, address: IpAddr) -> bool {
        self.addresses.iter().any(|it| it.0.contains(&address))
    }

    /// Who sent a request that came over this connection.
    pub(super) fn find_peer(&self, connection: ConnectionPeer, headers: &HeaderMap) -> RequestPeer {
        let own = RequestPeer {
            address: connection.address,
            is_secure: connection.is_tls,
        };
        if !self.is_used() {
            return own;
        }
        let said = match self.header {
            ProxyHeader::XForwarded => read_x_forwarded(headers),
            ProxyHeader::Forwarded => read_forwarded(headers),
        };
        // From the near end on: whatever stands before somebody unknown is that one's own word.
        let parsed = said.addresses.iter().rev().map(|it| parse_node_address(it));
        let client = parsed.map_while(|it| it).find(|it| !self.has_address(*it));
        RequestPeer {
            address: client.unwrap_or(own.address),
            is_secure: said
                .protocol
                .map_or(own.is_secure, |it| it.eq_ignore_ascii_case("https")),
        }
    }
}

fn list_header_values<'a>(headers: &'a HeaderMap, name: &str) -> Vec<&'a str> {
    let values = headers.get_all(name).iter();
    let texts = values.map(|it| it.to_str().unwrap_or_default());
    texts.flat_map(|it| it.split(',')).map(str::trim).collect()
}

fn read_x_forwarded(headers: &HeaderMap) -> ForwardedFacts<'_> {
    ForwardedFacts {
        addresses: list_header_values(headers, "x-forwarded-for"),
        protocol: list_header_values(headers, "x-forwarded-proto").pop(),
    }
}

/// `Forwarded: for=192.0.2.60;proto=https, for="[2001:db8::1]:4711"`.
fn read_forwarded(headers: &HeaderMap) -> ForwardedFacts<'_> {
    let mut facts = ForwardedFacts::default();
    for element in list_header_values(headers, "forwarded") {
        let pairs = element
            .split(';')
            .filter_map(|it| it.trim().split_once('='));
        let mut address = "";
        facts.protocol = None;
        for (name, value) in pairs {
            let value = value.trim_matches('"');
            if name.eq_ignore_ascii_case("for") {
                address = value;
            } else if name.eq_ignore_ascii_case("proto") {
                facts.protocol = Some(value);
            }
        }
        facts.addresses.push(address);
    }
    facts
}

/// An address as proxies write it: with a port or without, version 6 in brackets or without.
fn parse_node_address(text: &str) -> Option<IpAddr> {
    let bare = match text.strip_prefix('[') {
        Some(rest) => rest.split(']').next()?,
        None => match text.rsplit_once(':') {
            Some((address, port)) if !address.contains(':') && port.parse::<u16>().is_ok() => {
                address
            }
            _ => text,
        },
    };
    bare.parse().ok().map(|it: IpAddr| it.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(proxies: &str, header: ProxyHeader, sent: &[(&'static str, &str)]) -> String {
        let trusted = TrustedProxies {
            addresses: proxies.split(' ').map(|it| it.parse().unwrap()).collect(),
            header,
        };
        let mut headers = HeaderMap::new();
        for (name, value) in sent {
            headers.append(*name, value.parse().unwrap());
        }
        let connection = ConnectionPeer {
            address: "10.0.0.1".parse().unwrap(),
            is_tls: false,
        };
        let peer = trusted.find_peer(connection, &headers);
        let scheme = if peer.is_secure { "https" } else { "http" };
        format!("{scheme} {}", peer.address)
    }

    #[test]
    fn only_the_last_unknown_address_is_believed() {
        let check = |sent: &str, expected: &str| {
            let found = find(
                "10.0.0.0/24 fd00::/8",
                ProxyHeader::XForwarded,
                &[("x-forwarded-for", sent)],
            );
            assert_eq!(found, format!("http {expected}"), "{sent:?}");
        };
        check("203.0.113.9", "203.0.113.9");
        check("1.1.1.1, 203.0.113.9", "203.0.113.9");
        check("1.1.1.1, 203.0.113.9, 10.0.0.7", "203.0.113.9");
        check("203.0.113.9:4711", "203.0.113.9");
        check("2001:db8::7", "2001:db8::7");
        check("[2001:db8::7]:4711, fd00::1", "2001:db8::7");
        check("::ffff:203.0.113.9", "203.0.113.9");
        // What cannot be read ends the chain: behind it anything may be forged.
        check("203.0.113.9, unknown", "10.0.0.1");
        check("203.0.113.9, unknown, 10.0.0.7", "10.0.0.1");
        check("10.0.0.5, 10.0.0.7", "10.0.0.1");
        check("", "10.0.0.1");
        check("127.0.0.1\u{e9}", "10.0.0.1");
    }

    #[test]
    fn proxy_is_an_address_or_a_network() {
        let check = |text: &str, expected: bool| {
            assert_eq!(text.parse::<ProxyAddress>().is_ok(), expected, "{text:?}");
        };
        check("10.0.0.7", true);
        check("10.0.0.0/24", true);
        check("::1", true);
        check("fd00::/8", true);
        check("0.0.0.0/0", false);
        check("::/0", false);
        check("proxy.example", false);
        check("", false);
    }

    #[test]
    fn a_header_that_the_proxy_does_not_write_is_not_believed() {
        let sent = [
            ("forwarded", "for=1.1.1.1;proto=https"),
            ("x-forwarded-for", "203.0.113.9"),
            ("x-forwarded-proto", "http"),
        ];
        assert_eq!(
            find("10.0.0.1/32", ProxyHeader::XForwarded, &sent),
            "http 203.0.113.9"
        );
        assert_eq!(
            find("10.0.0.1/32", ProxyHeader::Forwarded, &sent),
            "https 1.1.1.1"
        );
    }

    #[test]
    fn the_nearest_proxy_says_which_protocol() {
        let check = |header, sent: &[(&'static str, &str)], expected: &str| {
            let found = find("10.0.0.1/32", header, sent);
            assert_eq!(found.split(' ').next(), Some(expected), "{sent:?}");
        };
        let (x, f) = (ProxyHeader::XForwarded, ProxyHeader::Forwarded);
        check(x, &[("x-forwarded-proto", "https")], "https");
        check(x, &[("x-forwarded-proto", "https, http")], "http");
        check(
            x,
            &[
                ("x-forwarded-proto", "https"),
                ("x-forwarded-proto", "http"),
            ],
            "http",
        );
        check(x, &[], "http");
        check(f, &[("forwarded", "for=1.1.1.1;proto=https")], "https");
        check(f, &[("forwarded", "proto=https, for=1.1.1.1")], "http");
        check(
            f,
            &[("forwarded", "For=\"[2001:db8::1]:4711\" ; Proto=HTTPS")],
            "https",
        );
    }

    #[test]
    fn without_a_proxy_headers_are_nobodys_word() {
        let connection = ConnectionPeer {
            address: "192.0.2.1".parse().unwrap(),
            is_tls: true,
        };
        let mut headers = HeaderMap::new();
        headers.append("x-forwarded-for", "203.0.113.9".parse().unwrap());
        headers.append("x-forwarded-proto", "http".parse().unwrap());
        let peer = TrustedProxies::default().find_peer(connection, &headers);
        let expected = RequestPeer {
            address: connection.address,
            is_secure: true,
        };
        assert_eq!(peer, expected);
    }
}
