//! The set of lines of a space, by memory: united with others in any order, it is the same set.

use std::collections::{BTreeMap, btree_map::Entry};

use apostille_text::{digest::Digest, moderate::neutralise_text};
use jiff::Timestamp;

use super::line::{BadReplicaLine, ReplicaLine};
use crate::{
    event::{Event, EventBody},
    memory::{Memory, MemoryId, Status},
    refusal::check_text,
    space::Space,
};

/// The lines of a space.
#[derive(Debug, Clone)]
pub struct ReplicaLog {
    space: Space,
    memories: BTreeMap<MemoryId, SharedHistory>,
    /// Lines that are dated too far ahead to count yet, by their text: they are kept and handed on, so that nobody takes away what
    /// another one's clock allows.
    asleep: BTreeMap<String, ReplicaLine>,
}

/// The lines about one memory.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedHistory {
    remembered: Option<ReplicaLine>,
    /// In the order of their places in time.
    changes: Vec<ReplicaLine>,
    tombstone: Option<ReplicaLine>,
}

/// What came of reading lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplicaIntake {
    /// How many were new.
    pub new: usize,
    /// How many say that something was forgotten that was not known to be.
    pub forgotten: usize,
    /// How many do not count yet, because they are dated far ahead.
    pub from_future: usize,
    /// How many were left out for other reasons.
    pub left_out: usize,
    /// The first of these reasons.
    pub why: Option<String>,
    /// Whether a newer program wrote one of them.
    pub is_newer: bool,
}

impl ReplicaIntake {
    /// The first reason is told; it may quote a line, and so what a stranger wrote.
    fn leave_out(&mut self, why: &str) {
        self.left_out += 1;
        let is_harmless = || check_text("line", why).is_ok();
        self.why.get_or_insert_with(|| match is_harmless() {
            true => neutralise_text(why),
            false => "it cannot be read".into(),
        });
    }
}

impl ReplicaLog {
    /// A set without lines.
    pub fn new(space: Space) -> Self {
        Self {
            space,
            memories: BTreeMap::new(),
            asleep: BTreeMap::new(),
        }
    }

    /// Whose memories they are about.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Whether anybody may have heard of this memory by these lines, those included that do not count yet.
    pub(super) fn tells_of(&self, id: MemoryId) -> bool {
        let is_asleep = || self.asleep.values().any(|it| it.id == id);
        self.history(id).is_some_and(SharedHistory::is_told) || is_asleep()
    }

    /// Adds a line; whether the set is another one now. A memory is what its first line says that was heard here: another one with
    /// its id would put words into its author's mouth.
    pub fn insert_line(&mut self, line: ReplicaLine) -> bool {
        if line.is_tombstone() {
            self.asleep.retain(|_, it| it.id != line.id);
        }
        match self.memories.entry(line.id) {
            Entry::Occupied(mut it) => it.get_mut().insert_line(line),
            Entry::Vacant(it) => it.insert(SharedHistory::default()).insert_line(line),
        }
    }

    /// Adds lines that this replica kept.
    pub fn insert_known_texts<'a>(
        &mut self,
        texts: impl Iterator<Item = &'a str>,
        latest: Timestamp,
    ) -> ReplicaIntake {
        self.insert_texts(texts, latest, ReplicaLine::parse_known, &|_| Ok(()))
    }

    /// Adds lines that another replica wrote. What is dated behind `latest` does not count yet, except that something was forgotten:
    /// a clock that is years ahead would win over everybody.
    pub fn insert_foreign_texts<'a>(
        &mut self,
        texts: impl Iterator<Item = &'a str>,
        latest: Timestamp,
    ) -> ReplicaIntake {
        self.insert_checked_texts(texts, latest, &|_| Ok(()))
    }

    /// The same, but for the lines that are turned away, each with the reason.
    pub fn insert_checked_texts<'a>(
        &mut self,
        texts: impl Iterator<Item = &'a str>,
        latest: Timestamp,
        check: &dyn Fn(&ReplicaLine) -> Result<(), BadReplicaLine>,
    ) -> ReplicaIntake {
        self.insert_texts(texts, latest, ReplicaLine::parse_foreign, check)
    }

    fn insert_texts<'a>(
        &mut self,
        texts: impl Iterator<Item = &'a str>,
        latest: Timestamp,
        parse: fn(&str, &Space) -> Result<ReplicaLine, BadReplicaLine>,
        check: &dyn Fn(&ReplicaLine) -> Result<(), BadReplicaLine>,
    ) -> ReplicaIntake {
        let mut intake = ReplicaIntake::default();
        for text in texts.filter(|it| !it.trim().is_empty()) {
            let parsed = parse(text.trim_end(), &self.space);
            match parsed.and_then(|it| check(&it).map(|()| it)) {
                Ok(line) if !line.is_tombstone() && line.at.max(line.event.at) > latest => {
                    intake.from_future += usize::from(self.let_sleep(line));
                }
                Ok(line) if self.contradicts(&line) => {
                    intake.leave_out("another memory has its id");
                }
                Ok(line) => {
                    let is_tombstone = line.is_tombstone();
                    let is_new = self.insert_line(line);
                    intake.new += usize::from(is_new);
                    intake.forgotten += usize::from(is_new && is_tombstone);
                }
                Err(why) => {
                    intake.is_newer |= why == BadReplicaLine::Newer;
                    intake.leave_out(&why.to_string());
                }
            }
        }
        intake
    }

    fn contradicts(&self, line: &ReplicaLine) -> bool {
        self.history(line.id).is_some_and(|it| it.contradicts(line))
    }

    fn let_sleep(&mut self, line: ReplicaLine) -> bool {
        let history = self.memories.get(&line.id);
        let is_forgotten = history.is_some_and(|it| it.tombstone.is_some());
        !is_forgotten && self.asleep.insert(line.text.clone(), line).is_none()
    }

    /// When the first line will count that is dated too far ahead now.
    pub fn next_waking(&self) -> Option<Timestamp> {
        let times = self.asleep.values().map(|it| it.at.max(it.event.at));
        times.min()
    }

    /// Puts "forgotten" in the place of every line about a memory that was forgotten in this store; whether there were any. The store's
    /// own log says the rest when it is read next.
    pub fn bury_memory(&mut self, id: MemoryId, at: Timestamp) -> bool {
        let is_told = self.tells_of(id);
        let event = Event {
            at,
            space: self.space.clone(),
            memory: Some(id),
            actor: None,
            what: EventBody::Forgotten {
                number: 0,
                reason: String::new(),
            },
        };
        let tombstone = ReplicaLine::of_own_event(&event, at).filter(|_| is_told);
        tombstone.is_some_and(|it| self.insert_line(it))
    }

    /// The lines as they are written, in an order that every replica gives them.
    pub fn lines(&self) -> impl Iterator<Item = &ReplicaLine> {
        let awake = self.memories.values().flat_map(SharedHistory::lines);
        let mut lines: Vec<&ReplicaLine> = awake.chain(self.asleep.values()).collect();
        lines.sort_by_key(|it| (it.id, it.order()));
        lines.into_iter()
    }

    /// How many lines there are.
    pub fn count_lines(&self) -> usize {
        self.lines().count()
    }

    /// How many memories were forgotten.
    pub fn count_forgotten(&self) -> usize {
        let all = self.memories.values();
        all.filter(|it| it.tombstone.is_some()).count()
    }

    pub(super) fn history(&self, id: MemoryId) -> Option<&SharedHistory> {
        self.memories.get(&id)
    }

    pub(super) fn histories(&self) -> impl Iterator<Item = (MemoryId, &SharedHistory)> {
        self.memories.iter().map(|(id, it)| (*id, it))
    }
}

impl SharedHistory {
    fn insert_line(&mut self, line: ReplicaLine) -> bool {
        if line.is_tombstone() {
            // The memory's words go with its lines.
            self.remembered = None;
            self.changes.clear();
            return replace_by_earlier(&mut self.tombstone, line);
        }
        if self.tombstone.is_some() {
            return false;
        }
        if line.remembered().is_some() {
            return !self.contradicts(&line) && replace_by_earlier(&mut self.remembered, line);
        }
        if let Some(at) = self.changes.iter().position(|it| it.key == line.key) {
            if self.changes[at].order() <= line.order() {
                return false;
            }
            self.changes.remove(at);
        }
        let at = self.changes.partition_point(|it| it.order() < line.order());
        self.changes.insert(at, line);
        true
    }

    /// Whether a line says something else under an id that is known. Only the words count: who lost their lines tells again what they
    /// heard from others, in a lower voice.
    fn contradicts(&self, line: &ReplicaLine) -> bool {
        let known = self.remembered.as_ref().and_then(ReplicaLine::remembered);
        match (known, line.remembered()) {
            (Some(known), Some(told)) => known.claim_digest() != told.claim_digest(),
            _ => false,
        }
    }

    fn lines(&self) -> impl Iterator<Item = &ReplicaLine> {
        let ends = [&self.remembered, &self.tombstone].into_iter().flatten();
        ends.chain(&self.changes)
    }

    /// Whether the memory itself was told.
    pub(super) fn is_told(&self) -> bool {
        self.remembered.is_some()
    }

    pub(super) fn tombstone(&self) -> Option<&ReplicaLine> {
        self.tombstone.as_ref()
    }

    /// The last place in time of a line about it.
    pub(super) fn last_time(&self) -> Option<Timestamp> {
        self.lines().map(|it| it.at).max()
    }

    /// Whether this event was told.
    pub(super) fn has_key(&self, key: &Digest) -> bool {
        self.lines().any(|it| it.key == *key)
    }

    /// Who brought the memory.
    pub(super) fn author(&self) -> Option<&str> {
        self.remembered.as_ref()?.event.actor.as_deref()
    }

    /// The memory as the lines have it.
    pub(super) fn fold_memory(&self) -> Option<Memory> {
        let mut memory = self.remembered.as_ref()?.remembered()?.clone();
        for line in &self.changes {
            memory.apply_event(&line.event);
        }
        Some(memory)
    }

    /// The last line that says where the memory stands.
    pub(super) fn last_decision(&self) -> Option<&ReplicaLine> {
        self.changes.iter().rev().find(|it| is_decision(it))
    }

    /// The memories that took the place of this one, each with the time at which it did.
    pub(super) fn replacements(&self) -> impl Iterator<Item = (MemoryId, Timestamp)> {
        self.changes.iter().filter_map(|it| match &it.event.what {
            EventBody::Superseded { by, .. }
            | EventBody::Corrected { by, .. }
            | EventBody::Restored {
                status: Status::Superseded { by },
                ..
            } => Some((*by, it.at)),
            _ => None,
        })
    }
}

fn is_decision(line: &ReplicaLine) -> bool {
    !matches!(line.event.what, EventBody::Refreshed { .. })
}

/// Puts a line in the place of one that is later in the order; whether it did.
fn replace_by_earlier(place: &mut Option<ReplicaLine>, line: ReplicaLine) -> bool {
    let is_earlier = place.as_ref().is_none_or(|it| line.order() < it.order());
    if is_earlier {
        *place = Some(line);
    }
    is_earlier
}
