//! Whether two checkouts have a history in common. What `.git/config` says of a remote proves nothing: an archive can claim any.

use std::{io::Read as _, sync::mpsc, thread, time::Duration};

use apostille_cite::source::SourceResult;

use super::{
    cat_file::CatFile,
    discover::Checkout,
    git_command::{self, git_start_error},
    refs::is_object_id,
    source_unavailable,
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
        Ok(self.read_root_commits(limit)?.unwrap_or_else(|| vec![head]))
    }

    fn read_root_commits(&self, limit: Duration) -> SourceResult<Option<Vec<String>>> {
        let mut command = git_command::build_git_command(self);
        command.args(["rev-list", "--max-parents=0", "HEAD", "--"]);
        let mut child = command.spawn().map_err(git_start_error)?;
        let Some(mut output) = child.stdout.take() else {
            return Ok(None);
        };
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let mut text = String::new();
            if output.read_to_string(&mut text).is_ok() {
                // Nobody listens after the limit.
                let _ = sender.send(text);
            }
        });
        let text = receiver.recv_timeout(limit).ok();
        let _ = child.kill();
        let status = child.wait().map_err(git_start_error)?;
        let lines = text.as_deref().unwrap_or_default().lines();
        let roots: Vec<String> = lines
            .filter(|it| is_object_id(it))
            .take(MAX_ROOTS)
            .map(str::to_owned)
            .collect();
        // A git that was killed after it had told everything counts as one that ended.
        let is_whole =
            text.is_some() && !roots.is_empty() && status.code().is_none_or(|it| it == 0);
        Ok(is_whole.then_some(roots))
    }

    /// Whether one of these commits is in the repository. Nothing is fetched to find out.
    pub fn has_any_commit(&self, commits: &[String]) -> SourceResult<bool> {
        let mut commits = commits.iter().filter(|it| is_object_id(it)).peekable();
        if commits.peek().is_none() {
            return Ok(false);
        }
        let command = git_command::build_git_command(self);
        let mut checker = CatFile::spawn_checker(command).map_err(git_start_error)?;
        for commit in commits {
            let is_missing = checker
                .is_object_missing(commit)
                .map_err(|error| source_unavailable("which commits are here", error))?;
            if !is_missing {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
