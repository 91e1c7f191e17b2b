//! Configuration, the checkout, and the store and source that belong to a call: everything that is opened before a verb
//! runs.
//!
//! ```
//! use std::path::Path;
//!
//! use apostille_workspace::config::StoreUrl;
//!
//! let base = Path::new("project");
//! assert_eq!(StoreUrl::from_text("jsonl:memory.jsonl", base, None), Ok(StoreUrl::Jsonl(base.join("memory.jsonl"))));
//! assert!(StoreUrl::from_text("notes.txt", base, None).is_err());
//! ```
//!
//! How the pieces fit: [`system`] is what the process was given (folder, environment, terminal, clock), read once.
//! [`project_folder`] is the checkout that a folder belongs to, [`config`] what is set there and where each setting comes from.
//! [`trust`] says whether a repository's own settings and memories are heard.
//! [`workspace`] opens the store and the source of a command and lends it the core's `Context`; [`server_host`] does the same for each
//! call of a server and implements [`apostille_api::host::OpenScope`]. [`healing`] lets citations follow the code while nobody waits. [`speaker`] is the terminal's door to
//! [`apostille_core::speaker::Speaker`], and [`confirm`] asks for the [`pin`] there, where the user set one.

pub mod atomic_file;
pub mod change_reason;
pub mod commit_index;
pub mod config;
pub mod confirm;
pub mod database_access;
pub mod embedding_model;
pub mod error;
pub mod github;
pub mod healing;
mod hidden_input;
pub mod known_repositories;
pub mod learned_sessions;
pub mod looking_back;
pub mod measured_sessions;
pub mod model;
mod parent_environment;
pub mod pin;
pub mod project_folder;
pub mod prompt;
pub mod replica_folder;
pub mod repository_folders;
pub mod repository_space;
pub mod reviews;
pub mod server_host;
pub mod sessions;
pub mod side_records;
pub mod speaker;
pub mod store_watcher;
pub mod surroundings;
pub mod sync;
pub mod sync_target;
pub mod system;
pub mod task;
pub mod tokens;
pub mod trust;
pub mod unplaced;
pub mod workspace;
