//! The whole: how much there is, and whether the store is as it was written.

use super::{Class, Finding, Seen, Severity};
use apostille_core::format::day;
use apostille_core::recall::render::safe;
use apostille_core::stats::stats;
use apostille_core::{Context, Error};

/// The share of the identity layer from which on it is nearly full, in percent.
const NEARLY_FULL: u8 = 80;

/// What the store says of itself.
pub(super) fn damage(seen: &Seen<'_>) -> Result<Vec<Finding>, Error> {
    if !seen.options.is_thorough {
        return Ok(Vec::new());
    }
    let problems = seen.cx.store.health()?.problems;
    let finding =
        |it: &String| Finding::new(Class::Damage, Severity::Error, it, "apostille doctor");
    Ok(problems.iter().map(finding).collect())
}

/// The breakers that are open: what these write waits for a person.
pub(super) fn breakers(seen: &Seen<'_>) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    for space in seen.spaces {
        for trip in seen.cx.store.watch(space, seen.cx.now)?.open {
            let who = trip
                .actor
                .as_deref()
                .map_or_else(|| "everybody".into(), safe);
            let what = format!(
                "{} since {}, for what {who} writes: {}",
                trip.breaker,
                day(trip.at),
                safe(&trip.why)
            );
            let finding =
                Finding::new(Class::Breaker, Severity::Warning, what, "apostille breaker");
            findings.push(finding.about(space, []));
        }
    }
    Ok(findings)
}

/// Too many memories, and an identity layer that is nearly full.
pub(super) fn room(seen: &Seen<'_>) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    for space in seen.spaces {
        let policy = seen
            .options
            .own
            .filter(|_| space.is_user())
            .unwrap_or(seen.cx.policy);
        let stats = stats(&Context { policy, ..*seen.cx }, space)?;
        if stats.over_soft_limit {
            let what = format!(
                "{space} has {} active memories, more than {}",
                stats.active, stats.soft_limit
            );
            let way_out = "apostille audit --only near-duplicate --only unused --only stale";
            let finding = Finding::new(Class::SoftLimit, Severity::Warning, what, way_out);
            findings.push(finding.about(space, []));
        }
        if stats.identity_percent > NEARLY_FULL {
            let what = format!(
                "the identity layer of {space} is {} % full",
                stats.identity_percent
            );
            let way_out = "apostille list --layer identity";
            findings.push(
                Finding::new(Class::Identity, Severity::Note, what, way_out).about(space, []),
            );
        }
    }
    Ok(findings)
}
