//! `task list` and `task show`: what there is. A task that was left open is closed with a minimal
//! episode on the way.

use std::collections::BTreeSet;

use apostille_core::list as memories;
use apostille_core::memory::{Memory, MemoryId, Stage};
use apostille_core::store::{ListOrder, MemoryFilter};
use apostille_core::verify::{self, VerifiedMemory};
use apostille_tasks::task::{CONSTRAINT, Sort, Task};

use super::{find_meant_task, open_task_desk};
use crate::json::{TaskReply, TaskView, TasksReply, find_left_open_episodes};
use apostille_terminal::args::{TaskListArgs, TaskShowArgs};
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{
    BOLD, CYAN, DIM, GREEN, Paint, TextTable, YELLOW, flatten_to_line, pick_standing_style,
    style_text,
};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;

/// How many notes of a task are shown.
const MAX_NOTES: usize = 500;
/// What a task is that nobody began here.
const ELSEWHERE: &str = "from elsewhere";

/// Lists the tasks of this checkout, those begun first first.
pub fn run_task_list(
    shell: &CommandContext,
    args: TaskListArgs,
) -> Result<CommandOutput, CommandError> {
    let (desk, tasks) = open_task_desk(shell)?;
    tasks.close_left_open(&desk, |_| false)?;
    let all = tasks.list_tasks()?;
    let left = find_left_open_episodes(&*desk.store, &all)?;
    let shown: Vec<&Task> = all
        .iter()
        .filter(|it| args.all || it.is_open() || is_left_open_task(it, &left))
        .collect();
    let active = tasks.active_task().map(|it| it.slug);
    let view = |it: &&Task| TaskView {
        left_open: is_left_open_task(it, &left),
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
    let answer = shell.render_output(code, &json, |paint| {
        format_task_table(paint, &shown, &json.tasks)
    });
    let err = match shown.is_empty() {
        true => {
            "no task is open here; `apostille task start \"…\"` begins one, --all shows those that ended\n"
        }
        false => "",
    };
    Ok(CommandOutput {
        err: err.into(),
        ..answer
    })
}

fn is_left_open_task(task: &Task, left: &BTreeSet<MemoryId>) -> bool {
    !task.is_open() && task.outcome.is_some_and(|it| left.contains(&it))
}

fn format_task_table(paint: &Paint, tasks: &[&Task], views: &[TaskView]) -> String {
    let mut table = TextTable::default();
    for (task, view) in tasks.iter().zip(views) {
        let status = match view {
            TaskView { active: true, .. } => style_text(GREEN, "active"),
            TaskView {
                left_open: true, ..
            } => style_text(YELLOW, "left open"),
            TaskView {
                from_elsewhere: true,
                status: "open",
                ..
            } => style_text(YELLOW, ELSEWHERE),
            TaskView {
                from_elsewhere: true,
                status,
                ..
            } => style_text(DIM, format!("{status}, {ELSEWHERE}")),
            other => style_text(DIM, other.status),
        };
        let phase = task
            .format_phase()
            .map(|it| flatten_to_line(&it))
            .unwrap_or_default();
        let row = [
            style_text(BOLD, &task.slug),
            status,
            phase,
            style_text(DIM, paint.format_time(task.touched_at)),
            flatten_to_line(&task.title),
        ];
        table.add_row(row);
    }
    table.to_text(paint, 0)
}

/// Shows a task with its notes, what they cite looked up.
pub fn run_task_show(
    shell: &CommandContext,
    args: &TaskShowArgs,
) -> Result<CommandOutput, CommandError> {
    let (desk, tasks) = open_task_desk(shell)?;
    let task = match find_meant_task(&tasks, args.slug.as_ref())? {
        Ok(task) => task,
        Err(refusal) => return Ok(shell.render_refusal(&refusal)),
    };
    let filter = MemoryFilter {
        spaces: vec![desk.settings.repo.clone()],
        stages: vec![Stage::Active, Stage::Pending],
        task: Some(task.slug.to_string()),
        order: ListOrder::Oldest,
        limit: MAX_NOTES,
        ..MemoryFilter::default()
    };
    let seen = verify::follow_memory_citations(
        &desk.context(),
        memories::list_memories(&desk.context(), &filter)?,
    );
    let active = tasks.active_task().map(|it| it.slug);
    let view = TaskView {
        from_elsewhere: !tasks.is_started(&task.slug),
        ..TaskView::new(&task, active.as_ref())
    };
    let json = TaskReply::new(view, &task, &seen);
    Ok(shell.render_output(error::OK, &json, |paint| {
        format_task_page(paint, &task, json.task.from_elsewhere, &seen)
    }))
}

fn is_resolved_blocker(task: &Task, memory: &Memory) -> bool {
    task.entries
        .iter()
        .any(|it| it.id == memory.id && it.is_resolved)
}

fn format_task_page(
    paint: &Paint,
    task: &Task,
    from_elsewhere: bool,
    seen: &[VerifiedMemory],
) -> String {
    let mut out = format!(
        "{}  {}\n",
        style_text(BOLD, &task.slug),
        flatten_to_line(&task.title)
    );
    let phase = task
        .format_phase()
        .map(|it| format!(", phase {}", flatten_to_line(&it)))
        .unwrap_or_default();
    let passed: Vec<String> = task.passed.iter().map(|it| flatten_to_line(it)).collect();
    let passed = if passed.is_empty() {
        String::new()
    } else {
        format!(" ({})", passed.join(" → "))
    };
    out += &format!(
        "  {}{phase}{passed}, since {}\n",
        task.status,
        paint.format_time(task.started_at)
    );
    if from_elsewhere {
        let way = format!("apostille task start {}", task.slug);
        out += &format!(
            "  {}; {} takes it up here\n",
            style_text(YELLOW, ELSEWHERE),
            style_text(CYAN, way)
        );
    }
    for it in seen {
        out += &format_task_entry(paint, task, it);
    }
    out
}

fn format_task_entry(paint: &Paint, task: &Task, it: &VerifiedMemory) -> String {
    let memory = &it.memory;
    let entry = task.entries.iter().find(|it| it.id == memory.id);
    let is_constraint = memory.tags.iter().any(|it| it == CONSTRAINT);
    let sort = match entry {
        Some(_) if is_constraint => CONSTRAINT,
        Some(it) => it.sort.as_str(),
        None => choose_note_tag(memory),
    };
    let phase = entry
        .and_then(|it| it.phase.as_deref())
        .map(|it| format!(" in {}", flatten_to_line(it)))
        .unwrap_or_default();
    let mut how = vec![format!("{sort}{phase}")];
    how.extend(is_resolved_blocker(task, memory).then(|| "resolved".into()));
    how.extend((!memory.is_active()).then(|| memory.status.stage().to_string()));
    let standing = match memory.citations.first() {
        Some(first) => format!(
            " · {} {}",
            style_text(pick_standing_style(it.standing()), it.standing()),
            flatten_to_line(&first.location().to_string())
        ),
        None => String::new(),
    };
    let head = format!(
        "\n{}  {}{standing}\n",
        style_text(BOLD, memory.handle()),
        style_text(DIM, how.join(" · "))
    );
    head + &paint.wrap_text(&memory.fact, 2)
}

/// What a memory of the task is that no gate names.
fn choose_note_tag(memory: &Memory) -> &str {
    let known = |it: &&String| Sort::ALL.iter().any(|sort| sort.as_str() == it.as_str());
    let word = memory.tags.iter().find(known).or(memory.tags.first());
    word.map_or(memory.layer.as_str(), String::as_str)
}
