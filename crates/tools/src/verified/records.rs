//! What the ten tools answer, field by field.

use std::collections::BTreeMap;

use apostille_cite::{citation::Citation, verdict::Verdict};
use apostille_core::{
    event::EventKind,
    format::format_timestamp,
    memory::{Memory, Stage, Status},
    refusal::Refusal,
    remember::NearMemory,
    standing_text::describe_kept_beside,
    stats::SpaceStats,
    verify::VerifiedMemory,
};
use apostille_text::digest::Digest;
use serde::Serialize;

use crate::outcome::{CompletedWrite, WriteAction, WriteOutcome};
use apostille_api::json::pending_reason;

/// A citation of a kept memory.
#[derive(Serialize)]
pub(super) struct FetchedCitationRecord {
    /// The file, from the root of the repository.
    pub path: String,
    /// The first line, counted from 1.
    pub line_start: u32,
    /// The last line.
    pub line_end: u32,
    /// The commit that was checked out when it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha: Option<String>,
    /// The SHA-256 of the cited lines, joined by newlines.
    pub snippet_hash: String,
}

impl From<&Citation> for FetchedCitationRecord {
    fn from(it: &Citation) -> Self {
        Self {
            path: it.path.to_string(),
            line_start: it.lines.first_line(),
            line_end: it.lines.last_line(),
            sha: it.commit.clone(),
            snippet_hash: it.digest.to_string(),
        }
    }
}

impl FetchedCitationRecord {
    /// A citation at the place where its lines stand now. The commit that it was read at does not know that place, so it
    /// is left out where they moved.
    fn from_verdict(cited: &Citation, verdict: &Verdict) -> Self {
        let record = Self::from(cited);
        let Some(place) = verdict.living_location(cited) else {
            return record;
        };
        let snippet_hash = match verdict {
            Verdict::Changed(found) => Digest::hash_bytes(found.now.as_bytes()).to_string(),
            _ => record.snippet_hash,
        };
        Self {
            sha: record.sha.filter(|_| *verdict == Verdict::Holds),
            path: place.path.to_string(),
            line_start: place.lines.first_line(),
            line_end: place.lines.last_line(),
            snippet_hash,
        }
    }
}

/// A memory.
#[derive(Serialize)]
pub(super) struct FetchedMemoryRecord {
    /// Its UUID.
    pub id: String,
    /// Whose it is.
    pub repo: String,
    /// A brief topic; empty where none was given.
    pub subject: String,
    /// What was learned.
    pub fact: String,
    /// The code that proves it.
    pub citations: Vec<FetchedCitationRecord>,
    /// Why it matters, or null.
    pub reason: Option<String>,
    /// When it was last stated or found to hold.
    pub refreshed_at: String,
    /// How often its citations were found to hold.
    pub verification_count: u32,
}

impl From<&Memory> for FetchedMemoryRecord {
    fn from(it: &Memory) -> Self {
        Self {
            id: it.id.to_string(),
            repo: it.space.to_string(),
            subject: it.subject.clone().unwrap_or_default(),
            fact: it.fact.clone(),
            citations: it
                .citations
                .iter()
                .map(FetchedCitationRecord::from)
                .collect(),
            reason: it.reason.clone(),
            refreshed_at: format_timestamp(it.refreshed_at),
            verification_count: it.usage.verified,
        }
    }
}

impl From<&VerifiedMemory> for FetchedMemoryRecord {
    fn from(it: &VerifiedMemory) -> Self {
        let mut record = Self::from(&it.memory);
        let found = it.memory.citations.iter().zip(&it.verdicts);
        for (kept, (cited, verdict)) in record.citations.iter_mut().zip(found) {
            *kept = FetchedCitationRecord::from_verdict(cited, verdict);
        }
        record
    }
}

/// A memory much like one that was to be kept.
#[derive(Serialize)]
pub(super) struct SimilarRecord {
    /// Its UUID.
    pub id: String,
    /// What it says.
    pub fact: String,
    /// `near-duplicate` or `contradiction`.
    pub relation: String,
}

/// What became of a change.
#[derive(Serialize, Default)]
pub(super) struct VerifiedToolReply {
    /// Whether it was done.
    pub ok: bool,
    /// `created`, `refreshed` or `done`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<&'static str>,
    /// The memory as it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<FetchedMemoryRecord>,
    /// `pending` and the like, where the memory is not in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Why it waits, where it is pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_why: Option<String>,
    /// The memory that it replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// What it means that the other memory stays in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Why it was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The class of the refusal, such as `needs_citation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<&'static str>,
    /// What is known already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<SimilarRecord>,
}

impl From<&WriteOutcome> for VerifiedToolReply {
    fn from(outcome: &WriteOutcome) -> Self {
        match outcome {
            WriteOutcome::Done(it) => Self::from_completed(it),
            WriteOutcome::Similar(near) => Self::from_similar(near),
            WriteOutcome::Refused(refusal) => Self::from_refusal(refusal),
        }
    }
}

impl VerifiedToolReply {
    fn from_completed(it: &CompletedWrite) -> Self {
        let memory = &*it.memory;
        let action = match it.deed {
            WriteAction::Remembered => "created",
            WriteAction::KnownAlready => "refreshed",
            WriteAction::Revised(_) => "done",
        };
        Self {
            ok: true,
            action: Some(action),
            memory: Some(memory.into()),
            status: (memory.status != Status::Active).then(|| memory.status.stage().to_string()),
            status_why: pending_reason(memory).map(Into::into),
            supersedes: memory.supersedes.map(|id| id.to_string()),
            note: it.beside.map(describe_kept_beside),
            ..Self::default()
        }
    }

    pub(super) fn from_refusal(refusal: &Refusal) -> Self {
        Self {
            class: Some(refusal.class()),
            ..Self::new_failure(refusal.to_string())
        }
    }

    pub(super) fn new_failure(error: String) -> Self {
        Self {
            error: Some(error),
            ..Self::default()
        }
    }

    fn from_similar(near: &[NearMemory]) -> Self {
        let record = |it: &NearMemory| SimilarRecord {
            id: it.id.to_string(),
            fact: it.fact.clone(),
            relation: it.relation.as_str().into(),
        };
        let error = "much like what is known: skip it, merge it (merge_with), supersede the known one, \
                     or say why both are needed (rationale)";
        Self {
            similar: near.iter().map(record).collect(),
            ..Self::new_failure(error.into())
        }
    }
}

/// What was found at one citation.
#[derive(Serialize)]
pub(super) struct PinnedLocationRecord {
    /// The file.
    pub path: String,
    /// The first line.
    pub line_start: u32,
    /// The last line.
    pub line_end: u32,
    /// Whether the lines are there, in place or where they moved to.
    pub exists: bool,
    /// What stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Where the lines stand now, as `path:start-end`, where they moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    /// What is wrong; it begins with `unknown` where nobody could look.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether nobody could look.
    #[serde(skip)]
    pub is_unknown: bool,
}

/// What was found at all of them.
#[derive(Serialize)]
pub(super) struct VerificationResult {
    /// Whether each of them holds.
    pub valid: bool,
    /// One for each citation, in order.
    pub citations: Vec<PinnedLocationRecord>,
    /// How many hold.
    pub valid_count: usize,
    /// How many do not.
    pub invalid_count: usize,
    /// How many could not be looked up: no reason to invalidate anything.
    pub unknown_count: usize,
}

/// The figures of a repository.
#[derive(Serialize)]
pub(super) struct StatsRecord {
    /// Which.
    pub repo: String,
    /// Memories in all stages.
    pub total: u64,
    /// Memories in use.
    pub active: u64,
    /// Memories by stage.
    pub by_status: BTreeMap<String, u64>,
    /// Above how many active memories a repository is called full.
    pub soft_limit: usize,
    /// Whether there are more.
    pub over_soft_limit: bool,
    /// The share of verifications that held, or null.
    pub verified_share: Option<f32>,
    /// Events by their word.
    pub events: BTreeMap<String, u64>,
}

impl From<&SpaceStats> for StatsRecord {
    fn from(it: &SpaceStats) -> Self {
        let by_status: BTreeMap<String, u64> = Stage::ALL
            .iter()
            .map(|stage| (stage.to_string(), it.tally.count_in_stage(*stage)))
            .collect();
        Self {
            repo: it.space.to_string(),
            total: by_status.values().sum(),
            active: it.active,
            by_status,
            soft_limit: it.soft_limit,
            over_soft_limit: it.over_soft_limit,
            verified_share: it.verified_share,
            events: it
                .tally
                .events
                .iter()
                .map(|(word, n)| (name_telemetry_event(word), *n))
                .collect(),
        }
    }
}

/// This set of tools calls the first event of a memory `created`.
fn name_telemetry_event(word: &str) -> String {
    if word == EventKind::Remembered.as_str() {
        "created".into()
    } else {
        word.into()
    }
}
