//! The answers of these tools: few fields, because every one of them is read by a model.

use apostille_cite::citation::Citation;
use apostille_cite::verdict::{Difference, Verdict};
use apostille_core::memory::Memory;
use apostille_core::recall::{RecallOutcome, VerifiedHit, excerpt};
use apostille_core::refusal::Refusal;
use apostille_core::remember::dedupe::NearMemory;
use apostille_core::verify::{VerifiedMemory, VerifyReport};
use serde::Serialize;

use crate::outcome::{CompletedWrite, pending_reason};
use apostille_api::shorten::take_first_chars;

/// How many memories with something wrong are described in one answer.
const MAX_TOLD: usize = 20;
/// How much of changed code is shown, in characters.
const MAX_CODE: usize = 600;

/// What was recalled.
#[derive(Debug, Serialize)]
pub(super) struct RecallToolReply {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    identity: Vec<IdentityLine>,
    /// Said only where nothing answers the question, and the most recent stand in.
    #[serde(skip_serializing_if = "Option::is_none")]
    relevant: Option<bool>,
    memories: Vec<UsableMemory>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    withheld: Vec<WithheldMemory>,
}

/// A line of a person's identity.
#[derive(Debug, Serialize)]
struct IdentityLine {
    id: String,
    fact: String,
}

/// A memory that may be used.
#[derive(Debug, Serialize)]
struct UsableMemory {
    id: String,
    fact: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    standing: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    at: Vec<String>,
}

/// A memory that does not hold here; what it says is not repeated.
#[derive(Debug, Serialize)]
struct WithheldMemory {
    id: String,
    standing: &'static str,
    at: Vec<String>,
}

impl RecallToolReply {
    pub(super) fn new(recalled: &RecallOutcome, identity: &[Memory], is_open: bool) -> Self {
        let own = |it: &Memory| IdentityLine {
            id: it.handle().to_string(),
            fact: it.fact.clone(),
        };
        let is_beside = !is_open && !recalled.shown.is_empty();
        let is_relevant = recalled.shown.iter().any(|it| it.hit.why.relevance > 0.0);
        Self {
            identity: identity.iter().map(own).collect(),
            relevant: (is_beside && !is_relevant).then_some(false),
            memories: recalled.shown.iter().map(UsableMemory::new).collect(),
            withheld: recalled
                .withheld
                .iter()
                .take(MAX_TOLD)
                .map(WithheldMemory::new)
                .collect(),
        }
    }
}

impl UsableMemory {
    fn new(it: &VerifiedHit) -> Self {
        let memory = &it.hit.memory;
        Self {
            id: memory.handle().to_string(),
            fact: excerpt::excerpt_hit(it).into_owned(),
            reason: memory.reason.clone(),
            standing: it.standing(),
            at: list_current_locations(&memory.citations, &it.verdicts),
        }
    }
}

impl WithheldMemory {
    fn new(it: &VerifiedHit) -> Self {
        let memory = &it.hit.memory;
        let at = list_current_locations(&memory.citations, &it.verdicts);
        Self {
            id: memory.handle().to_string(),
            standing: it.standing(),
            at,
        }
    }
}

/// Where the cited code is now, as far as anybody knows.
fn list_current_locations(citations: &[Citation], verdicts: &[Verdict]) -> Vec<String> {
    let place = |(citation, verdict): (&Citation, &Verdict)| match verdict {
        Verdict::Moved { to } => to.to_string(),
        Verdict::Changed(found) => found.at.to_string(),
        _ => citation.location().to_string(),
    };
    citations.iter().zip(verdicts).map(place).collect()
}

/// Something was done.
#[derive(Debug, Serialize)]
pub(super) struct WriteToolReply {
    ok: bool,
    id: String,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<String>,
    /// What it contradicts, and took the place of by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded: Option<String>,
}

impl WriteToolReply {
    pub(super) fn new(it: &CompletedWrite) -> Self {
        Self {
            ok: true,
            id: it.memory.handle().to_string(),
            outcome: it.deed.as_str(),
            pending: pending_reason(&it.memory).map(Into::into),
            superseded: it.superseded.as_ref().map(|it| it.handle.to_string()),
        }
    }
}

/// Nothing was done: why, and the way out.
#[derive(Debug, Default, Serialize)]
pub(super) struct RefusedToolReply {
    ok: bool,
    class: &'static str,
    error: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    similar: Vec<SimilarMemory>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// A memory much like the one that was to be kept.
#[derive(Debug, Serialize)]
struct SimilarMemory {
    id: String,
    fact: String,
    relation: &'static str,
}

impl RefusedToolReply {
    pub(super) fn new(refusal: &Refusal) -> Self {
        Self {
            class: refusal.class(),
            error: refusal.to_string(),
            next: advise_after_refusal(refusal),
            ..Self::default()
        }
    }

    /// The same where a memory was to be replaced.
    pub(super) fn for_revision(refusal: &Refusal) -> Self {
        let next = match refusal {
            Refusal::NeedsCitation { .. } => {
                Some("call memory_revise again with \"citations\":[\"path/to/file:12-18\"]: the old ones do not hold here".into())
            }
            other => advise_after_refusal(other),
        };
        Self {
            next,
            ..Self::new(refusal)
        }
    }

    pub(super) fn no_user() -> Self {
        let error =
            "nobody knows whose preference this is; start the server with --as <user>".into();
        Self {
            class: "no_user",
            error,
            ..Self::default()
        }
    }

    pub(super) fn from_similar(near: &[NearMemory]) -> Self {
        let known = |it: &NearMemory| SimilarMemory {
            id: it.handle.to_string(),
            fact: it.fact.clone(),
            relation: it.relation.as_str(),
        };
        let similar: Vec<SimilarMemory> = near.iter().map(known).collect();
        let first = similar.first().map_or_else(String::new, |it| it.id.clone());
        let next = format!(
            "if yours is the better one: memory_revise {{\"id\":\"{first}\",\"action\":\"supersede\",\"fact\":\"…\"}}; if it adds \
             proof: memory_remember again with \"merge_with\":\"{first}\"; if both are needed: with \"rationale\":\"why\""
        );
        let error = "much like what is known; nothing was kept".into();
        Self {
            class: "similar",
            error,
            similar,
            next: Some(next),
            ..Self::default()
        }
    }

    pub(super) fn for_stale_memory(it: &MemoryProblem) -> Self {
        let error = format!("not refreshed: {} is {} here", it.id, it.standing);
        let next = format!(
            "memory_verify {{\"ids\":[\"{0}\"]}} shows the code; then memory_revise {{\"id\":\"{0}\",\"action\":\"correct\",\"fact\":\"…\",\"citations\":[\"…\"]}} or \
             \"invalidate\"",
            it.id
        );
        Self {
            class: "does_not_hold",
            error,
            next: Some(next),
            ..Self::default()
        }
    }

    pub(super) fn needs_consent(memory: &Memory) -> Self {
        let id = memory.handle();
        let error =
            format!("forgetting {id} cannot be undone and needs the user's word; nothing was done");
        let next = "ask the user, then call again with \"user_agreed\": true; to keep it in the history instead: \
                    memory_revise with action invalidate";
        Self {
            class: "needs_agreement",
            error,
            next: Some(next.into()),
            ..Self::default()
        }
    }

    pub(super) fn needs_person(memory: &Memory) -> Self {
        let id = memory.handle();
        let error =
            format!("only a person can let {id} out of quarantine, and nobody could be asked here");
        let next = format!("ask the user to run: apostille approve {id}");
        Self {
            class: "not_a_person",
            error,
            next: Some(next),
            ..Self::default()
        }
    }
}

/// The call to make after a refusal, where there is one.
fn advise_after_refusal(refusal: &Refusal) -> Option<String> {
    let way = match refusal {
        Refusal::NeedsCitation { .. } => {
            "call memory_remember again with \"citations\":[\"path/to/file:12-18\"], or with \"kind\":\"feedback\" for a correction and \
             \"kind\":\"user\" for a preference"
        }
        Refusal::NoSuchMemory { .. } => "memory_recall shows the ids that there are",
        Refusal::Secret { .. } => "say it without the secret, such as where it is kept",
        Refusal::Excluded { .. } => "keep the lesson or the rule instead, or let it be",
        Refusal::BadCitation { .. } => {
            "read the file, and call again with lines that are there, from the repository's root"
        }
        Refusal::TooLong { .. } | Refusal::TooMany { .. } => {
            "call again with less, or remember it in several parts"
        }
        Refusal::NotActive { .. } => "memory_recall shows what is in use instead",
        Refusal::IdentityFull { .. } => {
            "memory_revise one of these lines, or remember it in layer knowledge"
        }
        _ => return None,
    };
    Some(way.into())
}

/// What was found at the citations of a memory that does not hold, or could not be looked up.
#[derive(Debug, Serialize)]
pub(super) struct MemoryProblem {
    pub(super) id: String,
    pub(super) standing: &'static str,
    fact: String,
    citations: Vec<CitationProblem>,
}

/// One citation.
#[derive(Debug, Default, Serialize)]
struct CitationProblem {
    cited: String,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contradicted: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl MemoryProblem {
    pub(super) fn new(it: &VerifiedMemory) -> Self {
        let citations = it
            .memory
            .citations
            .iter()
            .zip(&it.verdicts)
            .map(|(it, verdict)| CitationProblem::new(it, verdict));
        Self {
            id: it.memory.handle().to_string(),
            standing: it.standing(),
            fact: it.memory.fact.clone(),
            citations: citations.collect(),
        }
    }
}

impl CitationProblem {
    fn new(citation: &Citation, verdict: &Verdict) -> Self {
        let here = Self {
            cited: citation.location().to_string(),
            verdict: verdict.as_str(),
            ..Self::default()
        };
        match verdict {
            Verdict::Holds => here,
            Verdict::Moved { to } => Self {
                at: Some(to.to_string()),
                ..here
            },
            Verdict::Changed(found) => here.with_change(found),
            Verdict::Gone { loss, .. } => Self {
                why: Some(loss.to_string()),
                ..here
            },
            Verdict::Unknown { why } => Self {
                why: Some(why.clone()),
                ..here
            },
        }
    }

    fn with_change(self, found: &Difference) -> Self {
        Self {
            at: Some(found.at.to_string()),
            change: Some(found.change.to_string()),
            now: Some(shorten_code(&found.now)),
            contradicted: found.contradicted.clone(),
            ..self
        }
    }
}

/// Code, cut at the end of a line where it is long.
fn shorten_code(code: &str) -> String {
    match take_first_chars(code, MAX_CODE) {
        None => code.to_owned(),
        Some(start) => {
            let whole = start.rfind('\n').unwrap_or(start.len());
            format!("{}\n…", &code[..whole])
        }
    }
}

/// What came of verifying.
#[derive(Debug, Serialize)]
pub(super) struct VerifyToolReply {
    verified: usize,
    good: usize,
    /// How many cite nothing, so that there was nothing to look up.
    #[serde(skip_serializing_if = "is_zero_unverified")]
    unverified: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<MemoryProblem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
}

impl VerifyToolReply {
    pub(super) fn new(report: &VerifyReport) -> Self {
        let (cited, plain): (Vec<_>, Vec<_>) = report
            .memories
            .iter()
            .partition(|it| !it.verdicts.is_empty());
        let wrong: Vec<&VerifiedMemory> =
            cited.iter().copied().filter(|it| !it.is_good()).collect();
        let more = wrong.len().checked_sub(MAX_TOLD).filter(|it| *it > 0);
        Self {
            verified: cited.len(),
            good: cited.len() - wrong.len(),
            unverified: plain.len(),
            problems: wrong
                .into_iter()
                .take(MAX_TOLD)
                .map(MemoryProblem::new)
                .collect(),
            more,
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero_unverified(n: &usize) -> bool {
    *n == 0
}
