//! The dialogue: one that waits after the other, and what a person wants done about it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use apostille_audit::review::{ReviewCare, ReviewItem};
use apostille_core::{
    breaker as core,
    memory::{Memory, MemoryId, MemoryName},
    rollback,
    speaker::Person,
};

use super::{
    card,
    decisions::{DecisionOutcome, Reviewer},
    edit::{self, EditableWords},
    keys::{self, ReviewChoice},
    queue,
};
use apostille_terminal::{
    breakers,
    command_context::{CommandContext, CommandResult, is_yes_answer},
    editor::find_user_editor,
    paint::{BOLD, DIM, Paint, YELLOW, flatten_to_line, format_count, format_if, style_text},
};
use apostille_workspace::workspace::Workspace;

/// How many are listed before all that is safe is accepted.
const LISTED: usize = 500;

/// A person to talk to.
pub(crate) trait ReviewConsole {
    /// Says something at once.
    fn print_text(&self, text: &str);
    /// One line that is typed; empty at the end of input.
    fn read_answer(&self) -> String;
    /// The words after a person edited them in an editor; `None` where there is no editor.
    fn edit_words(&self, words: &EditableWords) -> Option<CommandResult<Option<EditableWords>>>;
}

/// The terminal.
impl ReviewConsole for CommandContext {
    fn print_text(&self, text: &str) {
        self.print_at_once(text);
    }

    fn read_answer(&self) -> String {
        self.system.read_line()
    }

    fn edit_words(&self, words: &EditableWords) -> Option<CommandResult<Option<EditableWords>>> {
        let editor = find_user_editor(&self.system)?;
        Some(edit::edit_in_editor(&self.system, editor, words))
    }
}

/// A decision that was made, and what it takes to take it back.
struct UndoableDecision {
    /// Where in the queue it was.
    at: usize,
    /// The last event before it.
    after: u64,
    /// Which memories it changed; none where they are gone.
    changed: Vec<MemoryId>,
}

/// A walk through the queue.
pub(crate) struct ReviewDialogue<'a> {
    hand: Reviewer<'a>,
    paint: &'a Paint,
    talk: &'a dyn ReviewConsole,
    queue: Vec<ReviewItem>,
    is_settled: Vec<bool>,
    steps: Vec<UndoableDecision>,
    /// How many decisions were made so far.
    pub(crate) made: Arc<AtomicU64>,
}

impl<'a> ReviewDialogue<'a> {
    /// A dialogue about this queue.
    pub(crate) fn new(
        ctx: &'a CommandContext,
        by: &'a Person,
        workspace: &'a Workspace,
        talk: &'a dyn ReviewConsole,
        queue: Vec<ReviewItem>,
    ) -> Self {
        Self {
            hand: Reviewer { ctx, by, workspace },
            paint: &ctx.paint,
            talk,
            is_settled: vec![false; queue.len()],
            queue,
            steps: Vec::new(),
            made: Arc::default(),
        }
    }

    /// Goes through the queue until its end, or until the person leaves.
    pub(crate) fn run(&mut self) -> CommandResult<()> {
        self.print_text(&self.format_greeting());
        let mut at = 0;
        loop {
            let Some(next) = (at..self.queue.len()).find(|it| !self.is_settled[*it]) else {
                if !self.offer_last_undo(&mut at)? {
                    break;
                }
                continue;
            };
            at = next;
            let it = &self.queue[at];
            let of = self.queue.len();
            let card = card::format_review_card(self.paint, it, at + 1, of);
            self.print_text(&format!("\n{card}"));
            match self.ask_choice() {
                ReviewChoice::Quit => break,
                ReviewChoice::Skip => at += 1,
                ReviewChoice::Back => at = self.waiting_before(at),
                ReviewChoice::Undo => at = self.undo_last(at)?,
                ReviewChoice::AllSafe => self.confirm_accept_safe()?,
                choice => self.decide_item(at, choice)?,
            }
        }
        let made = format_decisions_made(&self.made);
        let left = match self.is_settled.iter().filter(|it| !**it).count() {
            0 => "nothing waits any more".to_owned(),
            n => format!("{} left", format_count(n as u64, "decision", "decisions")),
        };
        self.print_text(&self.paint.wrap_text(&format!("{made}, {left}"), 0));
        self.offer_breaker_closing()
    }

    /// Offers to close what is open: whoever has read what waits can judge it.
    fn offer_breaker_closing(&self) -> CommandResult<()> {
        let Reviewer { workspace, by, .. } = self.hand;
        for (space, trip) in breakers::list_breakers_in_play(workspace)? {
            let told = self
                .paint
                .wrap_text(&breakers::announce_open_breaker(&trip), 0);
            if self.ask_consent(&format!("{told}close it?")) {
                let cx = workspace.context_for(&space);
                core::close_breakers(&cx, by, &space, trip.actor.as_deref())?;
                self.print_text("closed\n");
            }
        }
        Ok(())
    }

    fn print_text(&self, text: &str) {
        self.talk.print_text(text);
    }

    fn waiting_before(&self, at: usize) -> usize {
        let before = (0..at).rev().find(|it| !self.is_settled[*it]);
        if before.is_none() {
            self.print_text(&style_text(DIM, "there is none before it\n"));
        }
        before.unwrap_or(at)
    }

    fn format_greeting(&self) -> String {
        let safe = self.safe_positions().count();
        let safe = format_if(safe > 0, || {
            format!(", {safe} safe: all accepts them at once")
        });
        let size = queue::format_queue_size(&self.queue);
        self.paint.wrap_text(&(size + &safe), 0)
    }

    /// Asks until it is understood.
    fn ask_choice(&self) -> ReviewChoice {
        loop {
            self.print_text(&keys::format_review_keys(self.paint));
            let line = self.talk.read_answer();
            if line.is_empty() {
                self.print_text("\n");
            }
            match ReviewChoice::from_line(&line) {
                Some(ReviewChoice::Help) => self.print_text(&keys::format_review_help(self.paint)),
                Some(choice) => return choice,
                None => self.print_text(&style_text(DIM, "one of these keys, then enter\n")),
            }
        }
    }

    fn decide_item(&mut self, at: usize, choice: ReviewChoice) -> CommandResult<()> {
        let it = &self.queue[at];
        let after = self.last_event_number(it)?;
        let deed = match choice {
            ReviewChoice::Accept => self.confirm_accept(it)?,
            ReviewChoice::Forget => self.confirm_forget(it)?,
            ReviewChoice::Reject(reason) => self.reject_with_reason(it, reason)?,
            ReviewChoice::Merge(into) => self.merge_into(it, &into)?,
            ReviewChoice::Edit => self.edit_and_reword(it)?,
            _ => None,
        };
        if let Some(deed) = deed {
            self.print_text(&deed.told);
            self.record_decision(at, after, &deed);
        }
        Ok(())
    }

    fn last_event_number(&self, it: &ReviewItem) -> CommandResult<u64> {
        let cx = self.hand.workspace.context();
        Ok(rollback::find_last_event_place(&cx, &it.memory().space)?)
    }

    /// Only what was done counts, and can be taken back.
    fn record_decision(&mut self, at: usize, after: u64, deed: &DecisionOutcome) {
        self.is_settled[at] = deed.is_settled;
        if deed.is_made {
            self.made.fetch_add(1, Ordering::Relaxed);
            self.steps.push(UndoableDecision {
                at,
                after,
                changed: deed.changed_memories(&self.queue[at]),
            });
        }
    }

    /// Takes the last decision back; where to go on.
    fn undo_last(&mut self, at: usize) -> CommandResult<usize> {
        let Some(step) = self.steps.pop() else {
            self.print_text(&style_text(DIM, "nothing was decided yet\n"));
            return Ok(at);
        };
        let memory = self.queue[step.at].memory();
        let handle = memory.handle();
        let space = &memory.space;
        if step.changed.is_empty() {
            self.print_text(&format!("{handle} was forgotten and cannot come back\n"));
            return Ok(at);
        }
        let cx = self.hand.workspace.context_for(space);
        let why = "taken back in review";
        rollback::take_back_changes(&cx, space, step.after, &step.changed, why)?;
        self.is_settled[step.at] = false;
        self.made.fetch_sub(1, Ordering::Relaxed);
        self.print_text(&format!(
            "{YELLOW}taken back:{YELLOW:#} {handle} waits again\n"
        ));
        Ok(step.at)
    }

    /// The last decision of all can be taken back too.
    fn offer_last_undo(&mut self, at: &mut usize) -> CommandResult<bool> {
        let last = self.steps.last();
        let can_undo = last.is_some_and(|it| it.at == *at && !it.changed.is_empty());
        let ask = format!("[{BOLD}u{BOLD:#}]ndo the last one, or enter to end: ");
        if !can_undo
            || ReviewChoice::from_line(&self.ask_question(&ask)) != Some(ReviewChoice::Undo)
        {
            return Ok(false);
        }
        *at = self.undo_last(*at)?;
        Ok(true)
    }

    /// Whether the person agrees.
    fn ask_consent(&self, question: &str) -> bool {
        is_yes_answer(&self.ask_question(&format!("{question} [y/N] ")))
    }

    fn ask_question(&self, question: &str) -> String {
        self.print_text(question);
        self.talk.read_answer().trim().to_owned()
    }

    /// Copies of what comes from outside or reads like an instruction are named before they are let in with it.
    fn confirm_accept(&self, it: &ReviewItem) -> CommandResult<Option<DecisionOutcome>> {
        let is_careful = it.care >= ReviewCare::Outside && !it.copies.is_empty();
        let ask = || {
            format!(
                "{}accept this and {}?",
                self.list_copies(it),
                format_copy_count(it)
            )
        };
        if is_careful && !self.ask_consent(&ask()) {
            self.print_text("nothing was accepted\n");
            return Ok(None);
        }
        self.hand.accept_waiting(it).map(Some)
    }

    /// The copies, one on each line.
    fn list_copies(&self, it: &ReviewItem) -> String {
        let lines: String = it
            .copies
            .iter()
            .take(LISTED)
            .map(|it| self.format_listed(it, &it.fact))
            .collect();
        let more = it.copies.len().saturating_sub(LISTED);
        lines + &format_if(more > 0, || format!("… and {more} more\n"))
    }

    fn format_listed(&self, memory: &Memory, text: &str) -> String {
        format!(
            "{:8} {}\n",
            memory.handle(),
            self.paint.fit_to_line(text, 9)
        )
    }

    fn confirm_forget(&self, it: &ReviewItem) -> CommandResult<Option<DecisionOutcome>> {
        let what = match it.copies.len() {
            0 => "forget it".to_owned(),
            _ => {
                let copies = self.list_copies(it);
                let n = format_copy_count(it);
                format!("{copies}forget this and {n}")
            }
        };
        self.ask_consent(&format!("{what} for good? this cannot be undone"))
            .then(|| self.hand.forget_waiting(it))
            .transpose()
    }

    /// Without a reason nothing is rejected: whoever pressed the key by mistake gets back to the item.
    fn reject_with_reason(
        &self,
        it: &ReviewItem,
        reason: String,
    ) -> CommandResult<Option<DecisionOutcome>> {
        let reason = if reason.is_empty() {
            self.ask_question("why? (enter: back, nothing is rejected) ")
        } else {
            reason
        };
        if matches!(reason.as_str(), "" | "q" | "quit") {
            self.print_text("nothing was rejected\n");
            return Ok(None);
        }
        self.hand.reject_waiting(it, &reason).map(Some)
    }

    /// Merges into the memory that was named; into the nearest only after its words were read.
    fn merge_into(&self, it: &ReviewItem, into: &str) -> CommandResult<Option<DecisionOutcome>> {
        let into = match (into, it.near.first()) {
            ("", Some(known)) => {
                let fact = flatten_to_line(&known.fact);
                let ask = format!("merge into {}: {fact}?", known.handle);
                let ask = self.paint.wrap_text(&ask, 0);
                match self.ask_question(&format!("{ask}y, or another as m-12 (enter: none) ")) {
                    said if is_yes_answer(&said) => known.handle.to_string(),
                    said => said,
                }
            }
            ("", None) => self.ask_question("into which? (as m-12; enter: none) "),
            (said, _) => said.to_owned(),
        };
        if matches!(into.as_str(), "" | "n" | "no" | "q") {
            self.print_text("nothing was merged\n");
            return Ok(None);
        }
        match into.parse::<MemoryName>() {
            Ok(name) => self.hand.merge_waiting(it, name).map(Some),
            Err(why) => {
                let refused = style_text(YELLOW.bold(), "refused:");
                self.print_text(&format!("{refused} {why}\n"));
                Ok(None)
            }
        }
    }

    fn edit_and_reword(&self, it: &ReviewItem) -> CommandResult<Option<DecisionOutcome>> {
        let words = EditableWords::from_memory(it.memory());
        let new = match self.talk.edit_words(&words) {
            Some(Ok(new)) => new,
            Some(Err(fault)) => {
                self.print_text(&self.hand.ctx.render_error(&fault).err);
                None
            }
            None => Some(self.ask_words(&words)).filter(|it| *it != words),
        };
        let Some(new) = new else {
            self.print_text(&style_text(DIM, "nothing was changed\n"));
            return Ok(None);
        };
        self.hand.reword_waiting(it, new).map(Some)
    }

    /// The words line by line, where there is no editor.
    fn ask_words(&self, old: &EditableWords) -> EditableWords {
        let ask = |what: &str, old: &str| {
            let said = self.ask_question(&format!("{what} (enter keeps it): "));
            if said.is_empty() {
                old.to_owned()
            } else {
                said
            }
        };
        let ask_optional = |what: &str, old: &Option<String>| {
            let said = ask(what, old.as_deref().unwrap_or_default());
            Some(said).filter(|it| !it.is_empty())
        };
        EditableWords {
            fact: ask("the fact, on one line", &old.fact),
            subject: ask_optional("the subject", &old.subject),
            reason: ask_optional("why it matters", &old.reason),
        }
    }

    fn safe_positions(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.queue.len()).filter(|it| !self.is_settled[*it] && self.queue[*it].is_safe())
    }

    /// Lists what is safe, and accepts it when the person agrees.
    pub(crate) fn confirm_accept_safe(&mut self) -> CommandResult<()> {
        let safe: Vec<&ReviewItem> = self.safe_positions().map(|at| &self.queue[at]).collect();
        if safe.is_empty() {
            self.print_text("nothing that waits is safe to accept unread\n");
            return Ok(());
        }
        let mut list: String = safe
            .iter()
            .take(LISTED)
            .map(|it| self.format_listed(it.memory(), &queue::format_waiting_memory(it)))
            .collect();
        if safe.len() > LISTED {
            let more = safe.len() - LISTED;
            let told = format!("… and {more} more; review --json has them all");
            list += &self.paint.wrap_text(&told, 0);
        }
        let these = match safe.len() {
            1 => "it".into(),
            n => format!("these {n}"),
        };
        if !self.ask_consent(&format!("{list}accept {these}?")) {
            self.print_text("nothing was accepted\n");
            return Ok(());
        }
        let done = self.accept_safe()?;
        self.print_text(&format_accepted(&done));
        Ok(())
    }

    /// Accepts everything that is safe; the memories as they are now.
    pub(crate) fn accept_safe(&mut self) -> CommandResult<Vec<Memory>> {
        let mut done = Vec::new();
        for at in self.safe_positions().collect::<Vec<_>>() {
            let after = self.last_event_number(&self.queue[at])?;
            let deed = self.hand.accept_waiting(&self.queue[at])?;
            self.record_decision(at, after, &deed);
            done.extend(deed.done);
        }
        Ok(done)
    }
}

/// How many decisions were made, in words.
pub(crate) fn format_decisions_made(made: &AtomicU64) -> String {
    let made = format_count(made.load(Ordering::Relaxed), "decision", "decisions");
    format!("{made} made")
}

/// How many of these were accepted, in words.
pub(crate) fn format_accepted(done: &[Memory]) -> String {
    let n = done.iter().filter(|it| it.is_active()).count() as u64;
    format!("{} accepted\n", format_count(n, "memory", "memories"))
}

fn format_copy_count(it: &ReviewItem) -> String {
    format_count(it.copies.len() as u64, "copy", "copies")
}
