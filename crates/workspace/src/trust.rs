//! Whether a repository's own settings and memories are heard. Everyone who wrote the repository may have written them, so
//! they count after its user trusted this clone once, or listed its host and owner in `trust.allow`.
//!
//! Trust belongs to a clone ([`CloneIdentity`]) and to the settings that were shown ([`BroughtSettings::digest`]): settings that
//! change later, as by a `git pull`, are shown again, because they may name another store. New memories in a trusted
//! clone need no second question: they are reviewed like code.

mod brought;
mod clone_identity;
mod trusted_clones;

use apostille_text::{digest::Digest, words::words};

use crate::{error::CommandError, system::System};

pub use brought::{BroughtFile, BroughtSettings};
pub use clone_identity::CloneIdentity;
pub use trusted_clones::{TrustedClone, TrustedClones};

words! {
    /// Why what a repository brings is not heard.
    UntrustedReason as "reason" {
        /// Nobody trusted this clone.
        New = "new",
        /// Its settings are not those that were trusted.
        Changed = "changed",
    }
}

impl UntrustedReason {
    /// One line for the person. None of the repository's words are in it.
    pub fn describe(self) -> &'static str {
        match self {
            Self::New => {
                "this repository brings its own settings; they and its memories are not read until you trust it: apostille trust"
            }
            Self::Changed => {
                "the settings of this repository changed since you trusted them; they and its memories are not read until you \
                 look again: apostille trust"
            }
        }
    }

    /// One line for an agent, which cannot decide it. None of the repository's words are in it.
    pub fn describe_to_agent(self) -> &'static str {
        match self {
            Self::New => {
                "This repository brings its own settings and memories. They are not read, because the user has not trusted \
                 this clone. Only the user can, at a terminal: apostille trust"
            }
            Self::Changed => {
                "The settings of this repository changed since the user trusted them. They and its memories are not read. \
                 Only the user can trust them again, at a terminal: apostille trust"
            }
        }
    }
}

/// Why settings with this digest are not heard in this clone; `None`: the user trusted them here. Settings that cannot be
/// read have no digest, and are never trusted. A list that cannot be read is an error.
pub fn find_distrust(
    system: &System,
    clone: &CloneIdentity,
    digest: Option<Digest>,
) -> Result<Option<UntrustedReason>, CommandError> {
    // Without a home nothing can have been trusted.
    let Ok(list) = TrustedClones::for_user(system) else {
        return Ok(Some(UntrustedReason::New));
    };
    Ok(match list.find_clone(clone)? {
        None => Some(UntrustedReason::New),
        Some(known) if digest.is_some_and(|it| known.settings.contains(&it)) => None,
        Some(_) => Some(UntrustedReason::Changed),
    })
}
