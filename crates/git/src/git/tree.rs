//! Git's tree objects: what a directory of a commit holds.

use std::collections::HashMap;

use sha1::{Digest as _, Sha1};

/// What kind of thing a tree names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TreeEntryKind {
    /// A file, executable or not.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A commit of another repository.
    Submodule,
}

/// One thing that a tree names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TreeEntry {
    /// What it is.
    pub(super) kind: TreeEntryKind,
    /// The id of its object, in hexadecimal.
    pub(super) id: String,
}

/// A tree object that is not written as git writes them.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("a tree object is broken; try 'git fsck'")]
pub(crate) struct BadTree;

/// Everything the tree holds, under names that are text. `id_len` is how many bytes an id has: 20 or 32.
pub(super) fn parse_tree_entries(
    tree: &[u8],
    id_len: usize,
) -> Result<HashMap<String, TreeEntry>, BadTree> {
    let mut rest = tree;
    let mut entries = HashMap::new();
    while !rest.is_empty() {
        let [name, mode, id] = take_tree_entry(&mut rest, id_len)?;
        if let Ok(name) = std::str::from_utf8(name) {
            entries.insert(
                name.to_owned(),
                TreeEntry {
                    kind: parse_tree_mode(mode)?,
                    id: encode_hex(id),
                },
            );
        }
    }
    Ok(entries)
}

/// Takes the next name, mode and id off a tree.
fn take_tree_entry<'t>(rest: &mut &'t [u8], id_len: usize) -> Result<[&'t [u8]; 3], BadTree> {
    let (mode, tail) = split_at_byte(rest, b' ')?;
    let (name, tail) = split_at_byte(tail, b'\0')?;
    let (id, tail) = tail.split_at_checked(id_len).ok_or(BadTree)?;
    *rest = tail;
    Ok([name, mode, id])
}

fn split_at_byte(bytes: &[u8], byte: u8) -> Result<(&[u8], &[u8]), BadTree> {
    let at = bytes.iter().position(|it| *it == byte).ok_or(BadTree)?;
    Ok((&bytes[..at], &bytes[at + 1..]))
}

/// Only the part of the mode that tells kinds apart counts: old git wrote files as 100664 too.
pub(crate) fn parse_tree_mode(mode: &[u8]) -> Result<TreeEntryKind, BadTree> {
    let mode = std::str::from_utf8(mode).map_err(|_| BadTree)?;
    match u32::from_str_radix(mode, 8).map_err(|_| BadTree)? & 0o170_000 {
        0o100_000 => Ok(TreeEntryKind::File),
        0o040_000 => Ok(TreeEntryKind::Directory),
        0o120_000 => Ok(TreeEntryKind::Link),
        0o160_000 => Ok(TreeEntryKind::Submodule),
        _ => Err(BadTree),
    }
}

/// Git's id of a file's content, where ids are SHA-1.
pub(crate) fn compute_blob_id(bytes: &[u8]) -> String {
    compute_object_id("blob", bytes)
}

/// Git's id of an object of this kind, where ids are SHA-1.
pub(super) fn compute_object_id(kind: &str, bytes: &[u8]) -> String {
    let header = format!("{kind} {}\0", bytes.len());
    let id = Sha1::new().chain_update(header).chain_update(bytes);
    encode_hex(&id.finalize())
}

pub(crate) fn encode_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |it: u8| char::from(DIGITS[usize::from(it & 15)]);
    bytes
        .iter()
        .flat_map(|it| [digit(it >> 4), digit(*it)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_their_exact_name() {
        let mut tree = Vec::new();
        for (mode, name, byte) in [
            ("100644", "a.rs", 1),
            ("120000", "link", 2),
            ("160000", "sub", 3),
            ("40000", "src", 4),
        ] {
            tree.extend(format!("{mode} {name}\0").as_bytes());
            tree.extend([byte; 20]);
        }
        let check = |name: &str, expected: Option<TreeEntryKind>| {
            assert_eq!(
                parse_tree_entries(&tree, 20)
                    .unwrap()
                    .get(name)
                    .map(|it| it.kind),
                expected,
                "{name:?}"
            );
        };
        check("a.rs", Some(TreeEntryKind::File));
        check("link", Some(TreeEntryKind::Link));
        check("sub", Some(TreeEntryKind::Submodule));
        check("src", Some(TreeEntryKind::Directory));
        check("A.rs", None);
        check("sr", None);
        assert_eq!(
            parse_tree_entries(&tree, 20).unwrap()["src"].id,
            "04".repeat(20)
        );
        assert_eq!(
            parse_tree_entries(&tree[..tree.len() - 1], 20),
            Err(BadTree)
        );
        assert_eq!(parse_tree_entries(b"100644 a", 20), Err(BadTree));
        assert_eq!(parse_tree_entries(b"", 20), Ok(HashMap::new()));
    }
}
