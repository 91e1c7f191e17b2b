//! Git, the working tree and GitHub behind [`apostille_cite::source::Source`]. No code or configuration of a repository is ever run.

pub mod git;
pub mod github;
pub mod memo;
pub mod worktree;
