//! The schemas of the records that the core writes. The core knows no schemas, and a derive cannot reach into another
//! crate, so their fields are named here once more; the tests fail when a record has others. What is an `Option` here is
//! left out of the record where there is nothing to tell.
#![expect(dead_code, reason = "these structs are read by their derive alone")]

use apostille_cite::citation::ItemKind;
use apostille_core::{
    event::{Breaker, EventKind},
    evidence::{EvidenceKind, NameKind, ReviewAuthority},
    memory::{Channel, Kind, Layer, ModerationMark, Origin, Stage},
};
use jiff::Timestamp;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use super::text_schema::TextEncoded;

/// Takes what may be left out off the list of what is always there.
fn unrequire_optional_fields(schema: &mut Schema) {
    let is_option = |it: &Value| it["type"].as_array().is_some() || it["anyOf"].is_array();
    let properties = schema.get("properties").cloned().unwrap_or_default();
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !is_option(&properties[name.as_str().unwrap_or_default()]));
    }
}

/// A citation: which lines, and what they said.
#[derive(JsonSchema)]
#[schemars(rename = "CitationRecord", transform = unrequire_optional_fields)]
pub(super) struct CitationSchema {
    path: String,
    /// The first line, from 1.
    line_start: u32,
    line_end: u32,
    /// The commit that was checked out.
    sha: Option<String>,
    /// Git's id of the file's content.
    blob: Option<String>,
    /// The cited lines.
    snippet: String,
    /// Their SHA-256.
    snippet_hash: String,
    /// Short digests of the lines before.
    before: Option<Vec<String>>,
    /// Short digests of the lines after.
    after: Option<Vec<String>>,
    /// The item that the lines stand in.
    item: Option<CitedItemSchema>,
}

/// The function, type, value or section around cited lines.
#[derive(JsonSchema)]
#[schemars(rename = "CitedItemRecord")]
pub(super) struct CitedItemSchema {
    /// Its name with those of what it stands in.
    path: String,
    kind: TextEncoded<ItemKind>,
    /// The first line, from 1.
    line_start: u32,
    line_end: u32,
}

/// Evidence that is not code: the user's words, a command that ran, or a comment of a reviewer.
#[derive(JsonSchema)]
#[schemars(rename = "EvidenceRecord", transform = unrequire_optional_fields)]
pub(super) struct EvidenceSchema {
    kind: TextEncoded<EvidenceKind>,
    /// The user's words.
    quote: Option<String>,
    /// Which of the user's prompts they stand in.
    turn: Option<u32>,
    command: Option<String>,
    /// Whether the command succeeded.
    succeeded: Option<bool>,
    session: Option<String>,
    at: Option<TextEncoded<Timestamp>>,
    /// The number of the pull request that a reviewer commented on.
    pull_request: Option<u64>,
    /// The comment, by its anchor on the page.
    comment: Option<String>,
    reviewer: Option<String>,
    /// How much the reviewer has to say.
    authority: Option<TextEncoded<ReviewAuthority>>,
    /// Whose pull request it is.
    author: Option<String>,
    /// The file that the comment is about.
    path: Option<String>,
    /// In how many tasks or commits a pattern was found.
    found: Option<u32>,
    /// Among how many.
    of: Option<u32>,
    /// The episodes that it was found in, or the memories that were compared, by id.
    memories: Option<Vec<String>>,
}

/// A command that was seen to run.
#[derive(JsonSchema)]
#[schemars(rename = "CommandRunRecord", transform = unrequire_optional_fields)]
pub(super) struct CommandRunSchema {
    command: String,
    succeeded: bool,
    session: Option<String>,
    at: TextEncoded<Timestamp>,
}

/// Something that a memory names.
#[derive(JsonSchema)]
#[schemars(rename = "NameRecord", transform = unrequire_optional_fields)]
pub(super) struct NameSchema {
    kind: TextEncoded<NameKind>,
    name: String,
    /// The file in which a symbol was found.
    path: Option<String>,
}

/// How the commands that a memory names fared.
#[derive(JsonSchema)]
#[schemars(rename = "RunTallyRecord", transform = unrequire_optional_fields)]
pub(super) struct RunTallySchema {
    /// When one was last seen to succeed.
    succeeded_at: Option<TextEncoded<Timestamp>>,
    /// When one was seen to fail since then.
    failed_at: Option<Vec<TextEncoded<Timestamp>>>,
}

/// A memory as it is kept.
#[derive(JsonSchema)]
#[schemars(rename = "MemoryRecord", transform = unrequire_optional_fields)]
pub(super) struct MemorySchema {
    id: String,
    /// The number within the space.
    number: u64,
    /// `owner/name`, or `users/<name>`.
    space: String,
    layer: TextEncoded<Layer>,
    kind: TextEncoded<Kind>,
    subject: Option<String>,
    /// What was learned.
    fact: String,
    /// Why it matters.
    reason: Option<String>,
    /// The code that proves it.
    citations: Option<Vec<CitationSchema>>,
    /// What else proves it.
    evidence: Option<Vec<EvidenceSchema>>,
    /// What it names.
    names: Option<Vec<NameSchema>>,
    /// How the commands that it names fared.
    runs: Option<RunTallySchema>,
    tags: Option<Vec<String>>,
    /// Who said it.
    origin: TextEncoded<Origin>,
    /// How it came in.
    channel: Option<TextEncoded<Channel>>,
    /// Whether the words came from outside.
    tainted: Option<bool>,
    /// Whether it was said in a session that had read words from outside.
    exposed: Option<bool>,
    /// The agent's or user's name.
    author: Option<String>,
    /// The session it was said in.
    session: Option<String>,
    /// The task it belongs to.
    task: Option<String>,
    /// What moderation noticed.
    marks: Option<Vec<TextEncoded<ModerationMark>>>,
    status: TextEncoded<Stage>,
    /// Why it has this status.
    status_why: Option<String>,
    /// The id of the memory that replaced it.
    superseded_by: Option<String>,
    /// The id of the memory that it replaced.
    supersedes: Option<String>,
    /// Who else said it, independently.
    vouchers: Option<Vec<String>>,
    recorded_at: TextEncoded<Timestamp>,
    /// When it was last stated or found to hold.
    refreshed_at: TextEncoded<Timestamp>,
    /// How often it was shown.
    recalls: Option<u32>,
    /// How often it was applied.
    applied: Option<u32>,
    /// How often it was found to hold.
    verified: Option<u32>,
    /// The SHA-256 of what it says.
    digest: Option<String>,
    /// The version of this shape.
    v: Option<u32>,
}

/// A memory as it was shown once.
#[derive(JsonSchema)]
#[schemars(rename = "ShowingRecord")]
pub(super) struct RetrievedMemorySchema {
    id: String,
    score: f32,
    verdict: String,
}

/// How a memory stood before an event.
#[derive(JsonSchema)]
#[schemars(rename = "WasRecord", transform = unrequire_optional_fields)]
pub(super) struct PreviousStateSchema {
    status: TextEncoded<Stage>,
    why: Option<String>,
    by: Option<String>,
    citations: Option<Vec<CitationSchema>>,
    refreshed_at: TextEncoded<Timestamp>,
}

/// An event: one flat object, with the fields that its word calls for.
#[derive(JsonSchema)]
#[schemars(rename = "EventRecord", transform = unrequire_optional_fields)]
pub(super) struct EventSchema {
    event: TextEncoded<EventKind>,
    at: TextEncoded<Timestamp>,
    space: String,
    /// The memory's id.
    id: Option<String>,
    /// Who did it.
    actor: Option<String>,
    /// The memory that was kept.
    memory: Option<MemorySchema>,
    /// Whether a person overrode a check.
    forced: Option<bool>,
    /// Why it was kept beside a near-duplicate.
    rationale: Option<String>,
    /// Citations that followed the code.
    citations: Option<Vec<CitationSchema>>,
    /// The memory that replaced it.
    by: Option<String>,
    reason: Option<String>,
    /// Verdicts with their places, or where citations went.
    found: Option<Vec<String>>,
    /// The commit it was looked up at.
    commit: Option<String>,
    /// What was asked.
    query: Option<String>,
    /// What was shown.
    shown: Option<Vec<RetrievedMemorySchema>>,
    /// The class of refusal.
    class: Option<String>,
    /// What had changed in the cited code.
    diff: Option<String>,
    /// Who else said it, independently.
    voucher: Option<String>,
    /// The number of a forgotten memory.
    number: Option<u64>,
    /// The status of a restored memory.
    status: Option<TextEncoded<Stage>>,
    /// When a restored memory had last been stated.
    refreshed_at: Option<TextEncoded<Timestamp>>,
    /// The place in the log that a space was taken back to.
    to: Option<u64>,
    /// How many memories a rollback restored, retired and could not bring back.
    counts: Option<[u64; 3]>,
    breaker: Option<TextEncoded<Breaker>>,
    /// Whose writes a breaker is about.
    about: Option<String>,
    /// What else proves it, where that is new.
    evidence: Option<Vec<EvidenceSchema>>,
    /// What it names, where that was looked up anew.
    names: Option<Vec<NameSchema>>,
    /// The command that ran.
    run: Option<CommandRunSchema>,
    /// The pull request that came to its end.
    pull_request: Option<u64>,
    /// How the memory stood before.
    was: Option<PreviousStateSchema>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use apostille_core::format::{
        CitationRecord, CitedItemRecord, CommandRunRecord, EventRecord, EvidenceRecord,
        MemoryRecord, NameRecord, PreviousStateRecord, RetrievedMemoryRecord, RunTallyRecord,
    };
    use schemars::generate::SchemaSettings;
    use serde::Serialize;

    use super::*;

    fn names(object: &Value) -> BTreeSet<String> {
        object
            .as_object()
            .map(|it| it.keys().cloned().collect())
            .unwrap_or_default()
    }

    /// A record with everything in it has the fields of its schema, and one with nothing in it those that are required.
    fn check<T: JsonSchema>(full: &impl Serialize, empty: &impl Serialize) {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let schema = settings.into_generator().into_root_schema_for::<T>();
        let required: BTreeSet<String> = schema.as_value()["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|it| it.as_str().map(Into::into))
            .collect();
        let of = |it: &Value| names(it);
        let full = serde_json::to_value(full).unwrap_or_default();
        assert_eq!(of(&full), of(&schema.as_value()["properties"]));
        let empty = serde_json::to_value(empty).unwrap_or_default();
        assert_eq!(of(&empty), required);
    }

    fn text() -> String {
        "x".into()
    }

    fn citation() -> CitationRecord {
        CitationRecord {
            path: text(),
            line_start: 1,
            line_end: 1,
            sha: Some(text()),
            blob: Some(text()),
            snippet: text(),
            snippet_hash: text(),
            before: vec![text()],
            after: vec![text()],
            item: Some(cited_item()),
        }
    }

    fn cited_item() -> CitedItemRecord {
        CitedItemRecord {
            path: text(),
            kind: text(),
            line_start: 1,
            line_end: 1,
        }
    }

    fn evidence() -> EvidenceRecord {
        EvidenceRecord {
            kind: text(),
            quote: Some(text()),
            turn: Some(1),
            command: Some(text()),
            succeeded: Some(true),
            session: Some(text()),
            at: Some(text()),
            pull_request: Some(1),
            comment: Some(text()),
            reviewer: Some(text()),
            authority: Some(text()),
            author: Some(text()),
            path: Some(text()),
            found: Some(1),
            of: Some(1),
            memories: vec![text()],
        }
    }

    fn run() -> CommandRunRecord {
        CommandRunRecord {
            command: text(),
            succeeded: true,
            session: Some(text()),
            at: text(),
        }
    }

    fn name() -> NameRecord {
        NameRecord {
            kind: text(),
            name: text(),
            path: Some(text()),
        }
    }

    fn runs() -> RunTallyRecord {
        RunTallyRecord {
            succeeded_at: Some(text()),
            failed_at: vec![text()],
        }
    }

    fn memory() -> MemoryRecord {
        MemoryRecord {
            id: text(),
            number: 1,
            space: text(),
            layer: text(),
            kind: text(),
            subject: Some(text()),
            fact: text(),
            reason: Some(text()),
            citations: vec![citation()],
            evidence: vec![evidence()],
            names: vec![name()],
            runs: Some(runs()),
            tags: vec![text()],
            origin: text(),
            channel: Some(text()),
            tainted: true,
            exposed: true,
            author: Some(text()),
            session: Some(text()),
            task: Some(text()),
            marks: vec![text()],
            status: text(),
            status_why: Some(text()),
            superseded_by: Some(text()),
            supersedes: Some(text()),
            vouchers: vec![text()],
            recorded_at: text(),
            refreshed_at: text(),
            recalls: 1,
            applied: 1,
            verified: 1,
            digest: Some(text()),
            v: Some(1),
        }
    }

    fn was() -> PreviousStateRecord {
        PreviousStateRecord {
            status: text(),
            why: Some(text()),
            by: Some(text()),
            citations: Some(vec![citation()]),
            refreshed_at: text(),
        }
    }

    fn showing() -> RetrievedMemoryRecord {
        RetrievedMemoryRecord {
            id: text(),
            score: 1.0,
            verdict: text(),
        }
    }

    fn event() -> EventRecord {
        EventRecord {
            event: text(),
            at: text(),
            space: text(),
            id: Some(text()),
            actor: Some(text()),
            memory: Some(Box::new(memory())),
            forced: true,
            rationale: Some(text()),
            citations: Some(vec![citation()]),
            by: Some(text()),
            reason: Some(text()),
            found: vec![text()],
            commit: Some(text()),
            query: Some(text()),
            shown: vec![showing()],
            class: Some(text()),
            diff: Some(text()),
            voucher: Some(text()),
            number: Some(1),
            status: Some(text()),
            refreshed_at: Some(text()),
            to: Some(1),
            counts: Some([1; 3]),
            breaker: Some(text()),
            about: Some(text()),
            evidence: Some(vec![evidence()]),
            names: Some(vec![name()]),
            run: Some(run()),
            pull_request: Some(1),
            was: Some(Box::new(was())),
        }
    }

    /// The least that is read as a record.
    fn least<T: serde::de::DeserializeOwned>(json: &str) -> T {
        serde_json::from_str(json).unwrap_or_else(|it| panic!("{it}"))
    }

    #[test]
    fn record_schemas_name_every_field() {
        let empty = r#"{"path":"x","line_start":1,"line_end":1,"snippet":"x","snippet_hash":"x"}"#;
        check::<CitationSchema>(&citation(), &least::<CitationRecord>(empty));
        check::<CitedItemSchema>(&cited_item(), &cited_item());
        let empty = r#"{"id":"x","space":"x","layer":"x","kind":"x","fact":"x","origin":"x","status":"x",
                        "recorded_at":"x","refreshed_at":"x"}"#;
        check::<MemorySchema>(&memory(), &least::<MemoryRecord>(empty));
        check::<RetrievedMemorySchema>(&showing(), &showing());
        check::<EvidenceSchema>(&evidence(), &least::<EvidenceRecord>(r#"{"kind":"x"}"#));
        let empty = r#"{"command":"x","succeeded":true,"at":"x"}"#;
        check::<CommandRunSchema>(&run(), &least::<CommandRunRecord>(empty));
        check::<NameSchema>(&name(), &least::<NameRecord>(r#"{"kind":"x","name":"x"}"#));
        check::<RunTallySchema>(&runs(), &least::<RunTallyRecord>("{}"));
        let empty = r#"{"status":"x","refreshed_at":"x"}"#;
        check::<PreviousStateSchema>(&was(), &least::<PreviousStateRecord>(empty));
        let empty = r#"{"event":"x","at":"x","space":"x"}"#;
        check::<EventSchema>(&event(), &least::<EventRecord>(empty));
    }
}
