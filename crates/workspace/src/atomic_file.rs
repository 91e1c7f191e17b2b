//! Writing a file whole or not at all, and never through a link: what lies in a repository may have been put there to
//! lead a writer out of it.

use std::fs::{self, File, OpenOptions, Permissions};
use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Puts these bytes into a file, with the permissions that are said, else those it has. They are written aside first,
/// under a name that `draw` makes and that nothing may have yet.
pub fn write_file_atomically(
    target: &Path,
    bytes: &[u8],
    mode: Option<u32>,
    draw: u128,
) -> io::Result<()> {
    let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else {
        return Err(io::Error::other("it has no name in a folder"));
    };
    let found = fs::symlink_metadata(target).ok();
    if found.as_ref().is_some_and(|it| !it.is_file()) {
        return Err(io::Error::other("it is a link, or no file"));
    }
    fs::create_dir_all(folder)?;
    let draft = folder.join(format!(".{}.{draw:x}.tmp", name.to_string_lossy()));
    let permissions = permissions_from_mode(mode).or(found.map(|it| it.permissions()));
    // Not opened where anything is, link or no link.
    let file = File::create_new(&draft)?;
    let done = fill_file(file, bytes, permissions).and_then(|()| fs::rename(&draft, target));
    if done.is_err() {
        let _ = fs::remove_file(&draft);
    }
    done?;
    fsync_folder(folder);
    Ok(())
}

/// Removes drafts of this file that a killed process left, so that no words stay that were taken out of the file since. Only for
/// who holds the lock under which the file is written.
pub fn remove_old_drafts(target: &Path) -> io::Result<()> {
    list_old_drafts(target)?
        .iter()
        .try_for_each(fs::remove_file)
}

/// The drafts that lie beside this file.
pub fn list_old_drafts(target: &Path) -> io::Result<Vec<PathBuf>> {
    let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else {
        return Ok(Vec::new());
    };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let start = format!(".{}.", name.to_string_lossy());
    let is_draft = |it: &str| it.starts_with(&start) && it.ends_with(".tmp");
    let mut drafts = Vec::new();
    for entry in entries {
        let entry = entry?;
        if is_draft(&entry.file_name().to_string_lossy()) {
            drafts.push(entry.path());
        }
    }
    Ok(drafts)
}

fn fill_file(mut file: File, bytes: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

/// That a name lasts is known only once its folder is written; where folders cannot be, nobody is told.
pub fn fsync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// Waits for the process that holds this lock file now. What has to be made for it is its owner's alone.
pub(crate) fn lock_private_file(path: &Path) -> io::Result<File> {
    let (mut folder, mut options) = (fs::DirBuilder::new(), OpenOptions::new());
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    path.parent()
        .map_or(Ok(()), |it| folder.recursive(true).create(it))?;
    let file = options
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)?;
    file.lock()?;
    Ok(file)
}

#[cfg(unix)]
fn permissions_from_mode(mode: Option<u32>) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    mode.map(Permissions::from_mode)
}

#[cfg(not(unix))]
fn permissions_from_mode(_: Option<u32>) -> Option<Permissions> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn write_file_atomically_refuses_link() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("mine"), "mine").unwrap();
        symlink(at("mine"), at("NOTES.md")).unwrap();
        assert!(write_file_atomically(&at("NOTES.md"), b"theirs", None, 7).is_err());
        symlink(at("mine"), at(".new.7.tmp")).unwrap();
        assert!(write_file_atomically(&at("new"), b"theirs", None, 7).is_err());
        assert_eq!(fs::read_to_string(at("mine")).unwrap(), "mine");
        assert!(at(".new.7.tmp").is_symlink(), "what was there stays");
    }

    #[test]
    fn old_drafts_of_a_file_are_removed_and_no_others() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for name in ["a", ".a.7.tmp", ".a.f0.tmp", ".b.7.tmp", ".a.tmpl"] {
            fs::write(at(name), "words").unwrap();
        }
        remove_old_drafts(&at("a")).unwrap();
        let left = fs::read_dir(dir.path()).unwrap();
        let left = left.map(|it| it.unwrap().file_name().into_string().unwrap());
        let mut left: Vec<String> = left.collect();
        left.sort();
        assert_eq!(left, [".a.tmpl", ".b.7.tmp", "a"]);
    }

    #[test]
    fn write_file_atomically_keeps_permissions() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("a/b");
        write_file_atomically(&target, b"one", Some(0o640), 1).unwrap();
        write_file_atomically(&target, b"two", None, 1).unwrap();
        assert_eq!(
            fs::metadata(&target).unwrap().permissions().mode() & 0o777,
            0o640
        );
        assert_eq!(fs::read_dir(target.parent().unwrap()).unwrap().count(), 1);
        assert_eq!(fs::read_to_string(target).unwrap(), "two");
    }
}
