//! What the environment adds to an address: passwords and certificates, by libpq's variables and files.

use std::{
    collections::BTreeMap,
    fmt, fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use crate::url::{PostgresHost, PostgresUrl, PostgresUrlError};

#[cfg(test)]
mod tests;

/// No password file is longer; a device that never ends is none.
const MAX_PASSWORD_FILE: u64 = 1 << 20;

/// The variables that are read, and the user's home. This crate asks the system for neither.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct PostgresEnvironment {
    /// Those of [`PostgresEnvironment::VARIABLES`] that are set.
    pub variables: BTreeMap<String, String>,
    /// Where `~/.pgpass` and `~/.postgresql/root.crt` are.
    pub home: Option<PathBuf>,
}

impl PostgresEnvironment {
    /// The names of the variables.
    pub const VARIABLES: &[&str] = &[
        "PGPASSWORD",
        "PGPASSFILE",
        "PGUSER",
        "PGSSLMODE",
        "PGSSLROOTCERT",
        "SSL_CERT_FILE",
    ];

    /// Asks for each variable.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>, home: Option<PathBuf>) -> Self {
        let variables = Self::VARIABLES
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), lookup(name)?)));
        Self {
            variables: variables.collect(),
            home,
        }
    }

    /// A variable that is set and not empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        let value = self.variables.get(name).map(String::as_str);
        value.filter(|it| !it.is_empty())
    }

    /// A file in the home.
    pub(crate) fn home_file(&self, path: &str) -> Option<PathBuf> {
        self.home.as_ref().map(|it| it.join(path))
    }

    /// A path as it was written; `~/` is the home.
    pub(crate) fn expand_path(&self, path: &str) -> PathBuf {
        let below_home = path.strip_prefix("~/").and_then(|it| self.home_file(it));
        below_home.unwrap_or_else(|| path.into())
    }
}

/// Variables hold passwords: their names are enough.
impl fmt::Debug for PostgresEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("PostgresEnvironment")
            .field("variables", &self.variables.keys())
            .field("home", &self.home)
            .finish()
    }
}

/// The password for a connection: that of the address, of a file named in it, of the environment, or of the password
/// file.
pub(crate) fn find_password(
    url: &PostgresUrl,
    user: &str,
    environment: &PostgresEnvironment,
) -> Result<Option<String>, PostgresUrlError> {
    if url.password.is_some() {
        return Ok(url.password.clone());
    }
    if let Some(path) = url.parameter("password_file") {
        return read_password(&environment.expand_path(path)).map(Some);
    }
    if let Some(path) = url.parameter("passfile") {
        let text = read_private_file(&environment.expand_path(path))?;
        return choose_password(&text, url, user);
    }
    if let Some(password) = environment.variable("PGPASSWORD") {
        return Ok(Some(password.to_owned()));
    }
    let path = match environment.variable("PGPASSFILE") {
        Some(path) => Some(environment.expand_path(path)),
        None => environment.home_file(".pgpass"),
    };
    // Nobody named it in the address: it need not be there, and `/dev/null` says that there is none.
    match path.filter(|it| it.is_file()) {
        Some(path) => choose_password(&read_private_file(&path)?, url, user),
        None => Ok(None),
    }
}

/// A file whose first line is the password, as containers are given their secrets; those are often readable for all in
/// the container.
fn read_password(path: &Path) -> Result<String, PostgresUrlError> {
    let text = read_small_file(path)?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// A file of passwords that no other user of the machine may read.
fn read_private_file(path: &Path) -> Result<String, PostgresUrlError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let metadata = fs::metadata(path).map_err(|it| file_error(path, &it))?;
        if metadata.permissions().mode() & 0o077 != 0 {
            return Err(PostgresUrlError::OpenPasswordFile {
                path: path.display().to_string(),
            });
        }
    }
    read_small_file(path)
}

/// Reads a plain file: opening a pipe would wait for its writer.
pub(crate) fn read_small_file(path: &Path) -> Result<String, PostgresUrlError> {
    let read = || {
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is not a plain file"));
        }
        let mut text = String::new();
        let file = fs::File::open(path)?;
        file.take(MAX_PASSWORD_FILE).read_to_string(&mut text)?;
        Ok(text)
    };
    read().map_err(|it| file_error(path, &it))
}

fn file_error(path: &Path, error: &io::Error) -> PostgresUrlError {
    PostgresUrlError::File {
        path: path.display().to_string(),
        why: error.to_string(),
    }
}

/// The first line that fits, for each host. A connection has one password, so they have to agree.
fn choose_password(
    text: &str,
    url: &PostgresUrl,
    user: &str,
) -> Result<Option<String>, PostgresUrlError> {
    let database = url.database.as_deref().unwrap_or(user);
    let mut chosen = None;
    for host in &url.hosts {
        let found = find_line(text, host, database, user);
        if chosen.is_some() && found.is_some() && chosen != found {
            return Err(PostgresUrlError::DifferentPasswords);
        }
        chosen = chosen.or(found);
    }
    Ok(chosen)
}

/// A line is `host:port:database:user:password`; `*` is anything, and `\` takes the sign behind it as it is.
fn find_line(text: &str, host: &PostgresHost, database: &str, user: &str) -> Option<String> {
    let port = host.port.to_string();
    let name = if is_default_socket(&host.name) {
        "localhost"
    } else {
        &host.name
    };
    let wanted = [name, &port, database, user];
    text.lines()
        .filter(|it| !it.starts_with('#'))
        .find_map(|line| {
            let mut rest = line;
            for value in wanted {
                let (field, after) = split_field(rest)?;
                if field != "*" && unescape(field) != value {
                    return None;
                }
                rest = after;
            }
            Some(unescape(rest))
        })
}

fn is_default_socket(name: &str) -> bool {
    ["/var/run/postgresql", "/run/postgresql", "/tmp"].contains(&name)
}

/// A field up to the next `:` that is not escaped.
fn split_field(text: &str) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    let end = text.find(|it| {
        let is_end = it == ':' && !is_escaped;
        is_escaped = it == '\\' && !is_escaped;
        is_end
    })?;
    Some((&text[..end], &text[end + 1..]))
}

fn unescape(field: &str) -> String {
    let mut signs = field.chars();
    let mut text = String::new();
    while let Some(sign) = signs.next() {
        let is_escape = sign == '\\';
        text.extend(if is_escape { signs.next() } else { Some(sign) });
    }
    text
}
