//! `task file`: free files of a task, such as its plan or a prompt, and their revisions.

use apostille_core::format::format_timestamp;
use apostille_tasks::{
    task,
    task::{Task, TaskFile, TaskFileName, task_file::WHY_CHARS},
};
use apostille_text::moderate::sanitise_text;
use serde_json::{Value, json};

use super::{find_meant_task, open_task_desk, require_open_task};
use crate::cmd::format_outcome;
use apostille_terminal::{
    args::TaskFileArgs,
    command_context::{CommandContext, CommandResult},
    paint::{BOLD, CYAN, DIM, Paint, flatten_to_line, make_terminal_safe},
};
use apostille_workspace::{
    error::CommandError,
    task::{CheckoutTasks, files::read_file_source},
};

/// Lists the files of a task, shows one, or writes one.
pub fn run(ctx: &CommandContext, args: &TaskFileArgs) -> CommandResult {
    let (_, tasks) = open_task_desk(ctx)?;
    let task = find_meant_task(&tasks, args.task.as_ref())?;
    match (&args.name, &args.write) {
        (None, _) => Ok(list_files(ctx, &task)),
        (Some(name), Some(source)) => write_file(ctx, &tasks, task, name, (source, args)),
        (Some(name), None) => show_file(ctx, &tasks, &task, name, args.revision),
    }
}

fn list_files(
    ctx: &CommandContext,
    task: &Task,
) -> apostille_terminal::command_context::CommandOutput {
    let files: Vec<Value> = task.files.iter().map(view_file).collect();
    let json = json!({"ok": true, "task": task.slug.to_string(), "files": files});
    let answer = ctx.render_output(&json, |paint| {
        task.files.iter().map(|it| format_file(paint, it)).collect()
    });
    let none = "this task has no files; apostille task file plan.md --write PATH adds one\n";
    answer.or_nothing(task.files.is_empty(), none)
}

fn view_file(it: &TaskFile) -> Value {
    let revisions = it.revisions.iter();
    let revisions = revisions.map(|(at, revision)| {
        json!({"revision": revision.number, "at": format_timestamp(*at), "why": revision.why})
    });
    json!({"name": it.name.to_string(), "revisions": revisions.collect::<Vec<_>>()})
}

fn format_file(paint: &Paint, it: &TaskFile) -> String {
    let mut out = format!("{BOLD}{}{BOLD:#}\n", it.name);
    for (at, revision) in &it.revisions {
        let why = revision.why.as_deref().map(flatten_to_line);
        let why = why.map_or_else(String::new, |it| format!("  {it}"));
        let (n, at) = (revision.number, paint.format_time(*at));
        out += &format!("  {CYAN}{n:>3}{CYAN:#}  {DIM}{at}{DIM:#}{why}\n");
    }
    out
}

fn show_file(
    ctx: &CommandContext,
    tasks: &CheckoutTasks,
    task: &Task,
    name: &TaskFileName,
    revision: Option<u32>,
) -> CommandResult {
    // What came with the repository is nobody's word here.
    if !tasks.is_started(&task.slug) {
        let error = CommandError::usage(format!("{} was not begun here", task.slug));
        let way = format!("apostille task start {} takes it up", task.slug);
        return Err(error.with_hint(way));
    }
    let file = task.files.iter().find(|it| it.name == *name);
    let is_known = file
        .is_some_and(|it| revision.is_none_or(|n| it.revisions.iter().any(|it| it.1.number == n)));
    let text = match is_known {
        true => tasks.read_file(&task.slug, name, revision)?,
        false => None,
    };
    let missing = || {
        let which = revision.map_or_else(String::new, |n| format!(" in revision {n}"));
        CommandError::usage(format!("{} has no file {name}{which}", task.slug))
            .with_hint("apostille task file lists them")
    };
    let text = text.ok_or_else(missing)?;
    let json = json!({"ok": true, "task": task.slug.to_string(), "name": name.to_string(), "revision": revision, "text": sanitise_text(&text)});
    Ok(ctx.render_output(&json, |_| make_terminal_safe(&text)))
}

fn write_file(
    ctx: &CommandContext,
    tasks: &CheckoutTasks,
    task: Task,
    name: &TaskFileName,
    (source, args): (&str, &TaskFileArgs),
) -> CommandResult {
    require_open_task(&task)?;
    let why = args.why.as_ref();
    let why = why.map(|it| task::validate_task_text("why", it, WHY_CHARS));
    let why = why.transpose()?;
    let text = match source {
        "-" => ctx.system.read_stdin()?,
        path => read_file_source(&ctx.system.cwd.join(path))
            .map_err(|error| CommandError::usage(format!("cannot read '{path}': {error}")))?,
    };
    let (task, is_new) = tasks.write_file(task, name, &text, why)?;
    let file = task.files.iter().find(|it| it.name == *name);
    let revision = file.and_then(TaskFile::last).map_or(0, |it| it.number);
    let outcome = if is_new { "written" } else { "unchanged" };
    let json = json!({"ok": true, "outcome": outcome, "task": task.slug.to_string(), "name": name.to_string(), "revision": revision});
    Ok(ctx.render_output(&json, |_| {
        format!(
            "{}  revision {revision} of {}\n",
            format_outcome(outcome, name),
            task.slug
        )
    }))
}
