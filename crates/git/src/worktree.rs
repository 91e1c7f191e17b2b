//! The working tree as a source: the files as they lie there, edits included, and nothing beside them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::io::{self, Read as _};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use apostille_cite::citation::RepoPath;
use apostille_cite::sheet::is_binary;
use apostille_cite::source::{Blob, Edit, History, MAX_FILE, Source, SourceError, Tree};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use sha1::{Digest as _, Sha1};

use crate::git::index::{self, Noted};
use crate::git::{
    Checkout, Commit, MAX_FILES, hexadecimal, is_absent, left_out, unavailable, uncommitted,
};

/// Characters that macOS ignores in the names of files.
const IGNORED: [RangeInclusive<char>; 4] = [
    '\u{200c}'..='\u{200f}',
    '\u{202a}'..='\u{202e}',
    '\u{206a}'..='\u{206f}',
    '\u{feff}'..='\u{feff}',
];

/// How often a file is looked at that is replaced under the reader's eyes.
const TRIES: usize = 4;

/// The files below one directory.
///
/// Symbolic links are refused as leading out, wherever they point, also on the way to a file: a link could point to
/// git's own files or into a submodule, and [`Commit`] does not follow links either. Whoever cites
/// a linked file cites the file itself. A repository inside this one is refused in the same way.
#[derive(Debug)]
pub struct WorkTree {
    root: Dir,
    /// `None` for a directory that is no repository.
    checkout: Option<Checkout>,
    /// What is checked out, for its history and for objects; made when somebody asks.
    head: OnceLock<Option<Commit>>,
    /// What a sparse checkout left out of the working tree; asked for when something is not there.
    left_out: OnceLock<BTreeSet<String>>,
    /// What git noted of the files; read when somebody asks.
    noted: OnceLock<HashMap<String, Noted>>,
    /// Directories that were entered and are no links.
    entered: Mutex<HashSet<String>>,
}

impl WorkTree {
    /// The working tree of a repository; a bare one has none, which is `SourceError::Nowhere`.
    pub fn open(checkout: &Checkout) -> Result<Self, SourceError> {
        let root = open_root(checkout.root().ok_or(SourceError::Nowhere)?)?;
        Ok(Self::of(root, Some(checkout.clone())))
    }

    /// A directory that is no repository: its files can be read, and there is no commit.
    pub fn plain(root: &Path) -> Result<Self, SourceError> {
        Ok(Self::of(open_root(root)?, None))
    }

    fn of(root: Dir, checkout: Option<Checkout>) -> Self {
        let (head, left_out, noted) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self {
            root,
            checkout,
            head,
            left_out,
            noted,
            entered: Mutex::default(),
        }
    }

    /// The commit that is checked out; `None` outside git and before the first commit.
    fn head(&self) -> Result<Option<&Commit>, SourceError> {
        if let Some(known) = self.head.get() {
            return Ok(known.as_ref());
        }
        let commit = match &self.checkout {
            Some(checkout) => checkout
                .head()?
                .commit
                .map(|id| Commit::new(checkout, &id))
                .transpose()?,
            None => None,
        };
        Ok(self.head.get_or_init(|| commit).as_ref())
    }

    /// Whether the directories on the way to a file are such, and no links.
    ///
    /// Nothing is read on this way, so the paths are asked for as they are, which takes a third of the calls that
    /// opening them below the root does.
    fn is_entered(&self, root: &Path, path: &RepoPath) -> bool {
        let Some((folder, _)) = path.as_str().rsplit_once('/') else {
            return true;
        };
        enters(
            root,
            folder,
            &mut self.entered.lock().unwrap_or_else(PoisonError::into_inner),
        )
    }

    fn find_folder(&self, folder: &str) -> Result<Option<Dir>, Refusal> {
        let mut dir = None;
        for part in folder.split('/') {
            match step(dir.as_ref().unwrap_or(&self.root), part)? {
                Some(below) => dir = Some(below),
                None => return Ok(None),
            }
        }
        Ok(dir)
    }

    fn read_bytes(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, Refusal> {
        if path.as_str().split('/').any(is_git_by_another_name) {
            return Err(Refusal::Outside);
        }
        let Some((folder, name)) = path.as_str().rsplit_once('/') else {
            return read_file(&self.root, path.as_str());
        };
        self.find_folder(folder)?
            .map_or(Ok(None), |it| read_file(&it, name))
    }

    /// The answer for a file that is not there: a sparse checkout may have left it out.
    fn absent(&self, path: &RepoPath) -> Result<Option<Blob>, SourceError> {
        let Some(checkout) = &self.checkout else {
            return Ok(None);
        };
        if self.left_out.get().is_none() {
            let paths = left_out(checkout)?;
            self.left_out.get_or_init(|| paths);
        }
        if self
            .left_out
            .get()
            .is_some_and(|it| it.contains(path.as_str()))
        {
            let why = "it is not checked out here; look at the commit instead";
            return Err(unavailable(format!("'{path}'"), why));
        }
        Ok(None)
    }

    /// Git's id of these bytes. Where git converts files on checkout, the committed ones have another id.
    fn blob_id(&self, bytes: &[u8]) -> Option<String> {
        let uses_sha1 = self.checkout.as_ref().is_none_or(Checkout::uses_sha1);
        uses_sha1.then(|| {
            let header = format!("blob {}\0", bytes.len());
            hexadecimal(
                &Sha1::new()
                    .chain_update(header)
                    .chain_update(bytes)
                    .finalize(),
            )
        })
    }
}

impl Source for WorkTree {
    fn tree(&self) -> Result<Tree, SourceError> {
        let head = self
            .checkout
            .as_ref()
            .map(Checkout::head)
            .transpose()?
            .unwrap_or_default();
        Ok(Tree {
            commit: head.commit,
            branch: head.branch,
            is_worktree: true,
        })
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Blob>, SourceError> {
        match self.read_bytes(path) {
            Ok(Some(bytes)) => Ok(Some(Blob {
                id: self.blob_id(&bytes),
                bytes,
            })),
            Ok(None) => self.absent(path),
            Err(Refusal::Outside) => Err(SourceError::Outside { path: path.clone() }),
            Err(Refusal::TooLarge(bytes)) => Err(SourceError::TooLarge {
                path: path.clone(),
                bytes,
            }),
            Err(Refusal::Io(error)) if is_absent(&error) => self.absent(path),
            Err(Refusal::Io(error)) => Err(unavailable(format!("'{path}'"), error)),
        }
    }

    /// By what git noted, if the file has not been touched since. Files that git converts on checkout are left out.
    fn id(&self, path: &RepoPath) -> Option<String> {
        let checkout = self.checkout.as_ref().filter(|it| it.uses_sha1())?;
        let noted = self
            .noted
            .get_or_init(|| index::read(&checkout.git_dir().join("index")))
            .get(path.as_str())?;
        let root = checkout.root()?;
        self.is_entered(root, path).then_some(())?;
        let metadata = fs::symlink_metadata(root.join(path.as_str()))
            .ok()
            .filter(fs::Metadata::is_file)?;
        noted
            .is_same(metadata.modified().ok(), inode(&metadata), metadata.len())
            .then(|| noted.id())
    }

    fn is_settled(&self) -> Result<bool, SourceError> {
        let Some(checkout) = &self.checkout else {
            return Ok(false);
        };
        Ok(checkout.is_default(&checkout.head()?)
            && self.edits()?.iter().all(|it| it.was.is_none()))
    }

    fn history(&self, from: &BTreeSet<String>, most: usize) -> Result<History, SourceError> {
        self.head()?
            .map_or_else(|| Ok(History::default()), |it| it.history(from, most))
    }

    fn object(&self, id: &str) -> Result<Option<Vec<u8>>, SourceError> {
        self.head()?.map_or(Ok(None), |it| it.object(id))
    }

    fn edits(&self) -> Result<Vec<Edit>, SourceError> {
        match (&self.checkout, self.tree()?.commit) {
            (Some(checkout), Some(commit)) => uncommitted(checkout, &commit),
            _ => Ok(Vec::new()),
        }
    }

    /// The files of the commit, as they lie here, and the new ones beside them; what git ignores is not looked into.
    fn visit(&self, see: &mut dyn FnMut(&RepoPath, &Blob) -> bool) -> Result<bool, SourceError> {
        let Some(head) = self.head()? else {
            return Ok(false);
        };
        let mut paths: BTreeSet<RepoPath> = head.files()?.into_iter().map(|it| it.0).collect();
        paths.extend(
            self.edits()?
                .into_iter()
                .filter_map(|it| it.now)
                .map(|it| it.path),
        );
        for path in paths.iter().take(MAX_FILES) {
            let blob = match self.read(path) {
                Ok(Some(blob)) => blob,
                Ok(None) | Err(SourceError::Outside { .. } | SourceError::TooLarge { .. }) => {
                    continue;
                }
                Err(error) => return Err(error),
            };
            if !is_binary(&blob.bytes) && !see(path, &blob) {
                return Ok(true);
            }
        }
        Ok(paths.len() <= MAX_FILES)
    }
}

/// Why a file was not read, before the path is named.
enum Refusal {
    Outside,
    TooLarge(u64),
    Io(io::Error),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn open_root(root: &Path) -> Result<Dir, SourceError> {
    Dir::open_ambient_dir(root, ambient_authority())
        .map_err(|error| unavailable(root.display().to_string(), error))
}

/// Goes down by one directory; `None` if there is none of this name.
///
/// The kind is asked first, to tell the reader of links. If it is swapped in between, `Dir` still leaves no way out of
/// the directory, and what was opened is not what was asked about: a link to git's own files leads nowhere either.
fn step(dir: &Dir, name: &str) -> Result<Option<Dir>, Refusal> {
    let seen = dir.symlink_metadata(name)?;
    if seen.file_type().is_symlink() {
        return Err(Refusal::Outside);
    }
    if !seen.is_dir() {
        return Ok(None);
    }
    let below = dir.open_dir(name)?;
    if !is_same(&seen, &below.dir_metadata()?) {
        return Err(swapped());
    }
    match below.symlink_metadata(".git") {
        Ok(_) => Err(Refusal::Outside),
        Err(error) if is_absent(&error) => Ok(Some(below)),
        Err(error) => Err(error.into()),
    }
}

fn read_file(dir: &Dir, name: &str) -> Result<Option<Vec<u8>>, Refusal> {
    // An editor that saves a file puts another one in its place, so it is looked at again.
    for _ in 0..TRIES {
        let seen = dir.symlink_metadata(name)?;
        if seen.file_type().is_symlink() {
            return Err(Refusal::Outside);
        }
        if seen.is_dir() {
            // A repository of its own is refused, as on the way to a file.
            return step(dir, name).map(|_| None);
        }
        if !seen.is_file() {
            return Ok(None);
        }
        let file = dir.open_with(name, &read_only())?;
        // Asked again, because it may have been swapped for a pipe or for a link in between.
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Ok(None);
        }
        if is_same(&seen, &metadata) {
            return read_at_most(file, metadata.len());
        }
    }
    Err(swapped())
}

fn swapped() -> Refusal {
    Refusal::Io(io::Error::other("it is being replaced while it is read"))
}

/// Whether what was opened is what was asked about.
#[cfg(unix)]
fn is_same(seen: &Metadata, opened: &Metadata) -> bool {
    use cap_std::fs::MetadataExt as _;
    (seen.dev(), seen.ino()) == (opened.dev(), opened.ino())
}

/// Elsewhere a link is made by an administrator only, and `Dir` leaves no way out.
#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// The content, unless the file is too large or grows too large while it is read.
fn read_at_most(file: File, size: u64) -> Result<Option<Vec<u8>>, Refusal> {
    if size > MAX_FILE {
        return Err(Refusal::TooLarge(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    file.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    let read = bytes.len() as u64;
    if read > MAX_FILE {
        Err(Refusal::TooLarge(read))
    } else {
        Ok(Some(bytes))
    }
}

/// Whether a directory and those above it are such, and no links, and no repository of their own.
fn enters(root: &Path, folder: &str, entered: &mut HashSet<String>) -> bool {
    if entered.contains(folder) {
        return true;
    }
    let is_way_clear = folder
        .rsplit_once('/')
        .is_none_or(|(above, _)| enters(root, above, entered));
    let path = root.join(folder);
    let is_real = || fs::symlink_metadata(&path).is_ok_and(|it| it.is_dir());
    let is_ours = || fs::symlink_metadata(path.join(".git")).is_err_and(|it| is_absent(&it));
    is_way_clear && is_real() && is_ours() && entered.insert(folder.to_owned())
}

#[cfg(unix)]
fn inode(metadata: &fs::Metadata) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    Some(metadata.ino())
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> Option<u64> {
    None
}

/// For reading, and without waiting for the other end of a pipe where the platform can be told so.
fn read_only() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    if let Some(flag) = nonblocking_flag() {
        use cap_std::fs::OpenOptionsExt as _;
        options.custom_flags(flag);
    }
    options
}

/// `O_NONBLOCK`, which the standard library does not name; `None` where its number is not known for sure.
#[cfg(unix)]
fn nonblocking_flag() -> Option<i32> {
    let is_usual = cfg!(any(
        target_arch = "x86_64",
        target_arch = "x86",
        target_arch = "aarch64",
        target_arch = "arm"
    )) || cfg!(any(
        target_arch = "riscv64",
        target_arch = "powerpc64",
        target_arch = "s390x"
    ));
    if cfg!(any(target_os = "linux", target_os = "android")) {
        is_usual.then_some(0o4000)
    } else {
        cfg!(any(
            target_vendor = "apple",
            target_os = "freebsd",
            target_os = "openbsd",
            target_os = "netbsd"
        ))
        .then_some(0x4)
    }
}

/// `.git` as Windows and macOS also let it be written; `RepoPath` refuses the plain form.
fn is_git_by_another_name(part: &str) -> bool {
    let is_ignored = |c: &char| IGNORED.iter().any(|range| range.contains(c));
    let seen: String = part.chars().filter(|c| !is_ignored(c)).collect();
    let bare = seen
        .split(':')
        .next()
        .unwrap_or_default()
        .trim_end_matches([' ', '.'])
        .to_ascii_lowercase();
    // Windows calls `.git` also `git~1`, or another number if that was taken.
    let is_short = bare
        .strip_prefix("git~")
        .is_some_and(|it| it.chars().all(|c| c.is_ascii_digit()));
    bare == ".git" || is_short
}

#[cfg(test)]
mod tests;
