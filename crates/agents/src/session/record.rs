//! A moment of a session on disk: one JSON line, version 1.

use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::SessionEntry;
use apostille_core::recall::{ScoreBreakdown, hit::TrustFactor};

/// The version of a line.
pub const VERSION: u32 = 1;

/// A line as it is written.
#[derive(Serialize, Deserialize)]
struct SessionLine<T> {
    v: u32,
    #[serde(flatten)]
    entry: T,
}

/// How a score is written: its factors beside everything else.
#[derive(Serialize, Deserialize)]
#[serde(remote = "ScoreBreakdown")]
pub(super) struct ScoreRecord {
    relevance: f32,
    clarity: f32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    terms: Vec<String>,
    recency: f32,
    #[serde(flatten, with = "TrustRecord")]
    trust: TrustFactor,
    usefulness: f32,
    affinity: f32,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "TrustFactor")]
struct TrustRecord {
    #[serde(rename = "trust")]
    factor: f32,
    #[serde(rename = "trust_terms", default, skip_serializing_if = "Vec::is_empty")]
    terms: Vec<String>,
}

impl SessionEntry {
    /// The line for it, without an end.
    pub fn to_json_line(&self) -> String {
        let line = SessionLine {
            v: VERSION,
            entry: self,
        };
        // Texts and finite numbers only: there is nothing in a line that JSON cannot write.
        serde_json::to_string(&line).unwrap_or_default()
    }

    /// The moment that a line stands for; `None` for one that is torn, or that a newer program wrote.
    pub(super) fn from_json_line(line: &str) -> Option<Self> {
        let line: SessionLine<Self> = serde_json::from_str(line).ok()?;
        (line.v == VERSION).then_some(line.entry)
    }
}

/// What is written as the text that people read.
pub(super) mod as_text {
    use super::{Deserialize, Display, FromStr};
    use serde::{Deserializer, Serializer, de::Error};

    pub(in crate::session) fn serialize<T: Display, S: Serializer>(
        value: &T,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub(in crate::session) fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<T, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}
