//! What went wrong, the way out, and the number that a script sees.

use std::fmt;

use apostille_cite::{citation::CodeLocationError, source::SourceError};
use apostille_core::{model::ModelError, refusal::Refusal, store::StoreError};
use apostille_text::words::words;

/// Everything went well.
pub const OK: u8 = 0;
/// Nothing was found, or something does not hold.
pub const NOTHING: u8 = 1;
/// The command line or the configuration is wrong.
pub const USAGE: u8 = 2;
/// A draft was turned away, or something much like it is known.
pub const REFUSED: u8 = 3;
/// The store is broken or out of reach.
pub const STORE: u8 = 4;
/// A mistake in this program, or a world without a clock.
pub const INTERNAL: u8 = 5;

words! {
    /// Which part of the world is broken.
    CommandErrorKind as "kind of error" {
        /// The command line.
        Usage = "usage",
        /// A setting.
        Config = "config",
        /// The store.
        Store = "store",
        /// This program.
        Internal = "internal",
        /// Nothing is broken: a [`Refusal`] is the cause, or a PIN that was not given.
        Refused = "refused",
    }
}

impl CommandErrorKind {
    /// The exit code.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Usage | Self::Config => USAGE,
            Self::Store => STORE,
            Self::Internal => INTERNAL,
            Self::Refused => REFUSED,
        }
    }
}

/// A broken world: what is broken, why, and the way out.
#[derive(Debug)]
pub struct CommandError {
    /// Which part.
    pub kind: CommandErrorKind,
    /// What happened, with its causes.
    pub cause: anyhow::Error,
    /// The way out, where the message does not say it.
    pub hint: Option<String>,
}

impl CommandError {
    /// The command line is wrong.
    pub fn usage(what: impl fmt::Display) -> Self {
        Self::new(
            CommandErrorKind::Usage,
            anyhow::Error::msg(what.to_string()),
        )
    }

    /// A setting is wrong.
    pub fn config(what: impl fmt::Display) -> Self {
        Self::new(
            CommandErrorKind::Config,
            anyhow::Error::msg(what.to_string()),
        )
    }

    /// A person did not confirm what only a person decides.
    pub fn unconfirmed(what: impl fmt::Display) -> Self {
        Self::new(
            CommandErrorKind::Refused,
            anyhow::Error::msg(what.to_string()),
        )
    }

    /// This program, or the machine, failed.
    pub fn internal(cause: impl Into<anyhow::Error>) -> Self {
        Self::new(CommandErrorKind::Internal, cause)
    }

    /// The store, or what it is exchanged with, cannot be used now.
    pub fn store(what: impl fmt::Display) -> Self {
        Self::new(
            CommandErrorKind::Store,
            anyhow::Error::msg(what.to_string()),
        )
    }

    fn new(kind: CommandErrorKind, cause: impl Into<anyhow::Error>) -> Self {
        Self {
            kind,
            cause: cause.into(),
            hint: None,
        }
    }

    /// The same with a way out.
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// The message with its causes, as one line.
    pub fn message(&self) -> String {
        format!("{:#}", self.cause)
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        Self::new(CommandErrorKind::Store, error)
    }
}

impl From<SourceError> for CommandError {
    fn from(error: SourceError) -> Self {
        Self::new(CommandErrorKind::Usage, error)
    }
}

impl From<ModelError> for CommandError {
    fn from(error: ModelError) -> Self {
        Self::new(CommandErrorKind::Config, error)
    }
}

impl From<CodeLocationError> for CommandError {
    fn from(error: CodeLocationError) -> Self {
        Self::usage(error)
    }
}

/// What is turned away ends a command as an error does; it is answered in its own words.
impl From<Refusal> for CommandError {
    fn from(refusal: Refusal) -> Self {
        Self::new(CommandErrorKind::Refused, refusal)
    }
}
