//! What citations are looked up in, and what they were cited from: commits of one repository, read by one git child.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use apostille_cite::{
    citation::RepoPath,
    source::{Source, SourceBlob, SourceError, SourceTree},
};
use apostille_git::git::Commit;

use apostille_terminal::command_context::CommandResult;
use apostille_workspace::project_folder::ProjectFolder;

/// The commits of a repository.
pub struct CommitSources {
    place: ProjectFolder,
    /// What is looked at where a line does not say it.
    pub usual: Box<dyn Source>,
    /// Any commit: the others are read beside it, through the same child.
    first: Option<Commit>,
}

impl CommitSources {
    /// The repository of this place, looked at as it lies there, or at a commit.
    pub fn open(place: ProjectFolder, at: Option<&str>) -> CommandResult<Self> {
        let usual = place.open_source(at)?;
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

    /// A commit, branch or tag to look at, or why that cannot be done.
    pub fn source_at(&self, reference: &str) -> Result<Box<dyn Source>, String> {
        let Some(first) = &self.first else {
            let folder = self.place.root.display();
            return Err(format!(
                "cannot look at '{reference}': {folder} is in no git repository"
            ));
        };
        let found = first.with_reference(reference).and_then(|commit| {
            commit.read_tree()?;
            Ok(commit)
        });
        match found {
            Ok(commit) => Ok(Box::new(commit)),
            Err(error) => Err(error.format_with_causes()),
        }
    }

    /// What somebody cited from; `None` where there is no such commit.
    pub fn cited_commit(&self, sha: &str) -> Option<CachedCommit> {
        let commit = self.first.as_ref()?.with_reference(sha).ok()?;
        let is_gone = matches!(commit.read_tree(), Err(SourceError::NoSuchRef(_)));
        (!is_gone).then(|| CachedCommit {
            commit,
            files: Mutex::default(),
        })
    }
}

/// A commit of which each file is read once.
pub struct CachedCommit {
    commit: Commit,
    files: Mutex<HashMap<RepoPath, Option<SourceBlob>>>,
}

impl Source for CachedCommit {
    fn read_tree(&self) -> Result<SourceTree, SourceError> {
        self.commit.read_tree()
    }

    fn read_file(&self, path: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = files.get(path) {
            return Ok(known.clone());
        }
        let blob = self.commit.read_file(path)?;
        files.insert(path.clone(), blob.clone());
        Ok(blob)
    }
}
