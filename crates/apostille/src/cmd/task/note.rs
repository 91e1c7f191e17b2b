//! `task note`: something is written down as an episode of the task.

use apostille_core::list;
use apostille_core::memory::{Draft, Layer, Memory, MemoryId, Status, Twin, Voice};
use apostille_core::refusal::Refusal;
use apostille_core::remember::{self, Outcome};
use apostille_tasks::task::{CONSTRAINT, Sort, Task, What};
use serde::Serialize;

use super::{open_one, opened, voice};
use crate::args::Note;
use crate::cmd::remember::told;
use crate::json::{MemoryView, TaskView};
use crate::paint::{BOLD, DIM, GREEN, Paint, YELLOW, ink, one_line};
use crate::shell::{Answer, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error;
use apostille_workspace::error::Fault;

#[derive(Serialize)]
struct Reply {
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
pub fn run(shell: &Shell, args: &Note) -> Result<Answer, Fault> {
    let (desk, tasks) = opened(shell)?;
    let task = match open_one(&tasks, args.task.as_ref())? {
        Ok(task) => task,
        Err(refusal) => return Ok(shell.refused(&refusal)),
    };
    let resolved = match resolved(&desk, &task, args)? {
        Ok(resolved) => resolved,
        Err(refusal) => return Ok(shell.refused(&refusal)),
    };
    let memory = match kept(&desk, draft(shell, &desk, &task, args)?)? {
        Ok(memory) => memory,
        Err(refusal) => return Ok(shell.refused(&refusal)),
    };
    let mut task = tasks.pass(&task.slug, gate(args.sort.sort(), memory.id))?;
    for it in &resolved {
        task = tasks.pass(&task.slug, What::Unblocked(it.id))?;
    }
    let problems: Vec<String> = tasks.refresh_notes(&desk)?.into_iter().collect();
    let active = tasks.active().map(|it| it.slug);
    let pending = match &memory.status {
        Status::Pending { why } => Some(why.clone()),
        _ => None,
    };
    let json = Reply {
        ok: true,
        outcome: "noted",
        task: TaskView::new(&task, active.as_ref()),
        memory: MemoryView::from(&memory),
        pending,
        resolved: resolved.iter().map(|it| it.handle().to_string()).collect(),
        problems,
    };
    let err = super::problems(&json.problems);
    let answer = shell.answer(error::OK, &json, |paint| {
        text(paint, &task, args, &memory, &json)
    });
    Ok(Answer { err, ..answer })
}

fn text(paint: &Paint, task: &Task, args: &Note, memory: &Memory, reply: &Reply) -> String {
    let sort = if args.sort.constraint {
        CONSTRAINT
    } else {
        args.sort.sort().as_str()
    };
    let mut out = format!(
        "{} {}  {}\n",
        ink(GREEN, "noted"),
        ink(BOLD, memory.handle()),
        ink(DIM, format!("{sort} · {}", task.slug))
    );
    out += &paint.wrapped(&memory.fact, 2);
    for it in &reply.resolved {
        out += &format!("  {} {it}\n", ink(GREEN, "resolved"));
    }
    if let Some(why) = &reply.pending {
        let how = format!("apostille approve {}", memory.handle());
        out += &format!("  {} {}; {how}\n", ink(YELLOW, "pending:"), one_line(why));
    }
    out
}

/// The blockers that are out of the way; each must be one of this task.
fn resolved(desk: &Desk, task: &Task, args: &Note) -> Result<Result<Vec<Memory>, Refusal>, Fault> {
    let mut found = Vec::new();
    for name in &args.resolves {
        let memory = list::named(&desk.cx(), &desk.spaces(), *name)?;
        let is_blocker = |it: &Memory| task.of_sort(Sort::Blocker).any(|entry| entry.id == it.id);
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

fn draft(shell: &Shell, desk: &Desk, task: &Task, args: &Note) -> Result<Draft, Fault> {
    let cites = args
        .cites
        .iter()
        .map(|it| desk.place.cite(it).map_err(Fault::usage));
    let constraint = args.sort.constraint.then(|| CONSTRAINT.to_owned());
    Ok(Draft {
        layer: Some(Layer::Episode),
        citations: cites.collect::<Result<_, _>>()?,
        tags: std::iter::once(args.sort.sort().to_string())
            .chain(constraint)
            .collect(),
        task: Some(task.slug.to_string()),
        // Two notes may be much alike; an agent at work is not stopped over it.
        twin: Twin::Create("a note of a task".into()),
        ..Draft::new(
            desk.settings.repo.value.clone(),
            told(shell, &args.text)?,
            Voice {
                tainted: args.tainted,
                ..voice(shell)
            },
        )
    })
}

/// The memory that a draft becomes.
pub(super) fn kept(desk: &Desk, draft: Draft) -> Result<Result<Memory, Refusal>, Fault> {
    Ok(
        match remember::remember(&desk.cx_for(&draft.space), draft)? {
            Outcome::Remembered { memory, .. } | Outcome::Refreshed { memory } => Ok(*memory),
            Outcome::Refused(refusal) => Err(refusal),
            // Text from outside repeats what is in use: there is nothing to note.
            Outcome::Similar { near } => {
                let known = near
                    .first()
                    .and_then(|it| desk.store.get_by_ids(&[it.id]).ok()?.pop());
                known.ok_or(Refusal::Empty { field: "fact" })
            }
        },
    )
}

fn gate(sort: Sort, id: MemoryId) -> What {
    match sort {
        Sort::Note => What::Noted(id),
        Sort::Decision => What::Decided(id),
        Sort::Verified => What::Verified(id),
        Sort::Blocker => What::Blocked(id),
    }
}
