//! Sessions on disk: one file for each, one line for each moment, its owner's alone.
//!
//! Two hooks of one client may run at once, so whoever looks at a session to add to it holds its file. A torn last line
//! is left out when the file is read and ended before the next one is written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::session::{Entry, Session};
use apostille_core::memory::MemoryId;
use apostille_core::store::StoreError;
use apostille_text::digest::Digest;

use apostille_files::lock::{self, LockError};

/// The most that is read of one session.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// How long forgetting waits for a hook that is writing.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where sessions are kept.
#[derive(Debug, Clone)]
pub struct Ledger {
    folder: PathBuf,
}

/// A session that nobody else adds to meanwhile.
#[derive(Debug)]
pub struct Open {
    file: File,
    ends_torn: bool,
    /// What is written down so far.
    pub session: Session,
}

impl Ledger {
    /// The ledger in this folder, which need not be there.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    fn path(&self, session: &str) -> PathBuf {
        self.folder
            .join(format!("{}.jsonl", Digest::of(session.as_bytes()).short()))
    }

    /// Opens a session to add to it; waits for others at most so long.
    pub fn open(&self, session: &str, patience: Duration) -> Result<Open, StoreError> {
        lock::private_folder(&self.folder)
            .map_err(|it| io_error("cannot make the folder of sessions", it))?;
        opened(&self.path(session), patience)
    }

    /// Waits until nobody else goes through what this session left behind; then, while the file is open, nobody does.
    pub fn alone(&self, session: &str, patience: Duration) -> Result<File, StoreError> {
        lock::private_folder(&self.folder)
            .map_err(|it| io_error("cannot make the folder of sessions", it))?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        let file = lock::private(&mut options).open(self.path(session).with_extension("lock"));
        lock::held(
            file.map_err(|it| io_error("cannot open a session", it))?,
            patience,
        )
        .map_err(lock_error)
    }

    /// A session as it is; empty when there is none.
    #[must_use]
    pub fn read(&self, session: &str) -> Session {
        read(&self.path(session)).unwrap_or_default()
    }

    /// Every session, the one that was added to last first.
    #[must_use]
    pub fn all(&self) -> Vec<Session> {
        self.latest(usize::MAX, |_| true)
    }

    /// The sessions that were added to last, of those that are wanted, the last one first; at most so many, and no more
    /// are read than it takes to find them.
    #[must_use]
    pub fn latest(&self, limit: usize, is_wanted: impl Fn(&Session) -> bool) -> Vec<Session> {
        let mut files = self.files();
        files.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let sessions = files.iter().filter_map(|(path, _)| read(path).ok());
        sessions
            .filter(|it| !it.entries.is_empty() && is_wanted(it))
            .take(limit)
            .collect()
    }

    /// Takes out what was written down about a memory, in every session.
    pub fn forget(&self, id: MemoryId) -> Result<(), StoreError> {
        let name = id.to_string();
        for (path, _) in self.files() {
            let has = fs::read_to_string(&path).is_ok_and(|it| it.contains(&name));
            if has {
                let mut open = opened(&path, PATIENCE)?;
                open.forget(id)
                    .map_err(|it| io_error("cannot rewrite a session", it))?;
            }
        }
        Ok(())
    }

    /// Removes sessions that nothing was added to since this time.
    pub fn prune(&self, before: SystemTime) {
        for (path, _) in self.files().into_iter().filter(|(_, at)| *at < before) {
            // Somebody else may have been first.
            let _ = fs::remove_file(path.with_extension("lock"));
            let _ = fs::remove_file(path);
        }
    }

    fn files(&self) -> Vec<(PathBuf, SystemTime)> {
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

impl Open {
    /// Adds a moment.
    pub fn append(&mut self, entry: Entry) -> Result<(), StoreError> {
        let gap = if self.ends_torn { "\n" } else { "" };
        let line = format!("{gap}{}\n", entry.line());
        self.file
            .write_all(line.as_bytes())
            .map_err(|it| io_error("cannot write down this session", it))?;
        self.ends_torn = false;
        self.session.entries.push(entry);
        Ok(())
    }

    fn forget(&mut self, id: MemoryId) -> io::Result<()> {
        for entry in &mut self.session.entries {
            let n = entry.shown.len() + entry.withheld.len();
            entry.shown.retain(|it| it.id != id);
            entry.withheld.retain(|it| it.id != id);
            if entry.shown.len() + entry.withheld.len() < n {
                entry.words = None;
            }
        }
        let text: String = self
            .session
            .entries
            .iter()
            .map(|it| it.line() + "\n")
            .collect();
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(text.as_bytes())?;
        self.file.sync_all()
    }
}

fn opened(path: &Path, patience: Duration) -> Result<Open, StoreError> {
    let mut options = OpenOptions::new();
    options.create(true).read(true).append(true);
    let file = lock::private(&mut options).open(path);
    let file = lock::held(
        file.map_err(|it| io_error("cannot open a session", it))?,
        patience,
    )
    .map_err(lock_error)?;
    let mut text = Vec::new();
    (&file)
        .take(MAX_BYTES)
        .read_to_end(&mut text)
        .map_err(|it| io_error("cannot read a session", it))?;
    let session = Session::read(&String::from_utf8_lossy(&text));
    Ok(Open {
        file,
        ends_torn: text.last().is_some_and(|it| *it != b'\n'),
        session,
    })
}

fn read(path: &Path) -> io::Result<Session> {
    let mut text = Vec::new();
    File::open(path)?.take(MAX_BYTES).read_to_end(&mut text)?;
    Ok(Session::read(&String::from_utf8_lossy(&text)))
}

fn io_error(what: &str, error: io::Error) -> StoreError {
    match error.kind() {
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

fn lock_error(error: LockError) -> StoreError {
    match error {
        LockError::Busy { waited_ms } => StoreError::Busy { waited_ms },
        LockError::Io { what, source } => io_error(what, source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Client;
    use crate::session::Moment;
    use apostille_core::space::Space;
    use jiff::Timestamp;

    fn entry(second: i64, moment: Moment) -> Entry {
        let at = Timestamp::from_second(second).unwrap();
        Entry::new(
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
        let ledger = Ledger::new(&dir.path().join("sessions"));
        ledger
            .open("s-1", Duration::ZERO)
            .unwrap()
            .append(entry(1, Moment::Start))
            .unwrap();
        let path = ledger.path("s-1");
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole[..], b"{\"v\":1,\"at\":"].concat()).unwrap();
        ledger
            .open("s-1", Duration::ZERO)
            .unwrap()
            .append(entry(2, Moment::Prompt))
            .unwrap();
        assert_eq!(
            ledger.read("s-1").entries,
            [entry(1, Moment::Start), entry(2, Moment::Prompt)]
        );
        assert_eq!(ledger.all().len(), 1);
    }

    #[test]
    fn the_latest_are_counted_among_those_that_are_wanted() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = Ledger::new(dir.path());
        for (n, space) in ["acme/api", "acme/app", "acme/app", "acme/app"]
            .into_iter()
            .enumerate()
        {
            let name = format!("s-{n}");
            let at = Timestamp::from_second(i64::try_from(n).unwrap()).unwrap();
            let it = Entry::new(
                at,
                &name,
                Client::Codex,
                Space::repo(space).unwrap(),
                Moment::Start,
            );
            ledger
                .open(&name, Duration::ZERO)
                .unwrap()
                .append(it)
                .unwrap();
        }
        let of = |space: &str, limit: usize| {
            ledger
                .latest(limit, |it| {
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
        let ledger = Ledger::new(dir.path());
        let held = ledger.open("s-1", Duration::ZERO).unwrap();
        assert!(matches!(
            ledger.open("s-1", Duration::from_millis(5)),
            Err(StoreError::Busy { .. })
        ));
        ledger.open("s-2", Duration::ZERO).unwrap();
        drop(held);
        ledger.open("s-1", Duration::from_secs(5)).unwrap();
    }
}
