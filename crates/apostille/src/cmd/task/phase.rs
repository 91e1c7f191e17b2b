//! `task phase`: the next phase begins. What the session holds and what the last phase decided is offered for keeping.

use apostille_core::list;
use apostille_core::memory::{Layer, Stage};
use apostille_core::refusal::Refusal;
use apostille_core::store::{ListOrder, MemoryFilter};
use apostille_core::verify::VerifiedMemory;
use apostille_tasks::task;
use apostille_tasks::task::promote::is_durable_note;
use apostille_tasks::task::{GateAction, PHASE_CHARS, Task};
use apostille_text::typo;
use serde::Serialize;

use super::{
    find_memory_by_id, find_open_task, format_verified_note, open_task_desk, verify_offered_notes,
};
use crate::json::{self, MemoryView, TaskView};
use apostille_terminal::args::TaskPhaseArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{BOLD, CYAN, DIM, GREEN, flatten_to_line, paste, style_text};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::workspace::Workspace;

/// How many notes of the session are offered.
const MAX_OFFERS: usize = 5;

#[derive(Serialize)]
struct TaskPhaseReply {
    ok: bool,
    outcome: &'static str,
    task: TaskView,
    /// Scratch of sessions that may be worth a note.
    session_notes: Vec<MemoryView>,
    /// What the last phase decided or verified with proof, and may become knowledge.
    durable: Vec<MemoryView>,
    problems: Vec<String>,
}

/// Begins a phase.
pub fn run(shell: &CommandContext, args: &TaskPhaseArgs) -> Result<CommandOutput, CommandError> {
    let (desk, tasks) = open_task_desk(shell)?;
    let task = match find_open_task(&tasks, None)? {
        Ok(task) => task,
        Err(refusal) => return Ok(shell.render_refusal(&refusal)),
    };
    let name = match task::validate_task_text("phase", &args.name, PHASE_CHARS) {
        Ok(name) => name,
        Err(refusal) => return Ok(shell.render_refusal(&refusal)),
    };
    if let Some(refusal) = refuse_unplanned_phase(&task, &name).filter(|_| !args.new) {
        return Ok(shell.render_refusal(&refusal));
    }
    let is_new = task.phase.as_ref() != Some(&name);
    let durable = if is_new {
        list_durable_phase_notes(&desk, &task)?
    } else {
        Vec::new()
    };
    let scratch = if is_new {
        list_session_scratch(&desk)?
    } else {
        Vec::new()
    };
    let task = if is_new {
        tasks.record_gate(&task.slug, GateAction::Phase(name))?
    } else {
        task
    };
    let json = TaskPhaseReply {
        ok: true,
        outcome: if is_new { "begun" } else { "unchanged" },
        task: TaskView::new(&task, Some(&task.slug)),
        session_notes: json::build_memory_views(&scratch),
        durable: json::build_memory_views(&durable),
        problems: tasks.refresh_notes(&desk)?.into_iter().collect(),
    };
    let err = super::format_task_problems(&json.problems);
    let answer = shell.render_output(error::OK, &json, |_| {
        format_task_phase(&task, &durable, &scratch)
    });
    Ok(CommandOutput { err, ..answer })
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
    let phase = task.format_phase().unwrap_or_default();
    let mut out = format!(
        "{} {}  {}\n",
        style_text(GREEN, "phase"),
        style_text(BOLD, flatten_to_line(&phase)),
        task.slug
    );
    for it in durable {
        let command = format!("apostille task done --promote {}", it.memory.handle());
        out += &format_note_offer(it, &command, "worth keeping at the end");
    }
    for it in scratch {
        let command = format!(
            "apostille task note {}",
            paste::quote_pasted_word(&it.memory.fact)
        );
        out += &format_note_offer(it, &command, "from the session");
    }
    out
}

fn format_note_offer(it: &VerifiedMemory, command: &str, why: &str) -> String {
    format!(
        "  {} {}\n    {}\n",
        style_text(DIM, format!("{why}:")),
        format_verified_note(it),
        style_text(CYAN, command)
    )
}

/// What the phase that ends decided or verified, with proof.
fn list_durable_phase_notes(
    desk: &Workspace,
    task: &Task,
) -> Result<Vec<VerifiedMemory>, CommandError> {
    let memories = task::load_task_memories(&desk.context(), &desk.settings.repo, task)?;
    let of_phase = task.entries.iter().filter(|it| it.phase == task.phase);
    let durable = of_phase
        .filter_map(|it| find_memory_by_id(&memories, it.id))
        .filter(|it| is_durable_note(it));
    Ok(verify_offered_notes(desk, durable.cloned().collect()))
}

/// The latest scratch.
fn list_session_scratch(desk: &Workspace) -> Result<Vec<VerifiedMemory>, CommandError> {
    let filter = MemoryFilter {
        spaces: vec![desk.settings.repo.clone()],
        layers: vec![Layer::Session],
        stages: vec![Stage::Active],
        order: ListOrder::Newest,
        limit: MAX_OFFERS,
        ..MemoryFilter::default()
    };
    Ok(verify_offered_notes(
        desk,
        list::list_memories(&desk.context(), &filter)?,
    ))
}
