//! Tasks: what is worked on and what was, how each went, and a report of what was done day by day.

mod report;
mod strip;
mod timeline;

use std::collections::BTreeMap;

use apostille_core::memory::MemoryId;
use apostille_core::verify::{self, VerifiedMemory};
use apostille_tasks::task;
use apostille_tasks::task::{GateEvent, Sort, Task, TaskSlug};
use maud::{Markup, html};

use super::components::{
    encode_path_segment, link_to_page, pluralize_count, render_badge, render_empty_state,
    render_field_list, render_handle_link, render_relative_time, render_toned_badge,
    sanitize_shown_text, truncate_shown_text,
};
use super::frame::{PanelTab, render_page_with_status, render_panel_page};
use super::sessions::read_beside_store;
use apostille_api::CallFault;
use apostille_api::host::{ActivityStore, PlaceError};
use apostille_api::request_scope::{HttpReply, RequestInput, RequestScope};

/// How many tasks of the archive are listed, and how much of a text is shown.
const ARCHIVE: usize = 100;
const TEXT: usize = 600;
/// The shapes of a task's standing: a ring, a tick, a line.
const RING: &str = "M8 3a5 5 0 1 0 0 10A5 5 0 1 0 8 3z";
const TICK: &str = "M3 8.5l3.2 3.2L13 4.8";
const DASH: &str = "M3 8h10";

/// What is and was worked on, and a report.
pub fn render_tasks_page(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    let active = visit.here.beside.and_then(|it| it.active_task());
    let (tasks, problem) = match read_beside_store(visit, |it| read_reachable_tasks(visit, it)) {
        Err(problem) => (Vec::new(), Some(problem)),
        Ok(mut tasks) => {
            tasks.reverse();
            (tasks, None)
        }
    };
    let list = problem.unwrap_or_else(|| render_task_list(visit, &tasks, active.as_ref()));
    let body = html! { (list) (report::render_work_report(visit, asked, &tasks)?) };
    Ok(render_panel_page(visit, PanelTab::Tasks, "Tasks", &body))
}

/// The tasks of the checkout. They are the repository's, so a pass that does not reach it has none of them.
fn read_reachable_tasks(
    visit: &RequestScope<'_>,
    beside: &dyn ActivityStore,
) -> Result<Vec<Task>, PlaceError> {
    if visit.pass.reaches_space(visit.here.repo) {
        beside.list_tasks()
    } else {
        Ok(Vec::new())
    }
}

fn render_task_list(visit: &RequestScope<'_>, tasks: &[Task], active: Option<&TaskSlug>) -> Markup {
    if tasks.is_empty() {
        return render_empty_state(
            "No task yet",
            &html! {
                p { code { "apostille task start \"Move the API to v4\"" } " begins one; agents note decisions and blockers on the way, and its end is kept as an episode." }
            },
        );
    }
    let (open, ended): (Vec<&Task>, Vec<&Task>) = tasks.iter().partition(|it| it.is_open());
    html! {
        section aria-labelledby="open" {
            div.group { h2 #open { "Open" } p { (open.len()) } }
            @if open.is_empty() { p.hint { "Nothing is worked on just now." } }
            ol.entries { @for it in &open { (render_task_row(visit, it, active)) } }
        }
        @if !ended.is_empty() {
            section aria-labelledby="archive" {
                div.group { h2 #archive { "Archive" } p { (ended.len()) } }
                ol.entries { @for it in ended.iter().take(ARCHIVE) { (render_task_row(visit, it, active)) } }
                @if ended.len() > ARCHIVE { p.hint { "Older ones: " code { "apostille task list" } } }
            }
        }
    }
}

fn render_task_row(visit: &RequestScope<'_>, task: &Task, active: Option<&TaskSlug>) -> Markup {
    let path = format!("/tasks/{}", encode_path_segment(task.slug.as_str()));
    let n_blockers = task.entries_of_sort(Sort::Blocker).count() as u64;
    html! {
        li.entry {
            div.margin { (render_task_status(task)) }
            div.body {
                p.subject dir="auto" {
                    a href=(link_to_page(visit, &path)) { (sanitize_shown_text(&task.title)) }
                    @if active == Some(&task.slug) { " " (render_toned_badge("info", RING, "active")) }
                    (render_foreign_task_badge(visit, task))
                }
                p.meta {
                    @if let Some(it) = task.format_phase() { span { "phase " (sanitize_shown_text(&it)) } }
                    span { "begun " (render_relative_time(task.started_at, visit.cx.now)) }
                    @if task.touched_at != task.started_at { span { "last " (render_relative_time(task.touched_at, visit.cx.now)) } }
                    @if n_blockers > 0 && task.is_open() { (render_toned_badge("warn", RING, &pluralize_count(n_blockers, "blocker", "blockers"))) }
                }
            }
            div.use { b { (task.entries.len()) } " noted" }
        }
    }
}

/// Nobody began it here: its file came with the repository.
fn render_foreign_task_badge(visit: &RequestScope<'_>, task: &Task) -> Markup {
    let is_started = visit
        .here
        .beside
        .is_none_or(|it| it.is_started_here(&task.slug));
    html! { @if !is_started { " " (render_toned_badge("plain", DASH, "came with the repository")) } }
}

fn render_task_status(task: &Task) -> Markup {
    let (tone, shape) = match task.status {
        task::Status::Open => ("info", RING),
        task::Status::Done => ("good", TICK),
        task::Status::Abandoned => ("plain", DASH),
    };
    render_toned_badge(tone, shape, task.status.as_str())
}

/// What a task's page is made of.
struct TaskPageData<'a> {
    task: &'a Task,
    gates: &'a [GateEvent],
    /// Its notes, as they stand in this checkout.
    notes: &'a BTreeMap<MemoryId, VerifiedMemory>,
}

/// One task.
pub fn render_task_page(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    let Ok(slug) = asked.path_part("slug").parse::<TaskSlug>() else {
        return Ok(render_missing_task(visit));
    };
    let found = read_beside_store(visit, |it| {
        let task = read_reachable_tasks(visit, it)?
            .into_iter()
            .find(|it| it.slug == slug);
        task.map(|task| Ok((it.list_gate_events(&slug)?, task)))
            .transpose()
    });
    let (gates, task) = match found {
        Err(problem) => return Ok(render_panel_page(visit, PanelTab::Tasks, "Task", &problem)),
        Ok(None) => return Ok(render_missing_task(visit)),
        Ok(Some(found)) => found,
    };
    let notes = verify_task_notes(visit, &task)?;
    let seen = TaskPageData {
        task: &task,
        gates: &gates,
        notes: &notes,
    };
    let is_active = visit.here.beside.and_then(|it| it.active_task()).as_ref() == Some(&slug);
    let body = html! {
        p { a href=(link_to_page(visit, "/tasks")) { "← All tasks" } }
        (render_task_fields(visit, &task, is_active))
        (render_task_outcome(visit, &seen))
        (render_task_blockers(visit, &seen))
        (strip::render_task_strip(&task, &gates))
        (timeline::render_task_timeline(visit, &seen))
    };
    Ok(render_panel_page(
        visit,
        PanelTab::Tasks,
        &sanitize_shown_text(&task.title),
        &body,
    ))
}

fn render_missing_task(visit: &RequestScope<'_>) -> HttpReply {
    let body = render_empty_state(
        "There is no such task here",
        &html! { p { a href=(link_to_page(visit, "/tasks")) { "All tasks" } } },
    );
    render_page_with_status(404, visit, PanelTab::Tasks, "Not found", &body)
}

/// The notes of a task, looked up in this checkout.
fn verify_task_notes(
    visit: &RequestScope<'_>,
    task: &Task,
) -> Result<BTreeMap<MemoryId, VerifiedMemory>, CallFault> {
    let memories = task::load_task_memories(visit.cx, visit.here.repo, task)?;
    Ok(verify::follow_memory_citations(visit.cx, memories)
        .into_iter()
        .map(|it| (it.memory.id, it))
        .collect())
}

fn render_task_fields(visit: &RequestScope<'_>, task: &Task, is_active: bool) -> Markup {
    let phases = if task.phases.is_empty() {
        &task.passed
    } else {
        &task.phases
    };
    render_field_list(&[
        (
            "Status",
            html! { (render_task_status(task)) @if is_active { " " (render_toned_badge("info", RING, "active")) } (render_foreign_task_badge(visit, task)) },
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
            html! { (render_relative_time(task.started_at, visit.cx.now)) @if let Some(by) = &task.by { " by " (truncate_shown_text(&sanitize_shown_text(by), 60)) } },
        ),
        (
            "Last gate",
            render_relative_time(task.touched_at, visit.cx.now),
        ),
        (
            "From commit",
            html! { @if let Some(it) = &task.commit { code { (truncate_shown_text(&sanitize_shown_text(it), 10)) } } },
        ),
        ("Name", html! { code { (task.slug) } }),
    ])
}

/// What came of it.
fn render_task_outcome(visit: &RequestScope<'_>, seen: &TaskPageData<'_>) -> Markup {
    let Some(it) = seen.task.outcome.and_then(|id| seen.notes.get(&id)) else {
        return html! {};
    };
    html! {
        section.card aria-labelledby="outcome" {
            h2 #outcome { "What came of it" }
            p.meta { (render_handle_link(visit, it.memory.handle())) (render_note_standing(it)) }
            p.fact dir="auto" { (format_note_fact(it)) }
        }
    }
}

/// How what it cites stands here. A note that cites nothing has no verdict, and must not read as if something were amiss.
fn render_note_standing(it: &VerifiedMemory) -> Markup {
    html! {
        @if !it.memory.citations.is_empty() {
            span title="how the cited lines stand in this checkout" { (render_badge(it.standing())) }
        }
    }
}

fn render_task_blockers(visit: &RequestScope<'_>, seen: &TaskPageData<'_>) -> Markup {
    let standing: Vec<&VerifiedMemory> = seen
        .task
        .entries_of_sort(Sort::Blocker)
        .filter_map(|it| seen.notes.get(&it.id))
        .collect();
    if standing.is_empty() || !seen.task.is_open() {
        return html! {};
    }
    html! {
        section.card aria-labelledby="blockers" {
            h2 #blockers { "In the way" }
            ul.plain-list { @for it in standing { (render_task_note(visit, it)) } }
        }
    }
}

/// A note with how it stands here.
fn render_task_note(visit: &RequestScope<'_>, it: &VerifiedMemory) -> Markup {
    html! {
        li {
            p.meta { (render_handle_link(visit, it.memory.handle())) (render_note_standing(it)) }
            p.fact dir="auto" { (format_note_fact(it)) }
        }
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

fn format_note_fact(it: &VerifiedMemory) -> String {
    let mut memory = it.memory.clone();
    memory.withhold_secret();
    truncate_shown_text(&sanitize_shown_text(&memory.fact), TEXT)
}
