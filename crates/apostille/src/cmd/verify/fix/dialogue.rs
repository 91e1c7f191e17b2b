//! A person goes through what does not stand, one memory at a time.

use super::{VerifyFix, format_cited_places};
use crate::cmd::format_outcome;
use apostille_cite::citation_request::CitationRequest;
use apostille_core::{
    memory::{Draft, Memory, MemoryName, ReplacementKind, Status},
    remember::RememberOutcome,
    revise::{self, ReviseOutcome},
    speaker::PersonVerb,
    standing_text::describe_kept_beside,
    verify::proposal::ReplacementProposal,
};
use apostille_terminal::{
    command_context::{CommandContext, CommandResult},
    paint::{
        BOLD, CYAN, YELLOW, flatten_to_line, format_if, join_texts,
        memory::{format_not_kept, format_place},
        style_text,
    },
};
use apostille_workspace::workspace::Workspace;

/// Where a person is asked.
pub trait FixConsole {
    /// Shows something at once.
    fn print_text(&self, text: &str);

    /// The line that is typed; empty at the end of the input.
    fn read_answer(&self) -> String;
}

impl FixConsole for CommandContext {
    fn print_text(&self, text: &str) {
        self.print_at_once(text);
    }

    fn read_answer(&self) -> String {
        self.system.read_line()
    }
}

/// What a person chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FixChoice {
    Correct,
    Confirm,
    Edit,
    Drop,
    Skip,
    Quit,
}

impl FixChoice {
    /// The choice that a line stands for; the end of the input is the end of it all.
    fn from_line(line: &str) -> Option<Self> {
        Some(match line.trim().to_ascii_lowercase().as_str() {
            "" if line.is_empty() => Self::Quit,
            "y" | "yes" => Self::Correct,
            "c" => Self::Confirm,
            "e" => Self::Edit,
            "d" | "i" => Self::Drop,
            "" | "s" => Self::Skip,
            "q" => Self::Quit,
            _ => return None,
        })
    }

    /// Whether it can be chosen: what has no place left cannot be confirmed, and only what the code replaced one for one
    /// can be said anew without a person's words.
    fn is_offered(self, proposal: Option<&ReplacementProposal>) -> bool {
        match self {
            Self::Correct => proposal.is_some_and(|it| !it.swapped.is_empty()),
            Self::Confirm | Self::Edit => proposal.is_some(),
            Self::Drop | Self::Skip | Self::Quit => true,
        }
    }
}

/// Goes through the memories with a person, and does what is chosen.
pub fn ask_about_fixes(
    ctx: &CommandContext,
    talk: &dyn FixConsole,
    workspace: &Workspace,
    fixes: &[VerifyFix],
) -> CommandResult<()> {
    let hand = FixHand {
        ctx,
        talk,
        workspace,
    };
    for (at, fix) in fixes.iter().enumerate() {
        let gap = if at == 0 { "" } else { "\n" };
        talk.print_text(&format!("{gap}{}", fix.format_entry(&ctx.paint)));
        let told = match (hand.ask_choice(fix), &fix.proposal) {
            (FixChoice::Quit, _) => return Ok(()),
            (FixChoice::Drop, _) => hand.drop_memory(fix)?,
            (FixChoice::Correct, Some(it)) => hand.correct_memory(fix, it, &it.fact)?,
            (FixChoice::Confirm, Some(it)) => hand.confirm_memory(fix, it)?,
            (FixChoice::Edit, Some(it)) => {
                talk.print_text("      the fact, on one line: ");
                match talk.read_answer().trim() {
                    "" => continue,
                    fact => hand.correct_memory(fix, it, fact)?,
                }
            }
            _ => continue,
        };
        talk.print_text(&told);
    }
    Ok(())
}

/// Does what was chosen.
struct FixHand<'a> {
    ctx: &'a CommandContext,
    talk: &'a dyn FixConsole,
    workspace: &'a Workspace,
}

impl FixHand<'_> {
    /// Asks until it is understood.
    fn ask_choice(&self, fix: &VerifyFix) -> FixChoice {
        let proposal = fix.proposal.as_ref();
        let key = |choice: FixChoice, key: &str, what: &str| {
            format_if(choice.is_offered(proposal), || {
                format!("[{BOLD}{key}{BOLD:#}] {what}  ")
            })
        };
        let places = proposal.map(|it| join_texts(it.cites.iter().map(format_place), ", "));
        let confirm = format!("still true at {}", places.unwrap_or_default());
        let question = format!(
            "      {}{}{}{}{}{}> ",
            key(FixChoice::Correct, "y", "correct it like this"),
            key(FixChoice::Confirm, "c", &confirm),
            key(FixChoice::Edit, "e", "edit the fact"),
            key(FixChoice::Drop, "d", "drop it"),
            key(FixChoice::Skip, "s", "skip"),
            key(FixChoice::Quit, "q", "quit")
        );
        loop {
            self.talk.print_text(&question);
            let choice = FixChoice::from_line(&self.talk.read_answer());
            if let Some(choice) = choice.filter(|it| it.is_offered(proposal)) {
                return choice;
            }
        }
    }

    fn correct_memory(
        &self,
        fix: &VerifyFix,
        proposal: &ReplacementProposal,
        fact: &str,
    ) -> CommandResult<String> {
        let old = &fix.verified.memory;
        let speaker = self.ctx.speaker_for(PersonVerb::Invalidate, [old])?;
        let voice = speaker.voice().clone();
        let draft = Draft {
            citations: proposal.cites.iter().map(Into::into).collect(),
            tags: old.tags.clone(),
            reason: old.reason.clone(),
            ..Draft::new(old.space.clone(), fact, voice)
        };
        let cx = self.workspace.context_for(&old.space);
        let (name, how) = (MemoryName::Id(old.id), ReplacementKind::Correction);
        let spaces = self.workspace.spaces();
        Ok(
            match revise::supersede_memory(&cx, &speaker, &spaces, name, draft, how)? {
                RememberOutcome::Remembered { memory, beside, .. } => {
                    let done = format_fix_replacement(&memory, old, beside.is_some());
                    done + &beside.map_or(String::new(), |it| {
                        let told = self.ctx.paint.wrap_text(&describe_kept_beside(it), 6);
                        style_text(YELLOW, told)
                    })
                }
                RememberOutcome::Refreshed { memory } => {
                    let handle = memory.handle();
                    format!("      {BOLD}{handle}{BOLD:#} says it already\n")
                }
                RememberOutcome::Similar { near } => format!("      {}", format_not_kept(&near)),
                RememberOutcome::Refused(refusal) => self.ctx.render_refusal(&refusal).err,
            },
        )
    }

    fn confirm_memory(
        &self,
        fix: &VerifyFix,
        proposal: &ReplacementProposal,
    ) -> CommandResult<String> {
        let old = &fix.verified.memory;
        let cx = self.workspace.context_for(&old.space);
        let speaker = self.ctx.speaker()?;
        let (spaces, name) = (self.workspace.spaces(), MemoryName::Id(old.id));
        let (by, cites) = (speaker.voice(), proposal.cites.iter());
        let cites: Vec<CitationRequest> = cites.map(Into::into).collect();
        let done = revise::confirm_memory(&cx, &spaces, name, &cites, by)?;
        Ok(self.format_revision("confirmed", old, done))
    }

    fn drop_memory(&self, fix: &VerifyFix) -> CommandResult<String> {
        let old = &fix.verified.memory;
        let reason = format!("the code changed: {}", format_cited_places(old));
        let cx = self.workspace.context();
        let name = MemoryName::Id(old.id);
        let speaker = self.ctx.speaker_for(PersonVerb::Invalidate, [old])?;
        let spaces = self.workspace.spaces();
        let done = revise::invalidate_memory(&cx, &speaker, &spaces, name, &reason)?;
        Ok(self.format_revision("invalidated", old, done))
    }

    fn format_revision(&self, word: &str, old: &Memory, done: ReviseOutcome) -> String {
        match done {
            ReviseOutcome::Done(_) => format!("      {}\n", format_outcome(word, old.handle())),
            ReviseOutcome::Refused(refusal) => self.ctx.render_refusal(&refusal).err,
        }
    }
}

fn format_fix_replacement(memory: &Memory, old: &Memory, is_beside: bool) -> String {
    let place = if is_beside { "beside" } else { "in place of" };
    let done = format_outcome("remembered", memory.handle());
    let done = format!("      {done} {place} {}\n", old.handle());
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

#[cfg(test)]
mod tests;
