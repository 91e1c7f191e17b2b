//! `NOTES.md` at the root: the block that tells of the active task is brought up to date, the rest is a person's.

use std::fs;
use std::{
    io::{self, ErrorKind},
    path::Path,
};

use apostille_tasks::task::{
    self, Task,
    notes_block::{self, NotesChange},
};

use super::CheckoutTasks;
use crate::{atomic_file, error::CommandError, workspace::Workspace};

/// The largest file that is touched.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

impl CheckoutTasks {
    /// `NOTES.md` as it is, where it can be read.
    pub fn read_notes(&self) -> Option<String> {
        read_notes_file(&self.root.join("NOTES.md")).ok()?
    }

    /// Brings the notes up to date with the active task. What kept it from doing so comes back as a problem: the task is
    /// none the worse for it.
    pub fn refresh_notes(&self, workspace: &Workspace) -> Result<Option<String>, CommandError> {
        if !self.has_notes {
            return Ok(None);
        }
        let block = |active: Task| {
            let memories =
                task::load_task_memories(&workspace.context(), &workspace.settings.repo, &active)?;
            Ok::<_, CommandError>(notes_block::format_task_block(&active, &memories))
        };
        let lines = self.active_task().map(block).transpose()?;
        let path = self.root.join("NOTES.md");
        let problem = |why: String| format!("NOTES.md was left as it is: {why}");
        let text = match read_notes_file(&path) {
            Ok(text) => text,
            Err(error) => return Ok(lines.map(|_| problem(error.to_string()))),
        };
        if text.is_none() && !self.makes_notes {
            return Ok(None);
        }
        let done = match notes_block::replace_task_block(text.as_deref(), lines.as_deref()) {
            NotesChange::Keep => Ok(()),
            NotesChange::Unclear => {
                let why = format!("'{}' has no end there", notes_block::OPEN);
                return Ok(Some(problem(why)));
            }
            NotesChange::Remove => fs::remove_file(&path),
            NotesChange::Write(text) => {
                atomic_file::write_file_atomically(&path, text.as_bytes(), None, self.draw)
            }
        };
        Ok(done.err().map(|it| problem(it.to_string())))
    }
}

/// What the file says; `None` if there is none. A link is not followed: it may lead out of the repository.
fn read_notes_file(path: &Path) -> io::Result<Option<String>> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
        Ok(it) if !it.is_file() => Err(io::Error::other("it is a link, or no file")),
        Ok(it) if it.len() > MAX_BYTES => Err(io::Error::other("it is larger than 4 MB")),
        Ok(_) => fs::read_to_string(path).map(Some),
    }
}
