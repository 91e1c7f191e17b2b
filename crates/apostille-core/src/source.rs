//! The port to the code that memories cite. No code or configuration of it is ever executed.

use std::time::Duration;

use crate::citation::RepoPath;

/// The largest file that is read, in bytes; citations into larger ones are `unknown`.
pub const MAX_FILE: u64 = 8 * 1024 * 1024;

/// Names what a source looks at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tree {
    /// The commit checked out, or the one asked for; `None` outside git or before the first commit.
    pub commit: Option<String>,
    /// The branch, where one is checked out.
    pub branch: Option<String>,
    /// Whether it is the working tree, with edits that no commit holds.
    pub is_worktree: bool,
}

/// A file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// Git's id of this content, where it is known.
    pub id: Option<String>,
    /// The content.
    pub bytes: Vec<u8>,
}

/// The code could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The path leads out of the repository, through a link or otherwise.
    #[error("'{path}' leads out of the repository or is a link; cite the file itself")]
    Outside {
        /// The path asked for.
        path: RepoPath,
    },
    /// The file is larger than is read.
    #[error("'{path}' has {bytes} bytes, files up to {MAX_FILE} are read")]
    TooLarge {
        /// The path asked for.
        path: RepoPath,
        /// Its size.
        bytes: u64,
    },
    /// The commit or branch asked for is not there.
    #[error("no commit or branch '{0}' here")]
    NoSuchRef(String),
    /// There is nothing to look into.
    #[error("there is no repository here to look into")]
    Nowhere,
    /// Whoever keeps the code answers no more for now.
    #[error("{what} allows no more requests{}", later(*.retry_after))]
    Limited {
        /// Who answers no more, and to whom.
        what: String,
        /// How long it lasts, where that is known.
        retry_after: Option<Duration>,
    },
    /// The outside world failed.
    #[error("cannot read {what}")]
    Unavailable {
        /// What was to be read.
        what: String,
        /// What went wrong.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// When to try again, in whole seconds or minutes and never too early.
fn later(after: Option<Duration>) -> String {
    let Some(after) = after else { return String::new() };
    let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
    let (n, unit) = if seconds < 120 { (seconds, "second") } else { (seconds.div_ceil(60), "minute") };
    format!("; try again in {n} {unit}{}", if n == 1 { "" } else { "s" })
}

/// What citations are looked up in: a working tree, a commit, a repository elsewhere.
pub trait Source: Send + Sync {
    /// What is looked at.
    fn tree(&self) -> Result<Tree, SourceError>;

    /// Reads a file of that tree. `Ok(None)` means: looked, and no such file.
    fn read(&self, path: &RepoPath) -> Result<Option<Blob>, SourceError>;
}

/// The source where there is no repository: everything is unknown.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nowhere;

impl Source for Nowhere {
    fn tree(&self) -> Result<Tree, SourceError> {
        Ok(Tree::default())
    }

    fn read(&self, _: &RepoPath) -> Result<Option<Blob>, SourceError> {
        Err(SourceError::Nowhere)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_says_when_to_try_again() {
        let check = |millis: Option<u64>, expected: &str| {
            let retry_after = millis.map(Duration::from_millis);
            let error = SourceError::Limited { what: "api.github.com".into(), retry_after };
            assert_eq!(error.to_string(), format!("api.github.com allows no more requests{expected}"));
        };
        check(None, "");
        check(Some(1_000), "; try again in 1 second");
        check(Some(1_001), "; try again in 2 seconds");
        check(Some(119_000), "; try again in 119 seconds");
        check(Some(120_000), "; try again in 2 minutes");
        check(Some(2_161_000), "; try again in 37 minutes");
    }
}
