//! A commit as a source: what its files held, whatever the working tree holds.

use std::collections::{BTreeSet, HashMap};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard};

use apostille_core::citation::RepoPath;
use apostille_core::sheet::is_binary;
use apostille_core::source::{Blob, History, MAX_FILE, Source, SourceError, Tree};

use super::cat_file::{Answer, CatFile, Object};
use super::discover::Checkout;
use super::head::Head;
use super::tree::{self, Entry, Kind};
use super::{child, history, unavailable};

/// The largest tree object that is read: about a million names.
const MAX_TREE: u64 = 64 * 1024 * 1024;
/// How many directories are kept at hand.
const MAX_TREES: usize = 20_000;
/// The largest file that is searched for text that is not at home.
const MAX_VISITED: u64 = 1024 * 1024;
/// How many files are searched for it.
pub(crate) const MAX_FILES: usize = 100_000;
/// The longest name of a ref that is looked up.
const MAX_REF: usize = 1_024;

/// One commit of a repository.
///
/// The ref is resolved once, when the value is first used: if the branch moves on, the answers stay those of one
/// commit. A single git child serves all reads and ends with the value. Links and submodules are refused as leading
/// out of the repository, also when they are on the way to the file.
#[derive(Debug)]
pub struct Commit {
    checkout: Checkout,
    reference: String,
    state: Mutex<State>,
    /// How git is started; tests put something else here.
    start: fn(&Checkout) -> Command,
}

#[derive(Debug, Default)]
struct State {
    child: Option<CatFile>,
    resolved: Option<Resolved>,
    /// Directories that were read, by their id.
    trees: HashMap<String, Arc<[u8]>>,
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
        if !is_revision(reference) {
            return Err(SourceError::NoSuchRef(shown(reference)));
        }
        Ok(Self {
            checkout: checkout.clone(),
            reference: reference.to_owned(),
            state: Mutex::default(),
            start: child::command,
        })
    }

    #[cfg(test)]
    pub(super) fn started_by(self, start: fn(&Checkout) -> Command) -> Self {
        Self { start, ..self }
    }

    /// A thread that panicked may have left a question open, so its child is not used again.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| {
            self.state.clear_poison();
            let mut state = poisoned.into_inner();
            state.child = None;
            state
        })
    }

    fn resolve(&self, state: &mut State) -> Result<Resolved, SourceError> {
        if let Some(resolved) = &state.resolved {
            return Ok(resolved.clone());
        }
        let no_such_ref = || SourceError::NoSuchRef(shown(&self.reference));
        let object = match self.ask(state, &format!("{}^{{commit}}", self.reference), MAX_FILE)? {
            Answer::Found(object) if object.kind == "commit" => object,
            _ => return Err(no_such_ref()),
        };
        let root = root_tree(&object).ok_or_else(no_such_ref)?;
        let resolved = Resolved { commit: object.id, root };
        state.resolved = Some(resolved.clone());
        Ok(resolved)
    }

    /// Asks the child, and starts it first if there is none. A child that is out of step is ended.
    fn ask(&self, state: &mut State, name: &str, limit: u64) -> Result<Answer, SourceError> {
        let mut child = match state.child.take() {
            Some(child) => child,
            None => CatFile::spawn((self.start)(&self.checkout)).map_err(child::not_started)?,
        };
        let answer = child
            .ask(name, limit)
            .map_err(|error| unavailable(format!("commit '{}' with git", shown(&self.reference)), error))?;
        if !matches!(answer, Answer::TooLarge(_)) {
            state.child = Some(child);
        }
        Ok(answer)
    }

    /// Walks down the trees, because only they tell files from links and submodules.
    fn find(&self, state: &mut State, path: &RepoPath) -> Result<Option<Entry>, SourceError> {
        let resolved = self.resolve(state)?;
        let mut here = Entry { kind: Kind::Directory, id: resolved.root };
        for part in path.as_str().split('/') {
            if here.kind != Kind::Directory {
                return Ok(None);
            }
            let bytes = self.tree_object(state, &here.id, path.as_str())?;
            let entry = tree::find(&bytes, part, resolved.commit.len() / 2);
            match entry.map_err(|error| unavailable(format!("'{path}' with git"), error))? {
                None => return Ok(None),
                Some(Entry { kind: Kind::Link | Kind::Submodule, .. }) => {
                    return Err(SourceError::Outside { path: path.clone() });
                }
                Some(entry) => here = entry,
            }
        }
        Ok((here.kind == Kind::File).then_some(here))
    }

    fn tree_object(&self, state: &mut State, id: &str, path: &str) -> Result<Arc<[u8]>, SourceError> {
        if let Some(known) = state.trees.get(id) {
            return Ok(Arc::clone(known));
        }
        match self.ask(state, id, MAX_TREE)? {
            Answer::Found(object) if object.kind == "tree" => {
                let bytes: Arc<[u8]> = object.bytes.into();
                if state.trees.len() < MAX_TREES {
                    state.trees.insert(id.to_owned(), Arc::clone(&bytes));
                }
                Ok(bytes)
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
        let resolved = self.resolve(&mut self.state())?;
        Ok(Tree { commit: Some(resolved.commit), branch: None, is_worktree: false })
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Blob>, SourceError> {
        let mut state = self.state();
        let Some(entry) = self.find(&mut state, path)? else { return Ok(None) };
        match self.ask(&mut state, &entry.id, MAX_FILE)? {
            Answer::Found(object) if object.kind == "blob" => {
                Ok(Some(Blob { id: Some(object.id), bytes: object.bytes }))
            }
            Answer::TooLarge(bytes) => Err(SourceError::TooLarge { path: path.clone(), bytes }),
            _ => Err(not_here(path)),
        }
    }

    fn id(&self, path: &RepoPath) -> Option<String> {
        self.find(&mut self.state(), path).ok()?.map(|it| it.id)
    }

    fn is_settled(&self) -> Result<bool, SourceError> {
        let commit = self.resolve(&mut self.state())?.commit;
        Ok(self.checkout.is_default(&Head { commit: Some(commit), branch: None }))
    }

    fn history(&self, from: &BTreeSet<String>, most: usize) -> Result<History, SourceError> {
        let resolved = self.resolve(&mut self.state())?;
        history::walk(&self.checkout, &resolved.commit, from, most)
    }

    fn object(&self, id: &str) -> Result<Option<Vec<u8>>, SourceError> {
        if !super::refs::is_object_id(id) {
            return Ok(None);
        }
        match self.ask(&mut self.state(), id, MAX_FILE)? {
            Answer::Found(object) if object.kind == "blob" => Ok(Some(object.bytes)),
            Answer::TooLarge(bytes) => Err(too_large(id, bytes)),
            _ => Ok(None),
        }
    }

    fn visit(&self, see: &mut dyn FnMut(&RepoPath, &Blob) -> bool) -> Result<bool, SourceError> {
        let mut state = self.state();
        let resolved = self.resolve(&mut state)?;
        let mut open = vec![(String::new(), resolved.root)];
        let mut n_seen = 0;
        while let Some((prefix, id)) = open.pop() {
            let bytes = self.tree_object(&mut state, &id, &prefix)?;
            let entries = tree::entries(&bytes, resolved.commit.len() / 2);
            for (name, entry) in
                entries.map_err(|error| unavailable(format!("'{prefix}' with git"), error))?
            {
                let full = format!("{prefix}{name}");
                match entry.kind {
                    Kind::Directory => open.push((format!("{full}/"), entry.id)),
                    Kind::File => {
                        let Ok(path) = full.parse::<RepoPath>() else { continue };
                        let blob = match self.ask(&mut state, &entry.id, MAX_VISITED)? {
                            Answer::Found(blob) => blob,
                            Answer::TooLarge(_) => continue,
                            Answer::Missing => return Err(not_here(path)),
                        };
                        n_seen += 1;
                        let blob = Blob { id: Some(blob.id), bytes: blob.bytes };
                        if n_seen > MAX_FILES || (!is_binary(&blob.bytes) && !see(&path, &blob)) {
                            return Ok(n_seen <= MAX_FILES);
                        }
                    }
                    Kind::Link | Kind::Submodule => {}
                }
            }
        }
        Ok(true)
    }
}

impl Commit {
    /// Every file of the commit that can be cited, with its id.
    pub(crate) fn files(&self) -> Result<Vec<(RepoPath, String)>, SourceError> {
        let mut state = self.state();
        let resolved = self.resolve(&mut state)?;
        let mut open = vec![(String::new(), resolved.root)];
        let mut files = Vec::new();
        while let Some((prefix, id)) = open.pop() {
            let bytes = self.tree_object(&mut state, &id, &prefix)?;
            let entries = tree::entries(&bytes, resolved.commit.len() / 2);
            for (name, entry) in
                entries.map_err(|error| unavailable(format!("'{prefix}' with git"), error))?
            {
                match entry.kind {
                    Kind::Directory => open.push((format!("{prefix}{name}/"), entry.id)),
                    Kind::File => {
                        files.extend(format!("{prefix}{name}").parse().ok().map(|it| (it, entry.id)))
                    }
                    Kind::Link | Kind::Submodule => {}
                }
            }
        }
        Ok(files)
    }

    /// Another commit of the same repository, served by a child of its own.
    pub fn beside(&self, reference: &str) -> Result<Self, SourceError> {
        Ok(Self { start: self.start, ..Self::new(&self.checkout, reference)? })
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
    reference.chars().filter(|c| !c.is_control()).take(120).collect()
}

/// A commit's first line is `tree <id>`.
fn root_tree(commit: &Object) -> Option<String> {
    let line = commit.bytes.split(|it| *it == b'\n').next()?;
    let id = std::str::from_utf8(line.strip_prefix(b"tree ")?).ok()?;
    super::refs::is_object_id(id).then(|| id.to_owned())
}
