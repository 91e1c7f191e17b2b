//! Patterns over many tasks: files that change together, commands that fix failures, corrections that repeat, folders where sessions
//! fail, and what was missing at their beginning. And memories that can go up in others. All of it becomes proposals that wait for a
//! person; no model is asked, and nothing is changed by itself.
//!
//! ```
//! use apostille_reflect::cochange::{ChangeHistory, CoChangeLimits};
//!
//! let commit = |files: &[&str]| files.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
//! let mut commits: Vec<Vec<String>> = (0..60).map(|n| commit(&["src/main.rs", &format!("src/{n}.rs")])).collect();
//! commits.extend((0..8).map(|_| commit(&["src/limits.rs", "docs/limits.md"])));
//! let history = ChangeHistory::from_changes(&commits);
//! let pairs = history.find_pairs(&CoChangeLimits::default());
//! assert_eq!((pairs[0].a.as_str(), pairs[0].b.as_str()), ("docs/limits.md", "src/limits.rs"));
//! ```
//!
//! How the pieces fit: a [`footprint`] is what is kept of a session for this. [`cochange`] counts files, [`patterns`] finds the rest,
//! [`propose`] puts both into the review queue. [`consolidate`] proposes what the audit found to be said twice or otherwise, and
//! [`volatile`] names facts whose code changes all the time.

pub mod cochange;
pub mod consolidate;
pub mod footprint;
pub mod patterns;
pub mod propose;
pub mod volatile;
