//! `review`: a person goes through what waits.

mod card;
mod deeds;
mod dialogue;
mod edit;
mod keys;
mod queue;
#[cfg(test)]
mod tests;

use apostille_core::memory::Name;
use apostille_core::refusal::Refusal;
use apostille_core::review::{self, Waiting};
use apostille_core::revise::{self, Revised};
use apostille_core::speaker::Person;

use crate::args::Review;
use crate::json::{self, QueueReply, RevisedReply};
use crate::paint::count;
use crate::shell::{self, Answer, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use dialogue::{Dialogue, Terminal};

const DECIDE: Refusal = Refusal::PersonDecides {
    verb: "decide what waits",
};

/// Shows what waits, and does what a person decides.
pub fn run(shell: &Shell, args: &Review) -> Result<Answer, Fault> {
    let speaker = shell.world.speaker();
    let person = speaker.person();
    let decides = args.all_safe || !args.accept.is_empty() || !args.reject.is_empty();
    if decides && person.is_none() {
        return Ok(shell.refused(&DECIDE));
    }
    let desk = shell.desk()?;
    if let Some(by) = person.filter(|_| decides && !args.all_safe) {
        return named(shell, by, &desk, args);
    }
    let queue = review::queue(&desk.cx(), &desk.spaces())?;
    let terminal = shell.world.terminal;
    let is_asked = terminal.stdin && terminal.stdout && !shell.flags.json && person.is_some();
    if let Some(by) = person.filter(|_| args.all_safe) {
        return all_safe(shell, by, &desk, queue, is_asked && !args.yes);
    }
    if let Some(by) = person.filter(|_| is_asked && !queue.is_empty()) {
        let terminal = Terminal { shell };
        let mut dialogue = Dialogue::new(shell, by, &desk, &terminal, queue);
        let made = dialogue.made();
        shell::on_interrupt(move || format!("\n{}\n", dialogue::told(&made)));
        dialogue.run()?;
        return Ok(Answer {
            code: error::OK,
            ..Answer::default()
        });
    }
    Ok(
        shell.answer(error::OK, &QueueReply::new(&queue, usize::MAX), |paint| {
            queue::page(paint, &queue)
        }),
    )
}

/// Decides about the memories that were named; about none, when one of the names is wrong.
fn named(shell: &Shell, by: &Person, desk: &Desk, args: &Review) -> Result<Answer, Fault> {
    let names: Vec<Name> = args.accept.iter().chain(&args.reject).copied().collect();
    if let Err(refusal) = desk.named(&names)? {
        return Ok(shell.refused(&refusal));
    }
    let reason = args.reason.as_deref().unwrap_or("");
    let (cx, spaces) = (desk.cx(), desk.spaces());
    let mut done = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let decided = match at < args.accept.len() {
            true => revise::approve(&cx, by, &spaces, *name)?,
            false => revise::reject(&cx, by, &spaces, *name, reason)?,
        };
        match decided {
            Revised::Done(memory) => done.push(*memory),
            Revised::Refused(refusal) => return Ok(shell.refused(&refusal)),
        }
    }
    let json = RevisedReply {
        ok: true,
        outcome: "reviewed",
        memories: json::views(&done),
    };
    Ok(shell.answer(error::OK, &json, |paint| {
        done.iter().map(|it| deeds::line(paint, it)).collect()
    }))
}

/// Accepts everything that is safe: asked for at a terminal, said in a script.
fn all_safe(
    shell: &Shell,
    by: &Person,
    desk: &Desk,
    queue: Vec<Waiting>,
    is_asked: bool,
) -> Result<Answer, Fault> {
    let terminal = Terminal { shell };
    let mut dialogue = Dialogue::new(shell, by, desk, &terminal, queue);
    if is_asked {
        dialogue.bulk()?;
        return Ok(Answer {
            code: error::OK,
            ..Answer::default()
        });
    }
    let done = dialogue.accept_safe()?;
    let json = RevisedReply {
        ok: true,
        outcome: "reviewed",
        memories: json::views(&done),
    };
    Ok(shell.answer(error::OK, &json, |paint| {
        let lines: String = done.iter().map(|it| deeds::line(paint, it)).collect();
        let n = done.iter().filter(|it| it.is_active()).count() as u64;
        format!("{lines}{} accepted\n", count(n, "memory", "memories"))
    }))
}
