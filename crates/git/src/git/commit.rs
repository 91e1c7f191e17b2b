//! A commit as a source: what its files held, whatever the working tree holds.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use apostille_cite::citation::RepoPath;
use apostille_cite::file_lines::is_binary_content;
use apostille_cite::source::{
    CommitHistory, MAX_FILE, Source, SourceBlob, SourceError, SourceTree,
};
use apostille_text::secrets::mask_secrets;

use super::cat_file::{CatFileAnswer, GitObject};
use super::discover::Checkout;
use super::head::GitHead;
use super::objects::GitObjects;
use super::objects::TreeEntries;
use super::tree::{self, TreeEntry, TreeEntryKind};
use super::{history, source_unavailable};

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
/// commit. A single git child serves all reads, also those of the commits [beside](Commit::with_reference) it. Links and
/// submodules are refused as leading out of the repository, also when they are on the way to the file.
#[derive(Debug)]
pub struct Commit {
    objects: Arc<GitObjects>,
    reference: String,
    resolved: Mutex<Option<ResolvedCommit>>,
}

#[derive(Debug, Clone)]
struct ResolvedCommit {
    commit: String,
    root: String,
}

impl Commit {
    /// The commit that a branch, a tag or an id names. Git is asked only when the value is first used; what cannot be
    /// the name of a commit is refused at once.
    pub fn new(checkout: &Checkout, reference: &str) -> Result<Self, SourceError> {
        Self::from_objects(Arc::new(GitObjects::new(checkout)), reference)
    }

    /// Another commit of the same repository, served by the same child.
    pub fn with_reference(&self, reference: &str) -> Result<Self, SourceError> {
        Self::from_objects(Arc::clone(&self.objects), reference)
    }

    fn from_objects(objects: Arc<GitObjects>, reference: &str) -> Result<Self, SourceError> {
        if !is_revision_name(reference) {
            return Err(SourceError::NoSuchRef(format_reference(reference)));
        }
        Ok(Self {
            objects,
            reference: reference.to_owned(),
            resolved: Mutex::default(),
        })
    }

    #[cfg(test)]
    pub(super) fn with_git_command(self, start: fn(&Checkout) -> std::process::Command) -> Self {
        let objects = Arc::new(GitObjects::with_git_command(&self.objects.checkout, start));
        Self { objects, ..self }
    }

    fn resolve_commit(&self) -> Result<ResolvedCommit, SourceError> {
        let mut resolved = self.resolved.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(resolved) = &*resolved {
            return Ok(resolved.clone());
        }
        let no_such_ref = || SourceError::NoSuchRef(format_reference(&self.reference));
        let object =
            match self.request_object(&format!("{}^{{commit}}", self.reference), MAX_FILE)? {
                CatFileAnswer::Found(object) if object.kind == "commit" => object,
                _ => return Err(no_such_ref()),
            };
        let root = parse_root_tree(&object).ok_or_else(no_such_ref)?;
        Ok(resolved
            .insert(ResolvedCommit {
                commit: object.id,
                root,
            })
            .clone())
    }

    fn request_object(&self, name: &str, limit: u64) -> Result<CatFileAnswer, SourceError> {
        self.objects
            .request_object(name, limit, &format_reference(&self.reference))
    }

    /// Walks down the trees, because only they tell files from links and submodules.
    fn find_entry(&self, path: &RepoPath) -> Result<Option<TreeEntry>, SourceError> {
        let resolved = self.resolve_commit()?;
        let mut here = TreeEntry {
            kind: TreeEntryKind::Directory,
            id: resolved.root.clone(),
        };
        for part in path.as_str().split('/') {
            if here.kind != TreeEntryKind::Directory {
                return Ok(None);
            }
            match self
                .read_directory(&here.id, path.as_str(), &resolved)?
                .get(part)
                .cloned()
            {
                None => return Ok(None),
                Some(TreeEntry {
                    kind: TreeEntryKind::Link | TreeEntryKind::Submodule,
                    ..
                }) => {
                    return Err(SourceError::Outside { path: path.clone() });
                }
                Some(entry) => here = entry,
            }
        }
        Ok((here.kind == TreeEntryKind::File).then_some(here))
    }

    fn read_directory(
        &self,
        id: &str,
        path: &str,
        resolved: &ResolvedCommit,
    ) -> Result<Arc<TreeEntries>, SourceError> {
        if let Some(known) = self.objects.cached_tree(id) {
            return Ok(known);
        }
        match self.request_object(id, MAX_TREE)? {
            CatFileAnswer::Found(object) if object.kind == "tree" => {
                let entries = tree::parse_tree_entries(&object.bytes, resolved.commit.len() / 2);
                let entries = entries
                    .map_err(|error| source_unavailable(format!("'{path}' with git"), error))?;
                Ok(self.objects.cache_tree(id, entries))
            }
            CatFileAnswer::TooLarge(bytes) => Err(source_unavailable(
                format!("'{path}' with git"),
                format!("a directory on the way has {bytes} bytes"),
            )),
            _ => Err(missing_object_error(path)),
        }
    }
}

impl Source for Commit {
    fn read_tree(&self) -> Result<SourceTree, SourceError> {
        let resolved = self.resolve_commit()?;
        Ok(SourceTree {
            commit: Some(resolved.commit),
            branch: None,
            is_worktree: false,
        })
    }

    fn read_file(&self, path: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
        let Some(entry) = self.find_entry(path)? else {
            return Ok(None);
        };
        match self.request_object(&entry.id, MAX_FILE)? {
            CatFileAnswer::Found(object) if object.kind == "blob" => Ok(Some(SourceBlob {
                id: Some(object.id),
                bytes: object.bytes,
            })),
            CatFileAnswer::TooLarge(bytes) => Err(SourceError::TooLarge {
                path: path.clone(),
                bytes,
            }),
            _ => Err(missing_object_error(path)),
        }
    }

    fn file_id(&self, path: &RepoPath) -> Option<String> {
        self.find_entry(path).ok()?.map(|it| it.id)
    }

    fn is_settled(&self) -> Result<bool, SourceError> {
        let commit = self.resolve_commit()?.commit;
        Ok(self.objects.checkout.is_at_default_branch(&GitHead {
            commit: Some(commit),
            branch: None,
        }))
    }

    fn walk_history(
        &self,
        from: &BTreeSet<String>,
        most: usize,
    ) -> Result<CommitHistory, SourceError> {
        let resolved = self.resolve_commit()?;
        history::walk_first_parents(&self.objects.checkout, &resolved.commit, from, most)
    }

    fn read_object(&self, id: &str) -> Result<Option<Vec<u8>>, SourceError> {
        if !super::refs::is_object_id(id) {
            return Ok(None);
        }
        match self.request_object(id, MAX_FILE)? {
            CatFileAnswer::Found(object) if object.kind == "blob" => Ok(Some(object.bytes)),
            CatFileAnswer::TooLarge(bytes) => Err(object_too_large_error(id, bytes)),
            _ => Ok(None),
        }
    }

    fn visit_files(
        &self,
        see: &mut dyn FnMut(&RepoPath, &SourceBlob) -> bool,
    ) -> Result<bool, SourceError> {
        let files = self.list_files()?;
        for (path, id) in files.iter().take(MAX_FILES) {
            let blob = match self.request_object(id, MAX_VISITED)? {
                CatFileAnswer::Found(blob) => SourceBlob {
                    id: Some(blob.id),
                    bytes: blob.bytes,
                },
                CatFileAnswer::TooLarge(_) => continue,
                CatFileAnswer::Missing => return Err(missing_object_error(path)),
            };
            if !is_binary_content(&blob.bytes) && !see(path, &blob) {
                return Ok(true);
            }
        }
        Ok(files.len() <= MAX_FILES)
    }
}

impl Commit {
    /// Every file of the commit that can be cited, with its id.
    pub(crate) fn list_files(&self) -> Result<Vec<(RepoPath, String)>, SourceError> {
        let resolved = self.resolve_commit()?;
        let mut open = vec![(String::new(), resolved.root.clone())];
        let mut files = Vec::new();
        while let Some((prefix, id)) = open.pop() {
            for (name, entry) in self.read_directory(&id, &prefix, &resolved)?.iter() {
                match entry.kind {
                    TreeEntryKind::Directory => {
                        open.push((format!("{prefix}{name}/"), entry.id.clone()))
                    }
                    TreeEntryKind::File => {
                        let path = format!("{prefix}{name}").parse().ok();
                        files.extend(path.map(|it| (it, entry.id.clone())));
                    }
                    TreeEntryKind::Link | TreeEntryKind::Submodule => {}
                }
            }
        }
        files.sort();
        Ok(files)
    }
}

/// The commit names it, but the object is absent: that is no proof that the file is gone.
fn missing_object_error(path: impl std::fmt::Display) -> SourceError {
    source_unavailable(
        format!("'{path}' with git"),
        "its content was never fetched into this clone; fetch it, for example with 'git fetch --refetch'",
    )
}

/// The error for an object that is known by its id alone.
fn object_too_large_error(id: &str, bytes: u64) -> SourceError {
    match id.parse() {
        Ok(path) => SourceError::TooLarge { path, bytes },
        Err(error) => source_unavailable(format!("object {id}"), error),
    }
}

/// Whether it can be asked for: it is no option, has one word and one line, and names a commit rather than a path.
fn is_revision_name(text: &str) -> bool {
    let is_odd = |c: char| c.is_control() || c.is_whitespace() || c == ':';
    !text.is_empty() && text.len() <= MAX_REF && !text.starts_with('-') && !text.contains(is_odd)
}

/// The name as it can be shown in one line.
fn format_reference(reference: &str) -> String {
    mask_secrets(reference)
        .chars()
        .filter(|c| !c.is_control())
        .take(120)
        .collect()
}

/// A commit's first line is `tree <id>`.
fn parse_root_tree(commit: &GitObject) -> Option<String> {
    let line = commit.bytes.split(|it| *it == b'\n').next()?;
    let id = std::str::from_utf8(line.strip_prefix(b"tree ")?).ok()?;
    super::refs::is_object_id(id).then(|| id.to_owned())
}
