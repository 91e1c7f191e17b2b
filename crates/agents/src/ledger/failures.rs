//! The sessions that nobody could go through: one line each, for `doctor` to tell.

use std::fs::{self, OpenOptions};
use std::{
    io::{self, Write as _},
    path::PathBuf,
};

use apostille_core::store::StoreError;
use apostille_files::lock;
use apostille_text::{secrets::mask_secrets, shorten::shorten_text};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{SessionLedger, io_error};
use crate::session::{AgentSession, as_text};

/// How many are kept, the latest.
const MAX_LINES: usize = 100;
/// How much of a reason is kept, in characters.
const WHY_CHARS: usize = 200;
const FILE: &str = "failed.log";
/// How long they are told of: as long as sessions are kept.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// A session that was tried in vain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionFailure {
    /// When it was given up.
    #[serde(with = "as_text")]
    pub at: Timestamp,
    /// Which.
    pub session: String,
    /// How many moments it had: with more of them it is tried again.
    pub entries: usize,
    /// Why.
    pub why: String,
}

impl SessionFailure {
    /// A session that failed for this reason.
    pub fn new(at: Timestamp, name: &str, session: &AgentSession, why: &str) -> Self {
        let line = why.split_whitespace().collect::<Vec<_>>().join(" ");
        Self {
            at,
            session: name.to_owned(),
            entries: session.entries.len(),
            why: shorten_text(&mask_secrets(&line), WHY_CHARS),
        }
    }

    /// Whether a session is as it was when it was given up.
    #[must_use]
    pub fn is_about(&self, session: &AgentSession) -> bool {
        let name = session.entries.last().map(|it| it.session.as_str());
        name == Some(&self.session) && session.entries.len() <= self.entries
    }
}

impl SessionLedger {
    fn failures_path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// Writes down that a session was given up, in place of what was written about it before.
    pub fn record_failure(&self, failure: &SessionFailure) -> Result<(), StoreError> {
        let mut all = self.list_failures();
        let is_old = |it: &SessionFailure| failure.at.duration_since(it.at) > KEPT;
        all.retain(|it| it.session != failure.session && !is_old(it));
        all.push(failure.clone());
        self.write_failures(&all)
    }

    /// A session was gone through after all.
    pub fn clear_failure(&self, session: &str) -> Result<(), StoreError> {
        let mut all = self.list_failures();
        let n_known = all.len();
        all.retain(|it| it.session != session);
        match all.len() < n_known {
            true => self.write_failures(&all),
            false => Ok(()),
        }
    }

    /// The sessions that were given up, the latest last.
    #[must_use]
    pub fn list_failures(&self) -> Vec<SessionFailure> {
        let text = fs::read_to_string(self.failures_path()).unwrap_or_default();
        let read = |it: &str| serde_json::from_str(it).ok();
        text.lines().filter_map(read).collect()
    }

    fn write_failures(&self, all: &[SessionFailure]) -> Result<(), StoreError> {
        self.create_folder()?;
        let latest = &all[all.len().saturating_sub(MAX_LINES)..];
        let lines = latest
            .iter()
            .filter_map(|it| serde_json::to_string(it).ok());
        let text: String = lines.map(|it| it + "\n").collect();
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(true).write(true);
        let mut write = || -> io::Result<()> {
            let mut file = lock::set_private_mode(options).open(self.failures_path())?;
            file.write_all(text.as_bytes())
        };
        write().map_err(io_error("cannot write down which session failed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_is_one_line_until_the_session_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = SessionLedger::new(dir.path());
        let at = Timestamp::UNIX_EPOCH;
        let session = AgentSession::default();
        for why in ["busy", "the disk\nis full"] {
            let failure = SessionFailure::new(at, "s-1", &session, why);
            ledger.record_failure(&failure).unwrap();
        }
        for n in 0..MAX_LINES {
            let failure = SessionFailure::new(at, &format!("s-{n}-x"), &session, "busy");
            ledger.record_failure(&failure).unwrap();
        }
        let again = SessionFailure::new(at, "s-1", &session, "the disk\nis full");
        ledger.record_failure(&again).unwrap();
        let all = ledger.list_failures();
        assert_eq!(all.len(), MAX_LINES);
        assert_eq!(all.last().unwrap().why, "the disk is full");
        ledger.clear_failure("s-1").unwrap();
        assert_eq!(ledger.list_failures().len(), MAX_LINES - 1);
    }
}
