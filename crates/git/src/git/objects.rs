//! The objects of a repository, read through one git child for each thread that asks, however many commits are looked at.

use std::collections::HashMap;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use apostille_cite::source::SourceError;

use super::cat_file::{Answer, CatFile};
use super::discover::Checkout;
use super::tree::Entry;
use super::{child, unavailable};

/// What a directory holds, by name.
pub(super) type Directory = HashMap<String, Entry>;

/// How many directories are kept at hand.
const MAX_TREES: usize = 20_000;

/// The objects of a repository. A child is started when it is first asked, and ends with the value.
#[derive(Debug)]
pub(super) struct Objects {
    pub(super) checkout: Checkout,
    /// Children that wait for a question: one, unless several threads ask at once.
    idle: Mutex<Vec<CatFile>>,
    /// Directories that were read, by their id.
    trees: Mutex<HashMap<String, Arc<Directory>>>,
    /// How git is started; tests put something else here.
    start: fn(&Checkout) -> Command,
}

impl Objects {
    pub(super) fn new(checkout: &Checkout) -> Self {
        Self::started_by(checkout, child::command)
    }

    pub(super) fn started_by(checkout: &Checkout, start: fn(&Checkout) -> Command) -> Self {
        Self {
            checkout: checkout.clone(),
            idle: Mutex::default(),
            trees: Mutex::default(),
            start,
        }
    }

    /// Asks the child, and starts it first if there is none. `whose` names what is read, for messages.
    ///
    /// The child is taken out while it answers: where that fails, or a thread panics, it is out of step and not used
    /// again.
    pub(super) fn ask(&self, name: &str, limit: u64, whose: &str) -> Result<Answer, SourceError> {
        let waiting = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let mut child = match waiting {
            Some(child) => child,
            None => CatFile::spawn((self.start)(&self.checkout)).map_err(child::not_started)?,
        };
        let answer = child
            .ask(name, limit)
            .map_err(|error| unavailable(format!("commit '{whose}' with git"), error))?;
        if !matches!(answer, Answer::TooLarge(_)) {
            self.idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(child);
        }
        Ok(answer)
    }

    /// A directory that was read before.
    pub(super) fn tree(&self, id: &str) -> Option<Arc<Directory>> {
        self.trees
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(id)
            .map(Arc::clone)
    }

    /// Keeps a directory at hand, unless there are many already.
    pub(super) fn keep_tree(&self, id: &str, directory: Directory) -> Arc<Directory> {
        let directory = Arc::new(directory);
        let mut trees = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        if trees.len() < MAX_TREES {
            trees.insert(id.to_owned(), Arc::clone(&directory));
        }
        directory
    }
}
