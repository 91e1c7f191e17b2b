//! Locks with a fair queue, and files that are their owner's alone. A leaf: it knows no memory.
//!
//! ```
//! use std::time::Duration;
//!
//! use apostille_files::lock::{LockError, StoreLock};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("store.lock");
//! let (mut ours, mut theirs) = (StoreLock::new(path.clone()), StoreLock::new(path));
//!
//! let held = ours.wait_for_lock(Duration::from_secs(1))?;
//! let refused = theirs.wait_for_lock(Duration::from_millis(1));
//! assert!(matches!(refused, Err(LockError::Busy { .. })));
//! drop(held);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How the pieces fit: [`lock`] lets one process at a time write; stores, the ledger of sessions and the request meter use
//! it. [`no_symlink`] opens a file and refuses to follow a link, so that a repository cannot point our writes elsewhere.
//! [`regular_file`] refuses pipes, devices and folders without waiting for them.

pub mod lock;
pub mod no_symlink;
pub mod regular_file;
