//! One run at a time: who comes later waits for a moment, and then sees what the other has written.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

use anyhow::anyhow;

use super::backup;
use apostille_workspace::error::CommandError;
use apostille_workspace::system::System;

/// How long another run is waited for, in milliseconds. One takes a few of them.
const PATIENCE_MS: u64 = 10_000;
/// How long to wait between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// Held until dropped. A process that dies lets go.
#[derive(Debug)]
pub(super) struct InitLock(
    #[expect(
        dead_code,
        reason = "held, never read: dropping it lets the next one in"
    )]
    File,
);

/// Waits for the turn of this run.
pub(super) fn acquire_init_lock(world: &System) -> Result<InitLock, CommandError> {
    let folder = backup::locate_backup_folder(world)?;
    let file = open_init_lock_file(&folder).map_err(|it| {
        CommandError::internal(anyhow!("cannot lock '{}': {it}", folder.display()))
    })?;
    let watch = world.stopwatch();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(InitLock(file)),
            Err(TryLockError::Error(error)) => return Err(CommandError::internal(error)),
            Err(TryLockError::WouldBlock) if watch() / 1_000 > PATIENCE_MS => {
                return Err(CommandError::internal(anyhow!(
                    "another `apostille init` is at work; try again"
                )));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}

fn open_init_lock_file(folder: &Path) -> std::io::Result<File> {
    backup::create_backup_folder(folder)?;
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join("lock"))
}
