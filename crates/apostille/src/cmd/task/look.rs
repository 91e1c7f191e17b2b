//! `task list` and `task show`: what there is. A task that was left open is closed with a minimal
//! episode on the way.

use std::collections::BTreeSet;

use apostille_core::list as memories;
use apostille_core::memory::{Memory, MemoryId, Stage};
use apostille_core::store::{Filter, Order};
use apostille_core::verify::{self, Verified};
use apostille_tasks::task::{CONSTRAINT, Sort, Task};

use super::{meant, opened};
use crate::args::{TaskList, TaskShow};
use crate::json::{TaskReply, TaskView, TasksReply, left_open};
use crate::paint::{BOLD, CYAN, DIM, GREEN, Paint, Table, YELLOW, ink, one_line, standing};
use crate::shell::{Answer, Shell};
use apostille_workspace::error;
use apostille_workspace::error::Fault;

/// How many notes of a task are shown.
const MAX_NOTES: usize = 500;
/// What a task is that nobody began here.
const ELSEWHERE: &str = "from elsewhere";

/// Lists the tasks of this checkout, those begun first first.
pub fn list(shell: &Shell, args: TaskList) -> Result<Answer, Fault> {
    let (desk, tasks) = opened(shell)?;
    tasks.close_left(&desk, |_| false)?;
    let all = tasks.all()?;
    let left = left_open(&*desk.store, &all)?;
    let shown: Vec<&Task> = all
        .iter()
        .filter(|it| args.all || it.is_open() || is_left(it, &left))
        .collect();
    let active = tasks.active().map(|it| it.slug);
    let view = |it: &&Task| TaskView {
        left_open: is_left(it, &left),
        from_elsewhere: !tasks.is_started(&it.slug),
        ..TaskView::new(it, active.as_ref())
    };
    let json = TasksReply {
        ok: true,
        tasks: shown.iter().map(view).collect(),
    };
    let code = if shown.is_empty() {
        error::NOTHING
    } else {
        error::OK
    };
    let answer = shell.answer(code, &json, |paint| table(paint, &shown, &json.tasks));
    let err = match shown.is_empty() {
        true => {
            "no task is open here; `apostille task start \"…\"` begins one, --all shows those that ended\n"
        }
        false => "",
    };
    Ok(Answer {
        err: err.into(),
        ..answer
    })
}

fn is_left(task: &Task, left: &BTreeSet<MemoryId>) -> bool {
    !task.is_open() && task.outcome.is_some_and(|it| left.contains(&it))
}

fn table(paint: &Paint, tasks: &[&Task], views: &[TaskView]) -> String {
    let mut table = Table::default();
    for (task, view) in tasks.iter().zip(views) {
        let status = match view {
            TaskView { active: true, .. } => ink(GREEN, "active"),
            TaskView {
                left_open: true, ..
            } => ink(YELLOW, "left open"),
            TaskView {
                from_elsewhere: true,
                status: "open",
                ..
            } => ink(YELLOW, ELSEWHERE),
            TaskView {
                from_elsewhere: true,
                status,
                ..
            } => ink(DIM, format!("{status}, {ELSEWHERE}")),
            other => ink(DIM, other.status),
        };
        let phase = task
            .phase_told()
            .map(|it| one_line(&it))
            .unwrap_or_default();
        let row = [
            ink(BOLD, &task.slug),
            status,
            phase,
            ink(DIM, paint.time(task.touched_at)),
            one_line(&task.title),
        ];
        table.row(row);
    }
    table.text(paint, 0)
}

/// Shows a task with its notes, what they cite looked up.
pub fn show(shell: &Shell, args: &TaskShow) -> Result<Answer, Fault> {
    let (desk, tasks) = opened(shell)?;
    let task = match meant(&tasks, args.slug.as_ref())? {
        Ok(task) => task,
        Err(refusal) => return Ok(shell.refused(&refusal)),
    };
    let filter = Filter {
        spaces: vec![desk.settings.repo.value.clone()],
        stages: vec![Stage::Active, Stage::Pending],
        task: Some(task.slug.to_string()),
        order: Order::Oldest,
        limit: MAX_NOTES,
        ..Filter::default()
    };
    let seen = verify::look(&desk.cx(), memories::list(&desk.cx(), &filter)?);
    let active = tasks.active().map(|it| it.slug);
    let view = TaskView {
        from_elsewhere: !tasks.is_started(&task.slug),
        ..TaskView::new(&task, active.as_ref())
    };
    let json = TaskReply::new(view, &task, &seen);
    Ok(shell.answer(error::OK, &json, |paint| {
        page(paint, &task, json.task.from_elsewhere, &seen)
    }))
}

fn is_resolved(task: &Task, memory: &Memory) -> bool {
    task.entries
        .iter()
        .any(|it| it.id == memory.id && it.is_resolved)
}

fn page(paint: &Paint, task: &Task, from_elsewhere: bool, seen: &[Verified]) -> String {
    let mut out = format!("{}  {}\n", ink(BOLD, &task.slug), one_line(&task.title));
    let phase = task
        .phase_told()
        .map(|it| format!(", phase {}", one_line(&it)))
        .unwrap_or_default();
    let passed: Vec<String> = task.passed.iter().map(|it| one_line(it)).collect();
    let passed = if passed.is_empty() {
        String::new()
    } else {
        format!(" ({})", passed.join(" → "))
    };
    out += &format!(
        "  {}{phase}{passed}, since {}\n",
        task.status,
        paint.time(task.started_at)
    );
    if from_elsewhere {
        let way = format!("apostille task start {}", task.slug);
        out += &format!(
            "  {}; {} takes it up here\n",
            ink(YELLOW, ELSEWHERE),
            ink(CYAN, way)
        );
    }
    for it in seen {
        out += &entry(paint, task, it);
    }
    out
}

fn entry(paint: &Paint, task: &Task, it: &Verified) -> String {
    let memory = &it.memory;
    let entry = task.entries.iter().find(|it| it.id == memory.id);
    let is_constraint = memory.tags.iter().any(|it| it == CONSTRAINT);
    let sort = match entry {
        Some(_) if is_constraint => CONSTRAINT,
        Some(it) => it.sort.as_str(),
        None => tag(memory),
    };
    let phase = entry
        .and_then(|it| it.phase.as_deref())
        .map(|it| format!(" in {}", one_line(it)))
        .unwrap_or_default();
    let mut how = vec![format!("{sort}{phase}")];
    how.extend(is_resolved(task, memory).then(|| "resolved".into()));
    how.extend((!memory.is_active()).then(|| memory.status.stage().to_string()));
    let standing = match memory.citations.first() {
        Some(first) => format!(
            " · {} {}",
            ink(standing(it.standing()), it.standing()),
            one_line(&first.place().to_string())
        ),
        None => String::new(),
    };
    let head = format!(
        "\n{}  {}{standing}\n",
        ink(BOLD, memory.handle()),
        ink(DIM, how.join(" · "))
    );
    head + &paint.wrapped(&memory.fact, 2)
}

/// What a memory of the task is that no gate names.
fn tag(memory: &Memory) -> &str {
    let known = |it: &&String| Sort::ALL.iter().any(|sort| sort.as_str() == it.as_str());
    let word = memory.tags.iter().find(known).or(memory.tags.first());
    word.map_or(memory.layer.as_str(), String::as_str)
}
