//! A task begins: what helps with it, the same in every face.

use apostille_agents::task_opening::{OPENING_TIME, OpeningRequest, TaskOpening, open_task};
use apostille_core::{Context, space::Space};
use apostille_tasks::task::{TaskSlug, notes_block::list_own_lines};

use crate::host::ActivityStore;

/// The task that begins, as a face knows it.
#[derive(Debug, Clone, Copy)]
pub struct TaskStart<'a> {
    /// The task in words.
    pub title: &'a str,
    /// Its name, where it has one: its own notes are not told as if they were another task's.
    pub task: Option<&'a TaskSlug>,
    /// The spaces in play.
    pub spaces: &'a [Space],
    /// `NOTES.md` as it is. What this program wrote into it is left out.
    pub notes: Option<&'a str>,
    /// How many tokens at most.
    pub tokens: usize,
}

/// What is known about a task, what happened in similar ones, and what people wrote down.
pub fn open_starting_task(cx: &Context, start: &TaskStart) -> TaskOpening {
    let notes: Vec<&str> = list_own_lines(start.notes.unwrap_or_default()).collect();
    let ask = OpeningRequest {
        title: start.title,
        task: start.task.map(TaskSlug::as_str),
        spaces: start.spaces,
        notes: Some(&notes.join("\n")),
        tokens: start.tokens,
        time: OPENING_TIME,
    };
    open_task(cx, &ask)
}

/// The task that is worked on here, if it is the one that these words begin.
pub fn find_titled_task(beside: Option<&dyn ActivityStore>, title: &str) -> Option<TaskSlug> {
    let is_meant = |it: &TaskSlug| it.as_str() == title || *it == TaskSlug::from_title(title);
    beside?.active_task().filter(is_meant)
}
