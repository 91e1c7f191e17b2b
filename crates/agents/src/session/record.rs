//! A moment of a session on disk: one JSON line, version 1.

use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::{SessionEntry, ShownMemory};
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

/// What was shown, without what cannot be read. The rest of the line has to count: that words from outside came in must
/// not be lost with one odd handle.
pub(super) fn read_shown<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<ShownMemory>, D::Error> {
    let shown = Vec::<Value>::deserialize(from)?.into_iter();
    Ok(shown
        .filter_map(|it| serde_json::from_value(it).ok())
        .collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_counts_without_the_memory_that_cannot_be_read() {
        let shown = |id: &str| {
            format!(
                r#"{{"id":"{id}","handle":"m-1","score":1.5,"verdict":"holds","relevance":1,"clarity":1,"recency":1,"trust":1,"usefulness":1,"affinity":1}}"#
            )
        };
        let good = "0190163d-8694-739b-aea5-966c26f8ad90";
        let line = format!(
            r#"{{"v":1,"at":"2026-03-01T12:00:00Z","session":"s","client":"claude-code","space":"acme/shop","moment":"prompt","outside":true,"shown":[{},{}]}}"#,
            shown("nonsense"),
            shown(good)
        );
        let entry = SessionEntry::from_json_line(&line).unwrap();
        assert!(entry.is_outside);
        let ids: Vec<String> = entry.shown.iter().map(|it| it.id.to_string()).collect();
        assert_eq!(ids, [good]);
    }
}
