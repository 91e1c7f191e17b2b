//! `verify --fix`: what to do about what does not stand, and the commands that do it.

mod dialogue;

use apostille_cite::verdict::Verdict;
use apostille_core::{
    memory::{Memory, MemoryName, Origin, Voice},
    revise::{self, ReviseOutcome},
    standing_text::StandingView,
    verify::{
        VerifiedMemory, VerifyAction,
        proposal::{
            ReplacementProposal, is_confirmable_unasked, needs_decision, propose_replacement,
        },
    },
};
use serde_json::{Value, json};

use apostille_terminal::{
    command_context::{CommandContext, CommandResult},
    paint::{
        CYAN, DIM, GREEN, Paint, embolden_words, memory, memory::format_place,
        paste::quote_pasted_word, style_text,
    },
};
use apostille_workspace::workspace::Workspace;

pub use dialogue::ask_about_fixes;

/// What can be done about one memory.
pub struct VerifyFix<'a> {
    verified: &'a VerifiedMemory,
    proposal: Option<ReplacementProposal>,
    /// The commands, each with what it does: the one that fits best first.
    commands: Vec<(FixKind, String)>,
}

/// What a command does about a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FixKind {
    Correct,
    Confirm,
    Drop,
}

impl FixKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Correct => "correct",
            Self::Confirm => "confirm",
            Self::Drop => "drop",
        }
    }
}

/// What to do about each memory that is invalid or has to be checked. Where something could not be looked up, that is to wait.
pub fn propose_verify_fixes<'a>(
    ctx: &CommandContext,
    verified: &'a [VerifiedMemory],
) -> Vec<VerifyFix<'a>> {
    let due = |it: &&VerifiedMemory| {
        needs_decision(it) && !it.is_unmerged && it.memory.is_active() && it.deed.is_none()
    };
    verified
        .iter()
        .filter(due)
        .map(|it| VerifyFix::new(ctx, it))
        .collect()
}

/// Confirms what edited code still says, without asking; nothing else is safe to do unasked. It counts as nobody's word, so
/// that the lines have to say it, whoever runs it.
pub fn confirm_safe_fixes(
    workspace: &Workspace,
    verified: &mut [VerifiedMemory],
) -> CommandResult<()> {
    let nobody = Voice::from_origin(Origin::System);
    for it in verified.iter_mut() {
        let is_due = it.memory.is_active() && it.deed.is_none() && !it.is_unmerged;
        if !is_due || !is_confirmable_unasked(it) {
            continue;
        }
        let cx = workspace.context_for(&it.memory.space);
        let name = MemoryName::Id(it.memory.id);
        let confirmed = revise::confirm_memory(&cx, &workspace.spaces(), name, &[], &nobody)?;
        if let ReviseOutcome::Done(_) = confirmed {
            it.deed = Some(VerifyAction::Confirmed);
        }
    }
    Ok(())
}

impl<'a> VerifyFix<'a> {
    fn new(ctx: &CommandContext, verified: &'a VerifiedMemory) -> Self {
        let proposal = propose_replacement(verified);
        let program = ctx.flags.pasted_program();
        let commands = list_fix_commands(&program, &verified.memory, proposal.as_ref());
        Self {
            verified,
            proposal,
            commands,
        }
    }

    /// The memory that it is about.
    pub fn verified(&self) -> &VerifiedMemory {
        self.verified
    }

    /// What could be said instead, where the code says it word for word.
    pub fn suggested_fact(&self) -> Option<&str> {
        let proposal = self.proposal.as_ref();
        let reworded = proposal.filter(|it| !it.swapped.is_empty());
        reworded.map(|it| it.fact.as_str())
    }

    /// The command that fits best.
    pub fn first_command(&self) -> Option<&str> {
        self.commands.first().map(|it| it.1.as_str())
    }

    /// The same in `--json`.
    pub fn to_view(&self) -> Value {
        let view = StandingView::from(self.verified);
        let mut told = json!({
            "handle": self.verified.memory.handle().to_string(),
            "standing": self.verified.standing().as_str(),
        });
        if let Some(place) = view.place() {
            told["at"] = json!(place.to_string());
        }
        if let Some(it) = &self.proposal {
            let swapped: Vec<Value> = it
                .swapped
                .iter()
                .map(|(was, now)| json!({"was": was, "now": now}))
                .collect();
            let cites: Vec<String> = it.cites.iter().map(ToString::to_string).collect();
            told["fact"] = json!(it.fact);
            told["swapped"] = json!(swapped);
            told["cite"] = json!(cites);
        }
        told["command"] = json!(self.commands.first().map(|it| &it.1));
        for (kind, command) in &self.commands {
            told["commands"][kind.as_str()] = json!(command);
        }
        told
    }

    /// The same with the commands.
    pub fn to_text(&self, paint: &Paint) -> String {
        let commands = self.commands.iter();
        let commands = commands.map(|(kind, command)| format_command_line(*kind, command));
        self.format_entry(paint) + &commands.collect::<String>()
    }

    /// The memory with the diff, where it is now, and what could be said instead.
    fn format_entry(&self, paint: &Paint) -> String {
        let it = self.verified;
        let entry = memory::format_memory_entry(paint, it.into());
        let instead = match &self.proposal {
            None => style_text(DIM, "      nothing is left to cite\n"),
            Some(it) if it.swapped.is_empty() => style_text(
                DIM,
                "      look whether it is still true there: confirm it, or say what is true now\n",
            ),
            Some(it) => {
                let words: Vec<&str> = it.swapped.iter().map(|it| it.1.as_str()).collect();
                let fact = embolden_words(&paint.wrap_text(&it.fact, 8), &words);
                format!("      {GREEN}instead:{GREEN:#}\n{fact}")
            }
        };
        format!("{entry}{}{instead}", self.format_found_place())
    }

    /// Where the item of the fact was found, where that is not the place that the entry tells.
    fn format_found_place(&self) -> String {
        let Some(at) = &self.verified.judgement.at else {
            return String::new();
        };
        let is_told = |it: &Verdict| match it {
            Verdict::Moved { to } => to.path == at.path,
            Verdict::Changed(found) => found.at.path == at.path,
            Verdict::Holds => true,
            Verdict::Gone { .. } | Verdict::Unknown { .. } => false,
        };
        if self.verified.verdicts.iter().any(is_told) {
            return String::new();
        }
        let place = format_place(at);
        format!("      {GREEN}what it speaks of is at {place} now{GREEN:#}\n")
    }
}

fn format_command_line(kind: FixKind, command: &str) -> String {
    let what = style_text(DIM, format!("{:8}", format!("{}:", kind.as_str())));
    format!("      {what} {CYAN}{command}{CYAN:#}\n")
}

/// What can be typed about a memory. Where the code replaced a word of the fact, it is not true any more.
fn list_fix_commands(
    program: &str,
    memory: &Memory,
    proposal: Option<&ReplacementProposal>,
) -> Vec<(FixKind, String)> {
    let handle = memory.handle();
    let what = if proposal.is_some() {
        "the code changed"
    } else {
        "the code is gone"
    };
    let reason = format!("{what}: {}", format_cited_places(memory));
    let reason = quote_pasted_word(&reason);
    let drop = format!("{program} invalidate {handle} --reason {reason}");
    let drop = (FixKind::Drop, drop);
    let Some(it) = proposal else {
        return vec![drop];
    };
    // Where nothing was replaced one for one, a person has to find the words.
    let fact = if it.swapped.is_empty() {
        "WHAT IS TRUE NOW"
    } else {
        &it.fact
    };
    let arguments = format_supersede_arguments(memory, it, fact);
    let correct = format!("{program} supersede {handle} --correct{arguments}");
    let confirm = format!("{program} confirm {handle}{}", format_cite_flags(it));
    if it.swapped.is_empty() {
        let correct = (FixKind::Correct, correct);
        vec![(FixKind::Confirm, confirm), correct, drop]
    } else {
        vec![(FixKind::Correct, correct), drop]
    }
}

fn format_cite_flags(it: &ReplacementProposal) -> String {
    it.cites
        .iter()
        .map(|it| format!(" --cite {}", quote_pasted_word(&it.to_string())))
        .collect()
}

/// The rest of the command: the citations, the tags, and the fact, which may look like a flag.
fn format_supersede_arguments(memory: &Memory, it: &ReplacementProposal, fact: &str) -> String {
    let tags = memory
        .tags
        .iter()
        .map(|it| format!(" --tag {}", quote_pasted_word(it)));
    let dashes = if fact.starts_with('-') { " --" } else { "" };
    let fact = format!("{dashes} {}", quote_pasted_word(fact));
    let rest: String = tags.chain([fact]).collect();
    format_cite_flags(it) + &rest
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
