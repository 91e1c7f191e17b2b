//! `task note`: something is written down as an episode of the task.

use apostille_core::list;
use apostille_core::memory::{Draft, DuplicateChoice, Layer, Memory, MemoryId, Status, Voice};
use apostille_core::refusal::Refusal;
use apostille_core::remember::{self, RememberOutcome};
use apostille_tasks::task::{CONSTRAINT, GateAction, Sort, Task};
use serde::Serialize;

use super::{build_task_voice, find_open_task, open_task_desk};
use crate::cmd::remember::read_fact_argument;
use crate::json::{MemoryView, TaskView};
use apostille_terminal::args::TaskNoteArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{BOLD, DIM, GREEN, Paint, YELLOW, flatten_to_line, style_text};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::workspace::Workspace;

#[derive(Serialize)]
struct TaskNoteReply {
    ok: bool,
    outcome: &'static str,
    task: TaskView,
    memory: MemoryView,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resolved: Vec<String>,
    problems: Vec<String>,
}

/// Notes something.
pub fn run(shell: &CommandContext, args: &TaskNoteArgs) -> Result<CommandOutput, CommandError> {
    let (desk, tasks) = open_task_desk(shell)?;
    let task = match find_open_task(&tasks, args.task.as_ref())? {
        Ok(task) => task,
        Err(refusal) => return Ok(shell.render_refusal(&refusal)),
    };
    let resolved = match find_resolved_blockers(&desk, &task, args)? {
        Ok(resolved) => resolved,
        Err(refusal) => return Ok(shell.render_refusal(&refusal)),
    };
    let memory = match remember_task_draft(&desk, draft_task_note(shell, &desk, &task, args)?)? {
        Ok(memory) => memory,
        Err(refusal) => return Ok(shell.render_refusal(&refusal)),
    };
    let mut task = tasks.record_gate(
        &task.slug,
        choose_gate_action(args.sort.to_sort(), memory.id),
    )?;
    for it in &resolved {
        task = tasks.record_gate(&task.slug, GateAction::Unblocked(it.id))?;
    }
    let problems: Vec<String> = tasks.refresh_notes(&desk)?.into_iter().collect();
    let active = tasks.active_task().map(|it| it.slug);
    let pending = match &memory.status {
        Status::Pending { why } => Some(why.clone()),
        _ => None,
    };
    let json = TaskNoteReply {
        ok: true,
        outcome: "noted",
        task: TaskView::new(&task, active.as_ref()),
        memory: MemoryView::from(&memory),
        pending,
        resolved: resolved.iter().map(|it| it.handle().to_string()).collect(),
        problems,
    };
    let err = super::format_task_problems(&json.problems);
    let answer = shell.render_output(error::OK, &json, |paint| {
        format_task_note(paint, &task, args, &memory, &json)
    });
    Ok(CommandOutput { err, ..answer })
}

fn format_task_note(
    paint: &Paint,
    task: &Task,
    args: &TaskNoteArgs,
    memory: &Memory,
    reply: &TaskNoteReply,
) -> String {
    let sort = if args.sort.constraint {
        CONSTRAINT
    } else {
        args.sort.to_sort().as_str()
    };
    let mut out = format!(
        "{} {}  {}\n",
        style_text(GREEN, "noted"),
        style_text(BOLD, memory.handle()),
        style_text(DIM, format!("{sort} · {}", task.slug))
    );
    out += &paint.wrap_text(&memory.fact, 2);
    for it in &reply.resolved {
        out += &format!("  {} {it}\n", style_text(GREEN, "resolved"));
    }
    if let Some(why) = &reply.pending {
        let how = format!("apostille approve {}", memory.handle());
        out += &format!(
            "  {} {}; {how}\n",
            style_text(YELLOW, "pending:"),
            flatten_to_line(why)
        );
    }
    out
}

/// The blockers that are out of the way; each must be one of this task.
fn find_resolved_blockers(
    desk: &Workspace,
    task: &Task,
    args: &TaskNoteArgs,
) -> Result<Result<Vec<Memory>, Refusal>, CommandError> {
    let mut found = Vec::new();
    for name in &args.resolves {
        let memory = list::find_named_memory(&desk.context(), &desk.spaces(), *name)?;
        let is_blocker = |it: &Memory| {
            task.entries_of_sort(Sort::Blocker)
                .any(|entry| entry.id == it.id)
        };
        match memory.filter(is_blocker) {
            Some(memory) => found.push(memory),
            None => {
                return Ok(Err(Refusal::NoSuchMemory {
                    name: format!("{name} among the blockers of {}", task.slug),
                }));
            }
        }
    }
    Ok(Ok(found))
}

fn draft_task_note(
    shell: &CommandContext,
    desk: &Workspace,
    task: &Task,
    args: &TaskNoteArgs,
) -> Result<Draft, CommandError> {
    let cites = args
        .cites
        .iter()
        .map(|it| desk.place.resolve_location(it).map_err(CommandError::usage));
    let constraint = args.sort.constraint.then(|| CONSTRAINT.to_owned());
    Ok(Draft {
        layer: Some(Layer::Episode),
        citations: cites.collect::<Result<_, _>>()?,
        tags: std::iter::once(args.sort.to_sort().to_string())
            .chain(constraint)
            .collect(),
        task: Some(task.slug.to_string()),
        // Two notes may be much alike; an agent at work is not stopped over it.
        twin: DuplicateChoice::Create("a note of a task".into()),
        ..Draft::new(
            desk.settings.repo.clone(),
            read_fact_argument(shell, &args.text)?,
            Voice {
                tainted: args.tainted,
                ..build_task_voice(shell)
            },
        )
    })
}

/// The memory that a draft becomes.
pub(super) fn remember_task_draft(
    desk: &Workspace,
    draft: Draft,
) -> Result<Result<Memory, Refusal>, CommandError> {
    Ok(
        match remember::remember(&desk.context_for(&draft.space), draft)? {
            RememberOutcome::Remembered { memory, .. } | RememberOutcome::Refreshed { memory } => {
                Ok(*memory)
            }
            RememberOutcome::Refused(refusal) => Err(refusal),
            // Text from outside repeats what is in use: there is nothing to note.
            RememberOutcome::Similar { near } => {
                let known = near
                    .first()
                    .and_then(|it| desk.store.get_by_ids(&[it.id]).ok()?.pop());
                known.ok_or(Refusal::Empty { field: "fact" })
            }
        },
    )
}

fn choose_gate_action(sort: Sort, id: MemoryId) -> GateAction {
    match sort {
        Sort::Note => GateAction::Noted(id),
        Sort::Decision => GateAction::Decided(id),
        Sort::Verified => GateAction::Verified(id),
        Sort::Blocker => GateAction::Blocked(id),
    }
}
