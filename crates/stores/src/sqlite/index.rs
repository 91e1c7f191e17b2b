//! The index of a space as rows of a file. How it works is said in [`crate::packed_index`], whose rows are in
//! [`super::index_rows`]; here is what a file does in its own way, because it is read in place and not over a wire.
//!
//! Why not a row for each posting, or SQLite's own full-text index? A memory has some dozens of terms, which lie in as many
//! places of a B-tree: a write would dirty a page for each, and with `synchronous = FULL` somebody waits for all of them.
//! With the tail it dirties a few, and the scattered pages are paid for once in 48 memories. SQLite's full-text
//! index ranks by its own statistics over the whole table, so the answer in one repository would depend on what others
//! remember, and no other store could rank alike. Here ranking is in the core, and a store only has postings to give.
//!
//! Rows, log, counters, sum and index are written in one transaction. Where a blob is damaged, nothing in it is mended: the
//! index of that space is built anew from its rows.

use std::collections::{BTreeMap, BTreeSet};

use apostille_core::{
    memory::Memory,
    store::{Posting, Postings},
};
use apostille_text::{terms, terms::StemCache};
use rusqlite::{Connection, params};

use super::{
    index_rows::SqliteIndexRows,
    query::{each_row, run_statement, select_value},
    read, to_sql_number,
};
use crate::packed::{self, BlobPlace, DamagedBlob, PostingLists, SEGMENT_LEN};
use crate::packed_index::{self, IndexRows as _};
use crate::store_errors::SqliteResult;

/// Every how many memories the tail is looked at: how long it is exactly does not matter.
const LOOK_EVERY: i64 = 16;

/// Adds an active memory and counts it in.
pub(super) fn add_memory_to_index(
    db: &Connection,
    space: i64,
    memory: &Memory,
) -> SqliteResult<()> {
    let (terms, len) = terms::extract_terms_with_len(&memory.searchable_text());
    let n_docs = adjust_document_count(db, space, 1, i64::from(len))?;
    add_memory_to_tail(db, space, memory.number, (&terms, len), n_docs)
}

/// Puts a memory that is counted already into the tail.
pub(super) fn add_memory_to_tail(
    db: &Connection,
    space: i64,
    number: u64,
    (terms, len): (&[(String, u32)], u32),
    n_docs: i64,
) -> SqliteResult<()> {
    let place = BlobPlace::in_tail(space, to_sql_number(number)?);
    let insert = "INSERT INTO tail(space, number, terms) VALUES (?1, ?2, ?3)";
    let terms = packed::pack_tail_terms(terms, len, place);
    run_statement(db, insert, params![space, place.number, terms])?;
    if n_docs % LOOK_EVERY == 0 {
        packed_index::flush_long_tail(&mut SqliteIndexRows { db, space }, space)?;
    }
    Ok(())
}

/// Takes a memory out, wherever it lies.
pub(super) fn remove_memory_from_index(
    db: &Connection,
    space: i64,
    memory: &Memory,
) -> SqliteResult<()> {
    let mut rows = SqliteIndexRows { db, space };
    let left = packed_index::remove_from_index(&mut rows, space, &[memory])?;
    adjust_document_count(db, space, left.docs, left.len).map(drop)
}

/// Builds the index of a space anew, in large segments.
pub(super) fn rebuild_index(db: &Connection, space: i64) -> SqliteResult<()> {
    delete_index_rows(db, space)?;
    let (mut lists, mut last, mut n_docs, mut total_len) = (PostingLists::new(), 0, 0_i64, 0_i64);
    let (mut stems, mut rows) = (StemCache::default(), SqliteIndexRows { db, space });
    read::each_active_memory(db, space, |memory| {
        let (terms, len) = stems.extract_terms_with_len(&memory.searchable_text());
        last = memory.number;
        packed::add_term_postings(&mut lists, memory.number, (terms, len));
        (n_docs, total_len) = (n_docs + 1, total_len + i64::from(len));
        if n_docs % SEGMENT_LEN as i64 == 0 {
            packed_index::insert_segment(&mut rows, space, last, std::mem::take(&mut lists))?;
        }
        Ok(())
    })?;
    packed_index::insert_segment(&mut rows, space, last, lists)?;
    run_statement(
        db,
        "UPDATE space SET n_docs = ?2, total_len = ?3 WHERE id = ?1",
        params![space, n_docs, total_len],
    )
}

/// What the index knows of these terms.
pub(super) fn read_index_postings(
    db: &Connection,
    space: i64,
    terms: &[String],
) -> SqliteResult<Postings> {
    let mut found = read_index_counts(db, space)?;
    read_posting_segments(db, space, terms, &mut found.lists)?;
    // The same term may be asked for twice; each asking has its own list.
    let mut places: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
    for (place, term) in terms.iter().enumerate() {
        places.entry(term.as_bytes()).or_default().push(place);
    }
    let wanted: Vec<u32> = terms.iter().map(|it| packed::hash_term(it)).collect();
    each_tail_term(db, space, Some(&wanted), |term, posting| {
        for place in places.get(term).into_iter().flatten() {
            found.lists[*place].push(posting);
        }
    })?;
    // A memory that was approved late waits in the tail with a low number.
    for list in &mut found.lists {
        if !list.is_sorted_by_key(|it| it.number) {
            list.sort_unstable_by_key(|it| it.number);
        }
    }
    Ok(found)
}

/// What the segments know of these terms. A damaged row must not take the others away; `health` tells of it.
fn read_posting_segments(
    db: &Connection,
    space: i64,
    terms: &[String],
    lists: &mut Vec<Vec<Posting>>,
) -> SqliteResult<()> {
    let select =
        "SELECT entries, segment FROM posting WHERE space = ?1 AND term = ?2 ORDER BY segment";
    for term in terms {
        let mut list = Vec::new();
        each_row(db, select, params![space, term], |row| {
            let place = BlobPlace {
                space,
                term,
                number: row.get(1)?,
            };
            let _ = row
                .get_ref(0)?
                .as_blob()
                .map(|it| packed::unpack_postings(it, place, &mut list));
            Ok(())
        })?;
        lists.push(list);
    }
    Ok(())
}

/// The terms that begin with this character.
pub(super) fn list_index_terms(
    db: &Connection,
    space: i64,
    initial: char,
) -> SqliteResult<Vec<String>> {
    let from = initial.to_string();
    let to = char::from_u32(initial as u32 + 1).map(String::from);
    // Jumps from term to term instead of reading every segment's row.
    let first = "SELECT min(term) FROM posting WHERE space = ?1 AND term >= ?2 AND term < coalesce(?3, x'')";
    let next =
        "SELECT min(term) FROM posting WHERE space = ?1 AND term > ?2 AND term < coalesce(?3, x'')";
    let mut terms = BTreeSet::new();
    let mut found: Option<String> = select_value(db, first, params![space, from, to])?;
    while let Some(term) = found {
        found = select_value(db, next, params![space, term, to])?;
        terms.insert(term);
    }
    each_tail_term(db, space, None, |term, _| {
        if term.starts_with(from.as_bytes()) {
            terms.insert(packed::decode_term(term));
        }
    })?;
    Ok(terms.into_iter().collect())
}

/// All terms of a space, sorted.
pub(super) fn list_all_terms(db: &Connection, space: i64) -> SqliteResult<Vec<String>> {
    let mut terms: Vec<String> = Vec::new();
    let select = "SELECT term FROM posting WHERE space = ?1 ORDER BY term";
    each_row(db, select, [space], |row| {
        let term = row.get_ref(0)?.as_str().map_err(|_| DamagedBlob)?;
        if terms.last().is_none_or(|it| it != term) {
            terms.push(term.to_owned());
        }
        Ok(())
    })?;
    each_tail_term(db, space, None, |term, _| {
        terms.push(packed::decode_term(term));
    })?;
    terms.sort_unstable();
    terms.dedup();
    Ok(terms)
}

/// Goes through the terms of the memories that wait in the tail, each with its posting. Whether no row is damaged;
/// those that are are left out.
pub(super) fn each_tail_term(
    db: &Connection,
    space: i64,
    wanted: Option<&[u32]>,
    mut see: impl FnMut(&[u8], Posting),
) -> SqliteResult<bool> {
    let select = "SELECT number, terms FROM tail WHERE space = ?1 ORDER BY number";
    let mut is_whole = true;
    each_row(db, select, [space], |row| {
        let place = BlobPlace::in_tail(space, to_sql_number(row.get(0)?)?);
        let unpacked = row
            .get_ref(1)?
            .as_blob()
            .map(|it| packed::unpack_tail_terms(it, place, wanted, &mut see));
        is_whole &= matches!(unpacked, Ok(Ok(())));
        Ok(())
    })?;
    Ok(is_whole)
}

/// Goes through the lists of an index in the order of their terms; a term may come more than once.
pub(super) fn each_posting_list(
    db: &Connection,
    space: i64,
    mut see: impl FnMut(&str, &mut Vec<Posting>),
) -> SqliteResult<()> {
    let mut list = Vec::new();
    let select =
        "SELECT term, segment, entries FROM posting WHERE space = ?1 ORDER BY term, segment";
    each_row(db, select, [space], |row| {
        let term = row.get_ref(0)?.as_str().map_err(|_| DamagedBlob)?;
        let entries = row.get_ref(2)?.as_blob().map_err(|_| DamagedBlob)?;
        let place = BlobPlace {
            space,
            term,
            number: row.get(1)?,
        };
        list.clear();
        packed::unpack_postings(entries, place, &mut list)?;
        see(term, &mut list);
        Ok(())
    })
}

/// Writes lists, and what comes to them, into an index that is empty, as segments of so many numbers each.
pub(super) fn insert_posting_lists(
    db: &Connection,
    space: i64,
    lists: Vec<(String, Vec<Posting>)>,
    mut more: PostingLists,
) -> SqliteResult<()> {
    let last = lists
        .iter()
        .map(|it| &it.1)
        .chain(more.values())
        .flatten()
        .map(|it| it.number)
        .max();
    let last = last.unwrap_or_default();
    let insert = "INSERT INTO posting(space, term, segment, entries) VALUES (?1, ?2, ?3, ?4)";
    let mut insert = db.prepare_cached(insert)?;
    let mut insert_list = |term: &str, mut list: Vec<Posting>| {
        for (end, part) in packed::split_segments(&mut list, last) {
            let number = to_sql_number(end)?;
            let place = BlobPlace {
                space,
                term,
                number,
            };
            let row = params![space, term, number, packed::pack_postings(part, place)];
            insert.execute(row)?;
        }
        Ok(())
    };
    for (term, mut list) in lists {
        list.append(&mut more.remove(&term).unwrap_or_default());
        insert_list(&term, list)?;
    }
    more.into_iter()
        .try_for_each(|(term, list)| insert_list(&term, list))
}

/// How many memories of a space are indexed, and how long they are; without any list.
pub(super) fn read_index_counts(db: &Connection, space: i64) -> SqliteResult<Postings> {
    let mut select = db.prepare_cached("SELECT n_docs, total_len FROM space WHERE id = ?1")?;
    let counts: (i64, i64) = select.query_row([space], |row| row.try_into())?;
    let natural = |it: i64| u64::try_from(it).map_err(|_| DamagedBlob);
    Ok(Postings {
        n_docs: natural(counts.0)?,
        total_len: natural(counts.1)?,
        lists: Vec::new(),
    })
}

/// Counts memories in or out; how many there are now.
pub(super) fn adjust_document_count(
    db: &Connection,
    space: i64,
    docs: i64,
    len: i64,
) -> SqliteResult<i64> {
    let update = "UPDATE space SET n_docs = n_docs + ?2, total_len = total_len + ?3 WHERE id = ?1 RETURNING n_docs";
    Ok(select_value(db, update, [space, docs, len])?)
}

/// Takes everything out of the index of a space; what it counts stays.
pub(super) fn delete_index_rows(db: &Connection, space: i64) -> SqliteResult<()> {
    let mut rows = SqliteIndexRows { db, space };
    rows.clear_tail()?;
    rows.clear_postings()
}

/// Throws the index of every space away; [`rebuild_index`] makes each anew.
pub(super) fn clear_all_indexes(db: &Connection) -> SqliteResult<()> {
    let clear =
        "DELETE FROM tail; DELETE FROM posting; UPDATE space SET n_docs = 0, total_len = 0;";
    db.execute_batch(clear)?;
    run_statement(
        db,
        "UPDATE meta SET value = ?1 WHERE key = 'terms'",
        [terms::VERSION],
    )
}

/// A row of the index: space, term, number and blob.
type IndexRow = (i64, String, i64, Vec<u8>);

/// Gives the blobs of a file of version 1, whose checksums do not cover their place, the checksums that do.
pub(super) fn reseal_index_rows(db: &Connection) -> SqliteResult<()> {
    let tables = [
        ("tail", "''", "number", "terms"),
        ("posting", "term", "segment", "entries"),
    ];
    for (table, term, number, blob) in tables {
        let select = format!("SELECT space, {term}, {number}, {blob} FROM {table}");
        let mut select = db.prepare(&select)?;
        let rows = select.query_map([], |row| row.try_into())?;
        let rows: Vec<IndexRow> = rows.collect::<Result<_, _>>()?;
        let update = format!(
            "UPDATE {table} SET {blob} = ?4 WHERE space = ?1 AND ?2 = {term} AND {number} = ?3"
        );
        let mut update = db.prepare(&update)?;
        for (space, term, number, bytes) in rows {
            let place = BlobPlace {
                space,
                term: &term,
                number,
            };
            if let Some(bytes) = packed::reseal_version_1_blob(&bytes, place) {
                update.execute(params![space, term, number, bytes])?;
            }
        }
    }
    Ok(())
}
