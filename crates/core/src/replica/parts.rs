//! The set of lines in 256 parts, so that who looks for what is new reads only the parts that are not the same.
//!
//! A memory's lines are all in one part, chosen by its id, and stand there in an order that every replica gives them: the same
//! lines make the same parts everywhere.

use std::{collections::BTreeMap, fmt, str::FromStr};

use apostille_text::digest::Digest;

use super::log::ReplicaLog;
use crate::memory::MemoryId;

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

/// Splits a set of lines.
pub fn split_into_parts(log: &ReplicaLog) -> ReplicaParts {
    let mut parts = ReplicaParts::new();
    for line in log.lines() {
        let part = parts.entry(PartName::for_memory(line.id)).or_default();
        part.push_str(&line.text);
        part.push('\n');
    }
    parts
}

/// How each part of a set looks.
pub fn look_at_parts(parts: &ReplicaParts) -> BTreeMap<PartName, PartLook> {
    let looks = parts
        .iter()
        .map(|(name, it)| (*name, PartLook::at_lines(it)));
    looks.collect()
}

/// What is another one as soon as a line is.
pub fn compute_fingerprint(looks: &BTreeMap<PartName, PartLook>) -> String {
    let rows: String = looks
        .iter()
        .map(|(name, look)| format!("{name} {}\n", look.digest))
        .collect();
    Digest::hash_bytes(rows.as_bytes()).short_hex()
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

    #[test]
    fn fingerprint_follows_the_lines() {
        let look = |text: &str| {
            let parts = ReplicaParts::from([(PartName(1), text.to_owned())]);
            compute_fingerprint(&look_at_parts(&parts))
        };
        assert_eq!(look("a\n"), look("a\n"));
        assert_ne!(look("a\n"), look("b\n"));
        assert_ne!(look("a\n"), compute_fingerprint(&BTreeMap::new()));
    }
}
