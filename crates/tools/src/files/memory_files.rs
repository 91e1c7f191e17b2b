//! The files there are: each active memory of a scope under the path where it is seen.

use std::collections::BTreeSet;

use apostille_core::{
    Context,
    memory::{Kind, Layer, Memory, MemoryId, Stage},
    space::Space,
    store::{ListOrder, MemoryFilter},
    verify,
};

use super::path::{FileScope, MemoryPath};
use crate::tool::ToolCall;
use apostille_api::{CallFault, Caller};

/// How far back the age of a file is followed, in edits.
const MAX_EDITS: usize = 1_000;

/// A memory, and where it is seen.
pub(super) struct MemoryFile {
    pub(super) path: MemoryPath,
    pub(super) memory: Memory,
}

/// Files in the order of their paths.
pub(super) struct MemoryFiles(Vec<MemoryFile>);

impl MemoryFiles {
    /// The files of these scopes.
    pub(super) fn load_scopes(call: &ToolCall, scopes: &[FileScope]) -> Result<Self, CallFault> {
        let mut files = Vec::new();
        for scope in scopes {
            let mut memories = list_scope_memories(call, *scope)?;
            let (mut paths, has_clash) = assign_paths_in_order(*scope, &memories);
            if has_clash {
                memories = sort_by_file_age(call, memories)?;
                paths = assign_paths_in_order(*scope, &memories).0;
            }
            let named = paths.into_iter().zip(memories);
            files.extend(named.map(|(path, memory)| MemoryFile { path, memory }));
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self(files))
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &MemoryFile> {
        self.0.iter()
    }

    /// The file at this path.
    pub(super) fn find_file(&self, path: &MemoryPath) -> Option<&MemoryFile> {
        self.0.iter().find(|it| it.path == *path)
    }

    /// The files below this directory.
    pub(super) fn files_below<'a>(
        &'a self,
        folder: &'a MemoryPath,
    ) -> impl Iterator<Item = &'a MemoryFile> {
        self.0
            .iter()
            .filter(|it| it.path.parts_below(folder).is_some())
    }

    /// Whether there is a directory at this path.
    pub(super) fn has_folder(&self, path: &MemoryPath) -> bool {
        path.is_root() || self.files_below(path).next().is_some()
    }

    /// Whether something stands at this path, or always would.
    pub(super) fn is_taken(&self, path: &MemoryPath) -> bool {
        path.is_virtual() || self.find_file(path).is_some() || self.has_folder(path)
    }

    /// The file that stands where this path needs a directory.
    pub(super) fn blocking_file(&self, path: &MemoryPath) -> Option<&MemoryFile> {
        self.0
            .iter()
            .find(|it| path.parts_below(&it.path).is_some())
    }
}

/// The space and the layer that a scope is a view of. The user's files stay with the repository when nobody knows the
/// user.
pub(super) fn locate_file_scope<'a>(caller: &Caller<'a>, scope: FileScope) -> (&'a Space, Layer) {
    match scope {
        FileScope::User => (caller.user.unwrap_or(caller.repo), Layer::Knowledge),
        FileScope::Session => (caller.repo, Layer::Session),
        FileScope::Repo => (caller.repo, Layer::Knowledge),
        FileScope::Tasks => (caller.repo, Layer::Episode),
    }
}

/// The active memories of a scope, the oldest first.
fn list_scope_memories(call: &ToolCall, scope: FileScope) -> Result<Vec<Memory>, CallFault> {
    let (space, layer) = locate_file_scope(call.caller, scope);
    let filter = MemoryFilter {
        spaces: vec![space.clone()],
        layers: vec![layer],
        stages: vec![Stage::Active],
        order: ListOrder::Oldest,
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    let mut memories = call.store.list_memories(&filter)?;
    memories.retain(|it| is_visible_in_scope(call.caller, scope, it));
    Ok(drop_other_versions(call, memories))
}

/// Of a file that was edited on a branch, the text that stands in this checkout.
fn drop_other_versions(cx: &Context, memories: Vec<Memory>) -> Vec<Memory> {
    let ids: BTreeSet<MemoryId> = memories.iter().map(|it| it.id).collect();
    let has_version = |it: &Memory| it.supersedes.is_some_and(|old| ids.contains(&old));
    if !memories.iter().any(has_version) {
        return memories;
    }
    let looked_up = verify::follow_memory_citations(cx, memories).into_iter();
    let shown = looked_up.filter(|it| !it.is_outranked);
    shown.map(|it| it.memory).collect()
}

fn is_visible_in_scope(caller: &Caller, scope: FileScope, memory: &Memory) -> bool {
    let is_shared = caller.user.is_none();
    match scope {
        FileScope::User => !is_shared || memory.kind == Kind::User,
        FileScope::Repo => !is_shared || memory.kind != Kind::User,
        FileScope::Session => memory.voice.session.as_deref() == caller.session,
        FileScope::Tasks => true,
    }
}

/// The paths of memories, and whether two of them ask for one. The first to ask for a path gets it; the others, and those
/// that ask for none, are seen under their handles.
fn assign_paths_in_order(scope: FileScope, memories: &[Memory]) -> (Vec<MemoryPath>, bool) {
    let (mut taken, mut has_clash) = (TakenPaths::default(), false);
    let mut granted = |memory: &Memory| {
        let wish = choose_wished_path(scope, memory)?;
        let is_free = taken.try_take_path(&wish);
        has_clash |= !is_free;
        is_free.then_some(wish)
    };
    let wishes: Vec<Option<MemoryPath>> = memories.iter().map(&mut granted).collect();
    let or_handle = |(wish, memory): (Option<MemoryPath>, &Memory)| {
        wish.unwrap_or_else(|| taken.take_handle_path(scope, memory))
    };
    let paths = wishes.into_iter().zip(memories).map(or_handle).collect();
    (paths, has_clash)
}

/// The folder of a memory's task, where the task has a name that can be one.
fn find_task_folder(scope: FileScope, memory: &Memory) -> Option<&str> {
    let is_fit = |task: &&str| {
        scope == FileScope::Tasks && MemoryPath::from_parts(scope, Some(task), "m-1.md").is_some()
    };
    memory.task.as_deref().filter(is_fit)
}

/// The path that a memory's subject asks for.
fn choose_wished_path(scope: FileScope, memory: &Memory) -> Option<MemoryPath> {
    let task = find_task_folder(scope, memory);
    let subject = memory.subject.as_deref()?;
    // What belongs to no task has no folder; a dot in its name keeps it apart from the folders of tasks.
    let is_apart = scope != FileScope::Tasks
        || task.is_some()
        || (subject.contains('.') && !subject.contains('/'));
    MemoryPath::from_parts(scope, task, subject).filter(|_| is_apart)
}

/// The paths that are taken, by files and by the directories that they need.
#[derive(Default)]
struct TakenPaths {
    files: BTreeSet<String>,
    folders: BTreeSet<String>,
}

impl TakenPaths {
    fn try_take_path(&mut self, path: &MemoryPath) -> bool {
        let path = path.to_string();
        let folders: Vec<&str> = path
            .match_indices('/')
            .skip(1)
            .map(|(at, _)| &path[..at])
            .collect();
        let is_free = !self.files.contains(&path)
            && !self.folders.contains(&path)
            && !folders.iter().any(|it| self.files.contains(*it));
        if is_free {
            self.folders.extend(folders.into_iter().map(Into::into));
            self.files.insert(path);
        }
        is_free
    }

    /// The path under a memory's handle, with a number behind it in case somebody calls another file so.
    fn take_handle_path(&mut self, scope: FileScope, memory: &Memory) -> MemoryPath {
        let task = find_task_folder(scope, memory);
        let names = (1_u64..).map(|n| match n {
            1 => format!("{}.md", memory.handle()),
            _ => format!("{}-{n}.md", memory.handle()),
        });
        let mut paths = names.filter_map(|name| MemoryPath::from_parts(scope, task, &name));
        let free = paths.find(|it| self.try_take_path(it));
        #[expect(
            clippy::expect_used,
            reason = "the names never end, and only so many are taken"
        )]
        free.expect("a handle and a number are a fit name, and one is free")
    }
}

/// Memories by the age of the file, however often it was edited; the oldest first.
fn sort_by_file_age(cx: &Context, memories: Vec<Memory>) -> Result<Vec<Memory>, CallFault> {
    let mut aged = Vec::new();
    for memory in memories {
        aged.push((find_first_version(cx, &memory)?, memory));
    }
    aged.sort_by_key(|(beginning, memory)| (*beginning, memory.number));
    Ok(aged.into_iter().map(|it| it.1).collect())
}

/// The first memory that this one goes back to; ids are in the order of time.
fn find_first_version(cx: &Context, memory: &Memory) -> Result<MemoryId, CallFault> {
    let (mut first, mut before) = (memory.id, memory.supersedes);
    for _ in 0..MAX_EDITS {
        let Some(id) = before else { break };
        first = id;
        before = cx
            .store
            .get_by_ids(&[id])?
            .pop()
            .and_then(|it| it.supersedes);
    }
    Ok(first)
}
