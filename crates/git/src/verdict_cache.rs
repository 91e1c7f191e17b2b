//! Findings of the verification kept between runs, in one small file that may be lost at any time.
//!
//! A hook has a few milliseconds, and following a citation through a history can take hundreds. The answer does not change
//! as long as what it was computed from does not: the key is made of the citation and of the id of the file or the commit that
//! was read, so a finding is never out of date, it is only no longer asked for. That is why there is no invalidation here.
//!
//! Nothing is believed that was damaged: a line without its end, or a line whose key is not the one asked for, is as if it
//! were not there. Several processes append at once, each in one write; a torn line costs one finding. A file that
//! has grown too large, or has another header, is begun anew instead of being repaired.
//!
//! Reading is the hot path, and most of the file is not wanted: thousands of lines for ten questions. So the file is read
//! in one piece, only the place of each line is noted under the hash of its key, and nothing is copied until somebody asks.
//! The map's own hashing is the identity, because its keys are hashes already.
//!
//! What `forget` removes must not live on in here: keys and values have no words of a memory in them, and the file is
//! dropped as a whole all the same.

use std::collections::HashMap;
use std::{
    fs,
    hash::{BuildHasherDefault, DefaultHasher, Hasher},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard},
    time::SystemTime,
};

use apostille_cite::{
    citation::RepoPath,
    source::{
        CommitHistory, DefaultBranch, FileEdit, Source, SourceBlob, SourceResult, SourceTree,
        VerdictCache,
    },
};
use apostille_files::lock::{lock_ignoring_poison, set_private_mode};

/// The first line: what this is, and in which version. The number grows when citations are followed otherwise than before,
/// so that nothing is believed that would no longer be found.
const HEADER: &str = "apostille verdicts 2\n";
/// A file that has grown beyond this is begun anew.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// How long a line is, more or less.
const LINE_BYTES: usize = 100;

/// Keys and values, a line each. Read when first asked, written when dropped, in one piece: several processes may do so
/// at once, and a torn line is ignored.
#[derive(Debug)]
pub struct VerdictCacheFile {
    path: PathBuf,
    state: Mutex<VerdictCacheState>,
}

#[derive(Debug, Default)]
struct VerdictCacheState {
    known: Option<VerdictCacheEntries>,
    fresh: String,
    /// The file as it was when it was read or written last.
    seen: Option<FileFingerprint>,
}

/// What a file says, and what was found since. A hook reads thousands of lines to ask for ten, so a line is only looked
/// up by the hash of its key, and nothing of it is copied until somebody wants it.
#[derive(Debug, Default)]
struct VerdictCacheEntries {
    text: String,
    /// Where the line of a key begins, by the hash of the key.
    lines: HashMap<u64, usize, BuildHasherDefault<IdentityHasher>>,
    found: HashMap<String, String>,
}

impl VerdictCacheEntries {
    fn from_text(text: String) -> Self {
        let mut lines = HashMap::with_capacity_and_hasher(
            text.len() / LINE_BYTES,
            BuildHasherDefault::default(),
        );
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            if let Some((key, _)) = line.strip_suffix('\n').and_then(|it| it.split_once('\t')) {
                lines.insert(hash_cache_key(key), at);
            }
            at += line.len();
        }
        Self {
            text,
            lines,
            found: HashMap::new(),
        }
    }

    fn get(&self, key: &str) -> Option<&str> {
        if let Some(value) = self.found.get(key) {
            return Some(value);
        }
        let start = *self.lines.get(&hash_cache_key(key))?;
        self.text
            .get(start..)?
            .lines()
            .next()?
            .strip_prefix(key)?
            .strip_prefix('\t')
    }
}

fn hash_cache_key(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(key.as_bytes());
    hasher.finish()
}

/// A hash is its own hash.
#[derive(Debug, Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|it| self.0 = self.0.rotate_left(8) ^ u64::from(*it));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// What tells whether a file is still the same.
type FileFingerprint = (u64, Option<SystemTime>);

impl VerdictCacheFile {
    /// The memo in this file, which need not exist yet.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            state: Mutex::default(),
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, VerdictCacheState> {
        lock_ignoring_poison(&self.state)
    }

    fn load_entries<'s>(&self, state: &'s mut VerdictCacheState) -> &'s mut VerdictCacheEntries {
        if state.known.is_none() {
            state.seen = read_file_fingerprint(&self.path);
        }
        state
            .known
            .get_or_insert_with(|| read_verdict_file(&self.path))
    }

    /// Lets go of what was read, if the file is another one by now.
    fn drop_stale(&self) {
        let mut state = self.lock_state();
        if state.fresh.is_empty() && state.seen != read_file_fingerprint(&self.path) {
            state.known = None;
        }
    }

    /// Writes what is new.
    fn flush(&self) {
        let fresh = std::mem::take(&mut self.lock_state().fresh);
        if !fresh.is_empty() {
            let _ = self.append_lines(&fresh);
            self.lock_state().seen = read_file_fingerprint(&self.path);
        }
    }

    /// Drops everything, the file included.
    pub fn clear(&self) {
        *self.lock_state() = VerdictCacheState::default();
        // A file that is not there is what is wanted.
        let _ = fs::remove_file(&self.path);
    }

    /// Writes what is new. What cannot be written is found again next time.
    fn append_lines(&self, fresh: &str) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let is_good = fs::metadata(&self.path).is_ok_and(|it| it.len() <= MAX_BYTES)
            && has_verdict_header(&self.path);
        if !is_good && self.path.exists() {
            fs::remove_file(&self.path)?;
        }
        let mut options = fs::OpenOptions::new();
        let mut file = set_private_mode(options.create(true).append(true)).open(&self.path)?;
        let header = if is_good { "" } else { HEADER };
        file.write_all(format!("{header}{fresh}").as_bytes())
    }
}

impl VerdictCache for VerdictCacheFile {
    fn get(&self, key: &str) -> Option<String> {
        self.load_entries(&mut self.lock_state())
            .get(key)
            .map(Into::into)
    }

    fn put(&self, key: &str, value: &str) {
        let mut state = self.lock_state();
        let entries = self.load_entries(&mut state);
        if entries.get(key) != Some(value) {
            entries.found.insert(key.to_owned(), value.to_owned());
            state.fresh += &format!("{key}\t{value}\n");
        }
    }
}

impl Drop for VerdictCacheFile {
    fn drop(&mut self) {
        self.flush();
    }
}

fn read_file_fingerprint(path: &Path) -> Option<FileFingerprint> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()))
}

/// The lines of a memo; nothing of a file that is none, that is too large, or of another version.
fn read_verdict_file(path: &Path) -> VerdictCacheEntries {
    let is_small = fs::metadata(path).is_ok_and(|it| it.len() <= MAX_BYTES * 2);
    let text = if is_small {
        fs::read_to_string(path).unwrap_or_default()
    } else {
        String::new()
    };
    if text.starts_with(HEADER) {
        VerdictCacheEntries::from_text(text)
    } else {
        VerdictCacheEntries::default()
    }
}

fn has_verdict_header(path: &Path) -> bool {
    let mut start = vec![0; HEADER.len()];
    fs::File::open(path)
        .and_then(|mut it| io::Read::read_exact(&mut it, &mut start))
        .is_ok()
        && start == HEADER.as_bytes()
}

/// A source with a memo beside it.
pub struct CachedSource {
    source: Box<dyn Source>,
    memo: Arc<VerdictCacheFile>,
}

impl CachedSource {
    /// This source, with its findings kept in a memo that others use, too, and that may have been read already.
    pub fn with_cache(source: Box<dyn Source>, memo: Arc<VerdictCacheFile>) -> Self {
        memo.drop_stale();
        Self { source, memo }
    }
}

impl Drop for CachedSource {
    fn drop(&mut self) {
        self.memo.flush();
    }
}

impl Source for CachedSource {
    fn read_tree(&self) -> SourceResult<SourceTree> {
        self.source.read_tree()
    }

    fn read_file(&self, path: &RepoPath) -> SourceResult<Option<SourceBlob>> {
        self.source.read_file(path)
    }

    fn file_id(&self, path: &RepoPath) -> Option<String> {
        self.source.file_id(path)
    }

    fn has_file(&self, path: &RepoPath) -> SourceResult<bool> {
        self.source.has_file(path)
    }

    fn verdict_cache(&self) -> Option<&dyn VerdictCache> {
        Some(&*self.memo)
    }

    fn is_settled(&self) -> SourceResult<bool> {
        self.source.is_settled()
    }

    fn describe_tree(&self) -> Option<String> {
        self.source.describe_tree()
    }

    fn is_of_other_repository(&self) -> bool {
        self.source.is_of_other_repository()
    }

    fn open_commit(&self, id: &str) -> SourceResult<Option<Box<dyn Source>>> {
        self.source.open_commit(id)
    }

    fn open_default_branch(&self) -> SourceResult<Option<DefaultBranch>> {
        let default = self.source.open_default_branch()?;
        Ok(default.map(|it| DefaultBranch {
            tree: Box::new(Self {
                source: it.tree,
                memo: Arc::clone(&self.memo),
            }),
            ..it
        }))
    }

    fn walk_history(
        &self,
        from: &std::collections::BTreeSet<String>,
        most: usize,
    ) -> SourceResult<CommitHistory> {
        self.source.walk_history(from, most)
    }

    fn read_object(&self, id: &str) -> SourceResult<Option<Vec<u8>>> {
        self.source.read_object(id)
    }

    fn list_uncommitted_edits(&self) -> SourceResult<Vec<FileEdit>> {
        self.source.list_uncommitted_edits()
    }

    fn list_paths(&self) -> SourceResult<Option<std::collections::BTreeSet<RepoPath>>> {
        self.source.list_paths()
    }

    fn visit_files(
        &self,
        see: &mut dyn FnMut(&RepoPath, &SourceBlob) -> bool,
    ) -> SourceResult<bool> {
        self.source.visit_files(see)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(path: &Path, key: &str) -> Option<String> {
        VerdictCacheFile::new(path).get(key)
    }

    #[test]
    fn findings_are_kept_and_a_torn_or_foreign_file_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/verdicts");
        VerdictCacheFile::new(&path).put("a", "1");
        VerdictCacheFile::new(&path).put("b", "2");
        assert_eq!(
            (told(&path, "a"), told(&path, "b")),
            (Some("1".into()), Some("2".into()))
        );
        fs::write(&path, format!("{HEADER}a\t1\nb\t2")).unwrap();
        assert_eq!(
            (told(&path, "a"), told(&path, "b")),
            (Some("1".into()), None)
        );
        fs::write(&path, "something else\na\t1\n").unwrap();
        assert_eq!(told(&path, "a"), None);
        VerdictCacheFile::new(&path).put("c", "3");
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            format!("{HEADER}c\t3\n")
        );
    }

    #[test]
    fn a_memo_that_is_kept_sees_what_others_wrote_and_forgets_when_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("verdicts");
        let kept = Arc::new(VerdictCacheFile::new(&path));
        let told = |key: &str| {
            let source = CachedSource::with_cache(
                Box::new(apostille_cite::source::NoRepositorySource),
                Arc::clone(&kept),
            );
            source.verdict_cache().unwrap().get(key)
        };
        assert_eq!(told("a"), None);
        VerdictCacheFile::new(&path).put("a", "1");
        assert_eq!(told("a"), Some("1".into()));
        kept.put("b", "2");
        kept.flush();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            format!("{HEADER}a\t1\nb\t2\n")
        );
        kept.clear();
        assert!(!path.exists());
        assert_eq!(told("a"), None);
    }

    #[test]
    fn the_same_finding_is_written_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("verdicts");
        for _ in 0..3 {
            VerdictCacheFile::new(&path).put("a", "1");
        }
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            format!("{HEADER}a\t1\n")
        );
    }
}
