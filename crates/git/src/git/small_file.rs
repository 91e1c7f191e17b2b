//! Reads git's own small files, without hanging on what only pretends to be one.

use std::fs::{self, File};
use std::{
    io::{self, ErrorKind, Read as _},
    path::Path,
};

use apostille_cite::source::SourceResult;

use super::source_unavailable;

/// What a file holds; `None` if there is no such file, or it is a directory or a special file.
pub(super) fn read_small_file(path: &Path, limit: u64) -> SourceResult<Option<Vec<u8>>> {
    match read_bounded_file(path, limit) {
        Ok(bytes) => Ok(bytes),
        Err(error) if is_absent_file_error(&error) => Ok(None),
        Err(error) => Err(source_unavailable(path.display().to_string(), error)),
    }
}

/// The same as text; bytes that are no text are replaced.
pub(super) fn read_small_text_file(path: &Path, limit: u64) -> SourceResult<Option<String>> {
    Ok(read_small_file(path, limit)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Whether the error says that nothing is there: also below a file, or under a name no file can have.
pub(crate) fn is_absent_file_error(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename
    )
}

fn read_bounded_file(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    // Asked before opening, because opening a pipe waits for its other end.
    if !fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(
            ErrorKind::FileTooLarge,
            format!("it has more than {limit} bytes"),
        ));
    }
    Ok(Some(bytes))
}
