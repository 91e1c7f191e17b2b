//! Many memories leave or enter an index at once: its lists are read, sifted and written anew. Only what enters is
//! analysed; of what stays, the index knows the terms already.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::thread;

use apostille_core::memory::Memory;
use apostille_core::store::{Posting, StoreError};
use apostille_core::terms;
use rusqlite::{Connection, params};

use super::index::{self, Lists, Place, SEGMENT};
use crate::fault::{corrupt, sqlite};

/// How many threads analyse at most: behind them one writes.
const MOST_THREADS: usize = 4;

type Found<T> = Result<T, StoreError>;

/// What leaves and what enters the index of a space in one batch.
#[derive(Default)]
pub(super) struct Moves {
    gone: HashSet<u64>,
    /// The text of what enters, by its number.
    come: BTreeMap<u64, String>,
}

impl Moves {
    /// Notes that a memory became another.
    pub(super) fn note(&mut self, was: &Memory, memory: &Memory) {
        let is_other = was.citations != memory.citations;
        let leaves = was.is_active() && (is_other || !memory.is_active());
        let enters = memory.is_active() && (is_other || !was.is_active());
        if leaves && self.come.remove(&was.number).is_none() {
            self.gone.insert(was.number);
        }
        if enters {
            self.come.insert(memory.number, memory.searchable());
        }
    }

    /// Writes the index of a space anew. Nothing is written where it turns out to be damaged.
    pub(super) fn write(self, db: &Connection, space: i64) -> Found<()> {
        let (mut lists, left_len) = self.kept(db, space)?;
        let docs = self.come.len() as i64 - self.gone.len() as i64;
        let come: Vec<(u64, String)> = self.come.into_iter().collect();
        let come_len = enter(&come, &mut lists);
        index::empty(db, space)?;
        write_segments(db, space, lists)?;
        index::counted(db, space, docs, come_len - left_len).map(drop)
    }

    /// The lists without what is gone, and how long that was.
    fn kept(&self, db: &Connection, space: i64) -> Found<(Lists, i64)> {
        let (mut lists, mut left) = (Lists::new(), HashMap::new());
        each_list(db, space, |term, found| {
            let stays = |it: &Posting| {
                let is_gone = self.gone.contains(&it.number);
                if is_gone {
                    left.insert(it.number, i64::from(it.len));
                }
                !is_gone
            };
            found.retain(stays);
            if !found.is_empty() {
                lists.entry(term.to_owned()).or_default().append(found);
            }
        })?;
        Ok((lists, left.values().sum()))
    }
}

/// Goes through the lists of an index, of its tail too; a term may come more than once.
fn each_list(db: &Connection, space: i64, mut see: impl FnMut(&str, &mut Vec<Posting>)) -> Found<()> {
    let mut found = Vec::new();
    let select = "SELECT term, segment, entries FROM posting WHERE space = ?1 ORDER BY term, segment";
    let mut select = db.prepare_cached(select).map_err(sqlite)?;
    let mut rows = select.query([space]).map_err(sqlite)?;
    while let Some(row) = rows.next().map_err(sqlite)? {
        let damaged = |_| corrupt("the index");
        let term = row.get_ref(0).map_err(sqlite)?.as_str().map_err(damaged)?;
        let entries = row.get_ref(2).map_err(sqlite)?.as_blob().map_err(damaged)?;
        found.clear();
        index::unpacked(entries, Place { space, term, number: row.get(1).map_err(sqlite)? }, &mut found)?;
        see(term, &mut found);
    }
    let is_whole = index::each_waiting(db, space, None, |number, term, count, len| {
        found.clear();
        found.push(Posting { number, count, len });
        see(&String::from_utf8_lossy(term), &mut found);
    })?;
    if is_whole { Ok(()) } else { Err(corrupt("the index")) }
}

/// Analyses what enters, on as many threads as there are cores; how long it is.
fn enter(come: &[(u64, String)], lists: &mut Lists) -> i64 {
    let n_threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    let mut total = 0;
    for round in come.chunks(SEGMENT * n_threads) {
        let analysed: Vec<(Lists, i64)> = thread::scope(|scope| {
            let parts: Vec<_> =
                round.chunks(SEGMENT).map(|part| scope.spawn(move || analysed(part))).collect();
            let joined = |it: thread::ScopedJoinHandle<'_, _>| {
                it.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            parts.into_iter().map(joined).collect()
        });
        for (part, len) in analysed {
            total += len;
            part.into_iter().for_each(|(term, mut list)| lists.entry(term).or_default().append(&mut list));
        }
    }
    total
}

fn analysed(part: &[(u64, String)]) -> (Lists, i64) {
    let (mut lists, mut total) = (Lists::new(), 0);
    for (number, text) in part {
        let terms = terms::terms(text);
        let len = terms.iter().map(|(_, count)| count).sum();
        for (term, count) in terms {
            lists.entry(term).or_default().push(Posting { number: *number, count, len });
        }
        total += i64::from(len);
    }
    (lists, total)
}

/// Writes lists as segments of so many memories each.
fn write_segments(db: &Connection, space: i64, mut lists: Lists) -> Found<()> {
    let numbers: BTreeSet<u64> = lists.values().flatten().map(|it| it.number).collect();
    let numbers: Vec<u64> = numbers.into_iter().collect();
    let lasts: Vec<u64> = numbers.chunks(SEGMENT).filter_map(|it| it.last().copied()).collect();
    let insert = "INSERT INTO posting(space, term, segment, entries) VALUES (?1, ?2, ?3, ?4)";
    let mut insert = db.prepare_cached(insert).map_err(sqlite)?;
    for (term, list) in &mut lists {
        list.sort_unstable_by_key(|it| it.number);
        for part in list.chunk_by(|a, b| segment(&lasts, a) == segment(&lasts, b)) {
            let Some(last) = part.first().and_then(|it| lasts.get(segment(&lasts, it))) else { continue };
            let number = i64::try_from(*last).map_err(|_| corrupt("a memory's number"))?;
            let entries = index::packed(part, Place { space, term, number });
            insert.execute(params![space, term, number, entries]).map_err(sqlite)?;
        }
    }
    Ok(())
}

/// Which segment a memory lies in, by the last numbers of them all.
fn segment(lasts: &[u64], it: &Posting) -> usize {
    lasts.partition_point(|last| *last < it.number)
}
