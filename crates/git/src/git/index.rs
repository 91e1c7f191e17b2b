//! Git's index: which content each file of the working tree had when git last looked at it, without reading the file.

use std::collections::HashMap;
use std::{
    fs,
    path::Path,
    time::{Duration, UNIX_EPOCH},
};

use super::tree::encode_hex;

/// An index larger than this is not read; files are read instead.
const MAX_INDEX: u64 = 256 * 1024 * 1024;
/// What an entry holds before its name, with ids of 20 bytes.
const FIXED: usize = 62;
/// The bits of the flags that say where in a merge an entry belongs, and that more flags follow.
const STAGE: u16 = 0x3000;
const EXTENDED: u16 = 0x4000;

/// What git noted of a file.
#[derive(Debug, PartialEq)]
pub(crate) struct GitIndexEntry {
    id: [u8; 20],
    modified: (u32, u32),
    inode: u32,
    size: u32,
}

impl GitIndexEntry {
    /// Its content's id.
    pub(crate) fn blob_id(&self) -> String {
        encode_hex(&self.id)
    }

    /// Whether a file of which the system says this is the one that was noted, unchanged.
    pub(crate) fn is_unchanged(&self, file: &fs::Metadata) -> bool {
        #[cfg(unix)]
        let inode = Some(std::os::unix::fs::MetadataExt::ino(file));
        #[cfg(not(unix))]
        let inode: Option<u64> = None;
        // Git keeps the lower 32 bits of everything, and no inode on systems that have none.
        let low = |number: u64| u32::try_from(number & 0xffff_ffff).unwrap_or(0);
        modified_since_epoch(file)
            .is_some_and(|it| (low(it.as_secs()), it.subsec_nanos()) == self.modified)
            && low(file.len()) == self.size
            && (self.inode == 0 || inode.is_none_or(|it| low(it) == self.inode))
    }
}

/// The files of an index, by path. Of a file that is not there, or is not understood, nothing is known. What was
/// changed in the very moment in which the index was written may look unchanged, so such files are left out.
pub(crate) fn read_git_index(path: &Path) -> HashMap<String, GitIndexEntry> {
    let Ok(metadata) = fs::metadata(path) else {
        return HashMap::new();
    };
    let (true, Some(written)) = (metadata.len() <= MAX_INDEX, modified_since_epoch(&metadata))
    else {
        return HashMap::new();
    };
    let bytes = fs::read(path).unwrap_or_default();
    let mut files = parse_git_index(&bytes).unwrap_or_default();
    let written = (written.as_secs(), written.subsec_nanos());
    files.retain(|_, it| (u64::from(it.modified.0), it.modified.1) < written && it.modified.1 != 0);
    files
}

fn modified_since_epoch(file: &fs::Metadata) -> Option<Duration> {
    file.modified().ok()?.duration_since(UNIX_EPOCH).ok()
}

fn parse_git_index(bytes: &[u8]) -> Option<HashMap<String, GitIndexEntry>> {
    let version = read_be_u32(bytes, 4)?;
    if !bytes.starts_with(b"DIRC") || !(2..=3).contains(&version) {
        return None;
    }
    let mut files = HashMap::new();
    let mut at = 12;
    for _ in 0..read_be_u32(bytes, 8)? {
        let flags = u16::from_be_bytes(bytes.get(at + 60..at + 62)?.try_into().ok()?);
        let start = at + FIXED + if flags & EXTENDED == 0 { 0 } else { 2 };
        let len = bytes.get(start..)?.iter().position(|it| *it == 0)?;
        if let (0, Ok(name)) = (
            flags & STAGE,
            std::str::from_utf8(bytes.get(start..start + len)?),
        ) {
            let noted = GitIndexEntry {
                id: bytes.get(at + 40..at + 60)?.try_into().ok()?,
                modified: (read_be_u32(bytes, at + 8)?, read_be_u32(bytes, at + 12)?),
                inode: read_be_u32(bytes, at + 20)?,
                size: read_be_u32(bytes, at + 36)?,
            };
            files.insert(name.to_owned(), noted);
        }
        // Entries end with one to eight zeros, so that their length is a multiple of eight.
        at += (start - at + len + 8) / 8 * 8;
    }
    Some(files)
}

fn read_be_u32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::tests::test_repo::GitTestRepo;

    #[test]
    fn files_are_noted_with_their_ids() {
        let repo = GitTestRepo::new();
        repo.write_file("src/a.rs", "one\n");
        repo.write_file("a file with a longer name.txt", "two\n");
        repo.commit_all("first");
        let bytes = fs::read(repo.discover_checkout().git_dir().join("index")).unwrap();
        let files = parse_git_index(&bytes).unwrap();
        assert_eq!(files.len(), 2);
        assert_eq!(
            files["src/a.rs"].blob_id(),
            repo.run_git(&["rev-parse", "HEAD:src/a.rs"])
        );
        assert_eq!(files["a file with a longer name.txt"].size, 4);
    }

    #[test]
    fn what_is_no_index_says_nothing() {
        let check = |bytes: &[u8]| assert_eq!(parse_git_index(bytes), None, "{bytes:?}");
        check(b"");
        check(b"DIRC");
        check(b"DIRC\0\0\0\x02\0\0\0\x01");
        check(b"DIRC\0\0\0\x04\0\0\0\0");
        assert!(read_git_index(Path::new("/nowhere/index")).is_empty());
    }
}
