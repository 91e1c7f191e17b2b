//! Free files of a task, beside its gates: each as it is now, and every revision of it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use apostille_core::refusal::check_text;
use apostille_files::regular_file::read_regular_start;
use apostille_tasks::task::{
    GateAction, Task, TaskFile, TaskFileName, TaskSlug,
    task_file::{FileRevision, MAX_FILE_BYTES, MAX_REVISIONS, MAX_TASK_FILES},
};

use super::{CheckoutTasks, build_task_file_error, read_task_file, remove_if_there};
use crate::{atomic_file::write_file_atomically, error::CommandError};

/// The folder of revisions.
const REVISIONS: &str = "revisions";
/// Why a revision is kept that nobody wrote with this program.
const BY_HAND: &str = "edited by hand";

/// What a file is written from: as much of it as tells whether it is too long, for a device has no end.
pub fn read_file_source(path: &Path) -> io::Result<String> {
    let bytes = read_regular_start(path, MAX_FILE_BYTES + 1)?;
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}

impl CheckoutTasks {
    /// Writes a file of a task, and says whether that changed it. What somebody edited by hand since becomes a revision first.
    pub fn write_file(
        &self,
        task: Task,
        name: &TaskFileName,
        text: &str,
        why: Option<String>,
    ) -> Result<(Task, bool), CommandError> {
        check_text("file", text)?;
        if text.len() as u64 > MAX_FILE_BYTES {
            let why = format!("a file of a task has at most {MAX_FILE_BYTES} bytes");
            return Err(CommandError::usage(why));
        }
        let slug = task.slug.clone();
        let kept = find_file(&task, name)
            .and_then(TaskFile::last)
            .map(|it| it.number);
        let last = self.read_file(&slug, name, kept)?;
        let now = self.read_file(&slug, name, None)?;
        let task =
            match now.filter(|it| last.as_ref() != Some(it) && check_text("file", it).is_ok()) {
                Some(edited) => self.add_revision(task, name, &edited, Some(BY_HAND.into()))?,
                None => task,
            };
        if self.read_file(&slug, name, None)?.as_deref() == Some(text) {
            return Ok((task, false));
        }
        let task = self.add_revision(task, name, text, why)?;
        let path = self.file_path(&slug, name, None)?;
        self.write_text(&path, text)?;
        Ok((task, true))
    }

    /// What a file of a task says: as it is now, or in this revision.
    pub fn read_file(
        &self,
        slug: &TaskSlug,
        name: &TaskFileName,
        revision: Option<u32>,
    ) -> Result<Option<String>, CommandError> {
        let path = self.file_path(slug, name, revision)?;
        read_task_file(&path, MAX_FILE_BYTES)
            .map_err(|error| build_task_file_error("read", &path, &error))
    }

    fn add_revision(
        &self,
        task: Task,
        name: &TaskFileName,
        text: &str,
        why: Option<String>,
    ) -> Result<Task, CommandError> {
        let known = find_file(&task, name);
        let n_revisions = known.map_or(0, |it| it.revisions.len());
        if n_revisions >= MAX_REVISIONS || known.is_none() && task.files.len() >= MAX_TASK_FILES {
            let why =
                format!("a task has {MAX_TASK_FILES} files of {MAX_REVISIONS} revisions at most");
            return Err(CommandError::usage(why));
        }
        let number = known.and_then(TaskFile::last).map_or(1, |it| it.number + 1);
        self.write_text(&self.file_path(&task.slug, name, Some(number))?, text)?;
        let name = name.clone();
        let gate = GateAction::Filed(FileRevision { name, number, why });
        self.record_gate(&task.slug, gate)
    }

    fn write_text(&self, path: &std::path::Path, text: &str) -> Result<(), CommandError> {
        let mode = self.is_own(path).then_some(0o600);
        self.create_parent(path)
            .and_then(|()| write_file_atomically(path, text.as_bytes(), mode, self.draw))
            .map_err(|error| build_task_file_error("write", path, &error))
    }

    fn file_path(
        &self,
        slug: &TaskSlug,
        name: &TaskFileName,
        revision: Option<u32>,
    ) -> Result<PathBuf, CommandError> {
        match revision {
            None => self.path_in_task(slug, &[name.as_str()]),
            Some(n) => self.path_in_task(slug, &[REVISIONS, &format!("{name}.{n}")]),
        }
    }

    /// Removes the files of a task, with every revision.
    pub(super) fn remove_files(&self, slug: &TaskSlug) -> Result<(), CommandError> {
        let files = self.get(slug)?.map(|it| it.files).unwrap_or_default();
        for file in files {
            let revisions = file.revisions.iter().map(|it| Some(it.1.number));
            for revision in revisions.chain([None]) {
                let path = self.file_path(slug, &file.name, revision)?;
                remove_if_there(&path)
                    .map_err(|error| build_task_file_error("remove", &path, &error))?;
            }
        }
        let _ = fs::remove_dir(self.path_in_task(slug, &[REVISIONS])?);
        Ok(())
    }
}

/// A file of a task.
fn find_file<'t>(task: &'t Task, name: &TaskFileName) -> Option<&'t TaskFile> {
    task.files.iter().find(|it| it.name == *name)
}
