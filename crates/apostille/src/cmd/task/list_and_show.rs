//! `task list` and `task show`: what there is. A task that was left open is closed with a minimal
//! episode on the way.

use std::collections::BTreeSet;

use apostille_core::{
    list as memories,
    memory::{Memory, MemoryId, Stage},
    store::{ListOrder, MemoryFilter},
    verify::{self, VerifiedMemory},
};
use apostille_tasks::task::{CONSTRAINT, NoteSort, Task};
use apostille_terminal::{
    args::{TaskListArgs, TaskShowArgs},
    command_context::{CommandContext, CommandResult},
    paint::{
        BOLD, CYAN, DIM, GREEN, Paint, YELLOW, flatten_to_line, format_after, format_if,
        join_texts,
        memory::{format_place, style_standing},
        style_text,
    },
};

use super::{find_meant_task, open_task_desk};
use crate::json::{TaskReply, TaskView, TasksReply, find_left_open_episodes};

/// How many notes of a task are shown.
const MAX_NOTES: usize = 500;
/// What a task is that nobody began here.
const ELSEWHERE: &str = "from elsewhere";

/// Lists the tasks of this checkout, those begun first first.
pub fn run_task_list(ctx: &CommandContext, args: TaskListArgs) -> CommandResult {
    let (workspace, tasks) = open_task_desk(ctx)?;
    tasks.close_left_open(&workspace, |_| false)?;
    let all = tasks.list_tasks()?;
    let left = find_left_open_episodes(&*workspace.store, &all)?;
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
    let answer = ctx.render_output(&json, |paint| format_task_table(paint, &shown, &json.tasks));
    let none = "no task is open here; `apostille task start \"…\"` begins one, --all shows those that ended\n";
    Ok(answer.or_nothing(shown.is_empty(), none))
}

fn is_left_open_task(task: &Task, left: &BTreeSet<MemoryId>) -> bool {
    !task.is_open() && task.outcome.is_some_and(|it| left.contains(&it))
}

fn format_task_table(paint: &Paint, tasks: &[&Task], views: &[TaskView]) -> String {
    let row = |(task, view): (&&Task, &TaskView)| {
        let (style, status) = match view {
            it if it.active => (GREEN, "active".into()),
            it if it.left_open => (YELLOW, "left open".into()),
            it if it.from_elsewhere && it.status == "open" => (YELLOW, ELSEWHERE.into()),
            it if it.from_elsewhere => (DIM, format!("{}, {ELSEWHERE}", it.status)),
            it => (DIM, it.status.to_owned()),
        };
        [
            style_text(BOLD, &task.slug),
            style_text(style, status),
            format_after("", task.format_phase().as_deref()),
            style_text(DIM, paint.format_time(task.touched_at)),
            flatten_to_line(&task.title),
        ]
    };
    paint.format_table(0, tasks.iter().zip(views).map(row))
}

/// Shows a task with its notes, what they cite looked up.
pub fn run_task_show(ctx: &CommandContext, args: &TaskShowArgs) -> CommandResult {
    let (workspace, tasks) = open_task_desk(ctx)?;
    let task = find_meant_task(&tasks, args.slug.as_ref())?;
    let filter = MemoryFilter {
        spaces: vec![workspace.settings.repo.clone()],
        stages: vec![Stage::Active, Stage::Pending],
        task: Some(task.slug.to_string()),
        order: ListOrder::Oldest,
        limit: MAX_NOTES,
        ..MemoryFilter::default()
    };
    let cx = workspace.context();
    let seen = verify::follow_memory_citations(&cx, memories::list_memories(&cx, &filter)?);
    let active = tasks.active_task().map(|it| it.slug);
    let view = TaskView {
        from_elsewhere: !tasks.is_started(&task.slug),
        ..TaskView::new(&task, active.as_ref())
    };
    let json = TaskReply::new(view, &task, &seen);
    Ok(ctx.render_output(&json, |paint| {
        format_task_page(paint, &task, json.task.from_elsewhere, &seen)
    }))
}

fn format_task_page(
    paint: &Paint,
    task: &Task,
    from_elsewhere: bool,
    seen: &[VerifiedMemory],
) -> String {
    let passed = task.passed.iter().map(|it| flatten_to_line(it));
    let passed = format_if(!task.passed.is_empty(), || {
        format!(" ({})", join_texts(passed, " → "))
    });
    let mut out = format!(
        "{BOLD}{}{BOLD:#}  {}\n  {}{}{passed}, since {}\n",
        task.slug,
        flatten_to_line(&task.title),
        task.status,
        format_after(", phase ", task.format_phase().as_deref()),
        paint.format_time(task.started_at)
    );
    if from_elsewhere {
        let way = format!("apostille task start {}", task.slug);
        out += &format!("  {YELLOW}{ELSEWHERE}{YELLOW:#}; {CYAN}{way}{CYAN:#} takes it up here\n");
    }
    out.extend(seen.iter().map(|it| format_task_entry(paint, task, it)));
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
    let phase = format_after(" in ", entry.and_then(|it| it.phase.as_deref()));
    let mut how = vec![format!("{sort}{phase}")];
    let is_resolved = task
        .entries
        .iter()
        .any(|it| it.id == memory.id && it.is_resolved);
    how.extend(is_resolved.then(|| "resolved".into()));
    how.extend((!memory.is_active()).then(|| memory.status.stage().to_string()));
    let standing = memory.citations.first().map(|first| {
        let place = format_place(&first.location());
        format!(" · {} {place}", style_standing(it.standing().as_str()))
    });
    format!(
        "\n{BOLD}{}{BOLD:#}  {DIM}{}{DIM:#}{}\n{}",
        memory.handle(),
        how.join(" · "),
        standing.unwrap_or_default(),
        paint.wrap_text(&memory.fact, 2)
    )
}

/// What a memory of the task is that no gate names.
fn choose_note_tag(memory: &Memory) -> &str {
    let known = |it: &&String| {
        NoteSort::ALL
            .iter()
            .any(|sort| sort.as_str() == it.as_str())
    };
    memory
        .tags
        .iter()
        .find(known)
        .or(memory.tags.first())
        .map_or(memory.layer.as_str(), String::as_str)
}
