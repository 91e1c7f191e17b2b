//! Glean: what a person stated in a session and nobody remembered.

pub mod asked;

use crate::words::words;

words! {
    /// What sort of statement it is.
    Sort as "sort" {
        /// The person put the agent right.
        Correction = "correction",
        /// The person said how they want things done.
        Preference = "preference",
        /// The person stated a fact about the project.
        Fact = "fact",
    }
}

/// A statement that was found in a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gleaned {
    /// What was stated, in a sentence.
    pub fact: String,
    /// What sort of statement it is.
    pub sort: Sort,
    /// The turn it stands in, by its number: the evidence.
    pub turn: usize,
}
