//! An archive that keeps many records one after the other: what its index says of a term is read once and then held in memory.
//!
//! Every record that is kept is compared with those before it, which reads the postings of some hundred terms seven times. For one
//! session nobody notices; a thousand in a row took five minutes, nearly all of it there.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
};

use apostille_text::terms::StemCache;

use super::{
    Archive, ArchiveFilter, ArchiveHandle, ArchiveKind, ArchiveRecord, ArchiveScope, ArchiveSize,
};
use crate::{
    space::Space,
    store::{Posting, Postings, StoreResult},
};

/// An archive whose postings are held in memory. What other processes keep meanwhile is not seen in them.
#[derive(Debug)]
pub struct BulkArchive<'a> {
    inner: &'a dyn Archive,
    index: Mutex<HeldIndex>,
}

/// The postings of some terms of one scope.
#[derive(Debug, Default)]
struct HeldIndex {
    scope: Option<(Space, ArchiveKind)>,
    lists: HashMap<String, Vec<Posting>>,
    stems: StemCache,
}

impl<'a> BulkArchive<'a> {
    /// The same archive, for as long as many records are kept.
    #[must_use]
    pub fn new(inner: &'a dyn Archive) -> Self {
        Self {
            inner,
            index: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HeldIndex> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HeldIndex {
    /// Makes room for another scope.
    fn turn_to(&mut self, scope: ArchiveScope<'_>) {
        let wanted = Some((scope.space.clone(), scope.kind));
        if self.scope != wanted {
            self.lists.clear();
            self.scope = wanted;
        }
    }

    /// Reads what is not held of these terms, and how much there is in all.
    fn read_missing(
        &mut self,
        inner: &dyn Archive,
        scope: ArchiveScope<'_>,
        terms: &[String],
    ) -> StoreResult<Postings> {
        self.turn_to(scope);
        let is_missing = |it: &&String| !self.lists.contains_key(*it);
        let missing: Vec<String> = terms.iter().filter(is_missing).cloned().collect();
        let mut read = inner.read_postings(scope, &missing)?;
        let lists = std::mem::take(&mut read.lists);
        self.lists.extend(missing.into_iter().zip(lists));
        Ok(read)
    }

    /// Takes in a record that is new, and so has the highest number.
    fn add_record(&mut self, number: u64, record: &ArchiveRecord) {
        let counts = record.extract_terms(&mut self.stems);
        let len = counts.values().sum();
        for (term, count) in counts {
            if let Some(list) = self.lists.get_mut(&term) {
                list.push(Posting { number, count, len });
            }
        }
    }
}

impl Archive for BulkArchive<'_> {
    fn keep_record(&self, record: &ArchiveRecord) -> StoreResult<Option<u64>> {
        let scope = ArchiveScope {
            space: &record.space,
            kind: record.kind,
        };
        let is_new = self.inner.find_record(scope, &record.name)?.is_none();
        let kept = self.inner.keep_record(record)?;
        let mut index = self.lock();
        index.turn_to(scope);
        match kept {
            Some(number) if is_new => index.add_record(number, record),
            Some(_) => index.lists.clear(),
            None => {}
        }
        Ok(kept)
    }

    fn read_postings(&self, scope: ArchiveScope<'_>, terms: &[String]) -> StoreResult<Postings> {
        let mut index = self.lock();
        let read = index.read_missing(self.inner, scope, terms)?;
        let held = |it: &String| index.lists.get(it).cloned().unwrap_or_default();
        Ok(Postings {
            lists: terms.iter().map(held).collect(),
            ..read
        })
    }

    fn count_term_records(
        &self,
        scope: ArchiveScope<'_>,
        terms: &[String],
    ) -> StoreResult<Vec<usize>> {
        let mut index = self.lock();
        index.read_missing(self.inner, scope, terms)?;
        let count = |it: &String| index.lists.get(it).map_or(0, Vec::len);
        Ok(terms.iter().map(count).collect())
    }

    fn read_records(&self, numbers: &[u64]) -> StoreResult<Vec<ArchiveRecord>> {
        self.inner.read_records(numbers)
    }

    fn list_records(
        &self,
        scope: ArchiveScope<'_>,
        filter: &ArchiveFilter,
        most: usize,
    ) -> StoreResult<Vec<u64>> {
        self.inner.list_records(scope, filter, most)
    }

    fn find_record(&self, scope: ArchiveScope<'_>, name: &str) -> StoreResult<Option<u64>> {
        self.inner.find_record(scope, name)
    }

    fn has_forgotten(&self, scope: ArchiveScope<'_>, name: &str) -> StoreResult<bool> {
        self.inner.has_forgotten(scope, name)
    }

    fn keep_lines(&self, number: u64, lines: &BTreeSet<u32>) -> StoreResult<()> {
        self.inner.keep_lines(number, lines)
    }

    fn list_records_by_lines(
        &self,
        scope: ArchiveScope<'_>,
        lines: &BTreeSet<u32>,
        most: usize,
    ) -> StoreResult<Vec<u64>> {
        self.inner.list_records_by_lines(scope, lines, most)
    }

    fn forget_record(&self, handle: ArchiveHandle) -> StoreResult<bool> {
        self.lock().lists.clear();
        self.inner.forget_record(handle)
    }

    fn measure_size(&self, scope: ArchiveScope<'_>) -> StoreResult<ArchiveSize> {
        self.inner.measure_size(scope)
    }
}
