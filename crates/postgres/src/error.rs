//! What goes wrong between here and the database, and what the port calls it.

use std::{fmt, time::Duration};

use apostille_core::store::StoreError;
use apostille_stores::packed::DamagedBlob;
use tokio_postgres::error::SqlState;

/// How long a statement waits for a lock of another writer.
pub(crate) const LOCK_PATIENCE: Duration = Duration::from_secs(20);

/// For people and agents, whatever they were about: a write that may have been kept is told otherwise.
const UNREACHABLE: &str = "the team's store cannot be reached; nothing was written";

/// The port's error, or the database's.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PgError {
    /// What a caller can act on.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The database answered with an error, or the line broke.
    #[error("{}", DatabaseMessage(.0))]
    Database(#[from] tokio_postgres::Error),
    /// No answer in time.
    #[error("no answer within {} ms", .0.as_millis())]
    TimedOut(Duration),
    /// No connection could be made.
    #[error("{0}")]
    Connect(String),
}

pub(crate) type PgResult<T> = Result<T, PgError>;

/// The message of the database itself: what the driver prints names only the kind of an error.
struct DatabaseMessage<'a>(&'a tokio_postgres::Error);

impl fmt::Display for DatabaseMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0.as_db_error() {
            Some(error) => write!(f, "{} ({})", error.message(), error.code().code()),
            None => match std::error::Error::source(self.0) {
                Some(source) => write!(f, "{}: {source}", self.0),
                None => write!(f, "{}", self.0),
            },
        }
    }
}

impl PgError {
    /// Bytes that are not what was written.
    pub(crate) fn corrupt(at: impl Into<String>) -> Self {
        Self::Store(StoreError::Corrupt { at: at.into() })
    }

    fn code(&self) -> Option<&SqlState> {
        match self {
            Self::Database(error) => error.code(),
            _ => None,
        }
    }

    /// Whether the database took the transaction back because of another one, so that it may simply be run again.
    pub(crate) fn is_serialization_failure(&self) -> bool {
        matches!(self.code(), Some(code) if *code == SqlState::T_R_SERIALIZATION_FAILURE || *code == SqlState::T_R_DEADLOCK_DETECTED)
    }

    /// Whether the line broke, or the server went away or follows another one now: on another connection it may go on.
    pub(crate) fn is_lost_connection(&self) -> bool {
        match self {
            Self::Database(error) => match error.code() {
                Some(code) => LOST.contains(&code.code()) || code.code().starts_with("08"),
                None => true,
            },
            Self::TimedOut(_) | Self::Connect(_) => true,
            Self::Store(_) => false,
        }
    }

    /// Whether a row is there already that has to be the only one.
    pub(crate) fn is_unique_violation(&self) -> bool {
        self.code() == Some(&SqlState::UNIQUE_VIOLATION)
    }

    /// Whether somebody else made a table, or its type, at the same moment.
    pub(crate) fn is_made_meanwhile(&self) -> bool {
        let made = [
            SqlState::UNIQUE_VIOLATION,
            SqlState::DUPLICATE_TABLE,
            SqlState::DUPLICATE_OBJECT,
        ];
        self.code().is_some_and(|code| made.contains(code))
    }

    /// Whether the other end refused what a connection was to begin with, and not who asks or whether there is room.
    pub(crate) fn is_refused_startup(&self) -> bool {
        let other = ["28", "3D", "53", "57"];
        let code = self.code().map(SqlState::code);
        code.is_some_and(|code| !other.iter().any(|it| code.starts_with(it)))
    }

    pub(crate) fn is_undefined_table(&self) -> bool {
        self.code() == Some(&SqlState::UNDEFINED_TABLE)
    }

    pub(crate) fn is_refused_privilege(&self) -> bool {
        self.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE)
    }
}

/// Shut down by an administrator, crashed, cannot connect now, and read-only: a standby that is not yet the primary.
const LOST: [&str; 4] = ["57P01", "57P02", "57P03", "25006"];

impl From<DamagedBlob> for PgError {
    fn from(damaged: DamagedBlob) -> Self {
        Self::corrupt(damaged.to_string())
    }
}

impl From<PgError> for StoreError {
    fn from(error: PgError) -> Self {
        let waited = |limit: &Duration| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let unavailable = |what: String, error: PgError| Self::Unavailable {
            what,
            source: error.to_string().into(),
        };
        match error {
            PgError::Store(error) => error,
            PgError::TimedOut(limit) => Self::Unavailable {
                what: UNREACHABLE.into(),
                source: format!("no answer within {} ms", waited(&limit)).into(),
            },
            error if error.is_unique_violation() => Self::Conflict {
                what: "a like memory".into(),
            },
            error if error.is_undefined_table() => unavailable(
                "the database has no tables of Apostille, or this role may not use them; its owner runs `apostille store prepare`"
                    .into(),
                error,
            ),
            error if error.is_refused_privilege() => unavailable(
                "this role may not do that in this space; its owner runs `apostille store grant`".into(),
                error,
            ),
            error if error.is_serialization_failure() => Self::Busy { waited_ms: 0 },
            error if error.is_lost_connection() => unavailable(UNREACHABLE.into(), error),
            error => match error.code().map(SqlState::code) {
                Some("53100") => Self::Full,
                Some("55P03" | "57014") => Self::Busy { waited_ms: waited(&LOCK_PATIENCE) },
                _ => unavailable("the team's store cannot be used".into(), error),
            },
        }
    }
}
