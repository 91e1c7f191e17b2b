//! `refresh`, `confirm`, `apply`, `approve` and `invalidate`: something is noted about each of some memories.

use apostille_cite::standing::Showing;
use apostille_core::{
    memory::{Memory, MemoryName},
    revise::{self, ReviseOutcome},
    speaker::PersonVerb,
    standing_text::StandingView,
    verify::{VerifiedMemory, follow_memory_citations},
};

use super::{format_outcome_line, remember::resolve_citations};
use crate::json::{self, RevisedReply};
use apostille_terminal::{
    args::{ConfirmArgs, InvalidateArgs, SeveralMemoriesArgs},
    command_context::{CommandContext, CommandResult, require_person},
    paint::{Paint, YELLOW, format_if, style_text},
};
use apostille_workspace::{error::CommandError, workspace::Workspace};

/// Notes that memories hold and are of use; they rank as fresh again.
pub fn run_refresh(ctx: &CommandContext, args: &SeveralMemoriesArgs) -> CommandResult {
    revise_named_memories(ctx, &args.names, "refreshed", |workspace, name| {
        revise::refresh_memory(&workspace.context(), &workspace.spaces(), name)
    })
}

/// Puts the citations of a memory on the lines as they are now, because it is still true there.
pub fn run_confirm(ctx: &CommandContext, args: &ConfirmArgs) -> CommandResult {
    let speaker = ctx.speaker()?;
    revise_named_memories(ctx, &[args.which.name], "confirmed", |workspace, name| {
        let cites = resolve_citations(workspace, &args.cites)?;
        let by = speaker.voice();
        let cx = workspace.context();
        let confirmed = revise::confirm_memory(&cx, &workspace.spaces(), name, &cites, by);
        confirmed.map_err(CommandError::from)
    })
}

/// Notes that memories were used in a task.
pub fn run_apply(ctx: &CommandContext, args: &SeveralMemoriesArgs) -> CommandResult {
    revise_named_memories(ctx, &args.names, "applied", |workspace, name| {
        revise::mark_memory_applied(&workspace.context(), &workspace.spaces(), name)
    })
}

/// Lets memories be used that wait or were rejected, on a person's word.
pub fn run_approve(ctx: &CommandContext, args: &SeveralMemoriesArgs) -> CommandResult {
    let speaker = ctx.deciding_speaker()?;
    let by = require_person(&speaker, "approve pending memories")?;
    revise_named_memories(ctx, &args.names, "approved", |workspace, name| {
        revise::reconsider_memory(&workspace.context(), by, &workspace.spaces(), name)
    })
}

/// Marks memories as wrong.
pub fn run_invalidate(ctx: &CommandContext, args: &InvalidateArgs) -> CommandResult {
    revise_named_memories(ctx, &args.which.names, "invalidated", |workspace, name| {
        let cx = workspace.context();
        let memories = workspace.find_named(&[name])?;
        let speaker = ctx.speaker_for(PersonVerb::Invalidate, &memories)?;
        let spaces = workspace.spaces();
        let done = revise::invalidate_memory(&cx, &speaker, &spaces, name, &args.reason);
        done.map_err(CommandError::from)
    })
}

/// Does something to each of these memories; nothing, when one of the names is wrong.
fn revise_named_memories<E: Into<CommandError>>(
    ctx: &CommandContext,
    names: &[MemoryName],
    outcome: &'static str,
    revise: impl Fn(&Workspace, MemoryName) -> Result<ReviseOutcome, E>,
) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    workspace.find_named(names)?;
    let mut done: Vec<Memory> = Vec::new();
    for name in names {
        match revise(&workspace, *name).map_err(Into::into)? {
            ReviseOutcome::Done(memory) => done.push(*memory),
            ReviseOutcome::Refused(refusal) => return Err(refusal.into()),
        }
    }
    let done = follow_memory_citations(&workspace.context(), done);
    let json = RevisedReply {
        ok: true,
        outcome,
        memories: json::build_memory_views(&done),
    };
    Ok(ctx.render_output(&json, |paint| {
        done.iter()
            .map(|it| format_revised_memory(paint, outcome, it))
            .collect()
    }))
}

/// What was done to a memory, and how it stands where one should not rely on it.
fn format_revised_memory(paint: &Paint, outcome: &str, it: &VerifiedMemory) -> String {
    let line = format_outcome_line(paint, outcome, &it.memory);
    let is_doubted = it.memory.is_active() && it.showing() != Showing::Plain;
    let standing = format_if(is_doubted, || {
        let standing = StandingView::from(it).describe();
        format!("  {}\n", style_text(YELLOW, standing))
    });
    line + &standing
}
