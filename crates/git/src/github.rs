//! A repository on GitHub that is not checked out, read through the REST API.
//!
//! Paths are looked up in the commit's trees and files are read by their ids, for three reasons. The API's contents
//! follow links, and answer 404 both for a file that is gone and for one that may not be seen; trees tell these apart.
//! An id names its content, so that damage on the way is noticed. And what an id names never changes, so that after a
//! push only what is new is asked for.

mod answer;
mod backoff;
mod cache;
mod client;
mod options;

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex},
};

use apostille_cite::{
    citation::RepoPath,
    source::{
        CommitHistory, CommitStep, DefaultBranch, FileEdit, FileVersion, HistoryRoute, MAX_FILE,
        Source, SourceBlob, SourceError, SourceResult, SourceTree,
    },
};
use jiff::Timestamp;

use crate::git::{TreeEntryKind, is_object_id, source_unavailable};
use answer::{BadGitHubAnswer, GitHubContents, GitHubListing, GitHubTreeEntry};
use apostille_files::lock::lock_ignoring_poison;
use apostille_web::client::address::percent_encode_segment;
use cache::{CachedResponse, ResponseCache};
use client::{GitHubClient, GitHubReply, GitHubRequest, MAX_MESSAGE};

pub use options::GitHubOptions;

/// The form of an answer that is a commit's id and nothing else.
const AS_ID: &str = "application/vnd.github.sha";
/// The form of all other answers.
const AS_JSON: &str = "application/vnd.github+json";
/// The largest answer that lists a tree: GitHub cuts them at seven megabytes of its own counting.
const MAX_TREE: u64 = 64 * 1024 * 1024;
/// The largest answer that holds a file: base64 with line breaks is longer by less than half.
const MAX_BLOB: u64 = MAX_FILE / 2 * 3 + MAX_MESSAGE;

/// How many listings are kept in memory: a server runs for days, and each commit has one.
const MAX_LISTINGS: usize = 32;
/// From how many commits the way here is looked for: each takes a list of all files.
const MAX_LEAPS: usize = 20;

/// The largest page of a listing: a hundred comments of the longest kind.
const MAX_API_ANSWER: u64 = 16 * 1024 * 1024;

/// What the API answers about something that is no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitHubApiAnswer {
    /// The answer.
    Fresh {
        /// As JSON.
        body: Vec<u8>,
        /// What names this state of it.
        etag: Option<String>,
    },
    /// What is known already still holds.
    Unchanged,
    /// There is no such thing, or it is not for this token.
    Absent,
}

/// One commit of a repository on GitHub or GitHub Enterprise.
///
/// The ref is resolved once, when the value is first used: if the branch moves on, the answers stay those of one
/// commit. Links and submodules are refused as leading out of the repository, also on the way to the file. What could
/// not be asked is always an error, and never "no such file".
#[derive(Debug)]
pub struct GitHub {
    client: Arc<GitHubClient>,
    cache: Option<Arc<ResponseCache>>,
    repo: String,
    reference: String,
    /// The commit that all answers are of, once it is known. Held while it is asked for, so that there is one.
    pinned: Mutex<Option<String>>,
    /// The listings read so far, by the path of the API: what a commit holds never changes.
    listings: Arc<Mutex<ListingCache>>,
}

type ListingCache = HashMap<String, Arc<GitHubListing>>;

impl GitHub {
    /// The repository that these options name. Nothing is asked yet. `now` tells the time, for limits that pass.
    pub fn new(
        options: GitHubOptions,
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> SourceResult<Self> {
        options::check_repository_name(&options.repo)?;
        let reference = options::parse_github_reference(options.reference.as_deref())?;
        let client = Arc::new(GitHubClient::new(&options, Box::new(now))?);
        let cache = options.cache.map(ResponseCache::new).map(Arc::new);
        Ok(Self {
            client,
            cache,
            repo: options.repo,
            reference,
            pinned: Mutex::default(),
            listings: Arc::default(),
        })
    }

    /// The same repository and ref as it is now, over the same connection: a server asks anew for each call.
    #[must_use]
    pub fn reopen(&self) -> Self {
        self.at_reference(self.reference.clone())
    }

    fn at_reference(&self, reference: String) -> Self {
        Self {
            client: Arc::clone(&self.client),
            cache: self.cache.clone(),
            repo: self.repo.clone(),
            reference,
            pinned: Mutex::default(),
            listings: Arc::clone(&self.listings),
        }
    }

    /// What differs between another commit and this one, by their lists of files; `None` if either is not there in
    /// full. A file that vanished and one that came with the same content are a rename.
    fn diff_commits(&self, from: &str, to: &str) -> SourceResult<Option<Vec<FileEdit>>> {
        let whole = self
            .find_commit_listing(from)?
            .zip(self.find_commit_listing(to)?)
            .filter(|(old, new)| !old.is_partial && !new.is_partial);
        Ok(whole.map(|(old, new)| diff_listings(&old, &new)))
    }

    /// All files of a commit, in one answer, where a very large repository is listed in part; `None` if the repository has
    /// no such commit.
    fn find_commit_listing(&self, commit: &str) -> SourceResult<Option<Arc<GitHubListing>>> {
        if !is_object_id(commit) {
            return Ok(None);
        }
        self.find_listing(&format!("/git/trees/{commit}?recursive=1"))
    }

    /// The commit, which is asked for the first time only.
    fn pinned_commit(&self) -> SourceResult<String> {
        let mut pinned = lock_ignoring_poison(&self.pinned);
        match &*pinned {
            Some(commit) => Ok(commit.clone()),
            None => Ok(pinned.insert(self.resolve_reference()?).clone()),
        }
    }

    /// Asks which commit the ref names now. This is always asked, since the answer changes; when it did not, GitHub
    /// says so without counting it.
    fn resolve_reference(&self) -> SourceResult<String> {
        let path = format!("/commits/{}", percent_encode_segment(&self.reference));
        let name = format!("'{}'", self.reference);
        let ask = self.build_request(&path, &name, AS_ID, MAX_MESSAGE);
        let kept = self
            .load_cached(&ask.url)
            .and_then(|it| Some((it.etag?, answer::parse_commit_id(&it.body).ok()?)));
        let etag = kept.as_ref().map(|(etag, _)| etag.as_str());
        let reply = self.client.get(&ask, etag)?;
        // A 404 is about the ref, or about the repository.
        let is_no_commit = || String::from_utf8_lossy(&reply.body).contains("No commit found");
        match (reply.status, kept) {
            (200, _) => self.parse_and_cache_reply(&ask, &reply, answer::parse_commit_id),
            (304, Some((_, commit))) => Ok(commit),
            (404, _) if !is_no_commit() => Err(self.invisible_repository_error()),
            (404 | 409 | 422, _) => Err(SourceError::NoSuchRef(self.reference.clone())),
            _ => Err(ask.unavailable("the answer does not fit the question")),
        }
    }

    fn read_listing(&self, path: &str) -> SourceResult<Arc<GitHubListing>> {
        let gone = || {
            let why = "the commit is not there any more";
            self.list_request(path).unavailable(why)
        };
        self.find_listing(path)?.ok_or_else(gone)
    }

    fn find_listing(&self, path: &str) -> SourceResult<Option<Arc<GitHubListing>>> {
        if let Some(listing) = lock_ignoring_poison(&self.listings).get(path) {
            return Ok(Some(Arc::clone(listing)));
        }
        let listing = self
            .fetch_immutable(&self.list_request(path), GitHubListing::parse)?
            .map(Arc::new);
        if let Some(listing) = &listing {
            let mut kept = lock_ignoring_poison(&self.listings);
            if kept.len() >= MAX_LISTINGS {
                kept.clear();
            }
            kept.insert(path.to_owned(), Arc::clone(listing));
        }
        Ok(listing)
    }

    /// The file under a path. Where the whole list was too long, directories are asked for one by one.
    fn find_entry(&self, path: &RepoPath) -> SourceResult<Option<GitHubTreeEntry>> {
        let commit = self.pinned_commit()?;
        let everything = self.read_listing(&format!("/git/trees/{commit}?recursive=1"))?;
        let entry = match everything.find_entry(path.as_str()) {
            None if everything.is_partial => self.find_entry_by_directories(commit, path)?,
            found => found.cloned(),
        };
        match entry.as_ref().map(|it| it.kind) {
            Some(TreeEntryKind::Link | TreeEntryKind::Submodule) => {
                Err(SourceError::Outside { path: path.clone() })
            }
            Some(TreeEntryKind::File) => Ok(entry),
            Some(TreeEntryKind::Directory) | None => Ok(None),
        }
    }

    fn find_entry_by_directories(
        &self,
        commit: String,
        path: &RepoPath,
    ) -> SourceResult<Option<GitHubTreeEntry>> {
        let mut here = GitHubTreeEntry {
            kind: TreeEntryKind::Directory,
            id: commit,
            size: None,
        };
        for part in path.as_str().split('/') {
            match here.kind {
                TreeEntryKind::Directory => {}
                TreeEntryKind::File => return Ok(None),
                TreeEntryKind::Link | TreeEntryKind::Submodule => break,
            }
            let listing = self.read_listing(&format!("/git/trees/{}", here.id))?;
            here = match listing.find_entry(part) {
                Some(entry) => entry.clone(),
                None if listing.is_partial => {
                    let why = "a directory on the way is too large to be listed";
                    return Err(self.path_error(path, why));
                }
                None => return Ok(None),
            };
        }
        Ok(Some(here))
    }

    /// Reads a file through the contents API, where a server tells the contents of a commit but does not list it.
    fn read_contents(&self, path: &RepoPath) -> SourceResult<Option<SourceBlob>> {
        let commit = self.pinned_commit()?;
        let parts = path.as_str().split('/').map(percent_encode_segment);
        let place = format!(
            "/contents/{}?ref={commit}",
            parts.collect::<Vec<_>>().join("/")
        );
        let ask = self.build_request(&place, &format!("'{path}'"), AS_JSON, MAX_BLOB);
        let found = self.fetch_immutable(&ask, answer::parse_contents_answer)?;
        let Some(found) = found else {
            // Only a server that tells what the root holds can say that something is not there.
            let root = self.list_request(&format!("/contents/?ref={commit}"));
            let root = self.fetch_immutable(&root, answer::parse_contents_answer)?;
            let why = "the commit is neither listed nor are its contents told";
            return root.map_or_else(|| Err(ask.unavailable(why)), |_| Ok(None));
        };
        let (id, size, content) = match found {
            GitHubContents::Directory => return Ok(None),
            GitHubContents::Outside => return Err(SourceError::Outside { path: path.clone() }),
            GitHubContents::File { id, size, content } => (id, size, content),
        };
        check_file_size(path, Some(size))?;
        match content {
            Some(bytes) => Ok(Some(SourceBlob {
                id: Some(id),
                bytes,
            })),
            None => self.fetch_file(path, id, "it is named, but its content is not there"),
        }
    }

    /// The content of a file that is known to be there; `why` is told where it is not.
    fn fetch_file(
        &self,
        path: &RepoPath,
        id: String,
        why: &'static str,
    ) -> SourceResult<Option<SourceBlob>> {
        let bytes = self.fetch_blob(&id, &format!("'{path}'"))?;
        Ok(Some(SourceBlob {
            id: Some(id),
            bytes: bytes.ok_or_else(|| self.path_error(path, why))?,
        }))
    }

    fn fetch_blob(&self, id: &str, thing: &str) -> SourceResult<Option<Vec<u8>>> {
        let ask = self.build_request(&format!("/git/blobs/{id}"), thing, AS_JSON, MAX_BLOB);
        self.fetch_immutable(&ask, |body| answer::parse_blob_content(body, id))
    }

    /// An answer that can never be another one: if it was kept, it is not asked for. `None` if there is none.
    fn fetch_immutable<T>(
        &self,
        ask: &GitHubRequest,
        read: impl Fn(&[u8]) -> Result<T, BadGitHubAnswer>,
    ) -> SourceResult<Option<T>> {
        let kept = self.load_cached(&ask.url);
        if let Some(value) = kept.and_then(|it| read(&it.body).ok()) {
            return Ok(Some(value));
        }
        let reply = self.client.get(ask, None)?;
        match reply.status {
            200 => self.parse_and_cache_reply(ask, &reply, read).map(Some),
            404 => Ok(None),
            status => Err(ask.unavailable(format!("status {status} does not fit the question"))),
        }
    }

    /// Reads an answer, and keeps it if it is what was asked for.
    fn parse_and_cache_reply<T>(
        &self,
        ask: &GitHubRequest,
        reply: &GitHubReply,
        read: impl Fn(&[u8]) -> Result<T, BadGitHubAnswer>,
    ) -> SourceResult<T> {
        let value = read(&reply.body).map_err(|error| ask.unavailable(error))?;
        if let Some(cache) = &self.cache {
            cache.store_response(&ask.url, reply.etag.as_deref(), &reply.body);
        }
        Ok(value)
    }

    fn load_cached(&self, url: &str) -> Option<CachedResponse> {
        self.cache.as_ref()?.load_response(url)
    }

    /// What is asked for below the repository's address; `thing` is for messages.
    /// Asks for something below `/repos/OWNER/NAME`, with the `etag` of the answer that is known already: for what is no file.
    pub fn ask_api(&self, path: &str, etag: Option<&str>) -> SourceResult<GitHubApiAnswer> {
        let ask = self.build_request(path, "what was said", AS_JSON, MAX_API_ANSWER);
        let reply = self.client.get(&ask, etag)?;
        match reply.status {
            200 => Ok(GitHubApiAnswer::Fresh {
                body: reply.body,
                etag: reply.etag,
            }),
            304 => Ok(GitHubApiAnswer::Unchanged),
            404 => Ok(GitHubApiAnswer::Absent),
            _ => Err(ask.unavailable("the answer does not fit the question")),
        }
    }

    fn build_request(
        &self,
        path: &str,
        thing: &str,
        accept: &'static str,
        limit: u64,
    ) -> GitHubRequest {
        let address = &self.client.address;
        GitHubRequest {
            what: self.describe_in_repository(thing),
            url: address.join_path(&format!("/repos/{}{path}", self.repo)),
            accept,
            limit,
        }
    }

    fn list_request(&self, path: &str) -> GitHubRequest {
        self.build_request(path, "the list of files", AS_JSON, MAX_TREE)
    }

    /// A thing of this repository, for messages.
    fn describe_in_repository(&self, thing: &str) -> String {
        format!("{thing} of {} at {}", self.repo, self.client.address.host())
    }

    fn path_error(&self, path: &RepoPath, why: &'static str) -> SourceError {
        source_unavailable(self.describe_in_repository(&format!("'{path}'")), why)
    }

    /// GitHub does not tell what is not there from what may not be seen.
    fn invisible_repository_error(&self) -> SourceError {
        let host = self.client.address.host();
        let why = match self.client.token {
            Some(_) => "not found, or not visible with this token",
            None => "not found, or not visible without a token",
        };
        source_unavailable(format!("the repository {} at {host}", self.repo), why)
    }
}

fn check_file_size(path: &RepoPath, size: Option<u64>) -> SourceResult<()> {
    match size.filter(|it| *it > MAX_FILE) {
        Some(bytes) => Err(SourceError::TooLarge {
            path: path.clone(),
            bytes,
        }),
        None => Ok(()),
    }
}

impl Source for GitHub {
    /// The branch is the name that was asked for; the API does not say whether it is one or a tag.
    fn read_tree(&self) -> SourceResult<SourceTree> {
        let commit = self.pinned_commit()?;
        let name = &*self.reference;
        let name = name.strip_prefix("heads/").unwrap_or(name);
        let is_branch = name != "HEAD" && !name.starts_with("tags/") && !commit.starts_with(name);
        Ok(SourceTree {
            branch: is_branch.then(|| name.to_owned()),
            commit: Some(commit),
            is_worktree: false,
        })
    }

    fn read_file(&self, path: &RepoPath) -> SourceResult<Option<SourceBlob>> {
        if self.find_commit_listing(&self.pinned_commit()?)?.is_none() {
            return self.read_contents(path);
        }
        let Some(entry) = self.find_entry(path)? else {
            return Ok(None);
        };
        check_file_size(path, entry.size)?;
        let why = "it is listed, but its content is not there";
        self.fetch_file(path, entry.id, why)
    }

    fn file_id(&self, path: &RepoPath) -> Option<String> {
        self.find_entry(path).ok()?.map(|it| it.id)
    }

    fn has_file(&self, path: &RepoPath) -> SourceResult<bool> {
        Ok(self.find_entry(path)?.is_some())
    }

    fn open_default_branch(&self) -> SourceResult<Option<DefaultBranch>> {
        let head = self.at_reference("HEAD".to_owned());
        let commit = head.pinned_commit()?;
        Ok(Some(DefaultBranch {
            commit,
            tree: Box::new(head),
        }))
    }

    fn open_commit(&self, id: &str) -> SourceResult<Option<Box<dyn Source>>> {
        let Ok(reference) = options::parse_github_reference(Some(id)) else {
            return Ok(None);
        };
        let commit = self.at_reference(reference);
        match commit.pinned_commit() {
            Ok(_) => Ok(Some(Box::new(commit))),
            Err(SourceError::NoSuchRef(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// One leap from each commit: the API would take a request for every step. Whether a commit was merged is not
    /// asked, so that nothing is held against a memory for good by what stands here.
    fn walk_history(&self, from: &BTreeSet<String>, _most: usize) -> SourceResult<CommitHistory> {
        let here = self.pinned_commit()?;
        let mut ways = BTreeMap::new();
        for commit in from.iter().take(MAX_LEAPS) {
            if let Some(edits) = self.diff_commits(commit, &here)? {
                let way = HistoryRoute::Across {
                    leap: CommitStep {
                        commit: here.clone(),
                        edits,
                    },
                    then: 0,
                    is_ancestor: None,
                };
                ways.insert(commit.clone(), way);
            }
        }
        Ok(CommitHistory {
            steps: Vec::new(),
            ways,
        })
    }

    /// The content that an id names, in whichever commit; `None` if this repository has none of that id.
    fn read_object(&self, id: &str) -> SourceResult<Option<Vec<u8>>> {
        let thing = format!("the content {id:.64}");
        if !is_object_id(id) {
            let what = self.describe_in_repository(&thing);
            return Err(source_unavailable(what, "this is not a full git object id"));
        }
        let content = self.fetch_blob(&id.to_ascii_lowercase(), &thing)?;
        if content.is_none() {
            // Only who sees the repository can say that something is not in it.
            self.pinned_commit()?;
        }
        Ok(content)
    }
}

/// What became of each file between two lists.
fn diff_listings(old: &GitHubListing, new: &GitHubListing) -> Vec<FileEdit> {
    let old: BTreeMap<&str, &str> = old.files().collect();
    let new: BTreeMap<&str, &str> = new.files().collect();
    let mut added = new.clone();
    added.retain(|path, _| !old.contains_key(path));
    let version = |path: &str, id: &str| {
        Some(FileVersion {
            path: path.parse().ok()?,
            id: Some(id.to_owned()),
        })
    };
    let mut edits = Vec::new();
    for (path, id) in &old {
        let now = match new.get(path) {
            Some(same) if same == id => continue,
            Some(other) => version(path, other),
            None => {
                let renamed = added.iter().find(|(_, it)| *it == id);
                renamed
                    .map(|(path, _)| *path)
                    .and_then(|path| version(path, added.remove(path)?))
            }
        };
        edits.push(FileEdit {
            was: version(path, id),
            now,
        });
    }
    edits.extend(added.iter().map(|(path, id)| FileEdit {
        was: None,
        now: version(path, id),
    }));
    edits
}
