//! What is kept of every run, so that it can be undone byte for byte: the files as they were, and a page that lists them.

use std::fs::{self, OpenOptions};
use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use apostille_files::lock::{create_private_folder, set_private_mode};
use apostille_text::digest::Digest;
use serde::{Deserialize, Serialize};

use super::{
    file_changes::{self, FileChange},
    scope::InitScope,
};
use apostille_workspace::{error::CommandError, system::System};

const VERSION: u32 = 1;
const MANIFEST: &str = "manifest.json";

/// The page of a run.
#[derive(Serialize, Deserialize)]
pub(super) struct BackupManifest {
    version: u32,
    at: String,
    scope: String,
    root: PathBuf,
    /// What was changed.
    pub files: Vec<BackedUpFile>,
}

/// A file that a run changed.
#[derive(Serialize, Deserialize)]
pub(super) struct BackedUpFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it was; nothing, if it was not there.
    pub before: Option<BackupCopy>,
    /// The digest of what it became.
    pub after: String,
    /// The folders that were made for it.
    pub made: Vec<PathBuf>,
}

/// What a file was.
#[derive(Serialize, Deserialize)]
pub(super) struct BackupCopy {
    copy: String,
    digest: String,
    /// Its permissions.
    pub mode: Option<u32>,
}

/// A run that can be undone.
pub(super) struct InitRun {
    folder: PathBuf,
    /// Its page.
    pub manifest: BackupManifest,
}

/// The folder of all runs.
pub(super) fn locate_backup_folder(system: &System) -> Result<PathBuf, CommandError> {
    let data = system
        .env
        .data_dir()
        .ok_or_else(|| CommandError::config("this user has no home, and so no data folder"))?;
    Ok(data.join("init"))
}

/// Keeps what these changes will change, before any of them is made.
pub(super) fn back_up_changes(
    system: &System,
    scope: &InitScope,
    changes: &[FileChange],
) -> Result<InitRun, CommandError> {
    let all = locate_backup_folder(system);
    let kept = all.and_then(|all| {
        write_change_backup(system, scope, changes, &all).map_err(CommandError::internal)
    });
    kept.map_err(|fault| CommandError {
        cause: fault.cause.context("cannot keep what would be changed"),
        ..fault
    })
}

fn write_change_backup(
    system: &System,
    scope: &InitScope,
    changes: &[FileChange],
    all: &Path,
) -> anyhow::Result<InitRun> {
    let folder = create_numbered_backup(all)?;
    let mut files = Vec::new();
    for (n, change) in changes.iter().enumerate() {
        let copy = n.to_string();
        if let Some(bytes) = &change.before {
            write_private_backup(&folder.join(&copy), bytes)?;
        }
        let digest = |bytes: &Vec<u8>| Digest::hash_bytes(bytes).to_string();
        files.push(BackedUpFile {
            path: change.target.clone(),
            before: change.before.as_ref().map(|it| BackupCopy {
                copy,
                digest: digest(it),
                mode: file_changes::read_file_mode(&change.target),
            }),
            after: change.after.as_ref().map(digest).unwrap_or_default(),
            made: file_changes::list_missing_folders(&change.target),
        });
    }
    let manifest = BackupManifest {
        version: VERSION,
        at: system.now.to_string(),
        scope: scope.as_str().into(),
        root: scope.root().to_path_buf(),
        files,
    };
    let page = serde_json::to_vec_pretty(&manifest)?;
    write_private_backup(&folder.join(MANIFEST), &page)?;
    Ok(InitRun { folder, manifest })
}

/// A new folder, numbered behind the others.
fn create_numbered_backup(all: &Path) -> anyhow::Result<PathBuf> {
    create_private_folder(all).with_context(|| format!("cannot make '{}'", all.display()))?;
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has a mode to set"))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let mut number = list_backup_numbers(all)?.last().map_or(1, |it| it + 1);
    loop {
        let folder = all.join(number.to_string());
        match builder.create(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error.into()),
            Ok(()) => return Ok(folder),
        }
    }
}

/// The numbers of all runs, in order.
fn list_backup_numbers(all: &Path) -> io::Result<Vec<u64>> {
    let entries = file_changes::keep_if_present(fs::read_dir(all))?;
    let mut numbers: Vec<u64> = entries
        .into_iter()
        .flatten()
        .filter_map(|it| it.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// A file that only its owner can read: settings hold secrets.
fn write_private_backup(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let options = set_private_mode(&mut options);
    let mut file = options.write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// The runs of a scope that were not undone, the latest first.
pub(super) fn list_undoable_runs(
    system: &System,
    scope: &InitScope,
) -> Result<Vec<InitRun>, CommandError> {
    let all = locate_backup_folder(system)?;
    let numbers = list_backup_numbers(&all).map_err(CommandError::internal)?;
    let mut runs = Vec::new();
    for folder in numbers.iter().rev().map(|it| all.join(it.to_string())) {
        let page = folder.join(MANIFEST);
        // A run that was cut off before its page was written has changed nothing.
        let Ok(bytes) = fs::read(&page) else { continue };
        let page = page.display();
        let manifest: BackupManifest = serde_json::from_slice(&bytes)
            .map_err(|error| CommandError::config(format!("'{page}' cannot be read: {error}")))?;
        if manifest.version != VERSION {
            let why = format!("'{page}' was written by a newer apostille");
            return Err(CommandError::config(why));
        }
        if manifest.scope == scope.as_str() && manifest.root == scope.root() {
            runs.push(InitRun { folder, manifest });
        }
    }
    Ok(runs)
}

impl InitRun {
    /// What a file was, as it was kept.
    pub(super) fn read_copy(&self, before: &BackupCopy) -> Result<Vec<u8>, CommandError> {
        let path = self.folder.join(&before.copy);
        let lost = |why: String| {
            CommandError::config(format!("what was kept in '{}' {why}", path.display()))
        };
        let bytes = fs::read(&path).map_err(|error| lost(format!("cannot be read: {error}")))?;
        match Digest::hash_bytes(&bytes).to_string() == before.digest {
            true => Ok(bytes),
            false => Err(lost("is not what was put there".into())),
        }
    }

    /// Nothing of it is needed any more.
    pub(super) fn delete_backup(&self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
