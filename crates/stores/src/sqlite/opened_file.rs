//! The file that was opened, told from another one that has its name now.
//!
//! SQLite goes on writing to a file that was removed under it, and says that all went well. What was acknowledged so is gone
//! with the process.

use std::path::{Path, PathBuf};

/// The file under a path when the store was opened.
#[derive(Debug)]
pub(super) struct OpenedFile {
    path: PathBuf,
    id: Option<(u64, u64)>,
}

impl OpenedFile {
    /// The file that has this path now.
    pub(super) fn new(path: &Path) -> Self {
        let path = path.to_path_buf();
        let id = read_file_id(&path);
        Self { path, id }
    }

    /// Whether it still has its path. Where a system gives files no identity, it is taken to be so.
    pub(super) fn is_in_place(&self) -> bool {
        self.id.is_none() || read_file_id(&self.path) == self.id
    }
}

/// Device and inode. The number is not given to another file while this one is open.
#[cfg(unix)]
fn read_file_id(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let found = std::fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn read_file_id(_: &Path) -> Option<(u64, u64)> {
    None
}
