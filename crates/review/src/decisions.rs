//! What is done about one that waits, and how it is told. Copies share its fate.

use apostille_audit::review::ReviewItem;
use apostille_core::{
    CoreError,
    forget::{ForgetOutcome, forget},
    list,
    memory::{Draft, Memory, MemoryId, MemoryName, Stage},
    remember::RememberOutcome,
    revise::{self, ReviseOutcome},
    speaker::Person,
};

use super::edit::EditableWords;
use apostille_terminal::{
    command_context::{CommandContext, CommandResult},
    paint::{BOLD, GREEN, Paint, format_count, memory::format_not_kept},
};
use apostille_workspace::workspace::Workspace;

/// What came of a decision.
#[derive(Default)]
pub(crate) struct DecisionOutcome {
    /// The memories that were decided about, as they are now.
    pub done: Vec<Memory>,
    /// What is said about it.
    pub told: String,
    /// Whether it no longer waits.
    pub is_settled: bool,
    /// Whether something was done; what was refused, or decided by somebody else, was not.
    pub is_made: bool,
}

impl DecisionOutcome {
    /// Which memories the deed may have changed; none where they are gone.
    pub(crate) fn changed_memories(&self, it: &ReviewItem) -> Vec<MemoryId> {
        if self.done.is_empty() {
            return Vec::new();
        }
        all_of_item(it)
            .chain(&self.done)
            .map(|it| it.id)
            .chain(it.memory().supersedes)
            .collect()
    }
}

/// It and its copies.
fn all_of_item(it: &ReviewItem) -> impl Iterator<Item = &Memory> {
    std::iter::once(it.memory()).chain(&it.copies)
}

/// The name of a memory, whatever its handle.
fn name_by_id(memory: &Memory) -> MemoryName {
    MemoryName::Id(memory.id)
}

/// Where decisions are carried out.
#[derive(Clone, Copy)]
pub(crate) struct Reviewer<'a> {
    /// How it is told.
    pub ctx: &'a CommandContext,
    /// Who decides.
    pub by: &'a Person,
    /// Where it is done.
    pub workspace: &'a Workspace,
}

impl Reviewer<'_> {
    /// Lets it be used; its copies go up in it.
    pub(crate) fn accept_waiting(self, it: &ReviewItem) -> CommandResult<DecisionOutcome> {
        let cx = self.workspace.context();
        let spaces = self.workspace.spaces();
        let revised = revise::approve_memory(&cx, self.by, &spaces, name_by_id(it.memory()))?;
        self.absorb_copies(it, revised, "accepted")
    }

    /// Turns it away, its copies too.
    pub(crate) fn reject_waiting(
        self,
        it: &ReviewItem,
        reason: &str,
    ) -> CommandResult<DecisionOutcome> {
        let cx = self.workspace.context();
        let spaces = self.workspace.spaces();
        let reject =
            |it: &Memory| revise::reject_memory(&cx, self.by, &spaces, name_by_id(it), reason);
        let revised = reject(it.memory())?;
        self.settle_item(it, revised, "rejected", |copy, _| reject(copy))
    }

    /// Lets it go up in another, and its copies too.
    pub(crate) fn merge_waiting(
        self,
        it: &ReviewItem,
        into: MemoryName,
    ) -> CommandResult<DecisionOutcome> {
        let revised = self.merge_pending(it, it.memory(), into)?;
        self.absorb_copies(it, revised, "merged into")
    }

    fn merge_pending(
        self,
        it: &ReviewItem,
        memory: &Memory,
        into: MemoryName,
    ) -> Result<ReviseOutcome, CoreError> {
        let cx = self.workspace.context_for(&it.memory().space);
        revise::merge_pending_memory(
            &cx,
            self.by,
            &self.workspace.spaces(),
            name_by_id(memory),
            into,
        )
    }

    /// Keeps what a person says instead, as that person's own words.
    pub(crate) fn reword_waiting(
        self,
        it: &ReviewItem,
        words: EditableWords,
    ) -> CommandResult<DecisionOutcome> {
        let old = it.memory();
        let speaker = self.ctx.deciding_speaker()?;
        let draft = Draft {
            subject: words.subject,
            reason: words.reason,
            tags: old.tags.clone(),
            ..Draft::new(old.space.clone(), words.fact, speaker.voice().clone())
        };
        // Whoever edits has seen what the lines do not say, and decides.
        let draft = draft.with_vouching(true, Some(self.by));
        let cx = self.workspace.context_for(&old.space);
        let revised =
            match revise::reword_memory(&cx, &self.workspace.spaces(), name_by_id(old), draft)? {
                RememberOutcome::Remembered { memory, .. }
                | RememberOutcome::Refreshed { memory } => ReviseOutcome::Done(memory),
                RememberOutcome::Refused(refusal) => ReviseOutcome::Refused(refusal),
                RememberOutcome::Similar { near } => {
                    return Ok(DecisionOutcome {
                        told: format_not_kept(&near),
                        ..DecisionOutcome::default()
                    });
                }
            };
        self.absorb_copies(it, revised, "kept as")
    }

    /// Removes the text everywhere, that of its copies too.
    pub(crate) fn forget_waiting(self, it: &ReviewItem) -> CommandResult<DecisionOutcome> {
        let mut deed = DecisionOutcome::default();
        let cx = self.workspace.context();
        let spaces = self.workspace.spaces();
        let speaker = self.ctx.deciding_speaker()?;
        for memory in all_of_item(it) {
            let name = name_by_id(memory);
            deed.told += &match forget(&cx, &speaker, &spaces, name, "forgotten in review")? {
                ForgetOutcome::Done(memory) | ForgetOutcome::Withdrawn(memory) => {
                    deed.is_made = true;
                    format_decision("forgot", &memory)
                }
                ForgetOutcome::Refused(refusal) => self.ctx.render_refusal(&refusal).err,
            };
            self.workspace.forget_side_record(memory.id)?;
        }
        deed.is_settled = !self.is_waiting(it)?;
        Ok(deed)
    }

    /// Whether it still waits; somebody else may have been first.
    fn is_waiting(self, it: &ReviewItem) -> CommandResult<bool> {
        let cx = self.workspace.context();
        let spaces = self.workspace.spaces();
        Ok(
            list::find_named_memory(&cx, &spaces, name_by_id(it.memory()))?
                .is_some_and(|it| it.status.stage() == Stage::Pending),
        )
    }

    /// What became of it, once its copies went up in what is now in use.
    fn absorb_copies(
        self,
        it: &ReviewItem,
        revised: ReviseOutcome,
        verb: &str,
    ) -> CommandResult<DecisionOutcome> {
        self.settle_item(it, revised, verb, |copy, kept| {
            self.merge_pending(it, copy, name_by_id(kept))
        })
    }

    /// What became of it, once its copies had their share in it.
    fn settle_item(
        self,
        it: &ReviewItem,
        revised: ReviseOutcome,
        verb: &str,
        revise_copy: impl Fn(&Memory, &Memory) -> Result<ReviseOutcome, CoreError>,
    ) -> CommandResult<DecisionOutcome> {
        let mut done = match revised {
            ReviseOutcome::Done(memory) => vec![*memory],
            ReviseOutcome::Refused(refusal) => {
                return Ok(DecisionOutcome {
                    told: self.ctx.render_refusal(&refusal).err,
                    is_settled: !self.is_waiting(it)?,
                    ..DecisionOutcome::default()
                });
            }
        };
        let mut told = format_decision(verb, &done[0]);
        for copy in &it.copies {
            if let ReviseOutcome::Done(memory) = revise_copy(copy, &done[0])? {
                done.push(*memory);
            }
        }
        if done.len() > 1 {
            let n = format_count(done.len() as u64 - 1, "copy", "copies");
            told += &format!("  {n} with it\n");
        }
        Ok(DecisionOutcome {
            done,
            told,
            is_settled: true,
            is_made: true,
        })
    }
}

fn format_decision(verb: &str, memory: &Memory) -> String {
    let handle = memory.handle();
    format!("{GREEN}{verb}{GREEN:#} {BOLD}{handle}{BOLD:#}\n")
}

/// What was decided about a memory, on one line.
pub(crate) fn format_decided_memory(paint: &Paint, memory: &Memory) -> String {
    let word = if memory.is_active() {
        "accepted"
    } else {
        "rejected"
    };
    let decision = format_decision(word, memory);
    let fact = paint.fit_to_line(&memory.fact, 20);
    format!("{}  {fact}\n", decision.trim_end())
}
