//! `verify --fix`: what to say instead of what does not hold, and the command that says it.

use std::io::Write as _;

use apostille_cite::verdict::Verdict;
use apostille_core::memory::{Draft, Memory, MemoryName, ReplacementKind, Status};
use apostille_core::remember::RememberOutcome;
use apostille_core::revise::{self, ReviseOutcome};
use apostille_core::verify::VerifiedMemory;
use apostille_core::verify::proposal::{ReplacementProposal, propose_replacement};
use serde::Serialize;

use apostille_terminal::command_context;
use apostille_terminal::command_context::CommandContext;
use apostille_terminal::paint::paste::quote_pasted_word;
use apostille_terminal::paint::{
    BOLD, CYAN, DIM, GREEN, Paint, YELLOW, embolden_words, flatten_to_line, memory, style_text,
};
use apostille_workspace::error::CommandError;
use apostille_workspace::workspace::Workspace;

/// What to do about one memory.
pub struct VerifyFix<'a> {
    verified: &'a VerifiedMemory,
    proposal: Option<ReplacementProposal>,
    command: String,
}

/// The same in `--json`.
#[derive(Serialize)]
pub struct VerifyFixView {
    handle: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fact: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    swapped: Option<Vec<SwappedValueView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cite: Option<Vec<String>>,
    command: String,
}

#[derive(Serialize)]
struct SwappedValueView {
    was: String,
    now: String,
}

/// What to do about each memory that is invalid. Where something could not be looked up, that is to wait.
pub fn propose_verify_fixes<'a>(
    shell: &CommandContext,
    verified: &'a [VerifiedMemory],
) -> Vec<VerifyFix<'a>> {
    let is_known = |it: &VerifiedMemory| {
        !it.verdicts
            .iter()
            .any(|it| matches!(it, Verdict::Unknown { .. }))
    };
    let due = |it: &&VerifiedMemory| {
        it.is_invalid() && it.memory.is_active() && it.deed.is_none() && is_known(it)
    };
    verified
        .iter()
        .filter(due)
        .map(|it| VerifyFix::new(shell, it))
        .collect()
}

impl<'a> VerifyFix<'a> {
    fn new(shell: &CommandContext, verified: &'a VerifiedMemory) -> Self {
        let proposal = propose_replacement(verified);
        let (program, handle) = (shell.flags.pasted_program(), verified.memory.handle());
        let command = match &proposal {
            Some(it) => format!(
                "{program} supersede {handle} --correct{}",
                format_supersede_arguments(&verified.memory, it)
            ),
            None => {
                let reason = quote_pasted_word(&format!(
                    "the code is gone: {}",
                    format_cited_places(&verified.memory)
                ));
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
    pub fn to_view(&self) -> VerifyFixView {
        let swap = |(was, now): &(String, String)| SwappedValueView {
            was: was.clone(),
            now: now.clone(),
        };
        let proposal = self.proposal.as_ref();
        VerifyFixView {
            handle: self.verified.memory.handle().to_string(),
            fact: proposal.map(|it| it.fact.clone()),
            swapped: proposal.map(|it| it.swapped.iter().map(swap).collect()),
            cite: proposal.map(|it| it.cites.iter().map(ToString::to_string).collect()),
            command: self.command.clone(),
        }
    }

    /// The memory with the diff, what could be said instead, and the command for it.
    pub fn to_text(&self, paint: &Paint) -> String {
        let it = self.verified;
        let entry = memory::format_memory_entry(paint, &it.memory, &it.verdicts);
        let instead = match &self.proposal {
            None => style_text(DIM, "      nothing is left to cite\n"),
            Some(it) if it.swapped.is_empty() => style_text(
                DIM,
                "      say what is true now; if the fact still is, it only needs its citations anew:\n",
            ),
            Some(it) => {
                let words: Vec<&str> = it.swapped.iter().map(|it| it.1.as_str()).collect();
                let fact = embolden_words(&paint.wrap_text(&it.fact, 8), &words);
                format!("      {}\n{fact}", style_text(GREEN, "instead:"))
            }
        };
        format!(
            "{entry}{instead}      {}\n",
            style_text(CYAN, &self.command)
        )
    }
}

/// The rest of the command: the citations, the tags, and the fact, which may look like a flag.
fn format_supersede_arguments(memory: &Memory, it: &ReplacementProposal) -> String {
    let cites = it
        .cites
        .iter()
        .map(|it| format!(" --cite {}", quote_pasted_word(&it.to_string())));
    let tags = memory
        .tags
        .iter()
        .map(|it| format!(" --tag {}", quote_pasted_word(it)));
    let dashes = if it.fact.starts_with('-') { " --" } else { "" };
    let fact = format!("{dashes} {}", quote_pasted_word(&it.fact));
    cites.chain(tags).chain([fact]).collect()
}

/// The first places that a memory cites: enough for a reason, which has a limit.
fn format_cited_places(memory: &Memory) -> String {
    let mut places = memory
        .citations
        .iter()
        .map(|it| flatten_to_line(&it.location().to_string()));
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
enum FixChoice {
    Replace,
    Edit,
    Invalidate,
    Skip,
    Quit,
}

impl FixChoice {
    /// The choice that a line stands for; the end of the input is the end of it all.
    fn from_line(line: &str) -> Option<Self> {
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
pub fn ask_about_fixes(
    shell: &CommandContext,
    desk: &Workspace,
    fixes: &[VerifyFix<'_>],
) -> Result<(), CommandError> {
    for (at, fix) in fixes.iter().enumerate() {
        print_at_once(
            shell,
            &format!(
                "{}{}",
                if at == 0 { "" } else { "\n" },
                fix.to_text(&shell.paint)
            ),
        );
        let told = match ask_fix_choice(shell, fix) {
            FixChoice::Quit => return Ok(()),
            FixChoice::Skip => continue,
            FixChoice::Invalidate => invalidate_by_fix(shell, desk, fix)?,
            FixChoice::Replace => match &fix.proposal {
                Some(it) => supersede_by_fix(shell, desk, fix, it.fact.clone())?,
                None => continue,
            },
            FixChoice::Edit => {
                print_at_once(shell, "      the fact, on one line: ");
                match shell.world.read_line().trim() {
                    "" => continue,
                    fact => supersede_by_fix(shell, desk, fix, fact.to_owned())?,
                }
            }
        };
        print_at_once(shell, &told);
    }
    Ok(())
}

/// Asks until it is understood.
fn ask_fix_choice(shell: &CommandContext, fix: &VerifyFix<'_>) -> FixChoice {
    let key = |key: &str, what: &str| format!("[{}] {what}  ", style_text(BOLD, key));
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
        print_at_once(shell, &question);
        match FixChoice::from_line(&shell.world.read_line()) {
            Some(FixChoice::Replace | FixChoice::Edit) if !has_proposal => {}
            Some(choice) => return choice,
            None => {}
        }
    }
}

fn supersede_by_fix(
    shell: &CommandContext,
    desk: &Workspace,
    fix: &VerifyFix<'_>,
    fact: String,
) -> Result<String, CommandError> {
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
    let cx = desk.context_for(&old.space);
    let outcome = revise::supersede_memory(
        &cx,
        &desk.spaces(),
        MemoryName::Id(old.id),
        draft,
        ReplacementKind::Correction,
    )?;
    Ok(match outcome {
        RememberOutcome::Remembered { memory, .. } => format_fix_replacement(&memory, old),
        RememberOutcome::Refreshed { memory } => {
            format!(
                "      {} says it already\n",
                style_text(BOLD, memory.handle())
            )
        }
        RememberOutcome::Similar { near } => {
            let known = near
                .iter()
                .map(|it| it.handle.to_string())
                .collect::<Vec<_>>()
                .join(", ");
            format!(
                "      {} much the same is known: {known}\n",
                style_text(YELLOW.bold(), "not kept:")
            )
        }
        RememberOutcome::Refused(refusal) => shell.render_refusal(&refusal).err,
    })
}

fn format_fix_replacement(memory: &Memory, old: &Memory) -> String {
    let done = format!(
        "      {} {} in place of {}\n",
        style_text(GREEN, "remembered"),
        style_text(BOLD, memory.handle()),
        old.handle()
    );
    match &memory.status {
        Status::Pending { why } => {
            let approve = style_text(CYAN, format!("apostille approve {}", memory.handle()));
            format!(
                "{done}      {} {}; {approve}\n",
                style_text(YELLOW, "pending:"),
                flatten_to_line(why)
            )
        }
        _ => done,
    }
}

fn invalidate_by_fix(
    shell: &CommandContext,
    desk: &Workspace,
    fix: &VerifyFix<'_>,
) -> Result<String, CommandError> {
    let old = &fix.verified.memory;
    let reason = format!("the code changed: {}", format_cited_places(old));
    Ok(
        match revise::invalidate_memory(
            &desk.context(),
            &desk.spaces(),
            MemoryName::Id(old.id),
            &reason,
        )? {
            ReviseOutcome::Done(_) => format!(
                "      {} {}\n",
                style_text(GREEN, "invalidated"),
                style_text(BOLD, old.handle())
            ),
            ReviseOutcome::Refused(refusal) => shell.render_refusal(&refusal).err,
        },
    )
}

/// Says something at once, to a person who waits for it.
fn print_at_once(shell: &CommandContext, text: &str) {
    // A terminal that is gone is noticed when the answer is read.
    let _ = command_context::write_styled_text(std::io::stdout().lock(), text, shell.flags.color);
    let _ = std::io::stdout().flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_understood_and_the_end_of_input_is_the_end() {
        let check = |line: &str, expected: Option<FixChoice>| {
            assert_eq!(FixChoice::from_line(line), expected, "{line:?}")
        };
        check("", Some(FixChoice::Quit));
        check("\n", Some(FixChoice::Skip));
        check("Y\n", Some(FixChoice::Replace));
        check(" e\r\n", Some(FixChoice::Edit));
        check("i\n", Some(FixChoice::Invalidate));
        check("q\n", Some(FixChoice::Quit));
        check("what?\n", None);
    }
}
