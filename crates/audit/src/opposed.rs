//! Memories of one subject that do not agree.

use std::collections::BTreeMap;

use super::{Class, Finding, Named, Seen, Severity};
use apostille_core::memory::{Layer, Memory};
use apostille_core::remember::contradict::{Modules, Stand, modules};
use apostille_core::remember::dedupe;
use apostille_core::space::Space;
use apostille_core::verify::Verified;
use apostille_text::overlap::normalised;

/// With how many memories of its subject each one is compared, those recorded next after it.
const WINDOW: usize = 64;

/// Pairs that cannot both be true of one module, or may not.
pub(super) fn pairs(seen: &Seen<'_>) -> Vec<Finding> {
    let mut subjects: BTreeMap<(&Space, String), Vec<&Verified>> = BTreeMap::new();
    for it in seen
        .active
        .iter()
        .filter(|it| it.memory.layer == Layer::Knowledge)
    {
        if let Some(subject) = it.memory.subject.as_deref() {
            subjects
                .entry((&it.memory.space, normalised(None, subject)))
                .or_default()
                .push(it);
        }
    }
    let mut findings = Vec::new();
    for lot in subjects.values().filter(|it| it.len() > 1) {
        for (n, old) in lot.iter().enumerate().take_while(|_| seen.is_in_time()) {
            findings.extend(
                lot[n + 1..]
                    .iter()
                    .take(WINDOW)
                    .filter_map(|new| pair(old, new)),
            );
        }
    }
    findings
}

fn pair(old: &Verified, new: &Verified) -> Option<Finding> {
    let stand = dedupe::stand(&new.memory, &old.memory);
    let (severity, what) = match (stand, modules(&new.memory, &old.memory)) {
        (Stand::Compatible, _) | (_, Modules::Apart) => return None,
        (Stand::Opposed, Modules::Same) => (Severity::Warning, "only one of them can be true"),
        _ => (Severity::Note, "they may not both be true"),
    };
    let (keep, drop) = if is_to_go(&new.memory, old) {
        (old, new)
    } else {
        (new, old)
    };
    let (keep, handle) = (keep.memory.handle(), drop.memory.handle());
    let subject = apostille_core::recall::render::safe(new.memory.subject.as_deref().unwrap_or(""));
    let what = format!("about {subject}: {what}");
    let way_out = format!("apostille invalidate {handle} --reason \"{keep} says otherwise\"");
    let finding = Finding::new(Class::Contradiction, severity, what, way_out);
    Some(finding.about(&new.memory.space, [Named::of(new), Named::of(old)]))
}

/// Whether the newer one gives way: it has the lesser voice, and the older one still holds.
fn is_to_go(new: &Memory, old: &Verified) -> bool {
    new.voice.origin > old.memory.voice.origin && old.is_good()
}
