//! The index of a space over rows of any database: a short tail of whole memories, and segments of packed postings behind it.
//!
//! A write adds one row to the tail. When the tail is long, its memories become a segment: one row for each term, keyed by
//! term and the segment's last number. A question reads the tail and the rows of its terms, so that it costs what the space
//! costs, however large the store is. What is in a row's blob is [`crate::packed`]'s business; where the rows are is that of
//! a backend, which gives an [`IndexRows`] that lives inside one of its transactions, so that memory, log, counters and
//! index are written together.
//!
//! Rows are asked for and written in lists, so that a database at the other end of a wire is asked once and not once a term.

use std::collections::{BTreeMap, BTreeSet};

use apostille_core::{memory::Memory, store::Posting};
use apostille_text::{
    digest::Digest,
    terms::{self, StemCache},
};

use crate::packed::{self, BlobPlace, DamagedBlob, PostingLists, SEGMENT_LEN};

/// How many memories wait in the tail before they become a segment. The tail is read whole by every question, so it must
/// stay short.
const TAIL_LEN: u64 = 48;

/// A row of postings: one term in one segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostingRow {
    /// The term.
    pub term: String,
    /// The last number of the segment.
    pub segment: u64,
    /// The packed postings; empty where the row goes.
    pub entries: Vec<u8>,
}

/// A row of the tail: a memory that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TailRow {
    /// Its number.
    pub number: u64,
    /// Its packed terms.
    pub terms: Vec<u8>,
}

/// Which segments of a term are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentRange {
    /// The one that ends at this number.
    At(u64),
    /// The first of each term that ends at this number or later: where a memory of that number lies, mostly.
    FirstFrom(u64),
    /// All that end at this number or later.
    From(u64),
}

/// The rows of one space's index, inside a transaction or a read view of a backend.
pub trait IndexRows {
    /// What goes wrong in the backend.
    type Error: From<DamagedBlob>;

    /// The memories that wait, by number.
    fn read_tail(&mut self) -> Result<Vec<TailRow>, Self::Error>;
    /// How many wait.
    fn count_tail(&mut self) -> Result<u64, Self::Error>;
    /// Adds memories that wait.
    fn insert_tail(&mut self, rows: Vec<TailRow>) -> Result<(), Self::Error>;
    /// Takes memories out that wait; the numbers of those that did.
    fn delete_tail(&mut self, numbers: &[u64]) -> Result<Vec<u64>, Self::Error>;
    /// Takes everything out that waits.
    fn clear_tail(&mut self) -> Result<(), Self::Error>;
    /// The rows of these terms in some segments, by term and segment.
    fn read_postings(
        &mut self,
        terms: &[&str],
        segments: SegmentRange,
    ) -> Result<Vec<PostingRow>, Self::Error>;
    /// Writes rows over those of the same term and segment, and removes those without entries.
    fn write_postings(&mut self, rows: Vec<PostingRow>) -> Result<(), Self::Error>;
    /// Removes every row of postings.
    fn clear_postings(&mut self) -> Result<(), Self::Error>;
}

/// What the blobs of a space are sealed with, so that one that was copied to another space is noticed.
pub fn blob_space(space: &str) -> i64 {
    let digest = Digest::hash_bytes(space.as_bytes());
    let first = digest.as_bytes().first_chunk().copied();
    i64::from_le_bytes(first.unwrap_or_default())
}

fn posting_place(space: i64, term: &str, segment: u64) -> BlobPlace<'_> {
    BlobPlace {
        space,
        term,
        number: segment.cast_signed(),
    }
}

/// What entered or left an index: how many memories, and how long they are together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexedCounts {
    /// Memories.
    pub docs: i64,
    /// Terms.
    pub len: i64,
}

impl IndexedCounts {
    fn count_in(&mut self, len: u32) {
        self.docs += 1;
        self.len += i64::from(len);
    }

    fn count_out(&mut self, len: u32) {
        self.docs -= 1;
        self.len -= i64::from(len);
    }
}

/// Adds active memories; what they come to. A few go to the tail, many become a segment at once.
pub fn add_to_index<R: IndexRows>(
    rows: &mut R,
    space: i64,
    memories: &[&Memory],
) -> Result<IndexedCounts, R::Error> {
    let (mut counts, mut stems) = (IndexedCounts::default(), StemCache::default());
    if memories.len() as u64 >= TAIL_LEN {
        for part in memories.chunks(SEGMENT_LEN) {
            let (mut lists, mut last) = (PostingLists::new(), 0);
            for memory in part {
                let (terms, len) = stems.extract_terms_with_len(&memory.searchable_text());
                packed::add_term_postings(&mut lists, memory.number, (terms, len));
                last = last.max(memory.number);
                counts.count_in(len);
            }
            insert_segment(rows, space, last, lists)?;
        }
        return Ok(counts);
    }
    let mut tail = Vec::with_capacity(memories.len());
    for memory in memories {
        let (terms, len) = stems.extract_terms_with_len(&memory.searchable_text());
        let place = BlobPlace::in_tail(space, memory.number.cast_signed());
        tail.push(TailRow {
            number: memory.number,
            terms: packed::pack_tail_terms(&terms, len, place),
        });
        counts.count_in(len);
    }
    rows.insert_tail(tail)?;
    Ok(counts)
}

/// Makes a segment of the tail where it is long.
pub fn flush_long_tail<R: IndexRows>(rows: &mut R, space: i64) -> Result<(), R::Error> {
    if rows.count_tail()? < TAIL_LEN {
        return Ok(());
    }
    let (mut lists, mut last) = (PostingLists::new(), 0);
    for row in rows.read_tail()? {
        last = last.max(row.number);
        let place = BlobPlace::in_tail(space, row.number.cast_signed());
        packed::unpack_tail_terms(&row.terms, place, None, |term, posting| {
            let list = lists.entry(packed::decode_term(term)).or_default();
            list.push(posting);
        })?;
    }
    insert_segment(rows, space, last, lists)?;
    rows.clear_tail()
}

/// Takes memories out, wherever they lie; what they came to.
pub fn remove_from_index<R: IndexRows>(
    rows: &mut R,
    space: i64,
    memories: &[&Memory],
) -> Result<IndexedCounts, R::Error> {
    let mut counts = IndexedCounts::default();
    if memories.is_empty() {
        return Ok(counts);
    }
    let numbers: Vec<u64> = memories.iter().map(|it| it.number).collect();
    let waited: BTreeSet<u64> = rows.delete_tail(&numbers)?.into_iter().collect();
    for memory in memories {
        let (terms, len) = terms::extract_terms_with_len(&memory.searchable_text());
        counts.count_out(len);
        if !waited.contains(&memory.number) {
            let terms = terms.iter().map(|(term, _)| term.as_str()).collect();
            remove_from_segments(rows, space, memory.number, terms)?;
        }
    }
    Ok(counts)
}

/// Takes a number out of the segments that have it under these terms: the first that reaches it, unless the memory was
/// approved late.
fn remove_from_segments<R: IndexRows>(
    rows: &mut R,
    space: i64,
    number: u64,
    mut terms: BTreeSet<&str>,
) -> Result<(), R::Error> {
    for segments in [SegmentRange::FirstFrom(number), SegmentRange::From(number)] {
        let asked: Vec<&str> = terms.iter().copied().collect();
        let mut changed = Vec::new();
        for row in rows.read_postings(&asked, segments)? {
            let place = posting_place(space, &row.term, row.segment);
            let mut entries = Vec::new();
            packed::unpack_postings(&row.entries, place, &mut entries)?;
            if !entries.iter().any(|it| it.number == number) {
                continue;
            }
            entries.retain(|it| it.number != number);
            terms.remove(row.term.as_str());
            let left = match entries.is_empty() {
                true => Vec::new(),
                false => packed::pack_postings(&entries, place),
            };
            changed.push(PostingRow {
                entries: left,
                ..row
            });
        }
        rows.write_postings(changed)?;
        if terms.is_empty() {
            break;
        }
    }
    Ok(())
}

/// Writes lists as one segment. Where its last memory left the index once and came back, a segment of that number may be
/// there already, and the two become one.
pub fn insert_segment<R: IndexRows>(
    rows: &mut R,
    space: i64,
    segment: u64,
    lists: PostingLists,
) -> Result<(), R::Error> {
    let terms: Vec<&str> = lists.keys().map(String::as_str).collect();
    let mut there = BTreeMap::new();
    for row in rows.read_postings(&terms, SegmentRange::At(segment))? {
        there.insert(row.term, row.entries);
    }
    let mut written = Vec::with_capacity(lists.len());
    for (term, mut entries) in lists {
        entries.sort_unstable_by_key(|it| it.number);
        let place = posting_place(space, &term, segment);
        let entries = match there.get(&term) {
            Some(kept) => packed::merge_postings(kept, &entries, place)?,
            None => packed::pack_postings(&entries, place),
        };
        written.push(PostingRow {
            term,
            segment,
            entries,
        });
    }
    rows.write_postings(written)
}

/// Builds the index of a space anew from its active memories; what they come to.
pub fn rebuild_index<R: IndexRows>(
    rows: &mut R,
    space: i64,
    memories: &[Memory],
) -> Result<IndexedCounts, R::Error> {
    rows.clear_tail()?;
    rows.clear_postings()?;
    let memories: Vec<&Memory> = memories.iter().collect();
    let counts = add_to_index(rows, space, &memories)?;
    Ok(counts)
}

/// The postings of some terms, one list each, out of rows that were read. A damaged row must not take the others away.
pub fn collect_postings(
    space: i64,
    terms: &[String],
    postings: &[PostingRow],
    tail: &[TailRow],
) -> Vec<Vec<Posting>> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, term) in terms.iter().enumerate() {
        places.entry(term).or_default().push(place);
    }
    let mut lists = vec![Vec::new(); terms.len()];
    for row in postings {
        let mut found = Vec::new();
        let place = posting_place(space, &row.term, row.segment);
        if packed::unpack_postings(&row.entries, place, &mut found).is_ok() {
            for place in places.get(row.term.as_str()).into_iter().flatten() {
                lists[*place].extend_from_slice(&found);
            }
        }
    }
    let wanted: Vec<u32> = terms.iter().map(|it| packed::hash_term(it)).collect();
    for row in tail {
        let place = BlobPlace::in_tail(space, row.number.cast_signed());
        let _ = packed::unpack_tail_terms(&row.terms, place, Some(&wanted), |term, posting| {
            let term = std::str::from_utf8(term).unwrap_or_default();
            for place in places.get(term).into_iter().flatten() {
                lists[*place].push(posting);
            }
        });
    }
    // A memory that was approved late waits in the tail with a low number.
    for list in &mut lists {
        if !list.is_sorted_by_key(|it| it.number) {
            list.sort_unstable_by_key(|it| it.number);
        }
    }
    lists
}

/// The terms of memories that wait.
pub fn collect_tail_terms(space: i64, tail: &[TailRow]) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    for row in tail {
        let place = BlobPlace::in_tail(space, row.number.cast_signed());
        let _ = packed::unpack_tail_terms(&row.terms, place, None, |term, _| {
            terms.insert(packed::decode_term(term));
        });
    }
    terms
}
