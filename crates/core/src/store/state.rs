//! The state that a log of events folds into: what the RAM store is, and what the JSONL store keeps while it runs.
//!
//! It is also the oracle. Every other store is run beside it with random operations and must answer the same, so this file
//! is written to be obviously right rather than fast: plain maps, no packed index, no counters that could go wrong on
//! their own. What an event does to a row is not decided here: [`super::plan`] says it once for all stores.
//!
//! Folding is not just replaying. A file of lines is merged like code, so the same memory may arrive twice, may arrive after
//! it was forgotten, and two branches may have given the same number to different memories. The rules are: once is enough;
//! forgotten stays forgotten, whatever the order; and the later one of two that share a number gets the next free one.
//! With these three, two people who merge in different directions end with the same memories.
//!
//! To forget is the one operation that reaches back: the memory goes, every event about it goes, and the questions that
//! it answered lose their words, because a question can tell what the answer was. Its tombstone has nothing but the id.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ops::RangeInclusive,
};

use jiff::Timestamp;

use super::{
    AppendReceipt, EventPage, MemoryFilter, MemoryKeys, Posting, Postings, SpaceSummary,
    StoreError,
    breaker_state::{self, BreakerState, MANY, OpenBreaker},
    plan::{MemoryChange, changed_memory, plan_event},
};
use crate::{
    embedding::{EmbeddingModel, MemoryEmbedding},
    event::{Event, EventBody, EventKind, LoggedEvent, Precondition, trace::EventTrace},
    memory::{Layer, MAX_NUMBER, Memory, MemoryId, UsageCounts},
    space::Space,
};
use apostille_text::{digest::Digest, terms};

/// Everything that a log says.
#[derive(Debug, Default)]
pub struct StoreState {
    rooms: BTreeMap<Space, SpaceState>,
    /// What a space is in which nothing has happened.
    empty: SpaceState,
    places: HashMap<MemoryId, (Space, u64)>,
    forgotten: HashSet<MemoryId>,
    log: Vec<LoggedEvent>,
    next_seq: u64,
}

/// One space's part of it.
#[derive(Debug, Default)]
struct SpaceState {
    last_number: u64,
    memories: BTreeMap<u64, Memory>,
    claims: HashMap<Digest, u64>,
    index: BTreeMap<String, BTreeMap<u64, Posting>>,
    n_docs: u64,
    total_len: u64,
    events: BTreeMap<String, u64>,
    open: Vec<OpenBreaker>,
    embeddings: BTreeMap<(EmbeddingModel, u64), MemoryEmbedding>,
}

impl StoreState {
    fn room(&self, space: &Space) -> &SpaceState {
        self.rooms.get(space).unwrap_or(&self.empty)
    }

    /// Whether everything that a batch was decided on is still so.
    pub fn check_preconditions(&self, expects: &[Precondition]) -> Result<(), StoreError> {
        let find_moved = |expect: &Precondition| match expect {
            Precondition::NoTwin(space, claim) => {
                let twin = self.find_by_claim(space, claim);
                twin.map(|_| "a like memory".to_owned())
            }
            Precondition::Unmoved(id, status) => {
                let is_moved = self.find_memory(*id).is_none_or(|it| it.status != *status);
                is_moved.then(|| format!("memory {id}"))
            }
            Precondition::IdentityChars(space, chars) => {
                let is_moved = self.summarize_space(space).identity_chars != *chars;
                is_moved.then(|| "the identity layer".into())
            }
        };
        match expects.iter().find_map(find_moved) {
            Some(what) => Err(StoreError::Conflict { what }),
            None => Ok(()),
        }
    }

    /// Folds the events in, giving new memories their numbers.
    pub fn append_events(&mut self, events: &[Event]) -> AppendReceipt {
        let mut receipt = AppendReceipt::default();
        for event in events {
            let number = self.fold_event(event);
            receipt.numbers.extend(event.memory.zip(number));
        }
        receipt
    }

    /// Folds one event in; the number of the memory that it brought.
    ///
    /// Logs are merged like code, so a memory may come twice, after it was forgotten, or with a number that another
    /// took: once is enough, forgotten stays forgotten, and the later one gets the next number.
    pub fn fold_event(&mut self, event: &Event) -> Option<u64> {
        if let EventBody::Remembered { memory, .. } = &event.what
            && (self.places.contains_key(&memory.id) || self.forgotten.contains(&memory.id))
        {
            return None;
        }
        let before = changed_memory(event).and_then(|id| self.take_memory(id));
        let changes = plan_event(event, before);
        // What is forgotten goes first: its tombstone is not one of the events that go with it.
        if let MemoryChange::Erase(id) = changes.memories {
            self.remove_memory(id);
        }
        let room = self.rooms.entry(event.space.clone()).or_default();
        room.note_event(event);
        let mut logged = event.clone();
        let mut given = None;
        if let EventBody::Remembered { memory, .. } = &mut logged.what {
            memory.number = *given.insert(room.free_number(memory.number));
        }
        self.next_seq += 1;
        self.log.push(LoggedEvent {
            seq: self.next_seq,
            event: logged,
            was: changes.was,
        });
        match changes.memories {
            MemoryChange::Insert(memory) => {
                let mut memory = memory.clone();
                memory.number = given.unwrap_or_default();
                let place = (event.space.clone(), memory.number);
                self.places.insert(memory.id, place);
                self.put_memory(memory);
            }
            MemoryChange::Update(update) => self.put_memory(update.after),
            MemoryChange::Count(usage) => event
                .touched_memories()
                .for_each(|id| self.count_usage(id, usage)),
            MemoryChange::None | MemoryChange::Erase(_) => {}
        }
        given
    }

    /// Takes a memory out, to be put back as an event made it.
    fn take_memory(&mut self, id: MemoryId) -> Option<Memory> {
        let (space, number) = self.places.get(&id)?;
        self.rooms.get_mut(space)?.take_memory(*number)
    }

    /// Puts a memory where it has its place.
    fn put_memory(&mut self, memory: Memory) {
        let place = self.places.get(&memory.id);
        if let Some(room) = place.and_then(|(space, _)| self.rooms.get_mut(space)) {
            room.put_memory(memory);
        }
    }

    /// Counting a showing does not change what is indexed.
    fn count_usage(&mut self, id: MemoryId, usage: UsageCounts) {
        if let Some((space, number)) = self.places.get(&id)
            && let Some(room) = self.rooms.get_mut(space)
            && let Some(memory) = room.memories.get_mut(number)
        {
            memory.usage.add(usage);
        }
    }

    /// The highest number that a space has given.
    pub fn last_number(&self, space: &Space) -> u64 {
        self.room(space).last_number
    }

    /// Whether there is such a memory.
    pub fn has_memory(&self, id: MemoryId) -> bool {
        self.places.contains_key(&id)
    }

    /// Removes a memory, every event about it, and the questions it answered.
    fn remove_memory(&mut self, id: MemoryId) {
        self.forgotten.insert(id);
        let Some((space, number)) = self.places.remove(&id) else {
            return;
        };
        if let Some(room) = self.rooms.get_mut(&space) {
            room.take_memory(number);
            room.embeddings.retain(|key, _| key.1 != number);
        }
        for gone in self.log.extract_if(.., |it| it.event.memory == Some(id)) {
            let room = self.rooms.entry(gone.event.space).or_default();
            room.uncount_event(gone.event.what.event_kind().as_str());
        }
        for logged in &mut self.log {
            logged.event.clear_query_about(id);
        }
    }

    /// Takes what was asked in a space during this time out of the log; how many questions.
    pub(super) fn forget_questions(
        &mut self,
        space: &Space,
        during: &RangeInclusive<Timestamp>,
    ) -> usize {
        let asked = self.log.iter_mut();
        asked
            .map(|it| usize::from(it.event.clear_query_asked(space, during)))
            .sum()
    }

    /// How many questions of this space and time the log holds.
    pub fn count_questions(&self, space: &Space, during: &RangeInclusive<Timestamp>) -> usize {
        let log = self.log.iter();
        log.filter(|it| it.event.has_query_asked(space, during))
            .count()
    }

    fn find_memory(&self, id: MemoryId) -> Option<&Memory> {
        let (space, number) = self.places.get(&id)?;
        self.room(space).memories.get(number)
    }

    /// The memories with these keys.
    pub fn get_memories(&self, keys: MemoryKeys) -> Vec<Memory> {
        let found: Vec<&Memory> = match keys {
            MemoryKeys::Ids(ids) => ids.iter().filter_map(|it| self.find_memory(*it)).collect(),
            MemoryKeys::Numbers(space, numbers) => {
                let memories = &self.room(space).memories;
                numbers.iter().filter_map(|it| memories.get(it)).collect()
            }
            MemoryKeys::Claim(space, claim) => Vec::from_iter(self.find_by_claim(space, claim)),
        };
        found.into_iter().cloned().collect()
    }

    /// The active or pending memory that makes this claim.
    fn find_by_claim(&self, space: &Space, claim: &Digest) -> Option<&Memory> {
        let room = self.room(space);
        room.memories.get(room.claims.get(claim)?)
    }

    /// The memories that a filter admits.
    pub fn list_memories(&self, filter: &MemoryFilter) -> Vec<Memory> {
        let all = self.rooms.values().flat_map(|room| room.memories.values());
        let mut memories: Vec<Memory> =
            all.filter(|it| filter.admits_memory(it)).cloned().collect();
        filter.sort_memories(&mut memories);
        memories.truncate(filter.limit);
        memories
    }

    /// What the index of a space knows of these terms.
    pub fn read_postings(&self, space: &Space, terms: &[String]) -> Postings {
        let room = self.room(space);
        let list = |term: &String| match room.index.get(term) {
            Some(entries) => entries.values().copied().collect(),
            None => Vec::new(),
        };
        Postings {
            n_docs: room.n_docs,
            total_len: room.total_len,
            lists: terms.iter().map(list).collect(),
        }
    }

    /// The terms that are wanted.
    pub fn find_terms(&self, space: &Space, is_wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
        let terms = self.room(space).index.keys();
        terms.filter(|it| is_wanted(it)).cloned().collect()
    }

    /// The terms that begin with this character.
    pub fn list_terms(&self, space: &Space, initial: char) -> Vec<String> {
        let from = self.room(space).index.range(initial.to_string()..);
        from.map(|(term, _)| term)
            .take_while(|it| it.starts_with(initial))
            .cloned()
            .collect()
    }

    /// The spaces there are.
    pub fn list_spaces(&self) -> Vec<Space> {
        self.rooms.keys().cloned().collect()
    }

    /// The numbers of a space.
    pub fn summarize_space(&self, space: &Space) -> SpaceSummary {
        let room = self.room(space);
        let mut summary = SpaceSummary {
            events: room.events.clone(),
            ..SpaceSummary::default()
        };
        for memory in room.memories.values() {
            let kind = (memory.status.stage(), memory.layer);
            *summary.memories.entry(kind).or_default() += 1;
            if memory.layer == Layer::Identity && memory.is_active() {
                summary.identity_chars += memory.fact.chars().count();
            }
        }
        summary
    }

    /// How a space stands before a write.
    pub fn read_breaker_state(&self, space: &Space, since: Timestamp) -> BreakerState {
        let room = self.room(space);
        let is_recent = |it: &&Memory| it.recorded_at.as_millisecond() >= since.as_millisecond();
        let recent = room.memories.values().filter(is_recent).count() as u64;
        BreakerState {
            recent: recent.min(MANY),
            open: room.open.clone(),
        }
    }

    /// Whether a number of a space is that of an active memory.
    pub fn is_active(&self, space: &Space, number: u64) -> bool {
        let memory = self.room(space).memories.get(&number);
        memory.is_some_and(Memory::is_active)
    }

    /// The vectors of a space's active memories.
    pub fn read_embeddings(&self, space: &Space, model: &EmbeddingModel) -> Vec<MemoryEmbedding> {
        let all = self.room(space).embeddings.iter();
        let of_model = all.filter(|(key, _)| key.0 == *model).map(|(_, it)| it);
        let active = of_model.filter(|it| self.is_active(space, it.number));
        active.cloned().collect()
    }

    /// Keeps vectors of active memories, and drops those of others; how many were kept.
    pub fn write_embeddings(
        &mut self,
        space: &Space,
        model: &EmbeddingModel,
        embeddings: &[MemoryEmbedding],
    ) -> usize {
        let Some(room) = self.rooms.get_mut(space) else {
            return 0;
        };
        let is_active = |number: u64| room.memories.get(&number).is_some_and(Memory::is_active);
        room.embeddings.retain(|key, _| is_active(key.1));
        let active = embeddings.iter().filter(|it| is_active(it.number));
        let active = active.map(|it| ((model.clone(), it.number), it.clone()));
        let active: Vec<_> = active.collect();
        let n_kept = active.len();
        room.embeddings.extend(active);
        n_kept
    }

    /// Drops all vectors of a model.
    pub fn remove_embeddings(&mut self, model: &EmbeddingModel) {
        for room in self.rooms.values_mut() {
            room.embeddings.retain(|key, _| key.0 != *model);
        }
    }

    /// A part of the log of a space.
    pub fn read_events(&self, space: &Space, page: &EventPage) -> Vec<LoggedEvent> {
        let is_wanted = |it: &&LoggedEvent| {
            let is_touched = |id| it.event.touched_memories().any(|touched| touched == id);
            it.event.space == *space
                && page.memory.is_none_or(is_touched)
                && !(page.changes_only
                    && EventKind::TELEMETRY.contains(&it.event.what.event_kind()))
        };
        let read = |it: &LoggedEvent| self.with_current_memory(it);
        let log = self.log.iter();
        if page.newest_first {
            let is_older = |it: &&LoggedEvent| page.after == 0 || it.seq < page.after;
            let log = log.rev().filter(is_older).filter(is_wanted);
            log.take(page.limit).map(read).collect()
        } else {
            let log = log.filter(|it| it.seq > page.after).filter(is_wanted);
            log.take(page.limit).map(read).collect()
        }
    }

    /// What happened in a space in outline, the newest first, up to the first that is older than this time.
    pub fn read_event_traces(
        &self,
        space: &Space,
        since: Timestamp,
        limit: usize,
    ) -> Vec<EventTrace> {
        let recent = self.log.iter().rev().filter(|it| it.event.space == *space);
        let recent = recent.take(limit).take_while(|it| it.event.at >= since);
        recent.map(|it| self.trace_event(it)).collect()
    }

    /// An event in outline: of a remembered memory, where it stands now.
    fn trace_event(&self, logged: &LoggedEvent) -> EventTrace {
        let mut trace = EventTrace::from(logged);
        if let EventBody::Remembered { memory, .. } = &logged.event.what
            && let Some(now) = self.find_memory(memory.id)
        {
            trace.stage = Some(now.status.stage());
        }
        trace
    }

    /// An event as it is read: a remembered memory is shown as it is now, because its text is kept in one place only.
    fn with_current_memory(&self, logged: &LoggedEvent) -> LoggedEvent {
        let mut logged = logged.clone();
        if let EventBody::Remembered { memory, .. } = &mut logged.event.what
            && let Some(now) = self.find_memory(memory.id)
        {
            **memory = now.clone();
        }
        logged
    }
}

impl SpaceState {
    /// Counts an event, opens or closes breakers, and gives no number again that was forgotten.
    fn note_event(&mut self, event: &Event) {
        let word = event.what.event_kind().as_str();
        *self.events.entry(word.into()).or_default() += 1;
        breaker_state::fold_open_breakers(&mut self.open, event);
        if let EventBody::Forgotten { number, .. } = &event.what {
            self.last_number = self.last_number.max((*number).min(MAX_NUMBER));
        }
    }

    /// One event of this word less.
    fn uncount_event(&mut self, word: &str) {
        if let Some(n) = self.events.get_mut(word) {
            *n -= 1;
            if *n == 0 {
                self.events.remove(word);
            }
        }
    }

    /// The number wanted, unless it is taken or none; then the next.
    fn free_number(&mut self, wanted: u64) -> u64 {
        let is_free = (1..=MAX_NUMBER).contains(&wanted) && !self.memories.contains_key(&wanted);
        let next = self.last_number.saturating_add(1);
        let number = if is_free { wanted } else { next };
        self.last_number = self.last_number.max(number);
        number
    }

    /// Takes a memory out, index and claim included.
    fn take_memory(&mut self, number: u64) -> Option<Memory> {
        let memory = self.memories.remove(&number)?;
        if self.claims.get(&memory.claim_digest()) == Some(&number) {
            self.claims.remove(&memory.claim_digest());
        }
        if memory.is_active() {
            self.unindex_memory(&memory);
        }
        Some(memory)
    }

    /// Puts a memory in, index and claim included.
    fn put_memory(&mut self, memory: Memory) {
        if memory.status.stage().is_live() {
            self.claims.insert(memory.claim_digest(), memory.number);
        }
        if memory.is_active() {
            self.index_memory(&memory);
        }
        self.memories.insert(memory.number, memory);
    }

    fn index_memory(&mut self, memory: &Memory) {
        let (terms, len) = terms::extract_terms_with_len(&memory.searchable_text());
        let number = memory.number;
        for (term, count) in terms {
            let posting = Posting { number, count, len };
            self.index.entry(term).or_default().insert(number, posting);
        }
        self.n_docs += 1;
        self.total_len += u64::from(len);
    }

    fn unindex_memory(&mut self, memory: &Memory) {
        let (terms, len) = terms::extract_terms_with_len(&memory.searchable_text());
        for (term, _) in terms {
            if let Some(entries) = self.index.get_mut(&term) {
                entries.remove(&memory.number);
                if entries.is_empty() {
                    self.index.remove(&term);
                }
            }
        }
        self.n_docs -= 1;
        self.total_len -= u64::from(len);
    }
}
