//! Which memories are versions of one another, as the store has them.

use std::collections::{BTreeSet, HashMap};

use super::OtherVersion;
use crate::{
    memory::{Memory, MemoryId, Status},
    store::{MemoryFilter, Store, StoreError},
};

/// How far replacements are followed.
const CHAIN: usize = 16;
/// How many versions of a memory are looked at.
const MAX_VERSIONS: usize = 16;
/// How many memories are asked about in one query.
const LOT: usize = 500;

/// Finds versions, reading each memory once.
pub(crate) struct VersionFinder<'a> {
    store: &'a dyn Store,
    known: HashMap<MemoryId, Option<Memory>>,
}

impl<'a> VersionFinder<'a> {
    pub(crate) fn new(store: &'a dyn Store) -> Self {
        Self {
            store,
            known: HashMap::new(),
        }
    }

    /// Those of these memories that something in use was made to take the place of.
    pub(crate) fn list_replaced(
        &mut self,
        memories: &[&Memory],
    ) -> Result<BTreeSet<MemoryId>, StoreError> {
        let mut active = memories.to_vec();
        active.retain(|it| it.is_active());
        let mut replaced = BTreeSet::new();
        for lot in active.chunks(LOT) {
            let mut spaces: Vec<_> = lot.iter().map(|it| it.space.clone()).collect();
            spaces.sort();
            spaces.dedup();
            let replacing = MemoryFilter {
                supersedes: lot.iter().map(|it| it.id).collect(),
                ..MemoryFilter::active_in(spaces, usize::MAX)
            };
            let replacing = self.store.list_memories(&replacing)?;
            replaced.extend(replacing.into_iter().filter_map(|it| it.supersedes));
        }
        Ok(replaced)
    }

    /// The versions of a memory; `None` where it is the only one. `is_searched` says whether newer versions are looked for
    /// as well; without it, only one that is itself the newer of two is found out.
    pub(crate) fn find_family(
        &mut self,
        memory: &Memory,
        is_searched: bool,
    ) -> Result<Option<VersionFamily>, StoreError> {
        if !memory.is_active() || !(is_searched || self.find_older(memory)?.is_some()) {
            return Ok(None);
        }
        let mut family = VersionFamily::default();
        let mut open = vec![memory.clone()];
        while let Some(next) = open.pop().filter(|_| family.0.len() < MAX_VERSIONS) {
            if family.has(next.id) {
                continue;
            }
            let older = self.find_older(&next)?;
            open.extend(self.list_newer(&next)?);
            open.extend(older.clone());
            family.0.push((next, older.map(|it| it.id)));
        }
        Ok((family.0.len() > 1).then_some(family))
    }

    /// The version that a memory takes the place of once it is merged.
    fn find_older(&mut self, memory: &Memory) -> Result<Option<Memory>, StoreError> {
        let mut next = memory.supersedes;
        for _ in 0..CHAIN {
            let Some(old) = next.map(|it| self.get_memory(it)).transpose()?.flatten() else {
                return Ok(None);
            };
            match old.status {
                _ if old.space != memory.space => return Ok(None),
                Status::Active => return Ok(Some(old)),
                // It did take its place; nothing waits.
                Status::Superseded { by } if by == memory.id => return Ok(None),
                Status::Superseded { by } => next = Some(by),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The versions that take the place of a memory once they are merged. They were made for it, or for what it replaced
    /// meanwhile.
    fn list_newer(&mut self, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
        let mut replaced = vec![memory.id];
        let mut before = memory.supersedes;
        while let Some(id) = before.filter(|_| replaced.len() < CHAIN) {
            replaced.push(id);
            before = self.get_memory(id)?.and_then(|it| it.supersedes);
        }
        let filter = MemoryFilter {
            supersedes: replaced,
            ..MemoryFilter::active_in([memory.space.clone()], MAX_VERSIONS)
        };
        let mut newer = self.store.list_memories(&filter)?;
        let mut is_newer = Vec::with_capacity(newer.len());
        for it in &newer {
            let older = self.find_older(it)?;
            is_newer.push(older.is_some_and(|older| older.id == memory.id));
        }
        let mut is_newer = is_newer.into_iter();
        newer.retain(|_| is_newer.next().unwrap_or(false));
        Ok(newer)
    }

    /// A memory, if it is there and can be read.
    fn get_memory(&mut self, id: MemoryId) -> Result<Option<Memory>, StoreError> {
        if let Some(known) = self.known.get(&id) {
            return Ok(known.clone());
        }
        let found = match self.store.get_by_ids(&[id]) {
            Err(StoreError::Corrupt { .. }) => None,
            found => found?.pop(),
        };
        self.known.insert(id, found.clone());
        Ok(found)
    }
}

/// The versions of one memory, each with the one that it takes the place of.
#[derive(Debug, Default)]
pub(crate) struct VersionFamily(Vec<(Memory, Option<MemoryId>)>);

impl VersionFamily {
    pub(crate) fn members(&self) -> impl Iterator<Item = &Memory> {
        self.0.iter().map(|it| &it.0)
    }

    pub(crate) fn has(&self, id: MemoryId) -> bool {
        self.members().any(|it| it.id == id)
    }

    fn get(&self, id: MemoryId) -> Option<&Memory> {
        self.members().find(|it| it.id == id)
    }

    /// The versions that this one takes the place of, the nearest first.
    pub(crate) fn list_older(&self, id: MemoryId) -> Vec<&Memory> {
        let older_of = |id| self.0.iter().find(|it| it.0.id == id)?.1;
        let chain = std::iter::successors(older_of(id), |id| older_of(*id));
        chain
            .take(self.0.len())
            .filter_map(|id| self.get(id))
            .collect()
    }

    /// What is told of a version: which one it replaces, else which one replaces it; of several the latest.
    pub(crate) fn other_version_of(&self, id: MemoryId) -> Option<OtherVersion> {
        if let Some(older) = self.list_older(id).first() {
            return Some(OtherVersion::Replaces(older.handle()));
        }
        let newer = self.0.iter().filter(|it| it.1 == Some(id)).map(|it| &it.0);
        let latest = newer.max_by_key(|it| (it.recorded_at, it.number))?;
        Some(OtherVersion::ReplacedBy(latest.handle()))
    }
}
