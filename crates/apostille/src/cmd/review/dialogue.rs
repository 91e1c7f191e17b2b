//! The dialogue: one that waits after the other, and what a person wants done about it.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use apostille_core::memory::{Memory, MemoryId, Name};
use apostille_core::review::{Care, Waiting};
use apostille_core::speaker::Person;
use apostille_core::{breaker as core, rollback};

use super::super::breaker;
use super::deeds::{Deed, Hand};
use super::edit::{self, Words};
use super::keys::{self, Choice, is_yes};
use super::{card, queue};
use crate::paint::{BOLD, DIM, Paint, YELLOW, count, cut, ink, one_line};
use crate::shell::{self, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error::Fault;

/// How many are listed before all that is safe is accepted.
const LISTED: usize = 500;

/// A person to talk to.
pub trait Talk {
    /// Says something at once.
    fn say(&self, text: &str);
    /// One line that is typed; empty at the end of input.
    fn line(&self) -> String;
    /// The words after a person edited them in an editor; `None` where there is no editor.
    fn edit(&self, words: &Words) -> Option<Result<Option<Words>, Fault>>;
}

/// The terminal.
pub struct Terminal<'a> {
    /// The program as it was called.
    pub shell: &'a Shell,
}

impl Talk for Terminal<'_> {
    fn say(&self, text: &str) {
        // A terminal that is gone is noticed when the answer is read.
        let _ = shell::write(std::io::stdout().lock(), text, self.shell.flags.color);
        let _ = std::io::stdout().flush();
    }

    fn line(&self) -> String {
        self.shell.world.read_line()
    }

    fn edit(&self, words: &Words) -> Option<Result<Option<Words>, Fault>> {
        edit::editor(&self.shell.world).map(|editor| edit::edited(&self.shell.world, editor, words))
    }
}

/// A decision that was made, and what it takes to take it back.
struct Step {
    /// Where in the queue it was.
    at: usize,
    /// The last event before it.
    after: u64,
    /// Which memories it changed; none where they are gone.
    changed: Vec<MemoryId>,
}

/// A walk through the queue.
pub struct Dialogue<'a> {
    hand: Hand<'a>,
    paint: &'a Paint,
    talk: &'a dyn Talk,
    queue: Vec<Waiting>,
    is_settled: Vec<bool>,
    steps: Vec<Step>,
    made: Arc<AtomicU64>,
}

impl<'a> Dialogue<'a> {
    /// A dialogue about this queue.
    pub fn new(
        shell: &'a Shell,
        by: &'a Person,
        desk: &'a Desk,
        talk: &'a dyn Talk,
        queue: Vec<Waiting>,
    ) -> Self {
        let is_settled = vec![false; queue.len()];
        let (hand, steps, made) = (Hand { shell, by, desk }, Vec::new(), Arc::default());
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
    pub fn made(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.made)
    }

    /// Goes through the queue until its end, or until the person leaves.
    pub fn run(&mut self) -> Result<(), Fault> {
        self.say(&self.greeting());
        let mut at = 0;
        loop {
            let Some(next) = self.waiting_from(at) else {
                if !self.is_last_taken_back(&mut at)? {
                    break;
                }
                continue;
            };
            at = next;
            self.say(&format!(
                "\n{}",
                card::text(self.paint, &self.queue[at], at + 1, self.queue.len())
            ));
            match self.chosen() {
                Choice::Quit => break,
                Choice::Skip => at += 1,
                Choice::Back => at = self.waiting_before(at),
                Choice::Undo => at = self.undone(at)?,
                Choice::AllSafe => self.bulk()?,
                choice => self.decide(at, choice)?,
            }
        }
        self.say(&self.farewell());
        self.breakers()
    }

    /// Offers to close what is open: whoever has read what waits can judge it.
    fn breakers(&self) -> Result<(), Fault> {
        for (space, trip) in breaker::open(self.hand.desk)? {
            let told = self
                .paint
                .wrapped(&format!("a breaker is open: {}", breaker::told(&trip)), 0);
            if is_yes(&self.asked(&format!("{told}close it? [y/N] "))) {
                core::close(
                    &self.hand.desk.cx_for(&space),
                    self.hand.by,
                    &space,
                    trip.actor.as_deref(),
                )?;
                self.say("closed\n");
            }
        }
        Ok(())
    }

    fn say(&self, text: &str) {
        self.talk.say(text);
    }

    fn waiting_from(&self, at: usize) -> Option<usize> {
        (at..self.queue.len()).find(|it| !self.is_settled[*it])
    }

    fn waiting_before(&self, at: usize) -> usize {
        let before = (0..at).rev().find(|it| !self.is_settled[*it]);
        if before.is_none() {
            self.say(&ink(DIM, "there is none before it\n"));
        }
        before.unwrap_or(at)
    }

    fn greeting(&self) -> String {
        let n = crate::json::n_waiting(&self.queue) as u64;
        let waits = count(n, "memory waits", "memories wait");
        let decisions = count(self.queue.len() as u64, "decision", "decisions");
        let safe = self.safe().count();
        let safe = if safe == 0 {
            String::new()
        } else {
            format!(", {safe} safe: all accepts them at once")
        };
        self.paint
            .wrapped(&format!("{waits}, {decisions} to make{safe}"), 0)
    }

    fn farewell(&self) -> String {
        let left = self.is_settled.iter().filter(|it| !**it).count() as u64;
        let left = match left {
            0 => "nothing waits any more".to_owned(),
            n => format!("{} left", count(n, "decision", "decisions")),
        };
        self.paint
            .wrapped(&format!("{}, {left}", told(&self.made)), 0)
    }

    /// Asks until it is understood.
    fn chosen(&self) -> Choice {
        loop {
            self.say(&keys::question(self.paint));
            let line = self.talk.line();
            if line.is_empty() {
                self.say("\n");
            }
            match Choice::of(&line) {
                Some(Choice::Help) => self.say(&keys::help(self.paint)),
                Some(choice) => return choice,
                None => self.say(&ink(DIM, "one of these keys, then enter\n")),
            }
        }
    }

    fn decide(&mut self, at: usize, choice: Choice) -> Result<(), Fault> {
        let it = &self.queue[at];
        let after = self.place(it)?;
        let deed = match choice {
            Choice::Accept => self.accepted(it)?,
            Choice::Forget => self.forgotten(it)?,
            Choice::Reject(reason) => self.rejected(it, reason)?,
            Choice::Merge(into) => self.merged(it, &into)?,
            Choice::Edit => self.edited(it)?,
            _ => None,
        };
        if let Some(deed) = deed {
            self.say(&deed.told);
            self.note(at, after, &deed);
        }
        Ok(())
    }

    fn place(&self, it: &Waiting) -> Result<u64, Fault> {
        Ok(rollback::place(&self.hand.desk.cx(), &it.memory().space)?)
    }

    /// Only what was done counts, and can be taken back.
    fn note(&mut self, at: usize, after: u64, deed: &Deed) {
        self.is_settled[at] = deed.is_settled;
        if deed.is_made {
            self.made.fetch_add(1, Ordering::Relaxed);
            self.steps.push(Step {
                at,
                after,
                changed: deed.changed(&self.queue[at]),
            });
        }
    }

    /// Takes the last decision back; where to go on.
    fn undone(&mut self, at: usize) -> Result<usize, Fault> {
        let Some(step) = self.steps.pop() else {
            self.say(&ink(DIM, "nothing was decided yet\n"));
            return Ok(at);
        };
        let memory = self.queue[step.at].memory();
        let (handle, space) = (memory.handle(), memory.space.clone());
        if step.changed.is_empty() {
            self.say(&format!("{handle} was forgotten and cannot come back\n"));
            return Ok(at);
        }
        let cx = self.hand.desk.cx_for(&space);
        rollback::take_back(
            &cx,
            &space,
            step.after,
            &step.changed,
            "taken back in review",
        )?;
        self.is_settled[step.at] = false;
        self.made.fetch_sub(1, Ordering::Relaxed);
        self.say(&format!(
            "{} {handle} waits again\n",
            ink(YELLOW, "taken back:")
        ));
        Ok(step.at)
    }

    /// The last decision of all can be taken back too.
    fn is_last_taken_back(&mut self, at: &mut usize) -> Result<bool, Fault> {
        let can_undo = self
            .steps
            .last()
            .is_some_and(|it| it.at == *at && !it.changed.is_empty());
        let ask = format!("[{}]ndo the last one, or enter to end: ", ink(BOLD, "u"));
        if !can_undo || Choice::of(&self.asked(&ask)) != Some(Choice::Undo) {
            return Ok(false);
        }
        *at = self.undone(*at)?;
        Ok(true)
    }

    fn asked(&self, question: &str) -> String {
        self.say(question);
        self.talk.line().trim().to_owned()
    }

    /// Copies of what comes from outside or reads like an instruction are named before they are let in with it.
    fn accepted(&self, it: &Waiting) -> Result<Option<Deed>, Fault> {
        let is_careful = it.care >= Care::Outside && !it.copies.is_empty();
        let ask = || {
            format!(
                "{}accept this and {}? [y/N] ",
                self.copies(it),
                n_copies(it)
            )
        };
        if is_careful && !is_yes(&self.asked(&ask())) {
            self.say("nothing was accepted\n");
            return Ok(None);
        }
        self.hand.accept(it).map(Some)
    }

    /// The copies, one on each line.
    fn copies(&self, it: &Waiting) -> String {
        let room = self
            .paint
            .columns()
            .map_or(usize::MAX, |it| it.saturating_sub(9));
        let line = |it: &Memory| format!("{:8} {}\n", it.handle(), cut(&one_line(&it.fact), room));
        let more = it.copies.len().saturating_sub(LISTED);
        let more = if more == 0 {
            String::new()
        } else {
            format!("… and {more} more\n")
        };
        it.copies.iter().take(LISTED).map(line).collect::<String>() + &more
    }

    fn forgotten(&self, it: &Waiting) -> Result<Option<Deed>, Fault> {
        let what = match it.copies.len() {
            0 => "forget it".to_owned(),
            _ => format!("{}forget this and {}", self.copies(it), n_copies(it)),
        };
        let is_sure =
            is_yes(&self.asked(&format!("{what} for good? this cannot be undone [y/N] ")));
        is_sure.then(|| self.hand.forget(it)).transpose()
    }

    /// Without a reason nothing is rejected: whoever pressed the key by mistake gets back to the item.
    fn rejected(&self, it: &Waiting, reason: String) -> Result<Option<Deed>, Fault> {
        let reason = match reason.is_empty() {
            true => self.asked("why? (enter: back, nothing is rejected) "),
            false => reason,
        };
        if matches!(reason.as_str(), "" | "q" | "quit") {
            self.say("nothing was rejected\n");
            return Ok(None);
        }
        self.hand.reject(it, &reason).map(Some)
    }

    /// Merges into the memory that was named; into the nearest only after its words were read.
    fn merged(&self, it: &Waiting, into: &str) -> Result<Option<Deed>, Fault> {
        let into = match (into, it.near.first()) {
            ("", Some(known)) => {
                let fact = one_line(&known.fact);
                let ask = self
                    .paint
                    .wrapped(&format!("merge into {}: {fact}?", known.handle), 0);
                match self.asked(&format!("{ask}y, or another as m-12 (enter: none) ")) {
                    said if is_yes(&said) => known.handle.to_string(),
                    said => said,
                }
            }
            ("", None) => self.asked("into which? (as m-12; enter: none) "),
            (said, _) => said.to_owned(),
        };
        if matches!(into.as_str(), "" | "n" | "no" | "q") {
            self.say("nothing was merged\n");
            return Ok(None);
        }
        match into.parse::<Name>() {
            Ok(name) => self.hand.merge(it, name).map(Some),
            Err(why) => {
                self.say(&format!("{} {why}\n", ink(YELLOW.bold(), "refused:")));
                Ok(None)
            }
        }
    }

    fn edited(&self, it: &Waiting) -> Result<Option<Deed>, Fault> {
        let words = Words::of(it.memory());
        let new = match self.talk.edit(&words) {
            Some(Ok(new)) => new,
            Some(Err(fault)) => {
                self.say(&self.hand.shell.failed(&fault).err);
                None
            }
            None => Some(self.typed(&words)).filter(|it| *it != words),
        };
        let Some(new) = new else {
            self.say(&ink(DIM, "nothing was changed\n"));
            return Ok(None);
        };
        self.hand.reword(it, new).map(Some)
    }

    /// The words line by line, where there is no editor.
    fn typed(&self, old: &Words) -> Words {
        let ask = |what: &str, old: &str| match self.asked(&format!("{what} (enter keeps it): ")) {
            said if said.is_empty() => old.to_owned(),
            said => said,
        };
        let some = |text: String| Some(text).filter(|it| !it.is_empty());
        Words {
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

    fn safe(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.queue.len()).filter(|it| !self.is_settled[*it] && self.queue[*it].is_safe())
    }

    /// Lists what is safe, and accepts it when the person agrees.
    pub fn bulk(&mut self) -> Result<(), Fault> {
        let safe: Vec<&Waiting> = self.safe().map(|at| &self.queue[at]).collect();
        if safe.is_empty() {
            self.say("nothing that waits is safe to accept unread\n");
            return Ok(());
        }
        let room = self
            .paint
            .columns()
            .map_or(usize::MAX, |it| it.saturating_sub(9));
        let line = |it: &&Waiting| {
            format!(
                "{:8} {}\n",
                it.memory().handle(),
                cut(&queue::said(it), room)
            )
        };
        let mut list: String = safe.iter().take(LISTED).map(line).collect();
        if let Some(more) = safe.len().checked_sub(LISTED).filter(|it| *it > 0) {
            list += &self
                .paint
                .wrapped(&format!("… and {more} more; review --json has them all"), 0);
        }
        let these = if safe.len() == 1 {
            "it".into()
        } else {
            format!("these {}", safe.len())
        };
        if !is_yes(&self.asked(&format!("{list}accept {these}? [y/N] "))) {
            self.say("nothing was accepted\n");
            return Ok(());
        }
        let n = self
            .accept_safe()?
            .iter()
            .filter(|it| it.is_active())
            .count() as u64;
        self.say(&format!("{} accepted\n", count(n, "memory", "memories")));
        Ok(())
    }

    /// Accepts everything that is safe; the memories as they are now.
    pub fn accept_safe(&mut self) -> Result<Vec<Memory>, Fault> {
        let mut done = Vec::new();
        for at in self.safe().collect::<Vec<_>>() {
            let after = self.place(&self.queue[at])?;
            let deed = self.hand.accept(&self.queue[at])?;
            self.note(at, after, &deed);
            done.extend(deed.done);
        }
        Ok(done)
    }
}

/// How many decisions were made, in words.
pub fn told(made: &AtomicU64) -> String {
    format!(
        "{} made",
        count(made.load(Ordering::Relaxed), "decision", "decisions")
    )
}

fn n_copies(it: &Waiting) -> String {
    count(it.copies.len() as u64, "copy", "copies")
}
