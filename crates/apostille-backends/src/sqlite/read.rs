//! Reading: rows become memories and events, and a row that is not what was written is said to be damaged.

use std::collections::BTreeMap;

use apostille_core::event::{Event, Happening, Logged, What};
use apostille_core::format::{EventRecord, MemoryRecord};
use apostille_core::memory::{Layer, Memory, MemoryId, Stage, Usage};
use apostille_core::space::Space;
use apostille_core::store::{Filter, Order, Page, StoreError, Tally};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::{SPACE_BITS, key, schema, seal};
use crate::fault::{corrupt, sqlite};

type Found<T> = Result<T, StoreError>;

const COLUMNS: &str = "m.record, m.seal, m.key, u.recalls, u.applied, u.verified";
const JOINED: &str = "memory m LEFT JOIN usage u ON u.key = m.key";
const BY_KEY: &str = "SELECT m.record, m.seal, m.key, u.recalls, u.applied, u.verified \
                      FROM memory m LEFT JOIN usage u ON u.key = m.key WHERE m.key = ?1";

/// The number of a space in this file; `None`: nothing was ever written for it.
pub(super) fn space_id(db: &Connection, space: &Space) -> Found<Option<i64>> {
    let mut select = db.prepare_cached("SELECT id FROM space WHERE name = ?1").map_err(sqlite)?;
    select.query_row([space.as_str()], |row| row.get(0)).optional().map_err(sqlite)
}

/// The spaces there are.
pub(super) fn spaces(db: &Connection) -> Found<Vec<Space>> {
    let mut select = db.prepare_cached("SELECT name FROM space ORDER BY name").map_err(sqlite)?;
    let names = select.query_map([], |row| row.get::<_, String>(0)).map_err(sqlite)?;
    names.map(|it| it.map_err(sqlite)?.parse().map_err(|_| corrupt("the name of a space"))).collect()
}

fn memory(row: &Row<'_>) -> Found<Memory> {
    let key: i64 = row.get(2).map_err(sqlite)?;
    let damaged = || corrupt(format!("the row of memory {}", key >> SPACE_BITS));
    let value = row.get_ref(0).map_err(sqlite)?;
    let record = value.as_str().map_err(|_| damaged())?;
    let kept = row.get_ref(1).map_err(sqlite)?;
    if kept.as_blob().map_err(|_| damaged())? != seal(record) {
        return Err(damaged());
    }
    let record: MemoryRecord = serde_json::from_str(record).map_err(|_| damaged())?;
    let mut memory = Memory::try_from(record).map_err(|_| damaged())?;
    let count = |at| row.get::<_, Option<u32>>(at).map(Option::unwrap_or_default).map_err(sqlite);
    memory.usage = Usage { recalls: count(3)?, applied: count(4)?, verified: count(5)? };
    Ok(memory)
}

/// The memory with this id.
pub(super) fn by_id(db: &Connection, id: MemoryId) -> Found<Option<Memory>> {
    let mut select =
        db.prepare_cached(&format!("SELECT {COLUMNS} FROM {JOINED} WHERE m.id = ?1")).map_err(sqlite)?;
    let mut rows = select.query([id.as_bytes()]).map_err(sqlite)?;
    rows.next().map_err(sqlite)?.map(memory).transpose()
}

/// The memories of a space with these numbers, in this order.
pub(super) fn by_numbers(db: &Connection, space: i64, numbers: &[u64]) -> Found<Vec<Memory>> {
    let mut select = db.prepare_cached(BY_KEY).map_err(sqlite)?;
    let mut found = Vec::with_capacity(numbers.len());
    for number in numbers {
        let mut rows = select.query([key(space, *number)?]).map_err(sqlite)?;
        if let Some(row) = rows.next().map_err(sqlite)? {
            found.push(memory(row)?);
        }
    }
    Ok(found)
}

/// The active or pending memory that makes this claim.
pub(super) fn by_claim(db: &Connection, space: i64, claim: &[u8]) -> Found<Option<Memory>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM {JOINED} WHERE m.space = ?1 AND m.claim = ?2 AND m.stage IN ('active', 'pending')"
    );
    let mut select = db.prepare_cached(&sql).map_err(sqlite)?;
    let mut rows = select.query(params![space, claim]).map_err(sqlite)?;
    rows.next().map_err(sqlite)?.map(memory).transpose()
}

/// Goes through every memory of the store in the order of its keys.
pub(super) fn each(db: &Connection, mut see: impl FnMut(Found<Memory>) -> Found<()>) -> Found<()> {
    let mut select = db.prepare(&format!("SELECT {COLUMNS} FROM {JOINED} ORDER BY m.key")).map_err(sqlite)?;
    let mut rows = select.query([]).map_err(sqlite)?;
    while let Some(row) = rows.next().map_err(sqlite)? {
        see(memory(row))?;
    }
    Ok(())
}

/// The memories that a filter admits: each space is read in order until enough are found, then all are merged.
pub(super) fn list(db: &Connection, filter: &Filter) -> Found<Vec<Memory>> {
    let spaces = if filter.spaces.is_empty() { spaces(db)? } else { filter.spaces.clone() };
    let mut found = Vec::new();
    for space in &spaces {
        if let Some(id) = space_id(db, space)? {
            list_space(db, id, filter, &mut found)?;
        }
    }
    filter.sort(&mut found);
    found.truncate(filter.limit);
    Ok(found)
}

fn list_space(db: &Connection, space: i64, filter: &Filter, into: &mut Vec<Memory>) -> Found<()> {
    // What was never refreshed is in the order of its recording, the rest in an index of its own.
    let parts: &[(&str, &str)] = match filter.order {
        Order::Newest => &[("", "m.recorded_at DESC, m.key DESC")],
        Order::Oldest => &[("", "m.recorded_at, m.key")],
        Order::Refreshed => &[
            (" AND m.refreshed_at = m.recorded_at", "m.recorded_at DESC, m.key DESC"),
            (" AND m.refreshed_at <> m.recorded_at", "m.refreshed_at DESC, m.key DESC"),
        ],
    };
    parts
        .iter()
        .try_for_each(|(only, order)| list_part(db, list_query(space, filter, only, order), filter, into))
}

fn list_part(
    db: &Connection,
    (sql, values): (String, Vec<Value>),
    filter: &Filter,
    into: &mut Vec<Memory>,
) -> Found<()> {
    let mut select = db.prepare_cached(&sql).map_err(sqlite)?;
    let mut rows = select.query(params_from_iter(values)).map_err(sqlite)?;
    let before = into.len();
    while into.len() - before < filter.limit
        && let Some(row) = rows.next().map_err(sqlite)?
    {
        if !may_mention(row, filter) || !may_belong(row, filter) {
            continue;
        }
        let memory = memory(row)?;
        if filter.admits(&memory) {
            into.push(memory);
        }
    }
    Ok(())
}

/// Whether the text that a filter asks for may stand in this row, by its bytes: most rows need not be decoded. Only plain
/// ASCII is judged like that, which is the same in lower case and in JSON.
fn may_mention(row: &Row<'_>, filter: &Filter) -> bool {
    let is_plain =
        |it: &str| it.is_ascii() && !it.contains(['"', '\\']) && !it.contains(|c: char| c.is_control());
    let Some(text) = filter.text.as_deref().filter(|it| !it.is_empty() && is_plain(it)) else { return true };
    let record = row.get_ref(0).ok().and_then(|it| it.as_str().ok()).filter(|it| it.is_ascii());
    record
        .is_none_or(|it| it.as_bytes().windows(text.len()).any(|it| it.eq_ignore_ascii_case(text.as_bytes())))
}

/// Whether a row may be of the task that a filter asks for, by its bytes: the record writes a plain name as it is.
fn may_belong(row: &Row<'_>, filter: &Filter) -> bool {
    let is_plain = |it: &&str| it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
    let Some(task) = filter.task.as_deref().filter(is_plain) else { return true };
    let record = row.get_ref(0).ok().and_then(|it| it.as_str().ok());
    record.is_none_or(|it| it.contains(&format!("\"task\":\"{task}\"")))
}

fn list_query(space: i64, filter: &Filter, only: &str, order: &str) -> (String, Vec<Value>) {
    let words =
        |list: Vec<&str>| if list.is_empty() { String::new() } else { format!("'{}'", list.join("','")) };
    let stages = words(filter.stages.iter().map(|it| it.as_str()).collect());
    let layers = words(filter.layers.iter().map(|it| it.as_str()).collect());
    let mut sql = format!("SELECT {COLUMNS} FROM {JOINED} WHERE m.space = ?1{only}");
    let mut values = vec![Value::Integer(space)];
    if !stages.is_empty() {
        sql.push_str(&format!(" AND m.stage IN ({stages})"));
    }
    if !layers.is_empty() {
        sql.push_str(&format!(" AND m.layer IN ({layers})"));
    }
    if let Some(path) = &filter.path {
        // A folder's files lie between "folder/" and "folder0", the character after the slash.
        sql.push_str(&format!(
            " AND m.key IN (SELECT (c.number << {SPACE_BITS}) | ?1 FROM cites c WHERE c.space = ?1 \
             AND (c.path = ?2 OR (c.path > ?2 || '/' AND c.path < ?2 || '0')))"
        ));
        values.push(Value::Text(path.as_str().into()));
    }
    sql.push_str(&format!(" ORDER BY {order}"));
    (sql, values)
}

/// The numbers of a space.
pub(super) fn tally(db: &Connection, space: i64) -> Found<Tally> {
    let mut tally = Tally { identity_chars: identity_chars(db, space)?, ..Tally::default() };
    let select = "SELECT stage, layer, count(*) FROM memory WHERE space = ?1 GROUP BY stage, layer";
    let mut select = db.prepare_cached(select).map_err(sqlite)?;
    let mut rows = select.query([space]).map_err(sqlite)?;
    while let Some(row) = rows.next().map_err(sqlite)? {
        let word = |at| row.get::<_, String>(at).map_err(sqlite);
        let stage: Stage = word(0)?.parse().map_err(|_| corrupt("a stage"))?;
        let layer: Layer = word(1)?.parse().map_err(|_| corrupt("a layer"))?;
        tally.memories.insert((stage, layer), row.get(2).map_err(sqlite)?);
    }
    tally.events = counted(db, space)?;
    Ok(tally)
}

/// How many events of each word a space has seen.
fn counted(db: &Connection, space: i64) -> Found<BTreeMap<String, u64>> {
    let mut words: Vec<&str> = Happening::ALL.iter().map(|it| it.as_str()).collect();
    let select = |words: &[&str]| format!("SELECT {} FROM space WHERE id = ?1", words.join(", "));
    let mut select = match db.prepare_cached(&select(&words)) {
        Err(error) if schema::is_older(&error) => {
            words.truncate(schema::OLD_WORDS);
            db.prepare_cached(&select(&words)).map_err(sqlite)?
        }
        other => other.map_err(sqlite)?,
    };
    let counts =
        |row: &Row<'_>| (0..words.len()).map(|at| row.get::<_, u64>(at)).collect::<Result<Vec<_>, _>>();
    let counts = select.query_row([space], counts).map_err(sqlite)?;
    let seen = words.iter().zip(counts).filter(|(_, n)| *n > 0);
    Ok(seen.map(|(word, n)| ((*word).to_owned(), n)).collect())
}

/// The characters of the active identity layer.
pub(super) fn identity_chars(db: &Connection, space: i64) -> Found<usize> {
    let filter = Filter {
        layers: vec![Layer::Identity],
        stages: vec![Stage::Active],
        limit: usize::MAX,
        ..Filter::default()
    };
    let mut found = Vec::new();
    list_space(db, space, &filter, &mut found)?;
    Ok(found.iter().map(|it| it.fact.chars().count()).sum())
}

/// A part of the log.
pub(super) fn events(db: &Connection, page: &Page) -> Found<Vec<Logged>> {
    let (direction, order) = if page.newest_first { ("<", "DESC") } else { (">", "ASC") };
    let after = if page.newest_first && page.after == 0 { i64::MAX } else { signed(page.after) };
    let mut sql = format!("SELECT seq, memory, record FROM event WHERE seq {direction} ?1");
    let mut values = vec![Value::Integer(after)];
    if let Some(space) = &page.space {
        let Some(id) = space_id(db, space)? else { return Ok(Vec::new()) };
        values.push(Value::Integer(id));
        sql.push_str(&format!(" AND space = ?{}", values.len()));
    }
    if let Some(id) = page.memory {
        values.push(Value::Blob(id.as_bytes().to_vec()));
        values.push(Value::Text(format!("%{id}%")));
        let n = values.len();
        sql.push_str(&format!(" AND (memory = ?{} OR (name = 'retrieved' AND record LIKE ?{n}))", n - 1));
    }
    values.push(Value::Integer(i64::try_from(page.limit).unwrap_or(i64::MAX)));
    sql.push_str(&format!(" ORDER BY seq {order} LIMIT ?{}", values.len()));
    let mut select = db.prepare_cached(&sql).map_err(sqlite)?;
    let mut rows = select.query(params_from_iter(values)).map_err(sqlite)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(sqlite)? {
        found.push(logged(db, row)?);
    }
    Ok(found)
}

fn logged(db: &Connection, row: &Row<'_>) -> Found<Logged> {
    let seq: u64 = row.get(0).map_err(sqlite)?;
    let damaged = || corrupt(format!("event {seq}"));
    let record: String = row.get(2).map_err(sqlite)?;
    let mut record: EventRecord = serde_json::from_str(&record).map_err(|_| damaged())?;
    // The text of a memory is kept in its own row only; the event shows it as it is now.
    if record.event == "remembered" {
        let bytes: [u8; 16] = row.get(1).map_err(sqlite)?;
        let memory = by_id(db, MemoryId::from_bytes(bytes))?.ok_or_else(damaged)?;
        record.memory = Some(Box::new(MemoryRecord::from(&memory)));
    }
    Ok(Logged { seq, event: Event::try_from(record).map_err(|_| damaged())? })
}

/// An event as it is written: without the text of the memory, which has its own row.
pub(super) fn bare(event: &Event) -> EventRecord {
    match &event.what {
        What::Remembered { forced, rationale, .. } => {
            // As if nothing but the word had been said: the text is never copied only to be dropped.
            let (at, space, actor) = (event.at, event.space.clone(), event.actor.clone());
            let said = Event { at, space, memory: event.memory, actor, what: What::Applied };
            let word = Happening::Remembered.as_str().into();
            EventRecord {
                event: word,
                forced: *forced,
                rationale: rationale.clone(),
                ..EventRecord::from(&said)
            }
        }
        _ => EventRecord::from(event),
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
