//! The files there are: each active memory of a scope under the path where it is seen.

use std::collections::BTreeSet;

use apostille_core::Context;
use apostille_core::memory::{Kind, Layer, Memory, MemoryId, Stage};
use apostille_core::space::Space;
use apostille_core::store::{Filter, Order};

use super::path::{Path, Scope};
use apostille_api::{Fault, Here};

/// How far back the age of a file is followed, in edits.
const MAX_EDITS: usize = 1_000;

/// A memory, and where it is seen.
pub(super) struct File {
    pub(super) path: Path,
    pub(super) memory: Memory,
}

/// Files in the order of their paths.
pub(super) struct Files(Vec<File>);

impl Files {
    /// The files of these scopes.
    pub(super) fn of(cx: &Context<'_>, here: &Here<'_>, scopes: &[Scope]) -> Result<Self, Fault> {
        let mut files = Vec::new();
        for scope in scopes {
            let memories = memories(cx, here, *scope)?;
            let named = match named(*scope, &memories) {
                Ok(paths) => paths.into_iter().zip(memories).collect(),
                Err(Clash) => {
                    let memories = by_age(cx, memories)?;
                    named_in_order(*scope, &memories)
                        .into_iter()
                        .zip(memories)
                        .collect::<Vec<_>>()
                }
            };
            files.extend(
                named
                    .into_iter()
                    .map(|(path, memory)| File { path, memory }),
            );
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self(files))
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &File> {
        self.0.iter()
    }

    /// The file at this path.
    pub(super) fn at(&self, path: &Path) -> Option<&File> {
        self.0.iter().find(|it| it.path == *path)
    }

    /// The files below this directory.
    pub(super) fn below<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = &'a File> {
        self.0.iter().filter(|it| it.path.below(folder).is_some())
    }

    /// Whether there is a directory at this path.
    pub(super) fn has_folder(&self, path: &Path) -> bool {
        path.is_root() || self.below(path).next().is_some()
    }

    /// Whether something stands at this path, or always would.
    pub(super) fn is_taken(&self, path: &Path) -> bool {
        path.is_virtual() || self.at(path).is_some() || self.has_folder(path)
    }

    /// The file that stands where this path needs a directory.
    pub(super) fn in_the_way(&self, path: &Path) -> Option<&File> {
        self.0.iter().find(|it| path.below(&it.path).is_some())
    }
}

/// The space and the layer that a scope is a view of. The user's files stay with the repository when nobody knows the
/// user.
pub(super) fn placed<'a>(here: &Here<'a>, scope: Scope) -> (&'a Space, Layer) {
    match scope {
        Scope::User => (here.user.unwrap_or(here.repo), Layer::Knowledge),
        Scope::Session => (here.repo, Layer::Session),
        Scope::Repo => (here.repo, Layer::Knowledge),
        Scope::Tasks => (here.repo, Layer::Episode),
    }
}

/// The active memories of a scope, the oldest first.
fn memories(cx: &Context<'_>, here: &Here<'_>, scope: Scope) -> Result<Vec<Memory>, Fault> {
    let (space, layer) = placed(here, scope);
    let filter = Filter {
        spaces: vec![space.clone()],
        layers: vec![layer],
        stages: vec![Stage::Active],
        order: Order::Oldest,
        limit: usize::MAX,
        ..Filter::default()
    };
    let mut memories = cx.store.list(&filter)?;
    memories.retain(|it| is_seen(here, scope, it));
    Ok(memories)
}

fn is_seen(here: &Here<'_>, scope: Scope, memory: &Memory) -> bool {
    let is_shared = here.user.is_none();
    match scope {
        Scope::User => !is_shared || memory.kind == Kind::User,
        Scope::Repo => !is_shared || memory.kind != Kind::User,
        Scope::Session => memory.voice.session.as_deref() == here.session,
        Scope::Tasks => true,
    }
}

/// Two memories want one path.
struct Clash;

/// The paths that memories ask for, where each can have its own.
fn named(scope: Scope, memories: &[Memory]) -> Result<Vec<Path>, Clash> {
    let wishes: Vec<Option<Path>> = memories.iter().map(|it| wish(scope, it)).collect();
    let mut taken = Taken::default();
    let is_free = wishes.iter().flatten().all(|it| taken.take(it));
    if !is_free {
        return Err(Clash);
    }
    let or_handle = |(wish, memory): (Option<Path>, &Memory)| {
        wish.unwrap_or_else(|| taken.handle(scope, memory))
    };
    Ok(wishes.into_iter().zip(memories).map(or_handle).collect())
}

/// The paths of memories of which the first to ask for one gets it; the others are seen under their handles.
fn named_in_order(scope: Scope, memories: &[Memory]) -> Vec<Path> {
    let mut taken = Taken::default();
    let granted = |memory: &Memory| wish(scope, memory).filter(|it| taken.take(it));
    let wishes: Vec<Option<Path>> = memories.iter().map(granted).collect();
    let or_handle = |(wish, memory): (Option<Path>, &Memory)| {
        wish.unwrap_or_else(|| taken.handle(scope, memory))
    };
    wishes.into_iter().zip(memories).map(or_handle).collect()
}

/// The folder of a memory's task, where the task has a name that can be one.
fn folder(scope: Scope, memory: &Memory) -> Option<&str> {
    let is_fit =
        |task: &&str| scope == Scope::Tasks && Path::of(scope, Some(task), "m-1.md").is_some();
    memory.task.as_deref().filter(is_fit)
}

/// The path that a memory's subject asks for.
fn wish(scope: Scope, memory: &Memory) -> Option<Path> {
    let task = folder(scope, memory);
    let subject = memory.subject.as_deref()?;
    // What belongs to no task has no folder; a dot in its name keeps it apart from the folders of tasks.
    let is_apart = scope != Scope::Tasks
        || task.is_some()
        || (subject.contains('.') && !subject.contains('/'));
    Path::of(scope, task, subject).filter(|_| is_apart)
}

/// The paths that are taken, by files and by the directories that they need.
#[derive(Default)]
struct Taken {
    files: BTreeSet<String>,
    folders: BTreeSet<String>,
}

impl Taken {
    fn take(&mut self, path: &Path) -> bool {
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
    fn handle(&mut self, scope: Scope, memory: &Memory) -> Path {
        let task = folder(scope, memory);
        let names = (1_u64..).map(|n| match n {
            1 => format!("{}.md", memory.handle()),
            _ => format!("{}-{n}.md", memory.handle()),
        });
        let mut paths = names.filter_map(|name| Path::of(scope, task, &name));
        let free = paths.find(|it| self.take(it));
        #[expect(
            clippy::expect_used,
            reason = "the names never end, and only so many are taken"
        )]
        free.expect("a handle and a number are a fit name, and one is free")
    }
}

/// Memories by the age of the file, however often it was edited; the oldest first.
fn by_age(cx: &Context<'_>, memories: Vec<Memory>) -> Result<Vec<Memory>, Fault> {
    let mut aged = Vec::with_capacity(memories.len());
    for memory in memories {
        aged.push((beginning(cx, &memory)?, memory));
    }
    aged.sort_by_key(|(beginning, memory)| (*beginning, memory.number));
    Ok(aged.into_iter().map(|(_, memory)| memory).collect())
}

/// The first memory that this one goes back to; ids are in the order of time.
fn beginning(cx: &Context<'_>, memory: &Memory) -> Result<MemoryId, Fault> {
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
