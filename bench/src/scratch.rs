//! Where scratch files go: figures of durable writes mean something only on a disk.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use tempfile::TempDir;

/// File systems that keep their files in memory.
const IN_MEMORY: [&str; 2] = ["tmpfs", "ramfs"];

/// The folder for what is measured.
pub(crate) fn on_disk(asked: Option<&Path>) -> Result<TempDir> {
    let folder = match asked {
        Some(folder) => folder.to_path_buf(),
        None => usual()?,
    };
    std::fs::create_dir_all(&folder)?;
    TempDir::with_prefix_in("apostille-bench-", &folder)
        .with_context(|| format!("no scratch folder can be made in {}", folder.display()))
}

/// The system's folder for temporary files, or the one of this program when the system's is in memory.
fn usual() -> Result<PathBuf> {
    let system = std::env::temp_dir();
    if !is_in_memory(&system) {
        return Ok(system);
    }
    let program = std::env::current_exe()?;
    Ok(program
        .parent()
        .context("the program lies in a folder")?
        .to_path_buf())
}

/// A folder in memory where there is one: a store is filled there without waiting for the disk.
pub(crate) fn in_memory() -> Option<TempDir> {
    let shared = Path::new("/dev/shm");
    if is_in_memory(shared) {
        TempDir::with_prefix_in("apostille-bench-", shared).ok()
    } else {
        None
    }
}

fn is_in_memory(folder: &Path) -> bool {
    IN_MEMORY.contains(&file_system(folder).as_str())
}

/// The kind of file system that a folder lies on, such as `ext4`; `unknown` where the system does not say.
pub(crate) fn file_system(folder: &Path) -> String {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let folder = folder
        .canonicalize()
        .unwrap_or_else(|_| folder.to_path_buf());
    kind_of(&mounts, &folder).unwrap_or("unknown").to_owned()
}

fn kind_of<'m>(mounts: &'m str, folder: &Path) -> Option<&'m str> {
    let mount = |line: &'m str| {
        let mut words = line.split(' ').skip(1);
        Some((words.next()?, words.next()?))
    };
    let above = mounts
        .lines()
        .filter_map(mount)
        .filter(|(place, _)| folder.starts_with(place));
    above
        .max_by_key(|(place, _)| place.len())
        .map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_mount_counts() {
        let mounts = "/dev/a / ext4 rw 0 0\ntmpfs /dev/shm tmpfs rw 0 0\n/dev/b /home xfs rw 0 0\n";
        let check =
            |folder: &str, expected| assert_eq!(kind_of(mounts, Path::new(folder)), Some(expected));
        check("/tmp/x", "ext4");
        check("/dev/shm/x", "tmpfs");
        check("/home", "xfs");
        check("/homes", "ext4");
        assert_eq!(kind_of("", Path::new("/")), None);
    }
}
