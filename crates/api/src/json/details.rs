//! Everything about one memory.

use apostille_core::Context;
use apostille_core::event::Logged;
use apostille_core::memory::{Memory, MemoryId, Status};
use apostille_core::store::{EventPage, Store, StoreError};
use apostille_core::verify::{self, Verified};
use schemars::JsonSchema;
use serde::Serialize;

use super::{EventView, MemoryView, viewed, views};

/// How much of the history is shown.
const HISTORY: usize = 50;
/// How far a chain of replacements is followed in either direction.
const CHAIN: usize = 20;

/// One memory with what it replaced, what replaced it, and what happened to it.
#[derive(Debug, Clone)]
pub struct MemoryDetails {
    /// The memory, and how it stands here.
    pub memory: Verified,
    /// What it replaced, nearest first, as it stands here.
    pub older: Vec<Verified>,
    /// What replaced it, nearest first, as it stands here.
    pub newer: Vec<Verified>,
    /// What happened to it, the latest first.
    pub history: Vec<Logged>,
}

impl MemoryDetails {
    /// Gathers it. Nothing is written, not even that somebody looked.
    pub fn of(cx: &Context<'_>, memory: Memory) -> Result<Self, StoreError> {
        let Replacements { older, newer } = find_replacements(cx.store, &memory)?;
        let history = read_history(cx.store, &memory, false)?;
        let n_older = older.len();
        let mut chain = verify::look(cx, [memory].into_iter().chain(older).chain(newer).collect());
        let newer = chain.split_off(1 + n_older);
        let older = chain.split_off(1);
        Ok(Self {
            memory: chain.remove(0),
            older,
            newer,
            history,
        })
    }
}

/// What happened to a memory, the latest first: everything, or only what changed where it stands.
pub fn read_history(
    store: &dyn Store,
    memory: &Memory,
    changes_only: bool,
) -> Result<Vec<Logged>, StoreError> {
    let page = EventPage {
        memory: Some(memory.id),
        newest_first: true,
        changes_only,
        limit: HISTORY,
        ..EventPage::default()
    };
    store.events(&memory.space, &page)
}

/// What a memory replaced and what replaced it, nearest first.
#[derive(Debug)]
pub struct Replacements {
    pub older: Vec<Memory>,
    pub newer: Vec<Memory>,
}

/// Follows the replacements of a memory in both directions; a chain stays within its space.
pub fn find_replacements(store: &dyn Store, memory: &Memory) -> Result<Replacements, StoreError> {
    let replaced_by = |it: &Memory| match it.status {
        Status::Superseded { by } => Some(by),
        _ => None,
    };
    Ok(Replacements {
        older: follow_chain(store, memory, |it| it.supersedes)?,
        newer: follow_chain(store, memory, replaced_by)?,
    })
}

fn follow_chain(
    store: &dyn Store,
    memory: &Memory,
    next: impl Fn(&Memory) -> Option<MemoryId>,
) -> Result<Vec<Memory>, StoreError> {
    let mut found: Vec<Memory> = Vec::new();
    let mut wanted = next(memory);
    while let Some(id) = wanted.filter(|_| found.len() < CHAIN) {
        let Some(it) = store
            .get_by_ids(&[id])?
            .pop()
            .filter(|it| it.space == memory.space)
        else {
            break;
        };
        wanted = next(&it);
        found.push(it);
    }
    Ok(found)
}

/// Everything about one memory.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MemoryDetailsReply {
    #[schemars(extend("const" = true))]
    ok: bool,
    memory: MemoryView,
    /// What it replaced, nearest first.
    supersedes: Vec<MemoryView>,
    /// What replaced it, nearest first.
    superseded_by: Vec<MemoryView>,
    /// What happened to it, the latest first.
    history: Vec<EventView>,
}

impl MemoryDetailsReply {
    /// What was gathered, with the handles of other memories that are still there.
    pub fn new(store: &dyn Store, it: &MemoryDetails) -> Result<Self, StoreError> {
        Ok(Self {
            ok: true,
            memory: MemoryView::from(&it.memory),
            supersedes: views(&it.older),
            superseded_by: views(&it.newer),
            history: viewed(store, &it.history)?,
        })
    }
}
