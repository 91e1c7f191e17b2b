//! What a replica keeps beside its store: the lines of a space, how far its log was read, and what targets looked like.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use apostille_core::{
    memory::MemoryId,
    replica::{ReplicaLog, ReplicaState},
    space::Space,
    store::StoreError,
};
use apostille_files::{
    lock::{LockError, create_private_folder, lock_file_within, set_private_mode},
    regular_file::read_regular_start,
};
use apostille_text::digest::Digest;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    atomic_file::write_file_atomically, config::StoreUrl, error::CommandError, system::System,
};

/// The version of these files.
const VERSION: u32 = 1;
/// How long a sync is waited for by who forgets something.
const BURIAL_PATIENCE: Duration = Duration::from_secs(20);
/// How much is read of a file of lines.
pub const MAX_LINES_FILE: u64 = 256 * 1024 * 1024;

/// What is known of a target.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetRecord {
    /// The digest of its address when it was chosen, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// How it looked when it held everything that is known here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<String>,
    /// Which set of lines it held then.
    #[serde(default)]
    pub generation: u64,
    /// How many lines that were.
    #[serde(default)]
    pub lines: usize,
    /// How many memories were forgotten when the copy of the target was cleaned last.
    #[serde(default)]
    pub cleaned: usize,
    /// When something was last exchanged, or last failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// What was wrong the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// The file with everything but the lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplicaFile {
    v: u32,
    /// Whose memories, for people who look into the file.
    space: String,
    /// What this replica is called among others.
    pub replica: String,
    /// The target that was chosen for this space on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Counts the sets of lines that were kept.
    #[serde(default)]
    pub generation: u64,
    /// When a line will count that is dated too far ahead now, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wakes_at: Option<i64>,
    /// How far the log was read.
    #[serde(default)]
    pub state: ReplicaState,
    /// The targets that were met.
    #[serde(default)]
    pub targets: BTreeMap<String, TargetRecord>,
}

/// The folder of a space of a store.
#[derive(Debug, Clone)]
pub struct ReplicaFolder {
    path: PathBuf,
    space: Space,
    draw: u128,
}

impl ReplicaFolder {
    /// The folder, which need not be there.
    pub fn locate(system: &System, store: &StoreUrl, space: &Space) -> Result<Self, CommandError> {
        let key = format!("{store} {}", space.as_str());
        let name = Digest::hash_bytes(key.as_bytes()).short_hex();
        Ok(Self {
            path: system.require_data_dir()?.join("sync").join(name),
            space: space.clone(),
            draw: (system.random_source())(),
        })
    }

    /// Where the copy of a remote is.
    pub fn remote_folder(&self) -> PathBuf {
        self.path.join("remote")
    }

    /// Waits until no other process syncs this space.
    pub fn lock(&self, patience: Duration) -> Result<File, StoreError> {
        create_private_folder(&self.path).map_err(|it| self.io_error(it))?;
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(false).write(true);
        let file = set_private_mode(options).open(self.path.join("lock"));
        let file = file.map_err(|it| self.io_error(it))?;
        lock_file_within(file, patience).map_err(|error| match error {
            LockError::Busy { waited_ms } => StoreError::Busy { waited_ms },
            LockError::Io { source, .. } => self.io_error(source),
        })
    }

    /// The file, or a new one.
    pub fn read_file(&self) -> Result<ReplicaFile, StoreError> {
        match read_regular_start(&self.path.join("replica.json"), MAX_LINES_FILE) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(self.new_file()),
            Err(error) => Err(self.io_error(error)),
            Ok(bytes) => match serde_json::from_slice::<ReplicaFile>(&bytes) {
                Ok(file) if file.v > VERSION => Err(StoreError::Newer {
                    found: file.v,
                    known: VERSION,
                }),
                Ok(file) => Ok(file),
                // Nothing of it is irreplaceable: what is missing is read and exchanged anew.
                Err(_) => Ok(self.new_file()),
            },
        }
    }

    fn new_file(&self) -> ReplicaFile {
        ReplicaFile {
            v: VERSION,
            space: self.space.as_str().into(),
            replica: format!("{:016x}", self.draw as u64),
            target: None,
            generation: 0,
            wakes_at: None,
            state: ReplicaState::default(),
            targets: BTreeMap::new(),
        }
    }

    /// Keeps the file.
    pub fn write_file(&self, file: &ReplicaFile) -> Result<(), StoreError> {
        let text = serde_json::to_vec(file).map_err(|error| self.io_error(error.into()))?;
        self.write(&self.path.join("replica.json"), &text)
    }

    /// The lines that were kept.
    pub fn read_log(&self, space: &Space, latest: Timestamp) -> Result<ReplicaLog, StoreError> {
        let mut log = ReplicaLog::new(space.clone());
        let text = self.read_log_text()?;
        let intake = log.insert_known_texts(text.lines(), latest);
        match intake.is_newer {
            true => Err(StoreError::Newer {
                found: apostille_core::format::VERSION + 1,
                known: apostille_core::format::VERSION,
            }),
            false => Ok(log),
        }
    }

    fn read_log_text(&self) -> Result<String, StoreError> {
        match read_regular_start(&self.log_path(), MAX_LINES_FILE) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(self.io_error(error)),
        }
    }

    /// Removes the words of forgotten memories from what is kept here, before anybody is told: the copy of a remote is made anew by
    /// the next sync.
    pub fn bury_memories(&self, ids: &[MemoryId], now: Timestamp) -> Result<(), StoreError> {
        // Most of what is forgotten is scratch that nobody else heard of.
        let text = self.read_log_text()?;
        if !ids.iter().any(|it| text.contains(&it.to_string())) {
            return Ok(());
        }
        drop(text);
        let _alone = self
            .lock(BURIAL_PATIENCE)
            .map_err(|error| StoreError::Unavailable {
                what:
                    "it is forgotten, but a sync that is under way still has it; run apostille sync"
                        .into(),
                source: error.into(),
            })?;
        let mut log = self.read_log(&self.space, now)?;
        let n_buried = ids.iter().filter(|it| log.bury_memory(**it, now)).count();
        if n_buried == 0 {
            return Ok(());
        }
        self.write_log(&log)?;
        match fs::remove_dir_all(self.remote_folder()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.io_error(error)),
            _ => Ok(()),
        }
    }

    /// Keeps the lines; whether they are others than before.
    pub fn write_log(&self, log: &ReplicaLog) -> Result<bool, StoreError> {
        let text: String = log.lines().flat_map(|it| [&*it.text, "\n"]).collect();
        if text == self.read_log_text()? {
            return Ok(false);
        }
        self.write(&self.log_path(), text.as_bytes())?;
        Ok(true)
    }

    fn log_path(&self) -> PathBuf {
        self.path.join("lines.jsonl")
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        create_private_folder(&self.path).map_err(|it| self.io_error(it))?;
        write_file_atomically(path, bytes, Some(0o600), self.draw).map_err(|it| self.io_error(it))
    }

    fn io_error(&self, error: io::Error) -> StoreError {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full,
            _ => StoreError::Unavailable {
                what: format!("cannot keep what was synced in '{}'", self.path.display()),
                source: error.into(),
            },
        }
    }
}
