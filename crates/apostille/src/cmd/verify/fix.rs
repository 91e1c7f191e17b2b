//! `verify --fix`: what to say instead of what does not hold, and the command that says it.

use std::io::Write as _;

use apostille_cite::verdict::Verdict;
use apostille_core::memory::{Draft, Memory, Name, Replacement, Status};
use apostille_core::remember::Outcome;
use apostille_core::revise::{self, Revised};
use apostille_core::verify::Verified;
use apostille_core::verify::draft::{Proposal, propose};
use serde::Serialize;

use crate::paint::paste::quoted;
use crate::paint::{BOLD, CYAN, DIM, GREEN, Paint, YELLOW, emphasised, ink, memory, one_line};
use crate::shell::{self, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error::Fault;

/// What to do about one memory.
pub struct Fix<'a> {
    verified: &'a Verified,
    proposal: Option<Proposal>,
    command: String,
}

/// The same in `--json`.
#[derive(Serialize)]
pub struct FixView {
    handle: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fact: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    swapped: Option<Vec<Swap>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cite: Option<Vec<String>>,
    command: String,
}

#[derive(Serialize)]
struct Swap {
    was: String,
    now: String,
}

/// What to do about each memory that is invalid. Where something could not be looked up, that is to wait.
pub fn fixes<'a>(shell: &Shell, verified: &'a [Verified]) -> Vec<Fix<'a>> {
    let is_known = |it: &Verified| {
        !it.verdicts
            .iter()
            .any(|it| matches!(it, Verdict::Unknown { .. }))
    };
    let due = |it: &&Verified| {
        it.is_invalid() && it.memory.is_active() && it.deed.is_none() && is_known(it)
    };
    verified
        .iter()
        .filter(due)
        .map(|it| Fix::new(shell, it))
        .collect()
}

impl<'a> Fix<'a> {
    fn new(shell: &Shell, verified: &'a Verified) -> Self {
        let proposal = propose(verified);
        let (program, handle) = (shell.flags.pasted_program(), verified.memory.handle());
        let command = match &proposal {
            Some(it) => format!(
                "{program} supersede {handle} --correct{}",
                said(&verified.memory, it)
            ),
            None => {
                let reason = quoted(&format!("the code is gone: {}", places(&verified.memory)));
                format!("{program} invalidate {handle} --reason {reason}")
            }
        };
        Self {
            verified,
            proposal,
            command,
        }
    }

    /// The same in `--json`.
    pub fn view(&self) -> FixView {
        let swap = |(was, now): &(String, String)| Swap {
            was: was.clone(),
            now: now.clone(),
        };
        let proposal = self.proposal.as_ref();
        FixView {
            handle: self.verified.memory.handle().to_string(),
            fact: proposal.map(|it| it.fact.clone()),
            swapped: proposal.map(|it| it.swapped.iter().map(swap).collect()),
            cite: proposal.map(|it| it.cites.iter().map(ToString::to_string).collect()),
            command: self.command.clone(),
        }
    }

    /// The memory with the diff, what could be said instead, and the command for it.
    pub fn text(&self, paint: &Paint) -> String {
        let it = self.verified;
        let entry = memory::entry(paint, &it.memory, &it.verdicts);
        let instead = match &self.proposal {
            None => ink(DIM, "      nothing is left to cite\n"),
            Some(it) if it.swapped.is_empty() => ink(
                DIM,
                "      say what is true now; if the fact still is, it only needs its citations anew:\n",
            ),
            Some(it) => {
                let words: Vec<&str> = it.swapped.iter().map(|it| it.1.as_str()).collect();
                let fact = emphasised(&paint.wrapped(&it.fact, 8), &words);
                format!("      {}\n{fact}", ink(GREEN, "instead:"))
            }
        };
        format!("{entry}{instead}      {}\n", ink(CYAN, &self.command))
    }
}

/// The rest of the command: the citations, the tags, and the fact, which may look like a flag.
fn said(memory: &Memory, it: &Proposal) -> String {
    let cites = it
        .cites
        .iter()
        .map(|it| format!(" --cite {}", quoted(&it.to_string())));
    let tags = memory
        .tags
        .iter()
        .map(|it| format!(" --tag {}", quoted(it)));
    let dashes = if it.fact.starts_with('-') { " --" } else { "" };
    let fact = format!("{dashes} {}", quoted(&it.fact));
    cites.chain(tags).chain([fact]).collect()
}

/// The first places that a memory cites: enough for a reason, which has a limit.
fn places(memory: &Memory) -> String {
    let mut places = memory
        .citations
        .iter()
        .map(|it| one_line(&it.place().to_string()));
    let first = places.next().unwrap_or_default();
    let n_more = places.count();
    let first: String = first.chars().take(200).collect();
    if n_more == 0 {
        first
    } else {
        format!("{first} and {n_more} more")
    }
}

/// What a person chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Replace,
    Edit,
    Invalidate,
    Skip,
    Quit,
}

impl Choice {
    /// The choice that a line stands for; the end of the input is the end of it all.
    fn of(line: &str) -> Option<Self> {
        match line.trim().to_ascii_lowercase().as_str() {
            "" if line.is_empty() => Some(Self::Quit),
            "y" | "yes" => Some(Self::Replace),
            "e" => Some(Self::Edit),
            "i" => Some(Self::Invalidate),
            "" | "s" => Some(Self::Skip),
            "q" => Some(Self::Quit),
            _ => None,
        }
    }
}

/// Goes through the memories with a person, and does what is chosen.
pub fn ask(shell: &Shell, desk: &Desk, fixes: &[Fix<'_>]) -> Result<(), Fault> {
    for (at, fix) in fixes.iter().enumerate() {
        say(
            shell,
            &format!(
                "{}{}",
                if at == 0 { "" } else { "\n" },
                fix.text(&shell.paint)
            ),
        );
        let told = match chosen(shell, fix) {
            Choice::Quit => return Ok(()),
            Choice::Skip => continue,
            Choice::Invalidate => invalidated(shell, desk, fix)?,
            Choice::Replace => match &fix.proposal {
                Some(it) => replaced(shell, desk, fix, it.fact.clone())?,
                None => continue,
            },
            Choice::Edit => {
                say(shell, "      the fact, on one line: ");
                match shell.world.read_line().trim() {
                    "" => continue,
                    fact => replaced(shell, desk, fix, fact.to_owned())?,
                }
            }
        };
        say(shell, &told);
    }
    Ok(())
}

/// Asks until it is understood.
fn chosen(shell: &Shell, fix: &Fix<'_>) -> Choice {
    let key = |key: &str, what: &str| format!("[{}] {what}  ", ink(BOLD, key));
    let has_proposal = fix.proposal.is_some();
    let replace = if has_proposal {
        key("y", "replace") + &key("e", "edit the fact")
    } else {
        String::new()
    };
    let question = format!(
        "      {replace}{}{}{}> ",
        key("i", "invalidate"),
        key("s", "skip"),
        key("q", "quit")
    );
    loop {
        say(shell, &question);
        match Choice::of(&shell.world.read_line()) {
            Some(Choice::Replace | Choice::Edit) if !has_proposal => {}
            Some(choice) => return choice,
            None => {}
        }
    }
}

fn replaced(shell: &Shell, desk: &Desk, fix: &Fix<'_>, fact: String) -> Result<String, Fault> {
    let old = &fix.verified.memory;
    let voice = shell.world.speaker().voice().clone();
    let cites = fix
        .proposal
        .as_ref()
        .map(|it| it.cites.clone())
        .unwrap_or_default();
    let (tags, reason) = (old.tags.clone(), old.reason.clone());
    let draft = Draft {
        citations: cites,
        tags,
        reason,
        ..Draft::new(old.space.clone(), fact, voice)
    };
    let cx = desk.cx_for(&old.space);
    let outcome = revise::supersede(
        &cx,
        &desk.spaces(),
        Name::Id(old.id),
        draft,
        Replacement::Correction,
    )?;
    Ok(match outcome {
        Outcome::Remembered { memory, .. } => kept(&memory, old),
        Outcome::Refreshed { memory } => {
            format!("      {} says it already\n", ink(BOLD, memory.handle()))
        }
        Outcome::Similar { near } => {
            let known = near
                .iter()
                .map(|it| it.handle.to_string())
                .collect::<Vec<_>>()
                .join(", ");
            format!(
                "      {} much the same is known: {known}\n",
                ink(YELLOW.bold(), "not kept:")
            )
        }
        Outcome::Refused(refusal) => shell.refused(&refusal).err,
    })
}

fn kept(memory: &Memory, old: &Memory) -> String {
    let done = format!(
        "      {} {} in place of {}\n",
        ink(GREEN, "remembered"),
        ink(BOLD, memory.handle()),
        old.handle()
    );
    match &memory.status {
        Status::Pending { why } => {
            let approve = ink(CYAN, format!("apostille approve {}", memory.handle()));
            format!(
                "{done}      {} {}; {approve}\n",
                ink(YELLOW, "pending:"),
                one_line(why)
            )
        }
        _ => done,
    }
}

fn invalidated(shell: &Shell, desk: &Desk, fix: &Fix<'_>) -> Result<String, Fault> {
    let old = &fix.verified.memory;
    let reason = format!("the code changed: {}", places(old));
    Ok(
        match revise::invalidate(&desk.cx(), &desk.spaces(), Name::Id(old.id), &reason)? {
            Revised::Done(_) => format!(
                "      {} {}\n",
                ink(GREEN, "invalidated"),
                ink(BOLD, old.handle())
            ),
            Revised::Refused(refusal) => shell.refused(&refusal).err,
        },
    )
}

/// Says something at once, to a person who waits for it.
fn say(shell: &Shell, text: &str) {
    // A terminal that is gone is noticed when the answer is read.
    let _ = shell::write(std::io::stdout().lock(), text, shell.flags.color);
    let _ = std::io::stdout().flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_understood_and_the_end_of_input_is_the_end() {
        let check = |line: &str, expected: Option<Choice>| {
            assert_eq!(Choice::of(line), expected, "{line:?}")
        };
        check("", Some(Choice::Quit));
        check("\n", Some(Choice::Skip));
        check("Y\n", Some(Choice::Replace));
        check(" e\r\n", Some(Choice::Edit));
        check("i\n", Some(Choice::Invalidate));
        check("q\n", Some(Choice::Quit));
        check("what?\n", None);
    }
}
