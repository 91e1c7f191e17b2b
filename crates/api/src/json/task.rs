//! What is and was worked on.

use std::collections::{BTreeMap, BTreeSet};

use apostille_core::{
    format,
    memory::{Memory, MemoryId},
    store::{Store, StoreError},
    verify::VerifiedMemory,
};
use apostille_tasks::task::{NoteSort, Task, TaskSlug, TaskStatus, left_open::LEFT};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{MemoryView, build_memory_views, text_schema::TextEncoded};

/// A task.
#[derive(Serialize, JsonSchema)]
pub struct TaskView {
    /// Its name.
    pub slug: String,
    /// What is to be done.
    pub title: String,
    /// How it stands.
    #[schemars(with = "TextEncoded<TaskStatus>")]
    pub status: &'static str,
    /// Whether it is the one that is worked on here.
    pub active: bool,
    /// Whether it was left open, and closed by nobody in particular.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub left_open: bool,
    /// Nobody began it here: its file came with the repository.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub from_elsewhere: bool,
    /// The phase it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The phases as they were planned.
    pub phases: Vec<String>,
    /// The phases it was in.
    pub passed: Vec<String>,
    /// When it began.
    #[schemars(with = "TextEncoded<Timestamp>")]
    pub started_at: String,
    /// When the last gate was passed.
    #[schemars(with = "TextEncoded<Timestamp>")]
    pub touched_at: String,
    /// The commit that was checked out when it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Who began it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// How many notes there are of each sort; of blockers, those that stand.
    pub notes: BTreeMap<&'static str, usize>,
    /// The memory that tells what came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

impl TaskView {
    /// A task that was begun here.
    pub fn new(task: &Task, active: Option<&TaskSlug>) -> Self {
        let count = |sort: &NoteSort| (sort.as_str(), task.entries_of_sort(*sort).count());
        Self {
            slug: task.slug.to_string(),
            title: task.title.clone(),
            status: task.status.as_str(),
            active: active == Some(&task.slug),
            left_open: false,
            from_elsewhere: false,
            phase: task.phase.clone(),
            phases: task.phases.clone(),
            passed: task.passed.clone(),
            started_at: format::format_timestamp(task.started_at),
            touched_at: format::format_timestamp(task.touched_at),
            commit: task.commit.clone(),
            by: task.by.clone(),
            notes: NoteSort::ALL.iter().map(count).collect(),
            outcome: task.outcome.map(|it| it.to_string()),
        }
    }
}

/// Tasks.
#[derive(Serialize, JsonSchema)]
pub struct TasksReply {
    /// Always true.
    #[schemars(extend("const" = true))]
    pub ok: bool,
    /// The tasks.
    pub tasks: Vec<TaskView>,
}

/// A task with its notes.
#[derive(Serialize, JsonSchema)]
pub struct TaskReply {
    #[schemars(extend("const" = true))]
    ok: bool,
    /// The task.
    pub task: TaskView,
    /// Its notes.
    memories: Vec<MemoryView>,
    /// The handles of blockers that are out of the way.
    resolved: Vec<String>,
}

impl TaskReply {
    /// A task with its notes, and which of them are out of the way.
    pub fn new(view: TaskView, task: &Task, notes: &[VerifiedMemory]) -> Self {
        let is_resolved = |it: &&VerifiedMemory| {
            task.entries
                .iter()
                .any(|entry| entry.id == it.memory.id && entry.is_resolved)
        };
        let resolved = notes
            .iter()
            .filter(is_resolved)
            .map(|it| it.memory.handle().to_string());
        Self {
            ok: true,
            task: view,
            memories: build_memory_views(notes),
            resolved: resolved.collect(),
        }
    }
}

/// The tasks among these that were left open, by the episode that says so.
pub fn find_left_open_episodes(
    store: &dyn Store,
    tasks: &[Task],
) -> Result<BTreeSet<MemoryId>, StoreError> {
    let ids: Vec<MemoryId> = tasks.iter().filter_map(|it| it.outcome).collect();
    let is_left = |it: &Memory| it.tags.iter().any(|tag| tag == LEFT);
    Ok(store
        .get_by_ids(&ids)?
        .iter()
        .filter(|it| is_left(it))
        .map(|it| it.id)
        .collect())
}
