//! The plain notebook: one JSON object a line, `{"id":"m-1","scope":"user","text":"…","tags":[…],"ts":"…"}`.

use jiff::Timestamp;
use serde::Deserialize;

use crate::memory::{Kind, Layer, Memory, MemoryId, Origin, Status, Usage, Voice};
use crate::space::Space;

/// A line that is no note.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadNote(String);

/// Whom a note is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The user.
    User,
    /// The workspace.
    #[default]
    Workspace,
    /// The session.
    Session,
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    scope: Scope,
    text: String,
    #[serde(default)]
    tags: Vec<String>,
    ts: String,
}

/// A note as it was written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The number of its id, where it has one.
    pub number: Option<u64>,
    /// Whom it is for.
    pub scope: Scope,
    text: String,
    tags: Vec<String>,
    at: Timestamp,
}

impl Note {
    /// Reads a line.
    pub fn parse(line: &str) -> Result<Self, BadNote> {
        let Line { id, scope, text, tags, ts } =
            serde_json::from_str(line).map_err(|error| BadNote(error.to_string()))?;
        let at = ts.parse().map_err(|_| BadNote("'ts' is not a time such as 2026-02-26T12:00:00Z".into()))?;
        let number = |id: &String| {
            let number = id.strip_prefix("m-").and_then(|it| it.parse().ok()).filter(|it| *it > 0);
            number.ok_or_else(|| BadNote("'id' is not of the form m-1".into()))
        };
        Ok(Self { number: id.as_ref().map(number).transpose()?, scope, text, tags, at })
    }

    /// The note as a memory of this space: uncited, and so shown as unverified. The same note gives the same id.
    #[must_use]
    pub fn memory(self, space: Space) -> Memory {
        let (layer, kind) = match self.scope {
            Scope::User => (Layer::Knowledge, Kind::User),
            Scope::Workspace => (Layer::Knowledge, Kind::Project),
            Scope::Session => (Layer::Session, Kind::Project),
        };
        let number = self.number.unwrap_or(0);
        Memory {
            id: MemoryId::derived(self.at, &format!("{number} {}", self.text)),
            number,
            space,
            layer,
            kind,
            subject: None,
            fact: self.text,
            reason: None,
            citations: Vec::new(),
            tags: self.tags,
            voice: Voice::of(Origin::Agent),
            task: None,
            marks: Vec::new(),
            status: Status::Active,
            supersedes: None,
            vouchers: Vec::new(),
            recorded_at: self.at,
            refreshed_at: self.at,
            usage: Usage::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_002_storage_lines_are_read() {
        let check = |line: &str, expected: Option<(Option<u64>, Scope)>| {
            assert_eq!(Note::parse(line).ok().map(|it| (it.number, it.scope)), expected, "{line}");
        };
        check(
            r#"{"id":"m-2","scope":"user","text":"t","tags":["x"],"ts":"2026-02-26T12:00:00Z"}"#,
            Some((Some(2), Scope::User)),
        );
        check(r#"{"text":"t","ts":"2026-02-26T12:00:00Z"}"#, Some((None, Scope::Workspace)));
        check(r#"{"id":"m-0","text":"t","ts":"2026-02-26T12:00:00Z"}"#, None);
        check(r#"{"id":"m-1","text":"t","ts":"yesterday"}"#, None);
        check(r#"{"id":"m-1","scope":"galaxy","text":"t","ts":"2026-02-26T12:00:00Z"}"#, None);
        check("{", None);
    }
}
