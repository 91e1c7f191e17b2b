//! Memories in Postgres, behind [`apostille_core::store::Store`]: for a team, or for a fleet of agents.
//!
//! ```no_run
//! use apostille_core::store::{EventLog, MemoryFilter};
//! use apostille_postgres::{PostgresEnvironment, PostgresStore, PostgresUrl};
//!
//! let url: PostgresUrl = "postgres://ana@db.example/memory?sslmode=verify-full".parse()?;
//! let environment = PostgresEnvironment::default();
//! let store = PostgresStore::open(&url, &environment, 0x5eed)?;
//! println!("{} memories", store.list_memories(&MemoryFilter::default())?.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How the pieces fit: [`url`], [`environment`], [`settings`] and [`tls`] make a connection of an address; `connection` has
//! transactions and the pool; `write`, `read` and `erase` are the port's calls inside a transaction; `schema` makes the
//! tables and says who may use which space; `store` runs a transaction again where the database asks for it. What an event
//! does to rows is decided in the core, and how an index is packed in `apostille_stores::packed_index`.
//!
//! What keeps spaces apart is the database itself: row-level security is forced on every table, a transaction says which
//! space it is about, and the grants say which spaces its role may see at all.

mod connection;
mod embeddings;
pub mod environment;
mod erase;
mod error;
mod health;
mod index_rows;
mod named_statements;
mod read;
mod replica;
mod report;
mod rows;
mod schema;
pub mod settings;
mod statement;
mod store;
pub mod tls;
mod tokens;
pub mod url;
mod write;
mod write_rows;

pub use environment::PostgresEnvironment;
pub use report::{DatabaseReport, examine_database};
pub use schema::{GrantAccess, SpaceGrant};
pub use store::{PostgresStore, list_grants, prepare_database, revoke_grants};
pub use tokens::PostgresTokens;
pub use url::PostgresUrl;
