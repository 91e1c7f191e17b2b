//! A commit as a source: what its files held, whatever the working tree holds.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use apostille_cite::citation::RepoPath;
use apostille_cite::sheet::is_binary;
use apostille_cite::source::{Blob, History, MAX_FILE, Source, SourceError, Tree};
use apostille_text::secrets::masked;

use super::cat_file::{Answer, Object};
use super::discover::Checkout;
use super::head::Head;
use super::objects::Directory;
use super::objects::Objects;
use super::tree::{self, Entry, Kind};
use super::{history, unavailable};

/// The largest tree object that is read: about a million names.
const MAX_TREE: u64 = 64 * 1024 * 1024;
/// The largest file that is searched for text that is not at home.
const MAX_VISITED: u64 = 1024 * 1024;
/// How many files are searched for it.
pub(crate) const MAX_FILES: usize = 100_000;
/// The longest name of a ref that is looked up.
const MAX_REF: usize = 1_024;

/// One commit of a repository.
///
/// The ref is resolved once, when the value is first used: if the branch moves on, the answers stay those of one
/// commit. A single git child serves all reads, also those of the commits [beside](Commit::beside) it. Links and
/// submodules are refused as leading out of the repository, also when they are on the way to the file.
#[derive(Debug)]
pub struct Commit {
    objects: Arc<Objects>,
    reference: String,
    resolved: Mutex<Option<Resolved>>,
}

#[derive(Debug, Clone)]
struct Resolved {
    commit: String,
    root: String,
}

impl Commit {
    /// The commit that a branch, a tag or an id names. Git is asked only when the value is first used; what cannot be
    /// the name of a commit is refused at once.
    pub fn new(checkout: &Checkout, reference: &str) -> Result<Self, SourceError> {
        Self::of(Arc::new(Objects::new(checkout)), reference)
    }

    /// Another commit of the same repository, served by the same child.
    pub fn beside(&self, reference: &str) -> Result<Self, SourceError> {
        Self::of(Arc::clone(&self.objects), reference)
    }

    fn of(objects: Arc<Objects>, reference: &str) -> Result<Self, SourceError> {
        if !is_revision(reference) {
            return Err(SourceError::NoSuchRef(shown(reference)));
        }
        Ok(Self {
            objects,
            reference: reference.to_owned(),
            resolved: Mutex::default(),
        })
    }

    #[cfg(test)]
    pub(super) fn started_by(self, start: fn(&Checkout) -> std::process::Command) -> Self {
        let objects = Arc::new(Objects::started_by(&self.objects.checkout, start));
        Self { objects, ..self }
    }

    fn resolve(&self) -> Result<Resolved, SourceError> {
        let mut resolved = self.resolved.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(resolved) = &*resolved {
            return Ok(resolved.clone());
        }
        let no_such_ref = || SourceError::NoSuchRef(shown(&self.reference));
        let object = match self.ask(&format!("{}^{{commit}}", self.reference), MAX_FILE)? {
            Answer::Found(object) if object.kind == "commit" => object,
            _ => return Err(no_such_ref()),
        };
        let root = root_tree(&object).ok_or_else(no_such_ref)?;
        Ok(resolved
            .insert(Resolved {
                commit: object.id,
                root,
            })
            .clone())
    }

    fn ask(&self, name: &str, limit: u64) -> Result<Answer, SourceError> {
        self.objects.ask(name, limit, &shown(&self.reference))
    }

    /// Walks down the trees, because only they tell files from links and submodules.
    fn find(&self, path: &RepoPath) -> Result<Option<Entry>, SourceError> {
        let resolved = self.resolve()?;
        let mut here = Entry {
            kind: Kind::Directory,
            id: resolved.root.clone(),
        };
        for part in path.as_str().split('/') {
            if here.kind != Kind::Directory {
                return Ok(None);
            }
            match self
                .directory(&here.id, path.as_str(), &resolved)?
                .get(part)
                .cloned()
            {
                None => return Ok(None),
                Some(Entry {
                    kind: Kind::Link | Kind::Submodule,
                    ..
                }) => {
                    return Err(SourceError::Outside { path: path.clone() });
                }
                Some(entry) => here = entry,
            }
        }
        Ok((here.kind == Kind::File).then_some(here))
    }

    fn directory(
        &self,
        id: &str,
        path: &str,
        resolved: &Resolved,
    ) -> Result<Arc<Directory>, SourceError> {
        if let Some(known) = self.objects.tree(id) {
            return Ok(known);
        }
        match self.ask(id, MAX_TREE)? {
            Answer::Found(object) if object.kind == "tree" => {
                let entries = tree::entries(&object.bytes, resolved.commit.len() / 2);
                let entries =
                    entries.map_err(|error| unavailable(format!("'{path}' with git"), error))?;
                Ok(self.objects.keep_tree(id, entries))
            }
            Answer::TooLarge(bytes) => Err(unavailable(
                format!("'{path}' with git"),
                format!("a directory on the way has {bytes} bytes"),
            )),
            _ => Err(not_here(path)),
        }
    }
}

impl Source for Commit {
    fn tree(&self) -> Result<Tree, SourceError> {
        let resolved = self.resolve()?;
        Ok(Tree {
            commit: Some(resolved.commit),
            branch: None,
            is_worktree: false,
        })
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Blob>, SourceError> {
        let Some(entry) = self.find(path)? else {
            return Ok(None);
        };
        match self.ask(&entry.id, MAX_FILE)? {
            Answer::Found(object) if object.kind == "blob" => Ok(Some(Blob {
                id: Some(object.id),
                bytes: object.bytes,
            })),
            Answer::TooLarge(bytes) => Err(SourceError::TooLarge {
                path: path.clone(),
                bytes,
            }),
            _ => Err(not_here(path)),
        }
    }

    fn id(&self, path: &RepoPath) -> Option<String> {
        self.find(path).ok()?.map(|it| it.id)
    }

    fn is_settled(&self) -> Result<bool, SourceError> {
        let commit = self.resolve()?.commit;
        Ok(self.objects.checkout.is_default(&Head {
            commit: Some(commit),
            branch: None,
        }))
    }

    fn history(&self, from: &BTreeSet<String>, most: usize) -> Result<History, SourceError> {
        let resolved = self.resolve()?;
        history::walk(&self.objects.checkout, &resolved.commit, from, most)
    }

    fn object(&self, id: &str) -> Result<Option<Vec<u8>>, SourceError> {
        if !super::refs::is_object_id(id) {
            return Ok(None);
        }
        match self.ask(id, MAX_FILE)? {
            Answer::Found(object) if object.kind == "blob" => Ok(Some(object.bytes)),
            Answer::TooLarge(bytes) => Err(too_large(id, bytes)),
            _ => Ok(None),
        }
    }

    fn visit(&self, see: &mut dyn FnMut(&RepoPath, &Blob) -> bool) -> Result<bool, SourceError> {
        let files = self.files()?;
        for (path, id) in files.iter().take(MAX_FILES) {
            let blob = match self.ask(id, MAX_VISITED)? {
                Answer::Found(blob) => Blob {
                    id: Some(blob.id),
                    bytes: blob.bytes,
                },
                Answer::TooLarge(_) => continue,
                Answer::Missing => return Err(not_here(path)),
            };
            if !is_binary(&blob.bytes) && !see(path, &blob) {
                return Ok(true);
            }
        }
        Ok(files.len() <= MAX_FILES)
    }
}

impl Commit {
    /// Every file of the commit that can be cited, with its id.
    pub(crate) fn files(&self) -> Result<Vec<(RepoPath, String)>, SourceError> {
        let resolved = self.resolve()?;
        let mut open = vec![(String::new(), resolved.root.clone())];
        let mut files = Vec::new();
        while let Some((prefix, id)) = open.pop() {
            for (name, entry) in self.directory(&id, &prefix, &resolved)?.iter() {
                match entry.kind {
                    Kind::Directory => open.push((format!("{prefix}{name}/"), entry.id.clone())),
                    Kind::File => {
                        let path = format!("{prefix}{name}").parse().ok();
                        files.extend(path.map(|it| (it, entry.id.clone())));
                    }
                    Kind::Link | Kind::Submodule => {}
                }
            }
        }
        files.sort();
        Ok(files)
    }
}

/// The commit names it, but the object is absent: that is no proof that the file is gone.
fn not_here(path: impl std::fmt::Display) -> SourceError {
    unavailable(
        format!("'{path}' with git"),
        "its content was never fetched into this clone; fetch it, for example with 'git fetch --refetch'",
    )
}

/// The error for an object that is known by its id alone.
fn too_large(id: &str, bytes: u64) -> SourceError {
    match id.parse() {
        Ok(path) => SourceError::TooLarge { path, bytes },
        Err(error) => unavailable(format!("object {id}"), error),
    }
}

/// Whether it can be asked for: it is no option, has one word and one line, and names a commit rather than a path.
fn is_revision(text: &str) -> bool {
    let is_odd = |c: char| c.is_control() || c.is_whitespace() || c == ':';
    !text.is_empty() && text.len() <= MAX_REF && !text.starts_with('-') && !text.contains(is_odd)
}

/// The name as it can be shown in one line.
fn shown(reference: &str) -> String {
    masked(reference)
        .chars()
        .filter(|c| !c.is_control())
        .take(120)
        .collect()
}

/// A commit's first line is `tree <id>`.
fn root_tree(commit: &Object) -> Option<String> {
    let line = commit.bytes.split(|it| *it == b'\n').next()?;
    let id = std::str::from_utf8(line.strip_prefix(b"tree ")?).ok()?;
    super::refs::is_object_id(id).then(|| id.to_owned())
}
