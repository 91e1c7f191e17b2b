//! `task`: what is being done. Its words are episodes, its gates are lines in the checkout.

mod done;
mod file;
mod forget;
mod hooks;
mod list_and_show;
mod note;
mod phase;
mod phase_report;
mod start;
pub(super) mod trailers;

pub use trailers::list_fixed_texts;

use apostille_core::{
    memory::{Memory, Voice},
    refusal::Refusal,
    verify::{self, VerifiedMemory},
};
use apostille_tasks::task::{Task, TaskSlug, load_task_memories};
use apostille_terminal::{
    args,
    args::TaskSubcommand,
    command_context::{CommandContext, CommandResult},
    paint::{BOLD, DIM, YELLOW, flatten_to_line, memory::format_place},
};

use apostille_workspace::{task::CheckoutTasks, workspace::Workspace};

/// Does something with tasks.
pub fn run(ctx: &CommandContext, args: &args::TaskArgs) -> CommandResult {
    match &args.what {
        TaskSubcommand::Start(args) => start::run(ctx, args),
        TaskSubcommand::Note(args) => note::run(ctx, args),
        TaskSubcommand::Phase(args) => phase::run(ctx, args),
        TaskSubcommand::Done(args) => done::run(ctx, args),
        TaskSubcommand::File(args) => file::run(ctx, args),
        TaskSubcommand::List(args) => list_and_show::run_task_list(ctx, *args),
        TaskSubcommand::Show(args) => list_and_show::run_task_show(ctx, args),
        TaskSubcommand::Forget(args) => forget::run(ctx, args),
        TaskSubcommand::Hooks(args) => hooks::run(ctx, *args),
        TaskSubcommand::Trailers(args) => Ok(trailers::run(ctx, args)),
    }
}

/// The store opened, with the tasks of this checkout.
fn open_task_desk(ctx: &CommandContext) -> CommandResult<(Workspace, CheckoutTasks)> {
    let workspace = ctx.open_workspace()?;
    let tasks = CheckoutTasks::for_folder(&ctx.system, &workspace.place, &workspace.settings)?;
    Ok((workspace, tasks))
}

/// The task of this name, or the active one.
fn find_meant_task(tasks: &CheckoutTasks, slug: Option<&TaskSlug>) -> CommandResult<Task> {
    let Some(slug) = slug else {
        return Ok(tasks.active_task().ok_or(Refusal::NoTask)?);
    };
    Ok(tasks.get(slug)?.ok_or_else(|| Refusal::NoSuchTask {
        slug: slug.to_string(),
    })?)
}

/// The same, and it is worked on.
fn find_open_task(tasks: &CheckoutTasks, slug: Option<&TaskSlug>) -> CommandResult<Task> {
    let task = find_meant_task(tasks, slug)?;
    require_open_task(&task)?;
    Ok(task)
}

fn require_open_task(task: &Task) -> CommandResult<()> {
    if task.is_open() {
        return Ok(());
    }
    Err(Refusal::TaskEnded {
        slug: task.slug.to_string(),
        status: task.status,
    }
    .into())
}

/// Who speaks here.
fn build_task_voice(ctx: &CommandContext) -> CommandResult<Voice> {
    Ok(Voice {
        session: ctx.system.env.session_id().map(Into::into),
        ..ctx.speaker()?.voice().clone()
    })
}

/// The notes written anew, and what went beside the matter, each on a line for people.
fn refresh_task_notes(
    tasks: &CheckoutTasks,
    workspace: &Workspace,
) -> CommandResult<(Vec<String>, String)> {
    let problems: Vec<String> = tasks.refresh_notes(workspace)?.into_iter().collect();
    let lines = format_task_problems(&problems);
    Ok((problems, lines))
}

/// What went beside the matter, each on a line.
fn format_task_problems(problems: &[String]) -> String {
    let line = |it: &String| format!("{YELLOW}note:{YELLOW:#} {}\n", flatten_to_line(it));
    problems.iter().map(line).collect()
}

/// Notes that may be offered: each looked up here, and those whose code no longer says so left out.
fn verify_offered_notes(workspace: &Workspace, notes: Vec<Memory>) -> Vec<VerifiedMemory> {
    let mut seen = verify::follow_memory_citations(&workspace.context(), notes);
    seen.retain(|it| !it.is_bad());
    seen
}

/// The notes and reports of a task; of those that cite code, those that still stand here.
fn load_standing_notes(workspace: &Workspace, task: &Task) -> CommandResult<Vec<Memory>> {
    let memories = load_task_memories(&workspace.context(), &workspace.settings.repo, task)?;
    let seen = verify_offered_notes(workspace, memories);
    Ok(seen.into_iter().map(|it| it.memory).collect())
}

/// A note on one line; what cites code with how that stands here.
fn format_verified_note(it: &VerifiedMemory) -> String {
    let place = it.memory.citations.first();
    let standing = place.map(|first| {
        let place = format_place(&first.location());
        format!(" ({} {place})", it.standing())
    });
    format!(
        "{BOLD}{}{BOLD:#}{DIM}{}{DIM:#}  {}",
        it.memory.handle(),
        standing.unwrap_or_default(),
        flatten_to_line(&it.memory.fact)
    )
}
