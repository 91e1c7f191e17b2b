//! The one JSON shape of memories and events, version 1: what is on disk, in exports and on the wire.
//!
//! Fields are only added. A reader ignores fields it does not know; it refuses words it does not know, because it
//! cannot tell what they would change.

mod sanitize;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::event::previous_state::PreviousState;
use crate::event::{Breaker, Event, EventBody, Happening, RetrievedMemory};
use crate::memory::{Channel, Memory, MemoryId, Stage, Status, UsageCounts, Voice};
use crate::space::Space;
use crate::store::breaker_state::OpenBreaker;
use apostille_cite::citation::{Citation, CodeLocation};
use apostille_text::digest::Digest;

/// The version of the shape.
pub const VERSION: u32 = 1;

/// JSON that is not what the shape says.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct BadRecord {
    what: String,
}

fn bad_record(what: impl std::fmt::Display) -> BadRecord {
    BadRecord {
        what: what.to_string(),
    }
}

fn parse_record_word<T: std::str::FromStr>(text: &str) -> Result<T, BadRecord>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(bad_record)
}

fn parse_record_time(text: &str) -> Result<Timestamp, BadRecord> {
    text.parse().map_err(|_| {
        bad_record(format!(
            "'{text}' is not a time such as 2026-02-26T12:00:00Z"
        ))
    })
}

/// A time as it is written: UTC, to the millisecond at most.
#[must_use]
pub fn format_timestamp(at: Timestamp) -> String {
    Timestamp::from_millisecond(at.as_millisecond())
        .unwrap_or(at)
        .to_string()
}

/// The day of a time, in UTC.
#[must_use]
pub fn format_utc_day(at: Timestamp) -> String {
    format_timestamp(at).chars().take(10).collect()
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

fn is_false(it: &bool) -> bool {
    !*it
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha: Option<String>,
    /// Git's id of the file's content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
}

impl From<&Citation> for CitationRecord {
    fn from(it: &Citation) -> Self {
        Self {
            path: it.path.as_str().into(),
            line_start: it.lines.first_line(),
            line_end: it.lines.last_line(),
            sha: it.commit.clone(),
            blob: it.blob.clone(),
            snippet: it.snippet.clone(),
            snippet_hash: it.digest.to_string(),
            before: it.before.clone(),
            after: it.after.clone(),
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
            digest: parse_record_word::<Digest>(&it.snippet_hash)?,
            before: it.before,
            after: it.after,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What was learned.
    pub fact: String,
    /// Why it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The code that proves it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<CitationRecord>,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Who said it.
    pub origin: String,
    /// How it came in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Whether the words came from outside.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tainted: bool,
    /// Whether it was said in a session that had read words from outside.
    #[serde(default, skip_serializing_if = "is_false")]
    pub exposed: bool,
    /// The agent's or user's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The session it was said in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// What moderation noticed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
    /// Where it stands.
    pub status: String,
    /// Why it stands there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_why: Option<String>,
    /// What replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// What it replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The version of this shape. Older records have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub v: Option<u32>,
}

impl From<&Memory> for MemoryRecord {
    fn from(it: &Memory) -> Self {
        let superseded_by = format_replacement_id(&it.status);
        Self {
            id: it.id.to_string(),
            number: it.number,
            space: it.space.to_string(),
            layer: it.layer.as_str().into(),
            kind: it.kind.as_str().into(),
            subject: it.subject.clone(),
            fact: it.fact.clone(),
            reason: it.reason.clone(),
            citations: to_citation_records(&it.citations),
            tags: it.tags.clone(),
            origin: it.voice.origin.as_str().into(),
            channel: Some(it.voice.channel)
                .filter(|it| *it != Channel::Unknown)
                .map(|it| it.as_str().into()),
            tainted: it.voice.tainted,
            exposed: it.voice.exposed,
            author: it.voice.author.clone(),
            session: it.voice.session.clone(),
            task: it.task.clone(),
            marks: it.marks.iter().map(|mark| mark.as_str().into()).collect(),
            status: it.status.stage().as_str().into(),
            status_why: it.status.why().map(Into::into),
            superseded_by,
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
    #[must_use]
    pub fn with_digest(memory: &Memory) -> Self {
        Self {
            digest: Some(memory.content_digest().to_string()),
            v: Some(VERSION),
            ..Self::from(memory)
        }
    }

    fn parse_status(&self) -> Result<Status, BadRecord> {
        parse_status_fields(
            &self.status,
            self.status_why.clone(),
            self.superseded_by.as_deref(),
        )
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
    list.into_iter().map(Citation::try_from).collect()
}

impl TryFrom<MemoryRecord> for Memory {
    type Error = BadRecord;
    fn try_from(it: MemoryRecord) -> Result<Self, BadRecord> {
        let it = sanitize::sanitize_memory_record(it);
        Ok(Self {
            status: it.parse_status()?,
            id: parse_record_word(&it.id)?,
            number: it.number,
            space: parse_record_word::<Space>(&it.space)?,
            layer: parse_record_word(&it.layer)?,
            kind: parse_record_word(&it.kind)?,
            citations: parse_citation_records(it.citations)?,
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventRecord {
    /// The word.
    pub event: String,
    /// When.
    pub at: String,
    /// In whose memory.
    pub space: String,
    /// Which memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The memory that was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Box<MemoryRecord>>,
    /// Whether a person overrode a check.
    #[serde(default, skip_serializing_if = "is_false")]
    pub forced: bool,
    /// Why it was kept beside a near-duplicate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// Citations that followed the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citations: Option<Vec<CitationRecord>>,
    /// The memory that replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Verdicts with their places, or where citations went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<String>,
    /// The commit it was looked up at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// What was shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<RetrievedMemoryRecord>,
    /// The class of refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// What had changed in the cited code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Who else said it, independently.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voucher: Option<String>,
    /// The number of a forgotten memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Where a restored memory stands; the reason is in `reason`, what replaced it in `by`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// When a restored memory had last been stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refreshed_at: Option<String>,
    /// The place in the log that a space was taken back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u64>,
    /// How many memories a rollback restored, retired and could not bring back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<[u64; 3]>,
    /// Which breaker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaker: Option<String>,
    /// Whose writes a breaker is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// How the memory stood before. A file of lines does not have it: it comes out of the lines before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<Box<PreviousStateRecord>>,
}

impl From<&Event> for EventRecord {
    fn from(it: &Event) -> Self {
        let mut record = Self {
            event: it.what.event_kind().as_str().into(),
            at: format_timestamp(it.at),
            space: it.space.to_string(),
            id: it.memory.map(|id| id.to_string()),
            actor: it.actor.clone(),
            memory: None,
            forced: false,
            rationale: None,
            citations: None,
            by: None,
            reason: None,
            found: Vec::new(),
            commit: None,
            query: None,
            shown: Vec::new(),
            class: None,
            number: None,
            diff: None,
            voucher: None,
            status: None,
            refreshed_at: None,
            to: None,
            counts: None,
            breaker: None,
            about: None,
            was: None,
        };
        record.fill_body(&it.what);
        record
    }
}

impl EventRecord {
    fn fill_body(&mut self, what: &EventBody) {
        match what {
            EventBody::Remembered {
                memory,
                forced,
                rationale,
            } => {
                self.memory = Some(Box::new(MemoryRecord::from(&**memory)));
                self.forced = *forced;
                self.rationale.clone_from(rationale);
            }
            EventBody::Refreshed {
                citations,
                followed,
                voucher,
            } => {
                self.citations = citations.as_deref().map(to_citation_records);
                self.found.clone_from(followed);
                self.voucher.clone_from(voucher);
            }
            EventBody::Superseded { by, reason } | EventBody::Corrected { by, reason } => {
                self.by = Some(by.to_string());
                self.reason.clone_from(reason);
            }
            EventBody::Invalidated { reason, diff } => {
                self.reason = Some(reason.clone());
                self.diff.clone_from(diff);
            }
            EventBody::Retired { reason } => self.reason = Some(reason.clone()),
            EventBody::Forgotten { number, reason } => {
                self.number = Some(*number);
                self.reason = Some(reason.clone());
            }
            EventBody::Verified { found, commit, .. } => {
                self.found.clone_from(found);
                self.commit.clone_from(commit);
            }
            EventBody::Retrieved { query, shown } => {
                self.query = Some(query.clone());
                self.shown = shown.iter().map(RetrievedMemoryRecord::from).collect();
            }
            EventBody::Refused { class } => self.class = Some(class.clone()),
            EventBody::Approved | EventBody::Applied => {}
            EventBody::Restored { .. } | EventBody::RolledBack { .. } => self.fill_rollback(what),
            EventBody::Tripped { .. } | EventBody::Closed { .. } => self.fill_breaker(what),
        }
    }

    fn fill_rollback(&mut self, what: &EventBody) {
        match what {
            EventBody::Restored {
                status,
                citations,
                refreshed_at,
            } => {
                self.status = Some(status.stage().as_str().into());
                self.reason = status.why().map(Into::into);
                self.by = format_replacement_id(status);
                self.citations = citations.as_deref().map(to_citation_records);
                self.refreshed_at = Some(format_timestamp(*refreshed_at));
            }
            EventBody::RolledBack {
                to,
                restored,
                retired,
                lost,
            } => {
                self.to = Some(*to);
                self.counts = Some([*restored, *retired, *lost]);
            }
            _ => {}
        }
    }

    fn fill_breaker(&mut self, what: &EventBody) {
        match what {
            EventBody::Tripped {
                breaker,
                actor,
                why,
            } => {
                self.breaker = Some(breaker.as_str().into());
                self.about.clone_from(actor);
                self.reason = Some(why.clone());
            }
            EventBody::Closed { actor } => self.about.clone_from(actor),
            _ => {}
        }
    }

    fn into_body(self) -> Result<EventBody, BadRecord> {
        let missing =
            |field: &str| bad_record(format!("an event '{}' without '{field}'", self.event));
        let by = || {
            self.by
                .as_deref()
                .ok_or_else(|| missing("by"))
                .and_then(parse_record_word::<MemoryId>)
        };
        let reason = || self.reason.clone().unwrap_or_default();
        Ok(match parse_record_word::<Happening>(&self.event)? {
            Happening::Remembered => {
                let memory = self
                    .memory
                    .ok_or_else(|| bad_record("an event 'remembered' without 'memory'"))?;
                let memory = Box::new(Memory::try_from(*memory)?);
                EventBody::Remembered {
                    memory,
                    forced: self.forced,
                    rationale: self.rationale,
                }
            }
            Happening::Refreshed => {
                let citations = self.citations.map(parse_citation_records).transpose()?;
                EventBody::Refreshed {
                    citations,
                    followed: self.found,
                    voucher: self.voucher,
                }
            }
            Happening::Superseded => EventBody::Superseded {
                by: by()?,
                reason: self.reason.clone(),
            },
            Happening::Corrected => EventBody::Corrected {
                by: by()?,
                reason: self.reason.clone(),
            },
            Happening::Invalidated => EventBody::Invalidated {
                reason: reason(),
                diff: self.diff,
            },
            Happening::Retired => EventBody::Retired { reason: reason() },
            Happening::Approved => EventBody::Approved,
            Happening::VerifiedValid => EventBody::Verified {
                valid: true,
                found: self.found,
                commit: self.commit,
            },
            Happening::VerifiedInvalid => EventBody::Verified {
                valid: false,
                found: self.found,
                commit: self.commit,
            },
            Happening::Retrieved => {
                let shown = self
                    .shown
                    .into_iter()
                    .map(RetrievedMemory::try_from)
                    .collect::<Result<_, _>>()?;
                EventBody::Retrieved {
                    query: self.query.unwrap_or_default(),
                    shown,
                }
            }
            Happening::Applied => EventBody::Applied,
            Happening::Refused => EventBody::Refused {
                class: self.class.unwrap_or_default(),
            },
            Happening::Forgotten => EventBody::Forgotten {
                number: self.number.unwrap_or(0),
                reason: reason(),
            },
            Happening::Restored => {
                let status = self.status.as_deref().ok_or_else(|| missing("status"))?;
                let at = self
                    .refreshed_at
                    .as_deref()
                    .ok_or_else(|| missing("refreshed_at"))?;
                EventBody::Restored {
                    status: parse_status_fields(status, self.reason.clone(), self.by.as_deref())?,
                    refreshed_at: parse_record_time(at)?,
                    citations: self.citations.map(parse_citation_records).transpose()?,
                }
            }
            Happening::RolledBack => {
                let [restored, retired, lost] = self.counts.unwrap_or_default();
                let to = self.to.ok_or_else(|| missing("to"))?;
                EventBody::RolledBack {
                    to,
                    restored,
                    retired,
                    lost,
                }
            }
            Happening::Tripped => {
                let breaker = self.breaker.as_deref().ok_or_else(|| missing("breaker"))?;
                EventBody::Tripped {
                    breaker: parse_record_word::<Breaker>(breaker)?,
                    why: reason(),
                    actor: self.about,
                }
            }
            Happening::Closed => EventBody::Closed { actor: self.about },
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What had replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Its citations, where they were replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citations: Option<Vec<CitationRecord>>,
    /// When it had last been stated.
    pub refreshed_at: String,
}

impl From<&PreviousState> for PreviousStateRecord {
    fn from(it: &PreviousState) -> Self {
        Self {
            status: it.status.stage().as_str().into(),
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Which breaker.
    pub breaker: String,
    /// What was seen.
    pub why: String,
}

impl From<&OpenBreaker> for OpenBreakerRecord {
    fn from(it: &OpenBreaker) -> Self {
        let (at, breaker) = (format_timestamp(it.at), it.breaker.as_str().into());
        Self {
            at,
            actor: it.actor.clone(),
            breaker,
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
