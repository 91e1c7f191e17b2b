//! The twin of a store of records: a plain map, which a real one is compared with.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use apostille_text::{digest::Digest, terms::StemCache};
use jiff::Timestamp;

use super::{
    Archive, ArchiveFilter, ArchiveHandle, ArchivePassage, ArchiveRecord, ArchiveScope, ArchiveSize,
};
use crate::store::{Posting, Postings, StoreResult};

/// Records in memory.
#[derive(Debug, Default)]
pub struct RamArchive {
    state: Mutex<ArchiveState>,
}

#[derive(Debug, Default)]
struct ArchiveState {
    last: u64,
    records: BTreeMap<u64, ArchiveRecord>,
    lines: BTreeMap<u64, BTreeSet<u32>>,
    forgotten: BTreeSet<(Digest, ForgottenPart)>,
}

/// What was forgotten of a record.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ForgottenPart {
    Whole,
    At(Timestamp),
    Words(Digest),
}

/// What is forgotten is known by the digest of its name, so that nothing of it is left.
pub fn digest_record_name(record: &ArchiveRecord) -> Digest {
    let scope = ArchiveScope {
        space: &record.space,
        kind: record.kind,
    };
    digest_name_in_scope(scope, &record.name)
}

/// The digest of the name that a record has, or had.
pub fn digest_name_in_scope(scope: ArchiveScope<'_>, name: &str) -> Digest {
    let parts = [scope.kind.as_str(), scope.space.as_str(), name];
    Digest::hash_bytes(parts.join("\n").as_bytes())
}

impl RamArchive {
    fn lock(&self) -> MutexGuard<'_, ArchiveState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ArchiveState {
    fn iter_scope(&self, scope: ArchiveScope<'_>) -> impl Iterator<Item = &ArchiveRecord> {
        let is_in = move |it: &&ArchiveRecord| it.space == *scope.space && it.kind == scope.kind;
        self.records.values().filter(is_in)
    }
}

impl ArchiveState {
    fn is_forgotten(&self, name: Digest, passage: &ArchivePassage) -> bool {
        let words = digest_words(passage).map(ForgottenPart::Words);
        let parts = [ForgottenPart::Whole, ForgottenPart::At(passage.at)];
        let mut parts = parts.into_iter().chain(words);
        parts.any(|it| self.forgotten.contains(&(name, it)))
    }
}

fn digest_words(passage: &ArchivePassage) -> Option<Digest> {
    let words = passage.normalise_words()?;
    Some(Digest::hash_bytes(words.as_bytes()))
}

impl Archive for RamArchive {
    fn keep_record(&self, record: &ArchiveRecord) -> StoreResult<Option<u64>> {
        let mut state = self.lock();
        let name = digest_record_name(record);
        if state.forgotten.contains(&(name, ForgottenPart::Whole)) {
            return Ok(None);
        }
        let is_same = |it: &&ArchiveRecord| digest_record_name(it) == name;
        let before = state.records.values().find(is_same).map(|it| it.number);
        let number = before.unwrap_or(state.last + 1);
        state.last = state.last.max(number);
        let mut kept = ArchiveRecord {
            number,
            ..record.clone()
        };
        kept.passages.retain(|it| !state.is_forgotten(name, it));
        kept.related
            .retain(|it| *it != number && state.records.contains_key(it));
        for other in state.records.values_mut() {
            match kept.related.contains(&other.number) {
                true => other.related.insert(number),
                false => other.related.remove(&number),
            };
        }
        state.records.insert(number, kept);
        state.lines.remove(&number);
        Ok(Some(number))
    }

    fn read_postings(&self, scope: ArchiveScope<'_>, terms: &[String]) -> StoreResult<Postings> {
        let state = self.lock();
        let mut stems = StemCache::default();
        let mut postings = Postings {
            lists: vec![Vec::new(); terms.len()],
            ..Postings::default()
        };
        for record in state.iter_scope(scope) {
            let counts = record.extract_terms(&mut stems);
            let len: u32 = counts.values().sum();
            postings.n_docs += 1;
            postings.total_len += u64::from(len);
            for (list, term) in postings.lists.iter_mut().zip(terms) {
                let count = counts.get(term).copied();
                list.extend(count.map(|count| Posting {
                    number: record.number,
                    count,
                    len,
                }));
            }
        }
        Ok(postings)
    }

    fn read_records(&self, numbers: &[u64]) -> StoreResult<Vec<ArchiveRecord>> {
        let state = self.lock();
        let found = numbers
            .iter()
            .filter_map(|it| state.records.get(it).cloned());
        Ok(found.collect())
    }

    fn list_records(
        &self,
        scope: ArchiveScope<'_>,
        filter: &ArchiveFilter,
        most: usize,
    ) -> StoreResult<Vec<u64>> {
        let state = self.lock();
        let found = state
            .iter_scope(scope)
            .filter(|it| filter.admits_record(it));
        let mut found: Vec<_> = found.map(|it| (it.ended_at, it.number)).collect();
        found.sort_by(|a, b| b.cmp(a));
        Ok(found.into_iter().take(most).map(|it| it.1).collect())
    }

    fn find_record(&self, scope: ArchiveScope<'_>, name: &str) -> StoreResult<Option<u64>> {
        let state = self.lock();
        let found = state.iter_scope(scope).find(|it| it.name == name);
        Ok(found.map(|it| it.number))
    }

    fn has_forgotten(&self, scope: ArchiveScope<'_>, name: &str) -> StoreResult<bool> {
        let name = digest_name_in_scope(scope, name);
        let whole = (name, ForgottenPart::Whole);
        Ok(self.lock().forgotten.contains(&whole))
    }

    fn list_forgotten(
        &self,
        scope: ArchiveScope<'_>,
        name: &str,
        passages: &[ArchivePassage],
    ) -> StoreResult<BTreeSet<u32>> {
        let name = digest_name_in_scope(scope, name);
        let state = self.lock();
        let gone = passages.iter().filter(|it| state.is_forgotten(name, it));
        Ok(gone.map(|it| it.number).collect())
    }

    fn keep_lines(&self, number: u64, lines: &BTreeSet<u32>) -> StoreResult<()> {
        let mut state = self.lock();
        if state.records.contains_key(&number) {
            state.lines.entry(number).or_default().extend(lines);
        }
        Ok(())
    }

    fn list_records_by_lines(
        &self,
        scope: ArchiveScope<'_>,
        lines: &BTreeSet<u32>,
        most: usize,
    ) -> StoreResult<Vec<u64>> {
        let state = self.lock();
        let count = |it: &ArchiveRecord| {
            let written = state.lines.get(&it.number)?;
            let n = written.intersection(lines).count();
            (n > 0).then_some((Reverse(n), Reverse((it.ended_at, it.number)), it.number))
        };
        let mut found: Vec<_> = state.iter_scope(scope).filter_map(count).collect();
        found.sort();
        Ok(found.into_iter().take(most).map(|it| it.2).collect())
    }

    fn forget_record(&self, handle: ArchiveHandle) -> StoreResult<bool> {
        let mut state = self.lock();
        let state = &mut *state;
        let Some(record) = state.records.get_mut(&handle.record) else {
            return Ok(false);
        };
        let name = digest_record_name(record);
        let Some(passage) = handle.passage else {
            state.forgotten.insert((name, ForgottenPart::Whole));
            state.records.remove(&handle.record);
            state.lines.remove(&handle.record);
            for other in state.records.values_mut() {
                other.related.remove(&handle.record);
            }
            return Ok(true);
        };
        let Some(at) = record.passages.iter().position(|it| it.number == passage) else {
            return Ok(false);
        };
        let gone = record.passages.remove(at);
        let words = digest_words(&gone).map(ForgottenPart::Words);
        let parts = [ForgottenPart::At(gone.at)].into_iter().chain(words);
        let parts = parts.map(|it| (name, it));
        state.forgotten.extend(parts);
        // The same words said twice are gone twice.
        let mut record = record.clone();
        record.passages.retain(|it| !state.is_forgotten(name, it));
        state.records.insert(record.number, record);
        state.lines.remove(&handle.record);
        Ok(true)
    }

    fn measure_size(&self, scope: ArchiveScope<'_>) -> StoreResult<ArchiveSize> {
        let state = self.lock();
        let mut size = ArchiveSize::default();
        for record in state.iter_scope(scope) {
            size.records += 1;
            size.passages += record.passages.len() as u64;
            size.chars += record.count_chars() as u64;
        }
        Ok(size)
    }
}
