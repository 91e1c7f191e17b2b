//! `NOTES.md` at the root: the block that tells of the active task is brought up to date, the rest is a person's.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use apostille_tasks::task;
use apostille_tasks::task::block;

use super::Tasks;
use crate::desk::Desk;
use crate::disk;
use crate::error::Fault;

/// The largest file that is touched.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

impl Tasks {
    /// `NOTES.md` as it is, where it can be read.
    pub fn notes(&self) -> Option<String> {
        text(&self.root.join("NOTES.md")).ok()?
    }

    /// Brings the notes up to date with the active task. What kept it from doing so comes back as a problem: the task is
    /// none the worse for it.
    pub fn refresh_notes(&self, desk: &Desk) -> Result<Option<String>, Fault> {
        if !self.has_notes {
            return Ok(None);
        }
        let space = &desk.settings.repo.value;
        let lines = match self.active() {
            Some(active) => Some(block::lines(
                &active,
                &task::memories(&desk.cx(), space, &active)?,
            )),
            None => None,
        };
        let path = self.root.join("NOTES.md");
        let problem = |why: String| format!("NOTES.md was left as it is: {why}");
        Ok(match text(&path) {
            Ok(text) => match block::put(text.as_deref(), lines.as_deref()) {
                block::Change::Keep => None,
                block::Change::Unclear => {
                    Some(problem(format!("'{}' has no end there", block::OPEN)))
                }
                block::Change::Remove => fs::remove_file(&path)
                    .err()
                    .map(|it| problem(it.to_string())),
                block::Change::Write(text) => disk::put(&path, text.as_bytes(), None, self.draw)
                    .err()
                    .map(|it| problem(it.to_string())),
            },
            Err(error) => lines.map(|_| problem(error.to_string())),
        })
    }
}

/// What the file says; `None` if there is none. A link is not followed: it may lead out of the repository.
fn text(path: &Path) -> io::Result<Option<String>> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
        Ok(it) if !it.is_file() => Err(io::Error::other("it is a link, or no file")),
        Ok(it) if it.len() > MAX_BYTES => Err(io::Error::other("it is larger than 4 MB")),
        Ok(_) => fs::read_to_string(path).map(Some),
    }
}
