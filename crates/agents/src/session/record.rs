//! A moment of a session on disk: one JSON line, version 1.

use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::SessionEntry;
use apostille_core::recall::{MatchedTerm, MeaningScore, ScoreBreakdown, hit::TrustFactor};

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
    /// What hooks show has no meaning: they never load a model.
    #[serde(skip)]
    meaning: Option<MeaningScore>,
    clarity: f32,
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "as_words")]
    terms: Vec<MatchedTerm>,
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

/// The words that matched, as the user wrote them: a session's record is read by people.
mod as_words {
    use super::{Deserialize, MatchedTerm};
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        terms: &[MatchedTerm],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(terms.iter().map(|it| &it.word))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<MatchedTerm>, D::Error> {
        let words = Vec::<String>::deserialize(from)?.into_iter();
        let matched = |word: String| MatchedTerm {
            term: word.clone(),
            word,
            is_guess: false,
            is_telling: true,
        };
        Ok(words.map(matched).collect())
    }
}

/// A list without what cannot be read. The rest of the line has to count: that words from outside came in must not be lost
/// with one odd handle.
pub(super) fn read_list<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    let items = Vec::<Value>::deserialize(from)?.into_iter();
    Ok(items
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
pub(crate) mod as_text {
    use super::{Deserialize, Display, FromStr};
    use serde::{Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<T: Display, S: Serializer>(
        value: &T,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub(crate) fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<T, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// A space by its whole name: the text that people read leaves the host out.
pub(super) mod as_whole_name {
    use apostille_core::space::Space;
    use serde::Serializer;

    pub(in crate::session) use super::as_text::deserialize;

    pub(in crate::session) fn serialize<S: Serializer>(
        space: &Space,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_str(space.as_str())
    }
}

/// A list of such texts, without those that cannot be read.
pub(super) mod as_texts {
    use super::{Deserialize, Display, FromStr, Value};
    use serde::{Deserializer, Serializer};

    pub(in crate::session) fn serialize<T: Display, S: Serializer>(
        values: &[T],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(values.iter().map(ToString::to_string))
    }

    pub(in crate::session) fn deserialize<'de, T: FromStr, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<T>, D::Error> {
        let values = Vec::<Value>::deserialize(from)?;
        let texts = values.iter().filter_map(Value::as_str);
        Ok(texts.filter_map(|it| it.parse().ok()).collect())
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
