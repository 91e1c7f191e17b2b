//! One writer at a time, across processes: a lock file whose queue is the kernel's, so that nobody starves.

use std::fs::{File, OpenOptions, TryLockError};
use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError, mpsc},
    time::{Duration, Instant},
};

use crate::no_symlink;

/// Why a lock was not had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody else held it all the time.
    #[error("another process held the lock for {waited_ms} ms")]
    Busy {
        /// How long it was waited for.
        waited_ms: u64,
    },
    /// The file cannot be opened or locked.
    #[error("{what}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
}

/// The lock file of a store.
#[derive(Debug)]
pub struct StoreLock {
    path: PathBuf,
    file: Option<File>,
}

/// Held until dropped. A process that dies lets go.
#[derive(Debug)]
pub enum StoreLockGuard<'a> {
    /// Through the file that is kept open.
    Kept(&'a File),
    /// Through a file of its own, which was waited for.
    Own(File),
}

impl Drop for StoreLockGuard<'_> {
    fn drop(&mut self) {
        if let Self::Kept(file) = self {
            // Unlocking a file that we hold cannot fail; if it did, closing it would.
            let _ = file.unlock();
        }
    }
}

impl StoreLock {
    /// The queue at this lock file, which need not be there.
    pub fn new(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    /// Waits in line for the lock, at most this long.
    ///
    /// A plain busy loop lets one writer starve while others hurry past; a blocking lock has a fair queue but no time
    /// limit. So a thread stands in line, and only as long as somebody waits for it.
    ///
    /// When the time is up, that thread cannot be called back: it stays blocked in the kernel. It owns the file it waits
    /// with, so when its turn comes it gets the lock, finds that nobody listens, and drops both. For that moment the lock is
    /// held in vain, which delays the next in line and loses nothing. It is also why waiting uses a file of its own and
    /// not the one that is kept open: a late success on a shared file would lock it behind the back of its owner.
    ///
    /// The first attempt is made without a thread. Without contention, which is nearly always, no thread is ever started.
    pub fn wait_for_lock(&mut self, patience: Duration) -> Result<StoreLockGuard<'_>, LockError> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(open_lock_file(&self.path)?),
        };
        match file.try_lock() {
            Ok(()) => Ok(StoreLockGuard::Kept(file)),
            Err(TryLockError::WouldBlock) => {
                wait_for_file_lock(open_lock_file(&self.path)?, patience).map(StoreLockGuard::Own)
            }
            Err(TryLockError::Error(source)) => Err(LockError::Io {
                what: "cannot lock the store",
                source,
            }),
        }
    }
}

/// The file itself, held until it is closed; others are waited for at most this long.
pub fn lock_file_within(file: File, patience: Duration) -> Result<File, LockError> {
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => wait_for_file_lock(file, patience),
        Err(TryLockError::Error(source)) => Err(LockError::Io {
            what: "cannot lock a file",
            source,
        }),
    }
}

fn wait_for_file_lock(file: File, patience: Duration) -> Result<File, LockError> {
    let started = Instant::now();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let locked = file.lock().map(|()| file);
        // Nobody listening any more: the file is dropped with the message, and the lock with it.
        let _ = sender.send(locked);
    });
    match receiver.recv_timeout(patience) {
        Ok(Ok(file)) => Ok(file),
        Ok(Err(source)) => Err(LockError::Io {
            what: "cannot lock the store",
            source,
        }),
        Err(_) => Err(LockError::Busy {
            waited_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        }),
    }
}

fn open_lock_file(path: &Path) -> Result<File, LockError> {
    let mut options = cap_std::fs::OpenOptions::new();
    options.create(true).truncate(false).write(true);
    no_symlink::open_unlinked_file(path, &mut options).map_err(|source| LockError::Io {
        what: "cannot open the store's lock file",
        source,
    })
}

/// A mutex whose value is whole whenever it is let go, also by a thread that panics.
pub fn lock_ignoring_poison<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Files of a store are their owner's alone.
pub fn set_private_mode(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Makes a store's folder, its owner's alone.
pub fn create_private_folder(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Makes a folder its owner's alone, also where it is there and others may look into it: a looser folder of an earlier
/// version, or one that was made by hand.
pub fn secure_private_folder(path: &Path) -> std::io::Result<()> {
    create_private_folder(path)?;
    #[cfg(unix)]
    {
        use std::{fs::Permissions, os::unix::fs::PermissionsExt as _};
        if std::fs::metadata(path)?.permissions().mode() & 0o777 != 0o700 {
            std::fs::set_permissions(path, Permissions::from_mode(0o700))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holder_waits_and_gives_up() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let (mut first, mut second) = (StoreLock::new(path.clone()), StoreLock::new(path));
        let held = first.wait_for_lock(Duration::ZERO).unwrap();
        assert!(matches!(
            second.wait_for_lock(Duration::from_millis(5)),
            Err(LockError::Busy { .. })
        ));
        drop(held);
        drop(second.wait_for_lock(Duration::from_secs(5)).unwrap());
        assert!(
            first.wait_for_lock(Duration::ZERO).is_ok(),
            "what was held is let go"
        );
    }
}
