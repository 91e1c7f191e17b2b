//! Why a call has no answer, whichever face it came through.

use apostille_core::Error;
use apostille_core::store::StoreError;
use apostille_text::secrets::masked;

use crate::wire::Malformed;

/// Why a call has no answer. What was refused has one: a refusal is an answer.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The arguments are not what the tool takes.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// There is no such tool in this set.
    #[error("there is no tool '{name}'; there are: {known}")]
    NoSuchTool {
        /// As it was called.
        name: String,
        /// What there is.
        known: String,
    },
    /// Only a person decides this, and none is known to speak.
    #[error("only a person can decide this")]
    NotAPerson,
    /// The world is broken.
    #[error(transparent)]
    Broken(#[from] Error),
    /// The answer cannot be written as JSON.
    #[error("the answer cannot be written")]
    Unwritable(#[from] serde_json::Error),
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Broken(error.into())
    }
}

impl Fault {
    /// A tool that is not offered, with the names of those that are.
    pub fn no_such_tool<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let known = known.collect::<Vec<_>>().join(", ");
        Self::NoSuchTool {
            name: masked(name).chars().take(60).collect(),
            known,
        }
    }
}
