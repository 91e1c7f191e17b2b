//! Writing: one batch, one transaction; state, index and log together.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::thread;

use apostille_core::event::was::Was;
use apostille_core::event::{Batch, Erasure, Event, Expect, Happening, What};
use apostille_core::format::{EventRecord, MemoryRecord};
use apostille_core::memory::{Memory, MemoryId, Status, Usage};
use apostille_core::space::Space;
use apostille_core::store::{Receipt, StoreError};
use apostille_text::digest::Digest;
use apostille_text::terms;
use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, params, params_from_iter};

use super::kept::{Kept, Line};
use super::moves::Moves;
use super::sum::{self, Sum};
use super::{damaged, index, key, read, seal, spread, watch};
use crate::fault::{corrupt, sqlite};

type Found<T> = Result<T, StoreError>;

/// How many changes at once, and which part of the index (one in so many), make it cheaper to go through the whole index.
const MANY_CHANGES: usize = 64;
const LARGE_PART: usize = 16;
/// How many changes are worked out together.
const PART: usize = 1_024;

/// Writes one batch, and keeps what it adds to the rows of its spaces until the end.
pub(super) struct Pen<'a> {
    db: &'a Connection,
    entries: BTreeMap<i64, Entry>,
    /// The space of the last event: mostly all are of one.
    at: Option<(Space, i64)>,
    /// Spaces of whose index so much changes that it is done at the end, at once.
    moves: BTreeMap<i64, Moves>,
    /// Spaces whose index is built anew at the end, because it is damaged.
    stale: BTreeSet<i64>,
    /// Where memories are expected to stand, of a large batch: held against each when it is read to be changed.
    unmoved: HashMap<MemoryId, Status>,
    /// The last place of the log, once it was looked up. The caller holds the transaction, so nobody else takes the next.
    place: Option<i64>,
}

/// What an event makes of a memory.
struct Change {
    was: Memory,
    /// The digest of the record as it was.
    old: Digest,
    memory: Memory,
    record: String,
    digest: Digest,
}

impl Change {
    fn of(was: Memory, old: Digest, event: &Event) -> Found<Self> {
        let mut memory = was.clone();
        memory.apply(event);
        let record = encoded(&memory)?;
        Ok(Self {
            was,
            old,
            memory,
            digest: Digest::of(record.as_bytes()),
            record,
        })
    }
}

/// An event of a run, its place, and the row of its memory as it is before.
type Before<'a> = (i64, &'a Event, Option<Kept>);

/// What such an event comes to.
struct WorkedOut {
    line: Line,
    digest: Digest,
    change: Option<Change>,
}

fn read_before<'e>(db: &Connection, events: &'e [Event], first: i64) -> Found<Vec<Before<'e>>> {
    let mut rows = read::Rows::new(db)?;
    let mut before = |event: &Event| event.memory.map_or(Ok(None), |id| rows.kept(id));
    (first..)
        .zip(events)
        .map(|(seq, event)| Ok((seq, event, before(event)?)))
        .collect()
}

fn worked_out(space: i64, (seq, event, kept): &Before<'_>) -> Found<WorkedOut> {
    let before = kept
        .as_ref()
        .zip(event.memory)
        .map(|(it, id)| it.sealed_as(id))
        .transpose()?;
    let was = before
        .as_ref()
        .and_then(|(memory, _)| Was::of(memory, event));
    let line = line(*seq, space, event, was.as_ref())?;
    let change = before
        .map(|(memory, digest)| Change::of(memory, digest, event))
        .transpose()?;
    Ok(WorkedOut {
        digest: line.digest(),
        line,
        change,
    })
}

/// What is added to the row of a space.
#[derive(Default)]
struct Entry {
    sum: Sum,
    counts: BTreeMap<Happening, i64>,
}

/// Applies a batch. The caller holds the transaction.
pub(super) fn append(db: &Connection, batch: &Batch) -> Found<Receipt> {
    let mut pen = Pen::new(db);
    pen.expect(batch.expects())?;
    pen.gather(batch.events())?;
    let mut receipt = Receipt::default();
    let mut events = batch.events();
    while let [event, rest @ ..] = events {
        let space = pen.space_id(&event.space)?;
        let n_alike = pen.run(space, events);
        if n_alike > 0 {
            pen.happen_alike(space, &events[..n_alike])?;
            events = &events[n_alike..];
            continue;
        }
        match &event.what {
            What::Remembered { memory, .. } => receipt
                .numbers
                .push((memory.id, pen.insert(space, memory)?)),
            what => pen.count_event(space, what.happening(), 1),
        }
        watch::note(db, space, event)?;
        pen.happen(space, event)?;
        events = rest;
    }
    pen.check_rest()?;
    pen.close()?;
    Ok(receipt)
}

fn check(db: &Connection, expect: &Expect) -> Found<()> {
    let (holds, what) = match expect {
        // The index of claims is unique: a twin makes the insert fail, see `taken`.
        Expect::NoTwin(..) => return Ok(()),
        Expect::Unmoved(id, status) => (
            read::status_of(db, *id)?.is_some_and(|it| it == *status),
            format!("memory {id}"),
        ),
        Expect::IdentityChars(space, chars) => {
            let used = read::space_id(db, space)?
                .map_or(Ok(0), |space| read::identity_chars(db, space))?;
            (used == *chars, "the identity layer".to_owned())
        }
    };
    if holds {
        Ok(())
    } else {
        Err(StoreError::Conflict { what })
    }
}

/// The number of a space in this file, given on first use.
fn space_id(db: &Connection, space: &Space) -> Found<i64> {
    if let Some(id) = read::space_id(db, space)? {
        return Ok(id);
    }
    db.execute("INSERT INTO space(name) VALUES (?1)", [space.as_str()])
        .map_err(sqlite)?;
    Ok(db.last_insert_rowid())
}

/// An insert that fails because the claim or the id is there already: another writer was first.
fn taken(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => StoreError::Conflict {
            what: "a like memory".into(),
        },
        _ => sqlite(error),
    }
}

/// An event as a row of the log.
fn line(seq: i64, space: i64, event: &Event, was: Option<&Was>) -> Found<Line> {
    let record = EventRecord {
        was: was.map(|it| Box::new(it.into())),
        ..read::bare(event)
    };
    let record = serde_json::to_string(&record).map_err(|error| StoreError::Unavailable {
        what: "an event cannot be written as JSON".into(),
        source: Box::new(error),
    })?;
    let memory = event.memory.map(|it| it.as_bytes().to_vec());
    Ok(Line {
        seq,
        space,
        memory,
        name: event.what.happening().as_str().into(),
        record,
    })
}

/// The JSON of a memory, without the counters, which live apart.
fn encoded(memory: &Memory) -> Found<String> {
    let record = MemoryRecord {
        recalls: 0,
        applied: 0,
        verified: 0,
        ..MemoryRecord::stamped(memory)
    };
    serde_json::to_string(&record).map_err(|error| StoreError::Unavailable {
        what: "a memory cannot be written as JSON".into(),
        source: Box::new(error),
    })
}

fn cite(db: &Connection, space: i64, memory: &Memory) -> Found<()> {
    let insert = "INSERT OR IGNORE INTO cites(space, path, number) VALUES (?1, ?2, ?3)";
    let mut insert = db.prepare_cached(insert).map_err(sqlite)?;
    for citation in &memory.citations {
        insert
            .execute(params![space, citation.path.as_str(), memory.number])
            .map_err(sqlite)?;
    }
    Ok(())
}

fn uncite(db: &Connection, space: i64, memory: &Memory) -> Found<()> {
    let delete = "DELETE FROM cites WHERE space = ?1 AND path = ?2 AND number = ?3";
    let mut delete = db.prepare_cached(delete).map_err(sqlite)?;
    for citation in &memory.citations {
        delete
            .execute(params![space, citation.path.as_str(), memory.number])
            .map_err(sqlite)?;
    }
    Ok(())
}

impl<'a> Pen<'a> {
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
    fn expect(&mut self, expects: &[Expect]) -> Found<()> {
        for it in expects {
            match it {
                Expect::Unmoved(id, status)
                    if expects.len() > MANY_CHANGES && !self.unmoved.contains_key(id) =>
                {
                    self.unmoved.insert(*id, status.clone());
                }
                _ => check(self.db, it)?,
            }
        }
        Ok(())
    }

    /// Checks what no event of the batch changed, and so stands as it stood before.
    fn check_rest(&mut self) -> Found<()> {
        let rest = std::mem::take(&mut self.unmoved);
        rest.into_iter()
            .try_for_each(|(id, status)| check(self.db, &Expect::Unmoved(id, status)))
    }

    fn space_id(&mut self, space: &Space) -> Found<i64> {
        if let Some((_, id)) = self.at.as_ref().filter(|_| self.is_at(space)) {
            return Ok(*id);
        }
        let id = space_id(self.db, space)?;
        self.at = Some((space.clone(), id));
        Ok(id)
    }

    fn is_at(&self, space: &Space) -> bool {
        self.at.as_ref().is_some_and(|(at, _)| at == space)
    }

    pub(super) fn sum(&mut self, space: i64) -> &mut Sum {
        &mut self.entries.entry(space).or_default().sum
    }

    /// Counts events in or out; each word has a column.
    pub(super) fn count_event(&mut self, space: i64, word: Happening, n: i64) {
        *self
            .entries
            .entry(space)
            .or_default()
            .counts
            .entry(word)
            .or_default() += n;
    }

    /// Where very much changes at once, the index follows at the end.
    fn gather(&mut self, events: &[Event]) -> Found<()> {
        let mut changes: BTreeMap<&Space, usize> = BTreeMap::new();
        let is_change =
            |it: &&Event| !matches!(it.what, What::Remembered { .. }) && it.memory.is_some();
        if events.len() > MANY_CHANGES {
            events
                .iter()
                .filter(is_change)
                .for_each(|it| *changes.entry(&it.space).or_default() += 1);
        }
        for (space, n) in changes.into_iter().filter(|(_, n)| *n > MANY_CHANGES) {
            let space = self.space_id(space)?;
            if n.saturating_mul(LARGE_PART) > index::read_n_docs(self.db, space)? {
                self.moves.entry(space).or_default();
            }
        }
        Ok(())
    }

    /// Writes what is left: the rows of spaces, and indexes that wait for it.
    pub(super) fn close(mut self) -> Found<()> {
        for (space, Entry { sum, counts }) in &self.entries {
            let mut update = "UPDATE space SET sum = ?2".to_owned();
            let mut values = vec![
                Value::Integer(*space),
                Value::Blob(sum::grown(self.db, *space, *sum)?),
            ];
            for (word, n) in counts {
                values.push(Value::Integer(*n));
                update += &format!(", {word} = {word} + ?{}", values.len());
            }
            update += " WHERE id = ?1";
            let mut update = self.db.prepare_cached(&update).map_err(sqlite)?;
            update.execute(params_from_iter(values)).map_err(sqlite)?;
        }
        for (space, moves) in std::mem::take(&mut self.moves) {
            let done = moves.write(self.db, space);
            self.tended(space, done)?;
        }
        self.stale
            .iter()
            .try_for_each(|space| index::rebuild_index(self.db, *space))
    }

    /// Keeps a memory; one that brings no number gets the next of its space. The number, the size of the index and the
    /// count of events are written at once.
    fn insert(&mut self, space: i64, memory: &Memory) -> Found<u64> {
        let db = self.db;
        let mut memory = memory.clone();
        let (terms, len) = if memory.is_active() {
            terms::indexed(&memory.searchable())
        } else {
            (Vec::new(), 0)
        };
        let next = "UPDATE space SET last_number = max(last_number + (?2 = 0), ?2), n_docs = n_docs + ?3, \
                    total_len = total_len + ?4, remembered = remembered + 1 WHERE id = ?1 RETURNING last_number, n_docs";
        let row = params![space, memory.number, memory.is_active(), len];
        let mut next = db.prepare_cached(next).map_err(sqlite)?;
        let (last, n_docs) = next
            .query_row(row, |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(sqlite)?;
        if memory.number == 0 {
            memory.number = last;
        }
        let usage = std::mem::take(&mut memory.usage);
        let digest = insert_row(db, space, &memory)?;
        self.sum(space).add(&digest);
        self.count(key(space, memory.number)?, usage)?;
        cite(db, space, &memory)?;
        if memory.is_active() {
            self.tended(
                space,
                index::add_counted_memory(db, space, memory.number, (&terms, len), n_docs),
            )?;
        }
        Ok(memory.number)
    }

    /// Builds the index of a space anew at the end.
    pub(super) fn rebuild_later(&mut self, space: i64) {
        self.stale.insert(space);
    }

    /// An index that another program damaged stands in nobody's way: it is built anew from the memories.
    fn tended(&mut self, space: i64, done: Found<()>) -> Found<()> {
        match done {
            Err(StoreError::Corrupt { .. }) => {
                self.stale.insert(space);
                Ok(())
            }
            other => other,
        }
    }

    /// Writes an event down and applies it to the memories it touches.
    fn happen(&mut self, space: i64, event: &Event) -> Found<()> {
        let changes = event.memory.filter(|_| changes(&event.what));
        let before = changes.map_or(Ok(None), |id| read::sealed_by_id(self.db, id))?;
        if let Some(id) = changes {
            self.expected(id, before.as_ref().map(|(memory, _)| &memory.status))?;
        }
        let was = before
            .as_ref()
            .and_then(|(memory, _)| Was::of(memory, event));
        self.log(space, event, was.as_ref())?;
        if let Some((memory, digest)) = before {
            return self.change(Change::of(memory, digest, event)?);
        }
        let usage = counted(&event.what);
        if usage != Usage::default() {
            for id in event.touches() {
                if let Some(key) = read::key_of(self.db, id)? {
                    self.count(key, usage)?;
                }
            }
        }
        Ok(())
    }

    /// How many of the next events change one memory of a space each, and each another one; only where very much changes.
    fn run(&self, space: i64, events: &[Event]) -> usize {
        if !self.moves.contains_key(&space) {
            return 0;
        }
        let mut ids = HashSet::new();
        let is_next = |it: &&Event| {
            self.is_at(&it.space) && changes(&it.what) && it.memory.is_some_and(|id| ids.insert(id))
        };
        events.iter().take_while(is_next).count()
    }

    /// The same as [`Self::happen`] for such a run: what a part of it comes to is worked out while the one before it is
    /// written. No memory is in two parts, so each is read as it was before the run.
    fn happen_alike(&mut self, space: i64, events: &[Event]) -> Found<()> {
        let mut next = self.place()? + 1;
        thread::scope(|scope| {
            let mut ahead = None;
            for part in events.chunks(PART) {
                let rows = read_before(self.db, part, next)?;
                next += part.len() as i64;
                let working =
                    scope.spawn(move || spread::each(&rows, |row| worked_out(space, row)));
                if let Some((part, done)) = ahead.replace((part, working)) {
                    self.put_alike(part, spread::came_to(done.join()))?;
                }
            }
            ahead.map_or(Ok(()), |(part, done)| {
                self.put_alike(part, spread::came_to(done.join()))
            })
        })
    }

    fn put_alike(&mut self, events: &[Event], worked_out: Vec<Found<WorkedOut>>) -> Found<()> {
        for (event, done) in events.iter().zip(worked_out) {
            let WorkedOut {
                line,
                digest,
                change,
            } = done?;
            if let Some(id) = event.memory {
                self.expected(id, change.as_ref().map(|it| &it.was.status))?;
            }
            self.count_event(line.space, event.what.happening(), 1);
            self.put(&line, &digest)?;
            change.map_or(Ok(()), |it| self.change(it))?;
        }
        Ok(())
    }

    /// Holds where a memory stands against what is expected of it.
    fn expected(&mut self, id: MemoryId, status: Option<&Status>) -> Found<()> {
        match self.unmoved.remove(&id) {
            Some(expected) if status != Some(&expected) => Err(StoreError::Conflict {
                what: format!("memory {id}"),
            }),
            _ => Ok(()),
        }
    }

    /// The last place of the log.
    fn place(&self) -> Found<i64> {
        self.place.map_or_else(|| last_place(self.db), Ok)
    }

    pub(super) fn log(&mut self, space: i64, event: &Event, was: Option<&Was>) -> Found<i64> {
        // The place is a part of what is sealed, so it is given here and not by the table.
        let line = line(self.place()? + 1, space, event, was)?;
        self.put(&line, &line.digest())?;
        Ok(line.seq)
    }

    fn put(&mut self, line: &Line, digest: &Digest) -> Found<()> {
        let insert = "INSERT INTO event(seq, space, memory, name, record, seal) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let row = params![
            line.seq,
            line.space,
            line.memory,
            line.name,
            line.record,
            seal(digest)
        ];
        self.db
            .prepare_cached(insert)
            .map_err(sqlite)?
            .execute(row)
            .map_err(sqlite)?;
        self.place = Some(line.seq);
        self.sum(line.space).add(digest);
        Ok(())
    }

    fn count(&mut self, key: i64, usage: Usage) -> Found<()> {
        if usage == Usage::default() {
            return Ok(());
        }
        let upsert = "INSERT INTO usage(key, recalls, applied, verified) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE \
                      SET recalls = recalls + ?2, applied = applied + ?3, verified = verified + ?4";
        let row = params![key, usage.recalls, usage.applied, usage.verified];
        self.db
            .prepare_cached(upsert)
            .map_err(sqlite)?
            .execute(row)
            .map_err(sqlite)?;
        self.sum(sum::space_of(key)).count(key, usage);
        Ok(())
    }

    fn change(&mut self, change: Change) -> Found<()> {
        let Change {
            was,
            old,
            memory,
            record,
            digest,
        } = change;
        let db = self.db;
        let space = self.space_id(&memory.space)?;
        let update = "UPDATE memory SET stage = ?2, refreshed_at = ?3, record = ?4, seal = ?5 WHERE key = ?1";
        let row = params![
            key(space, memory.number)?,
            memory.status.stage().as_str(),
            memory.refreshed_at.as_millisecond(),
            record,
            seal(&digest),
        ];
        db.prepare_cached(update)
            .map_err(sqlite)?
            .execute(row)
            .map_err(taken)?;
        self.sum(space).take(&old);
        self.sum(space).add(&digest);
        let cites_moved = was.citations != memory.citations;
        if cites_moved {
            uncite(db, space, &was)?;
            cite(db, space, &memory)?;
        }
        if let Some(moves) = self.moves.get_mut(&space) {
            moves.note(&was, &memory);
            return Ok(());
        }
        if self.stale.contains(&space) {
            return Ok(());
        }
        if was.is_active() && (!memory.is_active() || cites_moved) {
            self.tended(space, index::remove_memory(db, space, &was))?;
        }
        if memory.is_active() && (!was.is_active() || cites_moved) {
            self.tended(space, index::add_memory(db, space, &memory))?;
        }
        Ok(())
    }

    /// Takes the events about a memory out, all but the tombstone, and the questions it answered out of the others.
    fn unlog(&mut self, id: MemoryId, tombstone: i64) -> Found<()> {
        let about =
            "SELECT seq, space, memory, name, record FROM event WHERE memory = ?1 AND seq <> ?2";
        let mut select = self.db.prepare_cached(about).map_err(sqlite)?;
        let mut rows = select
            .query(params![id.as_bytes(), tombstone])
            .map_err(sqlite)?;
        while let Some(row) = rows.next().map_err(sqlite)? {
            let (space, word) = (
                row.get(1).map_err(sqlite)?,
                row.get::<_, String>(3).map_err(sqlite)?,
            );
            self.sum(space).take(&sum::event_digest(row)?);
            self.count_event(
                space,
                word.parse().map_err(|_| corrupt("the word of an event"))?,
                -1,
            );
        }
        self.db
            .execute(
                "DELETE FROM event WHERE memory = ?1 AND seq <> ?2",
                params![id.as_bytes(), tombstone],
            )
            .map_err(sqlite)?;
        self.unask(id)
    }

    pub(super) fn unask(&mut self, id: MemoryId) -> Found<()> {
        const BLANK: &str = "UPDATE event SET record = json_set(record, '$.query', ''), seal = NULL WHERE seq = ?1 \
                             RETURNING seq, space, memory, name, record";
        let shown = "SELECT seq, space, memory, name, record FROM event \
                     WHERE name = 'retrieved' AND record LIKE '%' || ?1 || '%'";
        let mut select = self.db.prepare_cached(shown).map_err(sqlite)?;
        let mut rows = select.query([id.to_string()]).map_err(sqlite)?;
        let mut asked: Vec<(i64, i64)> = Vec::new();
        while let Some(row) = rows.next().map_err(sqlite)? {
            let (seq, space) = (row.get(0).map_err(sqlite)?, row.get(1).map_err(sqlite)?);
            self.sum(space).take(&sum::event_digest(row)?);
            asked.push((seq, space));
        }
        for (seq, space) in asked {
            let mut blank = self.db.prepare_cached(BLANK).map_err(sqlite)?;
            let digest = blank
                .query_row([seq], |row| Ok(sum::event_digest(row)))
                .map_err(sqlite)??;
            let seal = params![seq, seal(&digest)];
            self.db
                .execute("UPDATE event SET seal = ?2 WHERE seq = ?1", seal)
                .map_err(sqlite)?;
            self.sum(space).add(&digest);
        }
        Ok(())
    }
}

/// The row of a memory; the digest of its record.
fn insert_row(db: &Connection, space: i64, memory: &Memory) -> Found<Digest> {
    let (record, claim) = (encoded(memory)?, memory.claim());
    let digest = Digest::of(record.as_bytes());
    let insert = "INSERT INTO memory(key, id, space, layer, stage, claim, recorded_at, refreshed_at, record, seal) \
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let row = params![
        key(space, memory.number)?,
        memory.id.as_bytes(),
        space,
        memory.layer.as_str(),
        memory.status.stage().as_str(),
        claim.as_bytes(),
        memory.recorded_at.as_millisecond(),
        memory.refreshed_at.as_millisecond(),
        record,
        seal(&digest),
    ];
    db.prepare_cached(insert)
        .map_err(sqlite)?
        .execute(row)
        .map_err(taken)?;
    Ok(digest)
}

/// The last place in the log.
fn last_place(db: &Connection) -> Found<i64> {
    let mut select = db
        .prepare_cached("SELECT coalesce(max(seq), 0) FROM event")
        .map_err(sqlite)?;
    select.query_row([], |row| row.get(0)).map_err(sqlite)
}

/// Whether it changes what is kept of a memory, and does not merely count.
fn changes(what: &What) -> bool {
    let is_new_or_gone = matches!(what, What::Remembered { .. } | What::Forgotten { .. });
    !is_new_or_gone && !Happening::ASIDE.contains(&what.happening())
}

/// What it adds to the counters of each memory it touches.
fn counted(what: &What) -> Usage {
    match what {
        What::Retrieved { .. } => Usage {
            recalls: 1,
            ..Usage::default()
        },
        What::Applied => Usage {
            applied: 1,
            ..Usage::default()
        },
        What::Verified { valid, .. } => Usage {
            verified: u32::from(*valid),
            ..Usage::default()
        },
        _ => Usage::default(),
    }
}

/// Removes a memory, its index, every event about it and the questions it answered; the tombstone stays.
pub(super) fn erase(db: &Connection, erasure: &Erasure) -> Found<bool> {
    let id = erasure.id();
    let (memory, digest) = match read::sealed_by_id(db, id) {
        Ok(Some(found)) => found,
        // A row that is filed under another id is found by its number, too.
        Ok(None) | Err(StoreError::Corrupt { .. }) => return damaged::erase(db, erasure),
        Err(error) => return Err(error),
    };
    let mut pen = Pen::new(db);
    let space = pen.space_id(&memory.space)?;
    if memory.is_active() {
        pen.tended(space, index::remove_memory(db, space, &memory))?;
    }
    uncite(db, space, &memory)?;
    let key = key(space, memory.number)?;
    db.execute("DELETE FROM memory WHERE key = ?1", [key])
        .map_err(sqlite)?;
    db.execute("DELETE FROM usage WHERE key = ?1", [key])
        .map_err(sqlite)?;
    pen.sum(space).take(&digest);
    pen.sum(space).uncount(key, memory.usage);
    // The tombstone goes first, so that its place in the log is one that was never used.
    let tombstone = pen.log(space, erasure.tombstone(), None)?;
    pen.count_event(space, Happening::Forgotten, 1);
    pen.unlog(id, tombstone)?;
    pen.close()?;
    Ok(true)
}

/// Makes the index anew, after the analyser has changed.
pub(super) fn reindex(db: &Connection) -> Found<()> {
    index::clear_index(db)?;
    read::space_ids(db)?
        .into_iter()
        .try_for_each(|space| index::rebuild_index(db, space))
}
