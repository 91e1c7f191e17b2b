//! SQLite and JSONL behind [`apostille_core::store::Store`].

pub mod sqlite;
pub mod jsonl;
pub mod split;
pub mod fault;
