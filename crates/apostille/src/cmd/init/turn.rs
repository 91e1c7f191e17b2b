//! One run at a time: who comes later waits for a moment, and then sees what the other has written.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

use anyhow::anyhow;

use super::kept;
use apostille_workspace::error::Fault;
use apostille_workspace::system::World;

/// How long another run is waited for, in milliseconds. One takes a few of them.
const PATIENCE_MS: u64 = 10_000;
/// How long to wait between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// Held until dropped. A process that dies lets go.
#[derive(Debug)]
pub struct Turn(
    #[expect(
        dead_code,
        reason = "held, never read: dropping it lets the next one in"
    )]
    File,
);

/// Waits for the turn of this run.
pub fn taken(world: &World) -> Result<Turn, Fault> {
    let folder = kept::folder(world)?;
    let file = opened(&folder)
        .map_err(|it| Fault::internal(anyhow!("cannot lock '{}': {it}", folder.display())))?;
    let watch = world.stopwatch();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Turn(file)),
            Err(TryLockError::Error(error)) => return Err(Fault::internal(error)),
            Err(TryLockError::WouldBlock) if watch() / 1_000 > PATIENCE_MS => {
                return Err(Fault::internal(anyhow!(
                    "another `apostille init` is at work; try again"
                )));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}

fn opened(folder: &Path) -> std::io::Result<File> {
    kept::made(folder)?;
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join("lock"))
}
