//! Memories as the resources give them, field by field.

use apostille_cite::citation::Citation;
use apostille_cite::verdict::Verdict;
use apostille_core::{
    format::format_timestamp,
    memory::{Memory, Stage},
    remember::resubmission::REJECTED,
    standing_text::describe_other_version,
    verify::VerifiedMemory,
};
use serde::Serialize;

use super::lines;
use apostille_api::shorten::shorten_with_ellipsis;

/// How much of a fact is given beside others, in characters.
const FACT: usize = 500;
/// How much of any text is given of a memory that is asked for alone, in characters.
const TEXT: usize = 4_000;
/// How much of cited text is given, in characters.
const SNIPPET: usize = 2_000;
/// How many citations are given, and how many of anything else there can be several of.
const SEVERAL: usize = 10;

fn build_memory_uri(memory: &Memory) -> String {
    format!("apostille://memory/{}", memory.handle())
}

/// A memory beside others, with what was found at its citations.
#[derive(Serialize)]
pub(super) struct BriefMemoryRecord {
    handle: String,
    id: String,
    uri: String,
    space: String,
    layer: &'static str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    fact: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    /// How the fact stands in this checkout.
    standing: &'static str,
    /// Whether it speaks of a branch that never reached this tree.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_unmerged: bool,
    /// Which other version of it there is, until the default branch decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    citations: Vec<CitationVerdictRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more_citations: Option<usize>,
    refreshed_at: String,
}

/// A citation with what was found there.
#[derive(Serialize)]
struct CitationVerdictRecord {
    place: String,
    verdict: &'static str,
    line: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha: Option<String>,
    /// The text that was cited.
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
    /// The text that stands there now, where it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<String>,
}

impl CitationVerdictRecord {
    fn new(citation: &Citation, verdict: &Verdict, is_whole: bool) -> Self {
        let snippet = is_whole.then(|| shorten_with_ellipsis(&citation.snippet, SNIPPET));
        let now = match verdict {
            Verdict::Changed(it) if is_whole => Some(shorten_with_ellipsis(&it.now, SNIPPET)),
            _ => None,
        };
        Self {
            place: citation.location().to_string(),
            verdict: verdict.as_str(),
            line: lines::format_verdict_line(citation, verdict),
            sha: citation.commit.clone().filter(|_| is_whole),
            snippet,
            now,
        }
    }
}

impl BriefMemoryRecord {
    /// A memory with what was found at its citations; `is_whole`: with the texts of them, and all that it says.
    pub(super) fn new(it: &VerifiedMemory, is_whole: bool) -> Self {
        let memory = &it.memory;
        let shorten = |text: &String| shorten_with_ellipsis(text, FACT);
        let pairs = memory.citations.iter().zip(&it.verdicts).take(SEVERAL);
        let n_more = memory.citations.len().saturating_sub(SEVERAL);
        Self {
            handle: memory.handle().to_string(),
            id: memory.id.to_string(),
            uri: build_memory_uri(memory),
            space: memory.space.as_str().to_owned(),
            layer: memory.layer.as_str(),
            kind: memory.kind.as_str(),
            subject: memory.subject.as_ref().map(shorten),
            fact: shorten_with_ellipsis(&memory.fact, if is_whole { TEXT } else { FACT }),
            tags: memory.tags.iter().take(SEVERAL).map(shorten).collect(),
            standing: it.standing().as_str(),
            is_unmerged: it.is_unmerged,
            version: it.beside.as_ref().map(describe_other_version),
            citations: pairs
                .map(|(citation, verdict)| CitationVerdictRecord::new(citation, verdict, is_whole))
                .collect(),
            more_citations: (n_more > 0).then_some(n_more),
            refreshed_at: format_timestamp(memory.refreshed_at),
        }
    }
}

/// A memory whole.
#[derive(Serialize)]
pub(super) struct WholeMemoryRecord {
    #[serde(flatten)]
    brief: BriefMemoryRecord,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_why: Option<String>,
    /// What it replaced, the nearest first.
    supersedes: Vec<MemoryLinkRecord>,
    /// What replaced it, the nearest first.
    superseded_by: Vec<MemoryLinkRecord>,
    provenance: ProvenanceRecord,
    usage: UsageRecord,
}

impl WholeMemoryRecord {
    pub(super) fn from_verified(
        it: &VerifiedMemory,
        supersedes: Vec<MemoryLinkRecord>,
        superseded_by: Vec<MemoryLinkRecord>,
    ) -> Self {
        let memory = &it.memory;
        let why = memory.status.why();
        let is_quarantined = memory.status.stage() == Stage::Pending
            || why.is_some_and(|it| it.starts_with(REJECTED));
        let mut brief = BriefMemoryRecord::new(it, true);
        if is_quarantined {
            brief.fact = format!(
                "(in quarantine; a person reads it with: apostille show {})",
                memory.handle()
            );
            brief.subject = None;
            brief.tags.clear();
        }
        let told = |text: &Option<String>, most| {
            let text = text.as_deref().filter(|_| !is_quarantined);
            text.map(|it| shorten_with_ellipsis(it, most))
        };
        Self {
            brief,
            reason: told(&memory.reason, TEXT),
            status: memory.status.stage().as_str(),
            status_why: why.map(|it| shorten_with_ellipsis(it, TEXT)),
            supersedes,
            superseded_by,
            provenance: ProvenanceRecord {
                origin: memory.voice.origin.as_str(),
                author: told(&memory.voice.author, FACT),
                session: told(&memory.voice.session, FACT),
                task: told(&memory.task, FACT),
                is_tainted: memory.voice.tainted,
                marks: memory.marks.iter().map(|it| it.as_str()).collect(),
                recorded_at: format_timestamp(memory.recorded_at),
            },
            usage: UsageRecord {
                recalls: memory.usage.recalls,
                applied: memory.usage.applied,
                verified: memory.usage.verified,
            },
        }
    }
}

/// Who said it, how and when.
#[derive(Serialize)]
struct ProvenanceRecord {
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    /// Whether the words came from outside.
    is_tainted: bool,
    marks: Vec<&'static str>,
    recorded_at: String,
}

/// How often it was of use.
#[derive(Serialize)]
struct UsageRecord {
    recalls: u32,
    applied: u32,
    verified: u32,
}

/// A memory that another leads to. Its text is not given, because nobody looked its citations up: its address is.
#[derive(Serialize)]
pub(super) struct MemoryLinkRecord {
    handle: String,
    id: String,
    uri: String,
    status: &'static str,
    recorded_at: String,
}

impl From<&Memory> for MemoryLinkRecord {
    fn from(it: &Memory) -> Self {
        Self {
            handle: it.handle().to_string(),
            id: it.id.to_string(),
            uri: build_memory_uri(it),
            status: it.status.stage().as_str(),
            recorded_at: format_timestamp(it.recorded_at),
        }
    }
}
