//! Why a call has no answer, whichever face it came through.

use apostille_core::{CoreError, store::StoreError};
use apostille_text::secrets::mask_secrets;

use crate::wire::ArgumentError;

/// Why a call has no answer. What was refused has one: a refusal is an answer.
///
/// The two go different ways because different readers act on them. A refusal is a result that the model reads, with the way
/// out in its text: cite a line, ask the person, say it shorter. A fault of the protocol is shown by most clients to those
/// who wrote them and not to the model. What is wrong with arguments is told to the model too: it wrote them.
#[derive(Debug, thiserror::Error)]
pub enum CallFault {
    /// The arguments are not what the tool takes.
    #[error(transparent)]
    Malformed(#[from] ArgumentError),
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
    Broken(#[from] CoreError),
    /// The answer cannot be written as JSON.
    #[error("the answer cannot be written")]
    Unwritable(#[from] serde_json::Error),
}

impl CallFault {
    /// The status that the API answers it with.
    #[must_use]
    pub fn status(&self) -> u16 {
        use StoreError::{Busy, Conflict, Full, ReadOnly, Removed};
        match self {
            Self::Malformed(_) => 400,
            Self::NotAPerson => 403,
            Self::NoSuchTool { .. } => 404,
            Self::Broken(Conflict { .. }) => 409,
            Self::Broken(Busy { .. } | Full | ReadOnly | Removed) => 503,
            Self::Broken(_) | Self::Unwritable(_) => 500,
        }
    }

    /// A tool that is not offered, with the names of those that are.
    pub fn no_such_tool<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let known = known.collect::<Vec<_>>().join(", ");
        Self::NoSuchTool {
            name: mask_secrets(name).chars().take(60).collect(),
            known,
        }
    }
}
