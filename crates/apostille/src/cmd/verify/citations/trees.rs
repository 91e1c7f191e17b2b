//! What citations are looked up in, and what they were cited from: commits of one repository, read by one git child.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use apostille_cite::citation::RepoPath;
use apostille_cite::source::{Blob, Source, SourceError, Tree};
use apostille_git::git::Commit;

use apostille_workspace::error::Fault;
use apostille_workspace::place::Place;

/// The commits of a repository.
pub struct Trees {
    place: Place,
    /// What is looked at where a line does not say it.
    usual: Box<dyn Source>,
    /// Any commit: the others are read beside it, through the same child.
    first: Option<Commit>,
}

impl Trees {
    /// The repository of this place, looked at as it lies there, or at a commit.
    pub fn open(place: Place, at: Option<&str>) -> Result<Self, Fault> {
        let usual = place.source(at)?;
        let first = place
            .checkout
            .as_ref()
            .and_then(|it| Commit::new(it, "HEAD").ok());
        Ok(Self {
            place,
            usual,
            first,
        })
    }

    /// What is looked at where a line does not say it.
    pub fn usual(&self) -> &dyn Source {
        &*self.usual
    }

    /// A commit, branch or tag to look at, or why that cannot be done.
    pub fn at(&self, reference: &str) -> Result<Box<dyn Source>, String> {
        let Some(first) = &self.first else {
            let folder = self.place.root.display();
            return Err(format!(
                "cannot look at '{reference}': {folder} is in no git repository"
            ));
        };
        let commit = first.beside(reference).map_err(|error| error.told())?;
        commit.tree().map_err(|error| error.told())?;
        Ok(Box::new(commit))
    }

    /// What somebody cited from; `None` where there is no such commit.
    pub fn then(&self, sha: &str) -> Option<Then> {
        let commit = self.first.as_ref()?.beside(sha).ok()?;
        let is_gone = matches!(commit.tree(), Err(SourceError::NoSuchRef(_)));
        (!is_gone).then(|| Then {
            commit,
            files: Mutex::default(),
        })
    }
}

/// A commit of which each file is read once.
pub struct Then {
    commit: Commit,
    files: Mutex<HashMap<RepoPath, Option<Blob>>>,
}

impl Source for Then {
    fn tree(&self) -> Result<Tree, SourceError> {
        self.commit.tree()
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Blob>, SourceError> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = files.get(path) {
            return Ok(known.clone());
        }
        let blob = self.commit.read(path)?;
        files.insert(path.clone(), blob.clone());
        Ok(blob)
    }
}
