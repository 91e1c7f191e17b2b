//! `task start`: a task begins, or is taken up again.

use apostille_core::refusal::Refusal;
use apostille_tasks::task;
use apostille_tasks::task::gate::GateStart;
use apostille_tasks::task::{GateAction, MAX_PHASES, PHASE_CHARS, TITLE_CHARS, Task, TaskSlug};
use serde::Serialize;

use super::open_task_desk;
use crate::json::TaskView;
use apostille_terminal::args::TaskStartArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{BOLD, DIM, GREEN, flatten_to_line, style_text};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::task::CheckoutTasks;
use apostille_workspace::workspace::Workspace;

#[derive(Serialize)]
struct TaskStartReply {
    ok: bool,
    outcome: &'static str,
    task: TaskView,
    problems: Vec<String>,
}

/// Begins a task, or takes one up again.
pub fn run(shell: &CommandContext, args: &TaskStartArgs) -> Result<CommandOutput, CommandError> {
    let (desk, tasks) = open_task_desk(shell)?;
    let start = match validate_task_start(&desk, args) {
        Ok(start) => start,
        Err(refusal) => return Ok(shell.render_refusal(&refusal)),
    };
    let all = tasks.list_tasks()?;
    let known = find_resumable_task(&all, &start.title);
    if let Some(other) = tasks
        .active_task()
        .filter(|it| !args.switch && known.is_none_or(|known| known.slug != it.slug))
    {
        return Ok(shell.render_refusal(&Refusal::TaskOpen {
            slug: other.slug.to_string(),
        }));
    }
    let (outcome, task) = begin_or_resume_task(&tasks, &all, known, start)?;
    tasks.set_active(Some(&task.slug))?;
    let problems: Vec<String> = tasks.refresh_notes(&desk)?.into_iter().collect();
    let json = TaskStartReply {
        ok: true,
        outcome,
        task: TaskView::new(&task, Some(&task.slug)),
        problems,
    };
    let told = super::format_task_problems(&json.problems);
    let answer = shell.render_output(error::OK, &json, |_| {
        let phase = task
            .format_phase()
            .map(|it| style_text(DIM, format!("  phase {}", flatten_to_line(&it))))
            .unwrap_or_default();
        format!(
            "{} {}  {}{phase}\n",
            style_text(GREEN, outcome),
            style_text(BOLD, &task.slug),
            flatten_to_line(&task.title)
        )
    });
    Ok(CommandOutput {
        err: told,
        ..answer
    })
}

fn validate_task_start(desk: &Workspace, args: &TaskStartArgs) -> Result<GateStart, Refusal> {
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
    let phase = args
        .phase
        .as_ref()
        .map(name)
        .transpose()?
        .or_else(|| phases.first().cloned());
    let head = desk
        .place
        .checkout
        .as_ref()
        .and_then(|it| it.read_head().ok());
    let by = desk.context().actor.map(Into::into);
    Ok(GateStart {
        title,
        phases,
        phase,
        commit: head.and_then(|it| it.commit),
        by,
    })
}

/// The task that is meant by a title or a name, unless it is done: then the words begin another.
fn find_resumable_task<'t>(all: &'t [Task], title: &str) -> Option<&'t Task> {
    let is_meant = |it: &&Task| {
        it.slug.as_str() == title || it.title == title || it.slug == TaskSlug::from_title(title)
    };
    let open = all.iter().rev().filter(is_meant).find(|it| it.is_open());
    open.or_else(|| {
        all.iter()
            .rev()
            .filter(is_meant)
            .find(|it| it.status == task::Status::Abandoned)
    })
}

fn begin_or_resume_task(
    tasks: &CheckoutTasks,
    all: &[Task],
    known: Option<&Task>,
    start: GateStart,
) -> Result<(&'static str, Task), CommandError> {
    match known {
        Some(known) if known.is_open() => {
            let phase = start.phase.filter(|it| known.phase.as_ref() != Some(it));
            let task = match phase {
                Some(phase) => tasks.record_gate(&known.slug, GateAction::Phase(phase))?,
                None => known.clone(),
            };
            Ok(("resumed", task))
        }
        Some(known) => {
            let start = GateStart {
                title: known.title.clone(),
                ..start
            };
            Ok((
                "resumed",
                tasks.record_gate(&known.slug, GateAction::Started(start))?,
            ))
        }
        None => {
            let slug = TaskSlug::unique_from_title(&start.title, |it| {
                all.iter().any(|task| task.slug == *it)
            });
            Ok((
                "started",
                tasks.record_gate(&slug, GateAction::Started(start))?,
            ))
        }
    }
}
