//! Many memories leave or enter an index at once: its lists are read, sifted and written anew. Only what enters is
//! analysed; of what stays, the index knows the terms already.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::{
    hash::{BuildHasherDefault, Hasher},
    thread::{self, JoinHandle},
};

use apostille_core::store::{Posting, plan::MemoryUpdate};
use apostille_text::terms::StemCache;
use rusqlite::Connection;

use super::{index, parallel};
use crate::packed::{self, DamagedBlob, PostingLists, SEGMENT_LEN};
use crate::store_errors::SqliteResult;

/// What leaves and what enters the index of a space in one batch.
#[derive(Default)]
pub(super) struct IndexMoves {
    gone: NumberSet,
    /// The text of what enters, by its number, until it is handed over to be analysed.
    come: BTreeMap<u64, String>,
    /// The same of what was handed over already, left and enters again.
    again: BTreeMap<u64, String>,
    /// What is being analysed meanwhile.
    analysing: Vec<JoinHandle<AnalysedLists>>,
    /// The numbers that were handed over to be analysed.
    handed: NumberSet,
    /// Those of them that left again.
    withdrawn: NumberSet,
}

type NumberSet = HashSet<u64, BuildHasherDefault<NumberHasher>>;

impl IndexMoves {
    /// Notes that a memory became another.
    pub(super) fn note_update(&mut self, update: &MemoryUpdate) {
        if update.leaves_index() {
            self.remove_number(update.before.number);
        }
        if update.enters_index() {
            self.add_text(update.after.number, update.after.searchable_text());
        }
    }

    fn remove_number(&mut self, number: u64) {
        let is_waiting =
            self.come.remove(&number).is_some() || self.again.remove(&number).is_some();
        let mut is_ours = || self.handed.contains(&number) && self.withdrawn.insert(number);
        if !is_waiting && !is_ours() {
            self.gone.insert(number);
        }
    }

    /// What enters is analysed while the rows behind it are still written.
    fn add_text(&mut self, number: u64, text: String) {
        if self.handed.contains(&number) {
            self.again.insert(number, text);
            return;
        }
        self.come.insert(number, text);
        if self.come.len() >= SEGMENT_LEN {
            self.start_analysis();
        }
    }

    fn start_analysis(&mut self) {
        let part: Vec<_> = std::mem::take(&mut self.come).into_iter().collect();
        self.handed.extend(part.iter().map(|it| it.0));
        let analysing = thread::spawn(move || analyse_texts(&part));
        self.analysing.push(analysing);
    }

    /// Writes the index of a space anew. Nothing is written where it turns out to be damaged.
    pub(super) fn rewrite_index(mut self, db: &Connection, space: i64) -> SqliteResult<()> {
        let mut kept = self.read_remaining(db, space)?;
        let docs = self.count_entering() as i64 - self.gone.len() as i64;
        let len = self.add_entering(&mut kept.waiting) - kept.left_len;
        index::delete_index_rows(db, space)?;
        index::insert_posting_lists(db, space, kept.lists, kept.waiting)?;
        index::adjust_document_count(db, space, docs, len).map(drop)
    }

    fn count_entering(&self) -> usize {
        self.come.len() + self.again.len() + self.handed.len() - self.withdrawn.len()
    }

    /// Puts what enters to the lists; how long it is.
    fn add_entering(&mut self, lists: &mut PostingLists) -> i64 {
        let come: Vec<_> = std::mem::take(&mut self.come)
            .into_iter()
            .chain(std::mem::take(&mut self.again))
            .collect();
        let share = come.len().div_ceil(parallel::count_worker_threads()).max(1);
        let parts: Vec<_> = come.chunks(share).collect();
        let rest = parallel::map_parallel(&parts, |part| analyse_texts(part));
        let earlier = std::mem::take(&mut self.analysing)
            .into_iter()
            .map(|it| parallel::unwrap_joined(it.join()));
        let mut total = 0;
        for mut part in earlier.map(|it| self.drop_withdrawn(it)).chain(rest) {
            for (term, list) in &mut part {
                total += list.iter().map(|it| i64::from(it.count)).sum::<i64>();
                lists.entry(std::mem::take(term)).or_default().append(list);
            }
        }
        total
    }

    fn drop_withdrawn(&self, mut part: AnalysedLists) -> AnalysedLists {
        if !self.withdrawn.is_empty() {
            part.retain_mut(|(_, list)| {
                list.retain(|it| !self.withdrawn.contains(&it.number));
                !list.is_empty()
            });
        }
        part
    }

    /// What stays.
    fn read_remaining(&self, db: &Connection, space: i64) -> SqliteResult<RemainingIndex> {
        let mut kept = RemainingIndex::default();
        let mut stays = |it: &Posting| {
            let is_gone = self.gone.contains(&it.number);
            kept.left_len += if is_gone { i64::from(it.count) } else { 0 };
            !is_gone
        };
        index::each_posting_list(db, space, |term, found| {
            found.retain(&mut stays);
            match kept.lists.last_mut() {
                _ if found.is_empty() => {}
                Some((last, list)) if last == term => list.append(found),
                _ => kept.lists.push((term.to_owned(), std::mem::take(found))),
            }
        })?;
        let is_whole = index::each_tail_term(db, space, None, |term, it| {
            if stays(&it) {
                kept.waiting
                    .entry(packed::decode_term(term))
                    .or_default()
                    .push(it);
            }
        })?;
        if is_whole {
            Ok(kept)
        } else {
            Err(DamagedBlob.into())
        }
    }
}

/// What stays of an index.
#[derive(Default)]
struct RemainingIndex {
    /// Its lists by term, in order.
    lists: Vec<(String, Vec<Posting>)>,
    /// What waited in the tail.
    waiting: PostingLists,
    /// How long that was which does not stay: the counts of a memory's terms add up to its length.
    left_len: i64,
}

/// Hashes numbers that nobody chooses, as fast as that goes.
#[derive(Default)]
struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|it| self.write_u64(self.0.rotate_left(8) ^ u64::from(*it)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

/// The lists of some memories that were analysed, in no order.
type AnalysedLists = Vec<(String, Vec<Posting>)>;

fn analyse_texts(part: &[(u64, String)]) -> AnalysedLists {
    let (mut lists, mut stems) = (HashMap::<_, Vec<_>>::new(), StemCache::default());
    for &(number, ref text) in part {
        let terms = stems.extract_terms(text);
        let len = terms.iter().map(|(_, count)| count).sum();
        for (term, count) in terms {
            lists
                .entry(term)
                .or_default()
                .push(Posting { number, count, len });
        }
    }
    lists.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever leaves and enters in whatever order, and whenever it is handed over: what is there in the end is
        /// there once.
        #[test]
        fn what_is_there_in_the_end_is_there_once(steps in proptest::collection::vec((0_u64..8, 0_u8..4), 0..40)) {
            let old: BTreeSet<u64> = (0..4).collect();
            let (mut now, mut moves) = (old.clone(), IndexMoves::default());
            for (number, how) in steps {
                match how {
                    0 => moves.start_analysis(),
                    _ if now.remove(&number) => moves.remove_number(number),
                    _ => {
                        now.insert(number);
                        moves.add_text(number, "word of all".into());
                    }
                }
            }
            let n_come = moves.count_entering();
            let mut lists = PostingLists::new();
            let len = moves.add_entering(&mut lists);
            let come: Vec<u64> = lists.get("all").into_iter().flatten().map(|it| it.number).collect();
            prop_assert_eq!((come.len(), len), (n_come, 3 * n_come as i64));
            let mut there: Vec<u64> = old.into_iter().filter(|it| !moves.gone.contains(it)).chain(come).collect();
            there.sort_unstable();
            prop_assert_eq!(there, now.into_iter().collect::<Vec<_>>());
        }
    }
}
