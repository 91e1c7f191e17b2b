//! The working tree as a source: the files as they lie there, edits included, and nothing beside them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::{
    fs,
    io::{self, Read as _},
    ops::RangeInclusive,
    path::Path,
    sync::{Mutex, OnceLock},
};

use apostille_cite::{
    citation::RepoPath,
    file_lines::is_binary_content,
    source::{
        CommitHistory, DefaultBranch, FileEdit, MAX_FILE, Source, SourceBlob, SourceError,
        SourceResult, SourceTree,
    },
};
use apostille_files::{lock::lock_ignoring_poison, regular_file::set_nonblocking};
use cap_std::{
    ambient_authority,
    fs::{Dir, File, Metadata, OpenOptions},
};

use crate::git::{
    Checkout, Commit, MAX_FILES, compute_blob_id, diff_worktree_with_commit,
    index::{self, GitIndexEntry},
    is_absent_file_error, list_sparse_excluded, source_unavailable,
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
    noted: OnceLock<HashMap<String, GitIndexEntry>>,
    /// Directories that were entered and are no links.
    entered: Mutex<HashSet<String>>,
}

impl WorkTree {
    /// The working tree of a repository; a bare one has none, which is `SourceError::Nowhere`.
    pub fn open(checkout: &Checkout) -> SourceResult<Self> {
        let root = open_worktree_root(checkout.root().ok_or(SourceError::Nowhere)?)?;
        Ok(Self::from_root(root, Some(checkout.clone())))
    }

    /// A directory that is no repository: its files can be read, and there is no commit.
    pub fn open_plain(root: &Path) -> SourceResult<Self> {
        Ok(Self::from_root(open_worktree_root(root)?, None))
    }

    fn from_root(root: Dir, checkout: Option<Checkout>) -> Self {
        Self {
            root,
            checkout,
            head: OnceLock::new(),
            left_out: OnceLock::new(),
            noted: OnceLock::new(),
            entered: Mutex::default(),
        }
    }

    /// The commit that is checked out; `None` outside git and before the first commit.
    fn head_commit(&self) -> SourceResult<Option<&Commit>> {
        if let Some(known) = self.head.get() {
            return Ok(known.as_ref());
        }
        let id = self.read_tree()?.commit;
        let commit = self
            .checkout
            .as_ref()
            .zip(id)
            .map(|(checkout, id)| Commit::new(checkout, &id));
        let commit = commit.transpose()?;
        Ok(self.head.get_or_init(|| commit).as_ref())
    }

    /// Whether the directories on the way to a file are such, and no links.
    ///
    /// Nothing is read on this way, so the paths are asked for as they are, which takes a third of the calls that
    /// opening them below the root does.
    fn can_enter(&self, root: &Path, path: &RepoPath) -> bool {
        let Some((folder, _)) = path.as_str().rsplit_once('/') else {
            return true;
        };
        can_enter_folder(root, folder, &mut lock_ignoring_poison(&self.entered))
    }

    fn read_bytes(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, ReadRefusal> {
        let mut name = path.as_str();
        if name.split('/').any(is_git_by_another_name) {
            return Err(ReadRefusal::Outside);
        }
        let mut dir: Option<Dir> = None;
        while let Some((folder, rest)) = name.split_once('/') {
            dir = open_subdirectory(dir.as_ref().unwrap_or(&self.root), folder)?;
            if dir.is_none() {
                return Ok(None);
            }
            name = rest;
        }
        read_worktree_file(dir.as_ref().unwrap_or(&self.root), name)
    }

    /// The answer for a file that is not there: a sparse checkout may have left it out.
    fn check_absent(&self, path: &RepoPath) -> SourceResult<Option<SourceBlob>> {
        let Some(checkout) = &self.checkout else {
            return Ok(None);
        };
        let left_out = match self.left_out.get() {
            Some(known) => known,
            None => {
                let paths = list_sparse_excluded(checkout)?;
                self.left_out.get_or_init(|| paths)
            }
        };
        if left_out.contains(path.as_str()) {
            let why = "it is not checked out here; look at the commit instead";
            return Err(source_unavailable(format!("'{path}'"), why));
        }
        Ok(None)
    }

    /// Git's id of these bytes. Where git converts files on checkout, the committed ones have another id.
    fn find_blob_id(&self, bytes: &[u8]) -> Option<String> {
        self.checkout
            .as_ref()
            .is_none_or(Checkout::uses_sha1)
            .then(|| compute_blob_id(bytes))
    }
}

impl Source for WorkTree {
    fn read_tree(&self) -> SourceResult<SourceTree> {
        let head = self
            .checkout
            .as_ref()
            .map(Checkout::read_head)
            .transpose()?
            .unwrap_or_default();
        Ok(SourceTree {
            commit: head.commit,
            branch: head.branch,
            is_worktree: true,
        })
    }

    fn read_file(&self, path: &RepoPath) -> SourceResult<Option<SourceBlob>> {
        match self.read_bytes(path) {
            Ok(Some(bytes)) => Ok(Some(SourceBlob {
                id: self.find_blob_id(&bytes),
                bytes,
            })),
            Ok(None) => self.check_absent(path),
            Err(ReadRefusal::Outside) => Err(SourceError::Outside { path: path.clone() }),
            Err(ReadRefusal::TooLarge(bytes)) => Err(SourceError::TooLarge {
                path: path.clone(),
                bytes,
            }),
            Err(ReadRefusal::Io(error)) if is_absent_file_error(&error) => self.check_absent(path),
            Err(ReadRefusal::Io(error)) => Err(source_unavailable(format!("'{path}'"), error)),
        }
    }

    /// By what git noted, if the file has not been touched since. Files that git converts on checkout are left out.
    fn file_id(&self, path: &RepoPath) -> Option<String> {
        let checkout = self.checkout.as_ref().filter(|it| it.uses_sha1())?;
        let noted = self
            .noted
            .get_or_init(|| index::read_git_index(&checkout.git_dir().join("index")))
            .get(path.as_str())?;
        let root = checkout.root()?;
        self.can_enter(root, path).then_some(())?;
        let metadata = fs::symlink_metadata(root.join(path.as_str())).ok()?;
        let is_noted = metadata.is_file() && noted.is_unchanged(&metadata);
        is_noted.then(|| noted.blob_id())
    }

    fn has_file(&self, path: &RepoPath) -> SourceResult<bool> {
        let full = self.checkout.as_ref().and_then(Checkout::root);
        let full = full.map(|root| root.join(path.as_str()));
        // What is in the way, a link or no permission, is told by reading.
        match full.map(fs::symlink_metadata) {
            Some(Ok(metadata)) if metadata.is_file() => Ok(true),
            _ => Ok(self.read_file(path)?.is_some()),
        }
    }

    fn is_settled(&self) -> SourceResult<bool> {
        let Some(checkout) = &self.checkout else {
            return Ok(false);
        };
        let is_at_default = checkout.is_at_default_branch(&checkout.read_head()?);
        Ok(is_at_default && (self.list_uncommitted_edits()?.iter()).all(|it| it.was.is_none()))
    }

    fn open_commit(&self, id: &str) -> SourceResult<Option<Box<dyn Source>>> {
        self.head_commit()?
            .map_or(Ok(None), |head| head.open_commit(id))
    }

    fn open_default_branch(&self) -> SourceResult<Option<DefaultBranch>> {
        let (Some(checkout), Some(commit)) = (&self.checkout, self.head_commit()?) else {
            return Ok(None);
        };
        commit.open_default_branch_of(&checkout.read_head()?)
    }

    fn walk_history(&self, from: &BTreeSet<String>, most: usize) -> SourceResult<CommitHistory> {
        match self.head_commit()? {
            Some(head) => head.walk_history(from, most),
            None => Ok(CommitHistory::default()),
        }
    }

    fn read_object(&self, id: &str) -> SourceResult<Option<Vec<u8>>> {
        self.head_commit()?
            .map_or(Ok(None), |it| it.read_object(id))
    }

    fn list_uncommitted_edits(&self) -> SourceResult<Vec<FileEdit>> {
        match (&self.checkout, self.read_tree()?.commit) {
            (Some(checkout), Some(commit)) => diff_worktree_with_commit(checkout, &commit),
            _ => Ok(Vec::new()),
        }
    }

    /// What the commit has and the working tree still has, and the new files beside it.
    fn list_paths(&self) -> SourceResult<Option<BTreeSet<RepoPath>>> {
        let Some(mut paths) = self.head_commit()?.map_or(Ok(None), Source::list_paths)? else {
            return Ok(None);
        };
        for edit in self.list_uncommitted_edits()? {
            if let Some(was) = &edit.was {
                paths.remove(&was.path);
            }
            paths.extend(edit.now.map(|it| it.path));
        }
        Ok(Some(paths))
    }

    /// The files of the commit, as they lie here, and the new ones beside them; what git ignores is not looked into.
    fn visit_files(
        &self,
        see: &mut dyn FnMut(&RepoPath, &SourceBlob) -> bool,
    ) -> SourceResult<bool> {
        let Some(head) = self.head_commit()? else {
            return Ok(false);
        };
        let mut paths: BTreeSet<RepoPath> = head.list_files()?.into_iter().map(|it| it.0).collect();
        let edits = self.list_uncommitted_edits()?.into_iter();
        paths.extend(edits.filter_map(|it| Some(it.now?.path)));
        for path in paths.iter().take(MAX_FILES) {
            let blob = match self.read_file(path) {
                Ok(Some(blob)) => blob,
                Ok(None) | Err(SourceError::Outside { .. } | SourceError::TooLarge { .. }) => {
                    continue;
                }
                Err(error) => return Err(error),
            };
            if !is_binary_content(&blob.bytes) && !see(path, &blob) {
                return Ok(true);
            }
        }
        Ok(paths.len() <= MAX_FILES)
    }
}

/// Why a file was not read, before the path is named.
enum ReadRefusal {
    Outside,
    TooLarge(u64),
    Io(io::Error),
}

impl From<io::Error> for ReadRefusal {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn open_worktree_root(root: &Path) -> SourceResult<Dir> {
    Dir::open_ambient_dir(root, ambient_authority())
        .map_err(|error| source_unavailable(root.display().to_string(), error))
}

/// Goes down by one directory; `None` if there is none of this name.
///
/// The kind is asked first, to tell the reader of links. If it is swapped in between, `Dir` still leaves no way out of
/// the directory, and what was opened is not what was asked about: a link to git's own files leads nowhere either.
fn open_subdirectory(dir: &Dir, name: &str) -> Result<Option<Dir>, ReadRefusal> {
    let seen = dir.symlink_metadata(name)?;
    if seen.file_type().is_symlink() {
        return Err(ReadRefusal::Outside);
    }
    if !seen.is_dir() {
        return Ok(None);
    }
    let below = dir.open_dir(name)?;
    if !is_same_file(&seen, &below.dir_metadata()?) {
        return Err(swapped_file_refusal());
    }
    match below.symlink_metadata(".git") {
        Ok(_) => Err(ReadRefusal::Outside),
        Err(error) if is_absent_file_error(&error) => Ok(Some(below)),
        Err(error) => Err(error.into()),
    }
}

fn read_worktree_file(dir: &Dir, name: &str) -> Result<Option<Vec<u8>>, ReadRefusal> {
    // An editor that saves a file puts another one in its place, so it is looked at again.
    for _ in 0..TRIES {
        let seen = dir.symlink_metadata(name)?;
        if seen.file_type().is_symlink() {
            return Err(ReadRefusal::Outside);
        }
        if seen.is_dir() {
            // A repository of its own is refused, as on the way to a file.
            return open_subdirectory(dir, name).map(|_| None);
        }
        if !seen.is_file() {
            return Ok(None);
        }
        let file = dir.open_with(name, &read_only_options())?;
        // Asked again, because it may have been swapped for a pipe or for a link in between.
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Ok(None);
        }
        if is_same_file(&seen, &metadata) {
            return read_bounded_content(file, metadata.len());
        }
    }
    Err(swapped_file_refusal())
}

fn swapped_file_refusal() -> ReadRefusal {
    ReadRefusal::Io(io::Error::other("it is being replaced while it is read"))
}

/// Whether what was opened is what was asked about.
#[cfg(unix)]
fn is_same_file(seen: &Metadata, opened: &Metadata) -> bool {
    use cap_std::fs::MetadataExt as _;
    (seen.dev(), seen.ino()) == (opened.dev(), opened.ino())
}

/// Elsewhere a link is made by an administrator only, and `Dir` leaves no way out.
#[cfg(not(unix))]
fn is_same_file(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// The content, unless the file is too large or grows too large while it is read.
fn read_bounded_content(file: File, size: u64) -> Result<Option<Vec<u8>>, ReadRefusal> {
    if size > MAX_FILE {
        return Err(ReadRefusal::TooLarge(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    file.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    let read = bytes.len() as u64;
    if read > MAX_FILE {
        Err(ReadRefusal::TooLarge(read))
    } else {
        Ok(Some(bytes))
    }
}

/// Whether a directory and those above it are such, and no links, and no repository of their own.
fn can_enter_folder(root: &Path, folder: &str, entered: &mut HashSet<String>) -> bool {
    if entered.contains(folder) {
        return true;
    }
    let is_way_clear = folder
        .rsplit_once('/')
        .is_none_or(|(above, _)| can_enter_folder(root, above, entered));
    let path = root.join(folder);
    let is_real = || fs::symlink_metadata(&path).is_ok_and(|it| it.is_dir());
    let is_ours =
        || fs::symlink_metadata(path.join(".git")).is_err_and(|it| is_absent_file_error(&it));
    is_way_clear && is_real() && is_ours() && entered.insert(folder.to_owned())
}

/// For reading, and without waiting for the other end of a pipe where the platform can be told so.
fn read_only_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    set_nonblocking(options.read(true));
    options
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
