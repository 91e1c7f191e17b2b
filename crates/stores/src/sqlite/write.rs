//! Writing: one batch, one transaction; state, index and log together.
//!
//! What an event does to rows is decided by the core ([`plan_event`]); here it is written, in the cheapest order. Whatever
//! goes to the row of a space, the counts of its events and its sum, is added up and written once at the end.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ops::RangeInclusive,
    thread,
};

use apostille_core::{
    event::{Batch, Event, EventBody, EventKind, Precondition},
    memory::{Memory, MemoryId, Status, UsageCounts},
    space::Space,
    store::{
        AppendReceipt, StoreError,
        plan::{MemoryChange, MemoryUpdate, changed_memory, plan_event},
    },
};
use apostille_text::{digest::Digest, terms};
use jiff::Timestamp;
use rusqlite::{Connection, Row, params, params_from_iter, types::Value};

use super::{
    SPACE_MASK, breaker_state, index,
    index_moves::IndexMoves,
    memory_row_key, parallel,
    query::{each_row, run_statement, select_value},
    read::{self, MemoryRows},
    rows::{EventRow, MemoryRow},
    space_sum::{self, SpaceSum},
    spaces,
    write_rows::{self, DELETE_CITES, INSERT_CITES},
};
use crate::row_records;
use crate::store_errors::{SqliteError, SqliteResult};

/// How many changes at once, and which part of the index (one in so many), make it cheaper to go through the whole index.
const MANY_CHANGES: usize = 64;
const LARGE_PART: usize = 16;
/// How many changes are worked out together.
const PART: usize = 1_024;

/// Writes one batch, and keeps what it adds to the rows of its spaces until the end.
pub(super) struct BatchWriter<'a> {
    db: &'a Connection,
    entries: BTreeMap<i64, SpaceEntry>,
    /// The space of the last event: mostly all are of one.
    at: Option<(Space, i64)>,
    /// Spaces of whose index so much changes that it is done at the end, at once.
    moves: BTreeMap<i64, IndexMoves>,
    /// Spaces whose index is built anew at the end, because it is damaged.
    pub(super) stale: BTreeSet<i64>,
    /// Where memories are expected to stand, of a large batch: held against each when it is read to be changed.
    unmoved: HashMap<MemoryId, Status>,
    /// The last place of the log, once it was looked up. The caller holds the transaction, so nobody else takes the next.
    place: Option<i64>,
}

/// What is added to the row of a space.
#[derive(Default)]
struct SpaceEntry {
    sum: SpaceSum,
    counts: BTreeMap<EventKind, i64>,
}

/// A memory that is written over, as rows: its record before by the digest, and its record after.
struct RowUpdate {
    update: MemoryUpdate,
    old: Digest,
    record: String,
    digest: Digest,
}

/// Applies a batch. The caller holds the transaction.
pub(super) fn append_batch(db: &Connection, batch: &Batch) -> SqliteResult<AppendReceipt> {
    let mut writer = BatchWriter::new(db);
    writer.check_expectations(batch.preconditions())?;
    writer.gather_moves(batch.events())?;
    let mut receipt = AppendReceipt::default();
    let mut events = batch.events();
    while let [event, rest @ ..] = events {
        let space = writer.space_id(&event.space)?;
        let n_alike = writer.count_independent_updates(space, events);
        if n_alike > 0 {
            writer.write_independent_updates(space, &events[..n_alike])?;
            events = &events[n_alike..];
            continue;
        }
        receipt.numbers.extend(writer.write_event(space, event)?);
        events = rest;
    }
    // What no event of the batch changed stands as it stood before.
    for (id, status) in std::mem::take(&mut writer.unmoved) {
        check_expectation(db, &Precondition::Unmoved(id, status))?;
    }
    writer.finish_batch()?;
    Ok(receipt)
}

fn check_expectation(db: &Connection, expect: &Precondition) -> SqliteResult<()> {
    let (holds, what) = match expect {
        // The index of claims is unique: a twin makes the insert fail.
        Precondition::NoTwin(..) => return Ok(()),
        Precondition::Unmoved(id, status) => {
            let now = MemoryRows::new(db)?
                .read_by_id(*id)?
                .map(|it| it.decode_status())
                .transpose()?;
            (now.as_ref() == Some(status), format!("memory {id}"))
        }
        Precondition::IdentityChars(space, chars) => {
            let used = spaces::read_space_id(db, space)?
                .map_or(Ok(0), |space| read::count_identity_chars(db, space))?;
            (used == *chars, "the identity layer".to_owned())
        }
    };
    if holds {
        Ok(())
    } else {
        Err(SqliteError(StoreError::Conflict { what }))
    }
}

impl<'a> BatchWriter<'a> {
    pub(super) fn new(db: &'a Connection) -> Self {
        Self {
            db,
            entries: BTreeMap::new(),
            at: None,
            moves: BTreeMap::new(),
            stale: BTreeSet::new(),
            unmoved: HashMap::new(),
            place: None,
        }
    }

    /// Checks what is expected before anything is written; of a large batch, where memories stand is checked on the way.
    fn check_expectations(&mut self, expects: &[Precondition]) -> SqliteResult<()> {
        for it in expects {
            match it {
                Precondition::Unmoved(id, status)
                    if expects.len() > MANY_CHANGES && !self.unmoved.contains_key(id) =>
                {
                    self.unmoved.insert(*id, status.clone());
                }
                _ => check_expectation(self.db, it)?,
            }
        }
        Ok(())
    }

    /// Holds where a memory stands against what is expected of it.
    fn check_unmoved(&mut self, id: MemoryId, status: Option<&Status>) -> SqliteResult<()> {
        match self.unmoved.remove(&id) {
            Some(expected) if status != Some(&expected) => {
                let what = format!("memory {id}");
                Err(SqliteError(StoreError::Conflict { what }))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn space_id(&mut self, space: &Space) -> SqliteResult<i64> {
        if let Some((at, id)) = &self.at
            && at == space
        {
            return Ok(*id);
        }
        let id = spaces::insert_space_row(self.db, space)?;
        self.at = Some((space.clone(), id));
        Ok(id)
    }

    pub(super) fn space_sum(&mut self, space: i64) -> &mut SpaceSum {
        &mut self.entries.entry(space).or_default().sum
    }

    /// Counts events in or out; each word has a column.
    pub(super) fn count_event(&mut self, space: i64, word: EventKind, n: i64) {
        let entry = self.entries.entry(space).or_default();
        *entry.counts.entry(word).or_default() += n;
    }

    /// Where very much changes at once, the index follows at the end.
    fn gather_moves(&mut self, events: &[Event]) -> SqliteResult<()> {
        if events.len() <= MANY_CHANGES {
            return Ok(());
        }
        let mut changes: BTreeMap<&Space, usize> = BTreeMap::new();
        for event in events {
            let is_new = matches!(event.what, EventBody::Remembered { .. });
            let n_changed = usize::from(!is_new && event.memory.is_some());
            *changes.entry(&event.space).or_default() += n_changed;
        }
        for (space, n) in changes.into_iter().filter(|(_, n)| *n > MANY_CHANGES) {
            let space = self.space_id(space)?;
            let n_docs = index::read_index_counts(self.db, space)?.n_docs;
            if n.saturating_mul(LARGE_PART) as u64 > n_docs {
                self.moves.entry(space).or_default();
            }
        }
        Ok(())
    }

    /// Writes what is left: the rows of spaces, and indexes that wait for it.
    fn finish_batch(mut self) -> SqliteResult<()> {
        for (space, entry) in &self.entries {
            update_space_row(self.db, *space, entry)?;
        }
        for (space, moves) in std::mem::take(&mut self.moves) {
            let done = moves.rewrite_index(self.db, space);
            self.mend_index(space, done)?;
        }
        self.stale
            .iter()
            .try_for_each(|space| index::rebuild_index(self.db, *space))
    }

    /// An index that another program damaged stands in nobody's way: it is built anew from the memories.
    pub(super) fn mend_index(&mut self, space: i64, done: SqliteResult<()>) -> SqliteResult<()> {
        match done {
            Err(SqliteError(StoreError::Corrupt { .. })) => {
                self.stale.insert(space);
                Ok(())
            }
            other => other,
        }
    }

    /// Writes an event down and changes the rows that it changes; the number of the memory that it brought.
    fn write_event(&mut self, space: i64, event: &Event) -> SqliteResult<Option<(MemoryId, u64)>> {
        if changed_memory(event).is_some() {
            let events = std::slice::from_ref(event);
            let rows = read_rows_before(self.db, events, self.last_seq()? + 1)?;
            let planned = rows.iter().map(|row| plan_row_update(space, row));
            self.write_planned_updates(events, planned.collect())?;
            return Ok(None);
        }
        let mut inserted = None;
        match plan_event(event, None).memories {
            // An insert counts its event by itself.
            MemoryChange::Insert(memory) => {
                inserted = Some((memory.id, self.insert_memory(space, memory)?));
            }
            other => {
                self.count_event(space, event.what.event_kind(), 1);
                if let MemoryChange::Count(usage) = other {
                    self.count_touched(event, usage)?;
                }
                // What is forgotten goes by an erasure, which sees to its bytes as well, and never by a batch.
            }
        }
        breaker_state::update_open_breakers(self.db, space, event)?;
        self.log_event(space, event)?;
        Ok(inserted)
    }

    /// Keeps a memory; one that brings no number gets the next of its space. The number, the size of the index and the
    /// count of events are written at once.
    fn insert_memory(&mut self, space: i64, memory: &Memory) -> SqliteResult<u64> {
        let db = self.db;
        let mut memory = memory.clone();
        let (terms, len) = if memory.is_active() {
            terms::extract_terms_with_len(&memory.searchable_text())
        } else {
            (Vec::new(), 0)
        };
        let next = "UPDATE space SET last_number = max(last_number + (?2 = 0), ?2), n_docs = n_docs + ?3, \
                    total_len = total_len + ?4, remembered = remembered + 1 WHERE id = ?1 RETURNING last_number, n_docs";
        let row = params![space, memory.number, memory.is_active(), len];
        let mut next = db.prepare_cached(next)?;
        let (last, n_docs): (u64, i64) = next.query_row(row, |row| row.try_into())?;
        if memory.number == 0 {
            memory.number = last;
        }
        let usage = std::mem::take(&mut memory.usage);
        let digest = write_rows::insert_memory_row(db, space, &memory)?;
        self.space_sum(space).add_row(&digest);
        self.count_usage(memory_row_key(space, memory.number)?, usage)?;
        write_rows::run_for_citations(db, INSERT_CITES, space, &memory)?;
        if memory.is_active() {
            let done = index::add_memory_to_tail(db, space, memory.number, (&terms, len), n_docs);
            self.mend_index(space, done)?;
        }
        Ok(memory.number)
    }

    fn update_memory(&mut self, row: RowUpdate) -> SqliteResult<()> {
        let (db, MemoryUpdate { before, after }) = (self.db, &row.update);
        let space = self.space_id(&after.space)?;
        write_rows::update_memory_row(db, space, after, (&row.record, &row.digest))?;
        self.space_sum(space).remove_row(&row.old);
        self.space_sum(space).add_row(&row.digest);
        if row.update.has_new_citations() {
            write_rows::run_for_citations(db, DELETE_CITES, space, before)?;
            write_rows::run_for_citations(db, INSERT_CITES, space, after)?;
        }
        if let Some(moves) = self.moves.get_mut(&space) {
            moves.note_update(&row.update);
            return Ok(());
        }
        if self.stale.contains(&space) {
            return Ok(());
        }
        if row.update.leaves_index() {
            self.mend_index(space, index::remove_memory_from_index(db, space, before))?;
        }
        if row.update.enters_index() {
            self.mend_index(space, index::add_memory_to_index(db, space, after))?;
        }
        Ok(())
    }

    /// Adds to the counters of every memory that an event touches and that is there.
    fn count_touched(&mut self, event: &Event, usage: UsageCounts) -> SqliteResult<()> {
        for id in event.touched_memories() {
            if let Some(key) = read::read_memory_key(self.db, id)? {
                self.count_usage(key, usage)?;
            }
        }
        Ok(())
    }

    fn count_usage(&mut self, key: i64, usage: UsageCounts) -> SqliteResult<()> {
        if usage == UsageCounts::default() {
            return Ok(());
        }
        write_rows::add_usage_row(self.db, key, usage)?;
        self.space_sum(key & SPACE_MASK).add_usage(key, usage);
        Ok(())
    }

    /// How many of the next events change one memory of a space each, and each another one; only where very much changes.
    fn count_independent_updates(&self, space: i64, events: &[Event]) -> usize {
        if !self.moves.contains_key(&space) {
            return 0;
        }
        let mut ids = HashSet::new();
        let is_here = |it: &Event| self.at.as_ref().is_some_and(|(at, _)| *at == it.space);
        events
            .iter()
            .take_while(|it| is_here(it) && changed_memory(it).is_some_and(|id| ids.insert(id)))
            .count()
    }

    /// Does what [`Self::write_event`] does for such a run: what a part of it comes to is worked out while the one before
    /// it is written. No memory is in two parts, so each is read as it was before the run.
    fn write_independent_updates(&mut self, space: i64, events: &[Event]) -> SqliteResult<()> {
        let mut next = self.last_seq()? + 1;
        thread::scope(|scope| {
            let mut ahead = None;
            for part in events.chunks(PART) {
                let rows = read_rows_before(self.db, part, next)?;
                next += part.len() as i64;
                let working = scope.spawn(move || {
                    parallel::map_maybe_parallel(&rows, |row| plan_row_update(space, row))
                });
                if let Some((part, done)) = ahead.replace((part, working)) {
                    self.write_planned_updates(part, parallel::unwrap_joined(done.join()))?;
                }
            }
            ahead.map_or(Ok(()), |(part, done)| {
                self.write_planned_updates(part, parallel::unwrap_joined(done.join()))
            })
        })
    }

    fn write_planned_updates(
        &mut self,
        events: &[Event],
        worked_out: Vec<SqliteResult<PlannedUpdate>>,
    ) -> SqliteResult<()> {
        for (event, done) in events.iter().zip(worked_out) {
            let PlannedUpdate {
                row,
                digest,
                update,
            } = done?;
            if let Some(id) = event.memory {
                let status = update.as_ref().map(|it| &it.update.before.status);
                self.check_unmoved(id, status)?;
            }
            self.count_event(row.space, event.what.event_kind(), 1);
            self.insert_event(&row, &digest)?;
            update.map_or(Ok(()), |it| self.update_memory(it))?;
        }
        Ok(())
    }

    fn last_seq(&self) -> SqliteResult<i64> {
        match self.place {
            Some(place) => Ok(place),
            None => Ok(select_value(
                self.db,
                "SELECT coalesce(max(seq), 0) FROM event",
                [],
            )?),
        }
    }

    /// Writes an event that replaced nothing into the log; its place.
    fn log_event(&mut self, space: i64, event: &Event) -> SqliteResult<i64> {
        // The place is a part of what is sealed, so it is given here and not by the table.
        let row = write_rows::encode_event_row(self.last_seq()? + 1, space, event, None)?;
        self.insert_event(&row, &row.digest())?;
        Ok(row.seq)
    }

    fn insert_event(&mut self, row: &EventRow, digest: &Digest) -> SqliteResult<()> {
        write_rows::insert_event_row(self.db, row, digest)?;
        self.place = Some(row.seq);
        self.space_sum(row.space).add_row(digest);
        Ok(())
    }

    /// Takes the questions that a memory answered out of the log: they may hold its words.
    fn blank_queries(&mut self, id: MemoryId) -> SqliteResult<()> {
        let shown = "SELECT seq, space, memory, name, record FROM event \
                     WHERE name = 'retrieved' AND record LIKE '%' || ?1 || '%'";
        let mut asked = Vec::new();
        each_row(self.db, shown, [id.to_string()], |row| {
            asked.push(EventRow::from_row(row)?);
            Ok(())
        })?;
        self.blank_query_rows(&asked)
    }

    /// Takes what was asked in a space during this time out of the log; how many questions.
    fn blank_queries_asked(
        &mut self,
        space: i64,
        during: &RangeInclusive<Timestamp>,
    ) -> SqliteResult<usize> {
        let all = "SELECT seq, space, memory, name, record FROM event \
                   WHERE space = ?1 AND name = 'retrieved' AND json_extract(record, '$.query') <> ''";
        let mut asked = Vec::new();
        each_row(self.db, all, [space], |row| {
            let event = EventRow::from_row(row)?;
            if event.happened_at().is_some_and(|at| during.contains(&at)) {
                asked.push(event);
            }
            Ok(())
        })?;
        self.blank_query_rows(&asked)?;
        Ok(asked.len())
    }

    fn blank_query_rows(&mut self, asked: &[EventRow]) -> SqliteResult<()> {
        const BLANK: &str = "UPDATE event SET record = json_set(record, '$.query', ''), seal = NULL WHERE seq = ?1 \
                             RETURNING seq, space, memory, name, record";
        let db = self.db;
        for event in asked {
            self.space_sum(event.space).remove_row(&event.digest());
            let blanked = |row: &Row<'_>| Ok(EventRow::from_row(row));
            let event = db
                .prepare_cached(BLANK)?
                .query_row([event.seq], blanked)??;
            let digest = event.digest();
            write_rows::seal_event_row(db, event.seq, &digest)?;
            self.space_sum(event.space).add_row(&digest);
        }
        Ok(())
    }

    /// Ends an erasure: the tombstone is logged, every other event about these ids is deleted, and the questions that they
    /// answered go out of the rest. Each event goes through `uncount` first, which takes it out of what is counted.
    pub(super) fn bury_memory(
        mut self,
        space: i64,
        tombstone: &Event,
        ids: &[MemoryId],
        mut uncount: impl FnMut(&mut Self, &Row) -> SqliteResult<()>,
    ) -> SqliteResult<()> {
        let db = self.db;
        // The tombstone goes first, so that its place in the log is one that was never used.
        let place = self.log_event(space, tombstone)?;
        self.count_event(space, EventKind::Forgotten, 1);
        for id in ids {
            let key = params![id.as_bytes(), place];
            let about = "SELECT seq, space, memory, name, record, seal FROM event WHERE memory = ?1 AND seq <> ?2";
            each_row(db, about, key, |row| uncount(&mut self, row))?;
            run_statement(db, "DELETE FROM event WHERE memory = ?1 AND seq <> ?2", key)?;
            self.blank_queries(*id)?;
        }
        self.finish_batch()
    }
}

/// Takes what was asked in a space during this time out of the log; how many questions.
pub(super) fn forget_questions(
    db: &Connection,
    space: i64,
    during: &RangeInclusive<Timestamp>,
) -> SqliteResult<usize> {
    let mut writer = BatchWriter::new(db);
    let n_asked = writer.blank_queries_asked(space, during)?;
    writer.finish_batch()?;
    Ok(n_asked)
}

/// Adds what a batch came to to the row of a space.
fn update_space_row(db: &Connection, space: i64, entry: &SpaceEntry) -> SqliteResult<()> {
    let mut update = "UPDATE space SET sum = ?2".to_owned();
    let sum = space_sum::grow_space_sum(db, space, entry.sum)?;
    let mut values = vec![Value::Integer(space), Value::Blob(sum)];
    for (word, n) in &entry.counts {
        values.push(Value::Integer(*n));
        update += &format!(", {word} = {word} + ?{}", values.len());
    }
    update += " WHERE id = ?1";
    run_statement(db, &update, params_from_iter(values))
}

/// An event of a run, its place, and the row of its memory as it is before.
type RowBefore<'a> = (i64, &'a Event, Option<MemoryRow>);

/// What such an event comes to.
struct PlannedUpdate {
    row: EventRow,
    digest: Digest,
    update: Option<RowUpdate>,
}

fn read_rows_before<'e>(
    db: &Connection,
    events: &'e [Event],
    first: i64,
) -> SqliteResult<Vec<RowBefore<'e>>> {
    let mut rows = MemoryRows::new(db)?;
    let mut before = |event: &Event| event.memory.map_or(Ok(None), |id| rows.read_by_id(id));
    (first..)
        .zip(events)
        .map(|(seq, event)| Ok((seq, event, before(event)?)))
        .collect()
}

fn plan_row_update(space: i64, (seq, event, row): &RowBefore) -> SqliteResult<PlannedUpdate> {
    let sealed = row
        .as_ref()
        .zip(event.memory)
        .map(|(it, id)| it.decode_memory_as(id))
        .transpose()?;
    let (before, old) = sealed.unzip();
    let changes = plan_event(event, before);
    let row = write_rows::encode_event_row(*seq, space, event, changes.was.as_ref())?;
    let update = match (changes.memories, old) {
        (MemoryChange::Update(update), Some(old)) => {
            let (record, digest) = row_records::encode_memory_record(&update.after)?;
            Some(RowUpdate {
                update: *update,
                old,
                record,
                digest,
            })
        }
        _ => None,
    };
    Ok(PlannedUpdate {
        digest: row.digest(),
        row,
        update,
    })
}
