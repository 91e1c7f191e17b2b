//! The plain notebook: one JSON object a line, `{"id":"m-1","scope":"user","text":"…","tags":[…],"ts":"…"}`. An id of
//! another form is some other program's: it only tells the line from others that say the same.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::{
    evidence::RunTally,
    format::format_timestamp,
    memory::{Kind, Layer, Memory, MemoryId, Origin, Status, UsageCounts, Voice},
    space::Space,
};

/// A line that is no note.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadNote(String);

/// Whom a note is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NoteScope {
    /// The user.
    User,
    /// The workspace.
    #[default]
    Workspace,
    /// The session.
    Session,
}

#[derive(Deserialize)]
struct NotebookLine {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    scope: NoteScope,
    text: String,
    #[serde(default)]
    tags: Vec<String>,
    ts: String,
}

/// A note as it was written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotebookNote {
    /// The number of its id, where that is one of ours, as `m-1`.
    pub number: Option<u64>,
    /// The id that another program gave it.
    foreign: Option<String>,
    /// Whom it is for.
    pub scope: NoteScope,
    text: String,
    tags: Vec<String>,
    at: Timestamp,
}

impl NotebookNote {
    /// Reads a line.
    pub fn parse_line(line: &str) -> Result<Self, BadNote> {
        let NotebookLine {
            id,
            scope,
            text,
            tags,
            ts,
        } = serde_json::from_str(line).map_err(|error| BadNote(strip_json_position(&error)))?;
        let at = ts
            .parse()
            .map_err(|_| BadNote("'ts' is not a time such as 2026-02-26T12:00:00Z".into()))?;
        let number = |id: &str| id.strip_prefix("m-")?.parse().ok().filter(|it| *it > 0);
        let number = id.as_str().and_then(number);
        let is_foreign = number.is_none() && !id.is_null();
        let foreign = is_foreign.then(|| id.as_str().map_or_else(|| id.to_string(), Into::into));
        Ok(Self {
            number,
            foreign,
            scope,
            text,
            tags,
            at,
        })
    }

    /// The note as a memory of this space: uncited, and so shown as unverified. The same note gives the same id.
    pub fn into_memory(self, space: Space) -> Memory {
        let (layer, kind) = match self.scope {
            NoteScope::User => (Layer::Knowledge, Kind::User),
            NoteScope::Workspace => (Layer::Knowledge, Kind::Project),
            NoteScope::Session => (Layer::Session, Kind::Project),
        };
        let number = self.number.unwrap_or(0);
        let seed = match &self.foreign {
            Some(id) => format!("{id}\n{}", self.text),
            None => format!("{number} {}", self.text),
        };
        Memory {
            id: MemoryId::from_text(self.at, &seed),
            number,
            space,
            layer,
            kind,
            subject: None,
            fact: self.text,
            reason: None,
            citations: Vec::new(),
            evidence: Vec::new(),
            names: Vec::new(),
            runs: RunTally::default(),
            tags: self.tags,
            voice: Voice::from_origin(Origin::Agent),
            task: None,
            marks: Vec::new(),
            status: Status::Active,
            supersedes: None,
            vouchers: Vec::new(),
            recorded_at: self.at,
            refreshed_at: self.at,
            usage: UsageCounts::default(),
        }
    }
}

/// A memory as a line of a plain notebook; nothing where it has no place in one: what is not in use, and what happened
/// once. The evidence, the subject and the reason stay behind.
pub fn format_notebook_line(memory: &Memory) -> Option<String> {
    if !memory.is_active() || memory.layer == Layer::Episode {
        return None;
    }
    let scope = match () {
        () if memory.space.is_user() => "user",
        () if memory.layer == Layer::Session => "session",
        () => "workspace",
    };
    let (id, ts) = (
        memory.handle().to_string(),
        format_timestamp(memory.recorded_at),
    );
    let [id, text, tags, ts] = [
        Value::from(id),
        Value::from(&*memory.fact),
        Value::from(memory.tags.clone()),
        Value::from(ts),
    ];
    // In the order in which people read it.
    Some(format!(
        "{{\"id\":{id},\"scope\":\"{scope}\",\"text\":{text},\"tags\":{tags},\"ts\":{ts}}}\n"
    ))
}

/// What is wrong with a line, without the place in it: there is only one line.
fn strip_json_position(error: &serde_json::Error) -> String {
    let told = error.to_string();
    told.rsplit_once(" at line ")
        .map_or(told.clone(), |(what, _)| what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notebook_lines_are_parsed() {
        let check = |line: &str, expected: Option<(Option<u64>, NoteScope)>| {
            assert_eq!(
                NotebookNote::parse_line(line)
                    .ok()
                    .map(|it| (it.number, it.scope)),
                expected,
                "{line}"
            );
        };
        check(
            r#"{"id":"m-2","scope":"user","text":"t","tags":["x"],"ts":"2026-02-26T12:00:00Z"}"#,
            Some((Some(2), NoteScope::User)),
        );
        check(
            r#"{"text":"t","ts":"2026-02-26T12:00:00Z"}"#,
            Some((None, NoteScope::Workspace)),
        );
        for id in [r#""m-0""#, r#""note-7""#, r#""m-x""#, "7", "null", r#""""#] {
            let line = format!(r#"{{"id":{id},"text":"t","ts":"2026-02-26T12:00:00Z"}}"#);
            check(&line, Some((None, NoteScope::Workspace)));
        }
        check(r#"{"id":"m-1","text":"t","ts":"yesterday"}"#, None);
        check(
            r#"{"id":"m-1","scope":"galaxy","text":"t","ts":"2026-02-26T12:00:00Z"}"#,
            None,
        );
        check("{", None);
    }

    #[test]
    fn foreign_note_id_gives_stable_id() {
        let id = |id: &str, text: &str| {
            let line = format!(r#"{{"id":{id},"text":"{text}","ts":"2026-02-26T12:00:00Z"}}"#);
            NotebookNote::parse_line(&line)
                .unwrap()
                .into_memory("acme/app".parse().unwrap())
                .id
        };
        assert_eq!(id(r#""a""#, "t"), id(r#""a""#, "t"));
        assert_ne!(id(r#""a""#, "t"), id(r#""b""#, "t"));
        assert_ne!(id("7", "t"), id("8", "t"));
        assert_ne!(id("7", "t"), id("7", "u"));
    }

    #[test]
    fn what_is_wrong_is_said_without_a_place() {
        let why = |line: &str| NotebookNote::parse_line(line).unwrap_err().to_string();
        assert_eq!(
            why(r#"{"id":"a","ts":"2026-02-26T12:00:00Z"}"#),
            "missing field `text`"
        );
        assert_eq!(why(r#"{"text":"t"}"#), "missing field `ts`");
    }
}
