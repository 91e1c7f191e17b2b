//! Reading: rows become memories and events, and a row that is not what was written is said to be damaged.

use std::collections::BTreeMap;

use apostille_core::{
    event::{EventKind, LoggedEvent},
    memory::{Layer, Memory, MemoryId, MemoryName, Stage},
    space::Space,
    store::{DamagedMemory, EventPage, ListOrder, MemoryFilter, SpaceSummary, StoreError},
};
use apostille_text::digest::Digest;
use rusqlite::{
    CachedStatement, Connection, OptionalExtension as _, Row, params, params_from_iter,
    types::Value,
};

use super::{
    SPACE_BITS, SPACE_MASK, memory_row_key, parallel,
    query::{each_row, select_value},
    rows::{LoggedRow, MemoryRow},
    schema,
    spaces::{read_space_id, read_spaces},
};
use crate::store_errors::{SqliteError, SqliteResult};

const COLUMNS: &str = MemoryRow::COLUMNS;
const BY_ID: &str = "SELECT m.record, m.seal, m.key, u.recalls, u.applied, u.verified \
                     FROM memory m LEFT JOIN usage u ON u.key = m.key WHERE m.id = ?1";
const JOINED: &str = "memory m LEFT JOIN usage u ON u.key = m.key";
const WAITING: &str = "(SELECT * FROM memory INDEXED BY memory_waiting WHERE stage IN ('pending', 'invalid')) m \
                       LEFT JOIN usage u ON u.key = m.key";
/// The keys of what was made to take the place of some memories. It is written as the index `memory_replacing` is, so that
/// only that is searched.
const REPLACING: &str = "SELECT r.key FROM memory r WHERE r.space = ?1 AND r.stage = 'active' \
                         AND instr(r.record, '\"supersedes\":\"') > 0 \
                         AND substr(r.record, instr(r.record, '\"supersedes\":\"') + 14, 36)";
const BY_KEY: &str = "SELECT m.record, m.seal, m.key, u.recalls, u.applied, u.verified \
                      FROM memory m LEFT JOIN usage u ON u.key = m.key WHERE m.key = ?1";

/// How many memories that cite a path are few.
const FEW: i64 = 500;

fn decode_memory_row(row: &Row) -> SqliteResult<Memory> {
    Ok(MemoryRow::from_row(row)?.decode_memory()?.0)
}

/// A memory of this space: whoever swaps the names of two spaces is not served the one for the other.
fn decode_memory_row_of_space(row: &Row, space: &Space) -> SqliteResult<Memory> {
    let memory = decode_memory_row(row)?;
    if memory.space == *space {
        Ok(memory)
    } else {
        Err(SqliteError::corrupt(format!(
            "the space of memory {}",
            memory.number
        )))
    }
}

/// Looks rows of memories up by their ids, many one after the other.
pub(super) struct MemoryRows<'a>(CachedStatement<'a>);

impl<'a> MemoryRows<'a> {
    pub(super) fn new(db: &'a Connection) -> SqliteResult<Self> {
        Ok(Self(db.prepare_cached(BY_ID)?))
    }

    /// The row that is filed under this id.
    pub(super) fn read_by_id(&mut self, id: MemoryId) -> SqliteResult<Option<MemoryRow>> {
        Ok(self
            .0
            .query_row([id.as_bytes()], MemoryRow::from_row)
            .optional()?)
    }
}

/// The memories with these ids, in this order. A damaged one is left out, see [`skip_damaged_of`].
pub(super) fn read_memories_by_id(db: &Connection, ids: &[MemoryId]) -> SqliteResult<Vec<Memory>> {
    let (mut select, mut rows) = (MemoryRows::new(db)?, Vec::new());
    for id in ids {
        rows.extend(select.read_by_id(*id)?.map(|row| (*id, row)));
    }
    let memories = parallel::map_maybe_parallel(&rows, |(id, row)| row.decode_memory_as(*id));
    let mut found = Vec::with_capacity(memories.len());
    for memory in memories {
        found.extend(skip_damaged_of(ids.len(), memory)?.map(|it| it.0));
    }
    Ok(found)
}

/// The memory with this id, and the digest of its record as it was read.
pub(super) fn read_sealed_memory(
    db: &Connection,
    id: MemoryId,
) -> SqliteResult<Option<(Memory, Digest)>> {
    MemoryRows::new(db)?
        .read_by_id(id)?
        .map(|it| it.decode_memory_as(id))
        .transpose()
}

/// The key of the row that is filed under this id.
pub(super) fn read_memory_key(db: &Connection, id: MemoryId) -> SqliteResult<Option<i64>> {
    Ok(select_value(db, "SELECT key FROM memory WHERE id = ?1", [id.as_bytes()]).optional()?)
}

/// Under which id and number a row is filed, whatever it says; an id that is none is nobody's.
pub(super) fn find_filed_memory(
    db: &Connection,
    (space_id, space): (i64, &Space),
    name: MemoryName,
) -> SqliteResult<Option<DamagedMemory>> {
    let (column, value) = match name {
        MemoryName::Id(id) => ("id", Value::Blob(id.as_bytes().into())),
        MemoryName::Handle(it) => ("key", memory_row_key(space_id, it.number)?.into()),
    };
    let select = format!("SELECT id, key FROM memory WHERE {column} = ?1 AND key & ?2 = ?3");
    let filed = |row: &Row<'_>| Ok((row.get(0).unwrap_or_default(), row.get::<_, i64>(1)?));
    let found = db.query_row(&select, params![value, SPACE_MASK, space_id], filed);
    let Some((id, key)) = found.optional()? else {
        return Ok(None);
    };
    let number = u64::try_from(key >> SPACE_BITS);
    Ok(Some(DamagedMemory {
        id: MemoryId::from_bytes(id),
        space: space.clone(),
        number: number.map_err(|_| SqliteError::corrupt("a memory's number"))?,
    }))
}

/// The memories of a space with these numbers, in this order.
pub(super) fn read_memories_by_number(
    db: &Connection,
    (id, space): (i64, &Space),
    numbers: &[u64],
) -> SqliteResult<Vec<Memory>> {
    let mut select = db.prepare_cached(BY_KEY)?;
    let mut found = Vec::with_capacity(numbers.len());
    for number in numbers {
        let mut rows = select.query([memory_row_key(id, *number)?])?;
        if let Some(row) = rows.next()? {
            let memory = decode_memory_row_of_space(row, space);
            found.extend(skip_damaged_of(numbers.len(), memory)?);
        }
    }
    Ok(found)
}

/// A damaged row is left out where it is one of several that were asked for, so that the others are answered. Asked for
/// alone, it is an error that names it.
fn skip_damaged_of<T>(n_asked: usize, found: SqliteResult<T>) -> SqliteResult<Option<T>> {
    if n_asked > 1 {
        skip_damaged(found)
    } else {
        found.map(Some)
    }
}

/// What another program changed is not told as if it had been written, and must not take the others away; `health`
/// names it.
fn skip_damaged<T>(found: SqliteResult<T>) -> SqliteResult<Option<T>> {
    match found {
        Err(SqliteError(StoreError::Corrupt { .. })) => Ok(None),
        other => other.map(Some),
    }
}

/// The active or pending memory that makes this claim. A damaged one is an error: its claim cannot be made twice.
pub(super) fn read_memory_by_claim(
    db: &Connection,
    (id, space): (i64, &Space),
    claim: &[u8],
) -> SqliteResult<Option<Memory>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM {JOINED} WHERE m.space = ?1 AND m.claim = ?2 AND m.stage IN ('active', 'pending')"
    );
    let mut select = db.prepare_cached(&sql)?;
    let mut rows = select.query(params![id, claim])?;
    let row = rows.next()?;
    row.map(|row| decode_memory_row_of_space(row, space))
        .transpose()
}

/// Goes through the active memories of a space in the order of their numbers; what is damaged is left out.
pub(super) fn each_active_memory(
    db: &Connection,
    space: i64,
    mut see: impl FnMut(Memory) -> SqliteResult<()>,
) -> SqliteResult<()> {
    let sql = format!(
        "SELECT {COLUMNS} FROM {JOINED} WHERE m.space = ?1 AND m.stage = 'active' ORDER BY m.key"
    );
    each_row(db, &sql, [space], |row| {
        skip_damaged(decode_memory_row(row))?.map_or(Ok(()), &mut see)
    })
}

/// The memories that a filter admits: each space is read in order until enough are found, then all are merged.
pub(super) fn list_memory_rows(
    db: &Connection,
    filter: &MemoryFilter,
) -> SqliteResult<Vec<Memory>> {
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
) -> SqliteResult<()> {
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
    let required = list_required_words(filter);
    let is_path_rare = is_path_rare(db, space, filter)?;
    for (only, order) in parts {
        let (sql, values) = build_list_query(space, filter, is_path_rare, only, order);
        let mut select = db.prepare_cached(&sql)?;
        let mut rows = select.query(params_from_iter(values))?;
        let enough = into.len().saturating_add(filter.limit);
        while into.len() < enough
            && let Some(row) = rows.next()?
        {
            if can_row_match(row, filter, &required) {
                let memory = skip_damaged(decode_memory_row(row))?;
                into.extend(memory.filter(|it| filter.admits_memory(it)));
            }
        }
    }
    Ok(())
}

/// The numbers of the newest active memories of some layers, by the index of when they were recorded alone.
pub(super) fn list_active_numbers(
    db: &Connection,
    space: i64,
    layers: &[Layer],
    most: usize,
) -> SqliteResult<Vec<u64>> {
    let words: Vec<&str> = layers.iter().map(|it| it.as_str()).collect();
    let of_layers = match words.is_empty() {
        true => String::new(),
        false => format!(" AND layer IN ('{}')", words.join("','")),
    };
    let sql = format!(
        "SELECT key FROM memory INDEXED BY memory_recorded WHERE space = ?1 AND stage = 'active'{of_layers} \
         ORDER BY recorded_at DESC, key DESC LIMIT ?2"
    );
    let mut numbers = Vec::new();
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    each_row(db, &sql, params![space, most], |row| {
        let key: i64 = row.get(0)?;
        numbers.push((key >> SPACE_BITS).cast_unsigned());
        Ok(())
    })?;
    Ok(numbers)
}

/// Which of these are active memories of these layers. The columns stand before the record, whose pages are not read.
pub(super) fn retain_active_numbers(
    db: &Connection,
    space: i64,
    numbers: &[u64],
    layers: &[Layer],
) -> SqliteResult<Vec<u64>> {
    let mut select = db.prepare_cached("SELECT stage, layer FROM memory WHERE key = ?1")?;
    let mut found = Vec::new();
    for number in numbers {
        let mut rows = select.query([memory_row_key(space, *number)?])?;
        let Some(row) = rows.next()? else { continue };
        let is_active = row.get_ref(0)?.as_str().ok() == Some(Stage::Active.as_str());
        let layer = row.get_ref(1)?;
        let is_asked = layers
            .iter()
            .any(|it| layer.as_str().ok() == Some(it.as_str()));
        found.extend((is_active && is_asked).then_some(*number));
    }
    Ok(found)
}

/// The paths that the memories of a space cite, sorted.
pub(super) fn list_cited_paths(db: &Connection, space: i64) -> SqliteResult<Vec<String>> {
    let sql = "SELECT DISTINCT path FROM cites WHERE space = ?1 ORDER BY path";
    let mut paths = Vec::new();
    each_row(db, sql, [space], |row| {
        paths.push(row.get(0)?);
        Ok(())
    })?;
    Ok(paths)
}

/// What the record of a row must hold to be what a filter asks for: one word of each list. Most rows need not be decoded,
/// because a record writes a plain word as it is.
fn list_required_words(filter: &MemoryFilter) -> Vec<Vec<String>> {
    let write = |field: &str, word: &str| format!("\"{field}\":\"{word}\"");
    let is_plain = |it: &&String| {
        let mut bytes = it.bytes();
        bytes.all(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b':'))
    };
    let (kinds, origins) = (filter.kinds.iter(), filter.origins.iter());
    let (tags, task) = (filter.tags.iter(), filter.task.iter());
    let mut required = vec![
        kinds.map(|it| write("kind", it.as_str())).collect(),
        origins.map(|it| write("origin", it.as_str())).collect(),
        task.filter(is_plain).map(|it| write("task", it)).collect(),
    ];
    let tags = tags.filter(is_plain).map(|it| vec![format!("\"{it}\"")]);
    required.extend(tags);
    required
}

/// Whether a row may be what a filter asks for, by its bytes.
fn can_row_match(row: &Row, filter: &MemoryFilter, required: &[Vec<String>]) -> bool {
    let Some(record) = row.get_ref(0).ok().and_then(|it| it.as_str().ok()) else {
        return true;
    };
    (filter.text.as_ref()).is_none_or(|it| can_record_hold(record, it))
        && required
            .iter()
            .all(|words| words.is_empty() || words.iter().any(|it| record.contains(it)))
}

/// The letters beside those of ASCII that have some of ASCII in lower case: `İ` and the sign for Kelvin.
const LOWERED_TO_ASCII: [char; 2] = ['\u{130}', '\u{212a}'];

/// Whether a text may stand in a record. Only texts of plain ASCII are judged, which are the same in lower case and in JSON.
fn can_record_hold(record: &str, text: &str) -> bool {
    let is_odd = |c: char| !c.is_ascii() || c.is_control() || matches!(c, '"' | '\\');
    let is_plain = record.is_ascii() || !record.contains(LOWERED_TO_ASCII);
    if text.is_empty() || text.contains(is_odd) || !is_plain {
        return true;
    }
    // Most places are turned down by their first byte: comparing sixteen bytes and more costs fifty times as much.
    let (first, rest) = (text.as_bytes()[0], &text.as_bytes()[1..]);
    let mut places = record.as_bytes().windows(text.len());
    places.any(|it| it[0].eq_ignore_ascii_case(&first) && it[1..].eq_ignore_ascii_case(rest))
}

/// The keys of the memories that cite a file, or a file below a folder. A folder's files lie between "folder/" and
/// "folder0", the character after the slash.
fn select_citing_keys() -> String {
    let select = format!("SELECT (c.number << {SPACE_BITS}) | ?1 FROM cites c WHERE c.space = ?1");
    format!(
        "{select} AND c.path = ?2 UNION ALL {select} AND c.path > ?2 || '/' AND c.path < ?2 || '0'"
    )
}

/// Whether few memories cite a path, so that it is cheaper to read them all than to go through the space in order.
fn is_path_rare(db: &Connection, space: i64, filter: &MemoryFilter) -> SqliteResult<bool> {
    let Some(path) = &filter.path else {
        return Ok(false);
    };
    let sql = format!(
        "SELECT count(*) FROM ({} LIMIT {FEW})",
        select_citing_keys()
    );
    let n_citing: i64 = select_value(db, &sql, params![space, path.as_str()])?;
    Ok(n_citing < FEW)
}

fn build_list_query(
    space: i64,
    filter: &MemoryFilter,
    is_path_rare: bool,
    only: &str,
    order: &str,
) -> (String, Vec<Value>) {
    // Few memories wait or were found wrong: they are found by an index of their own, however many others there are.
    let is_few = !filter.stages.is_empty()
        && filter
            .stages
            .iter()
            .all(|it| matches!(it, Stage::Pending | Stage::Invalid));
    let table = if is_few && filter.order != ListOrder::Refreshed {
        WAITING
    } else {
        JOINED
    };
    // Few are found by what they replace, or by a file that few cite; the sign keeps the space from being read in order to
    // find them.
    let is_replacing = !filter.supersedes.is_empty() && filter.stages == [Stage::Active];
    let sign = if is_replacing || is_path_rare {
        "+"
    } else {
        ""
    };
    let mut sql = format!("SELECT {COLUMNS} FROM {table} WHERE {sign}m.space = ?1{only}");
    let mut values = vec![Value::Integer(space)];
    let stages: Vec<&str> = filter.stages.iter().map(|it| it.as_str()).collect();
    let layers: Vec<&str> = filter.layers.iter().map(|it| it.as_str()).collect();
    for (column, words) in [("stage", stages), ("layer", layers)] {
        if !words.is_empty() {
            sql += &format!(" AND m.{column} IN ('{}')", words.join("','"));
        }
    }
    if is_replacing {
        let ids: Vec<String> = filter.supersedes.iter().map(MemoryId::to_string).collect();
        sql += &format!(" AND m.key IN ({REPLACING} IN ('{}'))", ids.join("','"));
    }
    if let Some(path) = &filter.path {
        sql += &format!(" AND m.key IN ({})", select_citing_keys());
        values.push(Value::Text(path.as_str().into()));
    }
    push_time_bounds(&mut sql, filter, order);
    sql += &format!(" ORDER BY {order}");
    (sql, values)
}

/// Where to begin and to end in the index, to the millisecond; what is exact is left to the filter.
fn push_time_bounds(sql: &mut String, filter: &MemoryFilter, order: &str) {
    let column = order.split([' ', ',']).next().unwrap_or_default();
    let beyond = if filter.order == ListOrder::Oldest {
        ">="
    } else {
        "<="
    };
    let after = filter.after.as_ref().map(|it| it.at);
    let bounds = [
        ("m.recorded_at", ">=", filter.since),
        ("m.recorded_at", "<=", filter.until),
        (column, beyond, after),
    ];
    for (column, sign, at) in bounds {
        if let Some(at) = at {
            *sql += &format!(" AND {column} {sign} {}", at.as_millisecond());
        }
    }
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
    ) -> SqliteResult<Self> {
        let events = read_event_counts(db, space)?;
        let changes = list_change_counts(&events);
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

/// How often anything happened that changes where a memory stands.
pub(super) fn read_change_counts(db: &Connection, space: i64) -> SqliteResult<Vec<u64>> {
    Ok(list_change_counts(&read_event_counts(db, space)?))
}

fn list_change_counts(events: &BTreeMap<String, u64>) -> Vec<u64> {
    let changes = EventKind::ALL
        .iter()
        .filter(|it| !EventKind::TELEMETRY.contains(it));
    changes
        .map(|it| events.get(it.as_str()).copied().unwrap_or_default())
        .collect()
}

/// How many memories there are, by stage and layer.
fn count_memories_by_stage(
    db: &Connection,
    space: i64,
) -> SqliteResult<BTreeMap<(Stage, Layer), u64>> {
    let select = "SELECT stage, layer, count(*) FROM memory WHERE space = ?1 GROUP BY stage, layer";
    let mut memories = BTreeMap::new();
    each_row(db, select, [space], |row| {
        let (stage, layer, n): (String, String, u64) = row.try_into()?;
        let stage = stage.parse().map_err(|_| SqliteError::corrupt("a stage"))?;
        let layer = layer.parse().map_err(|_| SqliteError::corrupt("a layer"))?;
        memories.insert((stage, layer), n);
        Ok(())
    })?;
    Ok(memories)
}

/// How many events of each word a space has seen.
fn read_event_counts(db: &Connection, space: i64) -> SqliteResult<BTreeMap<String, u64>> {
    let mut words: Vec<&str> = EventKind::ALL.iter().map(|it| it.as_str()).collect();
    let select = |words: &[&str]| format!("SELECT {} FROM space WHERE id = ?1", words.join(", "));
    let mut prepared = db.prepare_cached(&select(&words));
    for n_words in schema::OLD_WORDS {
        if !matches!(&prepared, Err(error) if schema::is_missing_column_error(error)) {
            break;
        }
        words.truncate(n_words);
        prepared = db.prepare_cached(&select(&words));
    }
    let mut select = prepared?;
    let mut counts = BTreeMap::new();
    select.query_row([space], |row| {
        for (at, word) in words.into_iter().enumerate() {
            counts.insert(word.to_owned(), row.get(at)?);
        }
        Ok(())
    })?;
    counts.retain(|_, n| *n > 0);
    Ok(counts)
}

/// The characters of the active identity layer.
pub(super) fn count_identity_chars(db: &Connection, space: i64) -> SqliteResult<usize> {
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
) -> SqliteResult<Vec<LoggedEvent>> {
    let (sql, values) = build_event_query(space, page);
    let mut select = match db.prepare_cached(&sql) {
        Err(error) if schema::is_missing_column_error(&error) => {
            db.prepare_cached(&sql.replacen(", seal FROM", ", NULL FROM", 1))?
        }
        other => other?,
    };
    let is_sealed = select.column_names().last() == Some("seal");
    let mut rows = select.query(params_from_iter(values))?;
    let (mut told, mut memories) = (Vec::new(), MemoryRows::new(db)?);
    while let Some(row) = rows.next()? {
        let found = LoggedRow::from_row(row, is_sealed, |id| memories.read_by_id(id));
        told.extend(skip_damaged(found)?);
    }
    let logged = parallel::map_maybe_parallel(&told, LoggedRow::decode_event);
    logged
        .into_iter()
        .filter_map(|it| skip_damaged(it).transpose())
        .collect()
}

fn build_event_query(space: Option<i64>, page: &EventPage) -> (String, Vec<Value>) {
    let (direction, order) = if page.newest_first {
        ("<", "DESC")
    } else {
        (">", "ASC")
    };
    let after = match page.after {
        0 if page.newest_first => i64::MAX,
        after => i64::try_from(after).unwrap_or(i64::MAX),
    };
    let mut sql = format!(
        "SELECT seq, space, memory, name, record, seal FROM event WHERE seq {direction} ?1"
    );
    let mut values = vec![Value::Integer(after)];
    if page.changes_only {
        let words: Vec<&str> = EventKind::TELEMETRY.iter().map(|it| it.as_str()).collect();
        sql += &format!(" AND name NOT IN ('{}')", words.join("','"));
    }
    if let Some(space) = space {
        values.push(Value::Integer(space));
        sql += &format!(" AND space = ?{}", values.len());
    }
    if let Some(id) = page.memory {
        values.push(Value::Blob(id.as_bytes().into()));
        values.push(Value::Text(format!("%{id}%")));
        let n = values.len();
        sql += &format!(
            " AND (memory = ?{} OR (name = 'retrieved' AND record LIKE ?{n}))",
            n - 1
        );
    }
    let limit = i64::try_from(page.limit).unwrap_or(i64::MAX);
    values.push(Value::Integer(limit));
    sql += &format!(" ORDER BY seq {order} LIMIT ?{}", values.len());
    (sql, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How SQLite goes about a list, in the order of recording.
    fn explain_list(filter: &MemoryFilter, is_path_rare: bool) -> String {
        let db = Connection::open_in_memory().unwrap();
        for step in schema::MIGRATIONS {
            db.execute_batch(step).unwrap();
        }
        let order = "m.recorded_at DESC, m.key DESC";
        let (sql, values) = build_list_query(1, filter, is_path_rare, "", order);
        let mut explain = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let plan: Vec<String> = explain
            .query_map(params_from_iter(values), |row| row.get(3))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        plan.join("\n")
    }

    /// A recall asks this where something does not stand: it must not read every memory of the space.
    #[test]
    fn replacements_are_found_by_their_index() {
        let filter = MemoryFilter {
            supersedes: vec![MemoryId::from_bytes([7; 16])],
            stages: vec![Stage::Active],
            ..MemoryFilter::default()
        };
        let plan = explain_list(&filter, false);
        assert!(plan.contains("INDEX memory_replacing"), "{plan}");
        assert!(!plan.contains("memory_recorded"), "{plan}");
    }

    /// A hook asks this after an edit, and wants all of them: it must not read every memory of the space either.
    #[test]
    fn memories_of_a_file_are_found_by_their_keys() {
        let filter = MemoryFilter {
            path: Some("src/api.rs".parse().unwrap()),
            ..MemoryFilter::default()
        };
        let plan = explain_list(&filter, true);
        assert!(
            plan.contains("SEARCH m USING INTEGER PRIMARY KEY"),
            "{plan}"
        );
        assert!(plan.contains("(space=? AND path=?)"), "{plan}");
        assert!(explain_list(&filter, false).contains("memory_recorded"));
    }
}
