//! The task of a commit: what was to be done, in which phase it was then, what was decided.

use std::collections::BTreeSet;

use apostille_api::json::{TracedMemoryView, TracedTaskView};
use apostille_core::{
    memory::{Memory, MemoryId},
    verify::follow_memory_citations,
};
use apostille_tasks::task::{
    GateEvent, NoteSort, Task, TaskSlug, load_task_memories, summary::parse_summary_outcome,
};
use apostille_text::moderate::neutralise_to_one_line;
use jiff::Timestamp;

use super::{ChangeReader, end_of_second};
use crate::error::CommandError;

/// How many decisions are told, the last ones.
const MAX_DECISIONS: usize = 3;

impl ChangeReader<'_> {
    /// A task that a commit names, as far as it is known here.
    pub(super) fn trace_task(
        &self,
        slug: &TaskSlug,
        at: Timestamp,
    ) -> Result<TracedTaskView, CommandError> {
        let bare = TracedTaskView {
            slug: slug.to_string(),
            rests_on: "trailer",
            title: None,
            status: None,
            phase: None,
            outcome: None,
            decisions: Vec::new(),
        };
        let gates = self.tasks.gate_events(slug)?;
        let Some(task) = self.tasks.get(slug)? else {
            return Ok(bare);
        };
        let (cx, space) = (self.workspace.context(), &self.workspace.settings.repo);
        let memories = load_task_memories(&cx, space, &task)?;
        let summary = memories.iter().find(|it| Some(it.id) == task.outcome);
        let outcome = summary
            .and_then(parse_summary_outcome)
            .map(neutralise_to_one_line);
        Ok(TracedTaskView {
            title: Some(neutralise_to_one_line(&task.title)),
            status: Some(task.status.as_str()),
            phase: find_phase_then(&gates, at),
            outcome,
            decisions: self.list_decisions_before(&task, memories, at),
            ..bare
        })
    }

    fn list_decisions_before(
        &self,
        task: &Task,
        mut memories: Vec<Memory>,
        at: Timestamp,
    ) -> Vec<TracedMemoryView> {
        let decided: BTreeSet<MemoryId> = (task.entries_of_sort(NoteSort::Decision))
            .map(|it| it.id)
            .collect();
        let is_before = |it: &Memory| it.recorded_at < end_of_second(at);
        memories.retain(|it| it.is_active() && decided.contains(&it.id) && is_before(it));
        let last = memories.split_off(memories.len().saturating_sub(MAX_DECISIONS));
        let seen = follow_memory_citations(&self.workspace.context(), last);
        seen.iter().map(Into::into).collect()
    }
}

fn find_phase_then(gates: &[GateEvent], at: Timestamp) -> Option<String> {
    let before = gates.iter().take_while(|it| it.at < end_of_second(at));
    let before: Vec<GateEvent> = before.cloned().collect();
    Task::from_events(&before)?.phase
}
