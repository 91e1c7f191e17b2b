//! Where a replica meets the others, as people write it: `git`, `git:REMOTE`, `git:ssh://…`, `folder:PATH` or
//! `server:URL`.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use apostille_web::client::address::{Address, BadAddress};

/// The remote that is meant where none is named.
const USUAL_REMOTE: &str = "origin";

/// A place that several replicas reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyncTarget {
    /// A remote of the repository itself, by its name.
    Git(String),
    /// A bare repository of one's own, reached by the user's own ssh.
    Repository(String),
    /// A folder.
    Folder(PathBuf),
    /// The server of a team, by its address.
    Server(String),
}

impl SyncTarget {
    /// Reads a target; a relative path is relative to `base`, and `~/` is the home.
    pub fn from_text(text: &str, base: &Path, home: Option<&Path>) -> Result<Self, String> {
        let usage = || {
            "a target is git, git:REMOTE, git:ssh://HOST/PATH, folder:PATH or server:URL".to_owned()
        };
        match text.split_once(':') {
            None if text == "git" => Ok(Self::Git(USUAL_REMOTE.into())),
            Some(("git", remote)) if is_remote_name(remote) => Ok(Self::Git(remote.into())),
            Some(("git", url)) if is_ssh_address(url) => Ok(Self::Repository(url.into())),
            Some(("folder", "")) => Err("it names no folder, as folder:PATH does".into()),
            Some(("folder", path)) => Ok(Self::Folder(match (path.strip_prefix("~/"), home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => base.join(path),
            })),
            Some(("server", url)) => read_server_address(url).map(Self::Server),
            _ => Err(usage()),
        }
    }
}

/// The address of a server in its one spelling: a token is sent there, so nobody on the way may read it.
fn read_server_address(url: &str) -> Result<String, String> {
    let usage = "it names no server, as server:https://memory.example.com does";
    let address = Address::parse(url).map_err(|it| match it {
        BadAddress::Form => usage.to_owned(),
        other => other.to_string(),
    })?;
    match address.is_private() {
        true => Ok(address.join_path("")),
        false => Err(BadAddress::Plain.to_string()),
    }
}

/// Whether a text is the name of a remote, and no address: git keeps the address, with the user's credentials for it.
fn is_remote_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !text.is_empty() && !text.starts_with(['-', '.']) && text.chars().all(is_plain)
}

/// Whether a text is an address by ssh in which nothing is an option or a password: git hands user, host and path to other programs.
fn is_ssh_address(text: &str) -> bool {
    let Some((place, path)) = text
        .strip_prefix("ssh://")
        .and_then(|it| it.split_once('/'))
    else {
        return false;
    };
    let (user, place) = place.split_once('@').unwrap_or(("me", place));
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port),
        _ => (place, "22"),
    };
    let is_named = |it: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        !it.is_empty() && !it.starts_with(['-', '.']) && it.chars().all(is_plain)
    };
    let is_address = |it: &str| {
        let inner = it.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
        inner.is_some_and(|it| it.parse::<std::net::Ipv6Addr>().is_ok())
    };
    let is_path =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '~' | '+');
    is_named(user)
        && (is_named(host) || is_address(host))
        && port.parse::<u16>().is_ok_and(|it| it > 0)
        && !path.is_empty()
        && !path.starts_with('-')
        && path.chars().all(is_path)
}

impl fmt::Display for SyncTarget {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Git(remote) => write!(f, "git:{remote}"),
            Self::Repository(url) => write!(f, "git:{url}"),
            Self::Folder(path) => write!(f, "folder:{}", path.display()),
            Self::Server(address) => write!(f, "server:{address}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_from_text() {
        let check = |text: &str, expected: Option<&str>| {
            let read =
                SyncTarget::from_text(text, Path::new("/base"), Some(Path::new("/home/ana")));
            let read = read.ok().map(|it| it.to_string());
            assert_eq!(read.as_deref(), expected, "{text}");
        };
        check("git", Some("git:origin"));
        check("git:upstream", Some("git:upstream"));
        check("folder:/mnt/share", Some("folder:/mnt/share"));
        check("folder:~/Sync", Some("folder:/home/ana/Sync"));
        check("folder:x", Some("folder:/base/x"));
        check(
            "server:https://Memory.example.com:443/",
            Some("server:https://memory.example.com"),
        );
        check(
            "server:http://127.0.0.1:7787",
            Some("server:http://127.0.0.1:7787"),
        );
        check(
            "git:ssh://ana@nas:2222/~/memory.git",
            Some("git:ssh://ana@nas:2222/~/memory.git"),
        );
        check(
            "git:ssh://[fe80::1]:22/srv/m.git",
            Some("git:ssh://[fe80::1]:22/srv/m.git"),
        );
        for text in [
            "git:ssh://",
            "git:ssh://nas",
            "git:ssh://-oProxyCommand=sh/x",
            "git:ssh://ana:word@nas/x",
            "git:ssh://-x@nas/x",
            "git:ssh://nas:0/x",
            "git:ssh://nas/$(id)",
            "git:ssh://nas/a b",
            "git:ssh://nas/-x",
            "git:https://nas/x",
            "server:",
            "server:memory.example.com",
            "server:http://memory.example.com",
            "server:https://ana:hunter2@memory.example.com",
            "server:https://memory.example.com?token=x",
            "",
            "folder:",
            "git:",
            "git:ext::sh",
            "git:-x",
            "git:a b",
            "https://x",
            "origin",
        ] {
            check(text, None);
        }
    }
}
