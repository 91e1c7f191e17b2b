//! Reading: rows become memories and events, and a row that is not what was written is said to be damaged.

use std::collections::BTreeMap;

use apostille_core::event::{Happening, LoggedEvent};
use apostille_core::memory::{Layer, Memory, MemoryId, MemoryName, Stage, Status};
use apostille_core::space::Space;
use apostille_core::store::{EventPage, ListOrder, MemoryFilter, SpaceSummary, StoreError};
use apostille_text::digest::Digest;
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params, params_from_iter};

use super::rows::{LoggedRow, MemoryRow};
use super::spaces::{read_space_id, read_spaces};
use super::{SPACE_BITS, memory_row_key, parallel, schema};
use crate::store_errors::{corrupt_store_error, store_error_from_sqlite};

type StoreResult<T> = Result<T, StoreError>;

const COLUMNS: &str = MemoryRow::COLUMNS;
const BY_ID: &str = "SELECT m.record, m.seal, m.key, u.recalls, u.applied, u.verified \
                     FROM memory m LEFT JOIN usage u ON u.key = m.key WHERE m.id = ?1";
const JOINED: &str = "memory m LEFT JOIN usage u ON u.key = m.key";
const WAITING: &str = "(SELECT * FROM memory INDEXED BY memory_waiting WHERE stage IN ('pending', 'invalid')) m \
                       LEFT JOIN usage u ON u.key = m.key";
const BY_KEY: &str = "SELECT m.record, m.seal, m.key, u.recalls, u.applied, u.verified \
                      FROM memory m LEFT JOIN usage u ON u.key = m.key WHERE m.key = ?1";

fn decode_memory_row(row: &Row<'_>) -> StoreResult<Memory> {
    Ok(MemoryRow::from_row(row)?.decode_memory()?.0)
}

/// A memory of this space: whoever swaps the names of two spaces is not served the one for the other.
fn decode_memory_row_of_space(row: &Row<'_>, space: &Space) -> StoreResult<Memory> {
    let memory = decode_memory_row(row)?;
    let is_elsewhere = memory.space != *space;
    if is_elsewhere {
        Err(corrupt_store_error(format!(
            "the space of memory {}",
            memory.number
        )))
    } else {
        Ok(memory)
    }
}

/// The row that is filed under this id.
pub(super) fn read_memory_row(db: &Connection, id: MemoryId) -> StoreResult<Option<MemoryRow>> {
    MemoryRows::new(db)?.read_by_id(id)
}

/// Looks rows of memories up by their ids, many one after the other.
pub(super) struct MemoryRows<'a>(CachedStatement<'a>);

impl<'a> MemoryRows<'a> {
    pub(super) fn new(db: &'a Connection) -> StoreResult<Self> {
        db.prepare_cached(BY_ID)
            .map(Self)
            .map_err(store_error_from_sqlite)
    }

    /// The row that is filed under this id.
    pub(super) fn read_by_id(&mut self, id: MemoryId) -> StoreResult<Option<MemoryRow>> {
        let mut rows = self
            .0
            .query([id.as_bytes()])
            .map_err(store_error_from_sqlite)?;
        rows.next()
            .map_err(store_error_from_sqlite)?
            .map(MemoryRow::from_row)
            .transpose()
    }
}

/// The memories with these ids, in this order. A damaged one is left out, see [`skip_damaged`].
pub(super) fn read_memories_by_id(db: &Connection, ids: &[MemoryId]) -> StoreResult<Vec<Memory>> {
    let mut rows = MemoryRows::new(db)?;
    let row = |id: &MemoryId| {
        rows.read_by_id(*id)
            .map(|it| it.map(|it| (*id, it)))
            .transpose()
    };
    let rows: Vec<(MemoryId, MemoryRow)> =
        ids.iter().filter_map(row).collect::<StoreResult<_>>()?;
    let memories = parallel::map_maybe_parallel(&rows, |(id, it)| it.decode_memory_as(*id));
    memories
        .into_iter()
        .filter_map(|it| skip_damaged(it.map(|it| Some(it.0)), ids.len()).transpose())
        .collect()
}

/// The memory with this id, and the digest of its record as it was read.
pub(super) fn read_sealed_memory(
    db: &Connection,
    id: MemoryId,
) -> StoreResult<Option<(Memory, Digest)>> {
    read_memory_row(db, id)?
        .map(|it| it.decode_memory_as(id))
        .transpose()
}

/// The key of the row that is filed under this id.
pub(super) fn read_memory_key(db: &Connection, id: MemoryId) -> StoreResult<Option<i64>> {
    let mut select = db
        .prepare_cached("SELECT key FROM memory WHERE id = ?1")
        .map_err(store_error_from_sqlite)?;
    select
        .query_row([id.as_bytes()], |row| row.get(0))
        .optional()
        .map_err(store_error_from_sqlite)
}

/// Under which id and number a row is filed, whatever it says; an id that is none is nobody's.
pub(super) fn read_filed_id_and_number(
    db: &Connection,
    space: i64,
    name: MemoryName,
) -> StoreResult<Option<(MemoryId, u64)>> {
    let (column, value) = match name {
        MemoryName::Id(id) => ("id", Value::Blob(id.as_bytes().to_vec())),
        MemoryName::Handle(handle) => {
            ("key", Value::Integer(memory_row_key(space, handle.number)?))
        }
    };
    let select = format!("SELECT id, key FROM memory WHERE {column} = ?1 AND key & ?2 = ?3");
    let row = |row: &Row<'_>| {
        Ok((
            row.get::<_, [u8; 16]>(0).unwrap_or_default(),
            row.get::<_, i64>(1)?,
        ))
    };
    let values = params![value, (1_i64 << SPACE_BITS) - 1, space];
    let found = db
        .query_row(&select, values, row)
        .optional()
        .map_err(store_error_from_sqlite)?;
    let number = |key: i64| {
        u64::try_from(key >> SPACE_BITS).map_err(|_| corrupt_store_error("a memory's number"))
    };
    found
        .map(|(id, key)| Ok((MemoryId::from_bytes(id), number(key)?)))
        .transpose()
}

/// Where a memory stands, read from its row and nothing more.
pub(super) fn read_memory_status(db: &Connection, id: MemoryId) -> StoreResult<Option<Status>> {
    read_memory_row(db, id)?
        .map(|it| it.decode_status())
        .transpose()
}

/// The memories of a space with these numbers, in this order.
pub(super) fn read_memories_by_number(
    db: &Connection,
    (id, space): (i64, &Space),
    numbers: &[u64],
) -> StoreResult<Vec<Memory>> {
    let mut select = db.prepare_cached(BY_KEY).map_err(store_error_from_sqlite)?;
    let mut found = Vec::with_capacity(numbers.len());
    for number in numbers {
        let mut rows = select
            .query([memory_row_key(id, *number)?])
            .map_err(store_error_from_sqlite)?;
        if let Some(row) = rows.next().map_err(store_error_from_sqlite)? {
            found.extend(skip_damaged(
                decode_memory_row_of_space(row, space).map(Some),
                numbers.len(),
            )?);
        }
    }
    Ok(found)
}

/// A damaged row is left out where it is one of several that were asked for, so that the others are answered. Asked for
/// alone, it is an error that names it.
pub(super) fn skip_damaged(
    found: StoreResult<Option<Memory>>,
    n_asked: usize,
) -> StoreResult<Option<Memory>> {
    match found {
        Err(StoreError::Corrupt { .. }) if n_asked > 1 => Ok(None),
        other => other,
    }
}

/// The active or pending memory that makes this claim. A damaged one is an error: its claim cannot be made twice.
pub(super) fn read_memory_by_claim(
    db: &Connection,
    (id, space): (i64, &Space),
    claim: &[u8],
) -> StoreResult<Option<Memory>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM {JOINED} WHERE m.space = ?1 AND m.claim = ?2 AND m.stage IN ('active', 'pending')"
    );
    let mut select = db.prepare_cached(&sql).map_err(store_error_from_sqlite)?;
    let mut rows = select
        .query(params![id, claim])
        .map_err(store_error_from_sqlite)?;
    rows.next()
        .map_err(store_error_from_sqlite)?
        .map(|row| decode_memory_row_of_space(row, space))
        .transpose()
}

/// Goes through the active memories of a space in the order of their numbers; what is damaged is left out.
pub(super) fn each_active_memory(
    db: &Connection,
    space: i64,
    mut see: impl FnMut(Memory) -> StoreResult<()>,
) -> StoreResult<()> {
    let sql = format!(
        "SELECT {COLUMNS} FROM {JOINED} WHERE m.space = ?1 AND m.stage = 'active' ORDER BY m.key"
    );
    let mut select = db.prepare_cached(&sql).map_err(store_error_from_sqlite)?;
    let mut rows = select.query([space]).map_err(store_error_from_sqlite)?;
    while let Some(row) = rows.next().map_err(store_error_from_sqlite)? {
        if let Some(memory) = skip_damaged(decode_memory_row(row).map(Some), usize::MAX)? {
            see(memory)?;
        }
    }
    Ok(())
}

/// The memories that a filter admits: each space is read in order until enough are found, then all are merged.
pub(super) fn list_memory_rows(db: &Connection, filter: &MemoryFilter) -> StoreResult<Vec<Memory>> {
    let spaces = if filter.spaces.is_empty() {
        read_spaces(db)?
    } else {
        filter.spaces.clone()
    };
    let mut found = Vec::new();
    for space in &spaces {
        if let Some(id) = read_space_id(db, space)? {
            list_space_memories(db, id, filter, &mut found)?;
        }
    }
    filter.sort_memories(&mut found);
    found.truncate(filter.limit);
    Ok(found)
}

fn list_space_memories(
    db: &Connection,
    space: i64,
    filter: &MemoryFilter,
    into: &mut Vec<Memory>,
) -> StoreResult<()> {
    // What was never refreshed is in the order of its recording, the rest in an index of its own.
    let parts: &[(&str, &str)] = match filter.order {
        ListOrder::Newest => &[("", "m.recorded_at DESC, m.key DESC")],
        ListOrder::Oldest => &[("", "m.recorded_at, m.key")],
        ListOrder::Refreshed => &[
            (
                " AND m.refreshed_at = m.recorded_at",
                "m.recorded_at DESC, m.key DESC",
            ),
            (
                " AND m.refreshed_at <> m.recorded_at",
                "m.refreshed_at DESC, m.key DESC",
            ),
        ],
    };
    parts.iter().try_for_each(|(only, order)| {
        list_query_rows(
            db,
            build_list_query(space, filter, only, order),
            filter,
            into,
        )
    })
}

fn list_query_rows(
    db: &Connection,
    (sql, values): (String, Vec<Value>),
    filter: &MemoryFilter,
    into: &mut Vec<Memory>,
) -> StoreResult<()> {
    let mut select = db.prepare_cached(&sql).map_err(store_error_from_sqlite)?;
    let mut rows = select
        .query(params_from_iter(values))
        .map_err(store_error_from_sqlite)?;
    let before = into.len();
    while into.len() - before < filter.limit
        && let Some(row) = rows.next().map_err(store_error_from_sqlite)?
    {
        if !can_row_match_text(row, filter) || !can_row_match_fields(row, filter) {
            continue;
        }
        // A damaged row must not take the others away; `health` tells of it.
        into.extend(
            skip_damaged(decode_memory_row(row).map(Some), usize::MAX)?
                .filter(|it| filter.admits_memory(it)),
        );
    }
    Ok(())
}

/// Whether the text that a filter asks for may stand in this row, by its bytes: most rows need not be decoded. Only plain
/// ASCII is judged like that, which is the same in lower case and in JSON.
fn can_row_match_text(row: &Row<'_>, filter: &MemoryFilter) -> bool {
    let is_plain = |it: &str| {
        it.is_ascii() && !it.contains(['"', '\\']) && !it.contains(|c: char| c.is_control())
    };
    let Some(text) = filter
        .text
        .as_deref()
        .filter(|it| !it.is_empty() && is_plain(it))
    else {
        return true;
    };
    let record = row
        .get_ref(0)
        .ok()
        .and_then(|it| it.as_str().ok())
        .filter(|it| it.is_ascii());
    record.is_none_or(|it| {
        it.as_bytes()
            .windows(text.len())
            .any(|it| it.eq_ignore_ascii_case(text.as_bytes()))
    })
}

/// Whether a row may be what a filter asks for, by its bytes: the record writes a plain word as it is.
fn can_row_match_fields(row: &Row<'_>, filter: &MemoryFilter) -> bool {
    let Some(record) = row.get_ref(0).ok().and_then(|it| it.as_str().ok()) else {
        return true;
    };
    let has = |field: &str, word: &str| record.contains(&format!("\"{field}\":\"{word}\""));
    let is_plain = |it: &&str| {
        it.bytes()
            .all(|it| it.is_ascii_alphanumeric() || it == b'-')
    };
    let any = |field, mut words: std::slice::Iter<'_, &str>| {
        words.len() == 0 || words.any(|it| has(field, it))
    };
    let kinds: Vec<&str> = filter.kinds.iter().map(|it| it.as_str()).collect();
    let origins: Vec<&str> = filter.origins.iter().map(|it| it.as_str()).collect();
    let tag = filter.tag.as_deref().filter(is_plain);
    any("kind", kinds.iter())
        && any("origin", origins.iter())
        && tag.is_none_or(|it| record.contains(&format!("\"{it}\"")))
        && filter
            .task
            .as_deref()
            .filter(is_plain)
            .is_none_or(|it| has("task", it))
}

/// Few memories wait or were found wrong: they are found by an index of their own, however many others there are.
fn choose_list_table(filter: &MemoryFilter) -> &'static str {
    let is_waiting = |it: &Stage| matches!(it, Stage::Pending | Stage::Invalid);
    let is_few = !filter.stages.is_empty() && filter.stages.iter().all(is_waiting);
    if is_few && filter.order != ListOrder::Refreshed {
        WAITING
    } else {
        JOINED
    }
}

fn build_list_query(
    space: i64,
    filter: &MemoryFilter,
    only: &str,
    order: &str,
) -> (String, Vec<Value>) {
    let words = |list: Vec<&str>| {
        if list.is_empty() {
            String::new()
        } else {
            format!("'{}'", list.join("','"))
        }
    };
    let stages = words(filter.stages.iter().map(|it| it.as_str()).collect());
    let layers = words(filter.layers.iter().map(|it| it.as_str()).collect());
    let mut sql = format!(
        "SELECT {COLUMNS} FROM {} WHERE m.space = ?1{only}",
        choose_list_table(filter)
    );
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
    for (bound, at) in find_time_bounds(filter, order) {
        sql.push_str(&format!(" AND {bound} {}", at.as_millisecond()));
    }
    sql.push_str(&format!(" ORDER BY {order}"));
    (sql, values)
}

/// Where to begin and to end in the index, to the millisecond; what is exact is left to the filter.
fn find_time_bounds(filter: &MemoryFilter, order: &str) -> Vec<(String, Timestamp)> {
    let column = order.split([' ', ',']).next().unwrap_or_default();
    let beyond = if filter.order == ListOrder::Oldest {
        ">="
    } else {
        "<="
    };
    let since = filter.since.map(|at| ("m.recorded_at >=".to_owned(), at));
    let until = filter.until.map(|at| ("m.recorded_at <=".to_owned(), at));
    let after = filter
        .after
        .as_ref()
        .map(|it| (format!("{column} {beyond}"), it.at));
    [since, until, after].into_iter().flatten().collect()
}

/// The numbers of a space, and what they were counted at.
#[derive(Debug, Clone)]
pub(super) struct CountedSpace {
    pub(super) summary: SpaceSummary,
    /// How often anything happened that changes where a memory stands: as long as it is the same, so are the numbers.
    changes: Vec<u64>,
}

impl CountedSpace {
    /// Counts a space, unless it stands as it did when it was counted last.
    pub(super) fn count_space(
        db: &Connection,
        space: i64,
        last: Option<Self>,
    ) -> StoreResult<Self> {
        let events = read_event_counts(db, space)?;
        let is_change = |it: &&Happening| !Happening::ASIDE.contains(it);
        let changes = Happening::ALL
            .iter()
            .filter(is_change)
            .map(|it| events.get(it.as_str()).copied());
        let changes: Vec<u64> = changes.map(Option::unwrap_or_default).collect();
        let summary = match last.filter(|it| it.changes == changes) {
            Some(last) => SpaceSummary {
                events,
                ..last.summary
            },
            None => SpaceSummary {
                memories: count_memories_by_stage(db, space)?,
                identity_chars: count_identity_chars(db, space)?,
                events,
            },
        };
        Ok(Self { summary, changes })
    }
}

/// How many memories there are, by stage and layer.
fn count_memories_by_stage(
    db: &Connection,
    space: i64,
) -> StoreResult<BTreeMap<(Stage, Layer), u64>> {
    let select = "SELECT stage, layer, count(*) FROM memory WHERE space = ?1 GROUP BY stage, layer";
    let mut select = db.prepare_cached(select).map_err(store_error_from_sqlite)?;
    let mut rows = select.query([space]).map_err(store_error_from_sqlite)?;
    let mut memories = BTreeMap::new();
    while let Some(row) = rows.next().map_err(store_error_from_sqlite)? {
        let word = |at| row.get::<_, String>(at).map_err(store_error_from_sqlite);
        let stage: Stage = word(0)?
            .parse()
            .map_err(|_| corrupt_store_error("a stage"))?;
        let layer: Layer = word(1)?
            .parse()
            .map_err(|_| corrupt_store_error("a layer"))?;
        memories.insert((stage, layer), row.get(2).map_err(store_error_from_sqlite)?);
    }
    Ok(memories)
}

/// How many events of each word a space has seen.
fn read_event_counts(db: &Connection, space: i64) -> StoreResult<BTreeMap<String, u64>> {
    let mut words: Vec<&str> = Happening::ALL.iter().map(|it| it.as_str()).collect();
    let select = |words: &[&str]| format!("SELECT {} FROM space WHERE id = ?1", words.join(", "));
    let mut select = match db.prepare_cached(&select(&words)) {
        Err(error) if schema::is_missing_column_error(&error) => {
            words.truncate(schema::OLD_WORDS);
            db.prepare_cached(&select(&words))
                .map_err(store_error_from_sqlite)?
        }
        other => other.map_err(store_error_from_sqlite)?,
    };
    let counts = |row: &Row<'_>| {
        (0..words.len())
            .map(|at| row.get::<_, u64>(at))
            .collect::<Result<Vec<_>, _>>()
    };
    let counts = select
        .query_row([space], counts)
        .map_err(store_error_from_sqlite)?;
    let seen = words.iter().zip(counts).filter(|(_, n)| *n > 0);
    Ok(seen.map(|(word, n)| ((*word).to_owned(), n)).collect())
}

/// The characters of the active identity layer.
pub(super) fn count_identity_chars(db: &Connection, space: i64) -> StoreResult<usize> {
    let filter = MemoryFilter {
        layers: vec![Layer::Identity],
        stages: vec![Stage::Active],
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    let mut found = Vec::new();
    list_space_memories(db, space, &filter, &mut found)?;
    Ok(found.iter().map(|it| it.fact.chars().count()).sum())
}

/// A part of the log of a space, or of all of them.
pub(super) fn read_event_rows(
    db: &Connection,
    space: Option<i64>,
    page: &EventPage,
) -> StoreResult<Vec<LoggedEvent>> {
    let (direction, order) = if page.newest_first {
        ("<", "DESC")
    } else {
        (">", "ASC")
    };
    let after = if page.newest_first && page.after == 0 {
        i64::MAX
    } else {
        clamp_to_i64(page.after)
    };
    let mut sql = format!(
        "SELECT seq, space, memory, name, record, seal FROM event WHERE seq {direction} ?1"
    );
    let mut values = vec![Value::Integer(after)];
    if page.changes_only {
        let words: Vec<&str> = Happening::ASIDE.iter().map(|it| it.as_str()).collect();
        sql.push_str(&format!(" AND name NOT IN ('{}')", words.join("','")));
    }
    if let Some(space) = space {
        values.push(Value::Integer(space));
        sql.push_str(&format!(" AND space = ?{}", values.len()));
    }
    if let Some(id) = page.memory {
        values.push(Value::Blob(id.as_bytes().to_vec()));
        values.push(Value::Text(format!("%{id}%")));
        let n = values.len();
        sql.push_str(&format!(
            " AND (memory = ?{} OR (name = 'retrieved' AND record LIKE ?{n}))",
            n - 1
        ));
    }
    values.push(Value::Integer(
        i64::try_from(page.limit).unwrap_or(i64::MAX),
    ));
    sql.push_str(&format!(" ORDER BY seq {order} LIMIT ?{}", values.len()));
    let mut select = match db.prepare_cached(&sql) {
        Err(error) if schema::is_missing_column_error(&error) => db
            .prepare_cached(&sql.replacen(", seal FROM", ", NULL FROM", 1))
            .map_err(store_error_from_sqlite)?,
        other => other.map_err(store_error_from_sqlite)?,
    };
    let is_sealed = select.column_names().last() == Some("seal");
    let mut rows = select
        .query(params_from_iter(values))
        .map_err(store_error_from_sqlite)?;
    let (mut told, mut memories) = (Vec::new(), MemoryRows::new(db)?);
    while let Some(row) = rows.next().map_err(store_error_from_sqlite)? {
        told.extend(skip_changed_row(LoggedRow::from_row(
            row,
            is_sealed,
            |id| memories.read_by_id(id),
        ))?);
    }
    let logged = parallel::map_maybe_parallel(&told, LoggedRow::decode_event);
    logged
        .into_iter()
        .filter_map(|it| skip_changed_row(it).transpose())
        .collect()
}

/// What another program changed is not told as if it had happened; `health` names it.
fn skip_changed_row<T>(found: StoreResult<T>) -> StoreResult<Option<T>> {
    match found {
        Err(StoreError::Corrupt { .. }) => Ok(None),
        other => other.map(Some),
    }
}

fn clamp_to_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
