//! Memories that do not agree.

use std::collections::BTreeMap;

use super::{
    AuditFinding, AuditInput, Class, Severity,
    duplicates::{STRIDE, find_candidate_pairs},
};
use apostille_core::{
    recall::render::sanitize_line,
    remember::{
        modules::{ModuleOverlap, compare_modules},
        relation::ComparedMemory,
    },
    space::Space,
    verify::VerifiedMemory,
};
use apostille_text::{contradict::FactRelation, overlap::normalise_fact};

/// With how many memories of its subject each one is compared, those recorded next after it.
const WINDOW: usize = 64;

/// Pairs that cannot both be true of one module, or may not: those of one subject, and those that share their rarer words.
pub(super) fn audit_contradictions(seen: &AuditInput) -> Vec<AuditFinding> {
    let mut shelves: BTreeMap<&Space, Vec<&VerifiedMemory>> = BTreeMap::new();
    // Two versions of one memory do not agree, and each is true on its branch.
    for it in seen.active_knowledge().filter(|it| !it.is_outranked) {
        shelves.entry(&it.memory.space).or_default().push(it);
    }
    let shelves = shelves.values();
    shelves
        .flat_map(|shelf| compare_shelf(shelf, seen))
        .filter_map(|(old, new, stand)| build_contradiction_finding(old, new, stand))
        .collect()
}

/// The pairs of one module that cannot both be true, the one to keep first.
pub(super) fn list_opposed_pairs<'v>(
    seen: &'v AuditInput,
) -> Vec<(&'v VerifiedMemory, &'v VerifiedMemory)> {
    let mut shelves: BTreeMap<&Space, Vec<&VerifiedMemory>> = BTreeMap::new();
    for it in seen.active_knowledge().filter(|it| !it.is_outranked) {
        shelves.entry(&it.memory.space).or_default().push(it);
    }
    let mut opposed = Vec::new();
    for shelf in shelves.values() {
        for (old, new, stand) in compare_shelf(shelf, seen) {
            if is_beyond_doubt(old, new, stand) {
                let (keep, drop) = choose_opposed_keeper(old, new);
                opposed.push((keep, drop));
            }
        }
    }
    opposed
}

/// Whether only one of two can be true: they are about one module.
fn is_beyond_doubt(old: &VerifiedMemory, new: &VerifiedMemory, stand: FactRelation) -> bool {
    stand == FactRelation::Opposed
        && compare_modules(&new.memory, &old.memory) == ModuleOverlap::Same
}

/// Which of two is kept. The newer one gives way where it has the lesser voice, and the older one still holds.
fn choose_opposed_keeper<'v>(
    old: &'v VerifiedMemory,
    new: &'v VerifiedMemory,
) -> (&'v VerifiedMemory, &'v VerifiedMemory) {
    let is_older_kept = new.memory.voice.origin > old.memory.voice.origin && old.is_good();
    if is_older_kept {
        (old, new)
    } else {
        (new, old)
    }
}

/// How those of a shelf stand to each other that may not agree: the older one, the newer one, and how.
fn compare_shelf<'v>(
    shelf: &[&'v VerifiedMemory],
    seen: &AuditInput,
) -> Vec<(&'v VerifiedMemory, &'v VerifiedMemory, FactRelation)> {
    let compared: Vec<ComparedMemory> = shelf
        .iter()
        .map(|it| ComparedMemory::new(&it.memory))
        .collect();
    let mut pairs = pair_by_subject(shelf);
    pairs.extend(find_candidate_pairs(&compared));
    pairs.sort_unstable();
    pairs.dedup();
    let mut related = Vec::new();
    for (n, (old, new)) in pairs.into_iter().enumerate() {
        if n.is_multiple_of(STRIDE) && !seen.is_in_time() {
            break;
        }
        let stand = compared[new].relate_to(&compared[old], seen.cx.policy.near_duplicate);
        related.extend(stand.map(|it| (shelf[old], shelf[new], it)));
    }
    related
}

/// Each memory with those of its subject that were recorded next after it.
fn pair_by_subject(shelf: &[&VerifiedMemory]) -> Vec<(usize, usize)> {
    let mut subjects: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (n, it) in shelf.iter().enumerate() {
        if let Some(subject) = it.memory.subject.as_deref() {
            let subject = normalise_fact(None, subject);
            subjects.entry(subject).or_default().push(n);
        }
    }
    let pair = |lot: &Vec<usize>| -> Vec<(usize, usize)> {
        let pairs = lot.iter().enumerate().flat_map(|(n, old)| {
            let next = lot[n + 1..].iter().take(WINDOW);
            next.map(|new| (*old, *new))
        });
        pairs.collect()
    };
    subjects.values().flat_map(pair).collect()
}

fn build_contradiction_finding(
    old: &VerifiedMemory,
    new: &VerifiedMemory,
    stand: FactRelation,
) -> Option<AuditFinding> {
    let (severity, what) = match stand {
        FactRelation::NearDuplicate => return None,
        _ if is_beyond_doubt(old, new, stand) => {
            (Severity::Warning, "only one of them can be true")
        }
        _ => (Severity::Note, "they may not both be true"),
    };
    let (keep, drop) = choose_opposed_keeper(old, new);
    let (keep, drop) = (keep.memory.handle(), drop.memory.handle());
    let subject = new.memory.subject.as_deref().map(sanitize_line);
    let about = subject.map(|it| format!("about {it}: "));
    let what = format!("{}{what}", about.unwrap_or_default());
    let way_out = format!("apostille invalidate {drop} --reason \"{keep} says otherwise\"");
    Some(AuditFinding::new(Class::Contradiction, severity, what, way_out).about([new, old]))
}
