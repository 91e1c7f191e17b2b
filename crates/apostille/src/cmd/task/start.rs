//! `task start`: a task begins, or is taken up again.

use std::path::Path;

use apostille_agents::{
    extract::{draft_task_statement, extract_task_statements},
    task_opening::TaskOpening,
};
use apostille_api::task_start::{TaskStart, open_starting_task};
use apostille_core::{
    evidence::SaidQuote,
    policy::InjectMode,
    refusal::Refusal,
    remember::{RememberOutcome, remember},
};
use apostille_tasks::{
    task,
    task::{GateAction, MAX_PHASES, PHASE_CHARS, TITLE_CHARS, Task, TaskSlug, gate::GateStart},
};
use serde_json::json;

use super::open_task_desk;
use crate::{cmd::format_outcome, json::TaskView};
use apostille_terminal::{
    args::TaskStartArgs,
    command_context::{CommandContext, CommandResult},
    paint::{DIM, flatten_to_line},
};
use apostille_workspace::{
    sessions::is_memory_ignored_in_shell, task::CheckoutTasks, workspace::Workspace,
};

/// Begins a task, or takes one up again.
pub fn run(ctx: &CommandContext, args: &TaskStartArgs) -> CommandResult {
    let (workspace, tasks) = open_task_desk(ctx)?;
    let start = validate_task_start(&workspace, args)?;
    let all = tasks.list_tasks()?;
    let known = find_resumable_task(&all, &start.title);
    let other = tasks
        .active_task()
        .filter(|it| !args.switch && known.is_none_or(|known| known.slug != it.slug));
    if let Some(other) = other {
        let slug = other.slug.to_string();
        return Err(Refusal::TaskOpen { slug }.into());
    }
    let (outcome, task) = begin_or_resume_task(&tasks, &all, known, start)?;
    tasks.set_active(Some(&task.slug))?;
    let (mut problems, mut told) = super::refresh_task_notes(&tasks, &workspace)?;
    let opening = match is_memory_ignored_in_shell(&ctx.system) {
        true => TaskOpening::default(),
        false => open_started_task(&tasks, &workspace, &task, args.tokens),
    };
    told += &super::format_task_problems(&opening.problems);
    problems.extend(opening.problems.iter().cloned());
    if outcome == "started" {
        told += &propose_stated_preferences(ctx, &workspace, &task)?;
    }
    let view = TaskView::new(&task, Some(&task.slug));
    let files = tasks.list_written_files(&task.slug)?;
    let json = json!({"ok": true, "outcome": outcome, "task": view, "files": files, "context": opening.block, "problems": problems});
    Ok(ctx
        .render_output(&json, |_| {
            let phase = task.format_phase().map(|it| flatten_to_line(&it));
            let phase = phase.map(|it| format!("{DIM}  phase {it}{DIM:#}"));
            format!(
                "{}  {}{}\n{}{}",
                format_outcome(outcome, &task.slug),
                flatten_to_line(&task.title),
                phase.unwrap_or_default(),
                format_written_files(&files),
                opening.block
            )
        })
        .with_err(told))
}

/// Proposes what the person states for good in the description; nothing where an agent typed it, whose words are not its user's.
fn propose_stated_preferences(
    ctx: &CommandContext,
    workspace: &Workspace,
    task: &Task,
) -> CommandResult<String> {
    if ctx.speaker()?.person().is_none() {
        return Ok(String::new());
    }
    let [repo, user] = workspace.spaces();
    let mut told = String::new();
    for stated in extract_task_statements(&task.title) {
        let said = SaidQuote {
            quote: task.title.clone(),
            session: format!("task {}", task.slug),
            turn: 1,
            at: Some(ctx.system.now),
        };
        let draft = draft_task_statement(&stated, &repo, &user, task.slug.as_str(), said);
        let cx = workspace.context_for(&draft.space.clone());
        if let RememberOutcome::Remembered { memory, .. } = remember(&cx, draft)? {
            let fact = flatten_to_line(&memory.fact);
            told += &format!(
                "{DIM}proposed {}: {fact} (apostille review){DIM:#}\n",
                memory.handle()
            );
        }
    }
    Ok(told)
}

/// Which files the task writes; those of this user's data are named in full.
fn format_written_files(files: &[String]) -> String {
    let named: Vec<String> = files.iter().map(|it| flatten_to_line(it)).collect();
    let is_own = files.first().is_some_and(|it| Path::new(it).is_absolute());
    let way = if is_own {
        "; task.files = true has the gates in the repository"
    } else {
        ""
    };
    format!("  {DIM}writes {}{way}{DIM:#}\n", named.join(" and "))
}

/// What helps with a task that begins here; nothing where memory is shown to nobody unasked.
fn open_started_task(
    tasks: &CheckoutTasks,
    workspace: &Workspace,
    task: &Task,
    tokens: usize,
) -> TaskOpening {
    if workspace.settings.policy.inject.mode == InjectMode::Off {
        return TaskOpening::default();
    }
    let is_trusted = workspace.settings.untrusted.is_none();
    let notes = tasks.read_notes().filter(|_| is_trusted);
    let start = TaskStart {
        title: &task.title,
        task: Some(&task.slug),
        spaces: &workspace.spaces(),
        notes: notes.as_deref(),
        tokens,
    };
    open_starting_task(&workspace.context(), &start)
}

fn validate_task_start(workspace: &Workspace, args: &TaskStartArgs) -> Result<GateStart, Refusal> {
    let title = task::validate_task_text("title", &args.title, TITLE_CHARS)?;
    let name = |it: &String| task::validate_task_text("phase", it, PHASE_CHARS);
    let phases: Vec<String> = args.phases.iter().map(name).collect::<Result<_, _>>()?;
    if phases.len() > MAX_PHASES {
        return Err(Refusal::TooMany {
            field: "phases",
            n: phases.len(),
            limit: MAX_PHASES,
        });
    }
    let phase = args.phase.as_ref().map(name).transpose()?;
    let head = workspace
        .place
        .checkout
        .as_ref()
        .and_then(|it| it.read_head().ok());
    Ok(GateStart {
        title,
        phase: phase.or_else(|| phases.first().cloned()),
        phases,
        commit: head.and_then(|it| it.commit),
        by: workspace.context().actor.map(Into::into),
    })
}

/// The task that is meant by a title or a name, unless it is done: then the words begin another.
fn find_resumable_task<'t>(all: &'t [Task], title: &str) -> Option<&'t Task> {
    let is_meant = |it: &&Task| {
        it.slug.as_str() == title || it.title == title || it.slug == TaskSlug::from_title(title)
    };
    let meant = || all.iter().rev().filter(is_meant);
    let abandoned = || meant().find(|it| it.status == task::TaskStatus::Abandoned);
    meant().find(|it| it.is_open()).or_else(abandoned)
}

fn begin_or_resume_task(
    tasks: &CheckoutTasks,
    all: &[Task],
    known: Option<&Task>,
    start: GateStart,
) -> CommandResult<(&'static str, Task)> {
    let Some(known) = known else {
        let slug =
            TaskSlug::unique_from_title(&start.title, |it| all.iter().any(|task| task.slug == *it));
        let task = tasks.record_gate(&slug, GateAction::Started(start))?;
        return Ok(("started", task));
    };
    let gate = if known.is_open() {
        start
            .phase
            .filter(|it| known.phase.as_ref() != Some(it))
            .map(GateAction::Phase)
    } else {
        let title = known.title.clone();
        Some(GateAction::Started(GateStart { title, ..start }))
    };
    let task = match gate {
        Some(gate) => tasks.record_gate(&known.slug, gate)?,
        None => known.clone(),
    };
    Ok(("resumed", task))
}
