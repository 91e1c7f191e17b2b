//! One line of a file of lines: a batch of events with a checksum and a place in time.

use std::fmt::Display;

use apostille_text::digest::Digest;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{EventRecord, VERSION};
use crate::event::Event;

/// How many characters of the checksum are kept.
const SUM_CHARS: usize = 16;

#[derive(Serialize)]
struct BatchLineBody<'a> {
    events: &'a [EventRecord],
    /// Its place in time, where the events do not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
}

#[derive(Deserialize)]
struct BatchLineVersion {
    v: u32,
}

#[derive(Deserialize)]
struct BatchLineRecord {
    v: u32,
    sum: String,
    events: Vec<EventRecord>,
    at: Option<String>,
}

/// A batch as one line with this place in time, without the end of the line.
pub fn format_batch_line(events: &[Event], at: Timestamp) -> Result<String, serde_json::Error> {
    let records: Vec<EventRecord> = events.iter().map(EventRecord::from).collect();
    let at = (at != last_event_time(events)).then(|| at.to_string());
    let events = &records;
    let body = serde_json::to_string(&BatchLineBody { events, at })?;
    let body = body.trim_start_matches('{');
    let sum = compute_line_checksum(body);
    Ok(format!("{{\"v\":{VERSION},\"sum\":\"{sum}\",{body}"))
}

/// When the last of these happened, as it is written.
pub fn last_event_time(events: &[Event]) -> Timestamp {
    let at = events.iter().map(|it| it.at).max();
    let at = at.unwrap_or(Timestamp::MIN);
    Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at)
}

/// The version that a line says it has; `None`: it is no line of ours.
pub fn read_line_version(line: &str) -> Option<u32> {
    let parsed: BatchLineVersion = serde_json::from_str(line).ok()?;
    Some(parsed.v)
}

/// The events of a line and its place in time, or why it cannot be read.
pub fn parse_batch_line(line: &str) -> Result<(Timestamp, Vec<Event>), String> {
    let parsed: BatchLineRecord = serde_json::from_str(line).map_err(explain)?;
    let prefix = format!("{{\"v\":{},\"sum\":\"{}\",", parsed.v, parsed.sum);
    let body = line.strip_prefix(&prefix).ok_or("it was reformatted")?;
    if compute_line_checksum(body) != parsed.sum {
        return Err("its checksum does not match".into());
    }
    let events = parsed.events.into_iter().map(Event::try_from);
    let events = events.collect::<Result<Vec<_>, _>>().map_err(explain)?;
    let at = match parsed.at {
        Some(at) => at.parse().map_err(|_| format!("'{at}' is not a time"))?,
        None => last_event_time(&events),
    };
    Ok((at, events))
}

fn explain(error: impl Display) -> String {
    error.to_string()
}

fn compute_line_checksum(body: &str) -> String {
    Digest::hash_bytes(body.as_bytes()).to_string()[..SUM_CHARS].to_owned()
}
