//! A repository on GitHub that is not checked out, read through the REST API.
//!
//! Paths are looked up in the commit's trees and files are read by their ids, for three reasons. The API's contents
//! follow links, and answer 404 both for a file that is gone and for one that may not be seen; trees tell these apart.
//! An id names its content, so that damage on the way is noticed. And what an id names never changes, so that after a
//! push only what is new is asked for.

mod answer;
mod cache;
mod client;
mod gate;
mod options;

#[cfg(test)]
mod hub;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use apostille_cite::citation::RepoPath;
use apostille_cite::source::{
    Blob, Edit, History, MAX_FILE, Source, SourceError, Step, Tree, Version, Way,
};
use jiff::Timestamp;

use crate::git::{Kind, is_object_id, unavailable};
use answer::{BadAnswer, Contents, Entry, Found, Listing};
use apostille_web::client::address::encoded;
use cache::{Cache, Kept};
use client::{Ask, Client, MAX_MESSAGE, Reply};

pub use options::Options;

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
    client: Client,
    cache: Option<Cache>,
    repo: String,
    reference: String,
    /// The commit that all answers are of, once it is known. Held while it is asked for, so that there is one.
    pinned: Mutex<Option<String>>,
    /// The listings read so far, by the path of the API.
    listings: Mutex<HashMap<String, Arc<Listing>>>,
}

impl GitHub {
    /// The repository that these options name. Nothing is asked yet. `now` tells the time, for limits that pass.
    pub fn new(
        options: Options,
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Result<Self, SourceError> {
        let repo = options::repo(&options.repo)?;
        let reference = options::reference(options.reference.as_deref())?;
        let client = Client::new(&options, Box::new(now))?;
        let cache = options.cache.map(Cache::new);
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
    pub fn files(&self) -> Result<Option<Vec<(RepoPath, String)>>, SourceError> {
        let listing = self.everything(&self.commit()?)?;
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
    fn leap(&self, from: &str, to: &str) -> Result<Option<Vec<Edit>>, SourceError> {
        let (Some(old), Some(new)) = (self.listed(from)?, self.listed(to)?) else {
            return Ok(None);
        };
        if old.is_partial || new.is_partial {
            return Ok(None);
        }
        Ok(Some(difference(&old, &new)))
    }

    /// All files of a commit; `None` if the repository has no such commit.
    fn listed(&self, commit: &str) -> Result<Option<Arc<Listing>>, SourceError> {
        if !is_object_id(commit) {
            return Ok(None);
        }
        self.known_listing(&format!("/git/trees/{commit}?recursive=1"))
    }

    /// The commit, which is asked for the first time only.
    fn commit(&self) -> Result<String, SourceError> {
        let mut pinned = lock(&self.pinned);
        match &*pinned {
            Some(commit) => Ok(commit.clone()),
            None => Ok(pinned.insert(self.resolve()?).clone()),
        }
    }

    /// Asks which commit the ref names now. This is always asked, since the answer changes; when it did not, GitHub
    /// says so without counting it.
    fn resolve(&self) -> Result<String, SourceError> {
        let what = self.named(&format!("'{}'", self.reference));
        let ask = self.ask(
            &format!("/commits/{}", encoded(&self.reference)),
            what,
            AS_ID,
            MAX_MESSAGE,
        );
        let kept = self
            .kept(&ask.url)
            .and_then(|it| Some((it.etag?, answer::commit(&it.body).ok()?)));
        let reply = self
            .client
            .get(&ask, kept.as_ref().map(|(etag, _)| etag.as_str()))?;
        match (reply.status, kept) {
            (200, _) => self.read_reply(&ask, &reply, answer::commit),
            (304, Some((_, commit))) => Ok(commit),
            (404, _) if !says_no_commit(&reply.body) => Err(self.invisible()),
            (404 | 409 | 422, _) => Err(SourceError::NoSuchRef(self.reference.clone())),
            _ => Err(unavailable(
                ask.what,
                "the answer does not fit the question",
            )),
        }
    }

    /// Everything below the root of a commit, in one answer; a very large repository is listed in part.
    fn everything(&self, commit: &str) -> Result<Arc<Listing>, SourceError> {
        self.listing(&format!("/git/trees/{commit}?recursive=1"))
    }

    fn listing(&self, path: &str) -> Result<Arc<Listing>, SourceError> {
        let gone = || {
            unavailable(
                self.named("the list of files"),
                "the commit is not there any more",
            )
        };
        self.known_listing(path)?.ok_or_else(gone)
    }

    fn known_listing(&self, path: &str) -> Result<Option<Arc<Listing>>, SourceError> {
        if let Some(listing) = lock(&self.listings).get(path) {
            return Ok(Some(Arc::clone(listing)));
        }
        let ask = self.ask(path, self.named("the list of files"), AS_JSON, MAX_TREE);
        let Some(listing) = self.unchanging(&ask, Listing::parse)?.map(Arc::new) else {
            return Ok(None);
        };
        lock(&self.listings).insert(path.to_owned(), Arc::clone(&listing));
        Ok(Some(listing))
    }

    /// The file under a path. Where the whole list was too long, directories are asked for one by one.
    fn find(&self, path: &RepoPath) -> Result<Option<Entry>, SourceError> {
        let commit = self.commit()?;
        let everything = self.everything(&commit)?;
        let entry = match everything.find(path.as_str()) {
            Found::Outside => return Err(SourceError::Outside { path: path.clone() }),
            Found::Entry(entry) => Some(entry.clone()),
            Found::Nothing if everything.is_partial => self.walk(commit, path)?,
            Found::Nothing => None,
        };
        Ok(entry.filter(|it| it.kind == Kind::File))
    }

    fn walk(&self, commit: String, path: &RepoPath) -> Result<Option<Entry>, SourceError> {
        let mut here = Entry {
            kind: Kind::Directory,
            id: commit,
            size: None,
        };
        for part in path.as_str().split('/') {
            if here.kind != Kind::Directory {
                return Ok(None);
            }
            let listing = self.listing(&format!("/git/trees/{}", here.id))?;
            here = match listing.find(part) {
                Found::Outside => return Err(SourceError::Outside { path: path.clone() }),
                Found::Entry(entry) => entry.clone(),
                Found::Nothing if listing.is_partial => {
                    let what = self.named(&format!("'{path}'"));
                    return Err(unavailable(
                        what,
                        "a directory on the way is too large to be listed",
                    ));
                }
                Found::Nothing => return Ok(None),
            };
        }
        Ok(Some(here))
    }

    /// Reads a file through the contents API, where a server tells the contents of a commit but does not list it.
    fn read_contents(&self, path: &RepoPath) -> Result<Option<Blob>, SourceError> {
        let what = self.named(&format!("'{path}'"));
        let parts: Vec<String> = path.as_str().split('/').map(encoded).collect();
        let place = format!("/contents/{}?ref={}", parts.join("/"), self.commit()?);
        let ask = self.ask(&place, what.clone(), AS_JSON, MAX_BLOB);
        match self.unchanging(&ask, answer::contents)? {
            // Only a server that tells what the root holds can say that something is not there.
            None => match self.unchanging(&self.root_contents()?, answer::contents)? {
                Some(_) => Ok(None),
                None => Err(unavailable(
                    what,
                    "the commit is neither listed nor are its contents told",
                )),
            },
            Some(Contents::Directory) => Ok(None),
            Some(Contents::Outside) => Err(SourceError::Outside { path: path.clone() }),
            Some(Contents::File { size, .. }) if size > MAX_FILE => Err(SourceError::TooLarge {
                path: path.clone(),
                bytes: size,
            }),
            Some(Contents::File {
                id,
                content: Some(bytes),
                ..
            }) => Ok(Some(Blob {
                id: Some(id),
                bytes,
            })),
            Some(Contents::File {
                id, content: None, ..
            }) => match self.content(&id, what.clone())? {
                Some(bytes) => Ok(Some(Blob {
                    id: Some(id),
                    bytes,
                })),
                None => Err(unavailable(
                    what,
                    "it is named, but its content is not there",
                )),
            },
        }
    }

    fn root_contents(&self) -> Result<Ask, SourceError> {
        let place = format!("/contents/?ref={}", self.commit()?);
        Ok(self.ask(&place, self.named("the list of files"), AS_JSON, MAX_TREE))
    }

    fn content(&self, id: &str, what: String) -> Result<Option<Vec<u8>>, SourceError> {
        let ask = self.ask(&format!("/git/blobs/{id}"), what, AS_JSON, MAX_BLOB);
        self.unchanging(&ask, |body| answer::blob(body, id))
    }

    /// An answer that can never be another one: if it was kept, it is not asked for. `None` if there is none.
    fn unchanging<T>(
        &self,
        ask: &Ask,
        read: impl Fn(&[u8]) -> Result<T, BadAnswer>,
    ) -> Result<Option<T>, SourceError> {
        if let Some(value) = self.kept(&ask.url).and_then(|it| read(&it.body).ok()) {
            return Ok(Some(value));
        }
        let reply = self.client.get(ask, None)?;
        match reply.status {
            200 => self.read_reply(ask, &reply, read).map(Some),
            404 => Ok(None),
            status => Err(unavailable(
                ask.what.as_str(),
                format!("status {status} does not fit the question"),
            )),
        }
    }

    /// Reads an answer, and keeps it if it is what was asked for.
    fn read_reply<T>(
        &self,
        ask: &Ask,
        reply: &Reply,
        read: impl Fn(&[u8]) -> Result<T, BadAnswer>,
    ) -> Result<T, SourceError> {
        let value = read(&reply.body).map_err(|error| unavailable(ask.what.as_str(), error))?;
        if let Some(cache) = &self.cache {
            cache.keep(&ask.url, reply.etag.as_deref(), &reply.body);
        }
        Ok(value)
    }

    fn kept(&self, url: &str) -> Option<Kept> {
        self.cache.as_ref()?.load(url)
    }

    fn ask(&self, path: &str, what: String, accept: &'static str, limit: u64) -> Ask {
        let url = self
            .client
            .address()
            .url(&format!("/repos/{}{path}", self.repo));
        Ask {
            what,
            url,
            accept,
            limit,
        }
    }

    /// A thing of this repository, for messages.
    fn named(&self, thing: &str) -> String {
        format!(
            "{thing} of {} at {}",
            self.repo,
            self.client.address().host()
        )
    }

    /// GitHub does not tell what is not there from what may not be seen.
    fn invisible(&self) -> SourceError {
        let what = format!(
            "the repository {} at {}",
            self.repo,
            self.client.address().host()
        );
        let why = match self.client.has_token() {
            true => "not found, or not visible with this token",
            false => "not found, or not visible without a token",
        };
        unavailable(what, why)
    }
}

impl Source for GitHub {
    /// The branch is the name that was asked for; the API does not say whether it is one or a tag.
    fn tree(&self) -> Result<Tree, SourceError> {
        let commit = self.commit()?;
        let name = self
            .reference
            .strip_prefix("heads/")
            .unwrap_or(&self.reference);
        let is_branch = name != "HEAD" && !name.starts_with("tags/") && !commit.starts_with(name);
        let branch = is_branch.then(|| name.to_owned());
        Ok(Tree {
            branch,
            commit: Some(commit),
            is_worktree: false,
        })
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Blob>, SourceError> {
        if self.listed(&self.commit()?)?.is_none() {
            return self.read_contents(path);
        }
        let Some(entry) = self.find(path)? else {
            return Ok(None);
        };
        if let Some(bytes) = entry.size.filter(|it| *it > MAX_FILE) {
            return Err(SourceError::TooLarge {
                path: path.clone(),
                bytes,
            });
        }
        let what = self.named(&format!("'{path}'"));
        match self.content(&entry.id, what.clone())? {
            Some(bytes) => Ok(Some(Blob {
                id: Some(entry.id),
                bytes,
            })),
            None => Err(unavailable(
                what,
                "it is listed, but its content is not there",
            )),
        }
    }

    fn id(&self, path: &RepoPath) -> Option<String> {
        self.find(path).ok()?.map(|it| it.id)
    }

    /// One leap from each commit: the API would take a request for every step. Whether a commit was merged is not
    /// asked, so that nothing is held against a memory for good by what stands here.
    fn history(&self, from: &BTreeSet<String>, _most: usize) -> Result<History, SourceError> {
        let here = self.commit()?;
        let mut ways = BTreeMap::new();
        for commit in from.iter().take(MAX_LEAPS) {
            if let Some(edits) = self.leap(commit, &here)? {
                let leap = Step {
                    commit: here.clone(),
                    edits,
                };
                ways.insert(
                    commit.clone(),
                    Way::Across {
                        leap,
                        then: 0,
                        is_ancestor: None,
                    },
                );
            }
        }
        Ok(History {
            steps: Vec::new(),
            ways,
        })
    }

    /// The content that an id names, in whichever commit; `None` if this repository has none of that id.
    fn object(&self, id: &str) -> Result<Option<Vec<u8>>, SourceError> {
        let what = self.named(&format!("the content {id:.64}"));
        if !is_object_id(id) {
            return Err(unavailable(what, "that is no id of git's in full"));
        }
        let content = self.content(&id.to_ascii_lowercase(), what)?;
        if content.is_none() {
            // Only who sees the repository can say that something is not in it.
            self.commit()?;
        }
        Ok(content)
    }
}

/// What became of each file between two lists.
fn difference(old: &Listing, new: &Listing) -> Vec<Edit> {
    let (old, new): (BTreeMap<&str, &str>, BTreeMap<&str, &str>) =
        (old.files().collect(), new.files().collect());
    let added = new.iter().filter(|(path, _)| !old.contains_key(*path));
    let mut added: BTreeMap<&str, &str> = added.map(|(path, id)| (*path, *id)).collect();
    let version = |path: &str, id: &str| {
        Some(Version {
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
        edits.push(Edit {
            was: version(path, id),
            now,
        });
    }
    edits.extend(added.iter().map(|(path, id)| Edit {
        was: None,
        now: version(path, id),
    }));
    edits
}

/// Whether a 404 is about the ref and not about the repository.
fn says_no_commit(body: &[u8]) -> bool {
    String::from_utf8_lossy(body).contains("No commit found")
}

/// What a panicking thread leaves behind is whole: each value is put there in one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
