//! Which tasks were begun, or taken up, here. What a file of the checkout says of itself proves nothing: it may have come
//! with the repository. So a list is kept among this user's data, with the digest of the line that began each task.

use std::{
    fs::OpenOptions,
    io::{self, Write as _},
    path::Path,
};

use apostille_files::lock::{secure_private_folder, set_private_mode};
use apostille_tasks::task::{GateAction, TaskSlug};
use apostille_text::digest::Digest;

use super::{CheckoutTasks, build_task_file_error, read_task_file};
use crate::{atomic_file, error::CommandError, system::build_no_home_error};

/// The largest list that is read.
const MAX_LIST: u64 = 4 * 1024 * 1024;

impl CheckoutTasks {
    /// Whether a task was begun, or taken up, in this folder by this user, as it stands now.
    pub fn is_started(&self, slug: &TaskSlug) -> bool {
        let started = || {
            let list = read_task_file(self.started.as_ref()?, MAX_LIST).ok()??;
            let entry = self.start_entry(slug).ok()??;
            Some(list.lines().any(|it| it == entry))
        };
        started().unwrap_or(false)
    }

    /// Puts a task on the list.
    pub(super) fn record_start(&self, slug: &TaskSlug) -> Result<(), CommandError> {
        let list = self.started.as_ref().ok_or_else(build_no_home_error)?;
        let Some(entry) = self.start_entry(slug)?.filter(|_| !self.is_started(slug)) else {
            return Ok(());
        };
        append_started_line(list, &format!("{entry}\n"))
            .map_err(|error| build_task_file_error("write", list, &error))
    }

    /// Takes a task off the list, however it began.
    pub(super) fn remove_start(&self, slug: &TaskSlug) -> io::Result<()> {
        let Some(list) = &self.started else {
            return Ok(());
        };
        let Some(text) = read_task_file(list, MAX_LIST)? else {
            return Ok(());
        };
        let root = Digest::hash_bytes(self.root.as_os_str().as_encoded_bytes());
        let end = format!(" {root} {slug}");
        let kept: String = text
            .lines()
            .filter(|it| !it.ends_with(&end))
            .map(|it| format!("{it}\n"))
            .collect();
        if kept == text {
            return Ok(());
        }
        atomic_file::write_file_atomically(list, kept.as_bytes(), Some(0o600), self.draw)
    }

    /// The line of a task on the list: the digest of how it began, the folder and the name.
    fn start_entry(&self, slug: &TaskSlug) -> Result<Option<String>, CommandError> {
        let log = self.read_gate_log(slug)?;
        let first = log
            .passages
            .iter()
            .find(|it| matches!(it.what, GateAction::Started(_)));
        let root = Digest::hash_bytes(self.root.as_os_str().as_encoded_bytes());
        Ok(first.map(|it| {
            let begun = Digest::hash_bytes(it.to_json_line().as_bytes());
            format!("{begun} {root} {slug}")
        }))
    }
}

/// Adds a line in one write: two processes may begin tasks at once.
fn append_started_line(list: &Path, line: &str) -> io::Result<()> {
    list.parent().map_or(Ok(()), secure_private_folder)?;
    let mut options = OpenOptions::new();
    set_private_mode(options.append(true).create(true))
        .open(list)?
        .write_all(line.as_bytes())
}
