//! Whose memory: a repository's or a user's. Nothing crosses spaces unless asked.

use std::fmt;
use std::str::FromStr;

use apostille_text::secrets::mask_secrets;

/// The longest name of a space, in bytes.
const MAX_NAME: usize = 300;
/// How many segments a repository's name may have: the host, and `group/subgroup/name` on some hosts.
const MAX_SEGMENTS: usize = 9;
/// The first segment of a user's space.
const USERS: &str = "users";

/// Whose memory it is: a repository `host/owner/name` or a user `users/<name>`. Repositories that stores knew before hosts were
/// part of the name are still `owner/name`; those without a remote are `local/<folder>-<digest>`.
///
/// Names are lower-case, because hosts treat them without regard to case and two clones must share one memory.
///
/// [`as_str`](Self::as_str) is the whole name, which is kept. `Display` is for people and models, and leaves the host out.
///
/// ```
/// let space = apostille_core::space::Space::repo("github.com/octo/app")?;
/// assert_eq!((space.as_str(), space.to_string().as_str()), ("github.com/octo/app", "octo/app"));
/// # Ok::<(), apostille_core::space::BadSpace>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Space(String);

/// A name that cannot be a space.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{name}' is not a space: {why}; a repository is owner/name or host/owner/name, a user is users/<name>"
)]
pub struct BadSpace {
    name: String,
    why: &'static str,
}

impl Space {
    /// The space of a repository.
    pub fn repo(name: &str) -> Result<Self, BadSpace> {
        let space = name.parse::<Self>()?;
        if space.is_user() {
            Err(bad_space(name, "it names a user"))
        } else {
            Ok(space)
        }
    }

    /// The space of a user; characters that a name cannot hold become `-`.
    pub fn user(name: &str) -> Result<Self, BadSpace> {
        let tidy = name.trim().replace(|c| !is_name_char(c), "-");
        format!("{USERS}/{}", tidy.trim_matches(['-', '.'])).parse()
    }

    /// Whether it is a user's, not a repository's.
    pub fn is_user(&self) -> bool {
        let rest = self.0.strip_prefix(USERS);
        rest.is_some_and(|it| it.starts_with('/'))
    }

    /// The letter its handles begin with: `m-12` in a repository, `u-12` for a user.
    pub fn handle_letter(&self) -> char {
        if self.is_user() { 'u' } else { 'm' }
    }

    /// The whole name, such as `github.com/owner/name`: what is kept and compared.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host, where it is part of the name.
    pub fn host(&self) -> Option<&str> {
        let (host, rest) = self.0.split_once('/')?;
        // Of a path that begins like a host, nothing is left out: `evil.com/github.com/acme/app` would read like another's.
        let (first, _) = rest.split_once('/')?;
        (host.contains('.') && !first.contains('.')).then_some(host)
    }

    /// The name without the host, such as `owner/name`.
    pub fn short_name(&self) -> &str {
        self.host().map_or(&self.0, |it| &self.0[it.len() + 1..])
    }

    /// Whether a person who says this name may mean this space: the whole name, or the one without the host.
    pub fn is_called(&self, name: &Self) -> bool {
        self == name || self.short_name() == name.0
    }
}

impl FromStr for Space {
    type Err = BadSpace;

    fn from_str(name: &str) -> Result<Self, BadSpace> {
        let segments: Vec<&str> = name.split('/').collect();
        let why = if name.len() > MAX_NAME {
            "it is too long"
        } else if !(2..=MAX_SEGMENTS).contains(&segments.len()) {
            "it has no slash, or too many"
        } else if segments.iter().any(|it| it.chars().all(|c| c == '.')) {
            "a part of it is empty or dots"
        } else if !segments.concat().chars().all(is_name_char) {
            "it holds characters other than letters, digits, '.', '_' and '-'"
        } else {
            return Ok(Self(name.to_ascii_lowercase()));
        };
        Err(bad_space(name, why))
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.short_name())
    }
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

fn bad_space(name: &str, why: &'static str) -> BadSpace {
    let name = mask_secrets(name).chars().take(80).collect();
    BadSpace { name, why }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        let check = |name: &str, expected: Option<&str>| {
            assert_eq!(
                name.parse::<Space>().ok().as_ref().map(Space::as_str),
                expected,
                "{name:?}"
            );
        };
        check("myorg/myapp", Some("myorg/myapp"));
        check("MyOrg/MyApp", Some("myorg/myapp"));
        check("group/sub/name", Some("group/sub/name"));
        check("users/ana", Some("users/ana"));
        check("name", None);
        check("a/../b", None);
        check("a//b", None);
        check("a/b c", None);
        check("a/b\u{202e}", None);
        check("/a/b", None);
    }

    #[test]
    fn host_is_left_out_where_people_read() {
        let check = |name: &str, short: &str| {
            let space: Space = name.parse().unwrap();
            assert_eq!(space.to_string(), short);
            assert!(space.is_called(&short.parse().unwrap()));
            assert_eq!(space.as_str(), name);
        };
        check("github.com/octo/app", "octo/app");
        check("gitlab.example.com/group/sub/app", "group/sub/app");
        check("octo/app", "octo/app");
        check("octo.io/app", "octo.io/app");
        check("work-alias/octo/app", "work-alias/octo/app");
        let spoof = "evil.com/github.com/octo/app";
        check(spoof, spoof);
        check("local/app-01234567", "local/app-01234567");
        check("users/ana", "users/ana");
        let github: Space = "github.com/octo/app".parse().unwrap();
        assert!(!github.is_called(&"gitlab.com/octo/app".parse().unwrap()));
    }

    #[test]
    fn a_user_is_not_a_repo() {
        assert!(Space::repo("users/ana").is_err());
        assert_eq!(
            Space::user("Ana María").map(|it| it.to_string()),
            Ok("users/ana-mar-a".into())
        );
        assert!(Space::user("..").is_err());
    }
}
