//! The port to the code that memories cite. No code or configuration of it is ever executed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::citation::RepoPath;

/// The largest file that is read, in bytes; citations into larger ones are `unknown`.
pub const MAX_FILE: u64 = 8 * 1024 * 1024;

/// How much of a commit's id names it for people.
const SHORT_ID: usize = 8;

/// A place to keep findings under short keys. It may lose any of them at any time.
pub trait VerdictCache: Send + Sync {
    /// What was kept under a key.
    fn get(&self, key: &str) -> Option<String>;

    /// Keeps something under a key.
    fn put(&self, key: &str, value: &str);
}

/// Names what a source looks at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceTree {
    /// The commit checked out, or the one asked for; `None` outside git or before the first commit.
    pub commit: Option<String>,
    /// The branch, where one is checked out.
    pub branch: Option<String>,
    /// Whether it is the working tree, with edits that no commit holds.
    pub is_worktree: bool,
}

impl SourceTree {
    /// The branch with its commit, as `main@3f2c1d2e`, where it is one.
    #[must_use]
    pub fn describe_branch(&self) -> Option<String> {
        let commit = self.commit.as_deref()?;
        let short = commit.get(..SHORT_ID).unwrap_or(commit);
        Some(format!("{}@{short}", self.branch.as_deref()?))
    }
}

/// A file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceBlob {
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
    /// The code is that of another repository.
    #[error("{repo} is not checked out here{}", format_other_checkout(.here.as_deref()))]
    OtherRepository {
        /// The repository asked for.
        repo: String,
        /// The one that is checked out, where there is one.
        here: Option<String>,
    },
    /// There is nothing to look into.
    #[error("there is no repository here to look into")]
    Nowhere,
    /// Whoever keeps the code answers no more for now.
    #[error("{what} allows no more requests{}", format_retry_after(*.retry_after))]
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

/// What a source answers.
pub type SourceResult<T> = Result<T, SourceError>;

impl SourceError {
    /// Whether the code is there and could not be read for now; else there is nothing to read, or nothing that may be read.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Limited { .. } | Self::Unavailable { .. })
    }

    /// What went wrong, with what was behind it.
    pub fn format_with_causes(&self) -> String {
        let mut told = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            told = format!("{told}: {error}");
            cause = error.source();
        }
        told
    }
}

/// A file in one version.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileVersion {
    /// Where it lies.
    pub path: RepoPath,
    /// Git's id of its content; `None` for what only the working tree holds.
    pub id: Option<String>,
}

/// What became of one file: written, deleted, or renamed when both paths are there and differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// The file before; `None` for a new one.
    pub was: Option<FileVersion>,
    /// The file afterwards; `None` for a deleted one.
    pub now: Option<FileVersion>,
}

/// What one commit did, seen from its first parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitStep {
    /// The commit.
    pub commit: String,
    /// The files it touched.
    pub edits: Vec<FileEdit>,
}

/// How one comes from a commit to the tree that is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryRoute {
    /// It is on the line of first parents: the steps from this one on lead to the tree.
    Along(usize),
    /// It is beside that line: one leap reaches it, then the steps from this one on.
    Across {
        /// What differs between the commit and where the leap ends.
        leap: CommitStep,
        /// The first step after the leap.
        then: usize,
        /// Whether the commit is part of the tree's history at all; `None` where nobody asked.
        is_ancestor: Option<bool>,
    },
}

/// How a tree came to be, as far as somebody asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommitHistory {
    /// What each commit on the line of first parents did, the oldest first.
    pub steps: Vec<CommitStep>,
    /// How one comes here from each commit asked for. One that is not named cannot be reached: it was rebased away,
    /// or lies beyond the end of a shallow clone.
    pub ways: BTreeMap<String, HistoryRoute>,
}

fn format_other_checkout(here: Option<&str>) -> String {
    here.map_or(String::new(), |here| format!(", {here} is"))
}

/// The branch that work is merged into, as a tree that can be looked into.
pub struct DefaultBranch {
    /// The commit at its end.
    pub commit: String,
    /// What that commit holds.
    pub tree: Box<dyn Source>,
}

/// When to try again, in whole seconds or minutes and never too early.
fn format_retry_after(after: Option<Duration>) -> String {
    let Some(after) = after else {
        return String::new();
    };
    let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
    let (n, unit) = if seconds < 120 {
        (seconds, "second")
    } else {
        (seconds.div_ceil(60), "minute")
    };
    format!("; try again in {n} {unit}{}", if n == 1 { "" } else { "s" })
}

/// What citations are looked up in: a working tree, a commit, a repository elsewhere.
///
/// Only the first two methods are needed. A source that can tell more lets citations be followed further.
pub trait Source: Send + Sync {
    /// What is looked at.
    fn read_tree(&self) -> Result<SourceTree, SourceError>;

    /// Reads a file of that tree. `Ok(None)` means: looked, and no such file.
    fn read_file(&self, path: &RepoPath) -> Result<Option<SourceBlob>, SourceError>;

    /// Git's id of a file as it is, where that can be told without reading it; `None` where it cannot, or where there is
    /// no such file.
    fn file_id(&self, _path: &RepoPath) -> Option<String> {
        None
    }

    /// Whether there is such a file, where that can be told without reading it.
    fn has_file(&self, path: &RepoPath) -> Result<bool, SourceError> {
        Ok(self.read_file(path)?.is_some())
    }

    /// Where findings about this source are kept between runs.
    fn verdict_cache(&self) -> Option<&dyn VerdictCache> {
        None
    }

    /// Whether this is what work is merged into, with nothing half done in it: the default branch without uncommitted
    /// edits. Only then may what is found here be held against a memory for good.
    fn is_settled(&self) -> Result<bool, SourceError> {
        Ok(false)
    }

    /// Whether the code of the repository asked for is not here, but that of another one: a reader from there leaves no
    /// trace in the log of the repository.
    fn is_of_other_repository(&self) -> bool {
        false
    }

    /// Which tree it is, as `main@3f2c1d2e`, for a reader who does not stand in it: a branch of a repository elsewhere, as it was when
    /// it was read. `None` where the reader knows: it is what they have checked out, or asked for.
    fn describe_tree(&self) -> Option<String> {
        None
    }

    /// The default branch, whatever is checked out here; `None` where nothing was committed yet, or where nobody knows
    /// which branch that is. What stands there counts for everybody.
    fn open_default_branch(&self) -> Result<Option<DefaultBranch>, SourceError> {
        Ok(None)
    }

    /// The same repository at a commit, by its id. `None` means: looked, and no such commit; where a clone may lack it,
    /// that is an error.
    fn open_commit(&self, _id: &str) -> Result<Option<Box<dyn Source>>, SourceError> {
        Ok(None)
    }

    /// How the tree came to be from these commits, one walk for all of them, over at most so many steps. The edits of
    /// a working tree that no commit holds are not part of it.
    fn walk_history(
        &self,
        _from: &BTreeSet<String>,
        _most: usize,
    ) -> Result<CommitHistory, SourceError> {
        Ok(CommitHistory::default())
    }

    /// The content that git keeps under an id; `None` if it is not there.
    fn read_object(&self, _id: &str) -> Result<Option<Vec<u8>>, SourceError> {
        Ok(None)
    }

    /// Which files the working tree holds otherwise than its commit; nothing for a commit. Renames are not paired.
    fn list_uncommitted_edits(&self) -> Result<Vec<FileEdit>, SourceError> {
        Ok(Vec::new())
    }

    /// The path of everything in the tree that is no folder: files, links, and repositories inside this one. What git
    /// ignores is not among them. `None` where a source cannot tell.
    fn list_paths(&self) -> Result<Option<BTreeSet<RepoPath>>, SourceError> {
        Ok(None)
    }

    /// Shows every text file of the tree, until the visitor has seen enough and returns `false`. The answer is whether
    /// all of them were shown or the visitor stopped it; `false` where a source cannot do it, or only in part.
    fn visit_files(
        &self,
        _see: &mut dyn FnMut(&RepoPath, &SourceBlob) -> bool,
    ) -> Result<bool, SourceError> {
        Ok(false)
    }
}

/// The source where there is no repository: everything is unknown.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRepositorySource;

impl Source for NoRepositorySource {
    fn read_tree(&self) -> Result<SourceTree, SourceError> {
        Ok(SourceTree::default())
    }

    fn read_file(&self, _: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
        Err(SourceError::Nowhere)
    }

    fn open_commit(&self, _: &str) -> Result<Option<Box<dyn Source>>, SourceError> {
        Err(SourceError::Nowhere)
    }
}

/// The source for a repository that is not the one here: everything is unknown.
#[derive(Debug, Clone)]
pub struct OtherRepositorySource {
    /// The repository asked for.
    pub repo: String,
    /// The one that is checked out, where there is one.
    pub here: Option<String>,
}

impl OtherRepositorySource {
    fn refuse_look(&self) -> SourceError {
        SourceError::OtherRepository {
            repo: self.repo.clone(),
            here: self.here.clone(),
        }
    }
}

impl Source for OtherRepositorySource {
    fn read_tree(&self) -> Result<SourceTree, SourceError> {
        Ok(SourceTree::default())
    }

    fn read_file(&self, _: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
        Err(self.refuse_look())
    }

    fn open_commit(&self, _: &str) -> Result<Option<Box<dyn Source>>, SourceError> {
        Err(self.refuse_look())
    }

    fn is_of_other_repository(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_says_when_to_try_again() {
        let check = |millis: Option<u64>, expected: &str| {
            let retry_after = millis.map(Duration::from_millis);
            let error = SourceError::Limited {
                what: "api.github.com".into(),
                retry_after,
            };
            assert_eq!(
                error.to_string(),
                format!("api.github.com allows no more requests{expected}")
            );
        };
        check(None, "");
        check(Some(1_000), "; try again in 1 second");
        check(Some(1_001), "; try again in 2 seconds");
        check(Some(119_000), "; try again in 119 seconds");
        check(Some(120_000), "; try again in 2 minutes");
        check(Some(2_161_000), "; try again in 37 minutes");
    }
}
