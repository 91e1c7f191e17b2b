//! The cases: a fact with the places that prove it at one commit, and whether it is true at another.

use serde::{Deserialize, Serialize};

/// What is known about a fact at the later commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Truth {
    /// It is still true.
    True,
    /// It became false.
    False,
    /// What it speaks of is not there any more.
    Gone,
}

/// One fact.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct FactCase {
    /// Its name.
    pub(crate) id: String,
    /// The set: `S1` values, `S2` sentences, `S3` rules.
    pub(crate) set: String,
    /// The repository, as `owner+name`.
    pub(crate) repo: String,
    /// The commit that was cited.
    #[serde(rename = "A")]
    pub(crate) then: String,
    /// The commit at which it is judged.
    #[serde(rename = "B")]
    pub(crate) now: String,
    path: String,
    line_start: u32,
    line_end: u32,
    #[serde(default)]
    also: Vec<(u32, u32)>,
    #[serde(default)]
    paths: Vec<String>,
    /// What is claimed.
    pub(crate) fact: String,
    /// Whether it is true.
    pub(crate) truth: Truth,
    /// How the case was made.
    #[serde(default)]
    pub(crate) how: String,
    /// How wide it was cited.
    pub(crate) width: String,
    /// Whether the cited lines were edited.
    #[serde(default)]
    pub(crate) touched: bool,
}

impl FactCase {
    /// The cited places: path, first and last line.
    pub(crate) fn places(&self) -> Vec<(&str, u32, u32)> {
        let spans = [(self.line_start, self.line_end)]
            .into_iter()
            .chain(self.also.iter().copied());
        let path = |at: usize| {
            self.paths
                .get(at)
                .map_or(self.path.as_str(), String::as_str)
        };
        spans
            .enumerate()
            .map(|(at, (start, end))| (path(at), start, end))
            .collect()
    }
}
