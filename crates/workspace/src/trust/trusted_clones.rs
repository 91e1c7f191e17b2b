//! The clones that a user trusted: one small file among this user's data, nobody else's to read or write.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context as _;
use apostille_core::{format, speaker::Person};
use apostille_files::{
    lock::{StoreLock, create_private_folder},
    regular_file::read_regular_start,
};
use apostille_text::digest::Digest;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::CloneIdentity;
use crate::{atomic_file, error::CommandError, system::System};

/// The format that is written.
const VERSION: u32 = 1;
/// Nobody else on the machine reads it.
const MODE: u32 = 0o600;
/// How long a process that writes is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// The largest list that is read.
const MAX_LIST: u64 = 8 * 1024 * 1024;
/// How many versions of a clone's settings stay trusted, so that switching branches asks once for each.
const MAX_VERSIONS: usize = 20;

/// A clone, and what of it was trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedClone {
    /// Which.
    pub clone: CloneIdentity,
    /// The settings that were shown, by their digests, the latest last.
    pub settings: Vec<Digest>,
    /// When it was trusted last.
    pub at: Timestamp,
}

#[derive(Serialize, Deserialize)]
struct TrustFileContent {
    version: u32,
    clones: Vec<TrustRow>,
}

#[derive(Serialize, Deserialize)]
struct TrustRow {
    folder: String,
    repository: String,
    settings: Vec<String>,
    at: String,
}

impl TrustedClone {
    fn to_row(&self) -> TrustRow {
        TrustRow {
            folder: self.clone.folder.to_string_lossy().into_owned(),
            repository: self.clone.repository.clone(),
            settings: self.settings.iter().map(Digest::to_string).collect(),
            at: format::format_timestamp(self.at),
        }
    }

    fn from_row(row: TrustRow) -> anyhow::Result<Self> {
        let settings = row.settings.iter().map(|it| it.parse());
        Ok(Self {
            clone: CloneIdentity {
                folder: row.folder.into(),
                repository: row.repository,
            },
            settings: settings.collect::<Result<_, _>>()?,
            at: row.at.parse()?,
        })
    }
}

/// The file of a user's trusted clones.
#[derive(Debug, Clone)]
pub struct TrustedClones(PathBuf);

impl TrustedClones {
    /// This user's.
    pub fn for_user(system: &System) -> Result<Self, CommandError> {
        Ok(Self(system.require_data_dir()?.join("trusted.json")))
    }

    /// All of them, by folder. A list that cannot be read is an error, and trusts nothing.
    pub fn read_clones(&self) -> Result<Vec<TrustedClone>, CommandError> {
        read_trust_file(&self.0)
            .with_context(|| format!("cannot read '{}'", self.0.display()))
            .map_err(|error| {
                CommandError::internal(error)
                    .with_hint("move that file away, and trust your repositories again")
            })
    }

    /// What is known of this clone. Another repository in the same folder is not this clone.
    pub fn find_clone(&self, clone: &CloneIdentity) -> Result<Option<TrustedClone>, CommandError> {
        let mut all = self.read_clones()?.into_iter();
        Ok(all.find(|it| it.clone == *clone))
    }

    /// Puts a clone with these settings on the list, on a person's word.
    ///
    /// ```compile_fail
    /// use apostille_text::digest::Digest;
    /// use apostille_workspace::trust::{CloneIdentity, TrustedClones};
    ///
    /// fn trust_for_nobody(list: &TrustedClones, clone: &CloneIdentity, settings: Digest) {
    ///     let _ = list.trust_clone(clone, settings, (jiff::Timestamp::UNIX_EPOCH, 0));
    /// }
    /// ```
    pub fn trust_clone(
        &self,
        _by: &Person,
        clone: &CloneIdentity,
        settings: Digest,
        (at, draw): (Timestamp, u128),
    ) -> Result<(), CommandError> {
        if clone.folder_text().is_none() {
            let folder = clone.folder.display();
            return Err(CommandError::usage(format!(
                "'{folder}' cannot be trusted: its name is not UTF-8"
            )));
        }
        self.update_clones(draw, |all| {
            let known = all.iter().position(|it| it.clone.folder == clone.folder);
            let known = known.map(|it| all.swap_remove(it));
            let known = known.filter(|it| it.clone == *clone);
            let mut versions = known.map_or_else(Vec::new, |it| it.settings);
            versions.retain(|it| *it != settings);
            versions.push(settings);
            versions.drain(..versions.len().saturating_sub(MAX_VERSIONS));
            all.push(TrustedClone {
                clone: clone.clone(),
                settings: versions,
                at,
            });
        })
    }

    /// Takes a clone off the list, on a person's word. Whether it was on it.
    pub fn revoke_clone(
        &self,
        _by: &Person,
        clone: &CloneIdentity,
        draw: u128,
    ) -> Result<bool, CommandError> {
        self.update_clones(draw, |all| {
            let before = all.len();
            all.retain(|it| it.clone.folder != clone.folder);
            all.len() < before
        })
    }

    /// Changes the list, one process after the other, whole or not at all.
    fn update_clones<T>(
        &self,
        draw: u128,
        change: impl FnOnce(&mut Vec<TrustedClone>) -> T,
    ) -> Result<T, CommandError> {
        let folder = self.0.parent().unwrap_or(&self.0);
        create_private_folder(folder).map_err(CommandError::internal)?;
        let mut lock = StoreLock::new(self.0.with_extension("lock"));
        let _held = lock
            .wait_for_lock(PATIENCE)
            .map_err(CommandError::internal)?;
        let mut all = self.read_clones()?;
        let done = change(&mut all);
        all.sort_by(|a, b| a.clone.folder.cmp(&b.clone.folder));
        let content = TrustFileContent {
            version: VERSION,
            clones: all.iter().map(TrustedClone::to_row).collect(),
        };
        let text = serde_json::to_string_pretty(&content).map_err(CommandError::internal)? + "\n";
        atomic_file::write_file_atomically(&self.0, text.as_bytes(), Some(MODE), draw)
            .with_context(|| format!("cannot write '{}'", self.0.display()))
            .map_err(CommandError::internal)?;
        Ok(done)
    }
}

fn read_trust_file(path: &Path) -> anyhow::Result<Vec<TrustedClone>> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
        Ok(found) => anyhow::ensure!(found.len() <= MAX_LIST, "it is larger than 8 MB"),
    }
    parse_trust_file(&String::from_utf8(read_regular_start(path, MAX_LIST)?)?)
}

fn parse_trust_file(text: &str) -> anyhow::Result<Vec<TrustedClone>> {
    #[derive(Deserialize)]
    struct TrustFileVersion {
        version: u32,
    }
    let head: TrustFileVersion = serde_json::from_str(text)?;
    anyhow::ensure!(
        head.version <= VERSION,
        "it has format {}, this program reads up to {VERSION}; update apostille",
        head.version
    );
    let content: TrustFileContent = serde_json::from_str(text)?;
    let rows = content.clones.into_iter();
    rows.map(TrustedClone::from_row).collect()
}

#[cfg(test)]
mod tests {
    use apostille_core::speaker::{Speaker, TerminalFacts};

    use super::*;

    fn person() -> Speaker {
        Speaker::at_terminal(&TerminalFacts {
            is_manned: true,
            ..TerminalFacts::default()
        })
    }

    fn clone(folder: &str, repository: &str) -> CloneIdentity {
        CloneIdentity {
            folder: folder.into(),
            repository: repository.into(),
        }
    }

    fn trust(list: &TrustedClones, clone: &CloneIdentity, settings: &str) {
        let digest = Digest::hash_bytes(settings.as_bytes());
        let speaker = person();
        let by = speaker.person().unwrap();
        let stamp = (Timestamp::UNIX_EPOCH, u128::from(std::process::id()));
        list.trust_clone(by, clone, digest, stamp).unwrap();
    }

    #[test]
    fn trusted_clones_are_kept_until_revoked() {
        let dir = tempfile::tempdir().unwrap();
        let list = TrustedClones(dir.path().join("deep/trusted.json"));
        let (app, other) = (clone("/src/app", "h/a/app"), clone("/src/x", "h/a/x"));
        assert_eq!(list.find_clone(&app).unwrap(), None);
        trust(&list, &app, "one");
        trust(&list, &other, "one");
        trust(&list, &app, "two");
        let found = list.find_clone(&app).unwrap().unwrap();
        assert_eq!(found.settings.len(), 2, "a version for each branch");
        let swapped = clone("/src/app", "h/evil/app");
        assert_eq!(list.find_clone(&swapped).unwrap(), None);
        let speaker = person();
        let by = speaker.person().unwrap();
        assert!(list.revoke_clone(by, &app, 1).unwrap());
        assert!(!list.revoke_clone(by, &app, 2).unwrap());
        assert_eq!(list.read_clones().unwrap().len(), 1);
    }

    #[test]
    fn trust_moves_to_the_repository_in_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let list = TrustedClones(dir.path().join("trusted.json"));
        let (old, new) = (clone("/src/app", "h/a/app"), clone("/src/app", "h/b/app"));
        trust(&list, &old, "one");
        trust(&list, &new, "two");
        assert_eq!(list.find_clone(&old).unwrap(), None);
        let found = list.find_clone(&new).unwrap().unwrap();
        assert_eq!(found.settings.len(), 1, "nothing of the old one");
    }

    #[test]
    fn trust_of_many_threads_is_all_kept() {
        let dir = tempfile::tempdir().unwrap();
        let list = TrustedClones(dir.path().join("trusted.json"));
        std::thread::scope(|scope| {
            for n in 0..8 {
                let list = &list;
                scope.spawn(move || trust(list, &clone(&format!("/src/{n}"), "h/a/app"), "one"));
            }
        });
        assert_eq!(list.read_clones().unwrap().len(), 8);
    }

    #[test]
    fn versions_of_settings_are_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let list = TrustedClones(dir.path().join("trusted.json"));
        let app = clone("/src/app", "h/a/app");
        for n in 0..MAX_VERSIONS + 5 {
            trust(&list, &app, &n.to_string());
        }
        let found = list.find_clone(&app).unwrap().unwrap();
        assert_eq!(found.settings.len(), MAX_VERSIONS);
        let last = (MAX_VERSIONS + 4).to_string();
        let last = Digest::hash_bytes(last.as_bytes());
        assert_eq!(found.settings.last(), Some(&last));
    }

    #[cfg(unix)]
    #[test]
    fn trust_file_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let list = TrustedClones(dir.path().join("deep/trusted.json"));
        trust(&list, &clone("/src/app", "h/a/app"), "one");
        let mode = |it: &Path| fs::metadata(it).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&list.0), 0o600);
        assert_eq!(mode(list.0.parent().unwrap()), 0o700);
    }

    #[test]
    fn bad_trust_file_is_an_error() {
        let check = |text: &str, expected: &str| {
            let told = format!("{:#}", parse_trust_file(text).unwrap_err());
            assert!(told.contains(expected), "{told}");
        };
        check(r#"{"version": 2, "clones": 7}"#, "format 2");
        check(r#"{"version": 1, "clones": [{"folder": "/a"}]}"#, "missing");
        check("", "EOF");
        check("[]", "invalid");
    }
}
