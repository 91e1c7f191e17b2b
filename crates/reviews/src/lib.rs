//! What reviewers write on pull requests: events in, decisions out. No IO, no clock, no network.
//!
//! ```
//! use apostille_reviews::extract::extract_rules;
//!
//! let rules = extract_rules("Looks good!\n\nPlease always use `logger` instead of `print` in new code.");
//! assert_eq!(rules[0].text, "Please always use `logger` instead of `print` in new code.");
//! assert!(extract_rules("Can you rename this variable?").is_empty());
//! ```
//!
//! How the pieces fit: [`signature`] says whether a delivery is the host's, [`payload`] reads it into a [`payload::ReviewEvent`],
//! and [`process`](mod@process) does what follows from one: sentences of a comment that may be rules ([`extract`]) go to
//! [`apostille_core::review_rules`], which decides what they become, and the end of a pull request goes onto the episodes of
//! its work. [`codeowners`] says who owns a file.
//!
//! Everything that is read here was written by whoever may comment, which on a public repository is anybody.

pub mod codeowners;
pub mod event_record;
pub mod extract;
pub mod payload;
pub mod process;
pub mod seen;
pub mod signature;
