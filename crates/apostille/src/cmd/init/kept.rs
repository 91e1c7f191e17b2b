//! What is kept of every run, so that it can be undone byte for byte: the files as they were, and a page that lists them.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use apostille_text::digest::Digest;
use serde::{Deserialize, Serialize};

use super::disk::{self, Change};
use super::scope::Scope;
use apostille_workspace::error::Fault;
use apostille_workspace::system::World;

const VERSION: u32 = 1;
const MANIFEST: &str = "manifest.json";

/// The page of a run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Manifest {
    version: u32,
    at: String,
    scope: String,
    root: PathBuf,
    /// What was changed.
    pub files: Vec<Kept>,
}

/// A file that a run changed.
#[derive(Debug, Serialize, Deserialize)]
pub struct Kept {
    /// Where it is.
    pub path: PathBuf,
    /// What it was; nothing, if it was not there.
    pub before: Option<Before>,
    /// The digest of what it became.
    pub after: String,
    /// The folders that were made for it.
    pub made: Vec<PathBuf>,
}

/// What a file was.
#[derive(Debug, Serialize, Deserialize)]
pub struct Before {
    copy: String,
    digest: String,
    /// Its permissions.
    pub mode: Option<u32>,
}

/// A run that can be undone.
#[derive(Debug)]
pub struct Run {
    folder: PathBuf,
    /// Its page.
    pub manifest: Manifest,
}

/// The folder of all runs.
pub fn folder(world: &World) -> Result<PathBuf, Fault> {
    let data = world
        .env
        .data_dir()
        .ok_or_else(|| Fault::config("this user has no home, and so no data folder"))?;
    Ok(data.join("init"))
}

/// Keeps what these changes will change, before any of them is made.
pub fn keep(world: &World, scope: &Scope, changes: &[Change]) -> Result<Run, Fault> {
    let kept =
        folder(world).and_then(|all| kept(world, scope, changes, &all).map_err(Fault::internal));
    kept.map_err(|fault| Fault {
        cause: fault.cause.context("cannot keep what would be changed"),
        ..fault
    })
}

fn kept(world: &World, scope: &Scope, changes: &[Change], all: &Path) -> anyhow::Result<Run> {
    let folder = numbered(all)?;
    let mut files = Vec::new();
    for (n, change) in changes.iter().enumerate() {
        let copy = n.to_string();
        if let Some(bytes) = &change.before {
            private(&folder.join(&copy), bytes)?;
        }
        let digest = |bytes: &Vec<u8>| Digest::of(bytes).to_string();
        let mode = disk::mode(&change.target);
        let before = change.before.as_ref().map(|it| Before {
            copy,
            digest: digest(it),
            mode,
        });
        let after = change.after.as_ref().map(digest).unwrap_or_default();
        files.push(Kept {
            path: change.target.clone(),
            before,
            after,
            made: disk::missing(&change.target),
        });
    }
    let (at, scope, root) = (
        world.now.to_string(),
        scope.as_str().into(),
        scope.root().to_path_buf(),
    );
    let manifest = Manifest {
        version: VERSION,
        at,
        scope,
        root,
        files,
    };
    private(
        &folder.join(MANIFEST),
        &serde_json::to_vec_pretty(&manifest)?,
    )?;
    Ok(Run { folder, manifest })
}

/// Makes the folder of all runs, its owner's alone.
pub fn made(all: &Path) -> io::Result<()> {
    builder().recursive(true).create(all)
}

fn builder() -> fs::DirBuilder {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// A new folder, numbered behind the others.
fn numbered(all: &Path) -> anyhow::Result<PathBuf> {
    made(all).with_context(|| format!("cannot make '{}'", all.display()))?;
    let builder = builder();
    let mut number = numbers(all)?.last().map_or(1, |it| it + 1);
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
fn numbers(all: &Path) -> io::Result<Vec<u64>> {
    let entries = match fs::read_dir(all) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut numbers: Vec<u64> = entries
        .filter_map(|it| it.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// A file that only its owner can read: settings hold secrets.
fn private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// The runs of a scope that were not undone, the latest first.
pub fn runs(world: &World, scope: &Scope) -> Result<Vec<Run>, Fault> {
    let all = folder(world)?;
    let numbers = numbers(&all).map_err(Fault::internal)?;
    let mut runs = Vec::new();
    for folder in numbers.iter().rev().map(|it| all.join(it.to_string())) {
        let page = folder.join(MANIFEST);
        // A run that was cut off before its page was written has changed nothing.
        let Ok(bytes) = fs::read(&page) else { continue };
        let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|error| {
            Fault::config(format!("'{}' cannot be read: {error}", page.display()))
        })?;
        if manifest.version != VERSION {
            return Err(Fault::config(format!(
                "'{}' was written by a newer apostille",
                page.display()
            )));
        }
        if manifest.scope == scope.as_str() && manifest.root == scope.root() {
            runs.push(Run { folder, manifest });
        }
    }
    Ok(runs)
}

impl Run {
    /// What a file was, as it was kept.
    pub fn bytes(&self, before: &Before) -> Result<Vec<u8>, Fault> {
        let path = self.folder.join(&before.copy);
        let lost =
            |why: String| Fault::config(format!("what was kept in '{}' {why}", path.display()));
        let bytes = fs::read(&path).map_err(|error| lost(format!("cannot be read: {error}")))?;
        match Digest::of(&bytes).to_string() == before.digest {
            true => Ok(bytes),
            false => Err(lost("is not what was put there".into())),
        }
    }

    /// Nothing of it is needed any more.
    pub fn forget(&self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
