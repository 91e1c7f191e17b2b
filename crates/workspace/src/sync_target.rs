//! Where a replica meets the others, as people write it: `git`, `git:REMOTE` or `folder:PATH`.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// The remote that is meant where none is named.
const USUAL_REMOTE: &str = "origin";

/// A place that several replicas reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyncTarget {
    /// A remote of the repository itself, by its name.
    Git(String),
    /// A folder.
    Folder(PathBuf),
}

impl SyncTarget {
    /// Reads a target; a relative path is relative to `base`, and `~/` is the home.
    pub fn from_text(text: &str, base: &Path, home: Option<&Path>) -> Result<Self, String> {
        let usage = || "a target is git, git:REMOTE or folder:PATH".to_owned();
        match text.split_once(':') {
            None if text == "git" => Ok(Self::Git(USUAL_REMOTE.into())),
            Some(("git", remote)) if is_remote_name(remote) => Ok(Self::Git(remote.into())),
            Some(("folder", "")) => Err("it names no folder, as folder:PATH does".into()),
            Some(("folder", path)) => Ok(Self::Folder(match (path.strip_prefix("~/"), home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => base.join(path),
            })),
            _ => Err(usage()),
        }
    }
}

/// Whether a text is the name of a remote, and no address: git keeps the address, with the user's credentials for it.
fn is_remote_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !text.is_empty() && !text.starts_with(['-', '.']) && text.chars().all(is_plain)
}

impl fmt::Display for SyncTarget {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Git(remote) => write!(f, "git:{remote}"),
            Self::Folder(path) => write!(f, "folder:{}", path.display()),
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
        for text in [
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
