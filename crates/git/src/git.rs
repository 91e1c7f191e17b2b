//! Git repositories: where they are, whose they are, what is checked out, and what their commits hold.
//!
//! Finding a repository and its head reads files only, because hooks wait for it. Commits are read through one
//! `git cat-file` child. Nothing that a repository configures is ever run.
//!
//! Why a child process and no library: a library that reads packs, deltas and histories would have brought eighty packages,
//! and it would be one more implementation of what decides a verdict. A process costs two milliseconds, once, and only
//! where a commit has to be read.

mod blame;
mod cat_file;
mod commit;
mod commit_details;
mod commit_messages;
mod config;
mod discover;
mod git_command;
mod head;
mod history;
pub mod identity;
pub(crate) mod index;
mod objects;
mod refs;
mod setting;
mod shared_history;
mod small_file;
mod tree;
mod work_since;

#[cfg(test)]
pub(crate) mod tests;

use apostille_cite::source::SourceError;

pub use blame::BlamedLines;
pub use commit::Commit;
pub(crate) use commit::MAX_FILES;
pub use commit_details::CommitDetails;
pub use discover::Checkout;
pub use head::GitHead;
pub(crate) use history::{diff_worktree_with_commit, list_sparse_excluded};
pub(crate) use refs::is_object_id;
pub(crate) use small_file::is_absent_file_error;
pub(crate) use tree::{TreeEntryKind, compute_blob_id, parse_tree_mode};

/// What is behind an error.
pub(crate) type ErrorCause = Box<dyn std::error::Error + Send + Sync>;

/// The error for "the outside world failed".
pub(crate) fn source_unavailable(
    what: impl Into<String>,
    source: impl Into<ErrorCause>,
) -> SourceError {
    SourceError::Unavailable {
        what: what.into(),
        source: source.into(),
    }
}
