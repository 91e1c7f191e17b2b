//! Readers of other tools’ memory files: text in, pieces out, and what was left out with the reason.
//!
//! ```
//! use apostille_core::policy::Policy;
//! use apostille_import::format::{ForeignFormat, detect_import_format};
//! use apostille_import::foreign_file::ForeignFile;
//!
//! let file = ForeignFile {
//!     name: Some("AGENTS.md"),
//!     is_beside_index: false,
//!     text: "# Rules\n\n- Run `make lint` before every commit.\n- Tests need no network.\n",
//! };
//! assert_eq!(detect_import_format(&file), Some(ForeignFormat::Rules));
//! let parsed = ForeignFormat::Rules.parse_foreign_file(&file, &Policy::default().limits)?;
//! assert_eq!(parsed.pieces.len(), 2);
//! # Ok::<(), apostille_import::candidate::FormatMismatch>(())
//! ```
//!
//! How the pieces fit: [`mod@format`] says what a file is, one module reads each format ([`rule_file`], [`claude`], [`mcp_graph`],
//! [`basic_memory`], [`mem0`], [`claude_mem`], [`engram`], [`copilot`]), and [`mod@file`] plans and runs the import of whole files. What is written goes through the core's
//! [`import`](apostille_core::import), with the same checks as every other draft.

pub mod basic_memory;
pub mod blocks;
pub mod candidate;
pub mod claude;
pub mod claude_mem;
pub mod copilot;
pub mod engram;
pub mod export;
pub mod file;
pub mod foreign_file;
pub mod format;
pub mod front_matter;
pub mod mcp_graph;
pub mod mem0;
pub mod rule_file;
pub mod split_text;
