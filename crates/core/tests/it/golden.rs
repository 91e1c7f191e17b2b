//! The promise of the formats.
//!
//! The files in `golden` stand for every file that was ever written. They are never edited: a program that reads or
//! writes them differently breaks somebody's memory. Fields and words are only added, each time in a new file beside them.

use apostille_core::{
    event::{Event, EventKind},
    evidence::{Evidence, EvidenceKind, NameKind},
    format::{EventRecord, MemoryRecord, VERSION},
    memory::Memory,
};
use serde::{Deserialize, Serialize};

const GOLDEN: &str = include_str!("../golden/format_v1.json");
/// The events that were added when spaces could be rolled back and breakers came.
const BREAKERS: &str = include_str!("../golden/format_v1_breakers.json");

/// What version 2 added: evidence that is not code, names, and runs of commands.
const EVIDENCE: &str = include_str!("../golden/format_v2.json");

/// What came with reviews: a comment as evidence, and how a pull request ended.
const REVIEWS: &str = include_str!("../golden/format_v2_reviews.json");
/// The evidence that was added when patterns were looked for, and memories consolidated.
const PATTERNS: &str = include_str!("../golden/format_v2_patterns.json");

#[derive(Serialize, Deserialize)]
struct Golden {
    version: u32,
    memory: MemoryRecord,
    events: Vec<EventRecord>,
}

fn golden() -> Golden {
    serde_json::from_str(GOLDEN).unwrap()
}

fn golden_2() -> Golden {
    serde_json::from_str(EVIDENCE).unwrap()
}

fn golden_reviews() -> Golden {
    serde_json::from_str(REVIEWS).unwrap()
}

#[test]
fn formats_are_read_and_written_back_byte_for_byte() {
    for file in [GOLDEN, EVIDENCE, REVIEWS, PATTERNS] {
        let Golden {
            version,
            memory,
            events,
        } = serde_json::from_str(file).unwrap();
        let memory = Memory::try_from(memory).unwrap();
        let events: Vec<Event> = events
            .into_iter()
            .map(|it| Event::try_from(it).unwrap())
            .collect();
        let again = Golden {
            version,
            memory: (&memory).into(),
            events: events.iter().map(Into::into).collect(),
        };
        assert_eq!(serde_json::to_string_pretty(&again).unwrap() + "\n", file);
    }
}

fn added() -> Vec<EventRecord> {
    serde_json::from_str(BREAKERS).unwrap()
}

#[test]
fn what_was_added_to_format_1_is_read_and_written_back_byte_for_byte() {
    let events: Vec<Event> = added()
        .into_iter()
        .map(|it| Event::try_from(it).unwrap())
        .collect();
    let again: Vec<EventRecord> = events.iter().map(Into::into).collect();
    assert_eq!(
        serde_json::to_string_pretty(&again).unwrap() + "\n",
        BREAKERS
    );
}

#[test]
fn formats_have_an_event_of_each_kind() {
    let events = golden().events.into_iter().chain(added());
    let events = events.chain(golden_2().events);
    let events = events.chain(golden_reviews().events);
    let mut words: Vec<String> = events.map(|it| it.event).collect();
    words.sort_unstable();
    words.dedup();
    let mut known: Vec<&str> = EventKind::ALL.iter().map(|it| it.as_str()).collect();
    known.sort_unstable();
    assert_eq!(words, known);
    assert_eq!((golden().version, golden_2().version), (1, VERSION));
}

#[test]
fn format_1_has_a_memory_with_every_field() {
    let memory = Memory::try_from(golden().memory).unwrap();
    assert_eq!(
        (memory.handle().to_string().as_str(), memory.space.as_str()),
        ("m-12", "myorg/myapp")
    );
    assert_eq!(
        (
            memory.citations.len(),
            memory.tags.len(),
            memory.marks.len()
        ),
        (1, 2, 3)
    );
    assert_eq!(
        memory.citations[0].digest,
        apostille_text::digest::Digest::hash_bytes(memory.citations[0].snippet.as_bytes())
    );
    let voice = &memory.voice;
    assert!(
        voice.tainted && voice.author.is_some() && voice.session.is_some() && memory.task.is_some()
    );
    assert!(memory.subject.is_some() && memory.reason.is_some() && memory.supersedes.is_some());
    assert_eq!(
        (
            memory.usage.recalls,
            memory.usage.applied,
            memory.usage.verified
        ),
        (4, 3, 2)
    );
}

#[test]
fn format_2_has_evidence_of_each_kind() {
    let memory = Memory::try_from(golden_2().memory).unwrap();
    let reviewed = Memory::try_from(golden_reviews().memory).unwrap();
    let added: Golden = serde_json::from_str(PATTERNS).unwrap();
    let added = Memory::try_from(added.memory).unwrap();
    let evidence = memory.evidence.iter().chain(&reviewed.evidence);
    let evidence = evidence.chain(&added.evidence);
    let mut kinds: Vec<EvidenceKind> = evidence.map(Evidence::kind).collect();
    kinds.dedup();
    assert_eq!(kinds, EvidenceKind::ALL);
    let names: Vec<NameKind> = memory.names.iter().map(|it| it.kind).collect();
    assert_eq!(names, NameKind::ALL);
    assert!(memory.runs.succeeded_at.is_some() && !memory.runs.failed_at.is_empty());
}

#[test]
fn a_field_nobody_knows_is_ignored_and_a_word_nobody_knows_is_refused() {
    let newer = GOLDEN.replacen(
        "\"kind\": \"project\"",
        "\"mood\": \"sunny\", \"kind\": \"project\"",
        1,
    );
    assert!(
        serde_json::from_str::<Golden>(&newer).is_ok_and(|it| Memory::try_from(it.memory).is_ok())
    );
    let strange = GOLDEN.replacen("\"kind\": \"project\"", "\"kind\": \"sunny\"", 1);
    let read: Golden = serde_json::from_str(&strange).unwrap();
    assert!(Memory::try_from(read.memory).is_err());
}
