//! Addresses: the same memories as paths, by whose they are and what they are.
//!
//! | address | what is there |
//! |---|---|
//! | `/owner/name/knowledge/` | the knowledge of a repository |
//! | `/owner/name/episodes/task/` | what happened in a task; without the task, in all of them |
//! | `/owner/name/review-rules/` | the rules that reviewers gave |
//! | `users/name/` | everything of a user |
//!
//! The sections `identity` and `sessions` complete the layers, and a space alone is the beginning of all its addresses.

use std::fmt;
use std::str::FromStr;

use apostille_text::{secrets::mask_secrets, words::words};

use crate::{
    memory::{Kind, Layer, Memory, Origin},
    space::Space,
};

/// The first part of a user's address.
const USERS: &str = "users";
/// The longest address, in bytes.
const MAX_ADDRESS: usize = 500;

words! {
    /// The part of an address that stands behind the space.
    AddressSection as "section" {
        /// The identity layer.
        Identity = "identity",
        /// The knowledge layer.
        Knowledge = "knowledge",
        /// The episodes, by task.
        Episodes = "episodes",
        /// The knowledge that reviewers gave.
        ReviewRules = "review-rules",
        /// The scratch of sessions.
        Sessions = "sessions",
    }
}

impl AddressSection {
    /// The layer that it lies in.
    pub fn layer(self) -> Layer {
        match self {
            Self::Identity => Layer::Identity,
            Self::Knowledge | Self::ReviewRules => Layer::Knowledge,
            Self::Episodes => Layer::Episode,
            Self::Sessions => Layer::Session,
        }
    }
}

/// Where memories are, or the beginning of it.
///
/// ```
/// use apostille_core::address::MemoryAddress;
///
/// let address: MemoryAddress = "/octo/app/episodes/fix-the-login".parse()?;
/// assert_eq!(address.to_string(), "/octo/app/episodes/fix-the-login/");
/// # Ok::<(), apostille_core::address::BadAddress>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryAddress {
    space: Space,
    section: Option<AddressSection>,
    task: Option<String>,
}

/// Text that is not an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{text}' is not an address: {why}; write /OWNER/NAME/knowledge/, /OWNER/NAME/episodes/TASK/, /OWNER/NAME/review-rules/ or users/NAME/"
)]
pub struct BadAddress {
    text: String,
    why: String,
}

/// An address of a space that is not in play. It is the same answer whether or not there is such a space.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{address} is not in a space that is asked here ({spaces}); behind the space stands one of: {sections}"
)]
pub struct AddressOutOfReach {
    address: String,
    spaces: String,
    sections: String,
}

impl MemoryAddress {
    /// The layer that it names, where it names one.
    pub fn layer(&self) -> Option<Layer> {
        self.section.map(AddressSection::layer)
    }

    /// The task that it names, where it names one.
    pub fn task(&self) -> Option<&str> {
        self.task.as_deref()
    }

    /// Whether a memory lies there.
    pub fn admits(&self, memory: &Memory) -> bool {
        let is_rule = || memory.kind == Kind::Feedback && memory.voice.origin == Origin::Review;
        memory.space.is_called(&self.space)
            && self.section.is_none_or(|it| it.layer() == memory.layer)
            && (self.section != Some(AddressSection::ReviewRules) || is_rule())
            && (self.task.is_none() || self.task == memory.task)
    }

    /// Those of the spaces in play that it may mean. It never reaches beyond them.
    pub fn narrow_spaces(&self, spaces: &[Space]) -> Result<Vec<Space>, AddressOutOfReach> {
        let meant = spaces.iter().filter(|it| it.is_called(&self.space));
        let meant: Vec<Space> = meant.cloned().collect();
        if meant.is_empty() {
            let spaces: Vec<String> = spaces.iter().map(Space::to_string).collect();
            let sections = AddressSection::ALL.iter().map(|it| it.as_str());
            return Err(AddressOutOfReach {
                address: self.to_string(),
                spaces: spaces.join(", "),
                sections: sections.collect::<Vec<_>>().join(", "),
            });
        }
        Ok(meant)
    }
}

impl fmt::Display for MemoryAddress {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let root = if self.space.is_user() { "" } else { "/" };
        write!(f, "{root}{}/", self.space.as_str())?;
        if let Some(section) = self.section {
            write!(f, "{section}/")?;
        }
        self.task.as_ref().map_or(Ok(()), |it| write!(f, "{it}/"))
    }
}

impl FromStr for MemoryAddress {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        let text = text.trim();
        let path = text.strip_prefix('/').unwrap_or(text);
        let path = path.strip_suffix('/').unwrap_or(path);
        let parts: Vec<&str> = path.split('/').collect();
        if text.len() > MAX_ADDRESS {
            return Err(bad_address(text, "it is too long"));
        }
        if parts.iter().any(|it| it.trim().is_empty()) {
            return Err(bad_address(text, "a part of it is empty"));
        }
        let (n_space, section) = find_section(&parts);
        let space = parts[..n_space].join("/").parse::<Space>();
        let space = space.map_err(|_| bad_address(text, "it names no space"))?;
        if space.is_user() && n_space != 2 {
            let why = format!("a user has no section '{}'", parts[2]);
            return Err(bad_address(text, &why));
        }
        let task = parts.get(n_space + 1).map(ToString::to_string);
        Ok(Self {
            space,
            section,
            task,
        })
    }
}

/// How many parts name the space, and the section behind them. A repository may be called like a section, so that a host is
/// followed by two names first. Only episodes have something below them.
fn find_section(parts: &[&str]) -> (usize, Option<AddressSection>) {
    let has_host = parts[0].contains('.') && parts.len() > 2 && !parts[1].contains('.');
    let least = if has_host && parts[0] != USERS { 3 } else { 2 };
    for (at, part) in parts.iter().enumerate().skip(least) {
        let n_below = parts.len() - at - 1;
        match part.parse::<AddressSection>() {
            Ok(AddressSection::Episodes) if n_below == 1 => {
                return (at, Some(AddressSection::Episodes));
            }
            Ok(section) if n_below == 0 => return (at, Some(section)),
            _ => {}
        }
    }
    (parts.len(), None)
}

fn bad_address(text: &str, why: &str) -> BadAddress {
    let text = mask_secrets(text).chars().take(80).collect();
    let why = mask_secrets(why).chars().take(80).collect();
    BadAddress { text, why }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_read_and_written() {
        let check = |text: &str, expected: &str| {
            let address: MemoryAddress = text.parse().unwrap();
            assert_eq!(address.to_string(), expected, "{text}");
            assert_eq!(address.to_string().parse(), Ok(address), "{text}");
        };
        check("/octo/app/knowledge/", "/octo/app/knowledge/");
        check("/Octo/App", "/octo/app/");
        check("octo/app/review-rules", "/octo/app/review-rules/");
        check(
            "/github.com/octo/app/episodes/fix-login/",
            "/github.com/octo/app/episodes/fix-login/",
        );
        check("/octo/app/episodes", "/octo/app/episodes/");
        check("users/ana", "users/ana/");
        check("/users/ana/identity/", "users/ana/identity/");
        check("/octo/knowledge/knowledge/", "/octo/knowledge/knowledge/");
        check("/github.com/octo/knowledge", "/github.com/octo/knowledge/");
        check("/group/sub/app/sessions/", "/group/sub/app/sessions/");
    }

    #[test]
    fn bad_address_says_what_is_wrong() {
        let check = |text: &str, expected: &str| {
            let error = text.parse::<MemoryAddress>().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            assert!(error.contains("/OWNER/NAME/knowledge/"), "{error}");
        };
        check("", "a part of it is empty");
        check("/", "a part of it is empty");
        check("/octo", "it names no space");
        check("//octo/app", "a part of it is empty");
        check("/octo/../app", "it names no space");
        check("users/ana/shoes/", "a user has no section 'shoes'");
        check(&"a/".repeat(300), "it is too long");
    }
}
