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
use apostille_core::space::Space;
use apostille_files::lock::{create_private_folder, lock_file_within, set_private_mode};
use apostille_impact::measures::SessionMeasures;
use apostille_reflect::footprint::SessionFootprint;
use apostille_text::digest::Digest;

use crate::{error::CommandError, system::System};

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

/// The sessions of a repository, as they were counted.
#[derive(Debug)]
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

    /// Keeps what was counted of a session, in the place of what was counted before it went on. How many sessions there are now.
    pub fn keep_measures(&self, it: &SessionMeasures) -> Result<usize, CommandError> {
        replace_line(&self.measures, it, MAX_SESSIONS)
    }

    /// Keeps what a session left behind.
    pub fn keep_footprint(&self, it: &SessionFootprint) -> Result<usize, CommandError> {
        replace_line(&self.footprints, it, MAX_FOOTPRINTS)
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
) -> Result<usize, CommandError> {
    let mut n = 0;
    rewrite_lines(path, |lines: &mut Vec<T>| {
        lines.retain(|it| it.session() != line.session());
        lines.push(line.clone());
        lines.drain(..lines.len().saturating_sub(most));
        n = lines.len();
    })?;
    Ok(n)
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
