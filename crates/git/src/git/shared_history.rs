//! Whether two checkouts have a history in common. What `.git/config` says of a remote proves nothing: an archive can claim any.
//!
//! A commit counts if its own bytes are here: an object of that id with other bytes, or one that is borrowed from another
//! repository's folder, can be made by those who know no more than the id, or the path. Git is not waited for without end: any
//! file of an archive's `.git` may be a pipe.

use std::{
    fs,
    io::Read as _,
    path::Path,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use apostille_cite::source::SourceResult;

use super::{
    discover::Checkout,
    git_command::{self, git_start_error},
    refs::is_object_id,
    tree::compute_object_id,
};

/// The most root commits that are told: a history that was grafted together has a handful.
const MAX_ROOTS: usize = 16;

impl Checkout {
    /// The commits that the history of what is checked out begins with, found within this time; else the commit that is checked
    /// out, which belongs to the history as well. Empty before the first commit. In a shallow clone they are the oldest that it
    /// has.
    ///
    /// Listing them walks the whole history: seconds in a repository with a million commits, and a hook cannot wait for that.
    pub fn list_first_commits(&self, limit: Duration) -> SourceResult<Vec<String>> {
        let Some(head) = self.read_head()?.commit else {
            return Ok(Vec::new());
        };
        let told = self.ask_git(&["rev-list", "--max-parents=0", "HEAD", "--"], limit)?;
        let told = String::from_utf8_lossy(&told.unwrap_or_default()).into_owned();
        let lines = told.lines().filter(|it| is_object_id(it));
        let roots: Vec<String> = lines.take(MAX_ROOTS).map(str::to_owned).collect();
        Ok(if roots.is_empty() { vec![head] } else { roots })
    }

    /// Whether one of these commits is in the repository, with its own bytes. Nothing is fetched to find out.
    pub fn has_any_commit(&self, commits: &[String], limit: Duration) -> SourceResult<bool> {
        let started = Instant::now();
        for commit in commits.iter().filter(|it| is_object_id(it)) {
            let left = limit.saturating_sub(started.elapsed());
            let bytes = self.ask_git(&["cat-file", "commit", commit], left)?;
            // Ids of the longer kind are believed: git checks them when it reads.
            let is_true =
                |it: &Vec<u8>| !self.uses_sha1() || compute_object_id("commit", it) == *commit;
            if bytes.is_some_and(|it| is_true(&it)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether all objects lie in the repository's own folder, and none are borrowed from another one.
    pub fn has_own_objects(&self) -> bool {
        let objects = self.common_dir().join("objects");
        let is_plain = |it: &Path| fs::symlink_metadata(it).is_ok_and(|it| !it.is_symlink());
        let has_no_links = |folder: &Path| {
            let Ok(entries) = fs::read_dir(folder) else {
                return true;
            };
            entries.flatten().all(|it| is_plain(&it.path()))
        };
        let is_borrowing = fs::symlink_metadata(objects.join("info/alternates")).is_ok();
        !is_borrowing
            && is_plain(&objects)
            && has_no_links(&objects)
            && has_no_links(&objects.join("pack"))
    }

    /// What git answers within this time; `None` if it says no or takes longer.
    fn ask_git(&self, arguments: &[&str], limit: Duration) -> SourceResult<Option<Vec<u8>>> {
        let mut command = git_command::build_git_command(self);
        let mut child = command.args(arguments).spawn().map_err(git_start_error)?;
        let Some(mut output) = child.stdout.take() else {
            return Ok(None);
        };
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            if output.read_to_end(&mut bytes).is_ok() {
                // Nobody listens after the limit.
                let _ = sender.send(bytes);
            }
        });
        let told = receiver.recv_timeout(limit).ok();
        if told.is_none() {
            let _ = child.kill();
        }
        let status = child.wait().map_err(git_start_error)?;
        Ok(told.filter(|_| status.success()))
    }
}
