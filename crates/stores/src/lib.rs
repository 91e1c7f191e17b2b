//! SQLite and JSONL behind [`apostille_core::store::Store`].
//!
//! ```
//! use apostille_core::store::{EventLog, MemoryFilter};
//! use apostille_stores::sqlite::SqliteStore;
//!
//! let folder = tempfile::tempdir()?;
//! let store = SqliteStore::open(&folder.path().join("memory.db"))?;
//! assert!(store.list_memories(&MemoryFilter::default())?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! There is no way to write a row from here: [`append_batch`](apostille_core::store::EventLog::append_batch) takes a
//! `Batch`, and only the core makes one.
//!
//! How the pieces fit: [`sqlite`] is the default, one file for all spaces and many processes; [`jsonl`] is a file of events in
//! a repository, merged like code; [`archive`] keeps what was said, for this machine alone; [`split`] joins a repository's store with the user's own; [`store_errors`] turns what went wrong
//! below into the port's errors. What an event does to rows is decided in the core (`store/plan.rs`), and the contract suite
//! compares every store with the RAM twin, operation by operation.

pub mod archive;
pub mod jsonl;
pub mod packed;
pub mod packed_index;
pub mod row_records;
pub mod split;
pub mod sqlite;
pub mod store_errors;
