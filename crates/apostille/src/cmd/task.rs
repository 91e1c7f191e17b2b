//! `task`: what is being done. Its words are episodes, its gates are lines in the checkout.

mod done;
mod hooks;
mod list_and_show;
mod note;
mod phase;
mod start;
mod trailers;

use apostille_core::memory::{Memory, MemoryId, Voice};
use apostille_core::refusal::Refusal;
use apostille_core::verify::{self, VerifiedMemory};
use apostille_tasks::task::{Task, TaskSlug};

use apostille_terminal::args;
use apostille_terminal::args::TaskSubcommand;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{BOLD, DIM, YELLOW, flatten_to_line, style_text};
use apostille_workspace::error::CommandError;
use apostille_workspace::task::CheckoutTasks;
use apostille_workspace::workspace::Workspace;

/// Does something with tasks.
pub fn run(shell: &CommandContext, args: &args::TaskArgs) -> Result<CommandOutput, CommandError> {
    match &args.what {
        TaskSubcommand::Start(args) => start::run(shell, args),
        TaskSubcommand::Note(args) => note::run(shell, args),
        TaskSubcommand::Phase(args) => phase::run(shell, args),
        TaskSubcommand::Done(args) => done::run(shell, args),
        TaskSubcommand::List(args) => list_and_show::run_task_list(shell, *args),
        TaskSubcommand::Show(args) => list_and_show::run_task_show(shell, args),
        TaskSubcommand::Hooks(args) => hooks::run(shell, *args),
        TaskSubcommand::Trailers(args) => Ok(trailers::run(shell, args)),
    }
}

/// The store opened, with the tasks of this checkout.
fn open_task_desk(shell: &CommandContext) -> Result<(Workspace, CheckoutTasks), CommandError> {
    let desk = shell.open_workspace()?;
    let tasks = CheckoutTasks::for_folder(&shell.world, &desk.place, &desk.settings)?;
    Ok((desk, tasks))
}

/// The task of this name, or the active one.
fn find_meant_task(
    tasks: &CheckoutTasks,
    slug: Option<&TaskSlug>,
) -> Result<Result<Task, Refusal>, CommandError> {
    Ok(match slug {
        Some(slug) => tasks.get(slug)?.ok_or_else(|| Refusal::NoSuchTask {
            slug: slug.to_string(),
        }),
        None => tasks.active_task().ok_or(Refusal::NoTask),
    })
}

/// The same, and it is worked on.
fn find_open_task(
    tasks: &CheckoutTasks,
    slug: Option<&TaskSlug>,
) -> Result<Result<Task, Refusal>, CommandError> {
    let ended = |it: &Task| Refusal::TaskEnded {
        slug: it.slug.to_string(),
        status: it.status,
    };
    Ok(find_meant_task(tasks, slug)?.and_then(|it| {
        if it.is_open() {
            Ok(it)
        } else {
            Err(ended(&it))
        }
    }))
}

/// Who speaks here.
fn build_task_voice(shell: &CommandContext) -> Voice {
    Voice {
        session: shell.world.env.session_id().map(Into::into),
        ..shell.world.speaker().voice().clone()
    }
}

/// What went beside the matter, each on a line.
fn format_task_problems(problems: &[String]) -> String {
    problems
        .iter()
        .map(|it| format!("{} {}\n", style_text(YELLOW, "note:"), flatten_to_line(it)))
        .collect()
}

/// Notes that may be offered: each looked up here, and those whose code no longer says so left out.
fn verify_offered_notes(desk: &Workspace, notes: Vec<Memory>) -> Vec<VerifiedMemory> {
    let mut seen = verify::follow_memory_citations(&desk.context(), notes);
    seen.retain(|it| !it.is_bad());
    seen
}

/// A note on one line; what cites code with how that stands here.
fn format_verified_note(it: &VerifiedMemory) -> String {
    let standing = match it.memory.citations.first() {
        Some(first) => format!(
            " ({} {})",
            it.standing(),
            flatten_to_line(&first.location().to_string())
        ),
        None => String::new(),
    };
    format!(
        "{}{}  {}",
        style_text(BOLD, it.memory.handle()),
        style_text(DIM, standing),
        flatten_to_line(&it.memory.fact)
    )
}

/// The memory with this id among these.
fn find_memory_by_id(memories: &[Memory], id: MemoryId) -> Option<&Memory> {
    memories.iter().find(|it| it.id == id)
}
