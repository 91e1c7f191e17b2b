//! How two memories stand to each other: the one comparison that `remember` and `audit` share.

use super::modules::{ModuleOverlap, compare_modules};
use crate::memory::Memory;
use apostille_cite::citation::Citation;
use apostille_text::contradict::{FactFingerprint, FactRelation, FactTies};

/// A memory with what it is compared by, worked out once.
pub struct ComparedMemory<'m> {
    /// The memory.
    pub memory: &'m Memory,
    /// What it says.
    pub gist: FactFingerprint,
}

impl<'m> ComparedMemory<'m> {
    /// A memory, ready to be compared.
    pub fn new(memory: &'m Memory) -> Self {
        let gist = FactFingerprint::from_fact(memory.subject.as_deref(), &memory.fact);
        Self { memory, gist }
    }

    /// How it stands to an older one; `None` where they have nothing to do with each other.
    pub fn relate_to(&self, old: &Self, threshold: f32) -> Option<FactRelation> {
        let ties = FactTies {
            has_same_lines: cites_same_lines(self.memory, old.memory),
            is_apart: compare_modules(self.memory, old.memory) == ModuleOverlap::Apart,
        };
        self.gist.relate_to(&old.gist, ties, threshold)
    }
}

/// Whether one of the places that each cites is nearly the same: they share most of the longer one's lines. Two facts about
/// a long function need not be about the same thing.
fn cites_same_lines(a: &Memory, b: &Memory) -> bool {
    let is_same = |a: &Citation, b: &Citation| {
        let first = a.lines.first_line().max(b.lines.first_line());
        let last = a.lines.last_line().min(b.lines.last_line());
        let count =
            |first: u32, last: u32| u64::from(last) + 1 - u64::from(first).min(u64::from(last) + 1);
        let count_cited = |it: &Citation| count(it.lines.first_line(), it.lines.last_line());
        a.path == b.path && 2 * count(first, last) > count_cited(a).max(count_cited(b))
    };
    let mut cited = a.citations.iter();
    cited.any(|a| b.citations.iter().any(|b| is_same(a, b)))
}

/// Whether both cite code, and no file in common: then the same words may be said of two things.
pub(super) fn cites_other_files(a: &Memory, b: &Memory) -> bool {
    let is_cited_by_b = |it: &Citation| b.citations.iter().any(|other| other.path == it.path);
    !a.citations.is_empty() && !b.citations.is_empty() && !a.citations.iter().any(is_cited_by_b)
}
