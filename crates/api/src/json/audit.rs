//! What needs attention.

use std::collections::BTreeMap;

use apostille_audit::{AffectedMemory, AuditFinding, AuditReport, Class, Severity};
use apostille_cite::standing::Standing;
use apostille_core::format;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::text_schema::TextEncoded;

/// What needs attention.
#[derive(Serialize, JsonSchema)]
pub struct AuditReply<'a> {
    /// Whether nothing bad was found, and everything was looked at.
    ok: bool,
    #[schemars(with = "TextEncoded<Timestamp>")]
    at: String,
    spaces: Vec<String>,
    /// The commit that is checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'a str>,
    /// How many memories there are, by status.
    memories: BTreeMap<&'static str, usize>,
    /// How many memories could not be looked up.
    unknown: usize,
    /// Whether it came to its end.
    complete: bool,
    /// How many findings there are, by class, those left off included.
    counts: BTreeMap<&'static str, usize>,
    /// How many memories these are about.
    affected: BTreeMap<&'static str, usize>,
    findings: Vec<FindingView<'a>>,
}

/// One thing that needs attention.
#[derive(Serialize, JsonSchema)]
struct FindingView<'a> {
    #[schemars(with = "TextEncoded<Class>")]
    class: &'static str,
    #[schemars(with = "TextEncoded<Severity>")]
    severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    space: Option<String>,
    what: &'a str,
    memories: Vec<FindingMemoryView<'a>>,
    /// How many more memories it is about.
    #[serde(skip_serializing_if = "is_zero_left_off")]
    more: usize,
    /// Of near-duplicates, the one to keep.
    #[serde(skip_serializing_if = "Option::is_none")]
    keep: Option<String>,
    /// What to do about it.
    command: &'a str,
}

/// A memory that a finding is about.
#[derive(Serialize, JsonSchema)]
struct FindingMemoryView<'a> {
    id: String,
    handle: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fact: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "TextEncoded<Standing>")]
    standing: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero_left_off(n: &usize) -> bool {
    *n == 0
}

impl<'a> From<&'a AffectedMemory> for FindingMemoryView<'a> {
    fn from(it: &'a AffectedMemory) -> Self {
        let place = it.place.as_ref().map(ToString::to_string);
        let (id, handle) = (it.id.to_string(), it.handle.to_string());
        Self {
            id,
            handle,
            fact: it.fact.as_deref(),
            standing: it.standing,
            place,
        }
    }
}

impl<'a> From<&'a AuditFinding> for FindingView<'a> {
    fn from(it: &'a AuditFinding) -> Self {
        let keep = it.memories.first().filter(|_| it.class == Class::Duplicate);
        Self {
            class: it.class.as_str(),
            severity: it.severity.as_str(),
            space: it.space.as_ref().map(ToString::to_string),
            what: &it.what,
            memories: it.memories.iter().map(FindingMemoryView::from).collect(),
            more: it.n_more,
            keep: keep.map(|it| it.handle.to_string()),
            command: &it.way_out,
        }
    }
}

impl<'a> From<&'a AuditReport> for AuditReply<'a> {
    fn from(it: &'a AuditReport) -> Self {
        Self {
            ok: !it.has_problems() && it.is_complete,
            at: format::format_timestamp(it.at),
            spaces: it.spaces.iter().map(ToString::to_string).collect(),
            commit: it.commit.as_deref(),
            memories: it
                .stages
                .iter()
                .map(|(stage, n)| (stage.as_str(), *n))
                .collect(),
            unknown: it.n_unknown,
            complete: it.is_complete,
            counts: it
                .counts
                .iter()
                .map(|(class, n)| (class.as_str(), *n))
                .collect(),
            affected: it
                .affected
                .iter()
                .map(|(class, n)| (class.as_str(), *n))
                .collect(),
            findings: it.findings.iter().map(FindingView::from).collect(),
        }
    }
}
