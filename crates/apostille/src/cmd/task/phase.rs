//! `task phase`: the next phase begins. What the session holds and what the last phase decided is offered for keeping.

use apostille_core::list;
use apostille_core::{
    memory::{Layer, Stage},
    refusal::Refusal,
    store::{ListOrder, MemoryFilter},
    verify::VerifiedMemory,
};
use apostille_tasks::{
    task,
    task::{GateAction, PHASE_CHARS, Task, promote::is_durable_note},
};
use apostille_text::typo;
use serde_json::json;

use super::{
    find_open_task, format_verified_note, open_task_desk,
    phase_report::{PhaseReportView, leave_phase_report, read_phase_reports},
    verify_offered_notes,
};
use crate::{
    cmd::format_outcome,
    json::{self, TaskView},
};
use apostille_terminal::{
    args::TaskPhaseArgs,
    command_context::{CommandContext, CommandResult},
    paint::{CYAN, DIM, flatten_to_line, join_texts, paste, style_text},
};
use apostille_workspace::workspace::Workspace;

/// How many notes of the session are offered.
const MAX_OFFERS: usize = 5;

/// Begins a phase.
pub fn run(ctx: &CommandContext, args: &TaskPhaseArgs) -> CommandResult {
    let (workspace, tasks) = open_task_desk(ctx)?;
    let task = find_open_task(&tasks, None)?;
    let name = task::validate_task_text("phase", &args.name, PHASE_CHARS)?;
    if let Some(refusal) = refuse_unplanned_phase(&task, &name).filter(|_| !args.new) {
        return Err(refusal.into());
    }
    let (durable, scratch, outcome, (task, report)) = if task.phase.as_ref() == Some(&name) {
        let left = match args.report.is_empty() {
            true => (task, None),
            false => leave_phase_report(ctx, &workspace, &tasks, task, &args.report)?,
        };
        (Vec::new(), Vec::new(), "unchanged", left)
    } else {
        let offers = (
            list_durable_phase_notes(&workspace, &task)?,
            list_session_scratch(&workspace)?,
        );
        let (task, report) = leave_phase_report(ctx, &workspace, &tasks, task, &args.report)?;
        let task = tasks.record_gate(&task.slug, GateAction::Phase(name))?;
        (offers.0, offers.1, "begun", (task, report))
    };
    let reports = read_phase_reports(&workspace, &task)?;
    let (problems, err) = super::refresh_task_notes(&tasks, &workspace)?;
    let json = json!({
        "ok": true,
        "outcome": outcome,
        "task": TaskView::new(&task, Some(&task.slug)),
        // What the phase that ended left, and what all of them did.
        "report": report,
        "reports": reports,
        // Scratch of sessions that may be worth a note.
        "session_notes": json::build_memory_views(&scratch),
        // What the last phase decided or verified with proof, and may become knowledge.
        "durable": json::build_memory_views(&durable),
        "problems": problems,
    });
    Ok(ctx
        .render_output(&json, |paint| {
            let told = reports.iter().map(|it| it.format(paint));
            let regressions = report.iter().map(PhaseReportView::format_regressions);
            let offers = format_task_phase(&task, &durable, &scratch);
            format!(
                "{offers}{}{}",
                join_texts(regressions, ""),
                join_texts(told, "")
            )
        })
        .with_err(err))
}

/// A name that is not among the phases that were planned, nor among those that were, is a slip more often than not.
fn refuse_unplanned_phase(task: &Task, name: &str) -> Option<Refusal> {
    let known: Vec<&String> = task.phases.iter().chain(&task.passed).collect();
    if task.phases.is_empty() || known.iter().any(|it| *it == name) {
        return None;
    }
    let near = |it: &&&String| typo::count_spelling_errors(name, it);
    let nearest = known
        .iter()
        .filter(|it| near(it).is_some())
        .min_by_key(|it| near(it));
    Some(Refusal::NoSuchPhase {
        name: name.to_owned(),
        near: nearest.map(ToString::to_string),
        phases: task.phases.clone(),
    })
}

fn format_task_phase(
    task: &Task,
    durable: &[VerifiedMemory],
    scratch: &[VerifiedMemory],
) -> String {
    let phase = flatten_to_line(&task.format_phase().unwrap_or_default());
    let mut out = format!("{}  {}\n", format_outcome("phase", phase), task.slug);
    let mut offer = |it: &VerifiedMemory, why: &str, command: String| {
        let why = style_text(DIM, why);
        let note = format_verified_note(it);
        out += &format!("  {why} {note}\n    {CYAN}{command}{CYAN:#}\n");
    };
    for it in durable {
        let handle = it.memory.handle();
        let command = format!("apostille task done --promote {handle}");
        offer(it, "worth keeping at the end:", command);
    }
    for it in scratch {
        let fact = paste::quote_pasted_word(&it.memory.fact);
        offer(
            it,
            "from the session:",
            format!("apostille task note {fact}"),
        );
    }
    out
}

/// What the phase that ends decided or verified, with proof.
fn list_durable_phase_notes(
    workspace: &Workspace,
    task: &Task,
) -> CommandResult<Vec<VerifiedMemory>> {
    let memories = task::load_task_memories(&workspace.context(), &workspace.settings.repo, task)?;
    let durable = task
        .entries
        .iter()
        .filter(|it| it.phase == task.phase)
        .filter_map(|entry| memories.iter().find(|it| it.id == entry.id))
        .filter(|it| is_durable_note(it));
    Ok(verify_offered_notes(workspace, durable.cloned().collect()))
}

/// The latest scratch.
fn list_session_scratch(workspace: &Workspace) -> CommandResult<Vec<VerifiedMemory>> {
    let filter = MemoryFilter {
        spaces: vec![workspace.settings.repo.clone()],
        layers: vec![Layer::Session],
        stages: vec![Stage::Active],
        order: ListOrder::Newest,
        limit: MAX_OFFERS,
        ..MemoryFilter::default()
    };
    let scratch = list::list_memories(&workspace.context(), &filter)?;
    Ok(verify_offered_notes(workspace, scratch))
}
