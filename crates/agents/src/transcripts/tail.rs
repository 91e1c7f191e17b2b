//! The last lines of a file that may be very long, one at a time.

use std::fs::File;
use std::{
    io::{self, BufRead, BufReader, Seek, SeekFrom},
    path::Path,
};

/// A longer line is skipped: nobody says so much, and it must not be held in memory.
const LONGEST: usize = 8 * 1024 * 1024;

/// Gives each whole line in the last `limit` bytes of a file.
pub(super) fn read_last_lines(
    path: &Path,
    limit: u64,
    each: &mut dyn FnMut(&[u8]),
) -> io::Result<()> {
    let mut file = File::open(path)?;
    let len = file.metadata()?.len();
    let start = len.saturating_sub(limit);
    // One byte earlier: a cut right behind a line's end loses no line.
    file.seek(SeekFrom::Start(start.saturating_sub(1)))?;
    let mut reader = BufReader::with_capacity(64 * 1024, file);
    if start > 0 {
        reader.skip_until(b'\n')?;
    }
    let mut line = Vec::new();
    while read_bounded_line(&mut reader, &mut line)? {
        each(&line);
    }
    Ok(())
}

/// Reads the next line that is not too long; `false` at the end.
pub(super) fn read_bounded_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let n = io::Read::take(&mut *reader, LONGEST as u64).read_until(b'\n', line)?;
    if n == LONGEST && !line.ends_with(b"\n") {
        line.clear();
        reader.skip_until(b'\n')?;
    }
    Ok(n > 0)
}
