//! Tasks: what is worked on and what was, how each went, and a report of what was done day by day.

mod day;
mod strip;
mod timeline;

use std::collections::BTreeMap;

use apostille_core::memory::MemoryId;
use apostille_core::verify::{self, Verified};
use apostille_tasks::task;
use apostille_tasks::task::{Passage, Slug, Sort, Task};
use maud::{Markup, html};

use super::frame::{Tab, framed, stated};
use super::parts::{badge, count, cut, empty, fields, handle, link, part, said, time, toned};
use super::sessions::read;
use apostille_api::Fault;
use apostille_api::host::{Beside, Unplaced};
use apostille_api::visit::{Asked, Reply, Visit};

/// How many tasks of the archive are listed, and how much of a text is shown.
const ARCHIVE: usize = 100;
const TEXT: usize = 600;
/// The shapes of a task's standing: a ring, a tick, a line.
const RING: &str = "M8 3a5 5 0 1 0 0 10A5 5 0 1 0 8 3z";
const TICK: &str = "M3 8.5l3.2 3.2L13 4.8";
const DASH: &str = "M3 8h10";

/// What is and was worked on, and a report.
pub fn page(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let active = visit.here.beside.and_then(|it| it.active_task());
    let (tasks, problem) = match read(visit, |it| reached(visit, it)) {
        Err(problem) => (Vec::new(), Some(problem)),
        Ok(mut tasks) => {
            tasks.reverse();
            (tasks, None)
        }
    };
    let list = problem.unwrap_or_else(|| listed(visit, &tasks, active.as_ref()));
    let body = html! { (list) (day::section(visit, asked, &tasks)?) };
    Ok(framed(visit, Tab::Tasks, "Tasks", &body))
}

/// The tasks of the checkout. They are the repository's, so a pass that does not reach it has none of them.
fn reached(visit: &Visit<'_>, beside: &dyn Beside) -> Result<Vec<Task>, Unplaced> {
    if visit.pass.reaches(visit.here.repo) {
        beside.tasks()
    } else {
        Ok(Vec::new())
    }
}

fn listed(visit: &Visit<'_>, tasks: &[Task], active: Option<&Slug>) -> Markup {
    if tasks.is_empty() {
        return empty(
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
            ol.entries { @for it in &open { (row(visit, it, active)) } }
        }
        @if !ended.is_empty() {
            section aria-labelledby="archive" {
                div.group { h2 #archive { "Archive" } p { (ended.len()) } }
                ol.entries { @for it in ended.iter().take(ARCHIVE) { (row(visit, it, active)) } }
                @if ended.len() > ARCHIVE { p.hint { "Older ones: " code { "apostille task list" } } }
            }
        }
    }
}

fn row(visit: &Visit<'_>, task: &Task, active: Option<&Slug>) -> Markup {
    let path = format!("/tasks/{}", part(task.slug.as_str()));
    let n_blockers = task.of_sort(Sort::Blocker).count() as u64;
    html! {
        li.entry {
            div.margin { (status(task)) }
            div.body {
                p.subject dir="auto" {
                    a href=(link(visit, &path)) { (said(&task.title)) }
                    @if active == Some(&task.slug) { " " (toned("info", RING, "active")) }
                    (from_elsewhere(visit, task))
                }
                p.meta {
                    @if let Some(it) = task.phase_told() { span { "phase " (said(&it)) } }
                    span { "begun " (time(task.started_at, visit.cx.now)) }
                    @if task.touched_at != task.started_at { span { "last " (time(task.touched_at, visit.cx.now)) } }
                    @if n_blockers > 0 && task.is_open() { (toned("warn", RING, &count(n_blockers, "blocker", "blockers"))) }
                }
            }
            div.use { b { (task.entries.len()) } " noted" }
        }
    }
}

/// Nobody began it here: its file came with the repository.
fn from_elsewhere(visit: &Visit<'_>, task: &Task) -> Markup {
    let is_started = visit.here.beside.is_none_or(|it| it.is_started(&task.slug));
    html! { @if !is_started { " " (toned("plain", DASH, "came with the repository")) } }
}

fn status(task: &Task) -> Markup {
    let (tone, shape) = match task.status {
        task::Status::Open => ("info", RING),
        task::Status::Done => ("good", TICK),
        task::Status::Abandoned => ("plain", DASH),
    };
    toned(tone, shape, task.status.as_str())
}

/// What a task's page is made of.
struct Seen<'a> {
    task: &'a Task,
    gates: &'a [Passage],
    /// Its notes, as they stand in this checkout.
    notes: &'a BTreeMap<MemoryId, Verified>,
}

/// One task.
pub fn one(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let Ok(slug) = asked.part("slug").parse::<Slug>() else {
        return Ok(absent(visit));
    };
    let found = read(visit, |it| {
        let task = reached(visit, it)?.into_iter().find(|it| it.slug == slug);
        task.map(|task| Ok((it.gates(&slug)?, task))).transpose()
    });
    let (gates, task) = match found {
        Err(problem) => return Ok(framed(visit, Tab::Tasks, "Task", &problem)),
        Ok(None) => return Ok(absent(visit)),
        Ok(Some(found)) => found,
    };
    let notes = notes(visit, &task)?;
    let seen = Seen {
        task: &task,
        gates: &gates,
        notes: &notes,
    };
    let is_active = visit.here.beside.and_then(|it| it.active_task()).as_ref() == Some(&slug);
    let body = html! {
        p { a href=(link(visit, "/tasks")) { "← All tasks" } }
        (about(visit, &task, is_active))
        (outcome(visit, &seen))
        (blockers(visit, &seen))
        (strip::figure(&task, &gates))
        (timeline::section(visit, &seen))
    };
    Ok(framed(visit, Tab::Tasks, &said(&task.title), &body))
}

fn absent(visit: &Visit<'_>) -> Reply {
    let body = empty(
        "There is no such task here",
        &html! { p { a href=(link(visit, "/tasks")) { "All tasks" } } },
    );
    stated(404, visit, Tab::Tasks, "Not found", &body)
}

/// The notes of a task, looked up in this checkout.
fn notes(visit: &Visit<'_>, task: &Task) -> Result<BTreeMap<MemoryId, Verified>, Fault> {
    let memories = task::memories(visit.cx, visit.here.repo, task)?;
    Ok(verify::look(visit.cx, memories)
        .into_iter()
        .map(|it| (it.memory.id, it))
        .collect())
}

fn about(visit: &Visit<'_>, task: &Task, is_active: bool) -> Markup {
    let phases = if task.phases.is_empty() {
        &task.passed
    } else {
        &task.phases
    };
    fields(&[
        (
            "Status",
            html! { (status(task)) @if is_active { " " (toned("info", RING, "active")) } (from_elsewhere(visit, task)) },
        ),
        (
            "Phase",
            html! { @if let Some(it) = task.phase_told() { (said(&it)) } },
        ),
        ("Phases", html! { (said(&phases.join(" → "))) }),
        (
            "Began",
            html! { (time(task.started_at, visit.cx.now)) @if let Some(by) = &task.by { " by " (cut(&said(by), 60)) } },
        ),
        ("Last gate", time(task.touched_at, visit.cx.now)),
        (
            "From commit",
            html! { @if let Some(it) = &task.commit { code { (cut(&said(it), 10)) } } },
        ),
        ("Name", html! { code { (task.slug) } }),
    ])
}

/// What came of it.
fn outcome(visit: &Visit<'_>, seen: &Seen<'_>) -> Markup {
    let Some(it) = seen.task.outcome.and_then(|id| seen.notes.get(&id)) else {
        return html! {};
    };
    html! {
        section.card aria-labelledby="outcome" {
            h2 #outcome { "What came of it" }
            p.meta { (handle(visit, it.memory.handle())) (standing(it)) }
            p.fact dir="auto" { (fact(it)) }
        }
    }
}

/// How what it cites stands here. A note that cites nothing has no verdict, and must not read as if something were amiss.
fn standing(it: &Verified) -> Markup {
    html! {
        @if !it.memory.citations.is_empty() {
            span title="how the cited lines stand in this checkout" { (badge(it.standing())) }
        }
    }
}

fn blockers(visit: &Visit<'_>, seen: &Seen<'_>) -> Markup {
    let standing: Vec<&Verified> = seen
        .task
        .of_sort(Sort::Blocker)
        .filter_map(|it| seen.notes.get(&it.id))
        .collect();
    if standing.is_empty() || !seen.task.is_open() {
        return html! {};
    }
    html! {
        section.card aria-labelledby="blockers" {
            h2 #blockers { "In the way" }
            ul.plain-list { @for it in standing { (note(visit, it)) } }
        }
    }
}

/// A note with how it stands here.
fn note(visit: &Visit<'_>, it: &Verified) -> Markup {
    html! {
        li {
            p.meta { (handle(visit, it.memory.handle())) (standing(it)) }
            p.fact dir="auto" { (fact(it)) }
        }
    }
}

/// The word for something that was decided: a constraint is decided by nobody here.
fn decided(it: &Verified) -> &'static str {
    let is_constraint = it.memory.tags.iter().any(|it| it == task::CONSTRAINT);
    if is_constraint {
        task::CONSTRAINT
    } else {
        "decided"
    }
}

fn fact(it: &Verified) -> String {
    let mut memory = it.memory.clone();
    memory.withhold_secret();
    cut(&said(&memory.fact), TEXT)
}
