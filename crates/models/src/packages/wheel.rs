//! Taking one member out of a wheel, which is a ZIP archive.

use std::io::Read as _;

use flate2::read::DeflateDecoder;

/// The end record: its mark, its shortest length, and how much may follow it.
const END: &[u8] = b"PK\x05\x06";
const END_LEN: usize = 22;
const MAX_COMMENT: usize = 0xffff;
/// An entry of the directory, and the header before a member's bytes.
const ENTRY: &[u8] = b"PK\x01\x02";
const ENTRY_LEN: usize = 46;
const HEADER: &[u8] = b"PK\x03\x04";
const HEADER_LEN: usize = 30;

const STORED: usize = 0;
const DEFLATED: usize = 8;

/// A member's bytes, if there are no more than this.
pub(super) fn read_member(archive: &[u8], path: &str, size: u64) -> Result<Vec<u8>, &'static str> {
    let entry = find_entry(archive, path)?;
    let packed = read_packed(archive, entry).ok_or("the member is cut off")?;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    let limit = size.saturating_add(1);
    match read_number(entry, 10, 2) {
        Some(STORED) => packed.take(limit).read_to_end(&mut bytes),
        Some(DEFLATED) => DeflateDecoder::new(packed)
            .take(limit)
            .read_to_end(&mut bytes),
        _ => return Err("the member is packed in another way than wheels are"),
    }
    .map_err(|_| "the member's bytes are damaged")?;
    Ok(bytes)
}

/// The entry of a member in the archive's directory.
fn find_entry<'a>(archive: &'a [u8], path: &str) -> Result<&'a [u8], &'static str> {
    let first = archive.len().saturating_sub(END_LEN + MAX_COMMENT);
    let tail = &archive[first..];
    let end = tail.windows(END.len()).rposition(|it| it == END);
    let end = end.ok_or("it is not a ZIP archive, or is cut off")?;
    let at = read_number(tail, end + 16, 4).and_then(|it| archive.get(it..));
    let mut rest = at.ok_or("its directory is cut off")?;
    while rest.starts_with(ENTRY) {
        let len = |at| read_number(rest, at, 2);
        let (Some(name), Some(extra), Some(comment)) = (len(28), len(30), len(32)) else {
            break;
        };
        if rest.get(ENTRY_LEN..ENTRY_LEN + name) == Some(path.as_bytes()) {
            return Ok(rest);
        }
        let next = rest.get(ENTRY_LEN + name + extra + comment..);
        rest = next.unwrap_or_default();
    }
    Err("a file of the model is not in it")
}

/// The bytes of a member as they are packed.
fn read_packed<'a>(archive: &'a [u8], entry: &[u8]) -> Option<&'a [u8]> {
    let packed_len = read_number(entry, 20, 4)?;
    let header = archive.get(read_number(entry, 42, 4)?..)?;
    header.starts_with(HEADER).then_some(())?;
    let name = read_number(header, 26, 2)?;
    let extra = read_number(header, 28, 2)?;
    let start = HEADER_LEN + name + extra;
    header.get(start..start.checked_add(packed_len)?)
}

/// A number of so many bytes, the lowest first.
fn read_number(bytes: &[u8], at: usize, len: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(len)?)?;
    let bytes = bytes.iter().rev();
    Some(bytes.fold(0, |sum, it| sum << 8 | usize::from(*it)))
}
