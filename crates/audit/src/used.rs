//! What is of no use: never shown, shown in vain, or waiting for somebody who does not come.

use super::{Class, Finding, Named, Seen, Severity, days};
use apostille_core::memory::{Layer, Memory, Stage};
use apostille_core::space::Space;
use apostille_core::verify::Verified;

/// What was never shown for long, and what was shown often and never applied.
pub(super) fn unused(seen: &Seen<'_>) -> Vec<Finding> {
    let hygiene = seen.cx.policy.hygiene;
    let age = |it: &Memory| days(it.refreshed_at.max(it.recorded_at), seen.cx.now);
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
        findings.extend(lot(seen, space, &unseen, is_unseen));
        findings.extend(lot(seen, space, &vain, is_vain));
    }
    findings
}

fn lot(
    seen: &Seen<'_>,
    space: &Space,
    what: &str,
    is_such: impl Fn(&Memory) -> bool,
) -> Option<Finding> {
    let of_space = seen.active.iter().filter(|it| it.memory.space == *space);
    let lot: Vec<&Verified> = of_space
        .filter(|it| it.memory.layer == Layer::Knowledge && is_such(&it.memory))
        .collect();
    let first = lot.first()?;
    let way_out = format!(
        "apostille show {}        # then refresh it, or forget it",
        first.memory.handle()
    );
    let finding = Finding::new(Class::Unused, Severity::Note, what, way_out);
    Some(finding.about(space, lot.iter().map(|it| Named::of(it))))
}

/// What has waited in quarantine for long. Its text is not told: nobody vouches for it yet.
pub(super) fn waiting(seen: &Seen<'_>) -> Vec<Finding> {
    seen.spaces
        .iter()
        .filter_map(|space| waiting_in(seen, space))
        .collect()
}

fn waiting_in(seen: &Seen<'_>, space: &Space) -> Option<Finding> {
    let limit = seen.cx.policy.hygiene.pending_days;
    let age = |it: &Memory| days(it.recorded_at, seen.cx.now);
    let is_old = |it: &&Memory| {
        it.space == *space && it.status.stage() == Stage::Pending && age(it) >= limit
    };
    let old: Vec<&Memory> = seen.rest.iter().filter(is_old).collect();
    let oldest = old.iter().map(|it| age(it)).max()?;
    let what = format!("waiting for a person for {limit} days or more, the oldest for {oldest}");
    let finding = Finding::new(Class::Waiting, Severity::Note, what, "apostille review");
    Some(finding.about(space, old.into_iter().map(Named::unsaid)))
}
