//! `task phase`: the next phase begins. What the session holds and what the last phase decided is offered for keeping.

use apostille_core::list;
use apostille_core::memory::{Layer, Stage};
use apostille_core::refusal::Refusal;
use apostille_core::store::{Filter, Order};
use apostille_core::verify::Verified;
use apostille_tasks::task;
use apostille_tasks::task::promote::is_durable;
use apostille_tasks::task::{PHASE_CHARS, Task, What};
use apostille_text::typo;
use serde::Serialize;

use super::{find, offered, open_one, opened, told};
use crate::args::TaskPhase;
use crate::json::{self, MemoryView, TaskView};
use crate::paint::{BOLD, CYAN, DIM, GREEN, ink, one_line, paste};
use crate::shell::{Answer, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error;
use apostille_workspace::error::Fault;

/// How many notes of the session are offered.
const MAX_OFFERS: usize = 5;

#[derive(Serialize)]
struct Reply {
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
pub fn run(shell: &Shell, args: &TaskPhase) -> Result<Answer, Fault> {
    let (desk, tasks) = opened(shell)?;
    let task = match open_one(&tasks, None)? {
        Ok(task) => task,
        Err(refusal) => return Ok(shell.refused(&refusal)),
    };
    let name = match task::plain("phase", &args.name, PHASE_CHARS) {
        Ok(name) => name,
        Err(refusal) => return Ok(shell.refused(&refusal)),
    };
    if let Some(refusal) = unplanned(&task, &name).filter(|_| !args.new) {
        return Ok(shell.refused(&refusal));
    }
    let is_new = task.phase.as_ref() != Some(&name);
    let durable = if is_new {
        durable(&desk, &task)?
    } else {
        Vec::new()
    };
    let scratch = if is_new { scratch(&desk)? } else { Vec::new() };
    let task = if is_new {
        tasks.pass(&task.slug, What::Phase(name))?
    } else {
        task
    };
    let json = Reply {
        ok: true,
        outcome: if is_new { "begun" } else { "unchanged" },
        task: TaskView::new(&task, Some(&task.slug)),
        session_notes: json::views(&scratch),
        durable: json::views(&durable),
        problems: tasks.refresh_notes(&desk)?.into_iter().collect(),
    };
    let err = super::problems(&json.problems);
    let answer = shell.answer(error::OK, &json, |_| text(&task, &durable, &scratch));
    Ok(Answer { err, ..answer })
}

/// A name that is not among the phases that were planned, nor among those that were, is a slip more often than not.
fn unplanned(task: &Task, name: &str) -> Option<Refusal> {
    let known: Vec<&String> = task.phases.iter().chain(&task.passed).collect();
    if task.phases.is_empty() || known.iter().any(|it| *it == name) {
        return None;
    }
    let near = |it: &&&String| typo::near(name, it);
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

fn text(task: &Task, durable: &[Verified], scratch: &[Verified]) -> String {
    let phase = task.phase_told().unwrap_or_default();
    let mut out = format!(
        "{} {}  {}\n",
        ink(GREEN, "phase"),
        ink(BOLD, one_line(&phase)),
        task.slug
    );
    for it in durable {
        let command = format!("apostille task done --promote {}", it.memory.handle());
        out += &offer(it, &command, "worth keeping at the end");
    }
    for it in scratch {
        let command = format!("apostille task note {}", paste::quoted(&it.memory.fact));
        out += &offer(it, &command, "from the session");
    }
    out
}

fn offer(it: &Verified, command: &str, why: &str) -> String {
    format!(
        "  {} {}\n    {}\n",
        ink(DIM, format!("{why}:")),
        told(it),
        ink(CYAN, command)
    )
}

/// What the phase that ends decided or verified, with proof.
fn durable(desk: &Desk, task: &Task) -> Result<Vec<Verified>, Fault> {
    let memories = task::memories(&desk.cx(), &desk.settings.repo.value, task)?;
    let of_phase = task.entries.iter().filter(|it| it.phase == task.phase);
    let durable = of_phase
        .filter_map(|it| find(&memories, it.id))
        .filter(|it| is_durable(it));
    Ok(offered(desk, durable.cloned().collect()))
}

/// The latest scratch.
fn scratch(desk: &Desk) -> Result<Vec<Verified>, Fault> {
    let filter = Filter {
        spaces: vec![desk.settings.repo.value.clone()],
        layers: vec![Layer::Session],
        stages: vec![Stage::Active],
        order: Order::Newest,
        limit: MAX_OFFERS,
        ..Filter::default()
    };
    Ok(offered(desk, list::list(&desk.cx(), &filter)?))
}
