//! The whole: how much there is, and whether the store is as it was written.

use super::{AuditFinding, AuditInput, Class, Severity};
use apostille_core::{
    Context, CoreError, format::format_utc_day, recall::render::sanitize_line,
    stats::compute_space_stats,
};

/// The share of the identity layer from which on it is nearly full, in percent.
const NEARLY_FULL: u8 = 80;

/// What the store says of itself.
pub(super) fn audit_store_damage(seen: &AuditInput) -> Result<Vec<AuditFinding>, CoreError> {
    if !seen.options.is_thorough {
        return Ok(Vec::new());
    }
    let problems = seen.cx.store.check_health()?.problems;
    let finding =
        |it: &String| AuditFinding::new(Class::Damage, Severity::Error, it, "apostille doctor");
    Ok(problems.iter().map(finding).collect())
}

/// The breakers that are open: what these write waits for a person.
pub(super) fn audit_open_breakers(seen: &AuditInput) -> Result<Vec<AuditFinding>, CoreError> {
    let mut findings = Vec::new();
    for space in seen.spaces {
        for trip in seen.cx.store.read_breaker_state(space, seen.cx.now)?.open {
            let who = trip
                .actor
                .as_deref()
                .map_or_else(|| "everybody".into(), sanitize_line);
            let what = format!(
                "{} since {}, for what {who} writes: {}",
                trip.breaker,
                format_utc_day(trip.at),
                sanitize_line(&trip.why)
            );
            let finding =
                AuditFinding::new(Class::Breaker, Severity::Warning, what, "apostille breaker");
            findings.push(finding.with_memories(space, []));
        }
    }
    Ok(findings)
}

/// Too many memories, and an identity layer that is nearly full.
pub(super) fn audit_space_capacity(seen: &AuditInput) -> Result<Vec<AuditFinding>, CoreError> {
    let mut findings = Vec::new();
    for space in seen.spaces {
        let policy = seen
            .options
            .own
            .filter(|_| space.is_user())
            .unwrap_or(seen.cx.policy);
        let stats = compute_space_stats(&Context { policy, ..*seen.cx }, space)?;
        if stats.over_soft_limit {
            let what = format!(
                "{space} has {} active memories, more than {}",
                stats.active, stats.soft_limit
            );
            let way_out = "apostille audit --only near-duplicate --only unused --only stale";
            let finding = AuditFinding::new(Class::SoftLimit, Severity::Warning, what, way_out);
            findings.push(finding.with_memories(space, []));
        }
        if stats.identity_percent > NEARLY_FULL {
            let what = format!(
                "the identity layer of {space} is {} % full",
                stats.identity_percent
            );
            let way_out = "apostille list --layer identity";
            findings.push(
                AuditFinding::new(Class::Identity, Severity::Note, what, way_out)
                    .with_memories(space, []),
            );
        }
    }
    Ok(findings)
}
