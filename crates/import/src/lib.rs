//! Readers of other tools’ memory files: text in, pieces out, and what was left out with the reason.
//!
//! ```
//! use apostille_core::policy::Policy;
//! use apostille_import::format::{Format, detect_import_format};
//! use apostille_import::sheet::ForeignFile;
//!
//! let file = ForeignFile {
//!     name: Some("AGENTS.md"),
//!     is_beside_index: false,
//!     text: "# Rules\n\n- Run `make lint` before every commit.\n- Tests need no network.\n",
//! };
//! assert_eq!(detect_import_format(&file), Some(Format::Rules));
//! let parsed = Format::Rules.parser().unwrap()(&file, &Policy::default().limits)?;
//! assert_eq!(parsed.pieces.len(), 2);
//! # Ok::<(), apostille_import::piece::FormatMismatch>(())
//! ```
//!
//! How the pieces fit: [`mod@format`] says what a file is, one module reads each format ([`rules`], [`claude`], [`graph`],
//! [`basic`], [`mem0`]), and [`mod@file`] plans and runs the import of whole files. What is written goes through the core's
//! [`import`](apostille_core::import), with the same checks as every other draft.

pub mod basic;
pub mod blocks;
pub mod claude;
pub mod cut;
pub mod export;
pub mod file;
pub mod format;
pub mod front;
pub mod graph;
pub mod mem0;
pub mod piece;
pub mod rules;
pub mod sheet;
