//! The address of a store in Postgres, as libpq reads it: `postgres://ana@db.example.com/memory?sslmode=verify-full`.
//!
//! An address may hold a password. Nothing here shows it: neither `Display` nor `Debug`, and no error repeats a part of
//! an address in which a password with unescaped signs could stand.

use std::{collections::BTreeMap, fmt, str::FromStr};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use parameters::check_parameter;

mod parameters;
#[cfg(test)]
mod tests;

pub(crate) use parameters::{SessionTarget, TlsLevel, read_seconds};

const DEFAULT_PORT: u16 = 5432;

/// What is left as it is in an address: letters, digits and these.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Where a store in Postgres is, and how to connect to it.
///
/// ```
/// use apostille_postgres::url::PostgresUrl;
///
/// let url: PostgresUrl = "postgresql://ana:secret@db.example.com/memory?sslmode=require".parse()?;
/// assert_eq!(url.to_string(), "postgres://ana@db.example.com:5432/memory?sslmode=require");
/// # Ok::<(), apostille_postgres::url::PostgresUrlError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PostgresUrl {
    pub(crate) hosts: Vec<PostgresHost>,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) database: Option<String>,
    /// Checked values, by name; the password is not among them.
    parameters: BTreeMap<String, String>,
}

/// A server, by name or address, or the folder of a Unix socket.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PostgresHost {
    pub(crate) name: String,
    pub(crate) port: u16,
}

/// Why an address, or what it refers to, does not lead to a connection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PostgresUrlError {
    /// It begins otherwise.
    #[error("a store in Postgres is postgres://USER@HOST/DATABASE")]
    Scheme,
    /// A `%` is not followed by two digits, or the text is not UTF-8.
    #[error(
        "the {part} in the address of the database is not percent-encoded text; write % as %25"
    )]
    Encoding {
        /// Which part.
        part: &'static str,
    },
    /// It names no host.
    #[error(
        "the address of the database names no host; write postgres://USER@localhost/DATABASE, or ?host=/var/run/postgresql for a socket"
    )]
    NoHost,
    /// A host or port cannot be read.
    #[error(
        "a host in the address of the database is not HOST:PORT; in a user or password write / as %2F, : as %3A, ? as %3F and @ as %40"
    )]
    Host,
    /// A sign stands where it divides nothing.
    #[error(
        "the address of the database has an @ or a / in the wrong place; in a user or password write @ as %40 and / as %2F"
    )]
    Sign,
    /// It has a parameter that this program does not read.
    #[error(
        "the parameter {name} in the address of the database is not known; these are: {}",
        parameters::NAMES.join(", ")
    )]
    UnknownParameter {
        /// Its name, or a description where it could hold a password.
        name: String,
    },
    /// It says a thing twice.
    #[error("the address of the database names {name} twice")]
    Twice {
        /// Of what.
        name: String,
    },
    /// The value of a parameter cannot be used.
    #[error("{name} is to be {expected}")]
    Value {
        /// The parameter or variable.
        name: String,
        /// What it takes.
        expected: &'static str,
    },
    /// Sockets and network hosts cannot be encrypted alike.
    #[error("the address of the database mixes sockets and network hosts; name one kind")]
    MixedHosts,
    /// Nobody is named.
    #[error("the address of the database names no user; write postgres://USER@HOST/DATABASE")]
    NoUser,
    /// A file that was named cannot be read.
    #[error("{path} cannot be read: {why}")]
    File {
        /// The file.
        path: String,
        /// What the system says.
        why: String,
    },
    /// A file of passwords is open to other users of the machine.
    #[error("{path} holds passwords and other users can read it; run chmod 600 {path}")]
    OpenPasswordFile {
        /// The file.
        path: String,
    },
    /// Several hosts have to share one password.
    #[error(
        "the password file has different passwords for the hosts of the address; name one host"
    )]
    DifferentPasswords,
    /// The file of certificates has none.
    #[error("{path} has no certificate in PEM form")]
    NoCertificate {
        /// The file.
        path: String,
    },
    /// A chain is to be checked, and nothing says against what.
    #[error(
        "sslmode=verify-ca needs the authority's certificate: add sslrootcert=FILE, or use sslmode=verify-full"
    )]
    NoAuthority,
    /// Any site has a certificate of a public authority.
    #[error("sslrootcert=system needs sslmode=verify-full")]
    WeakSystemRoots,
    /// The system's certificates were looked for.
    #[error("the system's certificates were not found; add sslrootcert=FILE")]
    NoSystemRoots,
    /// The library refused the settings.
    #[error("TLS cannot be set up: {why}")]
    Tls {
        /// What it says.
        why: String,
    },
}

impl PostgresUrl {
    /// Whether a text is meant to be such an address.
    pub fn is_postgres(text: &str) -> bool {
        strip_scheme(text).is_some()
    }

    /// Whether all hosts are sockets of this machine.
    pub(crate) fn is_socket(&self) -> bool {
        self.hosts.iter().all(PostgresHost::is_socket)
    }

    /// Whether the server is on this machine.
    pub(crate) fn is_local(&self) -> bool {
        let is_loopback = |it: &PostgresHost| {
            let address = it.name.parse::<std::net::IpAddr>();
            it.name == "localhost" || address.is_ok_and(|it| it.is_loopback())
        };
        self.hosts
            .iter()
            .all(|it| it.is_socket() || is_loopback(it))
    }

    /// Whether the server has to show a certificate for its name, or at least of a known authority.
    pub(crate) fn checks_certificate(&self) -> bool {
        let mode = self.parameter("sslmode");
        matches!(mode, Some("verify-full" | "verify-ca")) || self.parameter("sslrootcert").is_some()
    }

    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }

    fn set_parameter(&mut self, name: &str, value: String) -> Result<(), PostgresUrlError> {
        match name {
            "user" => return set_once(&mut self.user, name, value),
            "password" => return set_once(&mut self.password, name, value),
            "dbname" => return set_once(&mut self.database, name, value),
            _ => check_parameter(name, &value)?,
        }
        if self.parameters.insert(name.to_owned(), value).is_some() {
            return Err(repeated(name));
        }
        Ok(())
    }

    /// `host` and `port` may also be parameters, which is how sockets are written.
    fn settle_hosts(&mut self) -> Result<(), PostgresUrlError> {
        let names = self.parameters.remove("host");
        let ports = self.parameters.remove("port");
        if let Some(names) = names {
            if !self.hosts.is_empty() {
                return Err(repeated("host"));
            }
            self.hosts = names.split(',').map(PostgresHost::at_default).collect();
        }
        if let Some(ports) = ports {
            self.set_ports(&ports)?;
        }
        if self.hosts.is_empty() || self.hosts.iter().any(|it| it.name.is_empty()) {
            return Err(PostgresUrlError::NoHost);
        }
        let n_sockets = self.hosts.iter().filter(|it| it.is_socket()).count();
        if n_sockets != 0 && n_sockets != self.hosts.len() {
            return Err(PostgresUrlError::MixedHosts);
        }
        Ok(())
    }

    /// One port for all hosts, or one for each.
    fn set_ports(&mut self, ports: &str) -> Result<(), PostgresUrlError> {
        let ports: Option<Vec<u16>> = ports.split(',').map(read_port).collect();
        let ports = ports.filter(|it| it.len() == 1 || it.len() == self.hosts.len());
        let ports = ports.ok_or(PostgresUrlError::Host)?;
        for (host, port) in self.hosts.iter_mut().zip(ports.iter().cycle()) {
            host.port = *port;
        }
        Ok(())
    }
}

impl PostgresHost {
    fn at_default(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            port: DEFAULT_PORT,
        }
    }

    pub(crate) fn is_socket(&self) -> bool {
        self.name.starts_with('/')
    }
}

impl FromStr for PostgresUrl {
    type Err = PostgresUrlError;

    fn from_str(text: &str) -> Result<Self, PostgresUrlError> {
        let rest = strip_scheme(text).ok_or(PostgresUrlError::Scheme)?;
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = place.split_once('/').unwrap_or((place, ""));
        // A password with an unescaped sign would end up in the path, and be shown as the name of the database.
        if path.contains(['@', '/']) || query.contains('@') {
            return Err(PostgresUrlError::Sign);
        }
        let (credentials, hosts) = match authority.rsplit_once('@') {
            Some((credentials, hosts)) => (credentials, hosts),
            None => ("", authority),
        };
        let (user, password) = match credentials.split_once(':') {
            Some((user, password)) => (user, Some(password)),
            None => (credentials, None),
        };
        let password = password.map(|it| decode_part("password", it)).transpose()?;
        let mut url = Self {
            hosts: read_hosts(hosts)?,
            user: non_empty(decode_part("user", user)?),
            password: password.and_then(non_empty),
            database: non_empty(decode_part("database", path)?),
            parameters: BTreeMap::new(),
        };
        for (name, value) in read_query(query)? {
            url.set_parameter(&name, value)?;
        }
        url.settle_hosts()?;
        Ok(url)
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("postgres://")?;
        if let Some(user) = &self.user {
            write!(f, "{}@", encode_part(user))?;
        }
        for (at, host) in self.hosts.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{host}")?;
        }
        if let Some(database) = &self.database {
            write!(f, "/{}", encode_part(database))?;
        }
        for (at, (name, value)) in self.parameters.iter().enumerate() {
            let sign = if at == 0 { '?' } else { '&' };
            write!(f, "{sign}{name}={}", encode_part(value))?;
        }
        Ok(())
    }
}

impl fmt::Display for PostgresHost {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.name.contains(':') {
            write!(f, "[{}]:{}", self.name, self.port)
        } else {
            write!(f, "{}:{}", encode_part(&self.name), self.port)
        }
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "PostgresUrl({self})")
    }
}

fn strip_scheme(text: &str) -> Option<&str> {
    ["postgres://", "postgresql://"]
        .iter()
        .find_map(|it| text.strip_prefix(it))
}

fn read_hosts(text: &str) -> Result<Vec<PostgresHost>, PostgresUrlError> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    text.split(',').map(read_host).collect()
}

fn read_host(text: &str) -> Result<PostgresHost, PostgresUrlError> {
    let (name, port) = match text.strip_prefix('[') {
        Some(rest) => rest.split_once(']').ok_or(PostgresUrlError::Host)?,
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    let port = match port {
        "" => Some(DEFAULT_PORT),
        port => port.strip_prefix(':').and_then(read_port),
    };
    Ok(PostgresHost {
        name: decode_part("host", name)?,
        port: port.ok_or(PostgresUrlError::Host)?,
    })
}

fn read_port(text: &str) -> Option<u16> {
    if text.is_empty() {
        return Some(DEFAULT_PORT);
    }
    text.parse().ok().filter(|it| *it != 0)
}

fn read_query(query: &str) -> Result<Vec<(String, String)>, PostgresUrlError> {
    query
        .split('&')
        .filter(|it| !it.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decode_part("name of a parameter", name)?;
            Ok((name, decode_part("value of a parameter", value)?))
        })
        .collect()
}

/// A `%` that encodes nothing is an error, as in libpq: the address was put together without encoding.
fn decode_part(part: &'static str, text: &str) -> Result<String, PostgresUrlError> {
    let is_encoded = |it: &str| {
        let digits = it.as_bytes().get(..2);
        digits.is_some_and(|it| it.iter().all(u8::is_ascii_hexdigit) && it != b"00")
    };
    if !text.split('%').skip(1).all(is_encoded) || text.contains('\0') {
        return Err(PostgresUrlError::Encoding { part });
    }
    let decoded = percent_decode_str(text).decode_utf8();
    decoded
        .map(Into::into)
        .map_err(|_| PostgresUrlError::Encoding { part })
}

fn encode_part(text: &str) -> impl fmt::Display {
    utf8_percent_encode(text, ESCAPED).to_string()
}

fn non_empty(text: String) -> Option<String> {
    Some(text).filter(|it| !it.is_empty())
}

fn set_once(slot: &mut Option<String>, name: &str, value: String) -> Result<(), PostgresUrlError> {
    if slot.is_some() {
        return Err(repeated(name));
    }
    *slot = non_empty(value);
    Ok(())
}

fn repeated(name: &str) -> PostgresUrlError {
    PostgresUrlError::Twice { name: name.into() }
}
