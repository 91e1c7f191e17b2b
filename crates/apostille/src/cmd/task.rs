//! `task`: what is being done. Its words are episodes, its gates are lines in the checkout.

mod done;
mod hooks;
mod look;
mod note;
mod phase;
mod start;
mod trailers;

use apostille_core::memory::{Memory, MemoryId, Voice};
use apostille_core::refusal::Refusal;
use apostille_core::verify::{self, Verified};
use apostille_tasks::task::{Slug, Task};

use crate::args::{self, TaskWhat};
use crate::paint::{BOLD, DIM, YELLOW, ink, one_line};
use crate::shell::{Answer, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error::Fault;
use apostille_workspace::task::Tasks;

/// Does something with tasks.
pub fn run(shell: &Shell, args: &args::Task) -> Result<Answer, Fault> {
    match &args.what {
        TaskWhat::Start(args) => start::run(shell, args),
        TaskWhat::Note(args) => note::run(shell, args),
        TaskWhat::Phase(args) => phase::run(shell, args),
        TaskWhat::Done(args) => done::run(shell, args),
        TaskWhat::List(args) => look::list(shell, *args),
        TaskWhat::Show(args) => look::show(shell, args),
        TaskWhat::Hooks(args) => hooks::run(shell, *args),
        TaskWhat::Trailers(args) => Ok(trailers::run(shell, args)),
    }
}

/// The store opened, with the tasks of this checkout.
fn opened(shell: &Shell) -> Result<(Desk, Tasks), Fault> {
    let desk = shell.desk()?;
    let tasks = Tasks::at(&shell.world, &desk.place, &desk.settings)?;
    Ok((desk, tasks))
}

/// The task of this name, or the active one.
fn meant(tasks: &Tasks, slug: Option<&Slug>) -> Result<Result<Task, Refusal>, Fault> {
    Ok(match slug {
        Some(slug) => tasks.get(slug)?.ok_or_else(|| Refusal::NoSuchTask {
            slug: slug.to_string(),
        }),
        None => tasks.active().ok_or(Refusal::NoTask),
    })
}

/// The same, and it is worked on.
fn open_one(tasks: &Tasks, slug: Option<&Slug>) -> Result<Result<Task, Refusal>, Fault> {
    let ended = |it: &Task| Refusal::TaskEnded {
        slug: it.slug.to_string(),
        status: it.status,
    };
    Ok(meant(tasks, slug)?.and_then(|it| {
        if it.is_open() {
            Ok(it)
        } else {
            Err(ended(&it))
        }
    }))
}

/// Who speaks here.
fn voice(shell: &Shell) -> Voice {
    Voice {
        session: shell.world.env.session().map(Into::into),
        ..shell.world.speaker().voice().clone()
    }
}

/// What went beside the matter, each on a line.
fn problems(problems: &[String]) -> String {
    problems
        .iter()
        .map(|it| format!("{} {}\n", ink(YELLOW, "note:"), one_line(it)))
        .collect()
}

/// Notes that may be offered: each looked up here, and those whose code no longer says so left out.
fn offered(desk: &Desk, notes: Vec<Memory>) -> Vec<Verified> {
    let mut seen = verify::look(&desk.cx(), notes);
    seen.retain(|it| !it.is_bad());
    seen
}

/// A note on one line; what cites code with how that stands here.
fn told(it: &Verified) -> String {
    let standing = match it.memory.citations.first() {
        Some(first) => format!(
            " ({} {})",
            it.standing(),
            one_line(&first.place().to_string())
        ),
        None => String::new(),
    };
    format!(
        "{}{}  {}",
        ink(BOLD, it.memory.handle()),
        ink(DIM, standing),
        one_line(&it.memory.fact)
    )
}

/// The memory with this id among these.
fn find(memories: &[Memory], id: MemoryId) -> Option<&Memory> {
    memories.iter().find(|it| it.id == id)
}
