//! `task note`: something is written down as an episode of the task.

use apostille_core::list;
use apostille_core::{
    memory::{Draft, DuplicateChoice, Layer, Memory, MemoryId, MemoryName, Status, Voice},
    refusal::Refusal,
    remember::{self, RememberOutcome},
};
use apostille_tasks::task::{
    CONSTRAINT, GateAction, NoteSort, Task,
    phase_report::{VerifiedItem, find_regressed, list_verified_items},
};
use serde::Serialize;

use super::{build_task_voice, find_open_task, load_standing_notes, open_task_desk};
use crate::{
    cmd::{
        format_outcome,
        remember::{read_fact_argument, resolve_citations},
    },
    json::{MemoryView, TaskView},
};
use apostille_terminal::{
    args::TaskNoteArgs,
    command_context::{CommandContext, CommandResult},
    paint::{DIM, GREEN, Paint, YELLOW, flatten_to_line, style_text},
};
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
    /// What was verified in an earlier phase, of a blocker that says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    regressed: Option<String>,
    problems: Vec<String>,
}

/// Notes something.
pub fn run(ctx: &CommandContext, args: &TaskNoteArgs) -> CommandResult {
    let (workspace, tasks) = open_task_desk(ctx)?;
    let task = find_open_task(&tasks, args.task.as_ref())?;
    let resolved = find_resolved_blockers(&workspace, &task, args)?;
    let memory = remember_task_draft(&workspace, draft_task_note(ctx, &workspace, &task, args)?)?;
    let gate = match args.sort.to_sort() {
        NoteSort::Note => GateAction::Noted,
        NoteSort::Decision => GateAction::Decided,
        NoteSort::Verified => GateAction::Verified,
        NoteSort::Blocker => GateAction::Blocked,
    };
    let mut task = tasks.record_gate(&task.slug, gate(memory.id))?;
    for it in &resolved {
        task = tasks.record_gate(&task.slug, GateAction::Unblocked(it.id))?;
    }
    let regressed = find_regressed_item(&workspace, &task, args, &memory)?;
    let (problems, err) = super::refresh_task_notes(&tasks, &workspace)?;
    let active = tasks.active_task().map(|it| it.slug);
    let json = TaskNoteReply {
        ok: true,
        outcome: "noted",
        task: TaskView::new(&task, active.as_ref()),
        memory: MemoryView::from(&memory),
        pending: match &memory.status {
            Status::Pending { why } => Some(why.clone()),
            _ => None,
        },
        resolved: resolved.iter().map(|it| it.handle().to_string()).collect(),
        regressed,
        problems,
    };
    Ok(ctx
        .render_output(&json, |paint| {
            format_task_note(paint, &task, args, &memory, &json)
        })
        .with_err(err))
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
    let noted = format_outcome("noted", memory.handle());
    let sort = format!("{DIM}{sort} · {}{DIM:#}", task.slug);
    let fact = paint.wrap_text(&memory.fact, 2);
    let mut out = format!("{noted}  {sort}\n{fact}");
    for it in &reply.resolved {
        out += &format!("  {GREEN}resolved{GREEN:#} {it}\n");
    }
    if let Some(it) = &reply.regressed {
        out += &format!("  {YELLOW}regressed:{YELLOW:#} {}\n", flatten_to_line(it));
    }
    if let Some(why) = &reply.pending {
        let pending = style_text(YELLOW, "pending:");
        let why = flatten_to_line(why);
        let handle = memory.handle();
        out += &format!("  {pending} {why}; apostille approve {handle}\n");
    }
    out
}

/// What an earlier phase verified, where a blocker says that it is so no more.
fn find_regressed_item(
    workspace: &Workspace,
    task: &Task,
    args: &TaskNoteArgs,
    memory: &Memory,
) -> CommandResult<Option<String>> {
    if args.sort.to_sort() != NoteSort::Blocker {
        return Ok(None);
    }
    let memories = load_standing_notes(workspace, task)?;
    let verified = list_verified_items(task, &memories);
    Ok(find_regressed(&verified, &memory.fact).map(VerifiedItem::describe))
}

/// The blockers that are out of the way; each must be one of this task.
fn find_resolved_blockers(
    workspace: &Workspace,
    task: &Task,
    args: &TaskNoteArgs,
) -> CommandResult<Vec<Memory>> {
    let blockers: Vec<MemoryId> = task
        .entries_of_sort(NoteSort::Blocker)
        .map(|it| it.id)
        .collect();
    let cx = workspace.context();
    let spaces = workspace.spaces();
    let find = |name: &MemoryName| {
        let blocker =
            list::find_named_memory(&cx, &spaces, *name)?.filter(|it| blockers.contains(&it.id));
        Ok(blocker.ok_or_else(|| Refusal::NoSuchMemory {
            name: format!("{name} among the blockers of {}", task.slug),
        })?)
    };
    args.resolves.iter().map(find).collect()
}

fn draft_task_note(
    ctx: &CommandContext,
    workspace: &Workspace,
    task: &Task,
    args: &TaskNoteArgs,
) -> CommandResult<Draft> {
    let sort = args.sort.to_sort().to_string();
    let constraint = args.sort.constraint.then(|| CONSTRAINT.to_owned());
    let voice = Voice {
        tainted: args.tainted,
        ..build_task_voice(ctx)?
    };
    let space = workspace.settings.repo.clone();
    Ok(Draft {
        layer: Some(Layer::Episode),
        citations: resolve_citations(workspace, &args.cites)?,
        tags: std::iter::once(sort).chain(constraint).collect(),
        task: Some(task.slug.to_string()),
        // Two notes may be much alike; an agent at work is not stopped over it.
        on_duplicate: DuplicateChoice::Create("a note of a task".into()),
        ..Draft::new(space, read_fact_argument(ctx, &args.text)?, voice)
    })
}

/// The memory that a draft becomes.
pub(super) fn remember_task_draft(workspace: &Workspace, draft: Draft) -> CommandResult<Memory> {
    match remember::remember(&workspace.context_for(&draft.space), draft)? {
        RememberOutcome::Remembered { memory, .. } | RememberOutcome::Refreshed { memory } => {
            Ok(*memory)
        }
        RememberOutcome::Refused(refusal) => Err(refusal.into()),
        // Text from outside repeats what is in use: there is nothing to note.
        RememberOutcome::Similar { near } => Ok(near
            .first()
            .and_then(|it| workspace.store.get_by_ids(&[it.id]).ok()?.pop())
            .ok_or(Refusal::Empty { field: "fact" })?),
    }
}
