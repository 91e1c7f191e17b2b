//! What was recalled, and what was found at citations.

use std::collections::BTreeMap;

use apostille_core::{
    recall::RecallOutcome,
    verify::{VerifiedMemory, VerifyReport},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{MemoryView, build_memory_views};

/// What was recalled.
#[derive(Serialize, JsonSchema)]
pub struct RecallReply<'a> {
    #[schemars(extend("const" = true))]
    ok: bool,
    /// Whether what is shown answers the question, rather than being merely recent.
    relevant: bool,
    memories: Vec<MemoryView>,
    /// What does not hold here.
    withheld: Vec<MemoryView>,
    /// How many match and stand, and had no room in the budget.
    #[serde(skip_serializing_if = "has_all_room")]
    unfit: usize,
    /// How many past tasks clearly match that were not asked for, up to 10; absent where none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    episodes: Option<usize>,
    /// In which tree it was looked up, as `main@3f2c1d2e`; absent where that is the reader's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified_at: Option<&'a str>,
    /// The text to put before a model.
    pub block: &'a str,
    problems: &'a [String],
}

impl<'a> From<&'a RecallOutcome> for RecallReply<'a> {
    fn from(it: &'a RecallOutcome) -> Self {
        let is_relevant = it
            .shown
            .iter()
            .chain(&it.withheld)
            .any(|it| it.hit.why.relevance > 0.0);
        Self {
            ok: true,
            relevant: is_relevant,
            memories: build_memory_views(&it.shown),
            withheld: build_memory_views(&it.withheld),
            unfit: it.n_unfit,
            episodes: Some(it.n_episodes).filter(|it| *it > 0),
            verified_at: it.verified_at.as_deref(),
            block: &it.block,
            problems: &it.problems,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn has_all_room(n_unfit: &usize) -> bool {
    *n_unfit == 0
}

/// What was found at citations.
#[derive(Serialize, JsonSchema)]
pub struct VerifyReply {
    /// Whether nothing is wrong about this checkout.
    ok: bool,
    /// Whether this is the default branch with nothing half done in it.
    settled: bool,
    /// In which tree they were looked up, as `main@3f2c1d2e`; absent where that is the reader's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified_at: Option<String>,
    /// How many memories stand how.
    counts: BTreeMap<&'static str, usize>,
    memories: Vec<MemoryView>,
}

impl From<&VerifyReport> for VerifyReply {
    fn from(it: &VerifyReport) -> Self {
        Self {
            ok: !it.memories.iter().any(VerifiedMemory::is_invalid),
            settled: it.is_settled,
            verified_at: it.verified_at.clone(),
            counts: count_by_standing(&it.memories),
            memories: build_memory_views(&it.memories),
        }
    }
}

/// How many stand how; what a branch says that is not merged here is counted apart, and so is what has another version that
/// stands here, and what was superseded.
fn count_by_standing(verified: &[VerifiedMemory]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for it in verified {
        let word = if it.is_superseded() {
            "superseded"
        } else if it.standing().is_refuted() && it.is_unmerged {
            "unmerged"
        } else if it.is_outranked {
            "other_version"
        } else {
            it.standing().as_str()
        };
        *counts.entry(word).or_default() += 1;
    }
    counts
}
