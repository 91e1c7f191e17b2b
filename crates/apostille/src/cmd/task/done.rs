//! `task done`: the summary is archived, and what is durable is offered, or kept, as knowledge.

use apostille_core::format::day;
use apostille_core::memory::{self, Memory, Name};
use apostille_core::refusal::Refusal;
use apostille_core::remember::Outcome;
use apostille_core::verify::Verified;
use apostille_tasks::task;
use apostille_tasks::task::promote::{is_durable, promote};
use apostille_tasks::task::summary;
use apostille_tasks::task::summary::{Ending, Work};
use apostille_tasks::task::{Status, Task, What};
use serde::Serialize;

use super::note::kept;
use super::{meant, offered, opened, told, voice};
use crate::args::TaskDone;
use crate::json::{self, MemoryView, RefusalView, TaskView};
use crate::paint::{BOLD, CYAN, DIM, GREEN, Paint, YELLOW, ink, one_line};
use crate::shell::{Answer, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use apostille_workspace::task::Tasks;

/// The longest outcome, in characters.
const OUTCOME_CHARS: usize = 500;

#[derive(Serialize)]
struct Reply {
    ok: bool,
    outcome: &'static str,
    task: TaskView,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<MemoryView>,
    promoted: Vec<Promoted>,
    /// What else may become knowledge.
    durable: Vec<MemoryView>,
    problems: Vec<String>,
}

/// What became of a note that was to be knowledge.
#[derive(Serialize)]
struct Promoted {
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
pub fn run(shell: &Shell, args: &TaskDone) -> Result<Answer, Fault> {
    let (desk, tasks) = opened(shell)?;
    let task = match meant(&tasks, args.slug.as_ref())? {
        Ok(task) if task.is_open() || !args.promote.is_empty() => task,
        Ok(it) => {
            let refusal = Refusal::TaskEnded {
                slug: it.slug.to_string(),
                status: it.status,
            };
            return Ok(shell.refused(&refusal));
        }
        Err(refusal) => return Ok(shell.refused(&refusal)),
    };
    let notes = match desk.named(&args.promote)? {
        Ok(notes) => notes,
        Err(refusal) => return Ok(shell.refused(&refusal)),
    };
    if let Some(it) = notes
        .iter()
        .find(|it| it.task.as_deref() != Some(task.slug.as_str()))
    {
        let name = format!("{} among the notes of {}", it.handle(), task.slug);
        return Ok(shell.refused(&Refusal::NoSuchMemory { name }));
    }
    let (task, summary) = match ended(shell, &desk, &tasks, &task, args)? {
        Ok(ended) => ended,
        Err(refusal) => return Ok(shell.refused(&refusal)),
    };
    let problems: Vec<String> = tasks.refresh_notes(&desk)?.into_iter().collect();
    let promoted = notes
        .iter()
        .map(|it| promoted(&desk, it, args))
        .collect::<Result<Vec<_>, _>>()?;
    let durable = durable(&desk, &task, &args.promote)?;
    Ok(answer(shell, &task, summary, promoted, durable, problems))
}

/// Writes the summary and passes the last gate; nothing, where the task has ended before.
fn ended(
    shell: &Shell,
    desk: &Desk,
    tasks: &Tasks,
    task: &Task,
    args: &TaskDone,
) -> Result<Result<(Task, Option<Memory>), Refusal>, Fault> {
    if !task.is_open() {
        return Ok(Ok((task.clone(), None)));
    }
    let outcome = args
        .outcome
        .as_ref()
        .map(|it| task::plain("outcome", it, OUTCOME_CHARS))
        .transpose();
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let summary = match summary(shell, desk, tasks, task, outcome.as_deref(), args.abandoned)? {
        Ok(summary) => summary,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let is_active = tasks.active().is_some_and(|it| it.slug == task.slug);
    let what = if args.abandoned {
        What::Abandoned(Some(summary.id))
    } else {
        What::Done(Some(summary.id))
    };
    let task = tasks.pass(&task.slug, what)?;
    if is_active {
        tasks.point(None)?;
    }
    Ok(Ok((task, Some(summary))))
}

fn summary(
    shell: &Shell,
    desk: &Desk,
    tasks: &Tasks,
    task: &Task,
    outcome: Option<&str>,
    is_abandoned: bool,
) -> Result<Result<Memory, Refusal>, Fault> {
    let space = &desk.settings.repo.value;
    let memories = task::memories(&desk.cx(), space, task)?;
    let (today, status) = (
        day(shell.world.now),
        if is_abandoned {
            Status::Abandoned
        } else {
            Status::Done
        },
    );
    let draft = |work: &Work| {
        let ending = Ending {
            status,
            outcome,
            work,
            day: &today,
        };
        summary::draft(space, task, &memories, ending, voice(shell))
    };
    match kept(desk, draft(&work(desk, tasks, task)))? {
        // A file may be named like a secret; the task ends all the same.
        Err(Refusal::Secret { .. }) => kept(desk, draft(&Work::default())),
        other => Ok(other),
    }
}

/// What git says was done. The task's own files are no work.
fn work(desk: &Desk, tasks: &Tasks, task: &Task) -> Work {
    let since = || {
        desk.place
            .checkout
            .as_ref()?
            .work_since(task.commit.as_deref()?)
            .ok()
    };
    let done = since().unwrap_or_default();
    let mut work = Work {
        commits: done.commits,
        files: done.files,
    };
    let own = format!("{}/", tasks.dir());
    work.files
        .retain(|it| !it.starts_with(&own) && it != "NOTES.md");
    work
}

fn promoted(desk: &Desk, note: &Memory, args: &TaskDone) -> Result<Promoted, Fault> {
    let outcome = promote(&desk.cx_for(&note.space), note.clone(), args.kind)?;
    let mut it = Promoted {
        from: note.handle().to_string(),
        memory: None,
        pending: None,
        refused: None,
        similar: None,
        told: String::new(),
    };
    match outcome {
        Outcome::Remembered { memory, .. } | Outcome::Refreshed { memory } => {
            it.told = format!(
                "{} {} as {}\n",
                ink(GREEN, "promoted"),
                it.from,
                ink(BOLD, memory.handle())
            );
            if let memory::Status::Pending { why } = &memory.status {
                it.told = waiting(&it.from, &memory, why);
                it.pending = Some(why.clone());
            }
            it.memory = Some(MemoryView::from(&*memory));
        }
        Outcome::Refused(refusal) => {
            it.told = format!(
                "{} {}: {}\n",
                ink(YELLOW, "not promoted"),
                it.from,
                one_line(&refusal.to_string())
            );
            it.refused = Some(RefusalView::from(&refusal));
        }
        Outcome::Similar { near } => {
            it.similar = near.first().map(|it| it.handle.to_string());
            let known = it.similar.as_deref().unwrap_or_default();
            it.told = format!(
                "{} {}: {known} says much the same\n",
                ink(YELLOW, "not promoted"),
                it.from
            );
        }
    }
    Ok(it)
}

/// What is told of a memory that is kept and not yet in use.
fn waiting(from: &str, memory: &Memory, why: &str) -> String {
    let (handle, word) = (memory.handle(), ink(YELLOW, "not in use yet:"));
    let way = ink(CYAN, format!("apostille approve {handle}"));
    format!(
        "{word} {from} is kept as {}, which is pending: {}; {way}\n",
        ink(BOLD, handle),
        one_line(why)
    )
}

/// What was decided or verified with proof that stands, and is not promoted yet.
fn durable(desk: &Desk, task: &Task, promoted: &[Name]) -> Result<Vec<Verified>, Fault> {
    let is_promoted = |it: &Memory| {
        promoted
            .iter()
            .any(|name| *name == Name::Id(it.id) || *name == Name::Handle(it.handle()))
    };
    let memories = task::memories(&desk.cx(), &desk.settings.repo.value, task)?;
    let durable = memories
        .into_iter()
        .filter(|it| is_durable(it) && !is_promoted(it))
        .collect();
    Ok(offered(desk, durable))
}

fn answer(
    shell: &Shell,
    task: &Task,
    summary: Option<Memory>,
    promoted: Vec<Promoted>,
    durable: Vec<Verified>,
    problems: Vec<String>,
) -> Answer {
    let ok = promoted.iter().all(|it| it.memory.is_some());
    let json = Reply {
        ok,
        outcome: if summary.is_some() {
            task.status.as_str()
        } else {
            "promoted"
        },
        task: TaskView::new(task, None),
        summary: summary.as_ref().map(MemoryView::from),
        promoted,
        durable: json::views(&durable),
        problems,
    };
    let err = super::problems(&json.problems);
    let code = if ok { error::OK } else { error::REFUSED };
    let answer = shell.answer(code, &json, |paint| {
        text(paint, task, summary.as_ref(), &json, &durable)
    });
    Answer { err, ..answer }
}

fn text(
    paint: &Paint,
    task: &Task,
    summary: Option<&Memory>,
    json: &Reply,
    durable: &[Verified],
) -> String {
    let mut out = String::new();
    if let Some(it) = summary {
        let head = format!("{} {}", ink(GREEN, task.status), ink(BOLD, &task.slug));
        out += &format!(
            "{head}  {}\n{}",
            ink(DIM, it.handle()),
            paint.wrapped(&it.fact, 2)
        );
    }
    out.extend(json.promoted.iter().map(|it| it.told.as_str()));
    if !durable.is_empty() {
        out += &format!("{}\n", ink(DIM, "worth keeping as knowledge:"));
    }
    for it in durable {
        let command = format!(
            "apostille task done {} --promote {}",
            task.slug,
            it.memory.handle()
        );
        out += &format!("  {}\n    {}\n", told(it), ink(CYAN, command));
    }
    out
}
