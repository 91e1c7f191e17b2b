//! Where a replica is kept that several machines share: the port to a database that holds the lines of replicas beside the memories.
//!
//! Two servers on one database are one replica. Nobody holds a lock between them: who writes says which revision it was
//! decided on, and whose revision is not the last one any more decides again. What the lines mean is no business of a store.

use std::{collections::BTreeMap, fmt, str::FromStr};

use apostille_text::digest::Digest;

use super::StoreResult;
use crate::{memory::MemoryId, space::Space};

/// One of 256 parts, by the two digits of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartName(pub u8);

impl PartName {
    /// The part that a memory's lines are in.
    pub fn for_memory(id: MemoryId) -> Self {
        let digest = Digest::hash_bytes(id.as_bytes());
        Self(digest.as_bytes()[0])
    }
}

impl fmt::Display for PartName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:02x}", self.0)
    }
}

impl FromStr for PartName {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let is_digit = |it: u8| matches!(it, b'0'..=b'9' | b'a'..=b'f');
        let is_name = text.len() == 2 && text.bytes().all(is_digit);
        let part = u8::from_str_radix(text, 16).map_err(drop)?;
        is_name.then_some(Self(part)).ok_or(())
    }
}

/// The lines of each part that has any, each with its end.
pub type ReplicaParts = BTreeMap<PartName, String>;

/// How a part looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartLook {
    /// The digest of its lines.
    pub digest: String,
    /// How long they are together.
    pub bytes: usize,
}

impl PartLook {
    /// Looks at the lines of a part.
    pub fn at_lines(lines: &str) -> Self {
        Self {
            digest: Digest::hash_bytes(lines.as_bytes()).short_hex(),
            bytes: lines.len(),
        }
    }
}

/// What is kept of a replica beside its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShelfRecord {
    /// Counts the writes; 0 where nothing was written yet.
    pub revision: u64,
    /// Counts the sets of lines.
    pub generation: u64,
    /// How far the replica is, as whoever keeps it wrote it.
    pub progress: String,
}

/// A database that holds replicas.
pub trait ReplicaShelf {
    /// What is kept beside the lines.
    fn read_shelf_record(&self, space: &Space) -> StoreResult<ShelfRecord>;

    /// How each part of the lines looks.
    fn look_at_shelf(&self, space: &Space) -> StoreResult<BTreeMap<PartName, PartLook>>;

    /// Some parts of the lines, or all.
    fn read_shelf_parts(
        &self,
        space: &Space,
        names: Option<&[PartName]>,
    ) -> StoreResult<ReplicaParts>;

    /// Writes the record over the one of the revision before, and these parts over those of their names; a part without lines
    /// goes. `false` where somebody else wrote meanwhile, and nothing was written.
    fn write_shelf(
        &self,
        space: &Space,
        record: &ShelfRecord,
        parts: &ReplicaParts,
    ) -> StoreResult<bool>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_by_two_digits() {
        let check = |text: &str, expected: Option<u8>| {
            assert_eq!(
                text.parse::<PartName>().ok().map(|it| it.0),
                expected,
                "{text}"
            );
        };
        check("00", Some(0));
        check("ff", Some(255));
        for text in ["", "0", "FF", "+1", "100", "g0", "0x"] {
            check(text, None);
        }
        assert_eq!(PartName(10).to_string(), "0a");
    }
}
