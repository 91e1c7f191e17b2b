//! An archive that keeps many records one after the other: what its index says of a term is read once and then held in memory.
//!
//! Every record that is kept is compared with those before it, which reads the postings of some hundred terms seven times. For one
//! session nobody notices; a thousand in a row took five minutes, nearly all of it there.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use apostille_text::terms::StemCache;

use super::{
    Archive, ArchiveFilter, ArchiveHandle, ArchiveKind, ArchivePassage, ArchiveRecord,
    ArchiveScope, ArchiveSize, RecordTerms,
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

/// The postings of some terms of one scope, and the terms of some records.
#[derive(Debug, Default)]
struct HeldIndex {
    scope: Option<(Space, ArchiveKind)>,
    lists: HashMap<String, Vec<Posting>>,
    records: HashMap<u64, Arc<RecordTerms>>,
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
            self.clear();
            self.scope = wanted;
        }
    }

    fn clear(&mut self) {
        self.lists.clear();
        self.records.clear();
    }

    /// Reads what is not held of these terms, and how much there is in all.
    fn read_missing<'t>(
        &mut self,
        inner: &dyn Archive,
        scope: ArchiveScope<'_>,
        terms: impl Iterator<Item = &'t str>,
    ) -> StoreResult<Postings> {
        self.turn_to(scope);
        let missing = terms.filter(|it| !self.lists.contains_key(*it));
        let missing: Vec<String> = missing.map(str::to_owned).collect();
        let mut read = inner.read_postings(scope, &missing)?;
        let lists = std::mem::take(&mut read.lists);
        self.lists.extend(missing.into_iter().zip(lists));
        Ok(read)
    }

    /// Takes in a record that is new, and so has the highest number.
    fn add_record(&mut self, number: u64, record: &ArchiveRecord) {
        let counts = record.extract_terms(&mut self.stems);
        let len = counts.values().sum();
        for (term, count) in &counts {
            if let Some(list) = self.lists.get_mut(term) {
                let count = *count;
                list.push(Posting { number, count, len });
            }
        }
        let name = record.name.clone();
        let terms = RecordTerms {
            number,
            name,
            counts,
        };
        self.records.insert(number, Arc::new(terms));
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
            Some(_) => index.clear(),
            None => {}
        }
        Ok(kept)
    }

    fn read_postings(&self, scope: ArchiveScope<'_>, terms: &[String]) -> StoreResult<Postings> {
        let mut index = self.lock();
        let read = index.read_missing(self.inner, scope, terms.iter().map(String::as_str))?;
        let held = |it: &String| index.lists.get(it).cloned().unwrap_or_default();
        Ok(Postings {
            lists: terms.iter().map(held).collect(),
            ..read
        })
    }

    fn count_term_records(
        &self,
        scope: ArchiveScope<'_>,
        terms: &[&str],
    ) -> StoreResult<Vec<usize>> {
        let mut index = self.lock();
        index.read_missing(self.inner, scope, terms.iter().copied())?;
        let count = |it: &&str| index.lists.get(*it).map_or(0, Vec::len);
        Ok(terms.iter().map(count).collect())
    }

    fn read_record_terms(
        &self,
        numbers: &[u64],
        stems: &mut StemCache,
    ) -> StoreResult<Vec<Arc<RecordTerms>>> {
        let mut index = self.lock();
        let is_missing = |it: &u64| !index.records.contains_key(it);
        let missing: Vec<u64> = numbers.iter().copied().filter(is_missing).collect();
        for it in self.inner.read_record_terms(&missing, stems)? {
            index.records.insert(it.number, it);
        }
        let held = numbers.iter().filter_map(|it| index.records.get(it));
        Ok(held.cloned().collect())
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

    fn list_forgotten(
        &self,
        scope: ArchiveScope<'_>,
        name: &str,
        passages: &[ArchivePassage],
    ) -> StoreResult<BTreeSet<u32>> {
        self.inner.list_forgotten(scope, name, passages)
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
        self.lock().clear();
        self.inner.forget_record(handle)
    }

    fn has_pending_bytes(&self) -> StoreResult<bool> {
        self.inner.has_pending_bytes()
    }

    fn measure_size(&self, scope: ArchiveScope<'_>) -> StoreResult<ArchiveSize> {
        self.inner.measure_size(scope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{PassageSpeaker, ram::RamArchive, related::find_related};
    use jiff::Timestamp;

    fn record(name: &str, text: &str) -> ArchiveRecord {
        let at = Timestamp::UNIX_EPOCH;
        let passage = ArchivePassage {
            number: 1,
            speaker: PassageSpeaker::User,
            at,
            text: text.into(),
            pasted: None,
        };
        ArchiveRecord {
            number: 0,
            kind: ArchiveKind::Conversation,
            space: Space::repo("acme/api").unwrap(),
            name: name.into(),
            author: None,
            started_at: at,
            ended_at: at,
            task: None,
            branch: None,
            paths: BTreeSet::new(),
            is_exposed: false,
            passages: vec![passage],
            related: BTreeSet::new(),
        }
    }

    #[test]
    fn bulk_archive_answers_as_the_one_below() {
        let (plain, below) = (RamArchive::default(), RamArchive::default());
        let bulk = BulkArchive::new(&below);
        let texts = [
            ("a", "the retrier makes seven attempts"),
            ("b", "the basket keeps prices in cents"),
            ("c", "nine attempts of the retrier, not seven"),
            ("a", "the retrier makes eight attempts now"),
            ("d", "how many attempts does the retrier make"),
        ];
        for (name, text) in texts {
            let record = record(name, text);
            let related = |it: &dyn Archive| find_related(it, &record).unwrap();
            assert_eq!(related(&bulk), related(&plain), "{text}");
            let kept = |it: &dyn Archive| it.keep_record(&record).unwrap();
            assert_eq!(kept(&bulk), kept(&plain), "{text}");
            let scope = ArchiveScope {
                space: &record.space,
                kind: record.kind,
            };
            let terms: Vec<String> = record
                .extract_terms(&mut StemCache::default())
                .into_keys()
                .collect();
            let postings = |it: &dyn Archive| it.read_postings(scope, &terms).unwrap();
            assert_eq!(postings(&bulk), postings(&plain), "{text}");
        }
    }
}
