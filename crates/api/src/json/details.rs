//! Everything about one memory.

use apostille_core::Context;
use apostille_core::{
    event::LoggedEvent,
    memory::{Memory, MemoryId},
    store::{EventPage, Store, StoreError},
    verify::{self, VerifiedMemory},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{EventView, MemoryView, build_event_views, build_memory_views};

/// How much of the history is shown.
const HISTORY: usize = 50;
/// How far a chain of replacements is followed in either direction.
const CHAIN: usize = 20;

/// One memory with what it replaced, what replaced it, and what happened to it.
#[derive(Debug, Clone)]
pub struct MemoryDetails {
    /// The memory, and how it stands here.
    pub memory: VerifiedMemory,
    /// What it replaced, nearest first, as it stands here.
    pub older: Vec<VerifiedMemory>,
    /// What replaced it, nearest first, as it stands here.
    pub newer: Vec<VerifiedMemory>,
    /// What happened to it, the latest first.
    pub history: Vec<LoggedEvent>,
}

impl MemoryDetails {
    /// Gathers it. Nothing is written, not even that somebody looked.
    pub fn gather_details(cx: &Context, memory: Memory) -> Result<Self, StoreError> {
        let Replacements { older, newer } = find_replacements(cx.store, &memory)?;
        let history = read_memory_history(cx.store, &memory, false)?;
        let n_older = older.len();
        let mut chain = verify::follow_memory_citations(
            cx,
            [memory].into_iter().chain(older).chain(newer).collect(),
        );
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
pub fn read_memory_history(
    store: &dyn Store,
    memory: &Memory,
    changes_only: bool,
) -> Result<Vec<LoggedEvent>, StoreError> {
    let page = EventPage {
        memory: Some(memory.id),
        newest_first: true,
        changes_only,
        limit: HISTORY,
        ..EventPage::default()
    };
    store.read_events(&memory.space, &page)
}

/// What a memory replaced and what replaced it, nearest first.
#[derive(Debug)]
pub struct Replacements {
    pub older: Vec<Memory>,
    pub newer: Vec<Memory>,
}

/// Follows the replacements of a memory in both directions; a chain stays within its space.
pub fn find_replacements(store: &dyn Store, memory: &Memory) -> Result<Replacements, StoreError> {
    let mut older = follow_replacement_chain(store, memory, |it| it.supersedes)?;
    // What is still in use was not replaced yet: it is another version.
    let n_replaced = older.iter().position(Memory::is_active);
    older.truncate(n_replaced.unwrap_or(older.len()));
    Ok(Replacements {
        older,
        newer: follow_replacement_chain(store, memory, |it| it.status.superseded_by())?,
    })
}

fn follow_replacement_chain(
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
#[derive(Serialize, JsonSchema)]
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
            supersedes: build_memory_views(&it.older),
            superseded_by: build_memory_views(&it.newer),
            history: build_event_views(store, &it.history)?,
        })
    }
}
