//! Memories that say much the same, in groups: one to keep, and those that it makes superfluous.
//!
//! Not every pair is compared. Two texts that share half of their words share one of their rarer ones, so each is looked
//! up under those only; and of a word that stands everywhere, only those next in length are compared. What a hundred
//! thousand memories cost grows with their number.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::{AuditFinding, AuditInput, Class, Severity, count_words, join_handles};
use apostille_core::{
    memory::Layer, remember::relation::ComparedMemory, space::Space, verify::VerifiedMemory,
};
use apostille_text::contradict::FactRelation;

/// How many of those that share a word each memory is compared with.
const WINDOW: usize = 32;

/// How many pairs are compared between two looks at the time.
pub(super) const STRIDE: usize = 256;

/// Groups of memories that say much the same, the one to keep first.
pub(super) fn audit_duplicates(seen: &AuditInput) -> Vec<AuditFinding> {
    let groups = list_duplicate_groups(seen);
    groups
        .iter()
        .map(|group| build_duplicate_finding(group))
        .collect()
}

/// The groups of all spaces, of each the one to keep first.
pub(super) fn list_duplicate_groups<'v>(seen: &'v AuditInput) -> Vec<Vec<&'v VerifiedMemory>> {
    let mut shelves: BTreeMap<(&Space, Layer), Vec<&VerifiedMemory>> = BTreeMap::new();
    let is_told = |it: &&VerifiedMemory| {
        matches!(it.memory.layer, Layer::Knowledge | Layer::Identity) && !it.is_outranked
    };
    for it in seen.active.iter().filter(is_told) {
        shelves
            .entry((&it.memory.space, it.memory.layer))
            .or_default()
            .push(it);
    }
    shelves
        .values()
        .flat_map(|shelf| group_duplicates(shelf, seen))
        .collect()
}

fn build_duplicate_finding(group: &[&VerifiedMemory]) -> AuditFinding {
    let keeper = group[0].memory.handle();
    let candidates = join_handles(group[1..].iter().map(|it| &it.memory));
    let what = format!(
        "{} memories say much the same; {keeper} is the one to keep",
        group.len()
    );
    let way_out = format!("apostille invalidate {candidates} --reason \"{keeper} says it\"");
    AuditFinding::new(Class::Duplicate, Severity::Warning, what, way_out)
        .about(group.iter().copied())
}

/// The order in which members of a group are kept: a person's own words first, then what is proved, has a reason, is the
/// most trusted, of use, and new. What came from outside is last.
fn keeper_sort_key(it: &VerifiedMemory) -> impl Ord {
    let memory = &it.memory;
    let proof = match it.verdicts.is_empty() {
        false if it.is_good() => 0,
        true => 1,
        false => 2,
    };
    (
        (memory.voice.tainted, !memory.voice.is_person(), proof),
        (memory.reason.is_none(), memory.voice.origin),
        Reverse((memory.usage.applied, memory.usage.recalls)),
        Reverse(memory.recorded_at),
        memory.number,
    )
}

/// The groups of a shelf, in the order of their keepers' numbers.
fn group_duplicates<'v>(
    shelf: &[&'v VerifiedMemory],
    seen: &AuditInput,
) -> Vec<Vec<&'v VerifiedMemory>> {
    let compared: Vec<ComparedMemory> = shelf
        .iter()
        .map(|it| ComparedMemory::new(&it.memory))
        .collect();
    let threshold = seen.cx.policy.near_duplicate;
    let mut sets = DisjointSets((0..shelf.len()).collect());
    for (n, (a, b)) in find_candidate_pairs(&compared).into_iter().enumerate() {
        if n.is_multiple_of(STRIDE) && !seen.is_in_time() {
            break;
        }
        let relate = || compared[b].relate_to(&compared[a], threshold);
        if sets.find_root(a) != sets.find_root(b) && relate() == Some(FactRelation::NearDuplicate) {
            sets.unite_sets(a, b);
        }
    }
    let mut groups: BTreeMap<usize, Vec<&VerifiedMemory>> = BTreeMap::new();
    for (n, it) in shelf.iter().enumerate() {
        groups.entry(sets.find_root(n)).or_default().push(it);
    }
    let mut groups: Vec<Vec<&VerifiedMemory>> =
        groups.into_values().filter(|it| it.len() > 1).collect();
    groups
        .iter_mut()
        .for_each(|it| it.sort_by_cached_key(|member| keeper_sort_key(member)));
    groups.sort_by_key(|it| it[0].memory.number);
    groups
}

/// Pairs that may be alike, or rivals: they share one of the rarer words of both.
pub(super) fn find_candidate_pairs(compared: &[ComparedMemory]) -> Vec<(usize, usize)> {
    let keys: Vec<Vec<&str>> = compared
        .iter()
        .map(|it| it.gist.list_keys().collect())
        .collect();
    let counts = count_words(keys.iter().flatten().copied());
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|it| (keys[*it].len(), *it));
    let mut shelved: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut pairs = Vec::new();
    for n in order {
        let mut words = keys[n].clone();
        words.sort_by_key(|it| (counts[it], *it));
        // Who shares half of all words shares one of these.
        words.truncate(words.len() / 2 + 1);
        for word in words {
            let others = shelved.entry(word).or_default();
            let near = others.iter().rev().take(WINDOW);
            pairs.extend(near.map(|other| (n.min(*other), n.max(*other))));
            others.push(n);
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Sets that are united, pair by pair.
struct DisjointSets(Vec<usize>);

impl DisjointSets {
    fn find_root(&mut self, mut it: usize) -> usize {
        while self.0[it] != it {
            self.0[it] = self.0[self.0[it]];
            it = self.0[it];
        }
        it
    }

    /// The smaller root stays, so that the order of the pairs changes nothing.
    fn unite_sets(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find_root(a), self.find_root(b));
        self.0[a.max(b)] = a.min(b);
    }
}
