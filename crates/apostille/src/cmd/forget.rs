//! `forget`: the text is removed everywhere.

use std::io::Write as _;

use apostille_core::forget::{Forgotten, PERSONS_VERB, damaged, discard, forget};
use apostille_core::memory::{Memory, MemoryId, Name};
use apostille_core::refusal::Refusal;
use apostille_core::store::Damaged;

use super::line;
use crate::args::Forget;
use crate::json::{ForgetReply, ForgottenView};
use crate::paint::{BOLD, GREEN, ink, one_line};
use crate::shell::{Answer, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use apostille_workspace::task::Tasks;

/// Forgets memories, in whatever stage they are; none, when one of the names is wrong.
pub fn run(shell: &Shell, args: &Forget) -> Result<Answer, Fault> {
    let desk = shell.desk()?;
    let (damaged, names) = torn(&desk, &args.which.names)?;
    let memories = match desk.named(&names)? {
        Ok(memories) => memories,
        Err(refusal) => return Ok(shell.refused(&refusal)),
    };
    // What a person said, and what a person decides about, is not erased by anybody else.
    let speaker = shell.world.speaker();
    if !memories.iter().all(|it| speaker.may_forget(it)) {
        return Ok(shell.refused(&Refusal::PersonDecides { verb: PERSONS_VERB }));
    }
    if !args.yes && !is_agreed(shell, &memories, &damaged) {
        let json = ForgetReply {
            ok: false,
            outcome: "kept",
            memories: Vec::new(),
        };
        return Ok(shell.answer(error::NOTHING, &json, |_| {
            "nothing was forgotten
"
            .into()
        }));
    }
    for it in &damaged {
        discard(&desk.cx_for(&it.space), it)?;
    }
    for memory in &memories {
        let name = Name::Id(memory.id);
        if let Forgotten::Refused(refusal) = forget(
            &desk.cx(),
            &speaker,
            &desk.spaces(),
            name,
            args.reason.as_deref().unwrap_or(""),
        )? {
            return Ok(shell.refused(&refusal));
        }
    }
    // The notes of the active task repeat what stands in its way.
    if let Ok(tasks) = Tasks::at(&shell.world, &desk.place, &desk.settings) {
        tasks.refresh_notes(&desk)?;
    }
    let ids: Vec<MemoryId> = damaged
        .iter()
        .map(|it| it.id)
        .chain(memories.iter().map(|it| it.id))
        .collect();
    desk.forget_beside(&ids)?;
    let torn = damaged
        .iter()
        .map(|it| ForgottenView::new(it.id, it.handle(), &it.space));
    let read = memories.iter().map(ForgottenView::from);
    let json = ForgetReply {
        ok: true,
        outcome: "forgotten",
        memories: torn.chain(read).collect(),
    };
    Ok(shell.answer(error::OK, &json, |paint| {
        let torn = damaged
            .iter()
            .map(|it| format!("{} {}", ink(GREEN, "forgot"), unread(it)));
        torn.chain(memories.iter().map(|it| line(paint, "forgot", it)))
            .collect()
    }))
}

/// The memories that cannot be read, and the names of the others.
fn torn(desk: &Desk, names: &[Name]) -> Result<(Vec<Damaged>, Vec<Name>), Fault> {
    let (mut torn, mut others) = (Vec::new(), Vec::new());
    for name in names {
        match damaged(&desk.cx(), &desk.spaces(), *name)? {
            Some(it) => torn.push(it),
            None => others.push(*name),
        }
    }
    Ok((torn, others))
}

/// The line of a memory that cannot be read.
fn unread(it: &Damaged) -> String {
    format!(
        "{}  what another program left of it; it cannot be read\n",
        ink(BOLD, it.handle())
    )
}

/// Asks a person, where there is one.
fn is_agreed(shell: &Shell, memories: &[Memory], damaged: &[Damaged]) -> bool {
    let terminal = shell.world.terminal;
    if !(terminal.stdin && terminal.stderr) {
        return true;
    }
    let mut ask: String = damaged.iter().map(unread).collect();
    for it in memories {
        ask += &format!("{}  {}\n", ink(BOLD, it.handle()), one_line(&it.fact));
    }
    ask += "forget for good? this cannot be undone [y/N] ";
    let _ = anstream::AutoStream::new(std::io::stderr(), anstream::ColorChoice::Auto)
        .write_all(ask.as_bytes());
    matches!(shell.world.read_line().trim(), "y" | "Y" | "yes")
}
