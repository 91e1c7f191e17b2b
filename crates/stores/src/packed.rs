//! How the index of a space is packed into bytes: bytes in, bytes out, and no row in sight ([`crate::packed_index`] has those).
//!
//! There are two kinds of blobs. A *posting blob* is what one segment knows of one term: for each memory its number, how
//! often the term stands in it, and how many terms it has. A *tail blob* is one memory that waits to become part of a
//! segment: its length, how many terms it has, a hash of each, then the terms with their counts. A question looks for a
//! few terms, so it reads the hashes and mostly nothing else.
//!
//! Numbers are written seven bits a byte, those of memories as differences. Four bytes of checksum close each blob. The
//! checksum covers the place of the blob as well, so that a blob that another program copied to another row is noticed.
//!
//! A damaged index is worse than a damaged row: a row that cannot be read is missed, but a posting that is gone makes a
//! memory unfindable, and nobody misses what they never saw. So every blob is checked when it is read, and a blob is
//! trusted whole or not at all. The index holds nothing that its rows do not, so it can always be built anew.
//!
//! Bytes matter for forgetting, too. A tail blob has the words of one memory in it, so taking the memory out deletes the
//! row, and `secure_delete` overwrites it. A posting blob has numbers and counts only, and is packed anew without that memory.

use std::collections::BTreeMap;

use apostille_core::store::Posting;

/// How many memories become one segment when an index is built anew. `segment_end` sets the low bits of a number.
pub const SEGMENT_LEN: usize = 2_048;
const _: () = assert!(SEGMENT_LEN.is_power_of_two());

/// The bytes of a blob are not what was written.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("the index")]
pub struct DamagedBlob;

type UnpackResult<T> = Result<T, DamagedBlob>;

/// The row that a blob is in.
#[derive(Debug, Clone, Copy)]
pub struct BlobPlace<'a> {
    /// The space.
    pub space: i64,
    /// The term; empty in the tail.
    pub term: &'a str,
    /// The segment, or in the tail the memory.
    pub number: i64,
}

impl BlobPlace<'_> {
    /// The place of a memory that waits in the tail.
    pub fn in_tail(space: i64, number: i64) -> Self {
        Self {
            space,
            term: "",
            number,
        }
    }
}

/// The memories under each term.
pub type PostingLists = BTreeMap<String, Vec<Posting>>;

/// Notes the terms of a memory under each of them.
pub fn add_term_postings(
    lists: &mut PostingLists,
    number: u64,
    (terms, len): (Vec<(String, u32)>, u32),
) {
    for (term, count) in terms {
        let posting = Posting { number, count, len };
        lists.entry(term).or_default().push(posting);
    }
}

/// A term as it was read out of a tail blob, whose checksum was right: it is the text that was written.
pub fn decode_term(term: &[u8]) -> String {
    String::from_utf8_lossy(term).into_owned()
}

/// Packs what a segment knows of a term, in the order of the numbers.
pub fn pack_postings(entries: &[Posting], place: BlobPlace) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(entries.len() * 4 + 4);
    let mut last = 0;
    for it in entries {
        push_varint(&mut bytes, it.number - last);
        push_varint(&mut bytes, it.count.into());
        push_varint(&mut bytes, it.len.into());
        last = it.number;
    }
    seal_blob(bytes, place)
}

/// Unpacks what a segment knows of a term, behind what is there already.
pub fn unpack_postings(
    bytes: &[u8],
    place: BlobPlace,
    into: &mut Vec<Posting>,
) -> UnpackResult<()> {
    let mut bytes = open_blob(bytes, place)?;
    let mut number = 0_u64;
    // A posting has three numbers of a byte or more.
    into.reserve(bytes.len() / 3);
    while !bytes.is_empty() {
        let more = pull_varint(&mut bytes)?;
        number = number.checked_add(more).ok_or(DamagedBlob)?;
        let (count, len) = (pull_varint_u32(&mut bytes)?, pull_varint_u32(&mut bytes)?);
        into.push(Posting { number, count, len });
    }
    Ok(())
}

/// A posting blob with more memories in it. Its last memory left the index once and came back to it, so a second segment
/// would have the same key.
pub fn merge_postings(kept: &[u8], more: &[Posting], place: BlobPlace) -> UnpackResult<Vec<u8>> {
    let mut entries = more.to_vec();
    unpack_postings(kept, place, &mut entries)?;
    entries.sort_unstable_by_key(|it| it.number);
    Ok(pack_postings(&entries, place))
}

/// Sorts a list and splits it into segments of [`SEGMENT_LEN`] numbers each: the number that a segment is filed under, and
/// its part of the list. No segment reaches beyond the `last` number of the whole index.
pub fn split_segments(list: &mut [Posting], last: u64) -> impl Iterator<Item = (u64, &[Posting])> {
    list.sort_unstable_by_key(|it| it.number);
    list.chunk_by(|a, b| segment_end(a.number) == segment_end(b.number))
        .map(move |part| (last.min(segment_end(part[0].number)), part))
}

/// The last number that may lie in the same segment as a memory.
fn segment_end(number: u64) -> u64 {
    number | (SEGMENT_LEN as u64 - 1)
}

/// Packs a memory that waits in the tail.
pub fn pack_tail_terms(terms: &[(String, u32)], len: u32, place: BlobPlace) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(terms.len() * 14 + 8);
    push_varint(&mut bytes, len.into());
    push_varint(&mut bytes, terms.len() as u64);
    for (term, _) in terms {
        bytes.extend_from_slice(&hash_term(term).to_le_bytes());
    }
    for (term, count) in terms {
        push_varint(&mut bytes, term.len() as u64);
        bytes.extend_from_slice(term.as_bytes());
        push_varint(&mut bytes, (*count).into());
    }
    seal_blob(bytes, place)
}

/// Goes through the terms of a waiting memory, each with its posting, unless their hashes say that none of
/// the wanted ones is among them.
pub fn unpack_tail_terms(
    bytes: &[u8],
    place: BlobPlace,
    wanted: Option<&[u32]>,
    mut see: impl FnMut(&[u8], Posting),
) -> UnpackResult<()> {
    let mut bytes = open_blob(bytes, place)?;
    let (len, n_terms) = (
        pull_varint_u32(&mut bytes)?,
        pull_varint_u32(&mut bytes)? as usize,
    );
    let hashes = pull_bytes(&mut bytes, n_terms * 4)?;
    let is_wanted = |wanted: &[u32]| {
        let mut hashes = hashes.as_chunks::<4>().0.iter();
        hashes.any(|it| wanted.contains(&u32::from_le_bytes(*it)))
    };
    if !wanted.is_none_or(is_wanted) {
        return Ok(());
    }
    let number = place.number.try_into().unwrap_or_default();
    while !bytes.is_empty() {
        let size = pull_varint_u32(&mut bytes)? as usize;
        let term = pull_bytes(&mut bytes, size)?;
        let count = pull_varint_u32(&mut bytes)?;
        see(term, Posting { number, count, len });
    }
    Ok(())
}

/// The hash of a term in a tail blob.
pub fn hash_term(term: &str) -> u32 {
    fold_checksum(mix_bytes(BASIS, term.as_bytes()))
}

/// A blob of a file of version 1, whose checksum does not cover its place, with the checksum that does. `None`: it is
/// damaged, and stays so.
pub fn reseal_version_1_blob(bytes: &[u8], place: BlobPlace) -> Option<Vec<u8>> {
    let (body, sum) = bytes.split_last_chunk::<4>()?;
    let is_whole = fold_checksum(mix_bytes(BASIS, body)) == u32::from_le_bytes(*sum);
    is_whole.then(|| seal_blob(body.to_vec(), place))
}

fn push_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn pull_varint(bytes: &mut &[u8]) -> UnpackResult<u64> {
    // Nearly all numbers of a posting are of one byte, and a question reads some ten thousand postings.
    match bytes.split_first() {
        Some((&byte, rest)) if byte < 0x80 => {
            *bytes = rest;
            Ok(byte.into())
        }
        _ => pull_long_varint(bytes),
    }
}

fn pull_long_varint(bytes: &mut &[u8]) -> UnpackResult<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or(DamagedBlob)?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(DamagedBlob)
}

fn pull_varint_u32(bytes: &mut &[u8]) -> UnpackResult<u32> {
    u32::try_from(pull_varint(bytes)?).map_err(|_| DamagedBlob)
}

fn pull_bytes<'a>(bytes: &mut &'a [u8], n: usize) -> UnpackResult<&'a [u8]> {
    let (pulled, rest) = bytes.split_at_checked(n).ok_or(DamagedBlob)?;
    *bytes = rest;
    Ok(pulled)
}

fn seal_blob(mut bytes: Vec<u8>, place: BlobPlace) -> Vec<u8> {
    let sum = blob_checksum(place, &bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

fn open_blob<'a>(bytes: &'a [u8], place: BlobPlace<'_>) -> UnpackResult<&'a [u8]> {
    let (body, sum) = bytes.split_last_chunk::<4>().ok_or(DamagedBlob)?;
    if blob_checksum(place, body) == u32::from_le_bytes(*sum) {
        Ok(body)
    } else {
        Err(DamagedBlob)
    }
}

fn blob_checksum(place: BlobPlace, bytes: &[u8]) -> u32 {
    let sum = mix_bytes(BASIS, place.term.as_bytes());
    let sum = mix_bytes(sum, &place.space.to_le_bytes());
    let sum = mix_bytes(sum, &place.number.to_le_bytes());
    fold_checksum(mix_bytes(sum, bytes))
}

fn fold_checksum(sum: u64) -> u32 {
    (sum ^ (sum >> 32)) as u32
}

const BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a over words of eight bytes: enough to notice a flipped bit, and cheap enough for every read.
fn mix_bytes(from: u64, bytes: &[u8]) -> u64 {
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

    const PLACE: BlobPlace<'_> = BlobPlace {
        space: 1,
        term: "parser",
        number: 7,
    };

    fn postings(numbers: &[u64]) -> Vec<Posting> {
        let posting = |number: &u64| Posting {
            number: *number,
            count: (*number % 300) as u32,
            len: 40,
        };
        numbers.iter().map(posting).collect()
    }

    fn terms() -> Vec<(String, u32)> {
        [("parser", 2), ("token", 1), ("überall", 7)]
            .map(|(term, count)| (term.to_owned(), count))
            .into()
    }

    fn tail_terms(bytes: &[u8], wanted: Option<&[u32]>) -> UnpackResult<Vec<(String, u32)>> {
        let mut seen = Vec::new();
        let place = BlobPlace::in_tail(1, 7);
        unpack_tail_terms(bytes, place, wanted, |term, posting| {
            assert_eq!((posting.number, posting.len), (7, 10));
            seen.push((decode_term(term), posting.count));
        })?;
        Ok(seen)
    }

    proptest! {
        #[test]
        fn postings_survive_packing(mut numbers in proptest::collection::btree_set(0..u64::from(u32::MAX), 0..50)) {
            numbers.insert(1);
            let entries = postings(&numbers.into_iter().collect::<Vec<_>>());
            let mut found = Vec::new();
            unpack_postings(&pack_postings(&entries, PLACE), PLACE, &mut found).unwrap();
            prop_assert_eq!(found, entries);
        }

        #[test]
        fn tail_blob_notices_a_flipped_bit(at in 0_usize..30, bit in 0_u8..8) {
            let mut bytes = pack_tail_terms(&terms(), 10, BlobPlace::in_tail(1, 7));
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
            prop_assert_eq!(tail_terms(&bytes, None), Err(DamagedBlob));
        }

        #[test]
        fn unpack_takes_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let sealed = seal_blob(bytes.clone(), PLACE);
            for bytes in [bytes, sealed] {
                let _ = unpack_postings(&bytes, PLACE, &mut Vec::new());
                let _ = unpack_tail_terms(&bytes, PLACE, None, |_, _| ());
                let _ = reseal_version_1_blob(&bytes, PLACE);
            }
        }

        #[test]
        fn split_segments_loses_nothing(numbers in proptest::collection::btree_set(1_u64..9_000, 0..200)) {
            let numbers: Vec<u64> = numbers.into_iter().collect();
            let last = numbers.last().copied().unwrap_or_default();
            let mut list = postings(&numbers);
            list.reverse();
            let mut seen = Vec::new();
            for (end, part) in split_segments(&mut list, last) {
                prop_assert!(part.iter().all(|it| it.number <= end && end <= last));
                prop_assert!(end - part[0].number < SEGMENT_LEN as u64);
                seen.extend(part.iter().map(|it| it.number));
            }
            prop_assert_eq!(seen, numbers);
        }
    }

    /// The bytes are a format: files out there have them.
    #[test]
    fn packed_bytes_stay_as_they_are() {
        let postings =
            [(3, 1, 40), (200, 2, 300)].map(|(number, count, len)| Posting { number, count, len });
        let place = BlobPlace {
            space: 5,
            term: "parser",
            number: 200,
        };
        let bytes = [3, 1, 40, 197, 1, 2, 172, 2, 182, 152, 93, 53];
        assert_eq!(pack_postings(&postings, place), bytes);
        let terms = [("api".to_owned(), 2)];
        let bytes = [
            10, 1, 233, 94, 109, 19, 3, 97, 112, 105, 2, 62, 229, 70, 113,
        ];
        let place = BlobPlace::in_tail(1, 7);
        assert_eq!(pack_tail_terms(&terms, 10, place), bytes);
    }

    #[test]
    fn tail_terms_are_skipped_unless_wanted() {
        let bytes = pack_tail_terms(&terms(), 10, BlobPlace::in_tail(1, 7));
        assert_eq!(tail_terms(&bytes, None), Ok(terms()));
        assert_eq!(tail_terms(&bytes, Some(&[hash_term("token")])), Ok(terms()));
        assert_eq!(
            tail_terms(&bytes, Some(&[hash_term("absent")])),
            Ok(Vec::new())
        );
    }

    #[test]
    fn a_blob_in_another_row_is_damaged() {
        let entries = postings(&[3, 9]);
        let bytes = pack_postings(&entries, PLACE);
        let elsewhere = [
            BlobPlace { space: 2, ..PLACE },
            BlobPlace {
                term: "token",
                ..PLACE
            },
            BlobPlace { number: 8, ..PLACE },
        ];
        for place in elsewhere {
            let found = unpack_postings(&bytes, place, &mut Vec::new());
            assert_eq!(found, Err(DamagedBlob), "{place:?}");
        }
    }

    #[test]
    fn merge_postings_keeps_the_order() {
        let kept = pack_postings(&postings(&[3, 9]), PLACE);
        let merged = merge_postings(&kept, &postings(&[1, 5]), PLACE).unwrap();
        assert_eq!(merged, pack_postings(&postings(&[1, 3, 5, 9]), PLACE));
        assert_eq!(merge_postings(&kept[1..], &[], PLACE), Err(DamagedBlob));
    }

    #[test]
    fn reseal_version_1_covers_the_place() {
        let body = pack_postings(&postings(&[3, 9]), PLACE);
        let body = &body[..body.len() - 4];
        let mut old = body.to_vec();
        old.extend(fold_checksum(mix_bytes(BASIS, body)).to_le_bytes());
        assert_eq!(
            reseal_version_1_blob(&old, PLACE),
            Some(pack_postings(&postings(&[3, 9]), PLACE))
        );
        old[0] ^= 1;
        assert_eq!(reseal_version_1_blob(&old, PLACE), None);
    }
}
