//! `task done`: the summary is archived, and what is durable is offered, or kept, as knowledge.

use apostille_core::format::format_utc_day;
use apostille_core::{
    memory::{self, Memory, MemoryName},
    refusal::Refusal,
    remember::RememberOutcome,
    verify::VerifiedMemory,
};
use apostille_tasks::{
    task,
    task::{
        GateAction, Task, TaskStatus,
        promote::{is_durable_note, promote_task_note},
        summary,
        summary::{GitWork, TaskEnding},
    },
};
use serde::Serialize;
use serde_json::json;

use super::{
    build_task_voice, find_meant_task, format_verified_note,
    note::remember_task_draft,
    open_task_desk,
    phase_report::{PhaseReportView, leave_phase_report},
    require_open_task, verify_offered_notes,
};
use crate::{
    cmd::format_outcome,
    json::{self, MemoryView, RefusalView, TaskView},
};
use apostille_terminal::{
    args::TaskDoneArgs,
    command_context::{CommandContext, CommandResult},
    paint::{BOLD, CYAN, DIM, GREEN, Paint, YELLOW, flatten_to_line, join_texts, style_text},
};
use apostille_workspace::{error, task::CheckoutTasks, workspace::Workspace};

/// The longest outcome, in characters.
const OUTCOME_CHARS: usize = 500;

/// What became of a note that was to be knowledge.
#[derive(Default, Serialize)]
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
pub fn run(ctx: &CommandContext, args: &TaskDoneArgs) -> CommandResult {
    let (workspace, tasks) = open_task_desk(ctx)?;
    let task = find_meant_task(&tasks, args.slug.as_ref())?;
    if args.promote.is_empty() {
        require_open_task(&task)?;
    }
    let notes = workspace.find_named(&args.promote)?;
    let is_foreign = |it: &&Memory| it.task.as_deref() != Some(task.slug.as_str());
    if let Some(it) = notes.iter().find(is_foreign) {
        let name = format!("{} among the notes of {}", it.handle(), task.slug);
        return Err(Refusal::NoSuchMemory { name }.into());
    }
    // What is wrong with the outcome is said before anything is written.
    let outcome = args.outcome.as_ref();
    let outcome = outcome.map(|it| task::validate_task_text("outcome", it, OUTCOME_CHARS));
    outcome.transpose()?;
    let (task, report) = match task.is_open() && !args.report.is_empty() {
        true => leave_phase_report(ctx, &workspace, &tasks, task, &args.report)?,
        false => (task, None),
    };
    let (task, summary) = end_task(ctx, &workspace, &tasks, task, args)?;
    let (problems, err) = super::refresh_task_notes(&tasks, &workspace)?;
    let promoted = notes
        .iter()
        .map(|it| promote_named_note(&workspace, it, args))
        .collect::<CommandResult<Vec<_>>>()?;
    let durable = list_unpromoted_notes(&workspace, &task, &args.promote)?;
    let ok = promoted.iter().all(|it| it.memory.is_some());
    let mut json = json!({
        "ok": ok,
        "outcome": summary.as_ref().map_or("promoted", |_| task.status.as_str()),
        "task": TaskView::new(&task, None),
    });
    if let Some(summary) = &summary {
        json["summary"] = json!(MemoryView::from(summary));
    }
    if let Some(report) = &report {
        json["report"] = json!(report);
    }
    json["promoted"] = json!(promoted);
    // What else may become knowledge.
    json["durable"] = json!(json::build_memory_views(&durable));
    json["problems"] = json!(problems);
    let answer = ctx.render_output(&json, |paint| {
        let told = format_task_done(paint, &task, summary.as_ref(), &promoted, &durable);
        let regressions = report.iter().map(PhaseReportView::format_regressions);
        let report = report.iter().map(|it| it.format(paint));
        format!(
            "{told}{}{}",
            join_texts(regressions, ""),
            join_texts(report, "")
        )
    });
    let code = if ok { error::OK } else { error::REFUSED };
    Ok(answer.with_code(code).with_err(err))
}

/// Writes the summary and passes the last gate; nothing, where the task has ended before.
fn end_task(
    ctx: &CommandContext,
    workspace: &Workspace,
    tasks: &CheckoutTasks,
    task: Task,
    args: &TaskDoneArgs,
) -> CommandResult<(Task, Option<Memory>)> {
    if !task.is_open() {
        return Ok((task, None));
    }
    let outcome = args.outcome.as_ref();
    let outcome = outcome
        .map(|it| task::validate_task_text("outcome", it, OUTCOME_CHARS))
        .transpose()?;
    let (status, gate): (_, fn(_) -> _) = if args.abandoned {
        (TaskStatus::Abandoned, GateAction::Abandoned)
    } else {
        (TaskStatus::Done, GateAction::Done)
    };
    let summary = remember_task_summary(ctx, workspace, tasks, &task, outcome.as_deref(), status)?;
    let is_active = tasks.active_task().is_some_and(|it| it.slug == task.slug);
    let task = tasks.record_gate(&task.slug, gate(Some(summary.id)))?;
    if is_active {
        tasks.set_active(None)?;
    }
    Ok((task, Some(summary)))
}

fn remember_task_summary(
    ctx: &CommandContext,
    workspace: &Workspace,
    tasks: &CheckoutTasks,
    task: &Task,
    outcome: Option<&str>,
    status: TaskStatus,
) -> CommandResult<Memory> {
    let space = &workspace.settings.repo;
    let memories = task::load_task_memories(&workspace.context(), space, task)?;
    let today = format_utc_day(ctx.system.now);
    let remember = |work: &GitWork| {
        let ending = TaskEnding {
            status,
            outcome,
            work,
            day: &today,
        };
        let voice = build_task_voice(ctx)?;
        let draft = summary::draft_task_summary(space, task, &memories, ending, voice);
        remember_task_draft(workspace, draft)
    };
    match remember(&collect_git_work(workspace, tasks, task)) {
        // A file may be named like a secret; the task ends all the same.
        Err(fault) if matches!(fault.cause.downcast_ref(), Some(Refusal::Secret { .. })) => {
            remember(&GitWork::default())
        }
        other => other,
    }
}

/// What git says was done. The task's own files are no work.
fn collect_git_work(workspace: &Workspace, tasks: &CheckoutTasks, task: &Task) -> GitWork {
    let since = || {
        workspace
            .place
            .checkout
            .as_ref()?
            .read_work_since(task.commit.as_deref()?)
            .ok()
    };
    let done = since().unwrap_or_default();
    let own = format!("{}/", tasks.dir());
    let mut files = done.files;
    files.retain(|it| !it.starts_with(&own) && it != "NOTES.md");
    GitWork {
        commits: done.commits,
        files,
    }
}

fn promote_named_note(
    workspace: &Workspace,
    note: &Memory,
    args: &TaskDoneArgs,
) -> CommandResult<PromotedNoteView> {
    let outcome = promote_task_note(&workspace.context_for(&note.space), note.clone(), args.kind)?;
    let from = note.handle().to_string();
    let not_promoted = style_text(YELLOW, "not promoted");
    let mut it = PromotedNoteView::default();
    match outcome {
        RememberOutcome::Remembered { memory, .. } | RememberOutcome::Refreshed { memory } => {
            let handle = memory.handle();
            it.told = format!("{GREEN}promoted{GREEN:#} {from} as {BOLD}{handle}{BOLD:#}\n");
            if let memory::Status::Pending { why } = &memory.status {
                let way = format!("{CYAN}apostille approve {}{CYAN:#}", memory.handle());
                // It is kept and not yet in use.
                it.told = format!(
                    "{YELLOW}not in use yet:{YELLOW:#} {from} is kept as {BOLD}{handle}{BOLD:#}, which is pending: {}; {way}\n",
                    flatten_to_line(why)
                );
                it.pending = Some(why.clone());
            }
            it.memory = Some(MemoryView::from(&*memory));
        }
        RememberOutcome::Refused(refusal) => {
            let why = flatten_to_line(&refusal.to_string());
            it.told = format!("{not_promoted} {from}: {why}\n");
            it.refused = Some(RefusalView::from(&refusal));
        }
        RememberOutcome::Similar { near } => {
            it.similar = near.first().map(|it| it.handle.to_string());
            let known = it.similar.as_deref().unwrap_or_default();
            it.told = format!("{not_promoted} {from}: {known} says much the same\n");
        }
    }
    Ok(PromotedNoteView { from, ..it })
}

/// What was decided or verified with proof that stands, and is not promoted yet.
fn list_unpromoted_notes(
    workspace: &Workspace,
    task: &Task,
    promoted: &[MemoryName],
) -> CommandResult<Vec<VerifiedMemory>> {
    let is_promoted = |it: &Memory| {
        promoted
            .iter()
            .any(|name| *name == MemoryName::Id(it.id) || *name == MemoryName::Handle(it.handle()))
    };
    let durable = task::load_task_memories(&workspace.context(), &workspace.settings.repo, task)?
        .into_iter()
        .filter(|it| is_durable_note(it) && !is_promoted(it))
        .collect();
    Ok(verify_offered_notes(workspace, durable))
}

fn format_task_done(
    paint: &Paint,
    task: &Task,
    summary: Option<&Memory>,
    promoted: &[PromotedNoteView],
    durable: &[VerifiedMemory],
) -> String {
    let mut out = String::new();
    if let Some(it) = summary {
        out += &format!(
            "{}  {DIM}{}{DIM:#}\n{}",
            format_outcome(task.status.as_str(), &task.slug),
            it.handle(),
            paint.wrap_text(&it.fact, 2)
        );
    }
    out.extend(promoted.iter().map(|it| it.told.as_str()));
    if !durable.is_empty() {
        out += &format!("{DIM}worth keeping as knowledge:{DIM:#}\n");
    }
    for it in durable {
        let slug = &task.slug;
        let handle = it.memory.handle();
        let command = format!("apostille task done {slug} --promote {handle}");
        let note = format_verified_note(it);
        out += &format!("  {note}\n    {CYAN}{command}{CYAN:#}\n");
    }
    out
}
