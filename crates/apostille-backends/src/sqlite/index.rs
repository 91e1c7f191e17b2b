//! The index of a space: a short tail of whole memories, and segments of packed postings behind it.
//!
//! A write adds one row to the tail. When the tail is long, its memories become a segment: one row for each term,
//! keyed by space, term and the segment's last number. A question reads the tail and the rows of its terms, so that
//! it costs what the space costs, however large the store is.

use std::collections::BTreeMap;

use apostille_core::memory::Memory;
use apostille_core::store::{Posting, Postings, StoreError};
use apostille_text::terms;
use apostille_text::terms::Stems;
use rusqlite::{Connection, Row, params};

use super::read;
use crate::fault::{corrupt, sqlite};

/// How many memories wait in the tail before they become a segment.
const TAIL: i64 = 48;
/// Every how many memories the tail is looked at.
const LOOK: i64 = 16;
/// How many memories become one segment when an index is built anew.
pub(super) const SEGMENT: usize = 2_048;

type Found<T> = Result<T, StoreError>;

/// Adds an active memory and counts it in.
pub(super) fn add(db: &Connection, space: i64, memory: &Memory) -> Found<()> {
    let (terms, len) = terms::indexed(&memory.searchable());
    let n_docs = counted(db, space, 1, i64::from(len))?;
    wait(db, space, memory.number, (&terms, len), n_docs)
}

/// Puts a memory that is counted already into the tail.
pub(super) fn wait(
    db: &Connection,
    space: i64,
    number: u64,
    (terms, len): (&[(String, u32)], u32),
    n_docs: i64,
) -> Found<()> {
    let insert = "INSERT INTO tail(space, number, terms) VALUES (?1, ?2, ?3)";
    let place = Place {
        space,
        term: "",
        number: signed(number)?,
    };
    let row = params![space, number, packed_terms(terms, len, place)];
    db.prepare_cached(insert)
        .map_err(sqlite)?
        .execute(row)
        .map_err(sqlite)?;
    // The tail is looked at every few memories only: how long it is exactly does not matter.
    if n_docs % LOOK == 0 && waiting(db, space)? >= TAIL {
        flush(db, space)?;
    }
    Ok(())
}

fn waiting(db: &Connection, space: i64) -> Found<i64> {
    let mut count = db
        .prepare_cached("SELECT count(*) FROM tail WHERE space = ?1")
        .map_err(sqlite)?;
    count.query_row([space], |row| row.get(0)).map_err(sqlite)
}

/// Takes a memory out, wherever it lies.
pub(super) fn remove(db: &Connection, space: i64, memory: &Memory) -> Found<()> {
    let number = number(memory)?;
    let (terms, len) = terms::indexed(&memory.searchable());
    let mut delete = db
        .prepare_cached("DELETE FROM tail WHERE space = ?1 AND number = ?2")
        .map_err(sqlite)?;
    if delete.execute(params![space, number]).map_err(sqlite)? == 0 {
        for (term, _) in &terms {
            remove_term(db, space, term, memory.number)?;
        }
    }
    counted(db, space, -1, -i64::from(len)).map(drop)
}

fn remove_term(db: &Connection, space: i64, term: &str, number: u64) -> Found<()> {
    let Some((segment, mut entries)) = holding(db, space, term, number)? else {
        return Ok(());
    };
    entries.retain(|it| it.number != number);
    if entries.is_empty() {
        let delete = "DELETE FROM posting WHERE space = ?1 AND term = ?2 AND segment = ?3";
        db.prepare_cached(delete)
            .map_err(sqlite)?
            .execute(params![space, term, segment])
            .map_err(sqlite)?;
    } else {
        let update =
            "UPDATE posting SET entries = ?4 WHERE space = ?1 AND term = ?2 AND segment = ?3";
        let key = params![
            space,
            term,
            segment,
            packed(
                &entries,
                Place {
                    space,
                    term,
                    number: segment
                }
            )
        ];
        db.prepare_cached(update)
            .map_err(sqlite)?
            .execute(key)
            .map_err(sqlite)?;
    }
    Ok(())
}

/// The segment that has this memory under this term: the first one that reaches its number, unless it was approved
/// late.
fn holding(
    db: &Connection,
    space: i64,
    term: &str,
    number: u64,
) -> Found<Option<(i64, Vec<Posting>)>> {
    let select = "SELECT segment, entries FROM posting WHERE space = ?1 AND term = ?2 AND segment >= ?3 ORDER BY segment";
    let mut select = db.prepare_cached(select).map_err(sqlite)?;
    let mut rows = select
        .query(params![space, term, signed(number)?])
        .map_err(sqlite)?;
    while let Some(row) = rows.next().map_err(sqlite)? {
        let mut entries = Vec::new();
        let place = Place {
            space,
            term,
            number: row.get(0).map_err(sqlite)?,
        };
        unpacked(
            &row.get::<_, Vec<u8>>(1).map_err(sqlite)?,
            place,
            &mut entries,
        )?;
        if entries.iter().any(|it| it.number == number) {
            return Ok(Some((row.get(0).map_err(sqlite)?, entries)));
        }
    }
    Ok(None)
}

/// Counts memories in or out; how many there are now.
pub(super) fn counted(db: &Connection, space: i64, docs: i64, len: i64) -> Found<i64> {
    let update = "UPDATE space SET n_docs = n_docs + ?2, total_len = total_len + ?3 WHERE id = ?1 RETURNING n_docs";
    let mut update = db.prepare_cached(update).map_err(sqlite)?;
    update
        .query_row(params![space, docs, len], |row| row.get(0))
        .map_err(sqlite)
}

/// Makes a segment of the tail.
fn flush(db: &Connection, space: i64) -> Found<()> {
    let mut lists = Lists::new();
    let mut last = 0;
    let is_whole = each_waiting(db, space, None, |number, term, count, len| {
        last = last.max(number);
        lists
            .entry(text(term))
            .or_default()
            .push(Posting { number, count, len });
    })?;
    if !is_whole {
        return Err(corrupt("the index"));
    }
    insert_segment(db, space, signed(last)?, &lists)?;
    db.prepare_cached("DELETE FROM tail WHERE space = ?1")
        .map_err(sqlite)?
        .execute([space])
        .map_err(sqlite)?;
    Ok(())
}

/// The memories under each term.
pub(super) type Lists = BTreeMap<String, Vec<Posting>>;

fn insert_segment(db: &Connection, space: i64, segment: i64, lists: &Lists) -> Found<()> {
    let insert = "INSERT INTO posting(space, term, segment, entries) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
    let mut insert = db.prepare_cached(insert).map_err(sqlite)?;
    for (term, entries) in lists {
        let entries = packed(
            entries,
            Place {
                space,
                term,
                number: segment,
            },
        );
        if insert
            .execute(params![space, term, segment, entries])
            .map_err(sqlite)?
            == 0
        {
            join(db, space, segment, term, &lists[term])?;
        }
    }
    Ok(())
}

/// Adds to a segment that is there already: its last memory left the index once and came back to it.
fn join(db: &Connection, space: i64, segment: i64, term: &str, more: &[Posting]) -> Found<()> {
    let place = Place {
        space,
        term,
        number: segment,
    };
    let select = "SELECT entries FROM posting WHERE space = ?1 AND term = ?2 AND segment = ?3";
    let mut select = db.prepare_cached(select).map_err(sqlite)?;
    let kept: Vec<u8> = select
        .query_row(params![space, term, segment], |row| row.get(0))
        .map_err(sqlite)?;
    let mut entries = more.to_vec();
    unpacked(&kept, place, &mut entries)?;
    entries.sort_unstable_by_key(|it| it.number);
    let update = "UPDATE posting SET entries = ?4 WHERE space = ?1 AND term = ?2 AND segment = ?3";
    let row = params![space, term, segment, packed(&entries, place)];
    db.prepare_cached(update)
        .map_err(sqlite)?
        .execute(row)
        .map_err(sqlite)?;
    Ok(())
}

/// Builds the index of a space anew, in large segments.
pub(super) fn rebuild(db: &Connection, space: i64) -> Found<()> {
    empty(db, space)?;
    let (mut lists, mut last, mut n_docs, mut total_len) = (Lists::new(), 0, 0_i64, 0_i64);
    let mut stems = Stems::default();
    read::each_active(db, space, |memory| {
        let (terms, len) = stems.indexed(&memory.searchable());
        last = number(&memory)?;
        for (term, count) in terms {
            lists.entry(term).or_default().push(Posting {
                number: memory.number,
                count,
                len,
            });
        }
        (n_docs, total_len) = (n_docs + 1, total_len + i64::from(len));
        if n_docs % SEGMENT as i64 == 0 {
            insert_segment(db, space, last, &std::mem::take(&mut lists))?;
        }
        Ok(())
    })?;
    insert_segment(db, space, last, &lists)?;
    let update = "UPDATE space SET n_docs = ?2, total_len = ?3 WHERE id = ?1";
    db.execute(update, params![space, n_docs, total_len])
        .map_err(sqlite)?;
    Ok(())
}

/// Takes everything out of the index of a space; what it counts stays.
pub(super) fn empty(db: &Connection, space: i64) -> Found<()> {
    for table in ["tail", "posting"] {
        db.execute(&format!("DELETE FROM {table} WHERE space = ?1"), [space])
            .map_err(sqlite)?;
    }
    Ok(())
}

/// How many memories of a space are indexed.
pub(super) fn n_docs(db: &Connection, space: i64) -> Found<usize> {
    usize::try_from(counts(db, space)?.n_docs).map_err(|_| corrupt("the index"))
}

/// Goes through the terms of the memories that wait in the tail: number, term, count, length. Whether no row is damaged;
/// those that are are left out.
pub(super) fn each_waiting(
    db: &Connection,
    space: i64,
    wanted: Option<&[u32]>,
    mut see: impl FnMut(u64, &[u8], u32, u32),
) -> Found<bool> {
    let select = "SELECT number, terms FROM tail WHERE space = ?1 ORDER BY number";
    let mut select = db.prepare_cached(select).map_err(sqlite)?;
    let mut rows = select.query([space]).map_err(sqlite)?;
    let mut is_whole = true;
    while let Some(row) = rows.next().map_err(sqlite)? {
        let number = row.get::<_, u64>(0).map_err(sqlite)?;
        let value = row.get_ref(1).map_err(sqlite)?;
        let place = Place {
            space,
            term: "",
            number: signed(number)?,
        };
        let told = value.as_blob().map(|it| {
            unpacked_terms(it, place, wanted, |term, count, len| {
                see(number, term, count, len)
            })
        });
        is_whole &= matches!(told, Ok(Ok(())));
    }
    Ok(is_whole)
}

fn text(term: &[u8]) -> String {
    String::from_utf8_lossy(term).into_owned()
}

/// What the index knows of these terms.
pub(super) fn postings(db: &Connection, space: i64, terms: &[String]) -> Found<Postings> {
    let mut found = counts(db, space)?;
    let select =
        "SELECT entries, segment FROM posting WHERE space = ?1 AND term = ?2 ORDER BY segment";
    let mut select = db.prepare_cached(select).map_err(sqlite)?;
    for term in terms {
        let mut list = Vec::new();
        let mut rows = select.query(params![space, term]).map_err(sqlite)?;
        while let Some(row) = rows.next().map_err(sqlite)? {
            let value = row.get_ref(0).map_err(sqlite)?;
            let place = Place {
                space,
                term,
                number: row.get(1).map_err(sqlite)?,
            };
            // A damaged row must not take the others away; `health` tells of it.
            let _ = value.as_blob().map(|it| unpacked(it, place, &mut list));
        }
        found.lists.push(list);
    }
    // The same term may be asked for twice; each asking has its own list.
    let mut places: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
    for (place, term) in terms.iter().enumerate() {
        places.entry(term.as_bytes()).or_default().push(place);
    }
    let wanted: Vec<u32> = terms.iter().map(|it| checksum(it.as_bytes())).collect();
    each_waiting(db, space, Some(&wanted), |number, term, count, len| {
        for place in places.get(term).into_iter().flatten() {
            found.lists[*place].push(Posting { number, count, len });
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

fn counts(db: &Connection, space: i64) -> Found<Postings> {
    let select = "SELECT n_docs, total_len FROM space WHERE id = ?1";
    let mut select = db.prepare_cached(select).map_err(sqlite)?;
    let (n_docs, total_len) = select
        .query_row([space], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
        })
        .map_err(sqlite)?;
    let natural = |it: i64| u64::try_from(it).map_err(|_| corrupt("the index"));
    Ok(Postings {
        n_docs: natural(n_docs)?,
        total_len: natural(total_len)?,
        lists: Vec::new(),
    })
}

/// The terms that begin with this character.
pub(super) fn vocabulary(db: &Connection, space: i64, initial: char) -> Found<Vec<String>> {
    let (from, to) = (
        initial.to_string(),
        char::from_u32(initial as u32 + 1).map(String::from),
    );
    // Jumps from term to term instead of reading every segment's row.
    let next =
        "SELECT min(term) FROM posting WHERE space = ?1 AND term > ?2 AND term < coalesce(?3, x'')";
    let mut next = db.prepare_cached(next).map_err(sqlite)?;
    let first = "SELECT min(term) FROM posting WHERE space = ?1 AND term >= ?2 AND term < coalesce(?3, x'')";
    let mut first = db.prepare_cached(first).map_err(sqlite)?;
    let mut terms = std::collections::BTreeSet::new();
    let mut found: Option<String> = first
        .query_row(params![space, &from, to], |row| row.get(0))
        .map_err(sqlite)?;
    while let Some(term) = found {
        found = next
            .query_row(params![space, term, to], |row| row.get(0))
            .map_err(sqlite)?;
        terms.insert(term);
    }
    each_waiting(db, space, None, |_, term, _, _| {
        if term.starts_with(from.as_bytes()) {
            terms.insert(text(term));
        }
    })?;
    Ok(terms.into_iter().collect())
}

/// Throws the index away; [`add`] every active memory afterwards.
pub(super) fn clear(db: &Connection) -> Found<()> {
    let clear =
        "DELETE FROM tail; DELETE FROM posting; UPDATE space SET n_docs = 0, total_len = 0;";
    db.execute_batch(clear).map_err(sqlite)?;
    db.execute(
        "UPDATE meta SET value = ?1 WHERE key = 'terms'",
        [terms::VERSION],
    )
    .map_err(sqlite)?;
    Ok(())
}

fn number(memory: &Memory) -> Found<i64> {
    signed(memory.number)
}

fn signed(number: u64) -> Found<i64> {
    i64::try_from(number).map_err(|_| corrupt("a memory's number"))
}

/// Which row a blob is in: its checksum covers that, too, so that a blob is noticed in another's place.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The space.
    pub(super) space: i64,
    /// The term; none in the tail.
    pub(super) term: &'a str,
    /// The segment, or in the tail the memory.
    pub(super) number: i64,
}

/// A row of the index: space, term, number and blob.
type Kept = (i64, String, i64, Vec<u8>);

/// Gives the blobs of a file of version 1, whose checksums do not cover their place, the checksums that do.
pub(super) fn seal_keys(db: &Connection) -> Found<()> {
    let tables = [
        ("tail", "''", "number", "terms"),
        ("posting", "term", "segment", "entries"),
    ];
    for (table, term, number, blob) in tables {
        let select = format!("SELECT space, {term}, {number}, {blob} FROM {table}");
        let mut select = db.prepare(&select).map_err(sqlite)?;
        let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
        let rows: Result<Vec<Kept>, _> = select.query_map([], row).and_then(Iterator::collect);
        let update = format!(
            "UPDATE {table} SET {blob} = ?4 WHERE space = ?1 AND ?2 = {term} AND {number} = ?3"
        );
        let mut update = db.prepare(&update).map_err(sqlite)?;
        for (space, term, number, bytes) in rows.map_err(sqlite)? {
            let Some((body, sum)) = bytes.split_last_chunk::<4>() else {
                continue;
            };
            // What was damaged before stays so.
            if checksum(body) == u32::from_le_bytes(*sum) {
                let bytes = sealed(
                    body.to_vec(),
                    Place {
                        space,
                        term: &term,
                        number,
                    },
                );
                update
                    .execute(params![space, term, number, bytes])
                    .map_err(sqlite)?;
            }
        }
    }
    Ok(())
}

// Numbers are packed as differences, seven bits a byte; four bytes of checksum close each blob.

pub(super) fn packed(entries: &[Posting], place: Place<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(entries.len() * 4 + 4);
    let mut last = 0;
    for it in entries {
        push(&mut bytes, it.number - last);
        push(&mut bytes, it.count.into());
        push(&mut bytes, it.len.into());
        last = it.number;
    }
    sealed(bytes, place)
}

pub(super) fn unpacked(bytes: &[u8], place: Place<'_>, into: &mut Vec<Posting>) -> Found<()> {
    let mut bytes = opened(bytes, place)?;
    let mut last = 0_u64;
    while !bytes.is_empty() {
        last = last
            .checked_add(pull(&mut bytes)?)
            .ok_or_else(|| corrupt("the index"))?;
        let (count, len) = (pull_small(&mut bytes)?, pull_small(&mut bytes)?);
        into.push(Posting {
            number: last,
            count,
            len,
        });
    }
    Ok(())
}

// A waiting memory: its length, how many terms it has, a hash of each, then the terms with their counts. Whoever looks
// for a few terms reads the hashes and mostly nothing else.

fn packed_terms(terms: &[(String, u32)], len: u32, place: Place<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(terms.len() * 14 + 8);
    push(&mut bytes, len.into());
    push(&mut bytes, terms.len() as u64);
    terms
        .iter()
        .for_each(|(term, _)| bytes.extend_from_slice(&checksum(term.as_bytes()).to_le_bytes()));
    for (term, count) in terms {
        push(&mut bytes, term.len() as u64);
        bytes.extend_from_slice(term.as_bytes());
        push(&mut bytes, (*count).into());
    }
    sealed(bytes, place)
}

/// Goes through the terms of a waiting memory, unless their hashes say that none is wanted.
pub(super) fn unpacked_terms(
    bytes: &[u8],
    place: Place<'_>,
    wanted: Option<&[u32]>,
    mut see: impl FnMut(&[u8], u32, u32),
) -> Found<()> {
    let mut bytes = opened(bytes, place)?;
    let (len, n_terms) = (pull_small(&mut bytes)?, pull_small(&mut bytes)? as usize);
    let (hashes, rest) = bytes
        .split_at_checked(n_terms * 4)
        .ok_or_else(|| corrupt("the index"))?;
    let is_wanted = |wanted: &[u32]| {
        let mut hashes = hashes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|it| u32::from_le_bytes(*it));
        hashes.any(|it| wanted.contains(&it))
    };
    if !wanted.is_none_or(is_wanted) {
        return Ok(());
    }
    bytes = rest;
    while !bytes.is_empty() {
        let size = pull_small(&mut bytes)? as usize;
        let (term, rest) = bytes
            .split_at_checked(size)
            .ok_or_else(|| corrupt("the index"))?;
        bytes = rest;
        see(term, pull_small(&mut bytes)?, len);
    }
    Ok(())
}

fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn pull(bytes: &mut &[u8]) -> Found<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or_else(|| corrupt("the index"))?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(corrupt("the index"))
}

fn pull_small(bytes: &mut &[u8]) -> Found<u32> {
    u32::try_from(pull(bytes)?).map_err(|_| corrupt("the index"))
}

fn sealed(mut bytes: Vec<u8>, place: Place<'_>) -> Vec<u8> {
    let sum = checksum_at(place, &bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

fn opened<'a>(bytes: &'a [u8], place: Place<'_>) -> Found<&'a [u8]> {
    let (body, sum) = bytes
        .split_last_chunk::<4>()
        .ok_or_else(|| corrupt("the index"))?;
    if checksum_at(place, body) == u32::from_le_bytes(*sum) {
        Ok(body)
    } else {
        Err(corrupt("the index"))
    }
}

/// FNV-1a over words of eight bytes: enough to notice a flipped bit, and cheap enough for every read.
fn checksum(bytes: &[u8]) -> u32 {
    let sum = mixed(BASIS, bytes);
    (sum ^ (sum >> 32)) as u32
}

/// The same over a blob and its place.
fn checksum_at(place: Place<'_>, bytes: &[u8]) -> u32 {
    let sum = mixed(
        mixed(BASIS, place.term.as_bytes()),
        &place.space.to_le_bytes(),
    );
    let sum = mixed(mixed(sum, &place.number.to_le_bytes()), bytes);
    (sum ^ (sum >> 32)) as u32
}

const BASIS: u64 = 0xcbf2_9ce4_8422_2325;

fn mixed(from: u64, bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0100_0000_01b3;
    let words = bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    words.fold(from ^ bytes.len() as u64, |sum, word| {
        (sum ^ word).wrapping_mul(PRIME)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn postings_survive_packing(mut numbers in proptest::collection::btree_set(0..u64::from(u32::MAX), 0..50)) {
            numbers.insert(1);
            let entries: Vec<Posting> =
                numbers.iter().map(|it| Posting { number: *it, count: (*it % 300) as u32, len: 40 }).collect();
            let mut found = Vec::new();
            let place = Place { space: 1, term: "parser", number: 7 };
            unpacked(&packed(&entries, place), place, &mut found).unwrap();
            prop_assert_eq!(found, entries);
        }

        #[test]
        fn a_flipped_bit_is_noticed(at in 0_usize..30, bit in 0_u8..8) {
            let terms = vec![("parser".to_owned(), 2), ("token".to_owned(), 1), ("überall".to_owned(), 7)];
            let place = Place { space: 1, term: "", number: 7 };
            let mut bytes = packed_terms(&terms, 10, place);
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
            let noticed = unpacked_terms(&bytes, place, None, |_, _, _| ()).is_err();
            prop_assert!(noticed);
        }
    }
}
