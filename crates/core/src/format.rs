//! The one JSON shape of memories and events, version 2: what is on disk, in exports and on the wire.
//!
//! Fields are only added. A reader ignores fields it does not know; it refuses words it does not know, because it
//! cannot tell what they would change.

pub mod batch_line;
mod evidence_records;
mod sanitize;

use std::{fmt::Display, str::FromStr};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    event::{Event, EventBody, EventKind, RetrievedMemory, previous_state::PreviousState},
    evidence::RunTally,
    memory::{Channel, Memory, ModerationMark, Stage, Status, UsageCounts, Voice},
    store::breaker_state::OpenBreaker,
};
use apostille_cite::citation::{Citation, CitedItem, CodeLocation, LineSpan};

pub use evidence_records::{CommandRunRecord, EvidenceRecord, NameRecord, RunTallyRecord};

/// The version of the shape.
pub const VERSION: u32 = 2;

/// JSON that is not what the shape says.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadRecord(String);

fn bad_record(what: impl Display) -> BadRecord {
    BadRecord(what.to_string())
}

fn parse_record_word<T: FromStr<Err: Display>>(text: &str) -> Result<T, BadRecord> {
    text.parse().map_err(bad_record)
}

fn parse_record_time(text: &str) -> Result<Timestamp, BadRecord> {
    let bad = || {
        bad_record(format!(
            "'{text}' is not a time such as 2026-02-26T12:00:00Z"
        ))
    };
    text.parse().map_err(|_| bad())
}

/// A time as it is written: UTC, to the millisecond at most.
pub fn format_timestamp(at: Timestamp) -> String {
    Timestamp::from_millisecond(at.as_millisecond())
        .unwrap_or(at)
        .to_string()
}

/// The day of a time, in UTC.
pub fn format_utc_day(at: Timestamp) -> String {
    format_timestamp(at).chars().take(10).collect()
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// A citation as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CitationRecord {
    /// The file.
    pub path: String,
    /// The first line, from 1.
    pub line_start: u32,
    /// The last line.
    pub line_end: u32,
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha: Option<String>,
    /// Git's id of the file's content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
    /// The cited lines.
    pub snippet: String,
    /// Their SHA-256.
    pub snippet_hash: String,
    /// Short digests of the lines before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// Short digests of the lines after.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// The item that the lines stand in. Older records have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<CitedItemRecord>,
}

/// The item around cited lines as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CitedItemRecord {
    /// Its name with those of what it stands in.
    pub path: String,
    /// What it is.
    pub kind: String,
    /// Its first line, from 1.
    pub line_start: u32,
    /// Its last line.
    pub line_end: u32,
}

impl From<&CitedItem> for CitedItemRecord {
    fn from(it: &CitedItem) -> Self {
        Self {
            path: it.path.clone(),
            kind: it.kind.to_string(),
            line_start: it.lines.first_line(),
            line_end: it.lines.last_line(),
        }
    }
}

impl TryFrom<CitedItemRecord> for CitedItem {
    type Error = BadRecord;
    fn try_from(it: CitedItemRecord) -> Result<Self, BadRecord> {
        let lines = LineSpan::new(it.line_start, it.line_end)
            .ok_or_else(|| bad_record("an item without lines"))?;
        Ok(Self {
            path: it.path,
            kind: parse_record_word(&it.kind)?,
            lines,
        })
    }
}

impl From<&Citation> for CitationRecord {
    fn from(it: &Citation) -> Self {
        Self {
            path: it.path.to_string(),
            line_start: it.lines.first_line(),
            line_end: it.lines.last_line(),
            sha: it.commit.clone(),
            blob: it.blob.clone(),
            snippet: it.snippet.clone(),
            snippet_hash: it.digest.to_string(),
            before: it.before.clone(),
            after: it.after.clone(),
            item: it.item.as_ref().map(CitedItemRecord::from),
        }
    }
}

impl TryFrom<CitationRecord> for Citation {
    type Error = BadRecord;
    fn try_from(it: CitationRecord) -> Result<Self, BadRecord> {
        let place = CodeLocation::new(&it.path, it.line_start, it.line_end).map_err(bad_record)?;
        Ok(Self {
            path: place.path,
            lines: place.lines,
            commit: it.sha,
            blob: it.blob,
            snippet: it.snippet,
            digest: parse_record_word(&it.snippet_hash)?,
            before: it.before,
            after: it.after,
            item: it.item.map(CitedItem::try_from).transpose()?,
        })
    }
}

/// A memory as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRecord {
    /// The UUID.
    pub id: String,
    /// The number within the space.
    #[serde(default)]
    pub number: u64,
    /// `owner/name` or `users/<name>`.
    pub space: String,
    /// The layer.
    pub layer: String,
    /// The kind.
    pub kind: String,
    /// The topic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What was learned.
    pub fact: String,
    /// Why it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The code that proves it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<CitationRecord>,
    /// What else proves it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<EvidenceRecord>,
    /// What it names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<NameRecord>,
    /// How the commands that it names fared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<RunTallyRecord>,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Who said it.
    pub origin: String,
    /// How it came in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Whether the words came from outside.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tainted: bool,
    /// Whether it was said in a session that had read words from outside.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exposed: bool,
    /// The agent's or user's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The session it was said in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The task it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// What moderation noticed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
    /// Where it stands.
    pub status: String,
    /// Why it stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_why: Option<String>,
    /// What replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// What it replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// Who else said it, independently.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vouchers: Vec<String>,
    /// When it was recorded.
    pub recorded_at: String,
    /// When it was last stated or found to hold.
    pub refreshed_at: String,
    /// Times shown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub recalls: u32,
    /// Times applied.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub applied: u32,
    /// Times found to hold.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub verified: u32,
    /// The SHA-256 of what it says, see [`Memory::content_digest`]. Older records have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The version of this shape. Older records have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub v: Option<u32>,
}

impl From<&Memory> for MemoryRecord {
    fn from(it: &Memory) -> Self {
        Self {
            id: it.id.to_string(),
            number: it.number,
            space: it.space.as_str().to_owned(),
            layer: it.layer.to_string(),
            kind: it.kind.to_string(),
            subject: it.subject.clone(),
            fact: it.fact.clone(),
            reason: it.reason.clone(),
            citations: to_citation_records(&it.citations),
            evidence: it.evidence.iter().map(EvidenceRecord::from).collect(),
            names: it.names.iter().map(NameRecord::from).collect(),
            runs: RunTallyRecord::from_tally(&it.runs),
            tags: it.tags.clone(),
            origin: it.voice.origin.to_string(),
            channel: (it.voice.channel != Channel::Unknown).then(|| it.voice.channel.to_string()),
            tainted: it.voice.tainted,
            exposed: it.voice.exposed,
            author: it.voice.author.clone(),
            session: it.voice.session.clone(),
            task: it.task.clone(),
            marks: it.marks.iter().map(ModerationMark::to_string).collect(),
            status: it.status.stage().to_string(),
            status_why: it.status.why().map(Into::into),
            superseded_by: format_replacement_id(&it.status),
            supersedes: it.supersedes.map(|id| id.to_string()),
            vouchers: it.vouchers.clone(),
            recorded_at: format_timestamp(it.recorded_at),
            refreshed_at: format_timestamp(it.refreshed_at),
            recalls: it.usage.recalls,
            applied: it.usage.applied,
            verified: it.usage.verified,
            digest: None,
            v: None,
        }
    }
}

impl MemoryRecord {
    /// The record with the digest of what it says and the version of the shape: as it is kept and given away.
    pub fn with_digest(memory: &Memory) -> Self {
        Self {
            digest: Some(memory.content_digest().to_string()),
            v: Some(VERSION),
            ..Self::from(memory)
        }
    }
}

/// The part of a memory's record that says where it stands, for whoever needs no more of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StatusRecord {
    status: String,
    status_why: Option<String>,
    superseded_by: Option<String>,
}

impl TryFrom<StatusRecord> for Status {
    type Error = BadRecord;
    fn try_from(it: StatusRecord) -> Result<Self, BadRecord> {
        parse_status_fields(&it.status, it.status_why, it.superseded_by.as_deref())
    }
}

/// Where a memory stands, from the word, the reason and what replaced it.
fn parse_status_fields(
    stage: &str,
    why: Option<String>,
    by: Option<&str>,
) -> Result<Status, BadRecord> {
    let why = why.unwrap_or_default();
    Ok(match parse_record_word::<Stage>(stage)? {
        Stage::Pending => Status::Pending { why },
        Stage::Active => Status::Active,
        Stage::Invalid => Status::Invalid { why },
        Stage::Retired => Status::Retired { why },
        Stage::Superseded => {
            let by = by.ok_or_else(|| bad_record("superseded, but by nothing"))?;
            Status::Superseded {
                by: parse_record_word(by)?,
            }
        }
    })
}

fn format_replacement_id(status: &Status) -> Option<String> {
    match status {
        Status::Superseded { by } => Some(by.to_string()),
        _ => None,
    }
}

fn to_citation_records(list: &[Citation]) -> Vec<CitationRecord> {
    list.iter().map(CitationRecord::from).collect()
}

fn parse_citation_records(list: Vec<CitationRecord>) -> Result<Vec<Citation>, BadRecord> {
    parse_records(list)
}

fn parse_records<R, T: TryFrom<R, Error = BadRecord>>(list: Vec<R>) -> Result<Vec<T>, BadRecord> {
    list.into_iter().map(T::try_from).collect()
}

impl TryFrom<MemoryRecord> for Memory {
    type Error = BadRecord;
    fn try_from(it: MemoryRecord) -> Result<Self, BadRecord> {
        let it = sanitize::sanitize_memory_record(it);
        Ok(Self {
            status: parse_status_fields(&it.status, it.status_why, it.superseded_by.as_deref())?,
            id: parse_record_word(&it.id)?,
            number: it.number,
            space: parse_record_word(&it.space)?,
            layer: parse_record_word(&it.layer)?,
            kind: parse_record_word(&it.kind)?,
            citations: parse_citation_records(it.citations)?,
            evidence: parse_records(it.evidence)?,
            names: parse_records(it.names)?,
            runs: it
                .runs
                .map_or_else(|| Ok(RunTally::default()), RunTally::try_from)?,
            voice: Voice {
                origin: parse_record_word(&it.origin)?,
                channel: it
                    .channel
                    .as_deref()
                    .map_or(Ok(Channel::Unknown), parse_record_word)?,
                tainted: it.tainted,
                exposed: it.exposed,
                author: it.author,
                session: it.session,
            },
            marks: it
                .marks
                .iter()
                .map(|mark| parse_record_word(mark))
                .collect::<Result<_, _>>()?,
            supersedes: it
                .supersedes
                .as_deref()
                .map(parse_record_word)
                .transpose()?,
            recorded_at: parse_record_time(&it.recorded_at)?,
            refreshed_at: parse_record_time(&it.refreshed_at)?,
            usage: UsageCounts {
                recalls: it.recalls,
                applied: it.applied,
                verified: it.verified,
            },
            subject: it.subject,
            fact: it.fact,
            reason: it.reason,
            tags: it.tags,
            task: it.task,
            vouchers: it.vouchers,
        })
    }
}

/// One memory as it was shown, as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetrievedMemoryRecord {
    /// Which.
    pub id: String,
    /// With which score.
    pub score: f32,
    /// With which verdict.
    #[serde(default)]
    pub verdict: String,
}

impl From<&RetrievedMemory> for RetrievedMemoryRecord {
    fn from(it: &RetrievedMemory) -> Self {
        Self {
            id: it.id.to_string(),
            score: it.score,
            verdict: it.verdict.clone(),
        }
    }
}

impl TryFrom<RetrievedMemoryRecord> for RetrievedMemory {
    type Error = BadRecord;
    fn try_from(it: RetrievedMemoryRecord) -> Result<Self, BadRecord> {
        Ok(Self {
            id: parse_record_word(&it.id)?,
            score: it.score,
            verdict: it.verdict,
        })
    }
}

/// An event as JSON: one flat object, with the fields that its word calls for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EventRecord {
    /// The word.
    pub event: String,
    /// When.
    pub at: String,
    /// In whose memory.
    pub space: String,
    /// Which memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Who did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The memory that was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Box<MemoryRecord>>,
    /// Whether a person overrode a check.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
    /// Why it was kept beside a near-duplicate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// Citations that followed the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citations: Option<Vec<CitationRecord>>,
    /// The memory that replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Verdicts with their places, or where citations went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<String>,
    /// The commit it was looked up at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// What was shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<RetrievedMemoryRecord>,
    /// The class of refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// What had changed in the cited code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Who else said it, independently.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voucher: Option<String>,
    /// The number of a forgotten memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Where a restored memory stands; the reason is in `reason`, what replaced it in `by`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// When a restored memory had last been stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refreshed_at: Option<String>,
    /// The place in the log that a space was taken back to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<u64>,
    /// How many memories a rollback restored, retired and could not bring back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<[u64; 3]>,
    /// Which breaker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breaker: Option<String>,
    /// Whose writes a breaker is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// What else proves it, where that is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Vec<EvidenceRecord>>,
    /// What it names, where that was looked up anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<NameRecord>>,
    /// The command that ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<CommandRunRecord>,
    /// The pull request that came to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u64>,
    /// How the memory stood before. A file of lines does not have it: it comes out of the lines before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<Box<PreviousStateRecord>>,
}

impl From<&Event> for EventRecord {
    fn from(it: &Event) -> Self {
        let base = Self {
            event: it.what.event_kind().to_string(),
            at: format_timestamp(it.at),
            space: it.space.as_str().to_owned(),
            id: it.memory.map(|id| id.to_string()),
            actor: it.actor.clone(),
            ..Self::default()
        };
        match it.what.clone() {
            EventBody::Remembered {
                memory,
                forced,
                rationale,
            } => Self {
                memory: Some(Box::new(MemoryRecord::from(&*memory))),
                forced,
                rationale,
                ..base
            },
            EventBody::Refreshed {
                citations,
                evidence,
                names,
                followed: found,
                voucher,
            } => Self {
                evidence: evidence.map(|it| it.iter().map(EvidenceRecord::from).collect()),
                names: names.map(|it| it.iter().map(NameRecord::from).collect()),
                citations: citations.as_deref().map(to_citation_records),
                found,
                voucher,
                ..base
            },
            EventBody::Superseded { by, reason } | EventBody::Corrected { by, reason } => Self {
                by: Some(by.to_string()),
                reason,
                ..base
            },
            EventBody::Invalidated { reason, diff } => Self {
                reason: Some(reason),
                diff,
                ..base
            },
            EventBody::Retired { reason } => Self {
                reason: Some(reason),
                ..base
            },
            EventBody::Forgotten { number, reason } => Self {
                number: Some(number),
                reason: Some(reason),
                ..base
            },
            EventBody::Verified { found, commit, .. } => Self {
                found,
                commit,
                ..base
            },
            EventBody::Retrieved { query, shown } => Self {
                query: Some(query),
                shown: shown.iter().map(RetrievedMemoryRecord::from).collect(),
                ..base
            },
            EventBody::Refused { class } => Self {
                class: Some(class),
                ..base
            },
            EventBody::Approved | EventBody::Applied => base,
            EventBody::Restored {
                status,
                citations,
                refreshed_at,
            } => Self {
                status: Some(status.stage().to_string()),
                reason: status.why().map(Into::into),
                by: format_replacement_id(&status),
                citations: citations.as_deref().map(to_citation_records),
                refreshed_at: Some(format_timestamp(refreshed_at)),
                ..base
            },
            EventBody::RolledBack {
                to,
                restored,
                retired,
                lost,
            } => Self {
                to: Some(to),
                counts: Some([restored, retired, lost]),
                ..base
            },
            EventBody::Tripped {
                breaker,
                actor: about,
                why,
            } => Self {
                breaker: Some(breaker.to_string()),
                about,
                reason: Some(why),
                ..base
            },
            EventBody::Closed { actor: about } => Self { about, ..base },
            EventBody::Ran(run) => Self {
                run: Some((&run).into()),
                ..base
            },
            EventBody::PullEnded { pull_request, .. } => Self {
                pull_request: Some(pull_request),
                ..base
            },
        }
    }
}

impl EventRecord {
    fn into_body(self) -> Result<EventBody, BadRecord> {
        let kind = parse_record_word::<EventKind>(&self.event)?;
        let missing = |field: &'static str| {
            move || bad_record(format!("an event '{kind}' without '{field}'"))
        };
        let reason = self.reason.clone().unwrap_or_default();
        let citations = |list: Option<_>| list.map(parse_citation_records).transpose();
        Ok(match kind {
            EventKind::Remembered => {
                let memory = self.memory.ok_or_else(missing("memory"))?;
                EventBody::Remembered {
                    memory: Box::new(Memory::try_from(*memory)?),
                    forced: self.forced,
                    rationale: self.rationale,
                }
            }
            EventKind::Refreshed => EventBody::Refreshed {
                citations: citations(self.citations)?,
                evidence: self.evidence.map(parse_records).transpose()?,
                names: self.names.map(parse_records).transpose()?,
                followed: self.found,
                voucher: self.voucher,
            },
            EventKind::Superseded | EventKind::Corrected => {
                let by = parse_record_word(&self.by.ok_or_else(missing("by"))?)?;
                let reason = self.reason;
                match kind {
                    EventKind::Superseded => EventBody::Superseded { by, reason },
                    _ => EventBody::Corrected { by, reason },
                }
            }
            EventKind::Invalidated => EventBody::Invalidated {
                reason,
                diff: self.diff,
            },
            EventKind::Retired => EventBody::Retired { reason },
            EventKind::Approved => EventBody::Approved,
            EventKind::VerifiedValid | EventKind::VerifiedInvalid => EventBody::Verified {
                valid: kind == EventKind::VerifiedValid,
                found: self.found,
                commit: self.commit,
            },
            EventKind::Retrieved => {
                let shown = self.shown.into_iter().map(RetrievedMemory::try_from);
                EventBody::Retrieved {
                    query: self.query.unwrap_or_default(),
                    shown: shown.collect::<Result<_, _>>()?,
                }
            }
            EventKind::Applied => EventBody::Applied,
            EventKind::Refused => EventBody::Refused {
                class: self.class.unwrap_or_default(),
            },
            EventKind::Forgotten => EventBody::Forgotten {
                number: self.number.unwrap_or(0),
                reason,
            },
            EventKind::Restored => {
                let status = self.status.ok_or_else(missing("status"))?;
                let at = self.refreshed_at.ok_or_else(missing("refreshed_at"))?;
                EventBody::Restored {
                    status: parse_status_fields(&status, self.reason, self.by.as_deref())?,
                    refreshed_at: parse_record_time(&at)?,
                    citations: citations(self.citations)?,
                }
            }
            EventKind::RolledBack => {
                let [restored, retired, lost] = self.counts.unwrap_or_default();
                EventBody::RolledBack {
                    to: self.to.ok_or_else(missing("to"))?,
                    restored,
                    retired,
                    lost,
                }
            }
            EventKind::Tripped => EventBody::Tripped {
                breaker: parse_record_word(&self.breaker.ok_or_else(missing("breaker"))?)?,
                why: reason,
                actor: self.about,
            },
            EventKind::Closed => EventBody::Closed { actor: self.about },
            EventKind::Ran => EventBody::Ran(self.run.ok_or_else(missing("run"))?.try_into()?),
            EventKind::PullMerged | EventKind::PullRejected => EventBody::PullEnded {
                is_merged: kind == EventKind::PullMerged,
                pull_request: self.pull_request.ok_or_else(missing("pull_request"))?,
            },
        })
    }
}

impl TryFrom<EventRecord> for Event {
    type Error = BadRecord;
    fn try_from(it: EventRecord) -> Result<Self, BadRecord> {
        let it = sanitize::sanitize_event_record(it);
        Ok(Self {
            at: parse_record_time(&it.at)?,
            space: parse_record_word(&it.space)?,
            memory: it.id.as_deref().map(parse_record_word).transpose()?,
            actor: it.actor.clone(),
            what: it.into_body()?,
        })
    }
}

/// How a memory stood before an event, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviousStateRecord {
    /// Where it stood.
    pub status: String,
    /// Why it stood there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What had replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Its citations, where they were replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citations: Option<Vec<CitationRecord>>,
    /// When it had last been stated.
    pub refreshed_at: String,
}

impl From<&PreviousState> for PreviousStateRecord {
    fn from(it: &PreviousState) -> Self {
        Self {
            status: it.status.stage().to_string(),
            why: it.status.why().map(Into::into),
            by: format_replacement_id(&it.status),
            citations: it.citations.as_deref().map(to_citation_records),
            refreshed_at: format_timestamp(it.refreshed_at),
        }
    }
}

impl TryFrom<PreviousStateRecord> for PreviousState {
    type Error = BadRecord;
    fn try_from(it: PreviousStateRecord) -> Result<Self, BadRecord> {
        Ok(Self {
            status: parse_status_fields(&it.status, it.why, it.by.as_deref())?,
            citations: it.citations.map(parse_citation_records).transpose()?,
            refreshed_at: parse_record_time(&it.refreshed_at)?,
        })
    }
}

/// A breaker that is open, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenBreakerRecord {
    /// Since when.
    pub at: String,
    /// Whose writes wait; everybody's where nobody is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Which breaker.
    pub breaker: String,
    /// What was seen.
    pub why: String,
}

impl From<&OpenBreaker> for OpenBreakerRecord {
    fn from(it: &OpenBreaker) -> Self {
        Self {
            at: format_timestamp(it.at),
            actor: it.actor.clone(),
            breaker: it.breaker.to_string(),
            why: it.why.clone(),
        }
    }
}

impl TryFrom<OpenBreakerRecord> for OpenBreaker {
    type Error = BadRecord;
    fn try_from(it: OpenBreakerRecord) -> Result<Self, BadRecord> {
        Ok(Self {
            at: parse_record_time(&it.at)?,
            actor: it.actor,
            breaker: parse_record_word(&it.breaker)?,
            why: it.why,
        })
    }
}
