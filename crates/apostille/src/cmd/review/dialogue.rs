//! The dialogue: one that waits after the other, and what a person wants done about it.

use std::io::Write as _;

use apostille_core::breaker as core;
use apostille_core::memory::{Memory, Name};
use apostille_core::review::Waiting;

use super::super::breaker;
use super::deeds::{Deed, Hand};
use super::edit::{self, Words};
use super::{card, queue};
use crate::error::Fault;
use crate::paint::{BOLD, DIM, Paint, YELLOW, count, cut, ink, width};
use crate::shell::{self, Shell};
use crate::world::desk::Desk;

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

/// What a person chose.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Choice {
    Accept,
    Edit,
    Merge(String),
    Reject(String),
    Forget,
    Skip,
    Back,
    AllSafe,
    Quit,
    Help,
}

impl Choice {
    /// The choice that a line stands for; the end of the input is the end of it all.
    fn of(line: &str) -> Option<Self> {
        let (key, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        let rest = rest.trim().to_owned();
        match key.to_ascii_lowercase().as_str() {
            "" if line.is_empty() => Some(Self::Quit),
            "a" | "accept" | "y" => Some(Self::Accept),
            "e" | "edit" => Some(Self::Edit),
            "m" | "merge" => Some(Self::Merge(rest)),
            "r" | "reject" | "n" => Some(Self::Reject(rest)),
            "f" | "forget" => Some(Self::Forget),
            "" | "s" | "skip" => Some(Self::Skip),
            "b" | "back" => Some(Self::Back),
            "all" => Some(Self::AllSafe),
            "q" | "quit" => Some(Self::Quit),
            "?" | "h" | "help" => Some(Self::Help),
            _ => None,
        }
    }
}

/// The keys, each as it stands in the word for what it does.
const KEYS: [(&str, &str); 10] = [
    ("a", "ccept"),
    ("e", "dit"),
    ("m", "erge"),
    ("r", "eject"),
    ("f", "orget"),
    ("s", "kip"),
    ("b", "ack"),
    ("all", " safe"),
    ("q", "uit"),
    ("?", ""),
];

const HELP: [(&str, &str); 10] = [
    ("a", "accept: it is used from now on; copies go up in it"),
    ("e", "edit: say it in your own words; they are kept as yours"),
    ("m m-12", "merge: m-12 keeps its words and gains the citations"),
    ("r why", "reject: it stays in the history as rejected, with the reason"),
    ("f", "forget: the text is removed everywhere, for good"),
    ("s", "skip, or enter: it waits on"),
    ("b", "back to the one before that still waits"),
    ("all", "accept all that is safe, after a look at the list"),
    ("q", "quit; what was decided stays decided"),
    ("?", "this"),
];

/// A walk through the queue.
pub struct Dialogue<'a> {
    hand: Hand<'a>,
    paint: &'a Paint,
    talk: &'a dyn Talk,
    queue: Vec<Waiting>,
    is_settled: Vec<bool>,
}

impl<'a> Dialogue<'a> {
    /// A dialogue about this queue.
    pub fn new(shell: &'a Shell, desk: &'a Desk, talk: &'a dyn Talk, queue: Vec<Waiting>) -> Self {
        let is_settled = vec![false; queue.len()];
        Self { hand: Hand { shell, desk }, paint: &shell.paint, talk, queue, is_settled }
    }

    /// Goes through the queue until its end, or until the person leaves.
    pub fn run(&mut self) -> Result<(), Fault> {
        self.say(&self.greeting());
        let mut at = 0;
        while let Some(next) = self.waiting_from(at) {
            at = next;
            self.say(&format!("\n{}", card::text(self.paint, &self.queue[at], at + 1, self.queue.len())));
            match self.chosen() {
                Choice::Quit => break,
                Choice::Skip => at += 1,
                Choice::Back => at = self.waiting_before(at),
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
            let told = self.paint.wrapped(&format!("a breaker is open: {}", breaker::told(&trip)), 0);
            if matches!(self.asked(&format!("{told}close it? [y/N] ")).as_str(), "y" | "Y" | "yes") {
                core::close(&self.hand.desk.cx_for(&space), &space, trip.actor.as_deref())?;
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
        let n = queue::size(&self.queue) as u64;
        let waits = count(n, "memory waits", "memories wait");
        let decisions = count(self.queue.len() as u64, "decision", "decisions");
        let safe = self.safe().count();
        let safe = if safe == 0 { String::new() } else { format!(", {safe} safe: all accepts them at once") };
        self.paint.wrapped(&format!("{waits}, {decisions} to make{safe}"), 0)
    }

    fn farewell(&self) -> String {
        let left = self.is_settled.iter().filter(|it| !**it).count() as u64;
        let done = self.queue.len() as u64 - left;
        let left = match left {
            0 => "nothing waits any more".to_owned(),
            n => format!("{} left", count(n, "decision", "decisions")),
        };
        self.paint.wrapped(&format!("{} made, {left}", count(done, "decision", "decisions")), 0)
    }

    /// Asks until it is understood.
    fn chosen(&self) -> Choice {
        loop {
            self.say(&question(self.paint));
            let line = self.talk.line();
            if line.is_empty() {
                self.say("\n");
            }
            match Choice::of(&line) {
                Some(Choice::Help) => self.say(&help(self.paint)),
                Some(choice) => return choice,
                None => self.say(&ink(DIM, "one of these keys, then enter\n")),
            }
        }
    }

    fn decide(&mut self, at: usize, choice: Choice) -> Result<(), Fault> {
        let it = &self.queue[at];
        let deed = match choice {
            Choice::Accept => Some(self.hand.accept(it)?),
            Choice::Forget => self.forgotten(it)?,
            Choice::Reject(reason) => self.rejected(it, reason)?,
            Choice::Merge(into) => self.merged(it, &into)?,
            Choice::Edit => self.edited(it)?,
            _ => None,
        };
        if let Some(deed) = deed {
            self.say(&deed.told);
            self.is_settled[at] = deed.is_settled;
        }
        Ok(())
    }

    fn asked(&self, question: &str) -> String {
        self.say(question);
        self.talk.line().trim().to_owned()
    }

    fn forgotten(&self, it: &Waiting) -> Result<Option<Deed>, Fault> {
        let is_sure = self.asked("forget for good? this cannot be undone [y/N] ");
        matches!(is_sure.as_str(), "y" | "Y" | "yes").then(|| self.hand.forget(it)).transpose()
    }

    fn rejected(&self, it: &Waiting, reason: String) -> Result<Option<Deed>, Fault> {
        let reason = if reason.is_empty() { self.asked("why? (enter: no reason) ") } else { reason };
        self.hand.reject(it, &reason).map(Some)
    }

    /// Merges into the memory that was named, or into the nearest.
    fn merged(&self, it: &Waiting, into: &str) -> Result<Option<Deed>, Fault> {
        let nearest = it.near.first().map(|it| it.handle.to_string());
        let into = match (into, &nearest) {
            ("", Some(known)) => match self.asked(&format!("into which? (enter: {known}) ")) {
                said if said.is_empty() => known.clone(),
                said => said,
            },
            ("", None) => self.asked("into which? (as m-12; enter: none) "),
            (said, _) => said.to_owned(),
        };
        if into.is_empty() {
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
            subject: some(ask("the subject", old.subject.as_deref().unwrap_or_default())),
            reason: some(ask("why it matters", old.reason.as_deref().unwrap_or_default())),
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
        let room = self.paint.columns().map_or(usize::MAX, |it| it.saturating_sub(9));
        let line = |it: &&Waiting| format!("{:8} {}\n", it.memory().handle(), cut(&queue::said(it), room));
        let mut list: String = safe.iter().take(LISTED).map(line).collect();
        if let Some(more) = safe.len().checked_sub(LISTED).filter(|it| *it > 0) {
            list += &self.paint.wrapped(&format!("… and {more} more; review --json has them all"), 0);
        }
        let these = if safe.len() == 1 { "it".into() } else { format!("these {}", safe.len()) };
        match self.asked(&format!("{list}accept {these}? [y/N] ")).as_str() {
            "y" | "Y" | "yes" => {
                let n = self.accept_safe()?.iter().filter(|it| it.is_active()).count() as u64;
                self.say(&format!("{} accepted\n", count(n, "memory", "memories")));
            }
            _ => self.say("nothing was accepted\n"),
        }
        Ok(())
    }

    /// Accepts everything that is safe; the memories as they are now.
    pub fn accept_safe(&mut self) -> Result<Vec<Memory>, Fault> {
        let mut done = Vec::new();
        for at in self.safe().collect::<Vec<_>>() {
            let deed = self.hand.accept(&self.queue[at])?;
            self.is_settled[at] = deed.is_settled;
            done.extend(deed.done);
        }
        Ok(done)
    }
}

/// The keys on as many lines as they need, and the prompt.
fn question(paint: &Paint) -> String {
    let room = paint.columns().unwrap_or(usize::MAX);
    let mut lines = vec![String::new()];
    for (key, rest) in KEYS {
        let part = format!("[{}]{rest} ", ink(BOLD, key));
        match lines.last_mut() {
            Some(line) if width(line) + width(part.trim_end()) <= room => line.push_str(&part),
            _ => lines.push(part),
        }
    }
    lines.iter().map(|it| format!("{}\n", it.trim_end())).collect::<String>() + "> "
}

fn help(paint: &Paint) -> String {
    let line = |(key, what): &(&str, &str)| {
        let lines = paint.wrapped(what, 10);
        format!("  {}{:pad$}{}", ink(BOLD, key), "", lines.trim_start(), pad = 8 - key.len())
    };
    HELP.iter().map(line).collect()
}
