//! What the rows of a database hold: the JSON of memories and events, without what has columns or rows of its own.

use apostille_core::{
    event::{Event, EventBody, EventKind, previous_state::PreviousState},
    format::{EventRecord, MemoryRecord, OpenBreakerRecord},
    memory::Memory,
    store::{StoreResult, breaker_state::OpenBreaker},
};
use apostille_text::digest::Digest;

use crate::store_errors::encode_json;

/// The JSON of a memory, without the counters, which live apart; and its digest.
pub fn encode_memory_record(memory: &Memory) -> StoreResult<(String, Digest)> {
    let record = MemoryRecord {
        recalls: 0,
        applied: 0,
        verified: 0,
        ..MemoryRecord::with_digest(memory)
    };
    let record = encode_json("a memory", &record)?;
    let digest = Digest::hash_bytes(record.as_bytes());
    Ok((record, digest))
}

/// The JSON of an event, with what it replaced and without the text of the memory, which has its own row.
pub fn encode_event_record(event: &Event, was: Option<&PreviousState>) -> StoreResult<String> {
    let record = EventRecord {
        was: was.map(|it| Box::new(it.into())),
        ..textless_record(event)
    };
    encode_json("an event", &record)
}

fn textless_record(event: &Event) -> EventRecord {
    match &event.what {
        EventBody::Remembered {
            forced, rationale, ..
        } => {
            // As if nothing but the word had been said: the text is never copied only to be dropped.
            let said = Event {
                at: event.at,
                space: event.space.clone(),
                memory: event.memory,
                actor: event.actor.clone(),
                what: EventBody::Applied,
            };
            EventRecord {
                event: EventKind::Remembered.as_str().into(),
                forced: *forced,
                rationale: rationale.clone(),
                ..EventRecord::from(&said)
            }
        }
        _ => EventRecord::from(event),
    }
}

/// An event and what it replaced, from its JSON and, where it kept a memory, that memory as it is now. `None`: the record
/// is not one, or its memory is missing.
pub fn decode_event_record(
    record: &str,
    kept: impl FnOnce() -> Option<Memory>,
) -> Option<(Event, Option<PreviousState>)> {
    let mut record: EventRecord = serde_json::from_str(record).ok()?;
    let was = record.was.take().map(|it| PreviousState::try_from(*it));
    let was = was.transpose().ok()?;
    let mut remembered = None;
    if record.event == EventKind::Remembered.as_str() {
        remembered = Some(EventBody::Remembered {
            memory: Box::new(kept()?),
            forced: record.forced,
            rationale: record.rationale.take(),
        });
        // The rest is read as if nothing but the word had been said.
        record.event = EventKind::Applied.as_str().into();
    }
    let mut event = Event::try_from(record).ok()?;
    if let Some(what) = remembered {
        event.what = what;
    }
    Some((event, was))
}

/// Open breakers as they are kept; nothing where there are none.
pub fn format_open_breakers(open: &[OpenBreaker]) -> Option<String> {
    let records: Vec<OpenBreakerRecord> = open.iter().map(OpenBreakerRecord::from).collect();
    serde_json::to_string(&records)
        .ok()
        .filter(|_| !open.is_empty())
}

/// The same read again. `None`: it is not what was written.
pub fn parse_open_breakers(kept: &str) -> Option<Vec<OpenBreaker>> {
    let records: Vec<OpenBreakerRecord> = serde_json::from_str(kept).ok()?;
    records
        .into_iter()
        .map(|it| OpenBreaker::try_from(it).ok())
        .collect()
}

/// The beginning of a record's digest, which is kept beside it: enough to notice a change by another program.
pub fn record_seal(digest: &Digest) -> [u8; 8] {
    digest.as_bytes().as_chunks().0[0]
}
