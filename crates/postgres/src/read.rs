//! Reading: rows become memories and events. Every function here asks within a transaction that sees one moment.

use std::collections::{BTreeSet, HashMap};

use apostille_core::{
    event::{EventKind, LoggedEvent},
    memory::{Layer, Memory, Stage},
    space::Space,
    store::{
        EventPage, ListOrder, MemoryFilter, MemoryKeys, Postings, SpaceSummary,
        breaker_state::{BreakerState, MANY},
    },
};
use apostille_stores::{
    packed_index,
    row_records::{decode_event_record, parse_open_breakers},
};
use apostille_text::terms;
use jiff::Timestamp;
use tokio_postgres::Row;

use crate::{
    connection::Transaction,
    error::{PgError, PgResult},
    index_rows::{SELECT_POSTINGS, SELECT_TAIL, decode_posting_row, decode_tail_row},
    rows::{COLUMNS, decode_memory_at, decode_memory_row, decode_memory_rows, skip_damaged},
    statement::SqlStatement,
    write_rows,
};

/// How many rows of a listing are read at once: most listings are short, and a filter may turn most rows down.
const PAGE: usize = 200;

fn in_space(sql: impl Into<std::borrow::Cow<'static, str>>, space: &Space) -> SqlStatement {
    SqlStatement::new(sql).text(space.as_str())
}

fn sql_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// The spaces that the role may see, sorted.
pub(crate) fn read_spaces(transaction: &mut Transaction<'_>) -> PgResult<Vec<Space>> {
    let select = SqlStatement::new("SELECT space FROM apostille_log ORDER BY space");
    let rows = transaction
        .finish_with(vec![select])?
        .pop()
        .unwrap_or_default();
    let space = |row: &Row| {
        let name: &str = row.try_get(0)?;
        name.parse()
            .map_err(|_| PgError::corrupt(format!("the name of space {name}")))
    };
    rows.iter().map(space).collect()
}

/// The memories with these keys, in the order asked.
pub(crate) fn read_memories(
    transaction: &mut Transaction<'_>,
    keys: MemoryKeys<'_>,
) -> PgResult<Vec<Memory>> {
    let select = match keys {
        MemoryKeys::Ids(ids) => write_rows::select_anywhere(ids),
        MemoryKeys::Numbers(space, numbers) => {
            let numbers = numbers.iter().map(|it| it.cast_signed()).collect();
            let sql =
                format!("SELECT {COLUMNS} FROM agent_memory WHERE space = $1 AND number = ANY($2)");
            in_space(sql, space).ints(numbers)
        }
        MemoryKeys::Claim(space, claim) => {
            let sql = format!(
                "SELECT {COLUMNS} FROM agent_memory \
                 WHERE space = $1 AND claim = $2 AND status IN ('active', 'pending')"
            );
            in_space(sql, space).bytes(claim.as_bytes().to_vec())
        }
    };
    let rows = transaction
        .finish_with(vec![select])?
        .pop()
        .unwrap_or_default();
    let n_asked = match keys {
        MemoryKeys::Ids(ids) => ids.len(),
        MemoryKeys::Numbers(_, numbers) => numbers.len(),
        MemoryKeys::Claim(..) => 1,
    };
    // A damaged one is an error where it alone was asked for.
    let memories = match (rows.as_slice(), n_asked) {
        ([row], 1) => vec![decode_memory_row(row)?],
        (rows, _) => decode_memory_rows(rows)?,
    };
    Ok(put_in_order(memories, keys))
}

fn put_in_order(memories: Vec<Memory>, keys: MemoryKeys<'_>) -> Vec<Memory> {
    match keys {
        MemoryKeys::Ids(ids) => pick_in_order(memories, ids, |it| it.id),
        MemoryKeys::Numbers(_, numbers) => pick_in_order(memories, numbers, |it| it.number),
        MemoryKeys::Claim(..) => memories,
    }
}

fn pick_in_order<K: std::hash::Hash + Eq + Copy>(
    memories: Vec<Memory>,
    keys: &[K],
    key_of: impl Fn(&Memory) -> K,
) -> Vec<Memory> {
    let known: HashMap<K, Memory> = memories.into_iter().map(|it| (key_of(&it), it)).collect();
    keys.iter()
        .filter_map(|it| known.get(it).cloned())
        .collect()
}

/// The memories of a space that a filter admits, in its order: rows are read page by page until enough are found. What a
/// column says is asked of the database, and the one rule of the core decides.
pub(crate) fn list_space_memories(
    transaction: &mut Transaction<'_>,
    space: &Space,
    filter: &MemoryFilter,
) -> PgResult<Vec<Memory>> {
    let mut found = Vec::new();
    let mut place: Option<(Timestamp, i64)> = None;
    let page = filter.limit.clamp(1, PAGE);
    while found.len() < filter.limit {
        let rows = transaction.query(build_list_query(space, filter, place, page))?;
        for row in &rows {
            place = Some((row.try_get(7)?, row.try_get(3)?));
            let memory = skip_damaged(decode_memory_row(row))?;
            found.extend(memory.filter(|it| filter.admits_memory(it)));
        }
        if rows.len() < page {
            break;
        }
    }
    found.truncate(filter.limit);
    Ok(found)
}

fn build_list_query(
    space: &Space,
    filter: &MemoryFilter,
    place: Option<(Timestamp, i64)>,
    page: usize,
) -> SqlStatement {
    let (column, sign, direction) = match filter.order {
        ListOrder::Newest => ("created_at", "<", "DESC"),
        ListOrder::Oldest => ("created_at", ">", "ASC"),
        ListOrder::Refreshed => ("refreshed_at", "<", "DESC"),
    };
    let mut statement = in_space(String::new(), space);
    let mut sql = format!("SELECT {COLUMNS}, {column} FROM agent_memory WHERE space = $1");
    let lists: [(&str, Vec<String>); 4] = [
        ("status", words_of(&filter.stages)),
        ("layer", words_of(&filter.layers)),
        ("kind", words_of(&filter.kinds)),
        ("origin", words_of(&filter.origins)),
    ];
    for (column, words) in lists {
        if !words.is_empty() {
            sql += &format!(" AND {column} = ANY(${})", statement.next_place());
            statement = statement.texts(words);
        }
    }
    if !filter.supersedes.is_empty() {
        sql += &format!(" AND supersedes = ANY(${})", statement.next_place());
        statement = statement.uuids(write_rows::uuids_of(&filter.supersedes));
    }
    if let Some(path) = &filter.path {
        let n = statement.next_place();
        // A folder's files lie between "folder/" and "folder0", the character after the slash.
        sql += &format!(
            " AND number IN (SELECT c.number FROM apostille_cites c WHERE c.space = $1 \
             AND (c.path = ${n} OR (c.path > ${n} || '/' AND c.path < ${n} || '0')))"
        );
        statement = statement.text(path.as_str());
    }
    for (sign, at) in [(">=", filter.since), ("<=", filter.until)] {
        if let Some(at) = at {
            sql += &format!(" AND created_at {sign} ${}", statement.next_place());
            statement = statement.time(at);
        }
    }
    if let Some(after) = &filter.after {
        sql += &format!(" AND {column} {sign}= ${}", statement.next_place());
        statement = statement.time(after.at);
    }
    if let Some((at, number)) = place {
        let n = statement.next_place();
        sql += &format!(" AND ({column}, number) {sign} (${n}, ${})", n + 1);
        statement = statement.time(at).int(number);
    }
    sql += &format!(
        " ORDER BY {column} {direction}, number {direction} LIMIT ${}",
        statement.next_place()
    );
    statement = statement.int(sql_limit(page));
    statement.sql = sql.into();
    statement
}

fn words_of<T: ToString>(list: &[T]) -> Vec<String> {
    list.iter().map(T::to_string).collect()
}

/// The numbers of the newest active memories of some layers.
pub(crate) fn list_active_numbers(
    transaction: &mut Transaction<'_>,
    space: &Space,
    layers: &[Layer],
    most: usize,
) -> PgResult<Vec<u64>> {
    let select = "SELECT number FROM agent_memory WHERE space = $1 AND status = 'active' \
                  AND (cardinality($2) = 0 OR layer = ANY($2)) ORDER BY created_at DESC, number DESC LIMIT $3";
    let select = in_space(select, space)
        .texts(words_of(layers))
        .int(sql_limit(most));
    let rows = transaction
        .finish_with(vec![select])?
        .pop()
        .unwrap_or_default();
    rows.iter().map(read_number).collect()
}

/// Which of these are active memories of these layers, in the order asked.
pub(crate) fn retain_active_numbers(
    transaction: &mut Transaction<'_>,
    space: &Space,
    numbers: &[u64],
    layers: &[Layer],
) -> PgResult<Vec<u64>> {
    let select = "SELECT number FROM agent_memory WHERE space = $1 AND number = ANY($2) \
                  AND status = 'active' AND layer = ANY($3)";
    let asked = numbers.iter().map(|it| it.cast_signed()).collect();
    let select = in_space(select, space).ints(asked).texts(words_of(layers));
    let rows = transaction
        .finish_with(vec![select])?
        .pop()
        .unwrap_or_default();
    let found: BTreeSet<u64> = rows.iter().map(read_number).collect::<PgResult<_>>()?;
    let asked = numbers.iter().copied();
    Ok(asked.filter(|it| found.contains(it)).collect())
}

fn read_number(row: &Row) -> PgResult<u64> {
    Ok(row.try_get::<_, i64>(0)?.cast_unsigned())
}

/// A part of the log of a space.
pub(crate) fn read_events(
    transaction: &mut Transaction<'_>,
    space: &Space,
    page: &EventPage,
) -> PgResult<Vec<LoggedEvent>> {
    let (sign, direction) = if page.newest_first {
        ("<", "DESC")
    } else {
        (">", "ASC")
    };
    let after = match page.after {
        0 if page.newest_first => i64::MAX,
        after => i64::try_from(after).unwrap_or(i64::MAX),
    };
    let mut statement = in_space(String::new(), space).int(after);
    let mut sql = format!(
        "SELECT e.seq, e.record, m.record, m.seal, m.space, m.number, m.recall_count, m.applied_count, \
         m.verification_count FROM agent_memory_telemetry e LEFT JOIN agent_memory m \
         ON m.space = e.space AND m.id = e.memory_id AND e.event = 'remembered' \
         WHERE e.space = $1 AND e.seq {sign} $2"
    );
    if page.changes_only {
        sql += &format!(" AND NOT e.event = ANY(${})", statement.next_place());
        statement = statement.texts(words_of(&EventKind::TELEMETRY));
    }
    if let Some(id) = page.memory {
        let n = statement.next_place();
        sql += &format!(
            " AND (e.memory_id = ${n} OR (e.event = 'retrieved' AND strpos(e.record, ${}) > 0))",
            n + 1
        );
        statement = statement.uuid(write_rows::uuid_of(id)).text(id.to_string());
    }
    sql += &format!(
        " ORDER BY e.seq {direction} LIMIT ${}",
        statement.next_place()
    );
    statement = statement.int(sql_limit(page.limit));
    statement.sql = sql.into();
    let rows = transaction
        .finish_with(vec![statement])?
        .pop()
        .unwrap_or_default();
    let mut events = Vec::with_capacity(rows.len());
    for row in &rows {
        events.extend(skip_damaged(decode_event_row(row))?);
    }
    Ok(events)
}

fn decode_event_row(row: &Row) -> PgResult<LoggedEvent> {
    let seq: i64 = row.try_get(0)?;
    let damaged = || PgError::corrupt(format!("event {seq}"));
    let record: &str = row.try_get(1)?;
    let kept = || decode_memory_at(row, 2).ok();
    let (event, was) = decode_event_record(record, kept).ok_or_else(damaged)?;
    let seq = seq.try_into().map_err(|_| damaged())?;
    Ok(LoggedEvent { seq, event, was })
}

/// The numbers of a space.
pub(crate) fn summarize_space(
    transaction: &mut Transaction<'_>,
    space: &Space,
) -> PgResult<SpaceSummary> {
    let memories =
        "SELECT status, layer, count(*) FROM agent_memory WHERE space = $1 GROUP BY status, layer";
    let events = "SELECT event, n FROM apostille_event_count WHERE space = $1 AND n > 0";
    let mut answers = transaction.finish_with(vec![
        in_space(memories, space),
        in_space(events, space),
        write_rows::count_identity_chars(space),
    ])?;
    let chars = answers.pop().unwrap_or_default();
    let chars: i64 = chars.first().map_or(Ok(0), |row| row.try_get(0))?;
    let mut summary = SpaceSummary {
        identity_chars: usize::try_from(chars).unwrap_or_default(),
        ..SpaceSummary::default()
    };
    for row in answers.pop().unwrap_or_default() {
        let n: i64 = row.try_get(1)?;
        summary.events.insert(row.try_get(0)?, n.cast_unsigned());
    }
    for row in answers.pop().unwrap_or_default() {
        let stage: Stage = parse_word(row.try_get(0)?)?;
        let layer: Layer = parse_word(row.try_get(1)?)?;
        let n: i64 = row.try_get(2)?;
        summary.memories.insert((stage, layer), n.cast_unsigned());
    }
    Ok(summary)
}

fn parse_word<T: std::str::FromStr>(word: &str) -> PgResult<T> {
    word.parse()
        .map_err(|_| PgError::corrupt(format!("the word {word}")))
}

/// What the index knows of some terms, or that another version of the analyser made it.
pub(crate) fn read_postings(
    transaction: &mut Transaction<'_>,
    space: &Space,
    terms: &[String],
) -> PgResult<IndexView> {
    let counts = "SELECT n_docs, total_len, terms FROM apostille_space WHERE space = $1";
    let answers = transaction.finish_with(vec![
        in_space(counts, space),
        in_space(SELECT_POSTINGS, space)
            .texts(terms.to_vec())
            .int(0),
        in_space(SELECT_TAIL, space),
    ])?;
    let [counts, postings, tail] = answers.as_slice() else {
        return Ok(IndexView::Current(Postings::default()));
    };
    let Some(row) = counts.first() else {
        let lists = vec![Vec::new(); terms.len()];
        return Ok(IndexView::Current(Postings {
            lists,
            ..Postings::default()
        }));
    };
    let version: i64 = row.try_get(2)?;
    if version < i64::from(terms::VERSION) {
        return Ok(IndexView::Outdated);
    }
    let postings: Vec<_> = postings
        .iter()
        .map(decode_posting_row)
        .collect::<PgResult<_>>()?;
    let tail: Vec<_> = tail.iter().map(decode_tail_row).collect::<PgResult<_>>()?;
    let key = packed_index::blob_space(space.as_str());
    Ok(IndexView::Current(Postings {
        n_docs: row.try_get::<_, i64>(0)?.cast_unsigned(),
        total_len: row.try_get::<_, i64>(1)?.cast_unsigned(),
        lists: packed_index::collect_postings(key, terms, &postings, &tail),
    }))
}

/// What an index answers.
pub(crate) enum IndexView {
    /// Made by this version of the analyser, or a later one.
    Current(Postings),
    /// Made by an earlier one: its terms are not those that a question is cut into.
    Outdated,
}

/// The terms of a space: those that begin with a character, or all.
pub(crate) fn read_terms(
    transaction: &mut Transaction<'_>,
    space: &Space,
    initial: Option<char>,
) -> PgResult<Vec<String>> {
    let select = match initial {
        Some(initial) => {
            let sql = "SELECT DISTINCT term FROM apostille_posting \
                       WHERE space = $1 AND term >= $2 AND left(term, 1) = $2 AND term < $3";
            let next = char::from_u32(u32::from(initial) + 1).unwrap_or(char::MAX);
            in_space(sql, space).text(initial).text(next)
        }
        None => in_space(
            "SELECT DISTINCT term FROM apostille_posting WHERE space = $1",
            space,
        ),
    };
    let answers = transaction.finish_with(vec![select, in_space(SELECT_TAIL, space)])?;
    let [postings, tail] = answers.as_slice() else {
        return Ok(Vec::new());
    };
    let tail: Vec<_> = tail.iter().map(decode_tail_row).collect::<PgResult<_>>()?;
    let key = packed_index::blob_space(space.as_str());
    let mut terms = packed_index::collect_tail_terms(key, &tail);
    terms.retain(|it| initial.is_none_or(|initial| it.starts_with(initial)));
    for row in postings {
        terms.insert(row.try_get(0)?);
    }
    Ok(terms.into_iter().collect())
}

/// How a space stands before a write.
pub(crate) fn read_breaker_state(
    transaction: &mut Transaction<'_>,
    space: &Space,
    since: Timestamp,
) -> PgResult<BreakerState> {
    let since = Timestamp::from_millisecond(since.as_millisecond()).unwrap_or(since);
    let recent = "SELECT count(*) FROM (SELECT 1 FROM agent_memory WHERE space = $1 AND created_at >= $2 LIMIT $3) AS r";
    let open = "SELECT breakers FROM apostille_space WHERE space = $1";
    let answers = transaction.finish_with(vec![
        in_space(recent, space).time(since).int(MANY.cast_signed()),
        in_space(open, space),
    ])?;
    let [recent, open] = answers.as_slice() else {
        return Ok(BreakerState::default());
    };
    let recent: i64 = recent.first().map_or(Ok(0), |row| row.try_get(0))?;
    let open: Option<&str> = open.first().map_or(Ok(None), |row| row.try_get(0))?;
    Ok(BreakerState {
        recent: recent.cast_unsigned(),
        open: open.and_then(parse_open_breakers).unwrap_or_default(),
    })
}

/// The paths that the memories of a space cite, sorted.
pub(crate) fn list_cited_paths(
    transaction: &mut Transaction<'_>,
    space: &Space,
) -> PgResult<Vec<String>> {
    let select = "SELECT DISTINCT path FROM apostille_cites WHERE space = $1 ORDER BY path";
    let rows = transaction
        .finish_with(vec![in_space(select, space)])?
        .pop()
        .unwrap_or_default();
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}
