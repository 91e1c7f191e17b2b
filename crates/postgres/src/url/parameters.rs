//! The parameters of an address, with the names and values that libpq gives them.

use std::time::Duration;

use super::PostgresUrlError;

/// What may stand behind the `?`.
pub(super) const NAMES: &[&str] = &[
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "options",
    "passfile",
    "password",
    "password_file",
    "port",
    "sslmode",
    "sslrootcert",
    "target_session_attrs",
    "user",
];

/// How much of TLS is asked for, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum TlsLevel {
    Disable,
    /// Also `allow`, which would begin without: encrypting where the server can is the stronger of the two.
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

impl TlsLevel {
    pub(crate) const EXPECTED: &str = "disable, allow, prefer, require, verify-ca or verify-full";

    pub(crate) fn from_text(text: &str) -> Option<Self> {
        Some(match text {
            "disable" => Self::Disable,
            "allow" | "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            _ => return None,
        })
    }
}

/// Which of several hosts will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SessionTarget {
    Any,
    ReadWrite,
    ReadOnly,
}

impl SessionTarget {
    const EXPECTED: &str = "any, read-write, primary or read-only";

    pub(crate) fn from_text(text: &str) -> Option<Self> {
        Some(match text {
            "any" => Self::Any,
            "read-write" | "primary" => Self::ReadWrite,
            "read-only" | "standby" => Self::ReadOnly,
            _ => return None,
        })
    }
}

/// A waiting time. Without end is not offered: a database that does not answer is to be an error.
pub(crate) fn read_seconds(text: &str) -> Option<Duration> {
    let seconds = text.parse().ok().filter(|it| (1..=300).contains(it));
    seconds.map(Duration::from_secs)
}

/// Checks a parameter that is kept by its name.
pub(super) fn check_parameter(name: &str, value: &str) -> Result<(), PostgresUrlError> {
    if !NAMES.contains(&name) {
        return Err(PostgresUrlError::UnknownParameter {
            name: describe_name(name),
        });
    }
    let (is_valid, expected) = match name {
        "sslmode" => (TlsLevel::from_text(value).is_some(), TlsLevel::EXPECTED),
        "target_session_attrs" => (
            SessionTarget::from_text(value).is_some(),
            SessionTarget::EXPECTED,
        ),
        "connect_timeout" => (read_seconds(value).is_some(), "1 to 300 seconds"),
        "channel_binding" => (
            ["disable", "prefer", "require"].contains(&value),
            "disable, prefer or require",
        ),
        _ => (!value.is_empty(), "given a value, or left out"),
    };
    if is_valid {
        return Ok(());
    }
    Err(PostgresUrlError::Value {
        name: name.into(),
        expected,
    })
}

/// A name that is none may be the rest of a password with an unescaped sign in it.
fn describe_name(name: &str) -> String {
    let is_name = |it: u8| it.is_ascii_lowercase() || it == b'_';
    if !name.is_empty() && name.len() <= 32 && name.bytes().all(is_name) {
        return name.into();
    }
    "behind the ?, which is not a name".into()
}
