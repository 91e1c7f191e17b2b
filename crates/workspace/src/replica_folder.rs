//! What a replica keeps beside its store: the lines of a space, how far its log was read, and what targets looked like.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use apostille_core::{
    memory::MemoryId,
    replica::{
        ReplicaLog, ReplicaState,
        log::ReplicaIntake,
        parts::{
            PartLook, PartName, ReplicaParts, compute_fingerprint, look_at_parts, split_into_parts,
        },
    },
    space::Space,
    store::{
        Store, StoreError, StoreResult,
        shelf::{ReplicaShelf, ShelfRecord},
    },
};
use apostille_files::{
    lock::{LockError, create_private_folder, lock_file_within, set_private_mode},
    regular_file::read_regular_start,
};
use apostille_text::digest::Digest;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    atomic_file::{list_old_drafts, remove_old_drafts, write_file_atomically},
    config::StoreUrl,
    error::CommandError,
    system::System,
};

/// The version of these files.
const VERSION: u32 = 1;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// How long a sync is waited for by who forgets something.
const BURIAL_PATIENCE: Duration = Duration::from_secs(20);
/// How often a replica that others write to as well is decided about anew.
const TRIES: usize = 6;
/// How much is read of what was chosen.
const MAX_CHOICE: u64 = 1024 * 1024;
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

/// How far a replica is, where a store holds it.
#[derive(Debug, Default, Serialize, Deserialize)]
struct ReplicaProgress {
    /// How far the log was read, and what was written by following.
    #[serde(default)]
    state: ReplicaState,
    /// When a line will count that is dated too far ahead now, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wakes_at: Option<i64>,
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
    /// What is another one as soon as a line is; not known before a server of this store was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// What others took away in the last day: when, in milliseconds since 1970, and how many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<(i64, usize)>,
    /// How far the log was read.
    #[serde(default)]
    pub state: ReplicaState,
    /// The targets that were met.
    #[serde(default)]
    pub targets: BTreeMap<String, TargetRecord>,
}

impl ReplicaFile {
    /// How many memories others took away in the day before.
    pub fn count_losses(&self, now: Timestamp) -> usize {
        let since = now.as_millisecond() - DAY_MS;
        let recent = self.losses.iter().filter(|(at, _)| *at > since);
        recent.map(|it| it.1).sum()
    }

    /// Notes how many they took away now.
    pub fn note_losses(&mut self, now: Timestamp, lost: usize) {
        let now = now.as_millisecond();
        self.losses.retain(|(at, _)| *at > now - DAY_MS);
        if lost > 0 {
            self.losses.push((now, lost));
        }
    }
}

/// What a person chose for a space on this machine. It stands apart from what is made anew where it is lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SyncChoice {
    v: u32,
    /// The target, `off`, or nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// The digests of the addresses that targets had when they were chosen.
    #[serde(default)]
    addresses: BTreeMap<String, String>,
}

/// The folder of a space of a store. Where the store itself holds its replicas, the lines and how far the log was read are there, and the
/// folder has what this machine alone knows.
#[derive(Clone)]
pub struct ReplicaFolder {
    path: PathBuf,
    space: Space,
    draw: u128,
    shared: Option<SharedReplica>,
}

/// A replica that a store holds.
#[derive(Clone)]
struct SharedReplica {
    store: Arc<dyn Store>,
    /// What was read or written last.
    seen: Arc<Mutex<ShelfRecord>>,
}

impl SharedReplica {
    fn shelf(&self) -> StoreResult<&dyn ReplicaShelf> {
        self.store.replica_shelf().ok_or(StoreError::Removed)
    }

    fn seen(&self) -> MutexGuard<'_, ShelfRecord> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_record(&self, space: &Space) -> StoreResult<ShelfRecord> {
        let record = self.shelf()?.read_shelf_record(space)?;
        *self.seen() = record.clone();
        Ok(record)
    }

    /// Writes how far the replica is, and the parts of the lines that are others now. Where somebody else wrote meanwhile, it is
    /// decided anew.
    fn write(&self, space: &Space, progress: String, parts: &ReplicaParts) -> StoreResult<u64> {
        let seen = self.seen().clone();
        if parts.is_empty() && progress == seen.progress {
            return Ok(seen.generation);
        }
        let record = ShelfRecord {
            revision: seen.revision + 1,
            generation: seen.generation + u64::from(!parts.is_empty()),
            progress,
        };
        if !self.shelf()?.write_shelf(space, &record, parts)? {
            let what = "what replicas exchange".into();
            return Err(StoreError::Conflict { what });
        }
        let generation = record.generation;
        *self.seen() = record;
        Ok(generation)
    }
}

/// The parts of a set that look otherwise now; those that are gone are empty.
fn find_changed_parts(
    mut parts: ReplicaParts,
    before: &BTreeMap<PartName, PartLook>,
) -> ReplicaParts {
    for name in before.keys() {
        parts.entry(*name).or_default();
    }
    parts.retain(|name, lines| match before.get(name) {
        Some(look) => lines.is_empty() || PartLook::at_lines(lines) != *look,
        None => true,
    });
    parts
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
            shared: None,
        })
    }

    /// The same for this store, which may hold its replicas itself.
    #[must_use]
    pub fn for_store(self, store: &Arc<dyn Store>) -> Self {
        let is_shared = store.replica_shelf().is_some();
        let shared = is_shared.then(|| SharedReplica {
            store: Arc::clone(store),
            seen: Arc::default(),
        });
        Self { shared, ..self }
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
        let file = lock_file_within(file, patience).map_err(|error| match error {
            LockError::Busy { waited_ms } => StoreError::Busy { waited_ms },
            LockError::Io { source, .. } => self.io_error(source),
        })?;
        for path in [self.log_path(), self.file_path(), self.choice_path()] {
            remove_old_drafts(&path).map_err(|it| self.io_error(it))?;
        }
        Ok(file)
    }

    /// The file, or a new one, with what was chosen.
    pub fn read_file(&self) -> StoreResult<ReplicaFile> {
        let mut file = self.read_file_to_choose()?;
        if let Some(choice) = self.read_choice()? {
            file.target = choice.target;
            for (target, address) in choice.addresses {
                file.targets.entry(target).or_default().address = Some(address);
            }
        }
        Ok(file)
    }

    /// The same without what was chosen before, for who chooses anew.
    pub fn read_file_to_choose(&self) -> StoreResult<ReplicaFile> {
        let mut file = self.read_own_file()?;
        if let Some(shared) = &self.shared {
            let record = shared.read_record(&self.space)?;
            // As with a damaged file: what is missing is read and exchanged anew.
            let progress: ReplicaProgress =
                serde_json::from_str(&record.progress).unwrap_or_default();
            file.generation = record.generation;
            file.state = progress.state;
            file.wakes_at = progress.wakes_at;
        }
        Ok(file)
    }

    fn read_own_file(&self) -> StoreResult<ReplicaFile> {
        match read_regular_start(&self.file_path(), MAX_LINES_FILE) {
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
            fingerprint: None,
            losses: Vec::new(),
            state: ReplicaState::default(),
            targets: BTreeMap::new(),
        }
    }

    /// Keeps the file.
    pub fn write_file(&self, file: &ReplicaFile) -> StoreResult<()> {
        if let Some(shared) = &self.shared {
            shared.write(
                &self.space,
                self.format_progress(file)?,
                &ReplicaParts::new(),
            )?;
        }
        self.write_own_file(file)
    }

    /// Keeps the choice first: without it a later sync would follow the settings.
    fn write_own_file(&self, file: &ReplicaFile) -> StoreResult<()> {
        let addresses = file.targets.iter();
        let addresses =
            addresses.filter_map(|(name, it)| Some((name.clone(), it.address.clone()?)));
        let choice = SyncChoice {
            v: VERSION,
            target: file.target.clone(),
            addresses: addresses.collect(),
        };
        if self.read_choice().ok().flatten().as_ref() != Some(&choice) {
            self.write_json(&self.choice_path(), &choice)?;
        }
        let mut file = file.clone();
        if self.shared.is_some() {
            file.state = ReplicaState::default();
        }
        self.write_json(&self.file_path(), &file)
    }

    /// What a person chose, where somebody did. One that cannot be read is an error and not no choice: what is shared cannot be
    /// taken back.
    fn read_choice(&self) -> StoreResult<Option<SyncChoice>> {
        let path = self.choice_path();
        match read_regular_start(&path, MAX_CHOICE) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.io_error(error)),
            Ok(bytes) => match serde_json::from_slice::<SyncChoice>(&bytes) {
                Ok(choice) if choice.v > VERSION => Err(StoreError::Newer {
                    found: choice.v,
                    known: VERSION,
                }),
                Ok(choice) => Ok(Some(choice)),
                Err(error) => Err(StoreError::Unavailable {
                    what: format!(
                        "'{}' is damaged, so nobody can tell what was chosen; choose again: apostille sync setup",
                        path.display()
                    ),
                    source: error.into(),
                }),
            },
        }
    }

    fn write_json(&self, path: &Path, value: &impl Serialize) -> StoreResult<()> {
        let text = serde_json::to_vec(value).map_err(|error| self.io_error(error.into()))?;
        self.write(path, &text)
    }

    fn file_path(&self) -> PathBuf {
        self.path.join("replica.json")
    }

    fn choice_path(&self) -> PathBuf {
        self.path.join("choice.json")
    }

    fn format_progress(&self, file: &ReplicaFile) -> StoreResult<String> {
        let progress = ReplicaProgress {
            state: file.state.clone(),
            wakes_at: file.wakes_at,
        };
        serde_json::to_string(&progress).map_err(|error| self.io_error(error.into()))
    }

    /// Keeps the lines, and the file with them.
    pub fn save(&self, log: &ReplicaLog, file: &mut ReplicaFile) -> StoreResult<()> {
        file.wakes_at = log.next_waking().map(|it| it.as_millisecond());
        let parts = split_into_parts(log);
        match &self.shared {
            Some(shared) => {
                let before = shared.shelf()?.look_at_shelf(&self.space)?;
                let changed = find_changed_parts(parts, &before);
                let progress = self.format_progress(file)?;
                file.generation = shared.write(&self.space, progress, &changed)?;
            }
            None if self.write_log(log)? => {
                file.generation += 1;
                file.fingerprint = Some(compute_fingerprint(&look_at_parts(&parts)));
            }
            None => {}
        }
        self.write_own_file(file)
    }

    /// How the parts of the lines look that were kept.
    pub fn look_at_lines(&self, latest: Timestamp) -> StoreResult<BTreeMap<PartName, PartLook>> {
        match &self.shared {
            Some(shared) => shared.shelf()?.look_at_shelf(&self.space),
            None => {
                let log = self.read_log(&self.space, latest)?;
                Ok(look_at_parts(&split_into_parts(&log)))
            }
        }
    }

    /// Some parts of the lines that were kept.
    pub fn read_parts(&self, names: &[PartName], latest: Timestamp) -> StoreResult<ReplicaParts> {
        match &self.shared {
            Some(shared) => shared.shelf()?.read_shelf_parts(&self.space, Some(names)),
            None => {
                let mut parts = split_into_parts(&self.read_log(&self.space, latest)?);
                parts.retain(|name, _| names.contains(name));
                Ok(parts)
            }
        }
    }

    /// Whether a store holds the lines, and not this machine.
    pub fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// The lines that were kept.
    pub fn read_log(&self, space: &Space, latest: Timestamp) -> Result<ReplicaLog, StoreError> {
        let mut log = ReplicaLog::new(space.clone());
        let intake = match &self.shared {
            Some(shared) => {
                let parts = shared.shelf()?.read_shelf_parts(space, None)?;
                let texts = parts.values().flat_map(|it| it.lines());
                log.insert_known_texts(texts, latest)
            }
            None => log.insert_known_texts(self.read_log_text()?.lines(), latest),
        };
        self.check_version(&intake)?;
        Ok(log)
    }

    fn check_version(&self, intake: &ReplicaIntake) -> StoreResult<()> {
        match intake.is_newer {
            true => Err(StoreError::Newer {
                found: apostille_core::format::VERSION + 1,
                known: apostille_core::format::VERSION,
            }),
            false => Ok(()),
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
    pub fn bury_memories(&self, ids: &[MemoryId], now: Timestamp) -> StoreResult<()> {
        if let Some(shared) = &self.shared {
            return self.bury_in_store(shared, ids, now);
        }
        // Most of what is forgotten is scratch that nobody else heard of.
        let text = self.read_log_text()?;
        let drafts = list_old_drafts(&self.log_path()).map_err(|it| self.io_error(it))?;
        if drafts.is_empty() && !ids.iter().any(|it| text.contains(&it.to_string())) {
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
        // The copy goes first: as long as the lines are there, this can be done again where it was interrupted.
        self.remove_remote_copy()?;
        self.write_log(&log)?;
        self.count_burial()
    }

    /// The set is another one, which nobody was told of yet.
    fn count_burial(&self) -> StoreResult<()> {
        let mut file = self.read_own_file()?;
        file.generation += 1;
        file.fingerprint = None;
        self.write_own_file(&file)
    }

    fn remove_remote_copy(&self) -> StoreResult<()> {
        match fs::remove_dir_all(self.remote_folder()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.io_error(error)),
            _ => Ok(()),
        }
    }

    fn bury_in_store(
        &self,
        shared: &SharedReplica,
        ids: &[MemoryId],
        now: Timestamp,
    ) -> StoreResult<()> {
        let mut names: Vec<PartName> = ids.iter().map(|it| PartName::for_memory(*it)).collect();
        names.sort_unstable();
        names.dedup();
        for attempt in 1.. {
            let progress = shared.read_record(&self.space)?.progress;
            let before = shared
                .shelf()?
                .read_shelf_parts(&self.space, Some(&names))?;
            let mut log = ReplicaLog::new(self.space.clone());
            let texts = before.values().flat_map(|it| it.lines());
            let intake = log.insert_known_texts(texts, now);
            self.check_version(&intake)?;
            if ids.iter().filter(|it| log.bury_memory(**it, now)).count() == 0 {
                break;
            }
            let changed = find_changed_parts(split_into_parts(&log), &look_at_parts(&before));
            match shared.write(&self.space, progress, &changed) {
                Err(StoreError::Conflict { .. }) if attempt < TRIES => {}
                Err(error) => return Err(error),
                Ok(_) => return self.remove_remote_copy(),
            }
        }
        Ok(())
    }

    /// Keeps the lines; whether they are others than before.
    fn write_log(&self, log: &ReplicaLog) -> Result<bool, StoreError> {
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
