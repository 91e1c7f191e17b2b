//! `review`: a person goes through what waits.
//!
//! Keys, lists of names (`--accept`, `--reject`) and `--all-safe` are three ways to the same decisions; without a person
//! at the terminal the queue is only shown.
//!
//! ```
//! use apostille_review::run;
//! use apostille_terminal::args::ReviewArgs;
//! use apostille_terminal::command_context::{CommandContext, CommandResult};
//!
//! let command: fn(&CommandContext, &ReviewArgs) -> CommandResult = run;
//! # let _ = command;
//! ```

mod card;
mod decisions;
mod dialogue;
mod edit;
mod keys;
mod queue;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use apostille_audit::review;
use apostille_core::{
    memory::{Memory, MemoryName},
    queue::QueuePlace,
    revise::{self, ReviseOutcome},
    speaker::Person,
};

use apostille_api::{
    json,
    json::{QueueReply, RevisedReply},
};
use apostille_terminal::{
    args::ReviewArgs,
    command_context,
    command_context::{CommandContext, CommandOutput, CommandResult, require_person},
};
use apostille_workspace::workspace::Workspace;
use dialogue::ReviewDialogue;
use queue::HeldBack;

/// Shows what waits, and does what a person decides.
pub fn run(ctx: &CommandContext, args: &ReviewArgs) -> CommandResult {
    let is_named = !args.accept.is_empty() || !args.reject.is_empty();
    if is_named || args.all_safe {
        let speaker = ctx.deciding_speaker()?;
        let by = require_person(&speaker, "decide about pending memories")?;
        let workspace = ctx.open_workspace()?;
        return if is_named && !args.all_safe {
            review_named_memories(ctx, by, &workspace, args)
        } else {
            accept_all_safe(ctx, by, &workspace, !args.yes)
        };
    }
    let workspace = ctx.open_workspace()?;
    let (cx, spaces) = (workspace.context(), workspace.spaces());
    let mut queue = review::list_review_queue(&cx, &spaces)?;
    let places = review::place_review_queue(&cx, &spaces, &queue)?;
    let held = HeldBack::count(&places);
    let json = QueueReply::new(&queue, usize::MAX).with_due(&queue, &places);
    if !args.all {
        let mut places = places.iter();
        queue.retain(|_| places.next() == Some(&QueuePlace::Due));
    }
    let is_talk = can_ask(ctx) && !queue.is_empty();
    let speaker = if is_talk {
        ctx.deciding_speaker()?
    } else {
        ctx.speaker()?
    };
    match speaker.person() {
        Some(by) if is_talk => {
            let mut dialogue = ReviewDialogue::new(ctx, by, &workspace, ctx, queue);
            // Whoever cuts the dialogue off is told how far it came.
            let made = Arc::clone(&dialogue.made);
            command_context::on_interrupt(move || {
                format!("\n{}\n", dialogue::format_decisions_made(&made))
            });
            dialogue.run()?;
            Ok(CommandOutput::default())
        }
        _ => Ok(ctx.render_output(&json, |paint| {
            let held = held.filter(|_| !args.all);
            queue::format_review_queue(paint, &queue) + &queue::format_held_back(held)
        })),
    }
}

/// Whether a person at a terminal can be asked.
fn can_ask(ctx: &CommandContext) -> bool {
    let terminal = ctx.system.terminal;
    terminal.stdin && terminal.stdout && !ctx.flags.json
}

/// Decides about the memories that were named; about none, when one of the names is wrong.
fn review_named_memories(
    ctx: &CommandContext,
    by: &Person,
    workspace: &Workspace,
    args: &ReviewArgs,
) -> CommandResult {
    let names: Vec<MemoryName> = args.accept.iter().chain(&args.reject).copied().collect();
    workspace.find_named(&names)?;
    let reason = args.reason.as_deref().unwrap_or("");
    let (cx, spaces) = (workspace.context(), workspace.spaces());
    let mut done = Vec::new();
    for (at, name) in names.into_iter().enumerate() {
        let decided = if at < args.accept.len() {
            revise::approve_memory(&cx, by, &spaces, name)?
        } else {
            revise::reject_memory(&cx, by, &spaces, name, reason)?
        };
        match decided {
            ReviseOutcome::Done(memory) => done.push(*memory),
            ReviseOutcome::Refused(refusal) => return Err(refusal.into()),
        }
    }
    Ok(render_decided(ctx, &done, ""))
}

/// Accepts everything that is safe: asked for at a terminal, said in a script.
fn accept_all_safe(
    ctx: &CommandContext,
    by: &Person,
    workspace: &Workspace,
    is_asked: bool,
) -> CommandResult {
    let queue = review::list_review_queue(&workspace.context(), &workspace.spaces())?;
    let mut dialogue = ReviewDialogue::new(ctx, by, workspace, ctx, queue);
    if is_asked && can_ask(ctx) {
        dialogue.confirm_accept_safe()?;
        return Ok(CommandOutput::default());
    }
    let done = dialogue.accept_safe()?;
    Ok(render_decided(
        ctx,
        &done,
        &dialogue::format_accepted(&done),
    ))
}

/// The memories that were decided about, and the sum.
fn render_decided(ctx: &CommandContext, done: &[Memory], sum: &str) -> CommandOutput {
    let json = RevisedReply {
        ok: true,
        outcome: "reviewed",
        memories: json::build_memory_views(done),
    };
    ctx.render_output(&json, |paint| {
        let lines = done
            .iter()
            .map(|it| decisions::format_decided_memory(paint, it));
        lines.collect::<String>() + sum
    })
}
