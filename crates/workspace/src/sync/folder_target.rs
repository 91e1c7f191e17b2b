//! A folder as a target: one file for each replica, so that a program that copies folders between machines never has to merge
//! one.
//!
//! A replica's file has the lines that no other file there has. What was forgotten is taken out of the files of others, too:
//! whoever wrote them may never come back.

use std::{
    collections::{BTreeMap, HashSet},
    fs::{self, Metadata},
    io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use apostille_core::{
    memory::MemoryId,
    replica::{ReplicaLine, ReplicaLog},
    space::Space,
};
use apostille_files::regular_file::read_regular_start;
use apostille_text::digest::Digest;

use super::{ExchangeTarget, SyncError};
use crate::{
    atomic_file::{remove_old_drafts, write_file_atomically},
    replica_folder::MAX_LINES_FILE,
};

/// How many files are looked at.
const MAX_FILES: usize = 1_000;

/// A folder, as far as it was looked at.
pub(super) struct FolderTarget {
    folder: PathBuf,
    /// Where earlier versions kept the lines of every host's repository of this name, while there is nothing in the other.
    earlier: Option<PathBuf>,
    /// The name of this replica's file.
    own_name: String,
    draw: u128,
    /// The lines of each file.
    files: BTreeMap<String, Vec<String>>,
    /// How each looked before it was read.
    looks: BTreeMap<String, String>,
}

impl FolderTarget {
    /// The part of the folder that belongs to this space; it is made where `makes` says so. The folder itself has to be there: one
    /// that is not mounted is not filled in its place.
    pub(super) fn open(
        folder: &Path,
        space: &Space,
        replica: &str,
        (draw, makes): (u128, bool),
    ) -> Result<Self, SyncError> {
        if !folder.is_dir() {
            let name = folder.display();
            return Err(SyncError::Unreachable(format!(
                "the folder '{name}' is not there"
            )));
        }
        let part = folder.join(name_space_folder(space));
        let earlier = folder.join(name_earlier_folder(space));
        let is_new = !check_folder(&part)?;
        let earlier = is_new.then_some(earlier);
        let earlier = earlier.filter(|it| matches!(check_folder(it), Ok(true)));
        if is_new && makes {
            make_part(folder, &part).map_err(|it| describe_io(&part, &it))?;
        }
        let own_name = format!("{replica}.jsonl");
        if makes {
            // Drafts have the name of who made them, so that no other machine's are touched.
            remove_drafts_of(&part, replica).map_err(|it| describe_io(&part, &it))?;
            remove_old_drafts(&part.join(&own_name)).map_err(|it| describe_io(&part, &it))?;
        }
        Ok(Self {
            folder: part,
            earlier,
            own_name,
            draw: u128::from_str_radix(replica, 16).unwrap_or(draw),
            files: BTreeMap::new(),
            looks: BTreeMap::new(),
        })
    }

    fn list_files(&self) -> Result<BTreeMap<String, Metadata>, SyncError> {
        list_line_files(&self.folder)
    }

    /// The lines that earlier versions wrote. Those of other hosts' repositories are passed over, as all that is about another
    /// space.
    fn read_earlier_lines(&self) -> Result<Vec<String>, SyncError> {
        let Some(folder) = &self.earlier else {
            return Ok(Vec::new());
        };
        let mut lines = Vec::new();
        for (name, found) in list_line_files(folder)? {
            lines.extend(read_line_file(&folder.join(name), &found)?);
        }
        Ok(lines)
    }

    fn write_lines(&self, name: &str, lines: &[String]) -> Result<(), SyncError> {
        let text: String = lines.iter().flat_map(|it| [&**it, "\n"]).collect();
        let path = self.folder.join(name);
        let mode = find_file_mode(&self.folder);
        write_file_atomically(&path, text.as_bytes(), mode, self.draw)
            .map_err(|it| describe_io(&path, &it))
    }

    /// The lines of other replicas' files.
    fn list_others(&self) -> HashSet<&str> {
        let others = self
            .files
            .iter()
            .filter(|(name, _)| **name != self.own_name);
        others
            .flat_map(|(_, lines)| lines)
            .map(String::as_str)
            .collect()
    }

    /// Takes what was forgotten out of the files of others; the names of those that were rewritten.
    fn strip_others(&mut self, log: &ReplicaLog) -> Result<HashSet<String>, SyncError> {
        let forgotten: HashSet<MemoryId> = log
            .lines()
            .filter(|it| it.is_tombstone())
            .map(|it| it.id)
            .collect();
        let is_kept = |text: &String| match ReplicaLine::parse_known(text, log.space()) {
            Ok(line) => line.is_tombstone() || !forgotten.contains(&line.id),
            // What is not understood may be another program's.
            Err(_) => true,
        };
        let others = self
            .files
            .iter()
            .filter(|(name, _)| **name != self.own_name);
        let mut stripped = Vec::new();
        for (name, lines) in others {
            let kept: Vec<String> = lines.iter().filter(|it| is_kept(it)).cloned().collect();
            if kept.len() < lines.len() {
                self.write_lines(name, &kept)?;
                stripped.push((name.clone(), kept));
            }
        }
        let names = stripped.iter().map(|it| it.0.clone()).collect();
        self.files.extend(stripped);
        Ok(names)
    }

    /// How each file looks now.
    fn read_looks(&self) -> Result<BTreeMap<String, String>, SyncError> {
        let files = self.list_files()?.into_iter();
        Ok(files
            .map(|(name, found)| (name, describe_file(&found)))
            .collect())
    }
}

impl ExchangeTarget for FolderTarget {
    fn find_fingerprint(&mut self) -> Result<String, SyncError> {
        Ok(digest_looks(&self.read_looks()?))
    }

    fn fetch_lines(&mut self, _log: &ReplicaLog) -> Result<Vec<String>, SyncError> {
        (self.files, self.looks) = Default::default();
        for (name, found) in self.list_files()? {
            self.looks.insert(name.clone(), describe_file(&found));
            let lines = read_line_file(&self.folder.join(&name), &found)?;
            self.files.insert(name, lines);
        }
        let earlier = self.read_earlier_lines()?;
        let mut seen = HashSet::new();
        let lines = self.files.values().flatten().chain(&earlier);
        Ok(lines.filter(|it| seen.insert(*it)).cloned().collect())
    }

    fn count_missing(&mut self, log: &ReplicaLog) -> Result<usize, SyncError> {
        let there: HashSet<&str> = self.files.values().flatten().map(String::as_str).collect();
        Ok(log.lines().filter(|it| !there.contains(&*it.text)).count())
    }

    fn store_lines(&mut self, log: &ReplicaLog) -> Result<Option<String>, SyncError> {
        let mut written = self.strip_others(log)?;
        let others = self.list_others();
        let own = log.lines().map(|it| &it.text);
        let own: Vec<String> = own.filter(|it| !others.contains(&***it)).cloned().collect();
        if self.files.get(&self.own_name) != Some(&own) {
            self.write_lines(&self.own_name, &own)?;
            written.insert(self.own_name.clone());
        }
        let looks = self.read_looks()?;
        let is_known = |it: &(&String, &String)| !written.contains(it.0);
        let is_same = looks
            .iter()
            .filter(is_known)
            .eq(self.looks.iter().filter(is_known));
        Ok(is_same.then(|| digest_looks(&looks)))
    }

    fn clean_up(&mut self, _has_forgotten: bool) -> Result<(), SyncError> {
        Ok(())
    }
}

fn digest_looks(looks: &BTreeMap<String, String>) -> String {
    let rows: String = looks
        .iter()
        .map(|(name, look)| format!("{name} {look}\n"))
        .collect();
    Digest::hash_bytes(rows.as_bytes()).to_string()
}

/// The folder of a space, by its whole name: a fork on another host has the same name but for that.
fn name_space_folder(space: &Space) -> String {
    space.as_str().replace('/', "~")
}

/// The folder that earlier versions had for it.
fn name_earlier_folder(space: &Space) -> String {
    space.to_string().replace('/', "~")
}

/// Whether a folder is there. A link in its place leads to a place that nobody chose.
fn check_folder(path: &Path) -> Result<bool, SyncError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(describe_io(path, &error)),
        Ok(found) if found.is_dir() => Ok(true),
        Ok(_) => Err(SyncError::Unfit(format!(
            "'{}' is a link, or no folder, and links are not followed here",
            path.display()
        ))),
    }
}

/// Makes the folder of a space, as open to others as the one that it is in.
fn make_part(folder: &Path, part: &Path) -> io::Result<()> {
    fs::create_dir(part)?;
    #[cfg(unix)]
    fs::set_permissions(part, fs::metadata(folder)?.permissions())?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// The permissions of a file: as open as the folder that it is in.
fn find_file_mode(folder: &Path) -> Option<u32> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let found = fs::metadata(folder).ok()?;
        Some(found.permissions().mode() & 0o666 | 0o600)
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

/// Removes the drafts that this replica left when it was killed, also of others' files, out of which it takes what was forgotten.
fn remove_drafts_of(folder: &Path, replica: &str) -> io::Result<()> {
    let end = format!(".jsonl.{}.tmp", replica.trim_start_matches('0'));
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') && name.ends_with(&end) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// The regular files of lines in a folder, by name.
fn list_line_files(folder: &Path) -> Result<BTreeMap<String, Metadata>, SyncError> {
    let broken = |error: &io::Error| describe_io(folder, error);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        entries => entries.map_err(|it| broken(&it))?,
    };
    let mut files = BTreeMap::new();
    for entry in entries {
        let entry = entry.map_err(|it| broken(&it))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(found) = fs::symlink_metadata(entry.path()) else {
            // It was taken away between the two looks.
            continue;
        };
        if found.is_file() && name.ends_with(".jsonl") && !name.starts_with('.') {
            files.insert(name, found);
        }
        if files.len() > MAX_FILES {
            let why = format!("'{}' has more than {MAX_FILES} files", folder.display());
            return Err(SyncError::Unfit(why));
        }
    }
    Ok(files)
}

fn read_line_file(path: &Path, found: &Metadata) -> Result<Vec<String>, SyncError> {
    if found.len() > MAX_LINES_FILE {
        let why = format!("'{}' is too large to be read", path.display());
        return Err(SyncError::Unfit(why));
    }
    let bytes = read_regular_start(path, MAX_LINES_FILE);
    let bytes = bytes.map_err(|it| describe_io(path, &it))?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().map(str::to_owned).collect())
}

/// What changes when a file does.
fn describe_file(found: &Metadata) -> String {
    let written = found.modified().ok();
    let written = written.and_then(|it| it.duration_since(UNIX_EPOCH).ok());
    let nanos = written.map_or(0, |it| it.as_nanos());
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(found);
    #[cfg(not(unix))]
    let inode = 0;
    format!("{} {nanos} {inode}", found.len())
}

fn describe_io(path: &Path, error: &io::Error) -> SyncError {
    SyncError::Unreachable(format!("'{}': {error}", path.display()))
}
