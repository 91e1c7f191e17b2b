//! The outside world behind the core's ports: where memories are kept, where citations point, and a model to ask.

mod fault;
pub mod git;
pub mod github;
pub mod jsonl;
pub mod ledger;
mod lock;
pub mod memo;
pub mod models;
pub mod split;
pub mod sqlite;
mod unlinked;
mod web;
pub mod worktree;
