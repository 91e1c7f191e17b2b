//! A moment of a session on disk: one JSON line, version 1.

use serde::{Deserialize, Serialize};

use super::{SessionEntry, ShownMemory};
use apostille_core::recall::ScoreBreakdown;
use apostille_core::recall::hit::TrustFactor;

/// The version of a line.
pub const VERSION: u32 = 1;

/// A line as it is written.
#[derive(Serialize, Deserialize)]
struct SessionEntryRecord {
    v: u32,
    at: String,
    session: String,
    client: String,
    space: String,
    moment: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turn: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    words: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    ignored: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    fresh: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    outside: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shown: Vec<ShownMemoryRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    withheld: Vec<ShownMemoryRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    transcript: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    covers: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    took: Option<u32>,
}

/// A memory in it.
#[derive(Serialize, Deserialize)]
struct ShownMemoryRecord {
    id: String,
    handle: String,
    score: f32,
    verdict: String,
    relevance: f32,
    clarity: f32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    terms: Vec<String>,
    recency: f32,
    trust: f32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    trust_terms: Vec<String>,
    usefulness: f32,
    affinity: f32,
}

impl SessionEntry {
    /// The line for it, without an end.
    #[must_use]
    pub fn to_json_line(&self) -> String {
        let line = SessionEntryRecord {
            v: VERSION,
            at: self.at.to_string(),
            session: self.session.clone(),
            client: self.client.to_string(),
            space: self.space.to_string(),
            moment: self.moment.to_string(),
            turn: self.turn.clone(),
            words: self.words.clone(),
            ignored: self.is_ignored,
            fresh: self.is_fresh,
            outside: self.is_outside,
            shown: self.shown.iter().map(ShownMemoryRecord::from).collect(),
            withheld: self.withheld.iter().map(ShownMemoryRecord::from).collect(),
            transcript: self.transcript.clone(),
            covers: self.covers,
            took: self.took,
        };
        // Texts and finite numbers only: there is nothing in a line that JSON cannot write.
        serde_json::to_string(&line).unwrap_or_default()
    }

    /// The moment that a line stands for; `None` for one that is torn, or that a newer program wrote.
    pub(super) fn from_json_line(line: &str) -> Option<Self> {
        let line: SessionEntryRecord = serde_json::from_str(line)
            .ok()
            .filter(|it: &SessionEntryRecord| it.v == VERSION)?;
        Some(Self {
            at: line.at.parse().ok()?,
            session: line.session,
            client: line.client.parse().ok()?,
            space: line.space.parse().ok()?,
            moment: line.moment.parse().ok()?,
            turn: line.turn,
            words: line.words,
            is_ignored: line.ignored,
            is_fresh: line.fresh,
            is_outside: line.outside,
            shown: line
                .shown
                .into_iter()
                .filter_map(ShownMemoryRecord::into_shown_memory)
                .collect(),
            withheld: line
                .withheld
                .into_iter()
                .filter_map(ShownMemoryRecord::into_shown_memory)
                .collect(),
            transcript: line.transcript,
            covers: line.covers,
            took: line.took,
        })
    }
}

impl From<&ShownMemory> for ShownMemoryRecord {
    fn from(it: &ShownMemory) -> Self {
        Self {
            id: it.id.to_string(),
            handle: it.handle.to_string(),
            score: it.score,
            verdict: it.verdict.clone(),
            relevance: it.why.relevance,
            clarity: it.why.clarity,
            terms: it.why.terms.clone(),
            recency: it.why.recency,
            trust: it.why.trust.factor,
            trust_terms: it.why.trust.terms.clone(),
            usefulness: it.why.usefulness,
            affinity: it.why.affinity,
        }
    }
}

impl ShownMemoryRecord {
    fn into_shown_memory(self) -> Option<ShownMemory> {
        let why = ScoreBreakdown {
            relevance: self.relevance,
            clarity: self.clarity,
            terms: self.terms,
            recency: self.recency,
            trust: TrustFactor {
                factor: self.trust,
                terms: self.trust_terms,
            },
            usefulness: self.usefulness,
            affinity: self.affinity,
        };
        let (id, handle) = (self.id.parse().ok()?, self.handle.parse().ok()?);
        Some(ShownMemory {
            id,
            handle,
            score: self.score,
            verdict: self.verdict,
            why,
        })
    }
}
