//! `review`: a person goes through what waits.
//!
//! Keys, lists of names (`--accept`, `--reject`) and `--all-safe` are three ways to the same decisions; without a person
//! at the terminal the queue is only shown.
//!
//! ```
//! use apostille_review::run;
//! use apostille_terminal::args::ReviewArgs;
//! use apostille_terminal::command_context::{CommandContext, CommandOutput};
//! use apostille_workspace::error::CommandError;
//!
//! let command: fn(&CommandContext, &ReviewArgs) -> Result<CommandOutput, CommandError> = run;
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

use apostille_audit::review;
use apostille_audit::review::ReviewItem;
use apostille_core::memory::MemoryName;
use apostille_core::refusal::Refusal;
use apostille_core::revise::{self, ReviseOutcome};
use apostille_core::speaker::Person;

use apostille_api::json;
use apostille_api::json::{QueueReply, RevisedReply};
use apostille_terminal::args::ReviewArgs;
use apostille_terminal::command_context;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::format_count;
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::workspace::Workspace;
use dialogue::{ReviewDialogue, ReviewTerminal};

const DECIDE: Refusal = Refusal::PersonDecides {
    verb: "decide what waits",
};

/// Shows what waits, and does what a person decides.
pub fn run(shell: &CommandContext, args: &ReviewArgs) -> Result<CommandOutput, CommandError> {
    let speaker = shell.world.speaker();
    let person = speaker.person();
    let decides = args.all_safe || !args.accept.is_empty() || !args.reject.is_empty();
    if decides && person.is_none() {
        return Ok(shell.render_refusal(&DECIDE));
    }
    let desk = shell.open_workspace()?;
    if let Some(by) = person.filter(|_| decides && !args.all_safe) {
        return review_named_memories(shell, by, &desk, args);
    }
    let queue = review::list_review_queue(&desk.context(), &desk.spaces())?;
    let terminal = shell.world.terminal;
    let is_asked = terminal.stdin && terminal.stdout && !shell.flags.json && person.is_some();
    if let Some(by) = person.filter(|_| args.all_safe) {
        return accept_all_safe(shell, by, &desk, queue, is_asked && !args.yes);
    }
    if let Some(by) = person.filter(|_| is_asked && !queue.is_empty()) {
        let terminal = ReviewTerminal { shell };
        let mut dialogue = ReviewDialogue::new(shell, by, &desk, &terminal, queue);
        let made = dialogue.decision_counter();
        command_context::on_interrupt(move || {
            format!("\n{}\n", dialogue::format_decisions_made(&made))
        });
        dialogue.run()?;
        return Ok(CommandOutput {
            code: error::OK,
            ..CommandOutput::default()
        });
    }
    Ok(
        shell.render_output(error::OK, &QueueReply::new(&queue, usize::MAX), |paint| {
            queue::format_review_queue(paint, &queue)
        }),
    )
}

/// Decides about the memories that were named; about none, when one of the names is wrong.
fn review_named_memories(
    shell: &CommandContext,
    by: &Person,
    desk: &Workspace,
    args: &ReviewArgs,
) -> Result<CommandOutput, CommandError> {
    let names: Vec<MemoryName> = args.accept.iter().chain(&args.reject).copied().collect();
    if let Err(refusal) = desk.find_named(&names)? {
        return Ok(shell.render_refusal(&refusal));
    }
    let reason = args.reason.as_deref().unwrap_or("");
    let (cx, spaces) = (desk.context(), desk.spaces());
    let mut done = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let decided = match at < args.accept.len() {
            true => revise::approve_memory(&cx, by, &spaces, *name)?,
            false => revise::reject_memory(&cx, by, &spaces, *name, reason)?,
        };
        match decided {
            ReviseOutcome::Done(memory) => done.push(*memory),
            ReviseOutcome::Refused(refusal) => return Ok(shell.render_refusal(&refusal)),
        }
    }
    let json = RevisedReply {
        ok: true,
        outcome: "reviewed",
        memories: json::build_memory_views(&done),
    };
    Ok(shell.render_output(error::OK, &json, |paint| {
        done.iter()
            .map(|it| decisions::format_decided_memory(paint, it))
            .collect()
    }))
}

/// Accepts everything that is safe: asked for at a terminal, said in a script.
fn accept_all_safe(
    shell: &CommandContext,
    by: &Person,
    desk: &Workspace,
    queue: Vec<ReviewItem>,
    is_asked: bool,
) -> Result<CommandOutput, CommandError> {
    let terminal = ReviewTerminal { shell };
    let mut dialogue = ReviewDialogue::new(shell, by, desk, &terminal, queue);
    if is_asked {
        dialogue.confirm_accept_safe()?;
        return Ok(CommandOutput {
            code: error::OK,
            ..CommandOutput::default()
        });
    }
    let done = dialogue.accept_safe()?;
    let json = RevisedReply {
        ok: true,
        outcome: "reviewed",
        memories: json::build_memory_views(&done),
    };
    Ok(shell.render_output(error::OK, &json, |paint| {
        let lines: String = done
            .iter()
            .map(|it| decisions::format_decided_memory(paint, it))
            .collect();
        let n = done.iter().filter(|it| it.is_active()).count() as u64;
        format!(
            "{lines}{} accepted\n",
            format_count(n, "memory", "memories")
        )
    }))
}
