//! Which sessions of a repository were learned from, so that none is gone through twice: the ledger of hooks is emptied after a
//! month, and what a person forgot of a session must not come back from its transcript.
//!
//! A file for each repository, a line for each session: a digest of its name and nothing that was said in it.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};

use apostille_core::space::Space;
use apostille_files::lock::{create_private_folder, lock_file_within, set_private_mode};
use apostille_text::digest::Digest;

use crate::{error::CommandError, system::System};

/// The sessions of a repository that were learned from.
#[derive(Debug)]
pub struct LearnedSessions {
    path: PathBuf,
    known: BTreeSet<String>,
}

impl LearnedSessions {
    /// The list of a repository; empty where there is none.
    pub fn read(system: &System, repo: &Space) -> Result<Self, CommandError> {
        let name = Digest::hash_bytes(repo.as_str().as_bytes()).short_hex();
        let path = system.require_data_dir()?.join("learned").join(name);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read.map_err(|error| fail("read", &error))?,
        };
        Ok(Self {
            known: text.lines().map(str::to_owned).collect(),
            path,
        })
    }

    /// Whether a session was learned from.
    pub fn contains(&self, session: &str) -> bool {
        self.known.contains(&digest_session(session))
    }

    /// Notes that a session was learned from. Lines are short and are added whole, so nobody waits for anybody.
    pub fn note_session(&mut self, session: &str) -> Result<(), CommandError> {
        let digest = digest_session(session);
        if !self.known.insert(digest.clone()) {
            return Ok(());
        }
        let line = format!("{digest}\n");
        let written =
            open_private_file(&self.path).and_then(|mut it| it.write_all(line.as_bytes()));
        written.map_err(|error| fail("write", &error))
    }

    /// Waits until no other run goes through past sessions of this repository; while the file is open, none does.
    pub fn lock_run(&self) -> Result<File, CommandError> {
        let file = open_private_file(&self.path.with_extension("lock"));
        let file = file.map_err(|error| fail("lock", &error))?;
        lock_file_within(file, Duration::ZERO).map_err(|_| {
            CommandError::config("another run goes through past sessions of this repository")
        })
    }
}

fn open_private_file(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        create_private_folder(folder)?;
    }
    set_private_mode(OpenOptions::new().create(true).append(true)).open(path)
}

fn digest_session(session: &str) -> String {
    Digest::hash_bytes(session.as_bytes()).short_hex()
}

fn fail(verb: &str, error: &io::Error) -> CommandError {
    CommandError::config(format!(
        "cannot {verb} the list of sessions that were learned from: {error}"
    ))
}
