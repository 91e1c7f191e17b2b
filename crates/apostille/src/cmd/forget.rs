//! `forget`: the text is removed everywhere.

use std::io::Write as _;

use apostille_core::forget::{
    ForgetOutcome, PERSONS_VERB, discard_damaged_memory, find_damaged_memory, forget,
};
use apostille_core::memory::{Memory, MemoryId, MemoryName};
use apostille_core::refusal::Refusal;
use apostille_core::store::DamagedMemory;

use super::format_outcome_line;
use crate::json::{ForgetReply, ForgottenView};
use apostille_terminal::args::ForgetArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{BOLD, GREEN, flatten_to_line, style_text};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::task::CheckoutTasks;
use apostille_workspace::workspace::Workspace;

/// Forgets memories, in whatever stage they are; none, when one of the names is wrong.
pub fn run(shell: &CommandContext, args: &ForgetArgs) -> Result<CommandOutput, CommandError> {
    let desk = shell.open_workspace()?;
    let (damaged, names) = split_off_damaged(&desk, &args.which.names)?;
    let memories = match desk.find_named(&names)? {
        Ok(memories) => memories,
        Err(refusal) => return Ok(shell.render_refusal(&refusal)),
    };
    // What a person said, and what a person decides about, is not erased by anybody else.
    let speaker = shell.world.speaker();
    if !memories.iter().all(|it| speaker.can_forget(it)) {
        return Ok(shell.render_refusal(&Refusal::PersonDecides { verb: PERSONS_VERB }));
    }
    if !args.yes && !confirm_forget(shell, &memories, &damaged) {
        let json = ForgetReply {
            ok: false,
            outcome: "kept",
            memories: Vec::new(),
        };
        return Ok(shell.render_output(error::NOTHING, &json, |_| {
            "nothing was forgotten
"
            .into()
        }));
    }
    for it in &damaged {
        discard_damaged_memory(&desk.context_for(&it.space), it)?;
    }
    for memory in &memories {
        let name = MemoryName::Id(memory.id);
        if let ForgetOutcome::Refused(refusal) = forget(
            &desk.context(),
            &speaker,
            &desk.spaces(),
            name,
            args.reason.as_deref().unwrap_or(""),
        )? {
            return Ok(shell.render_refusal(&refusal));
        }
    }
    // The notes of the active task repeat what stands in its way.
    if let Ok(tasks) = CheckoutTasks::for_folder(&shell.world, &desk.place, &desk.settings) {
        tasks.refresh_notes(&desk)?;
    }
    let ids: Vec<MemoryId> = damaged
        .iter()
        .map(|it| it.id)
        .chain(memories.iter().map(|it| it.id))
        .collect();
    desk.forget_side_records(&ids)?;
    let torn = damaged
        .iter()
        .map(|it| ForgottenView::new(it.id, it.handle(), &it.space));
    let read = memories.iter().map(ForgottenView::from);
    let json = ForgetReply {
        ok: true,
        outcome: "forgotten",
        memories: torn.chain(read).collect(),
    };
    Ok(shell.render_output(error::OK, &json, |paint| {
        let torn = damaged.iter().map(|it| {
            format!(
                "{} {}",
                style_text(GREEN, "forgot"),
                format_damaged_memory(it)
            )
        });
        torn.chain(
            memories
                .iter()
                .map(|it| format_outcome_line(paint, "forgot", it)),
        )
        .collect()
    }))
}

/// The memories that cannot be read, and the names of the others.
fn split_off_damaged(
    desk: &Workspace,
    names: &[MemoryName],
) -> Result<(Vec<DamagedMemory>, Vec<MemoryName>), CommandError> {
    let (mut torn, mut others) = (Vec::new(), Vec::new());
    for name in names {
        match find_damaged_memory(&desk.context(), &desk.spaces(), *name)? {
            Some(it) => torn.push(it),
            None => others.push(*name),
        }
    }
    Ok((torn, others))
}

/// The line of a memory that cannot be read.
fn format_damaged_memory(it: &DamagedMemory) -> String {
    format!(
        "{}  what another program left of it; it cannot be read\n",
        style_text(BOLD, it.handle())
    )
}

/// Asks a person, where there is one.
fn confirm_forget(shell: &CommandContext, memories: &[Memory], damaged: &[DamagedMemory]) -> bool {
    let terminal = shell.world.terminal;
    if !(terminal.stdin && terminal.stderr) {
        return true;
    }
    let mut ask: String = damaged.iter().map(format_damaged_memory).collect();
    for it in memories {
        ask += &format!(
            "{}  {}\n",
            style_text(BOLD, it.handle()),
            flatten_to_line(&it.fact)
        );
    }
    ask += "forget for good? this cannot be undone [y/N] ";
    let _ = anstream::AutoStream::new(std::io::stderr(), anstream::ColorChoice::Auto)
        .write_all(ask.as_bytes());
    matches!(shell.world.read_line().trim(), "y" | "Y" | "yes")
}
