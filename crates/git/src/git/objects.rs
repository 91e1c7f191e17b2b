//! The objects of a repository, read through one git child for each thread that asks, however many commits are looked at.

use std::collections::HashMap;
use std::{
    process::Command,
    sync::{Arc, Mutex},
};

use apostille_cite::source::SourceResult;

use apostille_files::lock::lock_ignoring_poison;

use super::{
    cat_file::{CatFile, CatFileAnswer},
    discover::Checkout,
    git_command, source_unavailable,
    tree::TreeEntry,
};

/// What a directory holds, by name.
pub(super) type TreeEntries = HashMap<String, TreeEntry>;

/// How many directories are kept at hand.
const MAX_TREES: usize = 20_000;

/// The objects of a repository. A child is started when it is first asked, and ends with the value.
#[derive(Debug)]
pub(super) struct GitObjects {
    pub(super) checkout: Checkout,
    /// Children that wait for a question: one, unless several threads ask at once.
    idle: Mutex<Vec<CatFile>>,
    /// Directories that were read, by their id.
    trees: Mutex<HashMap<String, Arc<TreeEntries>>>,
    /// How git is started; tests put something else here.
    start: fn(&Checkout) -> Command,
}

impl GitObjects {
    pub(super) fn new(checkout: &Checkout) -> Self {
        Self::with_git_command(checkout, git_command::build_git_command)
    }

    pub(super) fn with_git_command(checkout: &Checkout, start: fn(&Checkout) -> Command) -> Self {
        Self {
            checkout: checkout.clone(),
            idle: Mutex::default(),
            trees: Mutex::default(),
            start,
        }
    }

    /// Asks the child, and starts it first if there is none. `whose` names what is read, for messages: to look for secrets in
    /// a name takes longer than to read the object.
    ///
    /// The child is taken out while it answers: where that fails, or a thread panics, it is out of step and not used
    /// again.
    pub(super) fn request_object(
        &self,
        name: &str,
        limit: u64,
        whose: impl FnOnce() -> String,
    ) -> SourceResult<CatFileAnswer> {
        let waiting = lock_ignoring_poison(&self.idle).pop();
        let start = || CatFile::spawn_child((self.start)(&self.checkout));
        let mut child = waiting
            .map_or_else(start, Ok)
            .map_err(git_command::git_start_error)?;
        let answer = child
            .request_object(name, limit)
            .map_err(|error| source_unavailable(format!("commit '{}' with git", whose()), error))?;
        if !matches!(answer, CatFileAnswer::TooLarge(_)) {
            lock_ignoring_poison(&self.idle).push(child);
        }
        Ok(answer)
    }

    /// A directory that was read before.
    pub(super) fn cached_tree(&self, id: &str) -> Option<Arc<TreeEntries>> {
        lock_ignoring_poison(&self.trees).get(id).map(Arc::clone)
    }

    /// Keeps a directory at hand, unless there are many already.
    pub(super) fn cache_tree(&self, id: &str, directory: TreeEntries) -> Arc<TreeEntries> {
        let directory = Arc::new(directory);
        let mut trees = lock_ignoring_poison(&self.trees);
        if trees.len() < MAX_TREES {
            trees.insert(id.to_owned(), Arc::clone(&directory));
        }
        directory
    }
}
