//! Which memories may answer at all, whatever they say: by tag, kind, cited file, time and address.

use std::collections::{BTreeSet, HashSet};

use jiff::Timestamp;

use crate::{
    Context, CoreError,
    address::MemoryAddress,
    memory::{Kind, Layer, Memory, MemoryId},
    moved_citations::list_moved_memories,
    space::Space,
    store::{MemoryFilter, has_citation_below, is_any_or_among},
};
use apostille_cite::citation::RepoPath;

/// How many memories a narrow filter admits in one space. They are listed before anything is ranked, so that one that is
/// far down in the ranking is found, too.
const FEW: usize = 1_000;
/// The same for a filter by layer alone, which a store answers without reading memories.
const FEW_OF_LAYER: usize = 10_000;

/// What a memory must be to answer. The default admits every memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecallFilter {
    /// With all of these tags.
    pub tags: Vec<String>,
    /// Of one of these kinds.
    pub kinds: Vec<Kind>,
    /// Citing this file, or a file below this folder.
    pub citing: Option<RepoPath>,
    /// Recorded at this time or later.
    pub since: Option<Timestamp>,
    /// Recorded before this time.
    pub until: Option<Timestamp>,
    /// At this address.
    pub address: Option<MemoryAddress>,
}

impl RecallFilter {
    /// Whether it admits every memory.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a memory may answer; `moved` are those whose cited lines stand at the path that is asked for, though they
    /// cite another.
    pub(super) fn admits_memory(&self, memory: &Memory, moved: &BTreeSet<MemoryId>) -> bool {
        let is_cited =
            |path: &RepoPath| has_citation_below(memory, path) || moved.contains(&memory.id);
        is_any_or_among(&self.kinds, &memory.kind)
            && self.tags.iter().all(|it| memory.tags.contains(it))
            && self.since.is_none_or(|since| memory.recorded_at >= since)
            && self.until.is_none_or(|until| memory.recorded_at < until)
            && self.address.as_ref().is_none_or(|it| it.admits(memory))
            && self.citing.as_ref().is_none_or(is_cited)
    }

    /// Narrows what a store is asked for, so that it does not read what cannot answer.
    pub(super) fn narrow_listing(&self, filter: MemoryFilter) -> MemoryFilter {
        MemoryFilter {
            tags: self.tags.clone(),
            kinds: self.kinds.clone(),
            since: self.since,
            until: self.until,
            path: self.citing.clone(),
            ..filter.at_address(self.address.clone())
        }
    }

    /// The memories that stand at the path that is asked for, and cite it by a name that it had before.
    pub(super) fn find_moved(
        &self,
        cx: &Context,
        spaces: &[Space],
    ) -> Result<BTreeSet<MemoryId>, CoreError> {
        let filter = self.narrow_listing(MemoryFilter::active_in(spaces, FEW));
        let moved = list_moved_memories(cx, &filter)?;
        Ok(moved.into_iter().map(|it| it.id).collect())
    }

    /// The numbers of all memories of a space that it admits; `None` where it admits everything, or so much that ranking
    /// meets it anyway.
    pub(super) fn list_admitted_numbers(
        &self,
        cx: &Context,
        space: &Space,
        layers: &[Layer],
        moved: &BTreeSet<MemoryId>,
    ) -> Result<Option<HashSet<u64>>, CoreError> {
        // Most memories are knowledge: a question to another layer is a narrow one.
        if self.is_empty() && layers.contains(&Layer::Knowledge) {
            return Ok(None);
        }
        if self.is_empty() {
            let numbers = cx.store.list_active_numbers(space, layers, FEW_OF_LAYER)?;
            return Ok((numbers.len() < FEW_OF_LAYER).then(|| numbers.into_iter().collect()));
        }
        let active = MemoryFilter {
            layers: layers.to_vec(),
            ..MemoryFilter::active_in([space.clone()], FEW)
        };
        let found = cx.store.list_memories(&self.narrow_listing(active))?;
        if found.len() >= FEW {
            return Ok(None);
        }
        let moved: Vec<MemoryId> = moved.iter().copied().collect();
        let moved = cx.store.get_by_ids(&moved)?.into_iter();
        let moved = moved.filter(|it| it.space == *space);
        let numbers = found.into_iter().chain(moved).map(|it| it.number);
        Ok(Some(numbers.collect()))
    }
}
