//! Where `serve` listens, and who can reach it there. Beyond this machine nothing is sent or taken as plain text: a token
//! would be read by everybody on the way.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener},
    sync::Arc,
};

use apostille_http::{
    CertificateFiles, NetworkReach, ProxyAddress, ProxyHeader, PublicHost, TlsIdentity,
    TrustedProxies,
};
use apostille_terminal::args::{ProxyHeaderArg, ServeArgs};
use apostille_workspace::{config::ServeSettings, error::CommandError, system::System};
use clap::ValueEnum as _;

/// The port that is listened on where nobody names one.
const USUAL_PORT: u16 = 7787;
/// The port that an address with `https` does not say.
const HTTPS_PORT: u16 = 443;

/// A socket that is open, and who can reach it.
pub(super) struct Listening {
    /// The socket.
    pub(super) socket: TcpListener,
    /// Its address.
    pub(super) address: SocketAddr,
    /// Who can reach it.
    pub(super) reach: NetworkReach,
}

impl Listening {
    /// Opens the socket, or takes the one that whoever started the program opened, after everything else was found good.
    pub(super) fn open(
        system: &System,
        args: &ServeArgs,
        settings: &ServeSettings,
    ) -> Result<Self, CommandError> {
        let inherited = take_inherited_socket(args)?;
        let address = match &inherited {
            Some(socket) => socket.local_addr().map_err(CommandError::internal)?,
            None => choose_address(args, settings),
        };
        let reach = read_reach(system, address.ip(), args, settings)?;
        check_reach(&reach, address, args.no_token)?;
        let socket = match inherited {
            Some(socket) => socket,
            None => bind_socket(address)?,
        };
        let address = socket.local_addr().map_err(CommandError::internal)?;
        Ok(Self {
            socket,
            address,
            reach,
        })
    }

    /// The address that people and programs call, without a path.
    pub(super) fn base_url(&self) -> String {
        let is_secure =
            self.reach.tls.is_some() || (self.reach.proxies.is_used() && self.reach.is_public);
        let port = self.address.port();
        let Some(host) = self.reach.hosts.first() else {
            let scheme = if self.reach.tls.is_some() {
                "https"
            } else {
                "http"
            };
            let own = if self.address.is_ipv6() {
                "[::1]"
            } else {
                "127.0.0.1"
            };
            return format!("{scheme}://{own}:{port}");
        };
        let scheme = if is_secure { "https" } else { "http" };
        let own = (!self.reach.proxies.is_used()).then_some(port);
        match host.port.or(own).filter(|it| *it != HTTPS_PORT) {
            Some(port) => format!("{scheme}://{}:{port}", host.name),
            None => format!("{scheme}://{}", host.name),
        }
    }

    /// Names that clients call and the certificate does not have.
    pub(super) fn list_uncovered_hosts(&self) -> Vec<&PublicHost> {
        let Some(identity) = &self.reach.tls else {
            return Vec::new();
        };
        let hosts = self.reach.hosts.iter();
        hosts
            .filter(|it| !identity.covers_name(it.bare_name()))
            .collect()
    }
}

/// The socket that systemd, or another program that keeps it open between two runs, hands over.
#[cfg(unix)]
fn take_inherited_socket(args: &ServeArgs) -> Result<Option<TcpListener>, CommandError> {
    let mut handed = listenfd::ListenFd::from_env();
    let socket = handed.take_tcp_listener(0).map_err(|error| {
        CommandError::usage(format!("the socket that was handed over: {error}"))
    })?;
    if handed.len() > 1 {
        let fault = format!(
            "{} sockets were handed over, and one is served",
            handed.len()
        );
        return Err(CommandError::usage(fault));
    }
    if socket.is_some() && (args.listen.is_some() || args.port.is_some()) {
        let fault = "a socket was handed over, so --listen and --port say nothing";
        return Err(CommandError::usage(fault).with_hint("leave them out"));
    }
    Ok(socket)
}

#[cfg(not(unix))]
fn take_inherited_socket(_: &ServeArgs) -> Result<Option<TcpListener>, CommandError> {
    Ok(None)
}

fn choose_address(args: &ServeArgs, settings: &ServeSettings) -> SocketAddr {
    let here = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let said = args.listen.or(args.port.map(here));
    said.or(settings.listen).unwrap_or_else(|| here(USUAL_PORT))
}

fn bind_socket(address: SocketAddr) -> Result<TcpListener, CommandError> {
    TcpListener::bind(address).map_err(|error| {
        if address.ip().is_loopback() {
            let fault = format!("cannot listen on port {}: {error}", address.port());
            return CommandError::usage(fault).with_hint("--port 0 takes a free one");
        }
        CommandError::usage(format!("cannot listen on {address}: {error}"))
    })
}

/// What the command line says of who can reach it, or else the user's settings.
fn read_reach(
    system: &System,
    listens_on: IpAddr,
    args: &ServeArgs,
    settings: &ServeSettings,
) -> Result<NetworkReach, CommandError> {
    let hosts = match args.public_hosts.is_empty() {
        true => parse_names("serve.public_host", &settings.public_host)?,
        false => args.public_hosts.clone(),
    };
    let addresses: Vec<ProxyAddress> = match args.behind_proxy.is_empty() {
        true => parse_names("serve.behind_proxy", &settings.behind_proxy)?,
        false => args.behind_proxy.clone(),
    };
    let header = match (args.proxy_header, &settings.proxy_header) {
        (Some(header), _) => header.into(),
        (None, Some(text)) => ProxyHeaderArg::from_str(text, false)
            .map_err(|_| {
                let fault = format!("serve.proxy_header is '{text}'");
                CommandError::config(fault).with_hint("x-forwarded-for, or forwarded")
            })?
            .into(),
        (None, None) => ProxyHeader::default(),
    };
    let is_public =
        !listens_on.to_canonical().is_loopback() || !addresses.is_empty() || !hosts.is_empty();
    Ok(NetworkReach {
        tls: load_identity(system, args, settings)?,
        proxies: TrustedProxies { addresses, header },
        hosts,
        is_public,
    })
}

fn parse_names<T: std::str::FromStr<Err = String>>(
    key: &str,
    names: &[String],
) -> Result<Vec<T>, CommandError> {
    let parsed: Result<_, String> = names.iter().map(|it| it.parse()).collect();
    parsed.map_err(|why| CommandError::config(format!("{key}: {why}")))
}

fn load_identity(
    system: &System,
    args: &ServeArgs,
    settings: &ServeSettings,
) -> Result<Option<Arc<TlsIdentity>>, CommandError> {
    let in_folder = |it: &std::path::PathBuf| system.cwd.join(it);
    let said = args.cert.as_ref().zip(args.key.as_ref());
    let files = match (said, &settings.cert, &settings.key) {
        (Some((cert, key)), _, _) | (None, Some(cert), Some(key)) => CertificateFiles {
            cert: in_folder(cert),
            key: in_folder(key),
        },
        (None, None, None) => return Ok(None),
        _ => {
            let fault = "serve.cert and serve.key go together, and only one of them is set";
            return Err(CommandError::config(fault));
        }
    };
    let identity = TlsIdentity::load_files(files, system.now);
    let identity = identity.map_err(|error| CommandError::usage(format_causes(&error)))?;
    Ok(Some(Arc::new(identity)))
}

fn format_causes(error: &dyn std::error::Error) -> String {
    let cause = error.source().map(|it| format!(": {it}"));
    error.to_string() + &cause.unwrap_or_default()
}

/// Refuses what would send a token as plain text through a network, or let everybody in there.
fn check_reach(
    reach: &NetworkReach,
    address: SocketAddr,
    is_open: bool,
) -> Result<(), CommandError> {
    let is_beyond = !address.ip().to_canonical().is_loopback();
    let is_guarded = reach.tls.is_some() || reach.proxies.is_used();
    if reach.is_public && !is_guarded {
        let fault = match is_beyond {
            true => format!("{address} is reached from other machines, and tokens would be sent as plain text"),
            false => "--public-host is for a server that others reach, and tokens would be sent as plain text".into(),
        };
        let hint = "give it --cert and --key, or --behind-proxy with the address of the proxy that encrypts";
        return Err(CommandError::usage(fault).with_hint(hint));
    }
    if is_beyond && reach.hosts.is_empty() {
        let fault =
            format!("nobody could call {address}: the server answers to names that it was given");
        let hint = "say what clients call it: --public-host memory.example.com";
        return Err(CommandError::usage(fault).with_hint(hint));
    }
    if reach.is_public && is_open {
        let fault = "--no-token is for this machine alone, and others reach this server";
        return Err(CommandError::usage(fault).with_hint("apostille token create NAME"));
    }
    Ok(())
}
