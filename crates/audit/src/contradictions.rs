//! Memories of one subject that do not agree.

use std::collections::BTreeMap;

use super::{AuditFinding, AuditInput, Class, Severity};
use apostille_core::{
    recall::render::sanitize_line,
    remember::{
        dedupe,
        modules::{ModuleOverlap, compare_modules},
    },
    space::Space,
    verify::VerifiedMemory,
};
use apostille_text::{contradict::FactCompatibility, overlap::normalise_fact};

/// With how many memories of its subject each one is compared, those recorded next after it.
const WINDOW: usize = 64;

/// Pairs that cannot both be true of one module, or may not.
pub(super) fn audit_contradictions(seen: &AuditInput) -> Vec<AuditFinding> {
    let mut subjects: BTreeMap<(&Space, String), Vec<&VerifiedMemory>> = BTreeMap::new();
    for it in seen.active_knowledge() {
        if let Some(subject) = it.memory.subject.as_deref() {
            subjects
                .entry((&it.memory.space, normalise_fact(None, subject)))
                .or_default()
                .push(it);
        }
    }
    let mut findings = Vec::new();
    for lot in subjects.values().filter(|it| it.len() > 1) {
        for (n, old) in lot.iter().enumerate().take_while(|_| seen.is_in_time()) {
            let next = lot[n + 1..].iter().take(WINDOW);
            findings.extend(next.filter_map(|new| build_contradiction_finding(old, new)));
        }
    }
    findings
}

fn build_contradiction_finding(old: &VerifiedMemory, new: &VerifiedMemory) -> Option<AuditFinding> {
    let stand = dedupe::compare_memories(&new.memory, &old.memory);
    let (severity, what) = match (stand, compare_modules(&new.memory, &old.memory)) {
        (FactCompatibility::Compatible, _) | (_, ModuleOverlap::Apart) => return None,
        (FactCompatibility::Opposed, ModuleOverlap::Same) => {
            (Severity::Warning, "only one of them can be true")
        }
        _ => (Severity::Note, "they may not both be true"),
    };
    let handles = (new.memory.handle(), old.memory.handle());
    // The newer one gives way where it has the lesser voice, and the older one still holds.
    let is_older_kept = new.memory.voice.origin > old.memory.voice.origin && old.is_good();
    let (drop, keep) = if is_older_kept {
        handles
    } else {
        (handles.1, handles.0)
    };
    let subject = sanitize_line(new.memory.subject.as_deref().unwrap_or(""));
    let what = format!("about {subject}: {what}");
    let way_out = format!("apostille invalidate {drop} --reason \"{keep} says otherwise\"");
    Some(AuditFinding::new(Class::Contradiction, severity, what, way_out).about([new, old]))
}
