//! The set of lines in 256 parts, so that who looks for what is new reads only the parts that are not the same.
//!
//! A memory's lines are all in one part, chosen by its id, and stand there in an order that every replica gives them: the same
//! lines make the same parts everywhere.

use std::collections::BTreeMap;

use apostille_text::digest::Digest;

use super::log::ReplicaLog;
pub use crate::store::shelf::{PartLook, PartName, ReplicaParts};

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
