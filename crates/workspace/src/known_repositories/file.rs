//! The file of the repositories that are known: the user's alone, written whole, one process after the other.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context as _;
use apostille_core::{format, space::Space};
use apostille_files::lock::{lock_file_within, secure_private_folder, set_private_mode};
use serde::{Deserialize, Serialize};

use super::{KnownClone, KnownRepositories, KnownRepository};
use crate::{atomic_file, error::CommandError, system::System};

/// The format that is written.
const VERSION: u32 = 1;
const MODE: u32 = 0o600;
/// The largest file that is read.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Where the repositories are written down.
#[derive(Debug, Clone)]
pub struct RepositoryFile(PathBuf);

#[derive(Serialize, Deserialize)]
struct RepositoryFileContent {
    version: u32,
    repositories: Vec<RepositoryRow>,
}

#[derive(Serialize, Deserialize)]
struct RepositoryRow {
    space: String,
    remotes: Vec<String>,
    commits: Vec<String>,
    has_roots: bool,
    clones: Vec<CloneRow>,
    since: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    adopted: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct CloneRow {
    path: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    inode: Option<u64>,
    remote: String,
}

impl RepositoryFile {
    /// This user's; `None` where nobody knows the user's folder.
    pub fn for_user(system: &System) -> Option<Self> {
        Some(Self(system.env.data_dir()?.join("repositories.json")))
    }

    /// Every repository that is known. A file that cannot be read is an error: what it held must not be taken for unknown.
    pub fn read_repositories(&self) -> Result<KnownRepositories, CommandError> {
        let read = || -> anyhow::Result<KnownRepositories> {
            match fs::metadata(&self.0) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Default::default());
                }
                Err(error) => return Err(error.into()),
                Ok(found) => anyhow::ensure!(
                    found.is_file() && found.len() <= MAX_BYTES,
                    "it is not a file of this program"
                ),
            }
            parse_repositories(&fs::read_to_string(&self.0)?)
        };
        read()
            .with_context(|| format!("cannot read '{}'", self.0.display()))
            .map_err(|error| {
                CommandError::internal(error)
                    .with_hint("put it right, or move it away: every clone is then new again")
            })
    }

    /// Changes them. Others are waited for at most this long.
    pub fn update_repositories<T>(
        &self,
        draw: u128,
        patience: Duration,
        change: impl FnOnce(&mut KnownRepositories) -> T,
    ) -> Result<T, CommandError> {
        let lock = || -> anyhow::Result<File> {
            let path = self.0.with_extension("lock");
            path.parent().map_or(Ok(()), secure_private_folder)?;
            let mut options = OpenOptions::new();
            let options = options.create(true).truncate(false).write(true);
            Ok(lock_file_within(
                set_private_mode(options).open(path)?,
                patience,
            )?)
        };
        let _held = lock()
            .with_context(|| format!("cannot write '{}'", self.0.display()))
            .map_err(CommandError::internal)?;
        let before = self.read_repositories()?;
        let mut known = before.clone();
        let done = change(&mut known);
        if known != before {
            write_repositories(&self.0, &known, draw)
                .with_context(|| format!("cannot write '{}'", self.0.display()))
                .map_err(CommandError::internal)?;
        }
        Ok(done)
    }
}

fn write_repositories(path: &Path, known: &KnownRepositories, draw: u128) -> anyhow::Result<()> {
    let content = RepositoryFileContent {
        version: VERSION,
        repositories: known.0.iter().map(RepositoryRow::from).collect(),
    };
    let text = serde_json::to_string_pretty(&content)? + "\n";
    Ok(atomic_file::write_file_atomically(
        path,
        text.as_bytes(),
        Some(MODE),
        draw,
    )?)
}

fn parse_repositories(text: &str) -> anyhow::Result<KnownRepositories> {
    #[derive(Deserialize)]
    struct RepositoryFileHead {
        version: u32,
    }
    let head: RepositoryFileHead = serde_json::from_str(text)?;
    anyhow::ensure!(
        head.version <= VERSION,
        "it has format {}, this program reads up to {VERSION}; update apostille",
        head.version
    );
    let content: RepositoryFileContent = serde_json::from_str(text)?;
    let rows = content.repositories.into_iter();
    Ok(KnownRepositories(
        rows.map(RepositoryRow::into_known)
            .collect::<Result<_, _>>()?,
    ))
}

fn write_name(space: &Space) -> String {
    space.as_str().to_owned()
}

impl From<&KnownRepository> for RepositoryRow {
    fn from(it: &KnownRepository) -> Self {
        let clone = |it: &KnownClone| CloneRow {
            path: it.path.clone(),
            inode: it.inode,
            remote: write_name(&it.remote),
        };
        Self {
            space: write_name(&it.space),
            remotes: it.remotes.iter().map(write_name).collect(),
            commits: it.commits.clone(),
            has_roots: it.has_roots,
            clones: it.clones.iter().map(clone).collect(),
            since: format::format_timestamp(it.since),
            adopted: it.adopted,
        }
    }
}

impl RepositoryRow {
    fn into_known(self) -> anyhow::Result<KnownRepository> {
        let clone = |it: CloneRow| -> anyhow::Result<KnownClone> {
            Ok(KnownClone {
                path: it.path,
                inode: it.inode,
                remote: it.remote.parse()?,
            })
        };
        Ok(KnownRepository {
            space: self.space.parse()?,
            remotes: self
                .remotes
                .iter()
                .map(|it| it.parse())
                .collect::<Result<_, _>>()?,
            commits: self.commits,
            has_roots: self.has_roots,
            clones: self
                .clones
                .into_iter()
                .map(clone)
                .collect::<Result<_, _>>()?,
            since: self.since.parse()?,
            adopted: self.adopted,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::repository, *};

    #[test]
    fn repositories_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = RepositoryFile(folder.path().join("data/repositories.json"));
        assert_eq!(
            file.read_repositories().unwrap(),
            KnownRepositories::default()
        );
        let noted = repository("github.com/octo/app", &["/work/app/.git"]);
        let note = |known: &mut KnownRepositories| known.note_clone(noted.clone());
        let second = Duration::from_secs(1);
        file.update_repositories(1, second, note).unwrap();
        file.update_repositories(2, second, note).unwrap();
        assert_eq!(file.read_repositories().unwrap().0, [noted]);
    }

    #[test]
    fn file_that_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("repositories.json");
        for text in ["", "{}", r#"{"version":2,"repositories":[]}"#, "[1]"] {
            fs::write(&path, text).unwrap();
            let file = RepositoryFile(path.clone());
            assert!(file.read_repositories().is_err(), "{text}");
            let change = |known: &mut KnownRepositories| known.0.clear();
            let second = Duration::from_secs(1);
            assert!(file.update_repositories(1, second, change).is_err());
            assert_eq!(
                fs::read_to_string(&path).unwrap(),
                text,
                "nothing was written"
            );
        }
    }
}
