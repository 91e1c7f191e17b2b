//! `verify --fix`: what could take the place of each memory that does not hold, for a person or an agent to accept.

use std::io::Write as _;

use apostille_core::memory::{Draft, Name, Origin, Replacement, Voice};
use apostille_core::remember::Outcome;
use apostille_core::revise::{self, Revised};
use apostille_core::verify::Verified;
use apostille_core::verify::draft::{Proposal, propose};
use serde::Serialize;

use crate::error::{self, Fault};
use crate::paint::{BOLD, DIM, GREEN, Paint, ink, memory, one_line, safe};
use crate::shell::{Answer, Shell};
use crate::world::desk::Desk;

#[derive(Serialize)]
struct Reply {
    ok: bool,
    drafts: Vec<DraftView>,
}

/// A draft, with the command that accepts it. Where nothing is left to cite there is no fact, and the command retires.
#[derive(Serialize)]
struct DraftView {
    handle: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fact: Option<String>,
    swapped: Vec<(String, String)>,
    cite: Vec<String>,
    command: String,
}

/// Shows the drafts; a person at a terminal is asked about each.
pub fn run(shell: &Shell, desk: &Desk, verified: &[Verified]) -> Result<Answer, Fault> {
    let broken: Vec<&Verified> = verified.iter().filter(|it| it.is_invalid()).collect();
    let code = if broken.is_empty() { error::OK } else { error::NOTHING };
    let terminal = shell.world.terminal;
    if terminal.stdin && terminal.stdout && terminal.stderr && !shell.flags.json && !broken.is_empty() {
        return asked(shell, desk, &broken);
    }
    let json = Reply { ok: broken.is_empty(), drafts: broken.iter().map(|it| view(it)).collect() };
    Ok(shell.answer(code, &json, |paint| match broken[..] {
        [] => "everything holds; there is nothing to fix\n".into(),
        _ => broken.iter().map(|it| shown(paint, it)).collect::<Vec<_>>().join("\n"),
    }))
}

fn view(it: &Verified) -> DraftView {
    let draft = propose(it);
    DraftView {
        handle: it.memory.handle().to_string(),
        command: command(it, draft.as_ref()),
        cite: draft.iter().flat_map(|it| &it.cites).map(ToString::to_string).collect(),
        swapped: draft.as_ref().map(|it| it.swapped.clone()).unwrap_or_default(),
        fact: draft.map(|it| it.fact),
    }
}

/// A memory that does not hold, what the code says now, and the command that accepts the draft.
fn shown(paint: &Paint, it: &Verified) -> String {
    let draft = propose(it);
    let fact = draft.as_ref().map(|it| paint.wrapped(&format!("now: {}", marked(it)), 6)).unwrap_or_default();
    let command = ink(DIM, safe(&command(it, draft.as_ref())));
    format!("{}{fact}      {command}\n", memory::entry(paint, &it.memory, &it.verdicts))
}

/// The proposed fact. Where nothing was put in place of something, the fact is the old one, for somebody to reword.
fn marked(draft: &Proposal) -> String {
    let swaps: Vec<String> = draft.swapped.iter().map(|(old, new)| format!("{old} → {new}")).collect();
    if swaps.is_empty() { draft.fact.clone() } else { format!("{} ({})", draft.fact, swaps.join(", ")) }
}

fn command(it: &Verified, draft: Option<&Proposal>) -> String {
    let handle = it.memory.handle();
    match draft {
        Some(draft) => {
            let cites: String =
                draft.cites.iter().map(|it| format!(" --cite {}", quoted(&it.to_string()))).collect();
            format!("apostille supersede {handle} --correct{cites} {}", quoted(&draft.fact))
        }
        None => format!("apostille invalidate {handle} --reason 'its code is gone'"),
    }
}

/// A text as a shell takes it for one word, with nothing in it run.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+".contains(c);
    let text = memory::harmless(text);
    if !text.is_empty() && text.chars().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// What a person decided about one memory.
enum Decision {
    Replace(String),
    Invalidate,
    Skip,
    Quit,
}

/// Asks about each memory in turn, and does what is said.
fn asked(shell: &Shell, desk: &Desk, broken: &[&Verified]) -> Result<Answer, Fault> {
    let mut done = String::new();
    for it in broken {
        let draft = propose(it);
        say(&format!("\n{}", shown(&shell.paint, it)));
        let said = match decided(shell, draft.as_ref()) {
            Decision::Quit => break,
            Decision::Skip => continue,
            Decision::Invalidate => invalidated(desk, it)?,
            Decision::Replace(fact) => replaced(desk, it, draft.as_ref(), fact)?,
        };
        done += &said;
    }
    let done = if done.is_empty() { "nothing was changed\n".to_owned() } else { done };
    Ok(Answer { code: error::OK, out: done, color: shell.flags.color, ..Answer::default() })
}

fn decided(shell: &Shell, draft: Option<&Proposal>) -> Decision {
    let keys = match draft {
        Some(_) => "[y] replace  [e] reword  [i] invalidate  [s] skip  [q] quit",
        None => "[i] invalidate  [s] skip  [q] quit",
    };
    say(&format!("      {} ", ink(BOLD, keys)));
    let line = shell.world.read_line();
    match (line.trim(), draft) {
        ("y", Some(draft)) => Decision::Replace(draft.fact.clone()),
        ("e", Some(_)) => {
            say("      the fact as it is now: ");
            match shell.world.read_line().trim() {
                "" => Decision::Skip,
                fact => Decision::Replace(fact.to_owned()),
            }
        }
        ("i", _) => Decision::Invalidate,
        ("q", _) => Decision::Quit,
        // The end of input is no answer, and none comes after it.
        ("", _) if line.is_empty() => Decision::Quit,
        _ => Decision::Skip,
    }
}

fn invalidated(desk: &Desk, it: &Verified) -> Result<String, Fault> {
    let name = Name::Id(it.memory.id);
    let cx = desk.cx_for(&it.memory.space);
    Ok(match revise::invalidate(&cx, &desk.spaces(), name, "a person saw that its code has changed")? {
        Revised::Done(memory) => format!("{} {}\n", ink(GREEN, "invalidated"), memory.handle()),
        Revised::Refused(refusal) => format!("refused: {}\n", safe(&refusal.to_string())),
    })
}

fn replaced(desk: &Desk, it: &Verified, draft: Option<&Proposal>, fact: String) -> Result<String, Fault> {
    let citations = draft.map(|it| it.cites.clone()).unwrap_or_default();
    let draft = Draft { citations, ..Draft::new(it.memory.space.clone(), fact, Voice::of(Origin::User)) };
    let cx = desk.cx_for(&it.memory.space);
    let name = Name::Id(it.memory.id);
    Ok(match revise::supersede(&cx, &desk.spaces(), name, draft, Replacement::Correction)? {
        Outcome::Remembered { memory, .. } | Outcome::Refreshed { memory } => {
            let old = it.memory.handle();
            format!("{} {old} by {}  {}\n", ink(GREEN, "replaced"), memory.handle(), one_line(&memory.fact))
        }
        Outcome::Similar { near } => {
            let known = near.first().map(|it| it.handle.to_string()).unwrap_or_default();
            format!("left alone: {known} says much the same\n")
        }
        Outcome::Refused(refusal) => format!("refused: {}\n", safe(&refusal.to_string())),
    })
}

/// Says something to the person who is asked, beside the output.
fn say(text: &str) {
    let mut stream = anstream::AutoStream::new(std::io::stderr(), anstream::ColorChoice::Auto);
    let _ = stream.write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_shell_takes_it_for_one_word() {
        let check = |text: &str, expected: &str| assert_eq!(quoted(text), expected, "{text:?}");
        check("src/a.rs:3-5", "src/a.rs:3-5");
        check("it's $(rm -rf ~)", r"'it'\''s $(rm -rf ~)'");
        check("two\nlines", "'two lines'");
        check("", "''");
    }
}
