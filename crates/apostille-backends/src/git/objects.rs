//! The objects of a repository, read through one git child however many commits are looked at.

use std::process::Command;
use std::sync::{Mutex, PoisonError};

use apostille_core::source::SourceError;

use super::cat_file::{Answer, CatFile};
use super::discover::Checkout;
use super::{child, unavailable};

/// The objects of a repository. The child is started when it is first asked, and ends with the value.
#[derive(Debug)]
pub(super) struct Objects {
    pub(super) checkout: Checkout,
    child: Mutex<Option<CatFile>>,
    /// How git is started; tests put something else here.
    start: fn(&Checkout) -> Command,
}

impl Objects {
    pub(super) fn new(checkout: &Checkout) -> Self {
        Self::started_by(checkout, child::command)
    }

    pub(super) fn started_by(checkout: &Checkout, start: fn(&Checkout) -> Command) -> Self {
        Self { checkout: checkout.clone(), child: Mutex::default(), start }
    }

    /// Asks the child, and starts it first if there is none. `whose` names what is read, for messages.
    ///
    /// The child is taken out while it answers: where that fails, or a thread panics, it is out of step and not used
    /// again.
    pub(super) fn ask(&self, name: &str, limit: u64, whose: &str) -> Result<Answer, SourceError> {
        let mut place = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let mut child = match place.take() {
            Some(child) => child,
            None => CatFile::spawn((self.start)(&self.checkout)).map_err(child::not_started)?,
        };
        let answer = child
            .ask(name, limit)
            .map_err(|error| unavailable(format!("commit '{whose}' with git"), error))?;
        if !matches!(answer, Answer::TooLarge(_)) {
            *place = Some(child);
        }
        Ok(answer)
    }
}
