//! Answers kept on disk, so that they are not asked for twice.
//!
//! A file begins with one line that names what it answers and the digest of the rest. Whatever is wrong with the cache
//! is no error: it is then as if nothing had been kept. No token comes near it.

use std::cmp::Reverse;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read as _, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::SystemTime,
};

use apostille_files::lock::{create_private_folder, set_private_mode};
use apostille_text::digest::Digest;
use serde::{Deserialize, Serialize};

/// How many bytes all files may have together.
const LIMIT: u64 = 128 * 1024 * 1024;
/// What a file costs at least: a block of the disk. This bounds the number of files, too.
const BLOCK: u64 = 4 * 1024;
/// The version of the files' first line.
const VERSION: u32 = 1;

/// A directory of kept answers.
#[derive(Debug)]
pub(super) struct ResponseCache {
    dir: PathBuf,
    limit: u64,
}

/// An answer that was kept.
#[derive(Debug, PartialEq)]
pub(super) struct CachedResponse {
    /// What the server calls this answer, to be asked whether it still holds.
    pub(super) etag: Option<String>,
    pub(super) body: Vec<u8>,
}

/// The first line of a file.
#[derive(Serialize, Deserialize)]
struct CacheFileHeader {
    v: u32,
    url: String,
    etag: Option<String>,
    sha256: String,
}

impl ResponseCache {
    /// Keeps answers in a directory, which is made when something is first kept.
    pub(super) fn new(dir: PathBuf) -> Self {
        Self { dir, limit: LIMIT }
    }

    /// The answer kept for a URL, if it is there and whole.
    pub(super) fn load_response(&self, url: &str) -> Option<CachedResponse> {
        if !is_private_dir(&self.dir) {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(self.response_path(url))
            .ok()?
            .take(self.limit)
            .read_to_end(&mut bytes)
            .ok()?;
        let end = bytes.iter().position(|it| *it == b'\n')?;
        let label: CacheFileHeader = serde_json::from_slice(&bytes[..end]).ok()?;
        let body = bytes.split_off(end + 1);
        let is_it = label.v == VERSION
            && label.url == url
            && label.sha256 == Digest::hash_bytes(&body).to_string();
        is_it.then_some(CachedResponse {
            etag: label.etag,
            body,
        })
    }

    /// Keeps an answer. If that fails, it is asked for again next time.
    pub(super) fn store_response(&self, url: &str, etag: Option<&str>, body: &[u8]) {
        if body.len() as u64 <= self.limit / 4 && self.write_response(url, etag, body).is_ok() {
            self.evict_oldest();
        }
    }

    fn write_response(&self, url: &str, etag: Option<&str>, body: &[u8]) -> io::Result<()> {
        make_private_cache_dir(&self.dir)?;
        let label = CacheFileHeader {
            v: VERSION,
            url: url.into(),
            etag: etag.map(Into::into),
            sha256: Digest::hash_bytes(body).to_string(),
        };
        let mut line = serde_json::to_vec(&label)?;
        line.push(b'\n');
        let path = self.response_path(url);
        let draft = temporary_cache_path(&path);
        line.extend(body);
        let written = write_private_file(&draft, &line).and_then(|()| fs::rename(&draft, &path));
        if written.is_err() {
            // Whatever is left of it would only take room.
            let _ = fs::remove_file(&draft);
        }
        written
    }

    fn response_path(&self, url: &str) -> PathBuf {
        let name = Digest::hash_bytes(url.as_bytes());
        self.dir.join(name.to_string())
    }

    /// Removes the oldest files until the others are small enough together.
    fn evict_oldest(&self) {
        let mut files = self.list_files();
        files.sort_by_key(|(written, ..)| Reverse(*written));
        let mut total: u64 = 0;
        for (_, size, path) in files {
            total += size.max(BLOCK);
            if total > self.limit {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Age, size and path of the files that are ours; somebody may have pointed us to a directory with others.
    fn list_files(&self) -> Vec<(SystemTime, u64, PathBuf)> {
        let file = |entry: fs::DirEntry| {
            let is_ours = entry.file_name().to_str().is_some_and(is_cache_file_name);
            let metadata = entry.metadata().ok().filter(|it| is_ours && it.is_file())?;
            Some((metadata.modified().ok()?, metadata.len(), entry.path()))
        };
        fs::read_dir(&self.dir)
            .into_iter()
            .flatten()
            .filter_map(|it| file(it.ok()?))
            .collect()
    }
}

/// A digest, or the draft of a file of that name.
fn is_cache_file_name(name: &str) -> bool {
    let (stem, rest) = name.split_at_checked(64).unwrap_or((name, ""));
    stem.parse::<Digest>().is_ok() && (rest.is_empty() || rest.ends_with(".tmp"))
}

/// A name that no other process and no other thread of this one uses.
fn temporary_cache_path(path: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    path.with_extension(format!("{}-{n}.tmp", std::process::id()))
}

fn write_private_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    set_private_mode(options.write(true).create_new(true))
        .open(path)?
        .write_all(content)
}

fn make_private_cache_dir(dir: &Path) -> io::Result<()> {
    create_private_folder(dir)?;
    if is_private_dir(dir) {
        Ok(())
    } else {
        Err(ErrorKind::PermissionDenied.into())
    }
}

/// Whether others cannot put files there: what is kept is believed.
#[cfg(unix)]
fn is_private_dir(dir: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(dir).is_ok_and(|it| it.permissions().mode() & 0o022 == 0)
}

#[cfg(not(unix))]
fn is_private_dir(_: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tempfile::TempDir;

    use super::*;

    const URL: &str = "https://api.github.com/repos/o/n/git/blobs/1";

    fn cache() -> (TempDir, ResponseCache) {
        let home = TempDir::new().unwrap();
        let cache = ResponseCache::new(home.path().join("deep/github"));
        (home, cache)
    }

    fn text(kept: Option<CachedResponse>) -> Option<String> {
        kept.map(|it| format!("{:?} {}", it.etag, String::from_utf8(it.body).unwrap()))
    }

    #[test]
    fn what_is_kept_is_found_under_its_url_only() {
        let (_home, cache) = cache();
        assert_eq!(cache.load_response(URL), None);
        cache.store_response(URL, Some("\"e\""), b"one\ntwo");
        assert_eq!(
            text(cache.load_response(URL)),
            Some("Some(\"\\\"e\\\"\") one\ntwo".into())
        );
        assert_eq!(cache.load_response(&format!("{URL}2")), None);
        cache.store_response(URL, None, b"three");
        assert_eq!(text(cache.load_response(URL)), Some("None three".into()));
        assert_eq!(cache.list_files().len(), 1, "nothing is left of the drafts");
    }

    #[test]
    fn damage_is_as_if_nothing_had_been_kept() {
        let (_home, cache) = cache();
        cache.store_response(URL, None, b"one");
        let path = cache.response_path(URL);
        let whole = fs::read(&path).unwrap();
        for n in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[n] ^= 1;
            fs::write(&path, &flipped).unwrap();
            // A flipped bit in the label may leave it readable, but then it names another URL, digest or version.
            assert!(
                cache.load_response(URL).is_none_or(|it| it.body == b"one"),
                "byte {n}"
            );
            fs::write(&path, &whole[..n]).unwrap();
            assert_eq!(cache.load_response(URL), None, "cut at {n}");
        }
        cache.store_response(URL, None, b"one");
        assert_eq!(text(cache.load_response(URL)), Some("None one".into()));
    }

    #[test]
    fn the_oldest_are_removed_and_strangers_are_left_alone() {
        let (_home, cache) = cache();
        let cache = ResponseCache {
            limit: 3 * BLOCK,
            ..cache
        };
        make_private_cache_dir(&cache.dir).unwrap();
        fs::write(cache.dir.join("letter.txt"), "dear Ana").unwrap();
        for n in 1..=5u64 {
            let url = format!("{URL}{n}");
            cache.store_response(&url, None, b"x");
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(n);
            File::options()
                .write(true)
                .open(cache.response_path(&url))
                .unwrap()
                .set_modified(time)
                .unwrap();
        }
        let is_kept = |n: u64| cache.load_response(&format!("{URL}{n}")).is_some();
        assert_eq!(
            (1..=5).map(is_kept).collect::<Vec<_>>(),
            [false, false, true, true, true]
        );
        assert!(cache.dir.join("letter.txt").exists());
    }

    #[test]
    fn an_answer_that_would_fill_it_is_not_kept() {
        let (_home, cache) = cache();
        let cache = ResponseCache { limit: 40, ..cache };
        cache.store_response(URL, None, b"eleven byte");
        assert_eq!(cache.load_response(URL), None);
    }

    #[test]
    fn names_of_ours_are_told_from_others() {
        let digest = Digest::hash_bytes(b"x").to_string();
        let check =
            |name: &str, expected: bool| assert_eq!(is_cache_file_name(name), expected, "{name}");
        check(&digest, true);
        check(&format!("{digest}.12-0.tmp"), true);
        check(&format!("{digest}.txt"), false);
        check("letter.txt", false);
        check("", false);
        check(&"ü".repeat(40), false);
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_read_it_and_what_others_can_write_is_not_believed() {
        use std::os::unix::fs::PermissionsExt as _;
        let (_home, cache) = cache();
        cache.store_response(URL, None, b"one");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&cache.dir), 0o700);
        assert_eq!(mode(&cache.response_path(URL)), 0o600);
        fs::set_permissions(&cache.dir, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(cache.load_response(URL), None);
    }
}
