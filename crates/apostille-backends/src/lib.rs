//! The outside world behind the core's ports: where memories are kept, and where citations point.

mod fault;
pub mod git;
pub mod github;
pub mod jsonl;
pub mod ledger;
mod lock;
pub mod memo;
pub mod sqlite;
pub mod transcripts;
pub mod worktree;
