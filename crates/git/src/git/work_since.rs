//! What was done in a checkout since a commit: which commits, and which files differ, by name.

use std::collections::BTreeSet;

use apostille_cite::source::SourceResult;

use super::{discover::Checkout, git_command, history, refs::is_object_id, source_unavailable};

/// How many commits are told.
const MAX_COMMITS: &str = "--max-count=500";

/// The commits and files of some work, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkRange {
    /// The commits, newest first.
    pub commits: Vec<String>,
    /// The files that differ.
    pub files: Vec<String>,
}

impl Checkout {
    /// What was done here since a commit: committed or not.
    pub fn read_work_since(&self, commit: &str) -> SourceResult<WorkRange> {
        // Git would take other texts for options, or for refs that point somewhere else tomorrow.
        if !is_object_id(commit) {
            return Err(source_unavailable(
                "what was done",
                "the task began at no commit",
            ));
        }
        let range = format!("{commit}..HEAD");
        let commits = git_command::run_git_query(self, &["rev-list", MAX_COMMITS, &range, "--"])?
            .unwrap_or_default()
            .lines()
            .map(str::to_owned)
            .collect();
        let files: BTreeSet<String> = history::diff_worktree_with_commit(self, commit)?
            .into_iter()
            .flat_map(|it| [it.was, it.now])
            .flatten()
            .map(|it| it.path.as_str().to_owned())
            .collect();
        Ok(WorkRange {
            commits,
            files: files.into_iter().collect(),
        })
    }
}
