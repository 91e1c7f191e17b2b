//! One run at a time: who comes later waits for a moment, and then sees what the other has written.

use std::fs::{File, OpenOptions};
use std::time::Duration;

use anyhow::anyhow;
use apostille_files::lock::{LockError, create_private_folder, lock_file_within, set_private_mode};

use super::backup;
use apostille_workspace::{error::CommandError, system::System};

/// How long another run is waited for. One takes a few milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// Waits for the turn of this run, which lasts while the file is open. A process that dies lets go.
pub(super) fn acquire_init_lock(system: &System) -> Result<File, CommandError> {
    let folder = backup::locate_backup_folder(system)?;
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    let file = create_private_folder(&folder)
        .and_then(|()| set_private_mode(&mut options).open(folder.join("lock")))
        .map_err(|it| anyhow!("cannot lock '{}': {it}", folder.display()));
    let locked = lock_file_within(file.map_err(CommandError::internal)?, PATIENCE);
    locked.map_err(|error| match error {
        LockError::Busy { .. } => {
            CommandError::internal(anyhow!("another `apostille init` is at work; try again"))
        }
        LockError::Io { source, .. } => CommandError::internal(source),
    })
}
