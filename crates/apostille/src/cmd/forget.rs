//! `forget`: the text is removed everywhere.

use std::io::Write as _;

use apostille_core::forget::{Forgotten, forget};
use apostille_core::memory::{Memory, Name, Stage};
use apostille_core::refusal::Refusal;
use serde::Serialize;

use super::line;
use crate::args::Forget;
use crate::error::{self, Fault};
use crate::paint::{BOLD, ink, one_line};
use crate::shell::{Answer, Shell};
use crate::world::task::Tasks;

#[derive(Serialize)]
struct Reply {
    ok: bool,
    outcome: &'static str,
    memories: Vec<Gone>,
}

/// What is left of a memory: what it was called.
#[derive(Serialize)]
struct Gone {
    id: String,
    handle: String,
    space: String,
}

/// Forgets memories, in whatever stage they are; none, when one of the names is wrong.
pub fn run(shell: &Shell, args: &Forget) -> Result<Answer, Fault> {
    let desk = shell.desk()?;
    let memories = match desk.named(&args.which.names)? {
        Ok(memories) => memories,
        Err(refusal) => return Ok(shell.refused(&refusal)),
    };
    // What a person said, and what a person decides about, is not erased by anybody else.
    let is_persons =
        |it: &Memory| it.voice.is_person() || matches!(it.status.stage(), Stage::Pending | Stage::Invalid);
    if !shell.world.has_person() && memories.iter().any(is_persons) {
        let verb = "forget what a person said, or what waits or was rejected";
        return Ok(shell.refused(&Refusal::PersonDecides { verb }));
    }
    if !args.yes && !is_agreed(shell, &memories) {
        let json = Reply { ok: false, outcome: "kept", memories: Vec::new() };
        return Ok(shell.answer(error::NOTHING, &json, |_| {
            "nothing was forgotten
"
            .into()
        }));
    }
    for memory in &memories {
        let name = Name::Id(memory.id);
        if let Forgotten::Refused(refusal) =
            forget(&desk.cx(), &desk.spaces(), name, args.reason.as_deref().unwrap_or(""))?
        {
            return Ok(shell.refused(&refusal));
        }
    }
    // The notes of the active task repeat what stands in its way.
    if let Ok(tasks) = Tasks::at(&shell.world, &desk.place, &desk.settings) {
        tasks.refresh_notes(&desk)?;
    }
    desk.forget_beside(&memories.iter().map(|it| it.id).collect::<Vec<_>>())?;
    let gone = |it: &Memory| Gone {
        id: it.id.to_string(),
        handle: it.handle().to_string(),
        space: it.space.to_string(),
    };
    let json = Reply { ok: true, outcome: "forgotten", memories: memories.iter().map(gone).collect() };
    Ok(shell.answer(error::OK, &json, |paint| memories.iter().map(|it| line(paint, "forgot", it)).collect()))
}

/// Asks a person, where there is one.
fn is_agreed(shell: &Shell, memories: &[Memory]) -> bool {
    let terminal = shell.world.terminal;
    if !(terminal.stdin && terminal.stderr) {
        return true;
    }
    let mut ask = String::new();
    for it in memories {
        ask += &format!("{}  {}\n", ink(BOLD, it.handle()), one_line(&it.fact));
    }
    ask += "forget for good? this cannot be undone [y/N] ";
    let _ =
        anstream::AutoStream::new(std::io::stderr(), anstream::ColorChoice::Auto).write_all(ask.as_bytes());
    matches!(shell.world.read_line().trim(), "y" | "Y" | "yes")
}
