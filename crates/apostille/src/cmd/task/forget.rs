//! `task forget`: a task is removed for good, with its title, gates and notes.

use apostille_core::{
    forget::{ForgetOutcome, forget},
    list,
    memory::{Layer, Memory, MemoryId, MemoryName},
    refusal::Refusal,
    speaker::{PersonVerb, Speaker},
    store::MemoryFilter,
};
use apostille_tasks::task::TaskSlug;
use serde::Serialize;

use super::{find_meant_task, open_task_desk};
use crate::json::ForgottenView;
use apostille_terminal::{
    args::TaskForgetArgs,
    command_context::{CommandContext, CommandResult},
    paint::{DIM, GREEN, YELLOW, flatten_to_line, format_count},
};
use apostille_workspace::workspace::Workspace;

/// How many memories of a task are looked at.
const MAX_NOTES: usize = 100_000;

#[derive(Serialize, Default)]
struct TaskForgetReply {
    ok: bool,
    outcome: &'static str,
    memories: Vec<ForgottenView>,
    /// What was promoted to knowledge, and stays.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kept: Vec<String>,
    problems: Vec<String>,
}

/// Forgets a task. Nothing of what it said is printed: what is to be gone must not stay in a terminal's history.
pub fn run(ctx: &CommandContext, args: &TaskForgetArgs) -> CommandResult {
    let (workspace, tasks) = open_task_desk(ctx)?;
    let slug = find_meant_task(&tasks, Some(&args.slug))?.slug;
    let (kept, notes): (Vec<Memory>, Vec<Memory>) = list_memories_of_task(&workspace, &slug)?
        .into_iter()
        .partition(|it| it.layer == Layer::Knowledge);
    let verb = PersonVerb::Forget;
    let speaker = ctx.speaker_for(verb, &notes)?;
    if !notes.iter().all(|it| speaker.can_decide(verb, it)) {
        let verb = verb.describe();
        return Err(Refusal::PersonDecides { verb }.into());
    }
    if !args.yes && !confirm_task_forget(ctx, notes.len()) {
        let json = TaskForgetReply {
            outcome: "kept",
            ..TaskForgetReply::default()
        };
        let answer = ctx.render_output(&json, |_| "nothing was forgotten\n".into());
        return Ok(answer.nothing_if(true));
    }
    forget_notes(&speaker, &workspace, &notes)?;
    let left = tasks.erase(&slug)?;
    let left = left.map(|it| format!("'{}' holds other files and stays", it.display()));
    let (mut problems, _) = super::refresh_task_notes(&tasks, &workspace)?;
    problems.extend(left);
    let ids: Vec<MemoryId> = notes.iter().map(|it| it.id).collect();
    workspace.forget_side_records(&ids)?;
    let json = TaskForgetReply {
        ok: true,
        outcome: "forgotten",
        memories: notes.iter().map(Into::into).collect(),
        kept: kept.iter().map(|it| it.handle().to_string()).collect(),
        problems,
    };
    Ok(ctx.render_output(&json, |_| format_task_forgotten(&json)))
}

fn list_memories_of_task(workspace: &Workspace, slug: &TaskSlug) -> CommandResult<Vec<Memory>> {
    let filter = MemoryFilter {
        spaces: workspace.spaces().into(),
        task: Some(slug.to_string()),
        limit: MAX_NOTES,
        ..MemoryFilter::default()
    };
    Ok(list::list_memories(&workspace.context(), &filter)?)
}

fn forget_notes(speaker: &Speaker, workspace: &Workspace, notes: &[Memory]) -> CommandResult<()> {
    let (cx, spaces) = (workspace.context(), workspace.spaces());
    for it in notes {
        let name = MemoryName::Id(it.id);
        let reason = "its task was forgotten";
        if let ForgetOutcome::Refused(refusal) = forget(&cx, speaker, &spaces, name, reason)? {
            return Err(refusal.into());
        }
    }
    Ok(())
}

fn confirm_task_forget(ctx: &CommandContext, notes: usize) -> bool {
    let notes = format_count(notes as u64, "note", "notes");
    !ctx.can_ask_beside()
        || ctx.ask_beside(&format!(
            "forget this task and its {notes} for good? this cannot be undone [y/N] "
        ))
}

fn format_task_forgotten(it: &TaskForgetReply) -> String {
    let notes = format_count(it.memories.len() as u64, "note", "notes");
    let mut out = format!("{GREEN}forgot{GREEN:#} the task and its {notes}\n");
    if !it.kept.is_empty() {
        let kept = it.kept.join(", ");
        out += &format!("{DIM}kept as knowledge: {kept}; forget them by name{DIM:#}\n");
    }
    for problem in &it.problems {
        out += &format!("{YELLOW}note:{YELLOW:#} {}\n", flatten_to_line(problem));
    }
    out
}
