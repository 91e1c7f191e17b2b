//! Reading and writing the files of others: never through a link out of a repository, whole or not at all.
//!
//! These are settings that somebody else owns and that a running client may write at any moment. So a change is a pair of
//! what was read and what is to be there, and it is made only if the file still is what was read. All changes of one `init`
//! are made or none: when one fails, those before it are taken back, again only where the file still is what we
//! made of it. If that is not so, it is said, and the other's text stays.
//!
//! A path in a repository is chosen by whoever wrote the repository. `.claude/settings.json` may be a link to
//! `~/.ssh/config`, and a tool that writes through it hands over the user's files. Links are resolved first, the target
//! must lie inside the repository, and not in `.git`, where a text becomes a hook that git runs. A link to nothing is
//! refused, because creating its target would be the same trick. Reading is bounded and of plain files only: a pipe or a
//! device has no end.
//!
//! A file is replaced by renaming a finished one over it, in the folder of the real target: a rename over the link itself
//! would turn somebody's linked dotfiles into plain copies.

use std::fs;
use std::{
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, anyhow};

use apostille_workspace::atomic_file::{fsync_folder, write_file_atomically};

/// A million bytes, as people count.
const MB: u64 = 1024 * 1024;
/// The largest file that is changed.
const MOST: u64 = 64 * MB;
/// The largest file of a repository that is read without anybody having asked for that file.
const MOST_HERE: u64 = MB;

/// A file as it is.
pub(super) struct FileSnapshot {
    /// Where it really is, behind every link.
    pub target: PathBuf,
    /// What is in it; nothing, if it is not there.
    pub bytes: Option<Vec<u8>>,
}

impl FileSnapshot {
    /// The change of the file to these bytes, with these permissions.
    pub(super) fn into_change(self, after: Option<Vec<u8>>, mode: Option<u32>) -> FileChange {
        FileChange {
            target: self.target,
            before: self.bytes,
            after,
            mode,
        }
    }
}

/// A file that is to be something else.
#[derive(Clone, PartialEq)]
pub(super) struct FileChange {
    /// Where it really is.
    pub target: PathBuf,
    /// What is in it; nothing, if it is not there.
    pub before: Option<Vec<u8>>,
    /// What is to be in it; nothing, if it is to go.
    pub after: Option<Vec<u8>>,
    /// Its permissions, where they are not those that it has.
    pub mode: Option<u32>,
}

/// Looks at a file. `within` is the folder that its links may not lead out of; why not, where they do.
pub(super) fn read_file_snapshot(
    path: &Path,
    within: Option<&Path>,
) -> Result<FileSnapshot, String> {
    let target = resolve_within_folder(path, within)?;
    let bytes = read_settings_bytes(&target, MOST)?;
    if bytes.is_some() && fs::metadata(&target).is_ok_and(|it| it.permissions().readonly()) {
        return Err("it is read-only".into());
    }
    Ok(FileSnapshot { target, bytes })
}

/// The text of a file; nothing, if it is not there. What a repository brings is read within narrow bounds.
pub(super) fn read_settings_text(
    path: &Path,
    within: Option<&Path>,
) -> Result<Option<String>, String> {
    let most = if within.is_some() { MOST_HERE } else { MOST };
    let Some(bytes) = read_settings_bytes(&resolve_within_folder(path, within)?, most)? else {
        return Ok(None);
    };
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| "it is not UTF-8".into())
}

/// Where a path leads, unless that is out of a folder.
fn resolve_within_folder(path: &Path, within: Option<&Path>) -> Result<PathBuf, String> {
    let target = resolve_link_target(path)?;
    let Some(root) = within else {
        return Ok(target);
    };
    let root = fs::canonicalize(root).map_err(|error| error.to_string())?;
    let inside = target
        .strip_prefix(&root)
        .map_err(|_| "it leads out of the repository through a link")?;
    match inside.iter().any(|it| it == ".git") {
        true => Err("it leads into .git through a link".into()),
        false => Ok(target),
    }
}

/// What is in a file of this size at most: in a plain one, for others may have no end.
fn read_settings_bytes(target: &Path, most: u64) -> Result<Option<Vec<u8>>, String> {
    match keep_if_present(fs::metadata(target)).map_err(|error| error.to_string())? {
        None => return Ok(None),
        Some(it) if !it.is_file() => return Err("it is not a regular file".into()),
        Some(_) => {}
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(target).map_err(|error| error.to_string())?;
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    match bytes.len() as u64 > most {
        true => Err(format!("it is larger than {} MB", most / MB)),
        false => Ok(Some(bytes)),
    }
}

/// Where a path leads, as far as it exists.
fn resolve_link_target(path: &Path) -> Result<PathBuf, String> {
    match fs::canonicalize(path) {
        Ok(path) => return Ok(path),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.to_string()),
        Err(_) => {}
    }
    if fs::symlink_metadata(path).is_ok() {
        return Err("it is a link to nothing".into());
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(resolve_link_target(parent)?.join(name)),
        _ => Err("its folder is not there".into()),
    }
}

/// The folders that are missing on the way to a file, the outermost first.
pub(super) fn list_missing_folders(target: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = target
        .ancestors()
        .skip(1)
        .take_while(|it| !it.exists())
        .map(Path::to_path_buf)
        .collect();
    folders.reverse();
    folders
}

/// Why changes were not made.
#[derive(Debug)]
pub(super) struct FileChangeError {
    /// What went wrong.
    pub cause: anyhow::Error,
    /// Whether everything is as it was.
    pub is_taken_back: bool,
}

/// Makes every change; when one of them fails, those before it are taken back.
pub(super) fn apply_file_changes(changes: &[FileChange]) -> Result<(), FileChangeError> {
    let mut made = Vec::new();
    for (n, change) in changes.iter().enumerate() {
        made.extend(list_missing_folders(&change.target));
        let Err(error) = apply_single_change(change) else {
            continue;
        };
        let reverted = changes[..n].iter().rev().map(revert_file_change);
        let lost: Vec<_> = reverted.filter_map(Result::err).collect();
        remove_empty_folders(&made);
        let error = error.context(format!("cannot write '{}'", change.target.display()));
        let outcome = match lost.first() {
            None => "nothing was changed".to_owned(),
            Some(lost) => format!("what was written before it could not be taken back ({lost:#})"),
        };
        return Err(FileChangeError {
            cause: error.context(outcome),
            is_taken_back: lost.is_empty(),
        });
    }
    Ok(())
}

/// Removes folders that are empty, the innermost first.
pub(super) fn remove_empty_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}

/// Takes a change back, if it is still what we made of it: what somebody else wrote since is theirs.
fn revert_file_change(change: &FileChange) -> anyhow::Result<()> {
    if keep_if_present(fs::read(&change.target))? != change.after {
        return Err(anyhow!(
            "another program changed '{}' meanwhile",
            change.target.display()
        ));
    }
    replace_or_remove_file(&change.target, change.before.as_deref(), None)
}

/// What was done to a file; nothing, if it is not there.
pub(super) fn keep_if_present<T>(done: io::Result<T>) -> io::Result<Option<T>> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

fn apply_single_change(change: &FileChange) -> anyhow::Result<()> {
    let now = keep_if_present(fs::read(&change.target))?;
    // Clients write to their files while they run.
    if now != change.before
        || resolve_link_target(&change.target).map_err(|it| anyhow!(it))? != change.target
    {
        return Err(anyhow!("another program changed it meanwhile; try again"));
    }
    replace_or_remove_file(&change.target, change.after.as_deref(), change.mode)
}

/// Puts these bytes into a file, or removes it: whole or not at all.
fn replace_or_remove_file(
    target: &Path,
    bytes: Option<&[u8]>,
    mode: Option<u32>,
) -> anyhow::Result<()> {
    let folder = target.parent().context("it has no folder")?;
    let Some(bytes) = bytes else {
        keep_if_present(fs::remove_file(target))?;
        fsync_folder(folder);
        return Ok(());
    };
    Ok(write_file_atomically(
        target,
        bytes,
        mode,
        std::process::id().into(),
    )?)
}

/// The permissions of a file, where it has some.
#[cfg(unix)]
pub(super) fn read_file_mode(target: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(target)
        .ok()
        .map(|it| it.permissions().mode() & 0o7777)
}

/// The permissions of a file, where it has some.
#[cfg(not(unix))]
pub(super) fn read_file_mode(_: &Path) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_else_wrote_is_not_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let change = |name: &str, before: Option<&str>, after: &str| FileChange {
            target: root.join(name),
            before: before.map(Into::into),
            after: Some(after.into()),
            mode: None,
        };
        // The second change is not what is there, so the first is taken back.
        fs::write(root.join("b"), "theirs").unwrap();
        let failed = apply_file_changes(&[
            change("a", None, "ours"),
            change("b", Some("other"), "ours"),
        ])
        .unwrap_err();
        assert!(failed.is_taken_back && !root.join("a").exists());
        fs::write(root.join("a"), "theirs").unwrap();
        let error = revert_file_change(&change("a", None, "ours")).unwrap_err();
        assert!(
            error.to_string().contains("another program changed"),
            "{error}"
        );
        assert_eq!(fs::read(root.join("a")).unwrap(), b"theirs");
    }
}
