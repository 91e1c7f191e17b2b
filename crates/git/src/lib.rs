//! Git, the working tree and GitHub behind [`apostille_cite::source::Source`]. No code and no configuration of a
//! repository is ever run.
//!
//! ```
//! use apostille_git::git::identity::space_from_remote_url;
//!
//! let identity = space_from_remote_url("git@github.com:MyOrg/my-app.git").unwrap();
//! assert_eq!((&*identity.host, &*identity.path), ("github.com", "myorg/my-app"));
//! ```
//!
//! Reading lines as they are in a checkout:
//!
//! ```no_run
//! use std::path::Path;
//!
//! use apostille_cite::capture::capture_lines;
//! use apostille_git::git::Checkout;
//! use apostille_git::worktree::WorkTree;
//!
//! let checkout = Checkout::discover(Path::new("."))?.ok_or("not a git repository")?;
//! let tree = WorkTree::open(&checkout)?;
//! println!("{}", capture_lines(&tree, &"src/lib.rs:1-3".parse()?)?.snippet);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How the pieces fit: [`git`] finds a checkout and reads its objects, partly itself and partly through one long-lived
//! `git` process. Three sources are built on it: [`worktree::WorkTree`] (files as they are, edits included),
//! [`git::Commit`] (one commit) and [`github::GitHub`] (a repository without a checkout). [`verdict_cache`] keeps verdicts in a file
//! between runs and wraps any of them.

pub mod exchange;
pub mod git;
pub mod github;
pub mod verdict_cache;
pub mod worktree;
