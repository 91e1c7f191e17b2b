//! Writing: one batch, one transaction; memories, log, counters and index together.
//!
//! A writer of memories locks the row of each space that it writes to, in the order of their names, and so stands in line
//! with the others; what it has to look at comes back with that one answer. Everything that it writes then goes out
//! together with the commit. What is only counted locks the memories that it counts, in their order, and the log.
//!
//! What an event does to rows is decided by the core ([`plan_event`]). Of a large batch a part at a time is decided and
//! written; of a memory that a part touches more than once only the end is written.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use apostille_core::{
    event::{Batch, Event, EventBody, EventKind, Precondition, previous_state::PreviousState},
    memory::{MAX_NUMBER, Memory, MemoryId, Status, UsageCounts},
    space::Space,
    store::{
        AppendReceipt, StoreError,
        breaker_state::{OpenBreaker, fold_open_breakers},
        plan::{MemoryChange, MemoryUpdate, changed_memory, plan_event},
    },
};
use apostille_stores::{
    packed_index,
    row_records::{encode_event_record, format_open_breakers, parse_open_breakers},
};
use apostille_text::terms;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::{
    connection::Transaction,
    error::PgResult,
    index_rows::PgIndexRows,
    rows::{self, decode_memory_rows},
    statement::SqlStatement,
    write_rows::{self, LoggedRow},
};

/// How many events are decided and written together.
const PART: usize = 500;

/// One try at writing a batch: by its id, and by where the logs stood, a try whose answer was lost is found again.
#[derive(Debug, Clone, Default)]
pub(crate) struct BatchAttempt {
    /// The same in every try.
    pub(crate) id: Uuid,
    /// What the last try was given, and where the log of its first space stood before it.
    pub(crate) earlier: Option<(AppendReceipt, Space)>,
}

/// A space while a batch is written to it.
#[derive(Debug, Default)]
struct SpaceEntry {
    /// Whether its row is locked, as that of every space is in which memories change.
    is_locked: bool,
    last_number: u64,
    /// How far the index is made by this version of the analyser.
    is_index_current: bool,
    open: Vec<OpenBreaker>,
    is_open_changed: bool,
    counts: packed_index::IndexedCounts,
    /// What became of memories in this part.
    touched: BTreeMap<MemoryId, TouchedMemory>,
    usage: BTreeMap<MemoryId, UsageCounts>,
    logged: Vec<LoggedRow>,
}

/// A memory that a part of a batch touches.
#[derive(Debug)]
struct TouchedMemory {
    before: Option<Memory>,
    now: Memory,
}

/// Whether a batch changes nothing but counters and the log.
pub(crate) fn is_telemetry(batch: &Batch) -> bool {
    let is_aside = |it: &Event| EventKind::TELEMETRY.contains(&it.what.event_kind());
    !batch.is_durable() && batch.events().iter().all(is_aside)
}

/// Writes a batch up to the commit, which is the caller's.
pub(crate) fn append_batch(
    transaction: &mut Transaction<'_>,
    batch: &Batch,
    attempt: &mut BatchAttempt,
) -> PgResult<AppendReceipt> {
    let spaces: BTreeSet<&Space> = batch.events().iter().map(|it| &it.space).collect();
    let mut writer = BatchWriter::lock_spaces(transaction, &spaces, batch)?;
    if let Some(receipt) = writer.find_earlier_attempt(attempt)? {
        return Ok(receipt);
    }
    writer.check_preconditions(batch.preconditions())?;
    let mut receipt = AppendReceipt::default();
    for part in batch.events().chunks(PART) {
        writer.plan_part(part, &mut receipt)?;
        writer.write_part(attempt.id)?;
    }
    writer.write_spaces()?;
    attempt.earlier = spaces.first().map(|it| (receipt.clone(), (*it).clone()));
    Ok(receipt)
}

struct BatchWriter<'t, 'c> {
    transaction: &'t mut Transaction<'c>,
    entries: BTreeMap<Space, SpaceEntry>,
}

impl<'t, 'c> BatchWriter<'t, 'c> {
    /// Locks what others write as well: the rows of the spaces, or the memories that are only counted.
    fn lock_spaces(
        transaction: &'t mut Transaction<'c>,
        spaces: &BTreeSet<&Space>,
        batch: &Batch,
    ) -> PgResult<Self> {
        let names: Vec<String> = spaces.iter().map(|it| it.as_str().to_owned()).collect();
        let mut entries: BTreeMap<Space, SpaceEntry> = spaces
            .iter()
            .map(|it| ((*it).clone(), SpaceEntry::default()))
            .collect();
        if is_telemetry(batch) {
            transaction.queue(write_rows::ensure_spaces(names.clone()));
            transaction.queue(write_rows::ensure_logs(names));
            for (space, ids) in group_touched(batch) {
                transaction.queue(write_rows::lock_memories(space, ids));
            }
            return Ok(Self {
                transaction,
                entries,
            });
        }
        let mut locked = transaction.query(write_rows::lock_spaces(names.clone()))?;
        if locked.len() < spaces.len() {
            // One of them is new.
            transaction.queue(write_rows::ensure_spaces(names.clone()));
            transaction.queue(write_rows::ensure_logs(names.clone()));
            locked = transaction.query(write_rows::lock_spaces(names))?;
        }
        for row in locked {
            let name: &str = row.try_get(0)?;
            if let Some((_, entry)) = entries.iter_mut().find(|(it, _)| it.as_str() == name) {
                entry.read_row(&row)?;
            }
        }
        Ok(Self {
            transaction,
            entries,
        })
    }

    /// The receipt of a try whose answer was lost, where it was written after all. It is looked for behind the lock: a try
    /// that is still being written has it.
    fn find_earlier_attempt(&mut self, attempt: &BatchAttempt) -> PgResult<Option<AppendReceipt>> {
        let Some((receipt, space)) = &attempt.earlier else {
            return Ok(None);
        };
        let select = write_rows::find_batch(space, attempt.id);
        let is_there = !self.transaction.query(select)?.is_empty();
        Ok(is_there.then(|| receipt.clone()))
    }

    fn check_preconditions(&mut self, expects: &[Precondition]) -> PgResult<()> {
        if expects.is_empty() {
            return Ok(());
        }
        let select = |it: &Precondition| match it {
            Precondition::NoTwin(space, claim) => write_rows::find_claim(space, claim),
            Precondition::Unmoved(id, _) => write_rows::select_anywhere(&[*id]),
            Precondition::IdentityChars(space, _) => write_rows::count_identity_chars(space),
        };
        let answers = self
            .transaction
            .query_all(expects.iter().map(select).collect())?;
        for (expect, rows) in expects.iter().zip(answers) {
            if let Some(what) = find_conflict(expect, &rows)? {
                return Err(StoreError::Conflict { what }.into());
            }
        }
        Ok(())
    }

    /// Decides what the events of a part come to.
    fn plan_part(&mut self, events: &[Event], receipt: &mut AppendReceipt) -> PgResult<()> {
        let known = self.read_changed_memories(events)?;
        let taken = self.read_taken_numbers(events)?;
        for event in events {
            let Some(entry) = self.entries.get_mut(&event.space) else {
                continue;
            };
            let number = entry.plan_one(event, &known, &taken)?;
            receipt.numbers.extend(event.memory.zip(number));
        }
        Ok(())
    }

    /// The memories that the events of a part write over, as they are.
    fn read_changed_memories(&mut self, events: &[Event]) -> PgResult<HashMap<MemoryId, Memory>> {
        let mut wanted: BTreeMap<&Space, BTreeSet<MemoryId>> = BTreeMap::new();
        for event in events {
            if let Some(id) = changed_memory(event) {
                wanted.entry(&event.space).or_default().insert(id);
            }
        }
        let selects = wanted.into_iter().map(|(space, ids)| {
            let ids: Vec<MemoryId> = ids.into_iter().collect();
            write_rows::select_by_ids(space, &ids)
        });
        let selects: Vec<SqlStatement> = selects.collect();
        if selects.is_empty() {
            return Ok(HashMap::new());
        }
        let mut known = HashMap::new();
        for rows in self.transaction.query_all(selects)? {
            for row in &rows {
                let memory = rows::decode_memory_row(row)?;
                known.insert(memory.id, memory);
            }
        }
        Ok(known)
    }

    /// Which of the numbers that new memories bring along are taken already.
    fn read_taken_numbers(&mut self, events: &[Event]) -> PgResult<BTreeSet<(Space, u64)>> {
        let mut wanted: BTreeMap<&Space, Vec<i64>> = BTreeMap::new();
        for event in events {
            if let EventBody::Remembered { memory, .. } = &event.what
                && memory.number != 0
            {
                let numbers = wanted.entry(&event.space).or_default();
                numbers.push(memory.number.cast_signed());
            }
        }
        let mut taken = BTreeSet::new();
        for (space, numbers) in wanted {
            for row in self
                .transaction
                .query(write_rows::select_numbers(space, numbers))?
            {
                let number: i64 = row.try_get(0)?;
                taken.insert((space.clone(), number.cast_unsigned()));
            }
        }
        Ok(taken)
    }

    /// Writes what the part came to.
    fn write_part(&mut self, batch: Uuid) -> PgResult<()> {
        let transaction = &mut *self.transaction;
        for (space, entry) in &mut self.entries {
            let touched = std::mem::take(&mut entry.touched);
            write_memories(transaction, space, &touched)?;
            entry.index_memories(transaction, space, &touched)?;
            let usage = std::mem::take(&mut entry.usage);
            if !usage.is_empty() {
                transaction.queue(write_rows::add_usage(space, usage));
            }
            let logged = std::mem::take(&mut entry.logged);
            if !logged.is_empty() {
                write_rows::log_events(transaction, space, logged, batch);
            }
        }
        Ok(())
    }

    /// Writes the rows of the spaces.
    fn write_spaces(&mut self) -> PgResult<()> {
        for (space, entry) in &self.entries {
            if entry.is_locked {
                let open = entry
                    .is_open_changed
                    .then(|| format_open_breakers(&entry.open));
                let counts = (entry.counts.docs, entry.counts.len);
                let update = write_rows::update_space(space, entry.last_number, counts);
                self.transaction.queue(update);
                if let Some(open) = open {
                    self.transaction
                        .queue(write_rows::update_breakers(space, open));
                }
            }
        }
        Ok(())
    }
}

impl SpaceEntry {
    fn read_row(&mut self, row: &Row) -> PgResult<()> {
        self.last_number = row.try_get::<_, i64>(1)?.cast_unsigned();
        let version: i64 = row.try_get(2)?;
        self.is_index_current = version >= i64::from(terms::VERSION);
        let open: Option<&str> = row.try_get(3)?;
        self.open = open.and_then(parse_open_breakers).unwrap_or_default();
        self.is_locked = true;
        Ok(())
    }

    /// Decides what one event comes to; the number that it gave.
    fn plan_one(
        &mut self,
        event: &Event,
        known: &HashMap<MemoryId, Memory>,
        taken: &BTreeSet<(Space, u64)>,
    ) -> PgResult<Option<u64>> {
        let now = |id: MemoryId| {
            let touched = self.touched.get(&id).map(|it| &it.now);
            touched.or_else(|| known.get(&id)).cloned()
        };
        let changes = plan_event(event, changed_memory(event).and_then(now));
        let was = changes.was;
        let mut given = None;
        match changes.memories {
            MemoryChange::Insert(memory) => {
                let mut memory = memory.clone();
                let is_taken = taken.contains(&(event.space.clone(), memory.number));
                memory.number = self.give_number(memory.number, is_taken);
                given = Some(memory.number);
                let usage = std::mem::take(&mut memory.usage);
                self.count(memory.id, usage);
                let touched = TouchedMemory {
                    before: None,
                    now: memory,
                };
                self.touched.insert(touched.now.id, touched);
            }
            MemoryChange::Update(update) => self.touch(*update),
            MemoryChange::Count(usage) => {
                event
                    .touched_memories()
                    .for_each(|id| self.count(id, usage));
            }
            // What is forgotten goes by an erasure, which sees to its traces as well, and never by a batch.
            MemoryChange::None | MemoryChange::Erase(_) => {}
        }
        self.note(event, was.as_ref())?;
        Ok(given)
    }

    /// The number wanted, unless it is taken or none; then the next.
    fn give_number(&mut self, wanted: u64, is_taken: bool) -> u64 {
        let is_taken_here = || self.touched.values().any(|it| it.now.number == wanted);
        let is_free = (1..=MAX_NUMBER).contains(&wanted) && !is_taken && !is_taken_here();
        let number = if is_free {
            wanted
        } else {
            self.last_number + 1
        };
        self.last_number = self.last_number.max(number);
        number
    }

    fn touch(&mut self, update: MemoryUpdate) {
        let id = update.after.id;
        match self.touched.get_mut(&id) {
            Some(it) => it.now = update.after,
            None => {
                let touched = TouchedMemory {
                    before: Some(update.before),
                    now: update.after,
                };
                self.touched.insert(id, touched);
            }
        }
    }

    fn count(&mut self, id: MemoryId, usage: UsageCounts) {
        if usage != UsageCounts::default() {
            self.usage.entry(id).or_default().add(usage);
        }
    }

    /// Logs an event, and opens or closes breakers.
    fn note(&mut self, event: &Event, was: Option<&PreviousState>) -> PgResult<()> {
        if matches!(
            event.what,
            EventBody::Tripped { .. } | EventBody::Closed { .. }
        ) {
            fold_open_breakers(&mut self.open, event);
            self.is_open_changed = true;
        }
        self.logged.push(LoggedRow {
            memory: event.memory.map(|it| Uuid::from_bytes(*it.as_bytes())),
            kind: event.what.event_kind(),
            at: event.at,
            actor: event.actor.as_deref().map(rows::column_text),
            record: encode_event_record(event, was)?,
        });
        Ok(())
    }

    /// Lets memories leave and enter the index. One that another version of the analyser made is made anew instead.
    fn index_memories(
        &mut self,
        transaction: &mut Transaction<'_>,
        space: &Space,
        touched: &BTreeMap<MemoryId, TouchedMemory>,
    ) -> PgResult<()> {
        if touched.is_empty() {
            return Ok(());
        }
        if !self.is_index_current {
            rebuild_space_index(transaction, space)?;
            self.is_index_current = true;
            return Ok(());
        }
        let (mut left, mut entered) = (Vec::new(), Vec::new());
        for it in touched.values() {
            match &it.before {
                None if it.now.is_active() => entered.push(&it.now),
                None => {}
                Some(before) => {
                    let is_recited = before.citations != it.now.citations;
                    if before.is_active() && (!it.now.is_active() || is_recited) {
                        left.push(before);
                    }
                    if it.now.is_active() && (!before.is_active() || is_recited) {
                        entered.push(&it.now);
                    }
                }
            }
        }
        let key = packed_index::blob_space(space.as_str());
        let mut rows = PgIndexRows { transaction, space };
        for counts in [
            packed_index::remove_from_index(&mut rows, key, &left)?,
            packed_index::add_to_index(&mut rows, key, &entered)?,
        ] {
            self.counts.docs += counts.docs;
            self.counts.len += counts.len;
        }
        if entered.iter().any(|it| it.number % LOOK_EVERY == 0) {
            packed_index::flush_long_tail(&mut rows, key)?;
        }
        Ok(())
    }
}

/// Every how many numbers the tail is looked at: how long it is exactly does not matter, and looking costs an answer.
const LOOK_EVERY: u64 = 16;

/// Writes the rows of memories: first those that give up their claim, so that a claim may pass from one to the other.
fn write_memories(
    transaction: &mut Transaction<'_>,
    space: &Space,
    touched: &BTreeMap<MemoryId, TouchedMemory>,
) -> PgResult<()> {
    let changed = touched.values().filter(|it| it.before.is_some());
    let is_live = |it: &&TouchedMemory| it.now.status.stage().is_live();
    let (live, gone): (Vec<_>, Vec<_>) = changed.partition(is_live);
    let new = touched.values().filter(|it| it.before.is_none());
    for part in [gone, live] {
        if !part.is_empty() {
            let memories: Vec<&Memory> = part.iter().map(|it| &it.now).collect();
            transaction.queue(write_rows::update_memories(space, &memories)?);
        }
    }
    let new: Vec<&Memory> = new.map(|it| &it.now).collect();
    if !new.is_empty() {
        transaction.queue(write_rows::insert_memories(space, &new)?);
    }
    let (mut out, mut into) = (Vec::new(), Vec::new());
    for it in touched.values() {
        match &it.before {
            Some(before) if before.citations == it.now.citations => continue,
            Some(before) => out.push(before),
            None => {}
        }
        into.push(&it.now);
    }
    write_rows::refile_citations(transaction, space, &out, &into);
    Ok(())
}

/// Makes the index of a space anew from its active memories.
pub(crate) fn rebuild_space_index(
    transaction: &mut Transaction<'_>,
    space: &Space,
) -> PgResult<()> {
    let found = transaction.query(write_rows::select_active(space))?;
    let memories = decode_memory_rows(&found)?;
    let key = packed_index::blob_space(space.as_str());
    let counts =
        packed_index::rebuild_index(&mut PgIndexRows { transaction, space }, key, &memories)?;
    transaction.queue(write_rows::set_index_counts(space, counts, terms::VERSION));
    Ok(())
}

/// The memories that telemetry counts, by space.
fn group_touched(batch: &Batch) -> BTreeMap<&Space, Vec<MemoryId>> {
    let mut touched: BTreeMap<&Space, Vec<MemoryId>> = BTreeMap::new();
    for event in batch.events() {
        if event.what.usage() != UsageCounts::default() {
            let ids = touched.entry(&event.space).or_default();
            ids.extend(event.touched_memories());
        }
    }
    touched
}

/// What speaks against writing, if anything does.
fn find_conflict(expect: &Precondition, rows: &[Row]) -> PgResult<Option<String>> {
    Ok(match expect {
        Precondition::NoTwin(..) => (!rows.is_empty()).then(|| "a like memory".into()),
        Precondition::Unmoved(id, status) => {
            let found = rows.first().map(rows::decode_memory_row).transpose()?;
            let now: Option<Status> = found.map(|it| it.status);
            (now.as_ref() != Some(status)).then(|| format!("memory {id}"))
        }
        Precondition::IdentityChars(_, chars) => {
            let used: i64 = rows.first().map_or(Ok(0), |row| row.try_get(0))?;
            (usize::try_from(used) != Ok(*chars)).then(|| "the identity layer".into())
        }
    })
}
