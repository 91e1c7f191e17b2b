//! What of the memories in use can go up in others: those that cannot both be true, and those that say much the same. It is what
//! `audit` finds, as steps instead of findings.

use apostille_core::{Context, CoreError, memory::Memory, space::Space};
use apostille_text::words::words;

use super::{
    AuditInput, AuditOptions, contradictions::list_opposed_pairs, duplicates::list_duplicate_groups,
};

words! {
    /// Why memories give way to another.
    ConsolidationCause as "cause" {
        /// They cannot both be true.
        Opposed = "contradiction",
        /// They say much the same.
        Same = "near-duplicate",
    }
}

/// Of several memories in use, one is kept and the others give way.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsolidationStep {
    /// Why.
    pub cause: ConsolidationCause,
    /// The one to keep.
    pub keep: Memory,
    /// Those that give way.
    pub others: Vec<Memory>,
}

impl ConsolidationStep {
    /// Why, in a sentence for the person who decides.
    #[must_use]
    pub fn describe_reason(&self) -> String {
        let keep = self.keep.handle();
        let is_newer = self
            .others
            .iter()
            .all(|it| it.recorded_at <= self.keep.recorded_at);
        match self.cause {
            ConsolidationCause::Same => {
                format!("they say much the same; {keep} is the one to keep")
            }
            ConsolidationCause::Opposed if is_newer => {
                format!("only one of them can be true, and {keep} is the newer one")
            }
            ConsolidationCause::Opposed => {
                format!("only one of them can be true; {keep} is trusted more and still holds")
            }
        }
    }
}

/// The steps that these spaces call for; a memory is in one of them at most, and what contradicts comes before what repeats. Nothing
/// is changed.
pub fn plan_consolidation(
    cx: &Context,
    spaces: &[Space],
) -> Result<Vec<ConsolidationStep>, CoreError> {
    let options = AuditOptions::default();
    let seen = AuditInput::read(cx, spaces, &options)?;
    let opposed = list_opposed_pairs(&seen)
        .into_iter()
        .map(|(keep, drop)| (ConsolidationCause::Opposed, vec![keep, drop]));
    let same = list_duplicate_groups(&seen)
        .into_iter()
        .map(|group| (ConsolidationCause::Same, group));
    let mut taken = Vec::new();
    let mut steps = Vec::new();
    for (cause, group) in opposed.chain(same) {
        let group: Vec<&Memory> = group.into_iter().map(|it| &it.memory).collect();
        if group.iter().any(|it| taken.contains(&it.id)) {
            continue;
        }
        taken.extend(group.iter().map(|it| it.id));
        steps.push(ConsolidationStep {
            cause,
            keep: group[0].clone(),
            others: group[1..].iter().map(|it| (*it).clone()).collect(),
        });
    }
    Ok(steps)
}
