//! What is done about one that waits, and how it is told. Copies share its fate.

use apostille_audit::review::ReviewItem;
use apostille_core::forget::{ForgetOutcome, forget};
use apostille_core::list;
use apostille_core::memory::{Draft, Memory, MemoryId, MemoryName, Stage, Status};
use apostille_core::remember::RememberOutcome;
use apostille_core::revise::{self, ReviseOutcome};
use apostille_core::speaker::Person;

use super::edit::EditableWords;
use apostille_terminal::command_context::CommandContext;
use apostille_terminal::paint::{
    BOLD, GREEN, Paint, YELLOW, flatten_to_line, style_text, truncate_to_width,
};
use apostille_workspace::error::CommandError;
use apostille_workspace::workspace::Workspace;

/// What came of a decision.
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
    fn from_refusal(told: String, is_settled: bool) -> Self {
        Self {
            done: Vec::new(),
            told,
            is_settled,
            is_made: false,
        }
    }

    /// Which memories the deed may have changed; none where they are gone.
    pub(crate) fn changed_memories(&self, it: &ReviewItem) -> Vec<MemoryId> {
        if self.done.is_empty() {
            return Vec::new();
        }
        let all = std::iter::once(it.memory())
            .chain(&it.copies)
            .chain(&self.done)
            .map(|it| it.id);
        all.chain(it.memory().supersedes).collect()
    }
}

/// Where decisions are carried out.
#[derive(Clone, Copy)]
pub(crate) struct Reviewer<'a> {
    /// How it is told.
    pub shell: &'a CommandContext,
    /// Who decides.
    pub by: &'a Person,
    /// Where it is done.
    pub desk: &'a Workspace,
}

impl Reviewer<'_> {
    /// Lets it be used; its copies go up in it.
    pub(crate) fn accept_waiting(self, it: &ReviewItem) -> Result<DecisionOutcome, CommandError> {
        let name = MemoryName::Id(it.memory().id);
        let revised =
            revise::approve_memory(&self.desk.context(), self.by, &self.desk.spaces(), name)?;
        self.absorb_copies(it, revised, "accepted")
    }

    /// Turns it away, its copies too.
    pub(crate) fn reject_waiting(
        self,
        it: &ReviewItem,
        reason: &str,
    ) -> Result<DecisionOutcome, CommandError> {
        let (cx, spaces) = (self.desk.context(), self.desk.spaces());
        let revised = revise::reject_memory(
            &cx,
            self.by,
            &spaces,
            MemoryName::Id(it.memory().id),
            reason,
        )?;
        let mut deed = self.report_revision(it, revised, "rejected")?;
        for copy in it.copies.iter().filter(|_| deed.is_made) {
            if let ReviseOutcome::Done(memory) =
                revise::reject_memory(&cx, self.by, &spaces, MemoryName::Id(copy.id), reason)?
            {
                deed.done.push(*memory);
            }
        }
        Ok(self.add_copy_count(deed, it))
    }

    /// Lets it go up in another, and its copies too.
    pub(crate) fn merge_waiting(
        self,
        it: &ReviewItem,
        into: MemoryName,
    ) -> Result<DecisionOutcome, CommandError> {
        let (cx, spaces) = (
            self.desk.context_for(&it.memory().space),
            self.desk.spaces(),
        );
        let revised =
            revise::merge_pending_memory(&cx, &spaces, MemoryName::Id(it.memory().id), into)?;
        self.absorb_copies(it, revised, "merged into")
    }

    /// Keeps what a person says instead, as that person's own words.
    pub(crate) fn reword_waiting(
        self,
        it: &ReviewItem,
        words: EditableWords,
    ) -> Result<DecisionOutcome, CommandError> {
        let old = it.memory();
        let speaker = self.shell.world.speaker();
        let draft = Draft {
            subject: words.subject,
            reason: words.reason,
            tags: old.tags.clone(),
            ..Draft::new(old.space.clone(), words.fact, speaker.voice().clone())
        };
        // Whoever edits has seen what the lines do not say, and decides.
        let draft = draft.with_vouching(true, Some(self.by));
        let cx = self.desk.context_for(&old.space);
        let revised =
            match revise::reword_memory(&cx, &self.desk.spaces(), MemoryName::Id(old.id), draft)? {
                RememberOutcome::Remembered { memory, .. }
                | RememberOutcome::Refreshed { memory } => ReviseOutcome::Done(memory),
                RememberOutcome::Refused(refusal) => ReviseOutcome::Refused(refusal),
                RememberOutcome::Similar { near } => {
                    let known = near
                        .iter()
                        .map(|it| it.handle.to_string())
                        .collect::<Vec<_>>()
                        .join(", ");
                    let told = format!(
                        "{} much the same is known: {known}\n",
                        style_text(YELLOW.bold(), "not kept:")
                    );
                    return Ok(DecisionOutcome::from_refusal(told, false));
                }
            };
        self.absorb_copies(it, revised, "kept as")
    }

    /// Removes the text everywhere, that of its copies too.
    pub(crate) fn forget_waiting(self, it: &ReviewItem) -> Result<DecisionOutcome, CommandError> {
        let (mut told, mut is_made) = (String::new(), false);
        for memory in std::iter::once(it.memory()).chain(&it.copies) {
            let name = MemoryName::Id(memory.id);
            match forget(
                &self.desk.context(),
                &self.shell.world.speaker(),
                &self.desk.spaces(),
                name,
                "forgotten in review",
            )? {
                ForgetOutcome::Done(memory) => {
                    told += &format_decision("forgot", &memory);
                    is_made = true;
                }
                ForgetOutcome::Refused(refusal) => told += &self.shell.render_refusal(&refusal).err,
            }
            self.desk.forget_side_record(memory.id)?;
        }
        Ok(DecisionOutcome {
            is_made,
            ..DecisionOutcome::from_refusal(told, !self.is_waiting(it)?)
        })
    }

    /// Whether it still waits; somebody else may have been first.
    fn is_waiting(self, it: &ReviewItem) -> Result<bool, CommandError> {
        let now = list::find_named_memory(
            &self.desk.context(),
            &self.desk.spaces(),
            MemoryName::Id(it.memory().id),
        )?;
        Ok(now.is_some_and(|it| it.status.stage() == Stage::Pending))
    }

    /// What became of it, once its copies went up in what is now in use.
    fn absorb_copies(
        self,
        it: &ReviewItem,
        revised: ReviseOutcome,
        verb: &str,
    ) -> Result<DecisionOutcome, CommandError> {
        let mut deed = self.report_revision(it, revised, verb)?;
        let Some(kept) = deed.done.first().map(|it| MemoryName::Id(it.id)) else {
            return Ok(deed);
        };
        let (cx, spaces) = (
            self.desk.context_for(&it.memory().space),
            self.desk.spaces(),
        );
        for copy in &it.copies {
            if let ReviseOutcome::Done(memory) =
                revise::merge_pending_memory(&cx, &spaces, MemoryName::Id(copy.id), kept)?
            {
                deed.done.push(*memory);
            }
        }
        Ok(self.add_copy_count(deed, it))
    }

    fn report_revision(
        self,
        it: &ReviewItem,
        revised: ReviseOutcome,
        verb: &str,
    ) -> Result<DecisionOutcome, CommandError> {
        match revised {
            ReviseOutcome::Done(memory) => {
                let told = format_decision(verb, &memory);
                Ok(DecisionOutcome {
                    done: vec![*memory],
                    told,
                    is_settled: true,
                    is_made: true,
                })
            }
            ReviseOutcome::Refused(refusal) => Ok(DecisionOutcome::from_refusal(
                self.shell.render_refusal(&refusal).err,
                !self.is_waiting(it)?,
            )),
        }
    }

    fn add_copy_count(self, deed: DecisionOutcome, it: &ReviewItem) -> DecisionOutcome {
        let n_copies = deed.done.len().saturating_sub(1);
        match (n_copies, it.copies.is_empty()) {
            (0, _) | (_, true) => deed,
            (n, _) => {
                let copies = apostille_terminal::paint::format_count(n as u64, "copy", "copies");
                DecisionOutcome {
                    told: format!("{}  {copies} with it\n", deed.told),
                    ..deed
                }
            }
        }
    }
}

fn format_decision(verb: &str, memory: &Memory) -> String {
    format!(
        "{} {}\n",
        style_text(GREEN, verb),
        style_text(BOLD, memory.handle())
    )
}

/// What was decided about a memory, on one line.
pub(crate) fn format_decided_memory(paint: &Paint, memory: &Memory) -> String {
    let word = match &memory.status {
        Status::Active => "accepted",
        _ => "rejected",
    };
    let room = paint
        .columns()
        .map_or(usize::MAX, |it| it.saturating_sub(20));
    format!(
        "{}  {}\n",
        format_decision(word, memory).trim_end(),
        truncate_to_width(&flatten_to_line(&memory.fact), room)
    )
}
