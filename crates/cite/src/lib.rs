//! Evidence in code: a citation, following it through a history, and the verdict. Nothing here knows a memory or a store.
//!
//! ```
//! use apostille_cite::capture::capture_lines;
//! use apostille_cite::citation::RepoPath;
//! use apostille_cite::follow::{CitationFollower, CitedClaim, NEAR};
//! use apostille_cite::source::{Source, SourceBlob, SourceError, SourceTree};
//! use apostille_cite::standing::Standing;
//! use apostille_cite::verdict::Change;
//!
//! /// A repository with one file.
//! struct OneFile(&'static str);
//!
//! impl Source for OneFile {
//!     fn read_tree(&self) -> Result<SourceTree, SourceError> {
//!         Ok(SourceTree::default())
//!     }
//!     fn read_file(&self, path: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
//!         let blob = SourceBlob { id: None, bytes: self.0.into() };
//!         Ok((path.as_str() == "src/retry.rs").then_some(blob))
//!     }
//! }
//!
//! let was = OneFile("use std::time;\npub const MAX_RETRIES: u32 = 3;\nfn retry() {}\n");
//! let citation = capture_lines(&was, &"src/retry.rs:2".parse()?)?;
//! let claim = CitedClaim { fact: "`MAX_RETRIES` is 3", citations: &[citation] };
//! let verify = |source: &OneFile| {
//!     let in_time = || false;
//!     CitationFollower::new(source, Change::Comment, &in_time, NEAR).judge_claims(&[claim])[0].judgement.standing
//! };
//!
//! assert_eq!(verify(&was), Standing::Stands);
//! let edited = OneFile("use std::time;\npub const MAX_RETRIES: u32 = 3;\nfn retry(times: u32) {}\n");
//! assert_eq!(verify(&edited), Standing::Stands);
//! let now = OneFile("use std::time;\npub const MAX_RETRIES: u32 = 5;\nfn retry() {}\n");
//! assert_eq!(verify(&now), Standing::Contradicted);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How the pieces fit: a [`citation_request::CitationRequest`] names lines or an item. [`capture`] reads them through the port
//! [`source::Source`] and keeps a [`citation::Citation`]: the lines, their digest, fingerprints of their neighbours and the item around. [`follow`] follows it to the tree of a reader and answers
//! with a [`verdict::Verdict`]; then [`standing`] judges whether the fact is still true. [`outline`] finds what a file defines.
//! [`file_lines`] is a file as lines, [`diff`] shows two texts side by side.

pub mod capture;
pub mod citation;
pub mod citation_request;
mod comments;
pub mod diff;
pub mod file_lines;
pub mod follow;
pub mod outline;
pub mod source;
pub mod standing;
mod tokens;
pub mod verdict;
