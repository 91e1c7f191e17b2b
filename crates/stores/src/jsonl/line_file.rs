//! A file of lines that only grows: read from where we left off, appended whole, rewritten aside.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use apostille_core::store::StoreResult;
use cap_std::fs::OpenOptions;

use crate::store_errors::store_error_from_io;
use apostille_files::no_symlink;

/// A file of lines, and how far it was read.
#[derive(Debug)]
pub(super) struct LineFile {
    pub(super) path: PathBuf,
    /// Whether its owner may have put a link in its place; a file that only this program makes is never one.
    may_be_link: bool,
    /// How long it may be at most.
    max_len: u64,
    mark: ReadMark,
}

/// How far a file was read, and which file it was.
#[derive(Debug, Default, PartialEq)]
struct ReadMark {
    read: u64,
    len: u64,
    file: u64,
}

/// The lines that were added to a file, and perhaps a last one that has no end yet: torn, or still being written.
type NewLines = (Vec<Vec<u8>>, Option<Vec<u8>>);

impl LineFile {
    pub(super) fn new(path: PathBuf, may_be_link: bool, max_len: u64) -> Self {
        Self {
            path,
            may_be_link,
            max_len,
            mark: ReadMark::default(),
        }
    }

    /// Opens the file, through a link only where it may be one.
    fn open_file(&self, options: &mut cap_std::fs::OpenOptions) -> io::Result<File> {
        let target = self
            .may_be_link
            .then(|| std::fs::canonicalize(&self.path).ok())
            .flatten();
        // What is not there yet has no other name.
        let path = target.as_ref().unwrap_or(&self.path);
        let file = no_symlink::open_unlinked_file(path, options)?;
        self.check_len(file.metadata()?.len())?;
        Ok(file)
    }

    /// A file that came with a repository is not read into memory whatever its size, nor written until it cannot be read.
    fn check_len(&self, len: u64) -> io::Result<()> {
        if len <= self.max_len {
            return Ok(());
        }
        let most = self.max_len / (1024 * 1024);
        let why = format!("'{}' is larger than {most} MB", self.path.display());
        Err(io::Error::other(why))
    }

    /// Forgets how far it was read.
    pub(super) fn reset_mark(&mut self) {
        self.mark = ReadMark::default();
    }

    /// Reads what was added since the last time. `None`: it is another file, or shorter, and is to be read anew.
    pub(super) fn read_new_lines(&mut self) -> io::Result<Option<NewLines>> {
        let mut file = match self.open_file(OpenOptions::new().read(true)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let was_there = self.mark != ReadMark::default();
                return Ok((!was_there).then(NewLines::default));
            }
            Err(error) => return Err(error),
        };
        let found = file.metadata()?;
        let (len, identity) = (found.len(), file_identity(&found));
        if self.mark.file != 0 && (self.mark.file != identity || len < self.mark.len) {
            return Ok(None);
        }
        if self.mark.file == identity && len == self.mark.len {
            return Ok(Some(NewLines::default()));
        }
        file.seek(SeekFrom::Start(self.mark.read))?;
        let mut bytes = Vec::new();
        file.take(len - self.mark.read).read_to_end(&mut bytes)?;
        let whole = bytes
            .iter()
            .rposition(|it| *it == b'\n')
            .map_or(0, |at| at + 1);
        self.mark = ReadMark {
            read: self.mark.read + whole as u64,
            len,
            file: identity,
        };
        let tail = bytes.split_off(whole);
        let tail = Some(tail).filter(|it| !it.is_empty());
        Ok(Some((split_byte_lines(&bytes), tail)))
    }

    /// Counts the line without an end as read, because it was whole.
    pub(super) fn accept_tail(&mut self) {
        self.mark.read = self.mark.len;
    }

    /// Adds a line and, if it must last, waits until it is on the disk. A line cut short by a full disk is taken back.
    pub(super) fn append_line(&self, line: &str, must_last: bool) -> io::Result<()> {
        let is_new = !self.path.exists();
        let mut file = self.open_file(OpenOptions::new().read(true).create(true).append(true))?;
        let len = file.metadata()?.len();
        self.check_len(len + line.len() as u64)?;
        let torn = has_torn_end(&mut file, len)?;
        let start = if torn { "\n" } else { "" };
        let written = file
            .write_all(format!("{start}{line}").as_bytes())
            .and_then(|()| if must_last { file.sync_data() } else { Ok(()) });
        // Best effort: what cannot be taken back is a torn line, which every reader knows how to skip.
        written.inspect_err(|_| drop(file.set_len(len)))?;
        if is_new && must_last {
            sync_parent_folder(&self.path)?;
        }
        Ok(())
    }

    /// Puts a new content in place of the old: written aside, forced to the disk, renamed. Who may read the file stays as
    /// it was, whatever the mask of this process is.
    pub(super) fn replace_content(&self, content: &[u8]) -> io::Result<()> {
        let aside = self.path.with_extension("rewrite");
        let mut file = no_symlink::open_unlinked_file(
            &aside,
            OpenOptions::new().write(true).create(true).truncate(true),
        )?;
        if let Ok(old) = std::fs::metadata(&self.path) {
            file.set_permissions(old.permissions())?;
        }
        file.write_all(content)?;
        file.sync_all()?;
        std::fs::rename(&aside, &self.path)?;
        sync_parent_folder(&self.path)
    }

    /// The content of the file, each line as it is stripped: what cannot be read stays as it is.
    pub(super) fn content_stripped(
        &self,
        strip: &dyn Fn(&str) -> StoreResult<Option<String>>,
    ) -> StoreResult<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = self.open_file(OpenOptions::new().read(true));
        match file.and_then(|mut it| it.read_to_end(&mut bytes)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(store_error_from_io("cannot read the store")(error));
            }
            _ => {}
        }
        let mut content = Vec::with_capacity(bytes.len());
        for bytes in split_byte_lines(&bytes) {
            match std::str::from_utf8(&bytes) {
                Ok(text) => {
                    let kept = strip(text)?;
                    content.extend(kept.unwrap_or_default().bytes());
                }
                Err(_) => content.extend(bytes.into_iter().chain(*b"\n")),
            }
        }
        Ok(content)
    }
}

/// The lines of some bytes; the last one may have no end.
fn split_byte_lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = bytes.split(|it| *it == b'\n').map(<[u8]>::to_vec).collect();
    if lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    lines
}

fn has_torn_end(file: &mut File, len: u64) -> io::Result<bool> {
    if len == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::Start(len - 1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// A rename is only on the disk when its folder is.
fn sync_parent_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        #[cfg(unix)]
        Some(folder) if folder.as_os_str().is_empty() => File::open(".")?.sync_all(),
        #[cfg(unix)]
        Some(folder) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

/// Which file it is. Git puts a new file in the place of the old one, and a disk may give it the same number.
fn file_identity(found: &std::fs::Metadata) -> u64 {
    let created = found
        .created()
        .ok()
        .and_then(|it| it.duration_since(std::time::UNIX_EPOCH).ok());
    let created = created.map_or(0, |it| it.as_nanos() as u64);
    #[cfg(unix)]
    let created = created.wrapping_mul(31) ^ std::os::unix::fs::MetadataExt::ino(found);
    created.max(1)
}
