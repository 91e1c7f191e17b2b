//! SQLite and JSONL behind [`apostille_core::store::Store`].

pub mod fault;
pub mod jsonl;
pub mod split;
pub mod sqlite;
