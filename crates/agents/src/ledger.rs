//! Sessions on disk: one file for each, one line for each moment, its owner's alone.
//!
//! Two hooks of one client may run at once, so whoever looks at a session to add to it holds its file. A torn last line
//! is left out when the file is read and ended before the next one is written.

mod failures;
mod prompts;

use std::fs::{self, File, OpenOptions};
use std::{
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use crate::session::{AgentSession, SessionEntry};
use apostille_core::{memory::MemoryId, store::StoreError};
use apostille_text::digest::Digest;
use jiff::Timestamp;

use apostille_files::lock::{self, LockError};

pub use failures::SessionFailure;
pub use prompts::KeptPrompt;

/// The most that is read of one session.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// How long forgetting waits for a hook that is writing.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where sessions are kept.
#[derive(Debug, Clone)]
pub struct SessionLedger {
    folder: PathBuf,
}

/// A session that nobody else adds to meanwhile.
#[derive(Debug)]
pub struct OpenSession {
    file: File,
    ends_torn: bool,
    /// What is written down so far.
    pub session: AgentSession,
}

impl SessionLedger {
    /// The ledger in this folder, which need not be there.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    fn session_path(&self, session: &str) -> PathBuf {
        let digest = Digest::hash_bytes(session.as_bytes());
        self.folder.join(format!("{}.jsonl", digest.short_hex()))
    }

    /// Opens a session to add to it; waits for others at most so long.
    pub fn open_session(
        &self,
        session: &str,
        patience: Duration,
    ) -> Result<OpenSession, StoreError> {
        self.create_folder()?;
        open_session_file(&self.session_path(session), patience)
    }

    /// Waits until nobody else goes through what this session left behind; then, while the file is open, nobody does.
    pub fn lock_session(&self, session: &str, patience: Duration) -> Result<File, StoreError> {
        self.create_folder()?;
        let path = self.session_path(session).with_extension("lock");
        let mut options = OpenOptions::new();
        open_locked_file(options.truncate(false).write(true), &path, patience)
    }

    fn create_folder(&self) -> Result<(), StoreError> {
        lock::create_private_folder(&self.folder)
            .map_err(io_error("cannot make the folder of sessions"))
    }

    /// A session as it is; empty when there is none.
    pub fn read_session(&self, session: &str) -> AgentSession {
        read_session_file(&self.session_path(session)).unwrap_or_default()
    }

    /// Whether there are sessions beside this one. No file is read.
    pub fn has_others(&self, session: &str) -> bool {
        let own = self.session_path(session);
        self.list_files().iter().any(|it| it.0 != own)
    }

    /// Every session, the one that was added to last first.
    #[must_use]
    pub fn list_sessions(&self) -> Vec<AgentSession> {
        self.list_latest(usize::MAX, |_| true)
    }

    /// The sessions that were added to last, of those that are wanted, the last one first; at most so many, and no more
    /// are read than it takes to find them.
    pub fn list_latest(
        &self,
        limit: usize,
        is_wanted: impl Fn(&AgentSession) -> bool,
    ) -> Vec<AgentSession> {
        let files = self.list_latest_files();
        let sessions = files.iter().flat_map(|path| read_session_file(path));
        let wanted = sessions.filter(|it| !it.entries.is_empty() && is_wanted(it));
        wanted.take(limit).collect()
    }

    /// Of the sessions that were added to last, those that are wanted, the last one first. Only so many files are read,
    /// whatever is in them: somebody waits.
    pub fn list_recent(
        &self,
        n_files: usize,
        is_wanted: impl Fn(&AgentSession) -> bool,
    ) -> Vec<AgentSession> {
        let files = self.list_latest_files().into_iter().take(n_files);
        let sessions = files.flat_map(|path| read_session_file(&path));
        sessions
            .filter(|it| !it.entries.is_empty() && is_wanted(it))
            .collect()
    }

    /// Takes out what was written down about a memory, in every session.
    pub fn forget_memory(&self, id: MemoryId) -> Result<(), StoreError> {
        let name = id.to_string();
        for (path, _) in self.list_files() {
            if fs::read_to_string(&path).is_ok_and(|it| it.contains(&name)) {
                let mut open = open_session_file(&path, PATIENCE)?;
                let shown_at = open
                    .forget_memory(id)
                    .map_err(io_error("cannot rewrite a session"))?;
                prompts::remove_prompts_at(&path, &shown_at)?;
            }
        }
        Ok(())
    }

    /// Removes sessions that nothing was added to since this time.
    pub fn prune_sessions(&self, before: SystemTime) {
        for (path, _) in self.list_files().into_iter().filter(|(_, at)| *at < before) {
            // Somebody else may have been first.
            let _ = fs::remove_file(path.with_extension("lock"));
            let _ = fs::remove_file(path.with_extension("prompts"));
            let _ = fs::remove_file(path);
        }
    }

    /// The files, the one that was added to last first.
    fn list_latest_files(&self) -> Vec<PathBuf> {
        let mut files = self.list_files();
        files.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        files.into_iter().map(|it| it.0).collect()
    }

    fn list_files(&self) -> Vec<(PathBuf, SystemTime)> {
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return Vec::new();
        };
        let of = |it: fs::DirEntry| {
            let is_ours = it.path().extension().is_some_and(|it| it == "jsonl");
            let changed = it.metadata().and_then(|it| it.modified()).ok()?;
            is_ours.then(|| (it.path(), changed))
        };
        entries.filter_map(Result::ok).filter_map(of).collect()
    }
}

impl OpenSession {
    /// Adds a moment.
    pub fn append_entry(&mut self, entry: SessionEntry) -> Result<(), StoreError> {
        let gap = if self.ends_torn { "\n" } else { "" };
        let line = format!("{gap}{}\n", entry.to_json_line());
        self.file
            .write_all(line.as_bytes())
            .map_err(io_error("cannot write down this session"))?;
        self.ends_torn = false;
        self.session.entries.push(entry);
        Ok(())
    }

    /// When it was shown.
    fn forget_memory(&mut self, id: MemoryId) -> io::Result<Vec<Timestamp>> {
        let mut shown_at = Vec::new();
        for entry in &mut self.session.entries {
            let n = entry.shown.len() + entry.withheld.len();
            entry.shown.retain(|it| it.id != id);
            entry.withheld.retain(|it| it.id != id);
            if entry.shown.len() + entry.withheld.len() < n {
                entry.words = None;
                shown_at.push(entry.at);
            }
        }
        let entries = self.session.entries.iter();
        let text: String = entries.map(|it| it.to_json_line() + "\n").collect();
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(text.as_bytes())?;
        self.file.sync_all()?;
        Ok(shown_at)
    }
}

fn open_session_file(path: &Path, patience: Duration) -> Result<OpenSession, StoreError> {
    let mut options = OpenOptions::new();
    let file = open_locked_file(options.read(true).append(true), path, patience)?;
    let (session, ends_torn) =
        read_session_lines(&file).map_err(io_error("cannot read a session"))?;
    Ok(OpenSession {
        file,
        ends_torn,
        session,
    })
}

fn open_locked_file(
    options: &mut OpenOptions,
    path: &Path,
    patience: Duration,
) -> Result<File, StoreError> {
    let file = lock::set_private_mode(options.create(true)).open(path);
    let file = file.map_err(io_error("cannot open a session"))?;
    lock::lock_file_within(file, patience).map_err(|error| match error {
        LockError::Busy { waited_ms } => StoreError::Busy { waited_ms },
        LockError::Io { what, source } => io_error(what)(source),
    })
}

/// What a file says, and whether its last line is torn.
fn read_session_lines(file: &File) -> io::Result<(AgentSession, bool)> {
    let mut text = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut text)?;
    let session = AgentSession::from_lines(&String::from_utf8_lossy(&text));
    Ok((session, text.last().is_some_and(|it| *it != b'\n')))
}

fn read_session_file(path: &Path) -> io::Result<AgentSession> {
    Ok(read_session_lines(&File::open(path)?)?.0)
}

fn io_error(what: &str) -> impl Fn(io::Error) -> StoreError {
    move |error| match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            StoreError::Full
        }
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => StoreError::ReadOnly,
        _ => StoreError::Unavailable {
            what: what.into(),
            source: Box::new(error),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Client;
    use crate::session::Moment;
    use apostille_core::space::Space;

    fn entry(second: i64, moment: Moment) -> SessionEntry {
        let at = Timestamp::from_second(second).unwrap();
        SessionEntry::new(
            at,
            "s-1",
            Client::Codex,
            Space::repo("acme/api").unwrap(),
            moment,
        )
    }

    #[test]
    fn a_session_survives_a_torn_line() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = SessionLedger::new(&dir.path().join("sessions"));
        ledger
            .open_session("s-1", Duration::ZERO)
            .unwrap()
            .append_entry(entry(1, Moment::Start))
            .unwrap();
        let path = ledger.session_path("s-1");
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole[..], b"{\"v\":1,\"at\":"].concat()).unwrap();
        ledger
            .open_session("s-1", Duration::ZERO)
            .unwrap()
            .append_entry(entry(2, Moment::Prompt))
            .unwrap();
        assert_eq!(
            ledger.read_session("s-1").entries,
            [entry(1, Moment::Start), entry(2, Moment::Prompt)]
        );
        assert_eq!(ledger.list_sessions().len(), 1);
    }

    #[test]
    fn the_latest_are_counted_among_those_that_are_wanted() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = SessionLedger::new(dir.path());
        for (n, space) in ["acme/api", "acme/app", "acme/app", "acme/app"]
            .into_iter()
            .enumerate()
        {
            let name = format!("s-{n}");
            let at = Timestamp::from_second(i64::try_from(n).unwrap()).unwrap();
            let it = SessionEntry::new(
                at,
                &name,
                Client::Codex,
                Space::repo(space).unwrap(),
                Moment::Start,
            );
            ledger
                .open_session(&name, Duration::ZERO)
                .unwrap()
                .append_entry(it)
                .unwrap();
        }
        let of = |space: &str, limit: usize| {
            ledger
                .list_latest(limit, |it| {
                    it.entries.iter().all(|it| it.space.as_str() == space)
                })
                .len()
        };
        assert_eq!(
            [
                of("acme/api", 1),
                of("acme/app", 2),
                of("acme/app", 9),
                of("acme/other", 9)
            ],
            [1, 2, 3, 0]
        );
    }

    #[test]
    fn who_adds_to_a_session_is_alone() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = SessionLedger::new(dir.path());
        let held = ledger.open_session("s-1", Duration::ZERO).unwrap();
        assert!(matches!(
            ledger.open_session("s-1", Duration::from_millis(5)),
            Err(StoreError::Busy { .. })
        ));
        ledger.open_session("s-2", Duration::ZERO).unwrap();
        drop(held);
        ledger.open_session("s-1", Duration::from_secs(5)).unwrap();
    }
}
