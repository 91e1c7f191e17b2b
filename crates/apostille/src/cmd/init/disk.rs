//! Reading and writing the files of others: never through a link out of a repository, whole or not at all.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, anyhow};

use crate::world::disk::{put, synced};

/// The largest file that is read.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A file as it is.
#[derive(Debug, Clone)]
pub struct Found {
    /// Where it really is, behind every link.
    pub target: PathBuf,
    /// What is in it; nothing, if it is not there.
    pub bytes: Option<Vec<u8>>,
}

/// A file that is to be something else.
#[derive(Debug, Clone)]
pub struct Change {
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
pub fn look(path: &Path, within: Option<&Path>) -> Result<Found, String> {
    let target = resolved(path)?;
    if let Some(root) = within {
        let root = fs::canonicalize(root).map_err(|error| error.to_string())?;
        let inside =
            target.strip_prefix(&root).map_err(|_| "it leads out of the repository through a link")?;
        if inside.components().any(|it| it == Component::Normal(".git".as_ref())) {
            return Err("it leads into .git through a link".into());
        }
    }
    match fs::metadata(&target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Found { target, bytes: None }),
        Err(error) => Err(error.to_string()),
        Ok(it) if !it.is_file() => Err("it is no file".into()),
        Ok(it) if it.len() > MAX_BYTES => Err("it is larger than 64 MB".into()),
        Ok(it) if it.permissions().readonly() => Err("it is read-only".into()),
        Ok(_) => {
            let bytes = fs::read(&target).map_err(|error| error.to_string())?;
            Ok(Found { target, bytes: Some(bytes) })
        }
    }
}

/// Where a path leads, as far as it exists.
fn resolved(path: &Path) -> Result<PathBuf, String> {
    match fs::canonicalize(path) {
        Ok(path) => return Ok(path),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.to_string()),
        Err(_) => {}
    }
    if fs::symlink_metadata(path).is_ok() {
        return Err("it is a link to nothing".into());
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(resolved(parent)?.join(name)),
        _ => Err("its folder is not there".into()),
    }
}

/// The folders that are missing on the way to a file, the outermost first.
pub fn missing(target: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        target.ancestors().skip(1).take_while(|it| !it.exists()).map(Path::to_path_buf).collect();
    folders.reverse();
    folders
}

/// Why changes were not made.
#[derive(Debug)]
pub struct Failed {
    /// What went wrong.
    pub cause: anyhow::Error,
    /// Whether everything is as it was.
    pub is_taken_back: bool,
}

/// Makes every change; when one of them fails, those before it are taken back.
pub fn apply(changes: &[Change]) -> Result<(), Failed> {
    let mut made = Vec::new();
    for (n, change) in changes.iter().enumerate() {
        made.extend(missing(&change.target));
        let Err(error) = one(change) else { continue };
        let back = changes[..n].iter().rev().map(|it| written(&it.target, it.before.as_deref(), None));
        let lost: Vec<_> = back.filter_map(Result::err).collect();
        prune(&made);
        let error = error.context(format!("cannot write '{}'", change.target.display()));
        let outcome = match lost.first() {
            None => "nothing was changed".to_owned(),
            Some(lost) => format!("what was written before it could not be taken back ({lost:#})"),
        };
        return Err(Failed { cause: error.context(outcome), is_taken_back: lost.is_empty() });
    }
    Ok(())
}

/// Removes folders that are empty, the innermost first.
pub fn prune(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}

fn one(change: &Change) -> anyhow::Result<()> {
    let now = match fs::read(&change.target) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    // Clients write to their files while they run.
    if now != change.before || resolved(&change.target).map_err(|it| anyhow!(it))? != change.target {
        return Err(anyhow!("somebody else changed it meanwhile; try again"));
    }
    written(&change.target, change.after.as_deref(), change.mode)
}

/// Puts these bytes into a file, or removes it: whole or not at all.
fn written(target: &Path, bytes: Option<&[u8]>, mode: Option<u32>) -> anyhow::Result<()> {
    let folder = target.parent().context("it has no folder")?;
    let Some(bytes) = bytes else {
        fs::remove_file(target)
            .or_else(|it| if it.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(it) })?;
        synced(folder);
        return Ok(());
    };
    Ok(put(target, bytes, mode, std::process::id().into())?)
}

/// The permissions of a file, where it has some.
#[cfg(unix)]
pub fn mode(target: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(target).ok().map(|it| it.permissions().mode() & 0o7777)
}

/// The permissions of a file, where it has some.
#[cfg(not(unix))]
pub fn mode(_: &Path) -> Option<u32> {
    None
}
