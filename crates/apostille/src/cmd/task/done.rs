//! `task done`: the summary is archived, and what is durable is offered, or kept, as knowledge.

use apostille_core::format::format_utc_day;
use apostille_core::memory::{self, Memory, MemoryName};
use apostille_core::refusal::Refusal;
use apostille_core::remember::RememberOutcome;
use apostille_core::verify::VerifiedMemory;
use apostille_tasks::task;
use apostille_tasks::task::promote::{is_durable_note, promote_task_note};
use apostille_tasks::task::summary;
use apostille_tasks::task::summary::{GitWork, TaskEnding};
use apostille_tasks::task::{GateAction, Status, Task};
use serde::Serialize;

use super::note::remember_task_draft;
use super::{
    build_task_voice, find_meant_task, format_verified_note, open_task_desk, verify_offered_notes,
};
use crate::json::{self, MemoryView, RefusalView, TaskView};
use apostille_terminal::args::TaskDoneArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{
    BOLD, CYAN, DIM, GREEN, Paint, YELLOW, flatten_to_line, style_text,
};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::task::CheckoutTasks;
use apostille_workspace::workspace::Workspace;

/// The longest outcome, in characters.
const OUTCOME_CHARS: usize = 500;

#[derive(Serialize)]
struct TaskDoneReply {
    ok: bool,
    outcome: &'static str,
    task: TaskView,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<MemoryView>,
    promoted: Vec<PromotedNoteView>,
    /// What else may become knowledge.
    durable: Vec<MemoryView>,
    problems: Vec<String>,
}

/// What became of a note that was to be knowledge.
#[derive(Serialize)]
struct PromotedNoteView {
    from: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryView>,
    /// Why the new memory waits for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<RefusalView>,
    /// The memory that says much the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    similar: Option<String>,
    #[serde(skip)]
    told: String,
}

/// Ends a task, or promotes notes of one that has ended.
pub fn run(shell: &CommandContext, args: &TaskDoneArgs) -> Result<CommandOutput, CommandError> {
    let (desk, tasks) = open_task_desk(shell)?;
    let task = match find_meant_task(&tasks, args.slug.as_ref())? {
        Ok(task) if task.is_open() || !args.promote.is_empty() => task,
        Ok(it) => {
            let refusal = Refusal::TaskEnded {
                slug: it.slug.to_string(),
                status: it.status,
            };
            return Ok(shell.render_refusal(&refusal));
        }
        Err(refusal) => return Ok(shell.render_refusal(&refusal)),
    };
    let notes = match desk.find_named(&args.promote)? {
        Ok(notes) => notes,
        Err(refusal) => return Ok(shell.render_refusal(&refusal)),
    };
    if let Some(it) = notes
        .iter()
        .find(|it| it.task.as_deref() != Some(task.slug.as_str()))
    {
        let name = format!("{} among the notes of {}", it.handle(), task.slug);
        return Ok(shell.render_refusal(&Refusal::NoSuchMemory { name }));
    }
    let (task, summary) = match end_task(shell, &desk, &tasks, &task, args)? {
        Ok(ended) => ended,
        Err(refusal) => return Ok(shell.render_refusal(&refusal)),
    };
    let problems: Vec<String> = tasks.refresh_notes(&desk)?.into_iter().collect();
    let promoted = notes
        .iter()
        .map(|it| promote_named_note(&desk, it, args))
        .collect::<Result<Vec<_>, _>>()?;
    let durable = list_unpromoted_notes(&desk, &task, &args.promote)?;
    Ok(answer_task_done(
        shell, &task, summary, promoted, durable, problems,
    ))
}

/// Writes the summary and passes the last gate; nothing, where the task has ended before.
fn end_task(
    shell: &CommandContext,
    desk: &Workspace,
    tasks: &CheckoutTasks,
    task: &Task,
    args: &TaskDoneArgs,
) -> Result<Result<(Task, Option<Memory>), Refusal>, CommandError> {
    if !task.is_open() {
        return Ok(Ok((task.clone(), None)));
    }
    let outcome = args
        .outcome
        .as_ref()
        .map(|it| task::validate_task_text("outcome", it, OUTCOME_CHARS))
        .transpose();
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let summary = match remember_task_summary(
        shell,
        desk,
        tasks,
        task,
        outcome.as_deref(),
        args.abandoned,
    )? {
        Ok(summary) => summary,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let is_active = tasks.active_task().is_some_and(|it| it.slug == task.slug);
    let what = if args.abandoned {
        GateAction::Abandoned(Some(summary.id))
    } else {
        GateAction::Done(Some(summary.id))
    };
    let task = tasks.record_gate(&task.slug, what)?;
    if is_active {
        tasks.set_active(None)?;
    }
    Ok(Ok((task, Some(summary))))
}

fn remember_task_summary(
    shell: &CommandContext,
    desk: &Workspace,
    tasks: &CheckoutTasks,
    task: &Task,
    outcome: Option<&str>,
    is_abandoned: bool,
) -> Result<Result<Memory, Refusal>, CommandError> {
    let space = &desk.settings.repo;
    let memories = task::load_task_memories(&desk.context(), space, task)?;
    let (today, status) = (
        format_utc_day(shell.world.now),
        if is_abandoned {
            Status::Abandoned
        } else {
            Status::Done
        },
    );
    let draft = |work: &GitWork| {
        let ending = TaskEnding {
            status,
            outcome,
            work,
            day: &today,
        };
        summary::draft_task_summary(space, task, &memories, ending, build_task_voice(shell))
    };
    match remember_task_draft(desk, draft(&collect_git_work(desk, tasks, task)))? {
        // A file may be named like a secret; the task ends all the same.
        Err(Refusal::Secret { .. }) => remember_task_draft(desk, draft(&GitWork::default())),
        other => Ok(other),
    }
}

/// What git says was done. The task's own files are no work.
fn collect_git_work(desk: &Workspace, tasks: &CheckoutTasks, task: &Task) -> GitWork {
    let since = || {
        desk.place
            .checkout
            .as_ref()?
            .read_work_since(task.commit.as_deref()?)
            .ok()
    };
    let done = since().unwrap_or_default();
    let mut work = GitWork {
        commits: done.commits,
        files: done.files,
    };
    let own = format!("{}/", tasks.dir());
    work.files
        .retain(|it| !it.starts_with(&own) && it != "NOTES.md");
    work
}

fn promote_named_note(
    desk: &Workspace,
    note: &Memory,
    args: &TaskDoneArgs,
) -> Result<PromotedNoteView, CommandError> {
    let outcome = promote_task_note(&desk.context_for(&note.space), note.clone(), args.kind)?;
    let mut it = PromotedNoteView {
        from: note.handle().to_string(),
        memory: None,
        pending: None,
        refused: None,
        similar: None,
        told: String::new(),
    };
    match outcome {
        RememberOutcome::Remembered { memory, .. } | RememberOutcome::Refreshed { memory } => {
            it.told = format!(
                "{} {} as {}\n",
                style_text(GREEN, "promoted"),
                it.from,
                style_text(BOLD, memory.handle())
            );
            if let memory::Status::Pending { why } = &memory.status {
                it.told = format_pending_promotion(&it.from, &memory, why);
                it.pending = Some(why.clone());
            }
            it.memory = Some(MemoryView::from(&*memory));
        }
        RememberOutcome::Refused(refusal) => {
            it.told = format!(
                "{} {}: {}\n",
                style_text(YELLOW, "not promoted"),
                it.from,
                flatten_to_line(&refusal.to_string())
            );
            it.refused = Some(RefusalView::from(&refusal));
        }
        RememberOutcome::Similar { near } => {
            it.similar = near.first().map(|it| it.handle.to_string());
            let known = it.similar.as_deref().unwrap_or_default();
            it.told = format!(
                "{} {}: {known} says much the same\n",
                style_text(YELLOW, "not promoted"),
                it.from
            );
        }
    }
    Ok(it)
}

/// What is told of a memory that is kept and not yet in use.
fn format_pending_promotion(from: &str, memory: &Memory, why: &str) -> String {
    let (handle, word) = (memory.handle(), style_text(YELLOW, "not in use yet:"));
    let way = style_text(CYAN, format!("apostille approve {handle}"));
    format!(
        "{word} {from} is kept as {}, which is pending: {}; {way}\n",
        style_text(BOLD, handle),
        flatten_to_line(why)
    )
}

/// What was decided or verified with proof that stands, and is not promoted yet.
fn list_unpromoted_notes(
    desk: &Workspace,
    task: &Task,
    promoted: &[MemoryName],
) -> Result<Vec<VerifiedMemory>, CommandError> {
    let is_promoted = |it: &Memory| {
        promoted
            .iter()
            .any(|name| *name == MemoryName::Id(it.id) || *name == MemoryName::Handle(it.handle()))
    };
    let memories = task::load_task_memories(&desk.context(), &desk.settings.repo, task)?;
    let durable = memories
        .into_iter()
        .filter(|it| is_durable_note(it) && !is_promoted(it))
        .collect();
    Ok(verify_offered_notes(desk, durable))
}

fn answer_task_done(
    shell: &CommandContext,
    task: &Task,
    summary: Option<Memory>,
    promoted: Vec<PromotedNoteView>,
    durable: Vec<VerifiedMemory>,
    problems: Vec<String>,
) -> CommandOutput {
    let ok = promoted.iter().all(|it| it.memory.is_some());
    let json = TaskDoneReply {
        ok,
        outcome: if summary.is_some() {
            task.status.as_str()
        } else {
            "promoted"
        },
        task: TaskView::new(task, None),
        summary: summary.as_ref().map(MemoryView::from),
        promoted,
        durable: json::build_memory_views(&durable),
        problems,
    };
    let err = super::format_task_problems(&json.problems);
    let code = if ok { error::OK } else { error::REFUSED };
    let answer = shell.render_output(code, &json, |paint| {
        format_task_done(paint, task, summary.as_ref(), &json, &durable)
    });
    CommandOutput { err, ..answer }
}

fn format_task_done(
    paint: &Paint,
    task: &Task,
    summary: Option<&Memory>,
    json: &TaskDoneReply,
    durable: &[VerifiedMemory],
) -> String {
    let mut out = String::new();
    if let Some(it) = summary {
        let head = format!(
            "{} {}",
            style_text(GREEN, task.status),
            style_text(BOLD, &task.slug)
        );
        out += &format!(
            "{head}  {}\n{}",
            style_text(DIM, it.handle()),
            paint.wrap_text(&it.fact, 2)
        );
    }
    out.extend(json.promoted.iter().map(|it| it.told.as_str()));
    if !durable.is_empty() {
        out += &format!("{}\n", style_text(DIM, "worth keeping as knowledge:"));
    }
    for it in durable {
        let command = format!(
            "apostille task done {} --promote {}",
            task.slug,
            it.memory.handle()
        );
        out += &format!(
            "  {}\n    {}\n",
            format_verified_note(it),
            style_text(CYAN, command)
        );
    }
    out
}
