//! What is of no use: never shown, shown in vain, or waiting for somebody who does not come.

use super::{AffectedMemory, AuditFinding, AuditInput, Class, Severity, count_whole_days};
use apostille_core::{
    memory::{Memory, Stage},
    space::Space,
};

/// What was never shown for long, and what was shown often and never applied.
pub(super) fn audit_unused_memories(seen: &AuditInput) -> Vec<AuditFinding> {
    let hygiene = seen.cx.policy.hygiene;
    let age = |it: &Memory| count_whole_days(it.refreshed_at.max(it.recorded_at), seen.cx.now);
    let is_unseen = |it: &Memory| {
        it.usage.recalls == 0 && it.usage.applied == 0 && age(it) >= hygiene.unused_days
    };
    let is_vain = |it: &Memory| it.usage.applied == 0 && it.usage.recalls >= hygiene.shown_in_vain;
    let unseen = format!("never shown in {} days or more", hygiene.unused_days);
    let vain = format!(
        "shown {} times or more, and never applied",
        hygiene.shown_in_vain
    );
    let mut findings = Vec::new();
    for space in seen.spaces {
        findings.extend(build_unused_finding(seen, space, &unseen, is_unseen));
        findings.extend(build_unused_finding(seen, space, &vain, is_vain));
    }
    findings
}

fn build_unused_finding(
    seen: &AuditInput,
    space: &Space,
    what: &str,
    is_such: impl Fn(&Memory) -> bool,
) -> Option<AuditFinding> {
    let mut lot = seen
        .active_knowledge()
        .filter(|it| it.memory.space == *space && is_such(&it.memory))
        .peekable();
    let way_out = format!(
        "apostille show {}        # then refresh it, or forget it",
        lot.peek()?.memory.handle()
    );
    Some(AuditFinding::new(Class::Unused, Severity::Note, what, way_out).about(lot))
}

/// What has waited in quarantine for long. Its text is not told: nobody vouches for it yet.
pub(super) fn audit_pending_memories(seen: &AuditInput) -> Vec<AuditFinding> {
    seen.spaces
        .iter()
        .filter_map(|space| build_pending_finding(seen, space))
        .collect()
}

fn build_pending_finding(seen: &AuditInput, space: &Space) -> Option<AuditFinding> {
    let limit = seen.cx.policy.hygiene.pending_days;
    let age = |it: &Memory| count_whole_days(it.recorded_at, seen.cx.now);
    let is_old = |it: &&Memory| {
        it.space == *space && it.status.stage() == Stage::Pending && age(it) >= limit
    };
    let old: Vec<&Memory> = seen.rest.iter().filter(is_old).collect();
    let oldest = old.iter().map(|it| age(it)).max()?;
    let what = format!("waiting for a person for {limit} days or more, the oldest for {oldest}");
    let finding = AuditFinding::new(Class::Waiting, Severity::Note, what, "apostille review");
    Some(finding.with_memories(space, old.into_iter().map(AffectedMemory::without_text)))
}
