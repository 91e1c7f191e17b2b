//! The beginning of a transcript, and a transcript that is one document.

use std::{
    fs::File,
    io::{self, BufReader, Read as _},
    path::Path,
};

use apostille_files::regular_file::{check_regular_path, read_regular_start};

use super::tail::read_bounded_line;

/// Gives each whole line in the first `limit` bytes of a file, until no more are wanted.
pub(super) fn read_first_lines(
    path: &Path,
    limit: u64,
    goes_on: &mut dyn FnMut(&[u8]) -> bool,
) -> io::Result<()> {
    check_regular_path(path)?;
    let mut reader = BufReader::with_capacity(16 * 1024, File::open(path)?.take(limit));
    let mut line = Vec::new();
    while read_bounded_line(&mut reader, &mut line)? && goes_on(&line) {}
    Ok(())
}

/// A whole file; one that is longer is cut, and then no document.
pub(super) fn read_document(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_regular_start(path, limit)
}
