//! One space looked over: each memory, each event, and what both say about the rest.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use apostille_core::event::{Event, EventBody, Happening};
use apostille_core::format::{EventRecord, MemoryRecord};
use apostille_core::memory::{Memory, MemoryId, Status};
use apostille_core::store::Posting;
use apostille_core::store::breaker_state::{self, OpenBreaker};
use apostille_text::digest::Digest;
use apostille_text::terms::StemCache;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params};

use super::StoreResult;
use crate::sqlite::pack::{self, BlobPlace, PostingLists};
use crate::sqlite::{SPACE_BITS, breaker_state as breakers, memory_row_key, row_seal, space_sum};
use crate::store_errors::store_error_from_sqlite;

/// What the rows of a space say that the rest must be.
#[derive(Default)]
struct SpaceCheck {
    space: i64,
    name: String,
    letter: char,
    ids: HashSet<MemoryId>,
    remembered: HashSet<MemoryId>,
    cites: BTreeSet<(String, i64)>,
    lists: PostingLists,
    n_docs: i64,
    total_len: i64,
    last_number: i64,
    words: BTreeMap<Happening, i64>,
    open: Vec<OpenBreaker>,
    stems: StemCache,
}

/// Looks a space over and tells what is wrong.
pub(super) fn check_space_rows(
    db: &Connection,
    space: i64,
    problems: &mut Vec<String>,
) -> StoreResult<()> {
    let name = db.query_row("SELECT name FROM space WHERE id = ?1", [space], |row| {
        row.get::<_, Value>(0)
    });
    let name = match name.map_err(store_error_from_sqlite)? {
        Value::Text(name) => name,
        other => format!("{other:?}"),
    };
    let letter = if name.starts_with("users/") { 'u' } else { 'm' };
    let mut room = SpaceCheck {
        space,
        name,
        letter,
        ..SpaceCheck::default()
    };
    if room.name.parse::<apostille_core::space::Space>().is_err() {
        problems.push(format!(
            "{:?} is not the name of a space: another program wrote it",
            room.name
        ));
    }
    room.check_memories(db, problems)?;
    room.check_events(db, problems)?;
    room.check_citations(db, problems)?;
    room.check_index(db, problems)?;
    room.check_space_row(db, problems)
}

impl SpaceCheck {
    fn describe_changed(&self, number: i64) -> String {
        format!(
            "{}-{number} of {} was changed by another program",
            self.letter, self.name
        )
    }

    fn check_memories(&mut self, db: &Connection, problems: &mut Vec<String>) -> StoreResult<()> {
        let select = "SELECT record, seal, key, id, space, layer, stage, claim, recorded_at, refreshed_at \
                      FROM memory WHERE space = ?1 ORDER BY key";
        let mut select = db.prepare(select).map_err(store_error_from_sqlite)?;
        let mut rows = select
            .query([self.space])
            .map_err(store_error_from_sqlite)?;
        while let Some(row) = rows.next().map_err(store_error_from_sqlite)? {
            let number = row.get::<_, i64>(2).map_err(store_error_from_sqlite)? >> SPACE_BITS;
            match self.check_memory(row) {
                Ok(memory) => {
                    self.last_number = self.last_number.max(number);
                    self.expect_memory(&memory, number);
                }
                Err(what) => {
                    let way = format!("`apostille forget {}-{number}` removes it", self.letter);
                    problems.push(format!("{}: {what}; {way}", self.describe_changed(number)));
                }
            }
        }
        Ok(())
    }

    /// The memory of a row that says of itself what its columns say; or what is wrong.
    fn check_memory(&mut self, row: &Row<'_>) -> Result<Memory, &'static str> {
        const HIDDEN: &str = "its record does not match its seal; it is not shown";
        let record = row
            .get_ref(0)
            .ok()
            .and_then(|it| it.as_str().ok())
            .ok_or(HIDDEN)?;
        let kept = row
            .get_ref(1)
            .ok()
            .and_then(|it| it.as_blob().ok())
            .ok_or(HIDDEN)?;
        if kept != row_seal(&Digest::hash_bytes(record.as_bytes())) {
            return Err(HIDDEN);
        }
        const UNREAD: &str = "its record cannot be read; it is not shown";
        let record: MemoryRecord = serde_json::from_str(record).map_err(|_| UNREAD)?;
        let stamp = record.digest.clone();
        let memory = Memory::try_from(record).map_err(|_| UNREAD)?;
        // Its events are known to be about something, whatever else is wrong with it.
        self.ids.insert(memory.id);
        if stamp.is_some_and(|it| it != memory.content_digest().to_string()) {
            return Err("what it says does not match its digest");
        }
        if memory.space.as_str() != self.name
            || self.expected_columns(&memory) != read_memory_columns(row)
        {
            return Err("its columns do not say what its record says");
        }
        Ok(memory)
    }

    /// What the columns of a memory must be, from the third on.
    fn expected_columns(&self, memory: &Memory) -> Option<Vec<Value>> {
        Some(vec![
            Value::Integer(memory_row_key(self.space, memory.number).ok()?),
            Value::Blob(memory.id.as_bytes().to_vec()),
            Value::Integer(self.space),
            Value::Text(memory.layer.as_str().into()),
            Value::Text(memory.status.stage().as_str().into()),
            Value::Blob(memory.claim_digest().as_bytes().to_vec()),
            Value::Integer(memory.recorded_at.as_millisecond()),
            Value::Integer(memory.refreshed_at.as_millisecond()),
        ])
    }

    /// Notes what a memory asks of the other tables.
    fn expect_memory(&mut self, memory: &Memory, number: i64) {
        self.cites.extend(
            memory
                .citations
                .iter()
                .map(|it| (it.path.as_str().to_owned(), number)),
        );
        if memory.status == Status::Active {
            let (terms, len) = self.stems.extract_terms_with_len(&memory.searchable_text());
            pack::add_term_postings(&mut self.lists, memory.number, (terms, len));
            self.n_docs += 1;
            self.total_len += i64::from(len);
        }
    }

    fn check_events(&mut self, db: &Connection, problems: &mut Vec<String>) -> StoreResult<()> {
        let select = "SELECT seq, space, memory, name, record, seal FROM event WHERE space = ?1 ORDER BY seq";
        let mut select = db.prepare(select).map_err(store_error_from_sqlite)?;
        let mut rows = select
            .query([self.space])
            .map_err(store_error_from_sqlite)?;
        while let Some(row) = rows.next().map_err(store_error_from_sqlite)? {
            if let Err(what) = self.check_event(row) {
                let seq: i64 = row.get(0).map_err(store_error_from_sqlite)?;
                problems.push(format!(
                    "event {seq} of {} was changed by another program: {what}",
                    self.name
                ));
            }
        }
        let lost = self.ids.difference(&self.remembered).count();
        if lost > 0 {
            problems.push(format!(
                "{lost} memories of {} came into the file without an event",
                self.name
            ));
        }
        Ok(())
    }

    fn check_event(&mut self, row: &Row<'_>) -> Result<(), &'static str> {
        const HIDDEN: &str = "it does not match its seal and is not shown";
        let digest = space_sum::digest_event_row(row).map_err(|_| HIDDEN)?;
        let kept = row
            .get_ref(5)
            .ok()
            .and_then(|it| it.as_blob().ok())
            .ok_or(HIDDEN)?;
        if kept != row_seal(&digest) {
            return Err(HIDDEN);
        }
        let text = |at| row.get::<_, String>(at).map_err(|_| HIDDEN);
        let record: EventRecord =
            serde_json::from_str(&text(4)?).map_err(|_| "it cannot be read")?;
        let word: Happening = text(3)?.parse().map_err(|_| "its word is none")?;
        let id = row
            .get::<_, Option<[u8; 16]>>(2)
            .map_err(|_| HIDDEN)?
            .map(MemoryId::from_bytes);
        let is_same = record.event == word.as_str()
            && record.space == self.name
            && record.id == id.map(|it| it.to_string());
        if !is_same {
            return Err("its columns do not say what its record says");
        }
        *self.words.entry(word).or_default() += 1;
        let is_gone = id.is_some_and(|it| !self.ids.contains(&it));
        match word {
            Happening::Remembered => {
                self.remembered.extend(id);
                return if is_gone {
                    Err("the memory that it brought is not there")
                } else {
                    Ok(())
                };
            }
            Happening::Forgotten => {
                let number = record
                    .number
                    .and_then(|it| i64::try_from(it).ok())
                    .unwrap_or(0);
                self.last_number = self.last_number.max(number);
            }
            _ if is_gone => return Err("the memory that it is about is not there"),
            _ => {}
        }
        let event = Event::try_from(record).map_err(|_| "it cannot be read")?;
        if matches!(
            event.what,
            EventBody::Tripped { .. } | EventBody::Closed { .. }
        ) {
            breaker_state::fold_open_breakers(&mut self.open, &event);
        }
        Ok(())
    }

    fn check_citations(&self, db: &Connection, problems: &mut Vec<String>) -> StoreResult<()> {
        let mut select = db
            .prepare("SELECT path, number FROM cites WHERE space = ?1")
            .map_err(store_error_from_sqlite)?;
        let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let found = select
            .query_map([self.space], row)
            .and_then(Iterator::collect::<Result<BTreeSet<_>, _>>);
        if found.ok().as_ref() != Some(&self.cites) {
            problems.push(format!(
                "the list of cited files of {} was changed by another program",
                self.name
            ));
        }
        Ok(())
    }

    fn check_index(&self, db: &Connection, problems: &mut Vec<String>) -> StoreResult<()> {
        let mut found: PostingLists = BTreeMap::new();
        let mut n_damaged = 0;
        self.collect_tail(db, &mut found, &mut n_damaged)?;
        self.collect_postings(db, &mut found, &mut n_damaged)?;
        for list in found.values_mut() {
            list.sort_unstable_by_key(|it| it.number);
        }
        let name = &self.name;
        if n_damaged > 0 {
            problems.push(format!(
                "{n_damaged} rows of the index of {name} were changed by another program"
            ));
        } else if found != self.lists {
            problems.push(format!(
                "the index of {name} is not the one of its memories: another program wrote here"
            ));
        }
        Ok(())
    }

    fn collect_tail(
        &self,
        db: &Connection,
        found: &mut PostingLists,
        n_damaged: &mut u64,
    ) -> StoreResult<()> {
        let mut select = db
            .prepare("SELECT number, terms FROM tail WHERE space = ?1")
            .map_err(store_error_from_sqlite)?;
        let mut rows = select
            .query([self.space])
            .map_err(store_error_from_sqlite)?;
        while let Some(row) = rows.next().map_err(store_error_from_sqlite)? {
            let read = row
                .get::<_, i64>(0)
                .and_then(|it| Ok((it, row.get::<_, Vec<u8>>(1)?)));
            let opened = read
                .map_err(store_error_from_sqlite)
                .and_then(|(number, bytes)| {
                    let place = BlobPlace::in_tail(self.space, number);
                    pack::unpack_tail_terms(&bytes, place, None, |term, count, len| {
                        let number = u64::try_from(number).unwrap_or_default();
                        found
                            .entry(pack::decode_term(term))
                            .or_default()
                            .push(Posting { number, count, len });
                    })?;
                    Ok(())
                });
            *n_damaged += u64::from(opened.is_err());
        }
        Ok(())
    }

    fn collect_postings(
        &self,
        db: &Connection,
        found: &mut PostingLists,
        n_damaged: &mut u64,
    ) -> StoreResult<()> {
        let select = "SELECT term, segment, entries FROM posting WHERE space = ?1";
        let mut select = db.prepare(select).map_err(store_error_from_sqlite)?;
        let mut rows = select
            .query([self.space])
            .map_err(store_error_from_sqlite)?;
        while let Some(row) = rows.next().map_err(store_error_from_sqlite)? {
            let read = row
                .get::<_, String>(0)
                .and_then(|term| Ok((term, row.get(1)?, row.get::<_, Vec<u8>>(2)?)));
            let opened = read
                .map_err(store_error_from_sqlite)
                .and_then(|(term, number, bytes)| {
                    let mut list = Vec::new();
                    let place = BlobPlace {
                        space: self.space,
                        term: &term,
                        number,
                    };
                    pack::unpack_postings(&bytes, place, &mut list)?;
                    found.entry(term).or_default().extend(list);
                    Ok(())
                });
            *n_damaged += u64::from(opened.is_err());
        }
        Ok(())
    }

    /// The space's own row: its counts, its open breakers, and the sum of everything.
    fn check_space_row(&self, db: &Connection, problems: &mut Vec<String>) -> StoreResult<()> {
        let mut expected = vec![
            ("last_number", Value::Integer(self.last_number)),
            ("n_docs", Value::Integer(self.n_docs)),
            ("total_len", Value::Integer(self.total_len)),
            (
                "breakers",
                breakers::format_open_breakers(&self.open).map_or(Value::Null, Value::Text),
            ),
        ];
        let count = |it: &Happening| Value::Integer(self.words.get(it).copied().unwrap_or(0));
        expected.extend(Happening::ALL.iter().map(|it| (it.as_str(), count(it))));
        let columns: Vec<&str> = expected.iter().map(|it| it.0).collect();
        let select = format!("SELECT {} FROM space WHERE id = ?1", columns.join(", "));
        let values = |row: &Row<'_>| {
            (0..columns.len())
                .map(|at| row.get(at))
                .collect::<Result<Vec<Value>, _>>()
        };
        let found = db
            .query_row(&select, params![self.space], values)
            .map_err(store_error_from_sqlite)?;
        for ((column, expected), found) in expected.iter().zip(found) {
            if *expected != found {
                let (found, expected) = (format_sql_value(&found), format_sql_value(expected));
                problems.push(format!(
                    "{column} of {}: {found}, by its rows {expected}",
                    self.name
                ));
            }
        }
        if space_sum::read_space_sum(db, self.space)?
            != Some(space_sum::compute_space_sum(db, self.space)?)
        {
            problems.push(format!(
                "rows of {} were changed, added or taken away by another program: they do not add up",
                self.name
            ));
        }
        Ok(())
    }
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

/// The columns of a row from the third on.
fn read_memory_columns(row: &Row<'_>) -> Option<Vec<Value>> {
    (2..10).map(|at| row.get(at).ok()).collect()
}
