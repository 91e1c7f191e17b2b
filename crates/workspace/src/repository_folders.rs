//! Which folders belong to a repository: its checkout, its other working trees, and its other clones on this machine.
//!
//! What a past session says of its folder is a path that may be gone by now. The nearest folder above it that is still there
//! decides; a clone elsewhere has to be known for the same repository, or share its remote and its first commits.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use apostille_agents::past_transcripts::RecordedFolder;
use apostille_core::space::Space;
use apostille_git::git::Checkout;

use crate::{
    error::CommandError,
    known_repositories::{KnownRepositories, RepositoryFile},
    project_folder::ProjectFolder,
    repository_space::{PATIENCE, describe_clone},
    system::System,
};

/// Tells which folders belong to the repository of a checkout. What was found out about a folder is remembered.
pub struct RepositoryFolders<'a> {
    here: &'a ProjectFolder,
    known: KnownRepositories,
    first_commits: Option<Vec<String>>,
    roots: BTreeMap<PathBuf, Option<PathBuf>>,
}

impl<'a> RepositoryFolders<'a> {
    /// The folders of the repository that a place belongs to.
    pub fn new(system: &System, here: &'a ProjectFolder) -> Result<Self, CommandError> {
        let known = match RepositoryFile::for_user(system) {
            Some(file) => file.read_repositories()?,
            None => KnownRepositories::default(),
        };
        Ok(Self {
            here,
            known,
            first_commits: None,
            roots: BTreeMap::new(),
        })
    }

    /// The root of the working tree that a folder belongs to, where that is one of this repository.
    pub fn find_root(&mut self, folder: &RecordedFolder) -> Option<PathBuf> {
        let RecordedFolder::Path(path) = folder else {
            let root = &self.here.root;
            return folder.is_folder(root).then(|| root.clone());
        };
        if let Some(known) = self.roots.get(path) {
            return known.clone();
        }
        let root = self.look_up_root(path);
        self.roots.insert(path.clone(), root.clone());
        root
    }

    fn look_up_root(&mut self, path: &Path) -> Option<PathBuf> {
        let mut above = path.ancestors().filter(|it| it.is_absolute());
        let existing = above.find(|it| it.is_dir())?;
        let other = ProjectFolder::discover_from(existing).ok()?;
        let is_ours = match (&self.here.checkout, &other.checkout) {
            (Some(here), Some(there)) => self.is_same_repository(here, there),
            (None, None) => other.root.starts_with(&self.here.root),
            _ => false,
        };
        is_ours.then_some(other.root)
    }

    fn is_same_repository(&mut self, here: &Checkout, there: &Checkout) -> bool {
        here.common_dir() == there.common_dir()
            || self.is_known_clone(here, there)
            || self.has_same_origin(here, there)
    }

    /// Whether both are known for clones of one repository: that is how a person links them, too.
    fn is_known_clone(&self, here: &Checkout, there: &Checkout) -> bool {
        let find = |it: &Checkout| {
            let remote = Space::repo(&it.identity().full_name()).ok()?;
            let known = self.known.find_by_clone(&describe_clone(it, &remote))?;
            Some(&known.space)
        };
        find(here).is_some_and(|it| find(there) == Some(it))
    }

    /// Whether both have one remote, and a history that begins with the same commit: a remote alone is a claim.
    fn has_same_origin(&mut self, here: &Checkout, there: &Checkout) -> bool {
        let (ours, theirs) = (here.identity(), there.identity());
        if ours.host.is_empty() || ours.full_name() != theirs.full_name() {
            return false;
        }
        let first = self
            .first_commits
            .get_or_insert_with(|| here.list_first_commits(PATIENCE).unwrap_or_default());
        let is_checkable = there.owns_working_tree() && there.has_own_objects();
        is_checkable && !first.is_empty() && there.has_any_commit(first, PATIENCE).unwrap_or(false)
    }
}
