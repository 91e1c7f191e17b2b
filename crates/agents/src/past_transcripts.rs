//! The transcripts that clients left on this machine: where they lie, and what the beginning of one says of its session.
//!
//! Whether a session is to be read is decided by its beginning alone: the folder that it worked in. Where each client keeps its
//! transcripts is said in its own folder of `clients`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use apostille_files::regular_file::read_regular_start;
use apostille_text::digest::Digest;
use jiff::Timestamp;
use serde_json::Value;

use crate::{
    client::Client,
    settings::layout::UserFolders,
    transcripts::{TranscriptError, read_first_lines},
};

/// How much of a transcript is read to find the folder of its session.
const HEAD_BYTES: u64 = 1024 * 1024;
/// How many of its lines.
const HEAD_LINES: usize = 200;
/// How much of a small file beside transcripts is read.
const SIDE_BYTES: u64 = 64 * 1024;
/// How many transcripts of one client are listed.
const MAX_LISTED: usize = 20_000;

/// Where a client keeps the transcripts of its sessions, and how to tell whose they are.
pub(crate) struct TranscriptPlaces {
    /// The transcripts below this user's folders.
    pub(crate) list: fn(user: &UserFolders<'_>) -> Vec<PathBuf>,
    /// What is known of a session without its transcript: by the name of the file, and by files beside it.
    pub(crate) read_outside: fn(transcript: &Path) -> SessionHead,
    /// Takes in what a line says of the session.
    pub(crate) read_line: fn(head: &mut SessionHead, line: &Value),
    /// The folder that holds the transcripts of one checkout and of nothing else, where its name tells that.
    pub(crate) find_folder: fn(user: &UserFolders<'_>, root: &Path) -> Option<PathBuf>,
    /// Why they are not read, where that is so.
    pub(crate) why_unread: Option<&'static str>,
}

/// Of a client whose transcripts are looked for nowhere.
pub(crate) const NO_TRANSCRIPTS: TranscriptPlaces = TranscriptPlaces {
    list: |_| Vec::new(),
    read_outside: |_| SessionHead::default(),
    read_line: |_, _| {},
    find_folder: |_, _| None,
    why_unread: None,
};

/// The folder that a session worked in, as its client wrote it down.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordedFolder {
    /// Its path.
    Path(PathBuf),
    /// The digest of its path.
    Digest(String),
}

impl RecordedFolder {
    /// Whether it is this folder.
    #[must_use]
    pub fn is_folder(&self, folder: &Path) -> bool {
        match self {
            Self::Path(path) => path == folder,
            Self::Digest(digest) => {
                let bytes = folder.as_os_str().as_encoded_bytes();
                Digest::hash_bytes(bytes).to_string() == *digest
            }
        }
    }
}

/// What is known of a session before its transcript is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionHead {
    /// Its name.
    pub name: Option<String>,
    /// The folder that it worked in.
    pub folder: Option<RecordedFolder>,
    /// The branch that was checked out.
    pub branch: Option<String>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// Whether an agent started it.
    pub is_helper: bool,
}

impl SessionHead {
    /// Takes in a name, a folder, a branch and a time, each where it is not known yet.
    pub(crate) fn fill_in(&mut self, name: &Value, cwd: &Value, branch: &Value, time: &Value) {
        let text = |it: &Value| it.as_str().filter(|it| !it.is_empty()).map(str::to_owned);
        let folder = || text(cwd).map(|it| RecordedFolder::Path(it.into()));
        self.name = self.name.take().or_else(|| text(name));
        self.folder = self.folder.take().or_else(folder);
        self.branch = self.branch.take().or_else(|| text(branch));
        let started_at = self.started_at.take();
        self.started_at = started_at.or_else(|| time.as_str()?.parse().ok());
    }

    fn is_complete(&self) -> bool {
        self.name.is_some() && self.folder.is_some() && self.started_at.is_some()
    }
}

/// A session that left a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastSession {
    /// Its client.
    pub client: Client,
    /// Its transcript.
    pub path: PathBuf,
    /// Its name, as hooks are told it.
    pub name: String,
    /// What else its beginning says.
    pub head: SessionHead,
}

impl TranscriptPlaces {
    /// Reads the beginning of a transcript, as far as it takes to know whose it is.
    pub(crate) fn read_session(
        &self,
        client: Client,
        path: &Path,
    ) -> Result<PastSession, TranscriptError> {
        let mut head = (self.read_outside)(path);
        let mut n_lines = 0;
        read_first_lines(path, HEAD_BYTES, &mut |line| {
            (self.read_line)(&mut head, line);
            n_lines += 1;
            !head.is_complete() && n_lines < HEAD_LINES
        })?;
        let stem = || path.file_stem().unwrap_or_default().to_string_lossy();
        Ok(PastSession {
            client,
            path: path.to_owned(),
            name: head.name.clone().unwrap_or_else(|| stem().into_owned()),
            head,
        })
    }
}

/// The files so many folders below this one that are wanted by their name, in order. Links are not followed.
pub(crate) fn list_files_below(
    folder: &Path,
    depth: usize,
    is_wanted: &dyn Fn(&Path) -> bool,
) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect_files(folder, depth, is_wanted, &mut found);
    found.sort();
    found
}

fn collect_files(
    folder: &Path,
    depth: usize,
    is_wanted: &dyn Fn(&Path) -> bool,
    found: &mut Vec<PathBuf>,
) {
    let entries = fs::read_dir(folder).into_iter().flatten();
    for entry in entries.filter_map(Result::ok) {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let path = entry.path();
        if kind.is_dir() && depth > 0 {
            collect_files(&path, depth - 1, is_wanted, found);
        } else if kind.is_file() && depth == 0 && found.len() < MAX_LISTED && is_wanted(&path) {
            found.push(path);
        }
    }
}

/// Whether a file has one of these endings.
pub(crate) fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    endings.iter().any(|it| name.ends_with(it))
}

/// The text of a small file beside transcripts.
pub(crate) fn read_side_file(path: &Path) -> io::Result<String> {
    let bytes = read_regular_start(path, SIDE_BYTES)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// How many of a client's transcripts lie in the folder of this checkout, by the names of folders and files alone.
pub(crate) fn count_in_own_folder(
    places: &TranscriptPlaces,
    user: &UserFolders<'_>,
    root: &Path,
) -> usize {
    let Some(folder) = (places.find_folder)(user, root) else {
        return 0;
    };
    let is_transcript = |it: &Path| {
        let name = it.file_name().unwrap_or_default().to_string_lossy();
        has_ending(it, &[".jsonl", ".json"]) && !name.starts_with("agent-")
    };
    list_files_below(&folder, 0, &is_transcript).len()
}
