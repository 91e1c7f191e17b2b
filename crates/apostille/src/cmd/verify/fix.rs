//! `verify --fix`: what to say instead of what does not hold, and the command that says it.

use crate::cmd::format_outcome;
use apostille_cite::verdict::Verdict;
use apostille_core::{
    memory::{Draft, Memory, MemoryName, ReplacementKind, Status},
    remember::RememberOutcome,
    revise::{self, ReviseOutcome},
    verify::{
        VerifiedMemory,
        proposal::{ReplacementProposal, propose_replacement},
    },
};
use serde_json::{Value, json};

use apostille_terminal::{
    command_context::{CommandContext, CommandResult},
    paint::{
        BOLD, CYAN, DIM, GREEN, Paint, YELLOW, embolden_words, flatten_to_line, format_if, memory,
        memory::{format_not_kept, format_place},
        paste::quote_pasted_word,
        style_text,
    },
};
use apostille_workspace::workspace::Workspace;

/// What to do about one memory.
pub struct VerifyFix<'a> {
    verified: &'a VerifiedMemory,
    proposal: Option<ReplacementProposal>,
    command: String,
}

/// What to do about each memory that is invalid. Where something could not be looked up, that is to wait.
pub fn propose_verify_fixes<'a>(
    ctx: &CommandContext,
    verified: &'a [VerifiedMemory],
) -> Vec<VerifyFix<'a>> {
    let is_unknown = |it: &Verdict| matches!(it, Verdict::Unknown { .. });
    let due = |it: &&VerifiedMemory| {
        it.is_invalid()
            && it.memory.is_active()
            && it.deed.is_none()
            && !it.verdicts.iter().any(is_unknown)
    };
    verified
        .iter()
        .filter(due)
        .map(|it| VerifyFix::new(ctx, it))
        .collect()
}

impl<'a> VerifyFix<'a> {
    fn new(ctx: &CommandContext, verified: &'a VerifiedMemory) -> Self {
        let proposal = propose_replacement(verified);
        let memory = &verified.memory;
        let program = ctx.flags.pasted_program();
        let handle = memory.handle();
        let command = match &proposal {
            Some(it) => {
                let arguments = format_supersede_arguments(memory, it);
                format!("{program} supersede {handle} --correct{arguments}")
            }
            None => {
                let reason = format!("the code is gone: {}", format_cited_places(memory));
                let reason = quote_pasted_word(&reason);
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
    pub fn to_view(&self) -> Value {
        let mut view = json!({"handle": self.verified.memory.handle().to_string()});
        if let Some(it) = &self.proposal {
            let swapped: Vec<Value> = it
                .swapped
                .iter()
                .map(|(was, now)| json!({"was": was, "now": now}))
                .collect();
            let cites: Vec<String> = it.cites.iter().map(ToString::to_string).collect();
            view["fact"] = json!(it.fact);
            view["swapped"] = json!(swapped);
            view["cite"] = json!(cites);
        }
        view["command"] = json!(self.command);
        view
    }

    /// The memory with the diff, what could be said instead, and the command for it.
    pub fn to_text(&self, paint: &Paint) -> String {
        let it = self.verified;
        let entry = memory::format_memory_entry(paint, it.into());
        let instead = match &self.proposal {
            None => style_text(DIM, "      nothing is left to cite\n"),
            Some(it) if it.swapped.is_empty() => style_text(
                DIM,
                "      say what is true now; if the fact still is, it only needs its citations anew:\n",
            ),
            Some(it) => {
                let words: Vec<&str> = it.swapped.iter().map(|it| it.1.as_str()).collect();
                let fact = embolden_words(&paint.wrap_text(&it.fact, 8), &words);
                format!("      {GREEN}instead:{GREEN:#}\n{fact}")
            }
        };
        let command = &self.command;
        format!("{entry}{instead}      {CYAN}{command}{CYAN:#}\n")
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
    let mut places = memory.citations.iter();
    let first: String = places
        .next()
        .map(|it| format_place(&it.location()))
        .unwrap_or_default()
        .chars()
        .take(200)
        .collect();
    match places.len() {
        0 => first,
        n_more => format!("{first} and {n_more} more"),
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
        Some(match line.trim().to_ascii_lowercase().as_str() {
            "" if line.is_empty() => Self::Quit,
            "y" | "yes" => Self::Replace,
            "e" => Self::Edit,
            "i" => Self::Invalidate,
            "" | "s" => Self::Skip,
            "q" => Self::Quit,
            _ => return None,
        })
    }
}

/// Goes through the memories with a person, and does what is chosen.
pub fn ask_about_fixes(
    ctx: &CommandContext,
    workspace: &Workspace,
    fixes: &[VerifyFix],
) -> CommandResult<()> {
    for (at, fix) in fixes.iter().enumerate() {
        let gap = if at == 0 { "" } else { "\n" };
        ctx.print_at_once(&format!("{gap}{}", fix.to_text(&ctx.paint)));
        let told = match (ask_fix_choice(ctx, fix), &fix.proposal) {
            (FixChoice::Quit, _) => return Ok(()),
            (FixChoice::Invalidate, _) => invalidate_by_fix(ctx, workspace, fix)?,
            (FixChoice::Replace, Some(it)) => supersede_by_fix(ctx, workspace, fix, &it.fact)?,
            (FixChoice::Edit, _) => {
                ctx.print_at_once("      the fact, on one line: ");
                match ctx.system.read_line().trim() {
                    "" => continue,
                    fact => supersede_by_fix(ctx, workspace, fix, fact)?,
                }
            }
            (FixChoice::Skip | FixChoice::Replace, _) => continue,
        };
        ctx.print_at_once(&told);
    }
    Ok(())
}

/// Asks until it is understood.
fn ask_fix_choice(ctx: &CommandContext, fix: &VerifyFix) -> FixChoice {
    let key = |key: &str, what: &str| format!("[{BOLD}{key}{BOLD:#}] {what}  ");
    let has_proposal = fix.proposal.is_some();
    let replace = format_if(has_proposal, || {
        key("y", "replace") + &key("e", "edit the fact")
    });
    let question = format!(
        "      {replace}{}{}{}> ",
        key("i", "invalidate"),
        key("s", "skip"),
        key("q", "quit")
    );
    loop {
        ctx.print_at_once(&question);
        match FixChoice::from_line(&ctx.system.read_line()) {
            None => {}
            Some(FixChoice::Replace | FixChoice::Edit) if !has_proposal => {}
            Some(choice) => return choice,
        }
    }
}

fn supersede_by_fix(
    ctx: &CommandContext,
    workspace: &Workspace,
    fix: &VerifyFix,
    fact: &str,
) -> CommandResult<String> {
    let old = &fix.verified.memory;
    let voice = ctx.system.speaker().voice().clone();
    let proposal = fix.proposal.as_ref();
    let draft = Draft {
        citations: proposal.map(|it| it.cites.clone()).unwrap_or_default(),
        tags: old.tags.clone(),
        reason: old.reason.clone(),
        ..Draft::new(old.space.clone(), fact, voice)
    };
    let cx = workspace.context_for(&old.space);
    let how = ReplacementKind::Correction;
    let name = MemoryName::Id(old.id);
    Ok(
        match revise::supersede_memory(&cx, &workspace.spaces(), name, draft, how)? {
            RememberOutcome::Remembered { memory, .. } => format_fix_replacement(&memory, old),
            RememberOutcome::Refreshed { memory } => {
                let handle = memory.handle();
                format!("      {BOLD}{handle}{BOLD:#} says it already\n")
            }
            RememberOutcome::Similar { near } => format!("      {}", format_not_kept(&near)),
            RememberOutcome::Refused(refusal) => ctx.render_refusal(&refusal).err,
        },
    )
}

fn format_fix_replacement(memory: &Memory, old: &Memory) -> String {
    let done = format_outcome("remembered", memory.handle());
    let done = format!("      {done} in place of {}\n", old.handle());
    match &memory.status {
        Status::Pending { why } => {
            let approve = format!("{CYAN}apostille approve {}{CYAN:#}", memory.handle());
            format!(
                "{done}      {YELLOW}pending:{YELLOW:#} {}; {approve}\n",
                flatten_to_line(why)
            )
        }
        _ => done,
    }
}

fn invalidate_by_fix(
    ctx: &CommandContext,
    workspace: &Workspace,
    fix: &VerifyFix,
) -> CommandResult<String> {
    let old = &fix.verified.memory;
    let reason = format!("the code changed: {}", format_cited_places(old));
    let cx = workspace.context();
    let name = MemoryName::Id(old.id);
    Ok(
        match revise::invalidate_memory(&cx, &workspace.spaces(), name, &reason)? {
            ReviseOutcome::Done(_) => {
                format!("      {}\n", format_outcome("invalidated", old.handle()))
            }
            ReviseOutcome::Refused(refusal) => ctx.render_refusal(&refusal).err,
        },
    )
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
