//! Tasks: what is worked on and what was, how each went, and a report of what was done day by day.

mod report;
mod strip;
mod timeline;

use std::collections::BTreeMap;

use apostille_core::{
    memory::MemoryId,
    verify::{self, VerifiedMemory},
};
use apostille_tasks::{
    task,
    task::{GateEvent, NoteSort, Task, TaskSlug},
};
use maud::{Markup, html};

use super::{
    PanelResult,
    components::{
        DASH, RING, TICK, format_shown_fact, link_to_named_page, link_to_page, pluralize_count,
        render_badge, render_empty_state, render_field_list, render_handle_link,
        render_relative_time, render_toned_badge, sanitize_shown_text, shorten_shown_text,
    },
    frame::{PanelTab, render_missing_page, render_panel_page},
    sessions::read_beside_store,
};
use apostille_api::{
    host::{ActivityStore, PlaceError},
    request_scope::{RequestInput, RequestScope},
};

/// How many tasks of the archive are listed, and how much of a text is shown.
const ARCHIVE: usize = 100;
const TEXT: usize = 600;

/// What is and was worked on, and a report.
pub fn render_tasks_page(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let tasks = read_beside_store(scope, |it| read_reachable_tasks(scope, it));
    let body = html! {
        @match &tasks { Ok(tasks) => (render_task_list(scope, tasks)), Err(problem) => (problem) }
        (report::render_work_report(scope, asked, tasks.as_deref().unwrap_or_default())?)
    };
    render_panel_page(scope, PanelTab::Tasks, "Tasks", &body)
}

/// The tasks of the checkout. They are the repository's, so a token that does not reach it has none of them.
fn read_reachable_tasks(
    scope: &RequestScope,
    beside: &dyn ActivityStore,
) -> Result<Vec<Task>, PlaceError> {
    if scope.token.reaches_space(scope.caller.repo) {
        beside.list_tasks()
    } else {
        Ok(Vec::new())
    }
}

/// The tasks, the last begun first.
fn render_task_list(scope: &RequestScope, tasks: &[Task]) -> Markup {
    if tasks.is_empty() {
        return render_empty_state(
            "No task yet",
            &html! {
                p { code { "apostille task start \"Move the API to v4\"" } " begins one; agents note decisions and blockers on the way, and its end is kept as an episode." }
            },
        );
    }
    let (open, ended): (Vec<&Task>, Vec<&Task>) = tasks.iter().rev().partition(|it| it.is_open());
    let active = find_active_task(scope);
    let row = |it: &Task| render_task_row(scope, it, active.as_ref());
    html! {
        section aria-labelledby="open" {
            div.group { h2 #open { "Open" } p { (open.len()) } }
            @if open.is_empty() { p.hint { "Nothing is worked on just now." } }
            ol.entries { @for it in &open { (row(it)) } }
        }
        @if !ended.is_empty() {
            section aria-labelledby="archive" {
                div.group { h2 #archive { "Archive" } p { (ended.len()) } }
                ol.entries { @for it in ended.iter().take(ARCHIVE) { (row(it)) } }
                @if ended.len() > ARCHIVE { p.hint { "Older ones: " code { "apostille task list" } } }
            }
        }
    }
}

/// The task that is worked on, which is read from the checkout: once a page, not once a row.
fn find_active_task(scope: &RequestScope) -> Option<TaskSlug> {
    scope.caller.activity.and_then(|it| it.active_task())
}

fn render_task_row(scope: &RequestScope, task: &Task, active: Option<&TaskSlug>) -> Markup {
    let n_blockers = task.entries_of_sort(NoteSort::Blocker).count() as u64;
    html! {
        li.entry {
            div.margin { (render_task_status(task)) }
            div.body {
                p.subject dir="auto" {
                    a href=(link_to_named_page(scope, "/tasks", task.slug.as_str())) { (sanitize_shown_text(&task.title)) }
                    (render_task_marks(scope, task, active))
                }
                p.meta {
                    @if let Some(it) = task.format_phase() { span { "phase " (sanitize_shown_text(&it)) } }
                    span { "begun " (render_relative_time(scope, task.started_at)) }
                    @if task.touched_at != task.started_at { span { "last " (render_relative_time(scope, task.touched_at)) } }
                    @if n_blockers > 0 && task.is_open() { (render_toned_badge("warn", RING, &pluralize_count(n_blockers, "blocker", "blockers"))) }
                }
            }
            div.use { b { (task.entries.len()) } " noted" }
        }
    }
}

/// Whether it is worked on now, and whether nobody began it here: then its file came with the repository.
fn render_task_marks(scope: &RequestScope, task: &Task, active: Option<&TaskSlug>) -> Markup {
    let is_active = active == Some(&task.slug);
    let is_started = scope
        .caller
        .activity
        .is_none_or(|it| it.is_started_here(&task.slug));
    html! {
        @if is_active { " " (render_toned_badge("info", RING, "active")) }
        @if !is_started { " " (render_toned_badge("plain", DASH, "came with the repository")) }
    }
}

fn render_task_status(task: &Task) -> Markup {
    let (tone, shape) = match task.status {
        task::TaskStatus::Open => ("info", RING),
        task::TaskStatus::Done => ("good", TICK),
        task::TaskStatus::Abandoned => ("plain", DASH),
    };
    render_toned_badge(tone, shape, task.status.as_str())
}

/// What a task's page is made of.
struct TaskPage<'a> {
    scope: &'a RequestScope<'a>,
    task: &'a Task,
    gates: &'a [GateEvent],
    /// Its notes, as they stand in this checkout.
    notes: BTreeMap<MemoryId, VerifiedMemory>,
}

/// One task.
pub fn render_task_page(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let tab = PanelTab::Tasks;
    let found = read_beside_store(scope, |it| {
        let Ok(slug) = asked.path_part("slug").parse::<TaskSlug>() else {
            return Ok(None);
        };
        let mut tasks = read_reachable_tasks(scope, it)?;
        tasks.retain(|it| it.slug == slug);
        let with_gates = |task: Task| Ok((it.list_gate_events(&task.slug)?, task));
        tasks.pop().map(with_gates).transpose()
    });
    let (gates, task) = match found {
        Err(problem) => return render_panel_page(scope, tab, "Task", &problem),
        Ok(None) => {
            let title = "There is no such task here";
            return render_missing_page(scope, tab, title, &html! {}, ("/tasks", "All tasks"));
        }
        Ok(Some(found)) => found,
    };
    let memories = task::load_task_memories(scope.cx, scope.caller.repo, &task)?;
    let notes = verify::follow_memory_citations(scope.cx, memories).into_iter();
    let page = TaskPage {
        scope,
        task: &task,
        gates: &gates,
        notes: notes.map(|it| (it.memory.id, it)).collect(),
    };
    let body = html! {
        p { a href=(link_to_page(scope, "/tasks")) { "← All tasks" } }
        (render_task_fields(scope, &task))
        (page.render_outcome())
        (page.render_blockers())
        (strip::render_task_strip(&task, &gates))
        (page.render_timeline())
    };
    render_panel_page(scope, tab, &sanitize_shown_text(&task.title), &body)
}

fn render_task_fields(scope: &RequestScope, task: &Task) -> Markup {
    let phases = if task.phases.is_empty() {
        &task.passed
    } else {
        &task.phases
    };
    render_field_list(&[
        (
            "Status",
            html! { (render_task_status(task)) (render_task_marks(scope, task, find_active_task(scope).as_ref())) },
        ),
        (
            "Phase",
            html! { @if let Some(it) = task.format_phase() { (sanitize_shown_text(&it)) } },
        ),
        (
            "Phases",
            html! { (sanitize_shown_text(&phases.join(" → "))) },
        ),
        (
            "Began",
            html! { (render_relative_time(scope, task.started_at)) @if let Some(by) = &task.by { " by " (shorten_shown_text(by, 60)) } },
        ),
        ("Last gate", render_relative_time(scope, task.touched_at)),
        (
            "From commit",
            html! { @if let Some(it) = &task.commit { code { (shorten_shown_text(it, 10)) } } },
        ),
        ("Name", html! { code { (task.slug) } }),
    ])
}

impl TaskPage<'_> {
    /// What came of it.
    fn render_outcome(&self) -> Markup {
        let outcome = self.task.outcome.and_then(|id| self.notes.get(&id));
        html! {
            @if let Some(it) = outcome {
                section.card aria-labelledby="outcome" { h2 #outcome { "What came of it" } (render_task_note(self.scope, it)) }
            }
        }
    }

    fn render_blockers(&self) -> Markup {
        let blockers = self.task.entries_of_sort(NoteSort::Blocker);
        let mut standing = blockers.filter_map(|it| self.notes.get(&it.id)).peekable();
        html! {
            @if self.task.is_open() && standing.peek().is_some() {
                section.card aria-labelledby="blockers" {
                    h2 #blockers { "In the way" }
                    ul.plain-list { @for it in standing { li { (render_task_note(self.scope, it)) } } }
                }
            }
        }
    }
}

/// How what it cites stands here. A note that cites nothing has no verdict, and must not read as if something were amiss.
fn render_note_standing(it: &VerifiedMemory) -> Markup {
    html! {
        @if !it.memory.citations.is_empty() {
            span title="how the cited lines stand in this checkout" { (render_badge(it.standing().as_str())) }
        }
    }
}

/// A note with how it stands here.
fn render_task_note(scope: &RequestScope, it: &VerifiedMemory) -> Markup {
    html! {
        p.meta { (render_handle_link(scope, it.memory.handle())) (render_note_standing(it)) }
        p.fact dir="auto" { (format_shown_fact(&it.memory, TEXT)) }
    }
}

/// The word for something that was decided: a constraint is decided by nobody here.
fn label_decision(it: &VerifiedMemory) -> &'static str {
    let is_constraint = it.memory.tags.iter().any(|it| it == task::CONSTRAINT);
    if is_constraint {
        task::CONSTRAINT
    } else {
        "decided"
    }
}
