//! A fault of this machine, as a server's caller is told of it.

use apostille_api::host::PlaceError;

use crate::error::CommandError;

/// On one line, with its causes and the way out.
impl From<CommandError> for PlaceError {
    fn from(fault: CommandError) -> Self {
        let hint = fault.hint.as_ref().map(|it| format!("; {it}"));
        Self::Broken(format!("{:#}{}", fault.cause, hint.unwrap_or_default()))
    }
}
