//! One space looked over: each memory, each event, and what both say about the rest.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use apostille_core::{
    event::{Event, EventKind},
    format::{EventRecord, MemoryRecord},
    memory::{Memory, MemoryId, Status},
    store::breaker_state::{self, OpenBreaker},
};
use apostille_text::{digest::Digest, terms::StemCache};
use rusqlite::{Connection, Row, types::Value};

use crate::{
    packed::{self, BlobPlace, PostingLists},
    row_records::{format_open_breakers, record_seal},
    sqlite::{
        SPACE_BITS, memory_row_key,
        query::{each_row, select_value},
        rows::EventRow,
        space_sum,
    },
    store_errors::SqliteResult,
};

/// What the rows of a space say that the rest must be.
#[derive(Default)]
struct SpaceCheck {
    space: i64,
    name: String,
    ids: HashSet<MemoryId>,
    remembered: HashSet<MemoryId>,
    cites: BTreeSet<(String, i64)>,
    lists: PostingLists,
    n_docs: i64,
    total_len: i64,
    last_number: i64,
    words: BTreeMap<EventKind, i64>,
    open: Vec<OpenBreaker>,
    stems: StemCache,
    /// What is wrong.
    problems: Vec<String>,
}

/// Looks a space over and tells what is wrong.
pub(super) fn check_space_rows(db: &Connection, space: i64) -> SqliteResult<Vec<String>> {
    let name = match select_value(db, "SELECT name FROM space WHERE id = ?1", [space])? {
        Value::Text(name) => name,
        other => format!("{other:?}"),
    };
    let mut room = SpaceCheck {
        space,
        name,
        ..SpaceCheck::default()
    };
    let name = &room.name;
    if name.parse::<apostille_core::space::Space>().is_err() {
        let problem = format!("{name:?} is not the name of a space: another program wrote it");
        room.problems.push(problem);
    }
    room.check_memories(db)?;
    room.check_events(db)?;
    room.check_citations(db)?;
    room.check_index(db)?;
    room.check_space_row(db)?;
    Ok(room.problems)
}

impl SpaceCheck {
    fn check_memories(&mut self, db: &Connection) -> SqliteResult<()> {
        let select = "SELECT record, seal, key, id, space, layer, stage, claim, recorded_at, refreshed_at \
                      FROM memory WHERE space = ?1 ORDER BY key";
        each_row(db, select, [self.space], |row| {
            let number = row.get::<_, i64>(2)? >> SPACE_BITS;
            match self.check_memory(row) {
                Ok(memory) => {
                    self.last_number = self.last_number.max(number);
                    self.expect_memory(&memory, number);
                }
                Err(what) => {
                    let (name, user) = (&self.name, self.name.starts_with("users/"));
                    let handle = format!("{}-{number}", if user { 'u' } else { 'm' });
                    self.problems.push(format!(
                        "{handle} of {name} was changed by another program: {what}; `apostille forget {handle}` removes it"
                    ));
                }
            }
            Ok(())
        })
    }

    /// The memory of a row that says of itself what its columns say; or what is wrong.
    fn check_memory(&mut self, row: &Row<'_>) -> Result<Memory, &'static str> {
        const HIDDEN: &str = "its record does not match its seal; it is not shown";
        let record: String = row.get(0).map_err(|_| HIDDEN)?;
        if row.get(1) != Ok(record_seal(&Digest::hash_bytes(record.as_bytes()))) {
            return Err(HIDDEN);
        }
        const UNREAD: &str = "its record cannot be read; it is not shown";
        let record: MemoryRecord = serde_json::from_str(&record).map_err(|_| UNREAD)?;
        let stamp = record.digest.clone();
        let memory = Memory::try_from(record).map_err(|_| UNREAD)?;
        // Its events are known to be about something, whatever else is wrong with it.
        self.ids.insert(memory.id);
        if stamp.is_some_and(|it| it != memory.content_digest().to_string()) {
            return Err("what it says does not match its digest");
        }
        let columns = (2..10).map(|at| row.get(at).ok()).collect();
        if memory.space.as_str() != self.name || self.expected_columns(&memory) != columns {
            return Err("its columns do not say what its record says");
        }
        Ok(memory)
    }

    /// What the columns of a memory must be, from the third on.
    fn expected_columns(&self, memory: &Memory) -> Option<Vec<Value>> {
        Some(vec![
            memory_row_key(self.space, memory.number).ok()?.into(),
            Value::Blob(memory.id.as_bytes().to_vec()),
            self.space.into(),
            Value::Text(memory.layer.as_str().into()),
            Value::Text(memory.status.stage().as_str().into()),
            Value::Blob(memory.claim_digest().as_bytes().to_vec()),
            memory.recorded_at.as_millisecond().into(),
            memory.refreshed_at.as_millisecond().into(),
        ])
    }

    /// Notes what a memory asks of the other tables.
    fn expect_memory(&mut self, memory: &Memory, number: i64) {
        let cites = memory.citations.iter();
        self.cites
            .extend(cites.map(|it| (it.path.as_str().to_owned(), number)));
        if memory.status == Status::Active {
            let (terms, len) = self.stems.extract_terms_with_len(&memory.searchable_text());
            packed::add_term_postings(&mut self.lists, memory.number, (terms, len));
            self.n_docs += 1;
            self.total_len += i64::from(len);
        }
    }

    fn check_events(&mut self, db: &Connection) -> SqliteResult<()> {
        let select = "SELECT seq, space, memory, name, record, seal FROM event WHERE space = ?1 ORDER BY seq";
        each_row(db, select, [self.space], |row| {
            if let Err(what) = self.check_event(row) {
                let seq: i64 = row.get(0)?;
                self.problems.push(format!(
                    "event {seq} of {} was changed by another program: {what}",
                    self.name
                ));
            }
            Ok(())
        })?;
        let lost = self.ids.difference(&self.remembered).count();
        if lost > 0 {
            self.problems.push(format!(
                "{lost} memories of {} came into the file without an event",
                self.name
            ));
        }
        Ok(())
    }

    fn check_event(&mut self, row: &Row<'_>) -> Result<(), &'static str> {
        const HIDDEN: &str = "it does not match its seal and is not shown";
        let event = EventRow::from_row(row).map_err(|_| HIDDEN)?;
        if row.get(5) != Ok(record_seal(&event.digest())) {
            return Err(HIDDEN);
        }
        let record: EventRecord =
            serde_json::from_str(&event.record).map_err(|_| "it cannot be read")?;
        let word: EventKind = event.name.parse().map_err(|_| "its word is none")?;
        let id: Option<[u8; 16]> = row.get(2).map_err(|_| HIDDEN)?;
        let id = id.map(MemoryId::from_bytes);
        let is_same = record.event == word.as_str()
            && record.space == self.name
            && record.id == id.map(|it| it.to_string());
        if !is_same {
            return Err("its columns do not say what its record says");
        }
        *self.words.entry(word).or_default() += 1;
        let is_gone = id.is_some_and(|it| !self.ids.contains(&it));
        match word {
            EventKind::Remembered => {
                self.remembered.extend(id);
                return if is_gone {
                    Err("the memory that it brought is not there")
                } else {
                    Ok(())
                };
            }
            EventKind::Forgotten => {
                let number = record.number.and_then(|it| i64::try_from(it).ok());
                self.last_number = self.last_number.max(number.unwrap_or(0));
            }
            _ if is_gone => return Err("the memory that it is about is not there"),
            _ => {}
        }
        let event = Event::try_from(record).map_err(|_| "it cannot be read")?;
        breaker_state::fold_open_breakers(&mut self.open, &event);
        Ok(())
    }

    fn check_citations(&mut self, db: &Connection) -> SqliteResult<()> {
        let mut select = db.prepare("SELECT path, number FROM cites WHERE space = ?1")?;
        let found = select.query_map([self.space], |row| row.try_into());
        let found = found.and_then(Iterator::collect::<Result<BTreeSet<_>, _>>);
        if found.as_ref() != Ok(&self.cites) {
            self.problems.push(format!(
                "the list of cited files of {} was changed by another program",
                self.name
            ));
        }
        Ok(())
    }

    fn check_index(&mut self, db: &Connection) -> SqliteResult<()> {
        let (space, mut found) = (self.space, PostingLists::new());
        let tail = "SELECT number, terms FROM tail WHERE space = ?1";
        let n_damaged_tail = count_damaged(db, tail, space, |row| {
            let (number, bytes): (i64, Vec<u8>) = row.try_into()?;
            let place = BlobPlace::in_tail(space, number);
            packed::unpack_tail_terms(&bytes, place, None, |term, posting| {
                found
                    .entry(packed::decode_term(term))
                    .or_default()
                    .push(posting);
            })?;
            Ok(())
        })?;
        let segments = "SELECT term, segment, entries FROM posting WHERE space = ?1";
        let n_damaged_segments = count_damaged(db, segments, space, |row| {
            let (term, number, bytes): (String, i64, Vec<u8>) = row.try_into()?;
            let mut list = Vec::new();
            let term_place = BlobPlace {
                space,
                term: &term,
                number,
            };
            packed::unpack_postings(&bytes, term_place, &mut list)?;
            found.entry(term).or_default().extend(list);
            Ok(())
        })?;
        for list in found.values_mut() {
            list.sort_unstable_by_key(|it| it.number);
        }
        let (name, n_damaged) = (&self.name, n_damaged_tail + n_damaged_segments);
        if n_damaged > 0 {
            self.problems.push(format!(
                "{n_damaged} rows of the index of {name} were changed by another program"
            ));
        } else if found != self.lists {
            self.problems.push(format!(
                "the index of {name} is not the one of its memories: another program wrote here"
            ));
        }
        Ok(())
    }

    /// The space's own row: its counts, its open breakers, and the sum of everything.
    fn check_space_row(&mut self, db: &Connection) -> SqliteResult<()> {
        let mut expected = vec![
            ("last_number", Value::Integer(self.last_number)),
            ("n_docs", self.n_docs.into()),
            ("total_len", self.total_len.into()),
            ("breakers", format_open_breakers(&self.open).into()),
        ];
        let count = |it: &EventKind| Value::Integer(self.words.get(it).copied().unwrap_or(0));
        expected.extend(EventKind::ALL.iter().map(|it| (it.as_str(), count(it))));
        for (column, expected) in expected {
            let select = format!("SELECT {column} FROM space WHERE id = ?1");
            let found = select_value(db, &select, [self.space])?;
            if expected != found {
                self.problems.push(format!(
                    "{column} of {}: {}, by its rows {}",
                    self.name,
                    format_sql_value(&found),
                    format_sql_value(&expected)
                ));
            }
        }
        if space_sum::read_space_sum(db, self.space)?
            != Some(space_sum::compute_space_sum(db, self.space)?)
        {
            self.problems.push(format!(
                "rows of {} were changed, added or taken away by another program: they do not add up",
                self.name
            ));
        }
        Ok(())
    }
}

/// How many rows cannot be opened.
fn count_damaged(
    db: &Connection,
    select: &str,
    space: i64,
    mut open: impl FnMut(&Row) -> SqliteResult<()>,
) -> SqliteResult<u64> {
    let mut n_damaged = 0;
    each_row(db, select, [space], |row| {
        n_damaged += u64::from(open(row).is_err());
        Ok(())
    })?;
    Ok(n_damaged)
}

/// A value as people write it.
fn format_sql_value(value: &Value) -> String {
    match value {
        Value::Null => "nothing".into(),
        Value::Integer(n) => n.to_string(),
        Value::Real(n) => n.to_string(),
        Value::Text(text) => format!("'{text}'"),
        Value::Blob(bytes) => format!("{} bytes", bytes.len()),
    }
}
