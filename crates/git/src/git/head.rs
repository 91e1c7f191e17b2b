//! What is checked out.

use apostille_cite::source::SourceResult;

use super::{
    discover::Checkout,
    refs::{self, RefTarget},
    source_unavailable,
};

/// How many refs may point to each other before it is taken for a circle; git uses the same number.
const MAX_CHAIN: usize = 5;
/// Branches that are taken for the default one where the remote does not say.
const USUAL: [&str; 2] = ["main", "master"];

/// What is checked out: a commit, on a branch or not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GitHead {
    /// The commit in hexadecimal; `None` before the first one.
    pub commit: Option<String>,
    /// The branch; `None` where a commit is checked out without one.
    pub branch: Option<String>,
}

impl Checkout {
    /// What is checked out here. Only files are read, unless refs are kept in tables.
    pub fn read_head(&self) -> SourceResult<GitHead> {
        match refs::look_up_ref(self, "HEAD")? {
            Some(RefTarget::Object(commit)) => Ok(GitHead {
                commit: Some(commit),
                branch: None,
            }),
            Some(RefTarget::Symbolic(name)) => {
                let branch = name.strip_prefix("refs/heads/").map(str::to_owned);
                Ok(GitHead {
                    commit: resolve_ref_chain(self, name)?,
                    branch,
                })
            }
            None => Err(source_unavailable(
                "what is checked out",
                "the repository has no HEAD; try 'git fsck'",
            )),
        }
    }

    /// The branch that work is merged into: what `origin` says, else what a bare repository has for its head, since nobody works
    /// there, else `main`, else `master`.
    #[must_use]
    pub fn find_default_branch(&self) -> Option<String> {
        let said = match refs::look_up_ref(self, "refs/remotes/origin/HEAD") {
            Ok(Some(RefTarget::Symbolic(name))) => {
                name.strip_prefix("refs/remotes/origin/").map(str::to_owned)
            }
            _ => None,
        };
        let has_ref = |full: String| matches!(refs::look_up_ref(self, &full), Ok(Some(_)));
        let has_own_branch = |it: &String| has_ref(format!("refs/heads/{it}"));
        let has_branch = |it: &&str| {
            has_ref(format!("refs/heads/{it}")) || has_ref(format!("refs/remotes/origin/{it}"))
        };
        let own = || {
            let head = self.read_head().ok().filter(|_| self.root().is_none());
            head?.branch.filter(has_own_branch)
        };
        said.or_else(own)
            .or_else(|| USUAL.into_iter().find(has_branch).map(str::to_owned))
    }

    /// Whether this is the default branch, or the very commit it points to, here or at the origin.
    pub fn is_at_default_branch(&self, head: &GitHead) -> bool {
        let Some(default) = self.find_default_branch() else {
            return false;
        };
        if head.branch.as_ref() == Some(&default) {
            return true;
        }
        let points_there = |full: String| {
            head.commit.is_some() && resolve_ref_chain(self, full).ok() == Some(head.commit.clone())
        };
        points_there(format!("refs/heads/{default}"))
            || points_there(format!("refs/remotes/origin/{default}"))
    }

    /// The commit at the end of the default branch, seen from here: what is checked out where that is the default branch,
    /// else what the origin has, else the branch of this repository. A branch that nobody pulled for weeks is no measure.
    pub fn find_default_commit(&self, head: &GitHead) -> SourceResult<Option<String>> {
        let Some(default) = self.find_default_branch().filter(|_| head.commit.is_some()) else {
            return Ok(None);
        };
        if self.is_at_default_branch(head) {
            return Ok(head.commit.clone());
        }
        match resolve_ref_chain(self, format!("refs/remotes/origin/{default}"))? {
            None => resolve_ref_chain(self, format!("refs/heads/{default}")),
            at_origin => Ok(at_origin),
        }
    }
}

/// The object at the end of a chain of refs; `None` if the last one does not exist yet.
fn resolve_ref_chain(checkout: &Checkout, mut name: String) -> SourceResult<Option<String>> {
    for _ in 0..MAX_CHAIN {
        match refs::look_up_ref(checkout, &name)? {
            None => return Ok(None),
            Some(RefTarget::Object(id)) => return Ok(Some(id)),
            Some(RefTarget::Symbolic(next)) => name = next,
        }
    }
    Err(source_unavailable(
        "what is checked out",
        "refs point to each other in a circle; set HEAD with 'git switch'",
    ))
}
