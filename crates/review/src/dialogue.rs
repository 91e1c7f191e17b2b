//! The dialogue: one that waits after the other, and what a person wants done about it.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use apostille_audit::review::{ReviewCare, ReviewItem};
use apostille_core::memory::{Memory, MemoryId, MemoryName};
use apostille_core::speaker::Person;
use apostille_core::{breaker as core, rollback};

use super::decisions::{DecisionOutcome, Reviewer};
use super::edit::{self, EditableWords};
use super::keys::{self, ReviewChoice, is_yes_answer};
use super::{card, queue};
use apostille_terminal::breakers;
use apostille_terminal::command_context;
use apostille_terminal::command_context::CommandContext;
use apostille_terminal::paint::{
    BOLD, DIM, Paint, YELLOW, flatten_to_line, format_count, style_text, truncate_to_width,
};
use apostille_workspace::error::CommandError;
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
    fn edit_words(
        &self,
        words: &EditableWords,
    ) -> Option<Result<Option<EditableWords>, CommandError>>;
}

/// The terminal.
pub(crate) struct ReviewTerminal<'a> {
    /// The program as it was called.
    pub shell: &'a CommandContext,
}

impl ReviewConsole for ReviewTerminal<'_> {
    fn print_text(&self, text: &str) {
        // A terminal that is gone is noticed when the answer is read.
        let _ = command_context::write_styled_text(
            std::io::stdout().lock(),
            text,
            self.shell.flags.color,
        );
        let _ = std::io::stdout().flush();
    }

    fn read_answer(&self) -> String {
        self.shell.world.read_line()
    }

    fn edit_words(
        &self,
        words: &EditableWords,
    ) -> Option<Result<Option<EditableWords>, CommandError>> {
        edit::find_user_editor(&self.shell.world)
            .map(|editor| edit::edit_in_editor(&self.shell.world, editor, words))
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
    made: Arc<AtomicU64>,
}

impl<'a> ReviewDialogue<'a> {
    /// A dialogue about this queue.
    pub(crate) fn new(
        shell: &'a CommandContext,
        by: &'a Person,
        desk: &'a Workspace,
        talk: &'a dyn ReviewConsole,
        queue: Vec<ReviewItem>,
    ) -> Self {
        let is_settled = vec![false; queue.len()];
        let (hand, steps, made) = (Reviewer { shell, by, desk }, Vec::new(), Arc::default());
        Self {
            hand,
            paint: &shell.paint,
            talk,
            queue,
            is_settled,
            steps,
            made,
        }
    }

    /// How many decisions were made so far, for whoever must say it when the dialogue is cut off.
    pub(crate) fn decision_counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.made)
    }

    /// Goes through the queue until its end, or until the person leaves.
    pub(crate) fn run(&mut self) -> Result<(), CommandError> {
        self.print_text(&self.format_greeting());
        let mut at = 0;
        loop {
            let Some(next) = self.waiting_from(at) else {
                if !self.offer_last_undo(&mut at)? {
                    break;
                }
                continue;
            };
            at = next;
            self.print_text(&format!(
                "\n{}",
                card::format_review_card(self.paint, &self.queue[at], at + 1, self.queue.len())
            ));
            match self.ask_choice() {
                ReviewChoice::Quit => break,
                ReviewChoice::Skip => at += 1,
                ReviewChoice::Back => at = self.waiting_before(at),
                ReviewChoice::Undo => at = self.undo_last(at)?,
                ReviewChoice::AllSafe => self.confirm_accept_safe()?,
                choice => self.decide_item(at, choice)?,
            }
        }
        self.print_text(&self.format_farewell());
        self.offer_breaker_closing()
    }

    /// Offers to close what is open: whoever has read what waits can judge it.
    fn offer_breaker_closing(&self) -> Result<(), CommandError> {
        for (space, trip) in breakers::list_breakers_in_play(self.hand.desk)? {
            let told = self.paint.wrap_text(
                &format!(
                    "a breaker is open: {}",
                    breakers::describe_open_breaker(&trip)
                ),
                0,
            );
            if is_yes_answer(&self.ask_question(&format!("{told}close it? [y/N] "))) {
                core::close_breakers(
                    &self.hand.desk.context_for(&space),
                    self.hand.by,
                    &space,
                    trip.actor.as_deref(),
                )?;
                self.print_text("closed\n");
            }
        }
        Ok(())
    }

    fn print_text(&self, text: &str) {
        self.talk.print_text(text);
    }

    fn waiting_from(&self, at: usize) -> Option<usize> {
        (at..self.queue.len()).find(|it| !self.is_settled[*it])
    }

    fn waiting_before(&self, at: usize) -> usize {
        let before = (0..at).rev().find(|it| !self.is_settled[*it]);
        if before.is_none() {
            self.print_text(&style_text(DIM, "there is none before it\n"));
        }
        before.unwrap_or(at)
    }

    fn format_greeting(&self) -> String {
        let n = apostille_api::json::count_queued_memories(&self.queue) as u64;
        let waits = format_count(n, "memory waits", "memories wait");
        let decisions = format_count(self.queue.len() as u64, "decision", "decisions");
        let safe = self.safe_positions().count();
        let safe = if safe == 0 {
            String::new()
        } else {
            format!(", {safe} safe: all accepts them at once")
        };
        self.paint
            .wrap_text(&format!("{waits}, {decisions} to make{safe}"), 0)
    }

    fn format_farewell(&self) -> String {
        let left = self.is_settled.iter().filter(|it| !**it).count() as u64;
        let left = match left {
            0 => "nothing waits any more".to_owned(),
            n => format!("{} left", format_count(n, "decision", "decisions")),
        };
        self.paint
            .wrap_text(&format!("{}, {left}", format_decisions_made(&self.made)), 0)
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

    fn decide_item(&mut self, at: usize, choice: ReviewChoice) -> Result<(), CommandError> {
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

    fn last_event_number(&self, it: &ReviewItem) -> Result<u64, CommandError> {
        Ok(rollback::find_last_event_place(
            &self.hand.desk.context(),
            &it.memory().space,
        )?)
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
    fn undo_last(&mut self, at: usize) -> Result<usize, CommandError> {
        let Some(step) = self.steps.pop() else {
            self.print_text(&style_text(DIM, "nothing was decided yet\n"));
            return Ok(at);
        };
        let memory = self.queue[step.at].memory();
        let (handle, space) = (memory.handle(), memory.space.clone());
        if step.changed.is_empty() {
            self.print_text(&format!("{handle} was forgotten and cannot come back\n"));
            return Ok(at);
        }
        let cx = self.hand.desk.context_for(&space);
        rollback::take_back_changes(
            &cx,
            &space,
            step.after,
            &step.changed,
            "taken back in review",
        )?;
        self.is_settled[step.at] = false;
        self.made.fetch_sub(1, Ordering::Relaxed);
        self.print_text(&format!(
            "{} {handle} waits again\n",
            style_text(YELLOW, "taken back:")
        ));
        Ok(step.at)
    }

    /// The last decision of all can be taken back too.
    fn offer_last_undo(&mut self, at: &mut usize) -> Result<bool, CommandError> {
        let can_undo = self
            .steps
            .last()
            .is_some_and(|it| it.at == *at && !it.changed.is_empty());
        let ask = format!(
            "[{}]ndo the last one, or enter to end: ",
            style_text(BOLD, "u")
        );
        if !can_undo
            || ReviewChoice::from_line(&self.ask_question(&ask)) != Some(ReviewChoice::Undo)
        {
            return Ok(false);
        }
        *at = self.undo_last(*at)?;
        Ok(true)
    }

    fn ask_question(&self, question: &str) -> String {
        self.print_text(question);
        self.talk.read_answer().trim().to_owned()
    }

    /// Copies of what comes from outside or reads like an instruction are named before they are let in with it.
    fn confirm_accept(&self, it: &ReviewItem) -> Result<Option<DecisionOutcome>, CommandError> {
        let is_careful = it.care >= ReviewCare::Outside && !it.copies.is_empty();
        let ask = || {
            format!(
                "{}accept this and {}? [y/N] ",
                self.list_copies(it),
                format_copy_count(it)
            )
        };
        if is_careful && !is_yes_answer(&self.ask_question(&ask())) {
            self.print_text("nothing was accepted\n");
            return Ok(None);
        }
        self.hand.accept_waiting(it).map(Some)
    }

    /// The copies, one on each line.
    fn list_copies(&self, it: &ReviewItem) -> String {
        let room = self
            .paint
            .columns()
            .map_or(usize::MAX, |it| it.saturating_sub(9));
        let line = |it: &Memory| {
            format!(
                "{:8} {}\n",
                it.handle(),
                truncate_to_width(&flatten_to_line(&it.fact), room)
            )
        };
        let more = it.copies.len().saturating_sub(LISTED);
        let more = if more == 0 {
            String::new()
        } else {
            format!("… and {more} more\n")
        };
        it.copies.iter().take(LISTED).map(line).collect::<String>() + &more
    }

    fn confirm_forget(&self, it: &ReviewItem) -> Result<Option<DecisionOutcome>, CommandError> {
        let what = match it.copies.len() {
            0 => "forget it".to_owned(),
            _ => format!(
                "{}forget this and {}",
                self.list_copies(it),
                format_copy_count(it)
            ),
        };
        let is_sure = is_yes_answer(
            &self.ask_question(&format!("{what} for good? this cannot be undone [y/N] ")),
        );
        is_sure.then(|| self.hand.forget_waiting(it)).transpose()
    }

    /// Without a reason nothing is rejected: whoever pressed the key by mistake gets back to the item.
    fn reject_with_reason(
        &self,
        it: &ReviewItem,
        reason: String,
    ) -> Result<Option<DecisionOutcome>, CommandError> {
        let reason = match reason.is_empty() {
            true => self.ask_question("why? (enter: back, nothing is rejected) "),
            false => reason,
        };
        if matches!(reason.as_str(), "" | "q" | "quit") {
            self.print_text("nothing was rejected\n");
            return Ok(None);
        }
        self.hand.reject_waiting(it, &reason).map(Some)
    }

    /// Merges into the memory that was named; into the nearest only after its words were read.
    fn merge_into(
        &self,
        it: &ReviewItem,
        into: &str,
    ) -> Result<Option<DecisionOutcome>, CommandError> {
        let into = match (into, it.near.first()) {
            ("", Some(known)) => {
                let fact = flatten_to_line(&known.fact);
                let ask = self
                    .paint
                    .wrap_text(&format!("merge into {}: {fact}?", known.handle), 0);
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
                self.print_text(&format!(
                    "{} {why}\n",
                    style_text(YELLOW.bold(), "refused:")
                ));
                Ok(None)
            }
        }
    }

    fn edit_and_reword(&self, it: &ReviewItem) -> Result<Option<DecisionOutcome>, CommandError> {
        let words = EditableWords::from_memory(it.memory());
        let new = match self.talk.edit_words(&words) {
            Some(Ok(new)) => new,
            Some(Err(fault)) => {
                self.print_text(&self.hand.shell.render_error(&fault).err);
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
        let ask = |what: &str, old: &str| match self
            .ask_question(&format!("{what} (enter keeps it): "))
        {
            said if said.is_empty() => old.to_owned(),
            said => said,
        };
        let some = |text: String| Some(text).filter(|it| !it.is_empty());
        EditableWords {
            fact: ask("the fact, on one line", &old.fact),
            subject: some(ask(
                "the subject",
                old.subject.as_deref().unwrap_or_default(),
            )),
            reason: some(ask(
                "why it matters",
                old.reason.as_deref().unwrap_or_default(),
            )),
        }
    }

    fn safe_positions(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.queue.len()).filter(|it| !self.is_settled[*it] && self.queue[*it].is_safe())
    }

    /// Lists what is safe, and accepts it when the person agrees.
    pub(crate) fn confirm_accept_safe(&mut self) -> Result<(), CommandError> {
        let safe: Vec<&ReviewItem> = self.safe_positions().map(|at| &self.queue[at]).collect();
        if safe.is_empty() {
            self.print_text("nothing that waits is safe to accept unread\n");
            return Ok(());
        }
        let room = self
            .paint
            .columns()
            .map_or(usize::MAX, |it| it.saturating_sub(9));
        let line = |it: &&ReviewItem| {
            format!(
                "{:8} {}\n",
                it.memory().handle(),
                truncate_to_width(&queue::format_waiting_memory(it), room)
            )
        };
        let mut list: String = safe.iter().take(LISTED).map(line).collect();
        if let Some(more) = safe.len().checked_sub(LISTED).filter(|it| *it > 0) {
            list += &self
                .paint
                .wrap_text(&format!("… and {more} more; review --json has them all"), 0);
        }
        let these = if safe.len() == 1 {
            "it".into()
        } else {
            format!("these {}", safe.len())
        };
        if !is_yes_answer(&self.ask_question(&format!("{list}accept {these}? [y/N] "))) {
            self.print_text("nothing was accepted\n");
            return Ok(());
        }
        let n = self
            .accept_safe()?
            .iter()
            .filter(|it| it.is_active())
            .count() as u64;
        self.print_text(&format!(
            "{} accepted\n",
            format_count(n, "memory", "memories")
        ));
        Ok(())
    }

    /// Accepts everything that is safe; the memories as they are now.
    pub(crate) fn accept_safe(&mut self) -> Result<Vec<Memory>, CommandError> {
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
    format!(
        "{} made",
        format_count(made.load(Ordering::Relaxed), "decision", "decisions")
    )
}

fn format_copy_count(it: &ReviewItem) -> String {
    format_count(it.copies.len() as u64, "copy", "copies")
}
