//! What was counted of sessions, and what they left behind in the repository: two files for each repository, a line for each session.
//!
//! `measures/<repository>.jsonl` has numbers and digests only, and no word that anybody said. `measures/<repository>.files.jsonl` has names
//! of files and commands, and loses the line of a conversation that is forgotten. Both are bounded, stay on this machine, and can only be read
//! by their owner.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};

use apostille_agents::measure::digest_name;
use apostille_core::{memory::MemoryId, space::Space};
use apostille_files::lock::{create_private_folder, lock_file_within, set_private_mode};
use apostille_impact::measures::SessionMeasures;
use apostille_reflect::footprint::SessionFootprint;
use apostille_text::digest::Digest;

use serde::{Deserialize, Serialize};

use crate::{atomic_file::write_file_atomically, error::CommandError, system::System};

/// How many sessions of a repository are kept, the latest.
const MAX_SESSIONS: usize = 5_000;
const MAX_FOOTPRINTS: usize = 500;
/// The most that is read of a file.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// How long another process that writes is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// A line of such a file.
trait SessionLine: Sized {
    fn parse(line: &str) -> Option<Self>;
    fn write(&self) -> String;
    fn session(&self) -> &str;
}

impl SessionLine for SessionMeasures {
    fn parse(line: &str) -> Option<Self> {
        Self::from_json_line(line)
    }
    fn write(&self) -> String {
        self.to_json_line()
    }
    fn session(&self) -> &str {
        &self.session
    }
}

impl SessionLine for SessionFootprint {
    fn parse(line: &str) -> Option<Self> {
        Self::from_json_line(line)
    }
    fn write(&self) -> String {
        self.to_json_line()
    }
    fn session(&self) -> &str {
        &self.session
    }
}

/// Something for each of the two that look back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookingBack<T> {
    /// Patterns over many tasks.
    pub reflect: T,
    /// Memories that can go up in others.
    pub consolidate: T,
}

/// How many tasks were finished in a repository, and how many when the program last looked back.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct FinishedTasks {
    finished: usize,
    reflected: usize,
    consolidated: usize,
}

/// The sessions of a repository, as they were counted.
#[derive(Debug, Clone)]
pub struct MeasuredSessions {
    measures: PathBuf,
    footprints: PathBuf,
}

impl MeasuredSessions {
    /// Those of a repository, whether there are some or not.
    pub fn for_repository(system: &System, repo: &Space) -> Result<Self, CommandError> {
        let name = Digest::hash_bytes(repo.as_str().as_bytes()).short_hex();
        let folder = measures_folder(system)?;
        Ok(Self {
            measures: folder.join(format!("{name}.jsonl")),
            footprints: folder.join(format!("{name}.files.jsonl")),
        })
    }

    /// What was counted, the oldest first.
    pub fn list_measures(&self) -> Result<Vec<SessionMeasures>, CommandError> {
        read_lines(&self.measures)
    }

    /// What sessions left behind, the oldest first.
    pub fn list_footprints(&self) -> Result<Vec<SessionFootprint>, CommandError> {
        read_lines(&self.footprints)
    }

    /// Keeps what was counted of a session, in the place of what was counted before it went on. Whether it is a new one.
    pub fn keep_measures(&self, it: &SessionMeasures) -> Result<bool, CommandError> {
        replace_line(&self.measures, it, MAX_SESSIONS)
    }

    /// Keeps what a session left behind.
    pub fn keep_footprint(&self, it: &SessionFootprint) -> Result<bool, CommandError> {
        replace_line(&self.footprints, it, MAX_FOOTPRINTS)
    }

    /// Counts a task that is finished, and says what is due with it: each is, once so many were finished since the last time.
    pub fn count_finished_task(
        &self,
        every: LookingBack<usize>,
    ) -> Result<LookingBack<bool>, CommandError> {
        let path = self.measures.with_extension("state.json");
        let read = fs::read_to_string(&path).ok();
        let read = read.and_then(|it| serde_json::from_str(&it).ok());
        let mut state: FinishedTasks = read.unwrap_or_default();
        state.finished += 1;
        let mut ask = |every: usize, last: fn(&mut FinishedTasks) -> &mut usize| {
            let finished = state.finished;
            let last = last(&mut state);
            let is_due = every > 0 && finished.saturating_sub(*last) >= every;
            if is_due {
                *last = finished;
            }
            is_due
        };
        let due = LookingBack {
            reflect: ask(every.reflect, |it| &mut it.reflected),
            consolidate: ask(every.consolidate, |it| &mut it.consolidated),
        };
        let text = serde_json::to_string(&state).map_err(CommandError::internal)?;
        let draw = u128::from(std::process::id());
        write_file_atomically(&path, text.as_bytes(), None, draw)
            .map_err(|error| fail("write", &error))?;
        Ok(due)
    }

    /// Takes out what sessions left behind whose episodes these were.
    pub fn forget_episodes(&self, ids: &[MemoryId]) -> Result<(), CommandError> {
        if !self.footprints.exists() {
            return Ok(());
        }
        let ids: Vec<String> = ids.iter().map(MemoryId::to_string).collect();
        let is_about =
            |it: &SessionFootprint| it.episode.as_ref().is_some_and(|it| ids.contains(it));
        if !self.list_footprints()?.iter().any(is_about) {
            return Ok(());
        }
        rewrite_lines(&self.footprints, |lines: &mut Vec<SessionFootprint>| {
            lines.retain(|it| !is_about(it));
        })
    }

    /// Takes out what a session left behind. The numbers stay: they tell nothing of what was said.
    pub fn forget_footprint(&self, session: &str) -> Result<(), CommandError> {
        if !self.footprints.exists() {
            return Ok(());
        }
        let digest = digest_name(session);
        rewrite_lines(&self.footprints, |lines: &mut Vec<SessionFootprint>| {
            lines.retain(|it| it.session != digest);
        })
    }
}

fn measures_folder(system: &System) -> Result<PathBuf, CommandError> {
    Ok(system.require_data_dir()?.join("measures"))
}

/// The seed of this machine, by which chance decides which sessions go without memory; made when it is first needed.
pub fn read_holdout_seed(system: &System) -> Result<String, CommandError> {
    let folder = measures_folder(system)?;
    let path = folder.join("seed");
    let is_whole = |it: &String| it.len() == 32;
    if let Some(seed) = fs::read_to_string(&path).ok().filter(is_whole) {
        return Ok(seed);
    }
    create_private_folder(&folder).map_err(|error| fail("make the folder for", &error))?;
    let seed = format!("{:032x}", (system.random_source())());
    let mut options = fs::OpenOptions::new();
    let file = set_private_mode(options.write(true).create_new(true)).open(&path);
    match file.and_then(|mut it| it.write_all(seed.as_bytes())) {
        Ok(()) => Ok(seed),
        // Another hook was first.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let seed = fs::read_to_string(&path).ok().filter(is_whole);
            seed.ok_or_else(|| fail("read", &error))
        }
        Err(error) => Err(fail("write", &error)),
    }
}

fn read_lines<T: SessionLine>(path: &Path) -> Result<Vec<T>, CommandError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        opened => opened.map_err(|error| fail("read", &error))?,
    };
    parse_lines(&file).map_err(|error| fail("read", &error))
}

/// The lines of a file without those that are torn.
fn parse_lines<T: SessionLine>(file: &File) -> io::Result<Vec<T>> {
    let mut text = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    Ok(text.lines().filter_map(T::parse).collect())
}

fn replace_line<T: SessionLine + Clone>(
    path: &Path,
    line: &T,
    most: usize,
) -> Result<bool, CommandError> {
    let mut is_new = true;
    rewrite_lines(path, |lines: &mut Vec<T>| {
        is_new = lines.iter().all(|it| it.session() != line.session());
        lines.retain(|it| it.session() != line.session());
        lines.push(line.clone());
        lines.drain(..lines.len().saturating_sub(most));
    })?;
    Ok(is_new)
}

/// Changes the lines of a file that nobody else changes meanwhile.
fn rewrite_lines<T: SessionLine>(
    path: &Path,
    change: impl FnOnce(&mut Vec<T>),
) -> Result<(), CommandError> {
    if let Some(folder) = path.parent() {
        create_private_folder(folder).map_err(|error| fail("make the folder for", &error))?;
    }
    let mut options = fs::OpenOptions::new();
    let file = set_private_mode(options.read(true).write(true).create(true)).open(path);
    let file = file.map_err(|error| fail("open", &error))?;
    let mut file = lock_file_within(file, PATIENCE)
        .map_err(|_| CommandError::config("the measures of sessions are being written to"))?;
    let mut lines = parse_lines(&file).map_err(|error| fail("read", &error))?;
    change(&mut lines);
    let text: String = lines.iter().map(|it| it.write() + "\n").collect();
    let written = file
        .set_len(0)
        .and_then(|()| file.seek(SeekFrom::Start(0)))
        .and_then(|_| file.write_all(text.as_bytes()));
    written.map_err(|error| fail("write", &error))
}

fn fail(verb: &str, error: &io::Error) -> CommandError {
    CommandError::config(format!("cannot {verb} the measures of sessions: {error}"))
}
