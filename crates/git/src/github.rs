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

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use apostille_cite::citation::RepoPath;
use apostille_cite::source::{
    CommitHistory, CommitStep, FileEdit, FileVersion, HistoryRoute, MAX_FILE, Source, SourceBlob,
    SourceError, SourceTree,
};
use jiff::Timestamp;

use crate::git::{TreeEntryKind, is_object_id, source_unavailable};
use answer::{BadGitHubAnswer, GitHubContents, GitHubListing, GitHubTreeEntry, ListingLookup};
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

/// From how many commits the way here is looked for: each takes a list of all files.
const MAX_LEAPS: usize = 20;

/// One commit of a repository on GitHub or GitHub Enterprise.
///
/// The ref is resolved once, when the value is first used: if the branch moves on, the answers stay those of one
/// commit. Links and submodules are refused as leading out of the repository, also on the way to the file. What could
/// not be asked is always an error, and never "no such file".
#[derive(Debug)]
pub struct GitHub {
    client: GitHubClient,
    cache: Option<ResponseCache>,
    repo: String,
    reference: String,
    /// The commit that all answers are of, once it is known. Held while it is asked for, so that there is one.
    pinned: Mutex<Option<String>>,
    /// The listings read so far, by the path of the API.
    listings: Mutex<HashMap<String, Arc<GitHubListing>>>,
}

impl GitHub {
    /// The repository that these options name. Nothing is asked yet. `now` tells the time, for limits that pass.
    pub fn new(
        options: GitHubOptions,
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Result<Self, SourceError> {
        let repo = options::check_repository_name(&options.repo)?;
        let reference = options::parse_github_reference(options.reference.as_deref())?;
        let client = GitHubClient::new(&options, Box::new(now))?;
        let cache = options.cache.map(ResponseCache::new);
        Ok(Self {
            client,
            cache,
            repo,
            reference,
            pinned: Mutex::default(),
            listings: Mutex::default(),
        })
    }

    /// All files of the commit with the ids of their contents, by path; `None` if they are too many for one answer.
    /// Files whose names cannot be cited are left out.
    pub fn list_files(&self) -> Result<Option<Vec<(RepoPath, String)>>, SourceError> {
        let listing = self.read_full_listing(&self.pinned_commit()?)?;
        if listing.is_partial {
            return Ok(None);
        }
        let files = listing.files().filter_map(|(path, id)| {
            let known: RepoPath = path.parse().ok()?;
            (known.as_str() == path).then(|| (known, id.to_owned()))
        });
        let mut files: Vec<_> = files.collect();
        files.sort();
        Ok(Some(files))
    }

    /// What differs between another commit and this one, by their lists of files; `None` if either is not there in
    /// full. A file that vanished and one that came with the same content are a rename.
    fn diff_commits(&self, from: &str, to: &str) -> Result<Option<Vec<FileEdit>>, SourceError> {
        let (Some(old), Some(new)) = (
            self.find_commit_listing(from)?,
            self.find_commit_listing(to)?,
        ) else {
            return Ok(None);
        };
        if old.is_partial || new.is_partial {
            return Ok(None);
        }
        Ok(Some(diff_listings(&old, &new)))
    }

    /// All files of a commit; `None` if the repository has no such commit.
    fn find_commit_listing(&self, commit: &str) -> Result<Option<Arc<GitHubListing>>, SourceError> {
        if !is_object_id(commit) {
            return Ok(None);
        }
        self.find_listing(&format!("/git/trees/{commit}?recursive=1"))
    }

    /// The commit, which is asked for the first time only.
    fn pinned_commit(&self) -> Result<String, SourceError> {
        let mut pinned = lock_ignoring_poison(&self.pinned);
        match &*pinned {
            Some(commit) => Ok(commit.clone()),
            None => Ok(pinned.insert(self.resolve_reference()?).clone()),
        }
    }

    /// Asks which commit the ref names now. This is always asked, since the answer changes; when it did not, GitHub
    /// says so without counting it.
    fn resolve_reference(&self) -> Result<String, SourceError> {
        let what = self.describe_in_repository(&format!("'{}'", self.reference));
        let ask = self.build_request(
            &format!("/commits/{}", percent_encode_segment(&self.reference)),
            what,
            AS_ID,
            MAX_MESSAGE,
        );
        let kept = self
            .load_cached(&ask.url)
            .and_then(|it| Some((it.etag?, answer::parse_commit_id(&it.body).ok()?)));
        let reply = self
            .client
            .get(&ask, kept.as_ref().map(|(etag, _)| etag.as_str()))?;
        match (reply.status, kept) {
            (200, _) => self.parse_and_cache_reply(&ask, &reply, answer::parse_commit_id),
            (304, Some((_, commit))) => Ok(commit),
            (404, _) if !is_no_commit_message(&reply.body) => {
                Err(self.invisible_repository_error())
            }
            (404 | 409 | 422, _) => Err(SourceError::NoSuchRef(self.reference.clone())),
            _ => Err(source_unavailable(
                ask.what,
                "the answer does not fit the question",
            )),
        }
    }

    /// Everything below the root of a commit, in one answer; a very large repository is listed in part.
    fn read_full_listing(&self, commit: &str) -> Result<Arc<GitHubListing>, SourceError> {
        self.read_listing(&format!("/git/trees/{commit}?recursive=1"))
    }

    fn read_listing(&self, path: &str) -> Result<Arc<GitHubListing>, SourceError> {
        let gone = || {
            source_unavailable(
                self.describe_in_repository("the list of files"),
                "the commit is not there any more",
            )
        };
        self.find_listing(path)?.ok_or_else(gone)
    }

    fn find_listing(&self, path: &str) -> Result<Option<Arc<GitHubListing>>, SourceError> {
        if let Some(listing) = lock_ignoring_poison(&self.listings).get(path) {
            return Ok(Some(Arc::clone(listing)));
        }
        let ask = self.build_request(
            path,
            self.describe_in_repository("the list of files"),
            AS_JSON,
            MAX_TREE,
        );
        let Some(listing) = self
            .fetch_immutable(&ask, GitHubListing::parse)?
            .map(Arc::new)
        else {
            return Ok(None);
        };
        lock_ignoring_poison(&self.listings).insert(path.to_owned(), Arc::clone(&listing));
        Ok(Some(listing))
    }

    /// The file under a path. Where the whole list was too long, directories are asked for one by one.
    fn find_entry(&self, path: &RepoPath) -> Result<Option<GitHubTreeEntry>, SourceError> {
        let commit = self.pinned_commit()?;
        let everything = self.read_full_listing(&commit)?;
        let entry = match everything.find_entry(path.as_str()) {
            ListingLookup::Outside => return Err(SourceError::Outside { path: path.clone() }),
            ListingLookup::Entry(entry) => Some(entry.clone()),
            ListingLookup::Nothing if everything.is_partial => {
                self.find_entry_by_directories(commit, path)?
            }
            ListingLookup::Nothing => None,
        };
        Ok(entry.filter(|it| it.kind == TreeEntryKind::File))
    }

    fn find_entry_by_directories(
        &self,
        commit: String,
        path: &RepoPath,
    ) -> Result<Option<GitHubTreeEntry>, SourceError> {
        let mut here = GitHubTreeEntry {
            kind: TreeEntryKind::Directory,
            id: commit,
            size: None,
        };
        for part in path.as_str().split('/') {
            if here.kind != TreeEntryKind::Directory {
                return Ok(None);
            }
            let listing = self.read_listing(&format!("/git/trees/{}", here.id))?;
            here = match listing.find_entry(part) {
                ListingLookup::Outside => return Err(SourceError::Outside { path: path.clone() }),
                ListingLookup::Entry(entry) => entry.clone(),
                ListingLookup::Nothing if listing.is_partial => {
                    let what = self.describe_in_repository(&format!("'{path}'"));
                    return Err(source_unavailable(
                        what,
                        "a directory on the way is too large to be listed",
                    ));
                }
                ListingLookup::Nothing => return Ok(None),
            };
        }
        Ok(Some(here))
    }

    /// Reads a file through the contents API, where a server tells the contents of a commit but does not list it.
    fn read_contents(&self, path: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
        let what = self.describe_in_repository(&format!("'{path}'"));
        let parts: Vec<String> = path
            .as_str()
            .split('/')
            .map(percent_encode_segment)
            .collect();
        let place = format!(
            "/contents/{}?ref={}",
            parts.join("/"),
            self.pinned_commit()?
        );
        let ask = self.build_request(&place, what.clone(), AS_JSON, MAX_BLOB);
        match self.fetch_immutable(&ask, answer::parse_contents_answer)? {
            // Only a server that tells what the root holds can say that something is not there.
            None => match self.fetch_immutable(
                &self.root_contents_request()?,
                answer::parse_contents_answer,
            )? {
                Some(_) => Ok(None),
                None => Err(source_unavailable(
                    what,
                    "the commit is neither listed nor are its contents told",
                )),
            },
            Some(GitHubContents::Directory) => Ok(None),
            Some(GitHubContents::Outside) => Err(SourceError::Outside { path: path.clone() }),
            Some(GitHubContents::File { size, .. }) if size > MAX_FILE => {
                Err(SourceError::TooLarge {
                    path: path.clone(),
                    bytes: size,
                })
            }
            Some(GitHubContents::File {
                id,
                content: Some(bytes),
                ..
            }) => Ok(Some(SourceBlob {
                id: Some(id),
                bytes,
            })),
            Some(GitHubContents::File {
                id, content: None, ..
            }) => match self.fetch_blob(&id, what.clone())? {
                Some(bytes) => Ok(Some(SourceBlob {
                    id: Some(id),
                    bytes,
                })),
                None => Err(source_unavailable(
                    what,
                    "it is named, but its content is not there",
                )),
            },
        }
    }

    fn root_contents_request(&self) -> Result<GitHubRequest, SourceError> {
        let place = format!("/contents/?ref={}", self.pinned_commit()?);
        Ok(self.build_request(
            &place,
            self.describe_in_repository("the list of files"),
            AS_JSON,
            MAX_TREE,
        ))
    }

    fn fetch_blob(&self, id: &str, what: String) -> Result<Option<Vec<u8>>, SourceError> {
        let ask = self.build_request(&format!("/git/blobs/{id}"), what, AS_JSON, MAX_BLOB);
        self.fetch_immutable(&ask, |body| answer::parse_blob_content(body, id))
    }

    /// An answer that can never be another one: if it was kept, it is not asked for. `None` if there is none.
    fn fetch_immutable<T>(
        &self,
        ask: &GitHubRequest,
        read: impl Fn(&[u8]) -> Result<T, BadGitHubAnswer>,
    ) -> Result<Option<T>, SourceError> {
        if let Some(value) = self
            .load_cached(&ask.url)
            .and_then(|it| read(&it.body).ok())
        {
            return Ok(Some(value));
        }
        let reply = self.client.get(ask, None)?;
        match reply.status {
            200 => self.parse_and_cache_reply(ask, &reply, read).map(Some),
            404 => Ok(None),
            status => Err(source_unavailable(
                ask.what.as_str(),
                format!("status {status} does not fit the question"),
            )),
        }
    }

    /// Reads an answer, and keeps it if it is what was asked for.
    fn parse_and_cache_reply<T>(
        &self,
        ask: &GitHubRequest,
        reply: &GitHubReply,
        read: impl Fn(&[u8]) -> Result<T, BadGitHubAnswer>,
    ) -> Result<T, SourceError> {
        let value =
            read(&reply.body).map_err(|error| source_unavailable(ask.what.as_str(), error))?;
        if let Some(cache) = &self.cache {
            cache.store_response(&ask.url, reply.etag.as_deref(), &reply.body);
        }
        Ok(value)
    }

    fn load_cached(&self, url: &str) -> Option<CachedResponse> {
        self.cache.as_ref()?.load_response(url)
    }

    fn build_request(
        &self,
        path: &str,
        what: String,
        accept: &'static str,
        limit: u64,
    ) -> GitHubRequest {
        let url = self
            .client
            .address()
            .join_path(&format!("/repos/{}{path}", self.repo));
        GitHubRequest {
            what,
            url,
            accept,
            limit,
        }
    }

    /// A thing of this repository, for messages.
    fn describe_in_repository(&self, thing: &str) -> String {
        format!(
            "{thing} of {} at {}",
            self.repo,
            self.client.address().host()
        )
    }

    /// GitHub does not tell what is not there from what may not be seen.
    fn invisible_repository_error(&self) -> SourceError {
        let what = format!(
            "the repository {} at {}",
            self.repo,
            self.client.address().host()
        );
        let why = match self.client.has_token() {
            true => "not found, or not visible with this token",
            false => "not found, or not visible without a token",
        };
        source_unavailable(what, why)
    }
}

impl Source for GitHub {
    /// The branch is the name that was asked for; the API does not say whether it is one or a tag.
    fn read_tree(&self) -> Result<SourceTree, SourceError> {
        let commit = self.pinned_commit()?;
        let name = self
            .reference
            .strip_prefix("heads/")
            .unwrap_or(&self.reference);
        let is_branch = name != "HEAD" && !name.starts_with("tags/") && !commit.starts_with(name);
        let branch = is_branch.then(|| name.to_owned());
        Ok(SourceTree {
            branch,
            commit: Some(commit),
            is_worktree: false,
        })
    }

    fn read_file(&self, path: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
        if self.find_commit_listing(&self.pinned_commit()?)?.is_none() {
            return self.read_contents(path);
        }
        let Some(entry) = self.find_entry(path)? else {
            return Ok(None);
        };
        if let Some(bytes) = entry.size.filter(|it| *it > MAX_FILE) {
            return Err(SourceError::TooLarge {
                path: path.clone(),
                bytes,
            });
        }
        let what = self.describe_in_repository(&format!("'{path}'"));
        match self.fetch_blob(&entry.id, what.clone())? {
            Some(bytes) => Ok(Some(SourceBlob {
                id: Some(entry.id),
                bytes,
            })),
            None => Err(source_unavailable(
                what,
                "it is listed, but its content is not there",
            )),
        }
    }

    fn file_id(&self, path: &RepoPath) -> Option<String> {
        self.find_entry(path).ok()?.map(|it| it.id)
    }

    /// One leap from each commit: the API would take a request for every step. Whether a commit was merged is not
    /// asked, so that nothing is held against a memory for good by what stands here.
    fn walk_history(
        &self,
        from: &BTreeSet<String>,
        _most: usize,
    ) -> Result<CommitHistory, SourceError> {
        let here = self.pinned_commit()?;
        let mut ways = BTreeMap::new();
        for commit in from.iter().take(MAX_LEAPS) {
            if let Some(edits) = self.diff_commits(commit, &here)? {
                let leap = CommitStep {
                    commit: here.clone(),
                    edits,
                };
                ways.insert(
                    commit.clone(),
                    HistoryRoute::Across {
                        leap,
                        then: 0,
                        is_ancestor: None,
                    },
                );
            }
        }
        Ok(CommitHistory {
            steps: Vec::new(),
            ways,
        })
    }

    /// The content that an id names, in whichever commit; `None` if this repository has none of that id.
    fn read_object(&self, id: &str) -> Result<Option<Vec<u8>>, SourceError> {
        let what = self.describe_in_repository(&format!("the content {id:.64}"));
        if !is_object_id(id) {
            return Err(source_unavailable(what, "that is no id of git's in full"));
        }
        let content = self.fetch_blob(&id.to_ascii_lowercase(), what)?;
        if content.is_none() {
            // Only who sees the repository can say that something is not in it.
            self.pinned_commit()?;
        }
        Ok(content)
    }
}

/// What became of each file between two lists.
fn diff_listings(old: &GitHubListing, new: &GitHubListing) -> Vec<FileEdit> {
    let (old, new): (BTreeMap<&str, &str>, BTreeMap<&str, &str>) =
        (old.files().collect(), new.files().collect());
    let added = new.iter().filter(|(path, _)| !old.contains_key(*path));
    let mut added: BTreeMap<&str, &str> = added.map(|(path, id)| (*path, *id)).collect();
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
                let renamed = added
                    .iter()
                    .find(|(_, it)| *it == id)
                    .map(|(path, _)| *path);
                renamed.and_then(|path| added.remove(path).and_then(|id| version(path, id)))
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

/// Whether a 404 is about the ref and not about the repository.
fn is_no_commit_message(body: &[u8]) -> bool {
    String::from_utf8_lossy(body).contains("No commit found")
}

/// What a panicking thread leaves behind is whole: each value is put there in one step.
fn lock_ignoring_poison<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
