//! A commit as a source: what its files held, whatever the working tree holds.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use apostille_cite::{
    citation::RepoPath,
    file_lines::is_binary_content,
    source::{
        CommitHistory, DefaultBranch, MAX_FILE, Source, SourceBlob, SourceError, SourceResult,
        SourceTree,
    },
};
use apostille_files::lock::lock_ignoring_poison;
use apostille_text::secrets::mask_secrets;

use super::{
    cat_file::{CatFileAnswer, GitObject},
    discover::Checkout,
    head::GitHead,
    history,
    objects::{GitObjects, TreeEntries},
    refs::is_object_id,
    source_unavailable,
    tree::{self, TreeEntry, TreeEntryKind},
};

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
    /// The branch that it was taken from, where one is known.
    branch: Option<String>,
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
    pub fn new(checkout: &Checkout, reference: &str) -> SourceResult<Self> {
        Self::from_objects(Arc::new(GitObjects::new(checkout)), reference)
    }

    /// What a bare repository has for its head, as it is now; `None` before the first commit.
    pub fn at_head(checkout: &Checkout) -> SourceResult<Option<Self>> {
        let GitHead { commit, branch } = checkout.read_head()?;
        let Some(commit) = commit else {
            return Ok(None);
        };
        let commit = Self::new(checkout, &commit)?;
        Ok(Some(Self { branch, ..commit }))
    }

    /// Another commit of the same repository, served by the same child.
    pub fn with_reference(&self, reference: &str) -> SourceResult<Self> {
        Self::from_objects(Arc::clone(&self.objects), reference)
    }

    fn from_objects(objects: Arc<GitObjects>, reference: &str) -> SourceResult<Self> {
        if !is_revision_name(reference) {
            return Err(SourceError::NoSuchRef(format_reference(reference)));
        }
        Ok(Self {
            objects,
            reference: reference.to_owned(),
            branch: None,
            resolved: Mutex::default(),
        })
    }

    #[cfg(test)]
    pub(super) fn with_git_command(self, start: fn(&Checkout) -> std::process::Command) -> Self {
        let objects = Arc::new(GitObjects::with_git_command(&self.objects.checkout, start));
        Self { objects, ..self }
    }

    fn resolve_commit(&self) -> SourceResult<ResolvedCommit> {
        let mut resolved = lock_ignoring_poison(&self.resolved);
        if let Some(resolved) = &*resolved {
            return Ok(resolved.clone());
        }
        let no_such_ref = || SourceError::NoSuchRef(format_reference(&self.reference));
        let name = format!("{}^{{commit}}", self.reference);
        let CatFileAnswer::Found(object) = self.request_object(&name, MAX_FILE)? else {
            return Err(no_such_ref());
        };
        let commit = ResolvedCommit {
            root: parse_root_tree(&object).ok_or_else(no_such_ref)?,
            commit: object.id,
        };
        Ok(resolved.insert(commit).clone())
    }

    fn request_object(&self, name: &str, limit: u64) -> SourceResult<CatFileAnswer> {
        self.objects
            .request_object(name, limit, || format_reference(&self.reference))
    }

    /// Walks down the trees, because only they tell files from links and submodules.
    fn find_entry(&self, path: &RepoPath) -> SourceResult<Option<TreeEntry>> {
        let resolved = self.resolve_commit()?;
        let mut here = TreeEntry {
            kind: TreeEntryKind::Directory,
            id: resolved.root.clone(),
        };
        for part in path.as_str().split('/') {
            if here.kind != TreeEntryKind::Directory {
                return Ok(None);
            }
            let entries = self.read_directory(&here.id, path.as_str(), &resolved)?;
            let Some(entry) = entries.get(part) else {
                return Ok(None);
            };
            if matches!(entry.kind, TreeEntryKind::Link | TreeEntryKind::Submodule) {
                return Err(SourceError::Outside { path: path.clone() });
            }
            here = entry.clone();
        }
        Ok((here.kind == TreeEntryKind::File).then_some(here))
    }

    fn read_directory(
        &self,
        id: &str,
        path: &str,
        resolved: &ResolvedCommit,
    ) -> SourceResult<Arc<TreeEntries>> {
        if let Some(known) = self.objects.cached_tree(id) {
            return Ok(known);
        }
        match self.request_object(id, MAX_TREE)? {
            CatFileAnswer::Found(object) if object.kind == "tree" => {
                match tree::parse_tree_entries(&object.bytes, resolved.commit.len() / 2) {
                    Ok(entries) => Ok(self.objects.cache_tree(id, entries)),
                    Err(error) => Err(source_unavailable(format!("'{path}' with git"), error)),
                }
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
    fn read_tree(&self) -> SourceResult<SourceTree> {
        Ok(SourceTree {
            commit: Some(self.resolve_commit()?.commit),
            branch: self.branch.clone(),
            ..SourceTree::default()
        })
    }

    fn read_file(&self, path: &RepoPath) -> SourceResult<Option<SourceBlob>> {
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

    fn has_file(&self, path: &RepoPath) -> SourceResult<bool> {
        Ok(self.find_entry(path)?.is_some())
    }

    fn describe_tree(&self) -> Option<String> {
        // It was taken from a ref by its id: nothing has to be asked.
        let tree = SourceTree {
            commit: Some(self.reference.clone()),
            branch: self.branch.clone(),
            is_worktree: false,
        };
        tree.describe_branch()
    }

    fn is_settled(&self) -> SourceResult<bool> {
        let head = GitHead {
            commit: Some(self.resolve_commit()?.commit),
            branch: None,
        };
        Ok(self.objects.checkout.is_at_default_branch(&head))
    }

    fn open_commit(&self, id: &str) -> SourceResult<Option<Box<dyn Source>>> {
        let commit = match self.with_reference(id) {
            Ok(commit) => commit,
            Err(SourceError::NoSuchRef(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        match commit.read_tree() {
            Ok(_) => Ok(Some(Box::new(commit))),
            Err(SourceError::NoSuchRef(name)) => {
                match self.objects.checkout.explain_missing_history() {
                    Some(why) => Err(source_unavailable(format!("commit '{name}'"), why)),
                    None => Ok(None),
                }
            }
            Err(error) => Err(error),
        }
    }

    fn open_default_branch(&self) -> SourceResult<Option<DefaultBranch>> {
        let head = GitHead {
            commit: Some(self.resolve_commit()?.commit),
            branch: None,
        };
        self.open_default_branch_of(&head)
    }

    fn walk_history(&self, from: &BTreeSet<String>, most: usize) -> SourceResult<CommitHistory> {
        let head = self.resolve_commit()?.commit;
        history::walk_first_parents(&self.objects.checkout, &head, from, most)
    }

    fn read_object(&self, id: &str) -> SourceResult<Option<Vec<u8>>> {
        if !is_object_id(id) {
            return Ok(None);
        }
        match self.request_object(id, MAX_FILE)? {
            CatFileAnswer::Found(object) if object.kind == "blob" => Ok(Some(object.bytes)),
            CatFileAnswer::TooLarge(bytes) => Err(match id.parse() {
                Ok(path) => SourceError::TooLarge { path, bytes },
                Err(error) => source_unavailable(format!("object {id}"), error),
            }),
            _ => Ok(None),
        }
    }

    fn list_paths(&self) -> SourceResult<Option<BTreeSet<RepoPath>>> {
        let entries = self.list_entries()?.into_iter();
        Ok(Some(entries.map(|(path, _, _)| path).collect()))
    }

    fn visit_files(
        &self,
        see: &mut dyn FnMut(&RepoPath, &SourceBlob) -> bool,
    ) -> SourceResult<bool> {
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
    /// The default branch where this is checked out, served by the same child.
    pub(crate) fn open_default_branch_of(
        &self,
        head: &GitHead,
    ) -> SourceResult<Option<DefaultBranch>> {
        let Some(commit) = self.objects.checkout.find_default_commit(head)? else {
            return Ok(None);
        };
        let tree = Box::new(self.with_reference(&commit)?);
        Ok(Some(DefaultBranch { commit, tree }))
    }

    /// Every file of the commit that can be cited, with its id.
    pub(crate) fn list_files(&self) -> SourceResult<Vec<(RepoPath, String)>> {
        let entries = self.list_entries()?.into_iter();
        Ok(entries
            .filter(|(_, kind, _)| *kind == TreeEntryKind::File)
            .map(|(path, _, id)| (path, id))
            .collect())
    }

    /// Every entry of the commit that is no directory, with its kind and id.
    fn list_entries(&self) -> SourceResult<Vec<(RepoPath, TreeEntryKind, String)>> {
        let resolved = self.resolve_commit()?;
        let mut open = vec![(String::new(), resolved.root.clone())];
        let mut entries: Vec<(RepoPath, TreeEntryKind, String)> = Vec::new();
        while let Some((prefix, id)) = open.pop() {
            for (name, entry) in self.read_directory(&id, &prefix, &resolved)?.iter() {
                let path = format!("{prefix}{name}");
                match entry.kind {
                    TreeEntryKind::Directory => open.push((path + "/", entry.id.clone())),
                    kind => {
                        let path = path.parse().ok();
                        entries.extend(path.map(|it| (it, kind, entry.id.clone())));
                    }
                }
            }
        }
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(entries)
    }
}

/// The commit names it, but the object is absent: that is no proof that the file is gone.
fn missing_object_error(path: impl std::fmt::Display) -> SourceError {
    source_unavailable(
        format!("'{path}' with git"),
        "its content was never fetched into this clone; fetch it, for example with 'git fetch --refetch'",
    )
}

/// Whether it can be asked for: it is no option, has one word and one line, and names a commit rather than a path.
fn is_revision_name(text: &str) -> bool {
    let is_odd = |c: char| c.is_control() || c.is_whitespace() || c == ':';
    !text.is_empty() && text.len() <= MAX_REF && !text.starts_with('-') && !text.contains(is_odd)
}

/// The name as it can be shown in one line.
fn format_reference(reference: &str) -> String {
    let shown = mask_secrets(reference);
    shown
        .chars()
        .filter(|c| !c.is_control())
        .take(120)
        .collect()
}

/// A commit's first line is `tree <id>`.
fn parse_root_tree(commit: &GitObject) -> Option<String> {
    let line = commit.bytes.split(|it| *it == b'\n').next()?;
    let id = std::str::from_utf8(line.strip_prefix(b"tree ")?).ok()?;
    let is_root = commit.kind == "commit" && is_object_id(id);
    is_root.then(|| id.to_owned())
}
