//! What is done about one that waits, and how it is told. Copies share its fate.

use apostille_core::forget::{Forgotten, forget};
use apostille_core::list;
use apostille_core::memory::{Draft, Memory, MemoryId, Name, Stage, Status};
use apostille_core::remember::Outcome;
use apostille_core::review::Waiting;
use apostille_core::revise::{self, Revised};
use apostille_core::speaker::Person;

use super::edit::Words;
use crate::paint::{BOLD, GREEN, Paint, YELLOW, cut, ink, one_line};
use crate::shell::Shell;
use apostille_workspace::desk::Desk;
use apostille_workspace::error::Fault;

/// What came of a decision.
pub struct Deed {
    /// The memories that were decided about, as they are now.
    pub done: Vec<Memory>,
    /// What is said about it.
    pub told: String,
    /// Whether it no longer waits.
    pub is_settled: bool,
    /// Whether something was done; what was refused, or decided by somebody else, was not.
    pub is_made: bool,
}

impl Deed {
    fn refused(told: String, is_settled: bool) -> Self {
        Self {
            done: Vec::new(),
            told,
            is_settled,
            is_made: false,
        }
    }

    /// Which memories the deed may have changed; none where they are gone.
    pub fn changed(&self, it: &Waiting) -> Vec<MemoryId> {
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
pub struct Hand<'a> {
    /// How it is told.
    pub shell: &'a Shell,
    /// Who decides.
    pub by: &'a Person,
    /// Where it is done.
    pub desk: &'a Desk,
}

impl Hand<'_> {
    /// Lets it be used; its copies go up in it.
    pub fn accept(self, it: &Waiting) -> Result<Deed, Fault> {
        let name = Name::Id(it.memory().id);
        let revised = revise::approve(&self.desk.cx(), self.by, &self.desk.spaces(), name)?;
        self.with_copies(it, revised, "accepted")
    }

    /// Turns it away, its copies too.
    pub fn reject(self, it: &Waiting, reason: &str) -> Result<Deed, Fault> {
        let (cx, spaces) = (self.desk.cx(), self.desk.spaces());
        let revised = revise::reject(&cx, self.by, &spaces, Name::Id(it.memory().id), reason)?;
        let mut deed = self.told(it, revised, "rejected")?;
        for copy in it.copies.iter().filter(|_| deed.is_made) {
            if let Revised::Done(memory) =
                revise::reject(&cx, self.by, &spaces, Name::Id(copy.id), reason)?
            {
                deed.done.push(*memory);
            }
        }
        Ok(self.counted(deed, it))
    }

    /// Lets it go up in another, and its copies too.
    pub fn merge(self, it: &Waiting, into: Name) -> Result<Deed, Fault> {
        let (cx, spaces) = (self.desk.cx_for(&it.memory().space), self.desk.spaces());
        let revised = revise::absorb(&cx, &spaces, Name::Id(it.memory().id), into)?;
        self.with_copies(it, revised, "merged into")
    }

    /// Keeps what a person says instead, as that person's own words.
    pub fn reword(self, it: &Waiting, words: Words) -> Result<Deed, Fault> {
        let old = it.memory();
        let speaker = self.shell.world.speaker();
        let draft = Draft {
            subject: words.subject,
            reason: words.reason,
            tags: old.tags.clone(),
            ..Draft::new(old.space.clone(), words.fact, speaker.voice().clone())
        };
        // Whoever edits has seen what the lines do not say, and decides.
        let draft = draft.vouched_if(true, Some(self.by));
        let cx = self.desk.cx_for(&old.space);
        let revised = match revise::reword(&cx, &self.desk.spaces(), Name::Id(old.id), draft)? {
            Outcome::Remembered { memory, .. } | Outcome::Refreshed { memory } => {
                Revised::Done(memory)
            }
            Outcome::Refused(refusal) => Revised::Refused(refusal),
            Outcome::Similar { near } => {
                let known = near
                    .iter()
                    .map(|it| it.handle.to_string())
                    .collect::<Vec<_>>()
                    .join(", ");
                let told = format!(
                    "{} much the same is known: {known}\n",
                    ink(YELLOW.bold(), "not kept:")
                );
                return Ok(Deed::refused(told, false));
            }
        };
        self.with_copies(it, revised, "kept as")
    }

    /// Removes the text everywhere, that of its copies too.
    pub fn forget(self, it: &Waiting) -> Result<Deed, Fault> {
        let (mut told, mut is_made) = (String::new(), false);
        for memory in std::iter::once(it.memory()).chain(&it.copies) {
            let name = Name::Id(memory.id);
            match forget(
                &self.desk.cx(),
                &self.shell.world.speaker(),
                &self.desk.spaces(),
                name,
                "forgotten in review",
            )? {
                Forgotten::Done(memory) => {
                    told += &said("forgot", &memory);
                    is_made = true;
                }
                Forgotten::Refused(refusal) => told += &self.shell.refused(&refusal).err,
            }
            self.desk.forget_meanwhile(memory.id)?;
        }
        Ok(Deed {
            is_made,
            ..Deed::refused(told, !self.is_waiting(it)?)
        })
    }

    /// Whether it still waits; somebody else may have been first.
    fn is_waiting(self, it: &Waiting) -> Result<bool, Fault> {
        let now = list::named(
            &self.desk.cx(),
            &self.desk.spaces(),
            Name::Id(it.memory().id),
        )?;
        Ok(now.is_some_and(|it| it.status.stage() == Stage::Pending))
    }

    /// What became of it, once its copies went up in what is now in use.
    fn with_copies(self, it: &Waiting, revised: Revised, verb: &str) -> Result<Deed, Fault> {
        let mut deed = self.told(it, revised, verb)?;
        let Some(kept) = deed.done.first().map(|it| Name::Id(it.id)) else {
            return Ok(deed);
        };
        let (cx, spaces) = (self.desk.cx_for(&it.memory().space), self.desk.spaces());
        for copy in &it.copies {
            if let Revised::Done(memory) = revise::absorb(&cx, &spaces, Name::Id(copy.id), kept)? {
                deed.done.push(*memory);
            }
        }
        Ok(self.counted(deed, it))
    }

    fn told(self, it: &Waiting, revised: Revised, verb: &str) -> Result<Deed, Fault> {
        match revised {
            Revised::Done(memory) => {
                let told = said(verb, &memory);
                Ok(Deed {
                    done: vec![*memory],
                    told,
                    is_settled: true,
                    is_made: true,
                })
            }
            Revised::Refused(refusal) => Ok(Deed::refused(
                self.shell.refused(&refusal).err,
                !self.is_waiting(it)?,
            )),
        }
    }

    fn counted(self, deed: Deed, it: &Waiting) -> Deed {
        let n_copies = deed.done.len().saturating_sub(1);
        match (n_copies, it.copies.is_empty()) {
            (0, _) | (_, true) => deed,
            (n, _) => {
                let copies = crate::paint::count(n as u64, "copy", "copies");
                Deed {
                    told: format!("{}  {copies} with it\n", deed.told),
                    ..deed
                }
            }
        }
    }
}

fn said(verb: &str, memory: &Memory) -> String {
    format!("{} {}\n", ink(GREEN, verb), ink(BOLD, memory.handle()))
}

/// What was decided about a memory, on one line.
pub fn line(paint: &Paint, memory: &Memory) -> String {
    let word = match &memory.status {
        Status::Active => "accepted",
        _ => "rejected",
    };
    let room = paint
        .columns()
        .map_or(usize::MAX, |it| it.saturating_sub(20));
    format!(
        "{}  {}\n",
        said(word, memory).trim_end(),
        cut(&one_line(&memory.fact), room)
    )
}
