//! The rows of memories, events, counters and citations as they are written and looked up for a write: one statement each,
//! and nothing decided.

use std::collections::{BTreeMap, BTreeSet};

use apostille_core::{
    event::EventKind,
    format::CitationRecord,
    memory::{Memory, MemoryId, UsageCounts},
    space::Space,
    store::StoreResult,
};
use apostille_stores::{
    packed_index::IndexedCounts,
    row_records::{encode_memory_record, record_seal},
};
use apostille_text::digest::Digest;
use uuid::Uuid;

use crate::{
    connection::Transaction,
    rows::{column_text, repo_column},
    statement::SqlStatement,
};

pub(crate) fn uuid_of(id: MemoryId) -> Uuid {
    Uuid::from_bytes(*id.as_bytes())
}

pub(crate) fn uuids_of(ids: &[MemoryId]) -> Vec<Uuid> {
    ids.iter().map(|it| uuid_of(*it)).collect()
}

fn in_space(sql: &'static str, space: &Space) -> SqlStatement {
    SqlStatement::new(sql).text(space.as_str())
}

/// Makes the rows of spaces that are new.
pub(crate) fn ensure_spaces(names: Vec<String>) -> SqlStatement {
    let insert = "INSERT INTO apostille_space(space, terms) SELECT it.space, $2 \
                  FROM unnest($1) AS it(space) ORDER BY it.space ON CONFLICT (space) DO NOTHING";
    let version = i64::from(apostille_text::terms::VERSION);
    SqlStatement::new(insert).texts(names).int(version)
}

/// The same of their logs.
pub(crate) fn ensure_logs(names: Vec<String>) -> SqlStatement {
    let insert = "INSERT INTO apostille_log(space) SELECT it.space FROM unnest($1) AS it(space) \
                  ORDER BY it.space ON CONFLICT (space) DO NOTHING";
    SqlStatement::new(insert).texts(names)
}

/// Stands in line with the other writers of these spaces.
pub(crate) fn lock_spaces(names: Vec<String>) -> SqlStatement {
    let select = "SELECT space, last_number, terms, breakers FROM apostille_space \
                  WHERE space = ANY($1) ORDER BY space FOR UPDATE";
    SqlStatement::new(select).texts(names)
}

/// Stands in line with whoever counts or changes these memories.
pub(crate) fn lock_memories(space: &Space, ids: Vec<MemoryId>) -> SqlStatement {
    let select = "SELECT number FROM agent_memory WHERE space = $1 AND id = ANY($2) ORDER BY number FOR NO KEY UPDATE";
    in_space(select, space).uuids(uuids_of(&ids))
}

/// Whether a write is in the log.
pub(crate) fn find_batch(space: &Space, batch: Uuid) -> SqlStatement {
    let select = "SELECT 1 FROM agent_memory_telemetry WHERE space = $1 AND batch = $2 \
                  AND seq > (SELECT last_seq - 20000 FROM apostille_log WHERE space = $1) LIMIT 1";
    in_space(select, space).uuid(batch)
}

/// The active or pending memory that makes a claim.
pub(crate) fn find_claim(space: &Space, claim: &Digest) -> SqlStatement {
    let select = "SELECT number FROM agent_memory WHERE space = $1 AND claim = $2 AND status IN ('active', 'pending')";
    in_space(select, space).bytes(claim.as_bytes().to_vec())
}

/// Memories by their ids, in whatever space.
pub(crate) fn select_anywhere(ids: &[MemoryId]) -> SqlStatement {
    let select = "SELECT record, seal, space, number, recall_count, applied_count, verification_count \
                  FROM agent_memory WHERE id = ANY($1)";
    SqlStatement::new(select).uuids(uuids_of(ids))
}

/// Memories of a space by their ids.
pub(crate) fn select_by_ids(space: &Space, ids: &[MemoryId]) -> SqlStatement {
    let select = "SELECT record, seal, space, number, recall_count, applied_count, verification_count \
                  FROM agent_memory WHERE space = $1 AND id = ANY($2)";
    in_space(select, space).uuids(uuids_of(ids))
}

/// The active memories of a space.
pub(crate) fn select_active(space: &Space) -> SqlStatement {
    let select = "SELECT record, seal, space, number, recall_count, applied_count, verification_count \
                  FROM agent_memory WHERE space = $1 AND status = 'active' ORDER BY number";
    in_space(select, space)
}

/// Which of these numbers are given.
pub(crate) fn select_numbers(space: &Space, numbers: Vec<i64>) -> SqlStatement {
    let select = "SELECT number FROM agent_memory WHERE space = $1 AND number = ANY($2)";
    in_space(select, space).ints(numbers)
}

/// The characters of the active identity layer.
pub(crate) fn count_identity_chars(space: &Space) -> SqlStatement {
    let select = "SELECT coalesce(sum(char_length(fact)), 0)::bigint FROM agent_memory \
                  WHERE space = $1 AND layer = 'identity' AND status = 'active'";
    in_space(select, space)
}

/// Brings the row of a space up to date.
pub(crate) fn update_space(space: &Space, last_number: u64, counts: (i64, i64)) -> SqlStatement {
    let update = "UPDATE apostille_space SET last_number = greatest(last_number, $2), n_docs = n_docs + $3, \
                  total_len = total_len + $4 WHERE space = $1";
    in_space(update, space)
        .int(last_number.cast_signed())
        .int(counts.0)
        .int(counts.1)
}

/// Says which breakers are open.
pub(crate) fn update_breakers(space: &Space, open: Option<String>) -> SqlStatement {
    let update = "UPDATE apostille_space SET breakers = $2 WHERE space = $1";
    in_space(update, space).maybe_text(open)
}

/// Says what an index that was made anew has.
pub(crate) fn set_index_counts(space: &Space, counts: IndexedCounts, version: u32) -> SqlStatement {
    let update =
        "UPDATE apostille_space SET n_docs = $2, total_len = $3, terms = $4 WHERE space = $1";
    in_space(update, space)
        .int(counts.docs)
        .int(counts.len)
        .int(version.into())
}

/// Inserts memories.
pub(crate) fn insert_memories(space: &Space, memories: &[&Memory]) -> StoreResult<SqlStatement> {
    const INSERT: &str = "INSERT INTO agent_memory(space, repo, number, id, subject, fact, citations, reason, created_by, \
        created_at, refreshed_at, status, supersedes, superseded_by, layer, kind, origin, task, tags, claim, record, seal) \
        SELECT $1, $2, it.number, it.id, it.subject, it.fact, it.citations::jsonb, it.reason, it.created_by, it.created_at, \
        it.refreshed_at, it.status, it.supersedes, it.superseded_by, it.layer, it.kind, it.origin, it.task, it.tags::jsonb, \
        it.claim, it.record, it.seal \
        FROM unnest($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22) \
        AS it(number, id, subject, fact, citations, reason, created_by, created_at, refreshed_at, status, supersedes, \
        superseded_by, layer, kind, origin, task, tags, claim, record, seal)";
    let columns = MemoryColumns::of(memories)?;
    Ok(in_space(INSERT, space)
        .text(repo_column(space))
        .ints(columns.numbers)
        .uuids(memories.iter().map(|it| uuid_of(it.id)).collect())
        .maybe_texts(map_texts(memories, |it| it.subject.as_deref()))
        .texts(memories.iter().map(|it| column_text(&it.fact)).collect())
        .texts(columns.citations)
        .maybe_texts(map_texts(memories, |it| it.reason.as_deref()))
        .maybe_texts(map_texts(memories, |it| it.voice.author.as_deref()))
        .times(memories.iter().map(|it| it.recorded_at).collect())
        .times(columns.refreshed_at)
        .texts(columns.status)
        .maybe_uuids(
            memories
                .iter()
                .map(|it| it.supersedes.map(uuid_of))
                .collect(),
        )
        .maybe_uuids(columns.superseded_by)
        .texts(memories.iter().map(|it| it.layer.to_string()).collect())
        .texts(memories.iter().map(|it| it.kind.to_string()).collect())
        .texts(
            memories
                .iter()
                .map(|it| it.voice.origin.to_string())
                .collect(),
        )
        .maybe_texts(map_texts(memories, |it| it.task.as_deref()))
        .texts(memories.iter().map(|it| to_json(&it.tags)).collect())
        .bytes_list(
            memories
                .iter()
                .map(|it| it.claim_digest().as_bytes().to_vec())
                .collect(),
        )
        .texts(columns.records)
        .bytes_list(columns.seals))
}

/// Writes memories over their rows: what an event may change of them.
pub(crate) fn update_memories(space: &Space, memories: &[&Memory]) -> StoreResult<SqlStatement> {
    const UPDATE: &str = "UPDATE agent_memory AS m SET citations = it.citations::jsonb, refreshed_at = it.refreshed_at, \
        status = it.status, superseded_by = it.superseded_by, record = it.record, seal = it.seal \
        FROM unnest($2, $3, $4, $5, $6, $7, $8) \
        AS it(number, citations, refreshed_at, status, superseded_by, record, seal) \
        WHERE m.space = $1 AND m.number = it.number";
    let columns = MemoryColumns::of(memories)?;
    Ok(in_space(UPDATE, space)
        .ints(columns.numbers)
        .texts(columns.citations)
        .times(columns.refreshed_at)
        .texts(columns.status)
        .maybe_uuids(columns.superseded_by)
        .texts(columns.records)
        .bytes_list(columns.seals))
}

/// What is written of a memory whether it is new or not.
#[derive(Default)]
struct MemoryColumns {
    numbers: Vec<i64>,
    citations: Vec<String>,
    refreshed_at: Vec<jiff::Timestamp>,
    status: Vec<String>,
    superseded_by: Vec<Option<Uuid>>,
    records: Vec<String>,
    seals: Vec<Vec<u8>>,
}

impl MemoryColumns {
    fn of(memories: &[&Memory]) -> StoreResult<Self> {
        let mut columns = Self::default();
        for memory in memories {
            let (record, digest) = encode_memory_record(memory)?;
            let citations: Vec<CitationRecord> =
                memory.citations.iter().map(CitationRecord::from).collect();
            columns.numbers.push(memory.number.cast_signed());
            columns.citations.push(to_json(&citations));
            columns.refreshed_at.push(memory.refreshed_at);
            columns.status.push(memory.status.stage().to_string());
            columns
                .superseded_by
                .push(memory.status.superseded_by().map(uuid_of));
            columns.records.push(record);
            columns.seals.push(record_seal(&digest).to_vec());
        }
        Ok(columns)
    }
}

fn map_texts(
    memories: &[&Memory],
    column: impl Fn(&Memory) -> Option<&str>,
) -> Vec<Option<String>> {
    memories
        .iter()
        .map(|it| column(it).map(column_text))
        .collect()
}

/// JSON for a column of it, which has no room for a zero character either.
fn to_json(value: &impl serde::Serialize) -> String {
    let json = serde_json::to_string(value).unwrap_or_else(|_| "null".into());
    json.replace("\\u0000", "\\ufffd")
}

/// Files memories under the paths that they cite.
pub(crate) fn refile_citations(
    transaction: &mut Transaction<'_>,
    space: &Space,
    out: &[&Memory],
    into: &[&Memory],
) {
    if !out.is_empty() {
        let numbers = out.iter().map(|it| it.number.cast_signed()).collect();
        transaction.queue(delete_citations(space, numbers));
    }
    let mut filed = BTreeSet::new();
    for memory in into {
        for citation in &memory.citations {
            filed.insert((
                citation.path.as_str().to_owned(),
                memory.number.cast_signed(),
            ));
        }
    }
    if !filed.is_empty() {
        let (paths, numbers) = filed.into_iter().unzip();
        let insert = "INSERT INTO apostille_cites(space, path, number) \
                      SELECT $1, it.path, it.number FROM unnest($2, $3) AS it(path, number)";
        transaction.queue(in_space(insert, space).texts(paths).ints(numbers));
    }
}

pub(crate) fn delete_citations(space: &Space, numbers: Vec<i64>) -> SqlStatement {
    let delete = "DELETE FROM apostille_cites WHERE space = $1 AND number = ANY($2)";
    in_space(delete, space).ints(numbers)
}

/// Adds to the counters of memories.
pub(crate) fn add_usage(space: &Space, usage: BTreeMap<MemoryId, UsageCounts>) -> SqlStatement {
    let update = "UPDATE agent_memory AS m SET recall_count = m.recall_count + it.recalls, \
                  applied_count = m.applied_count + it.applied, \
                  verification_count = m.verification_count + it.verified \
                  FROM unnest($2, $3, $4, $5) AS it(id, recalls, applied, verified) \
                  WHERE m.space = $1 AND m.id = it.id";
    let column = |of: fn(&UsageCounts) -> u32| usage.values().map(|it| of(it).into()).collect();
    in_space(update, space)
        .uuids(usage.keys().map(|it| uuid_of(*it)).collect())
        .ints(column(|it| it.recalls))
        .ints(column(|it| it.applied))
        .ints(column(|it| it.verified))
}

/// An event on its way into the log.
#[derive(Debug)]
pub(crate) struct LoggedRow {
    pub(crate) memory: Option<Uuid>,
    pub(crate) kind: EventKind,
    pub(crate) at: jiff::Timestamp,
    pub(crate) actor: Option<String>,
    pub(crate) record: String,
}

/// Logs events. The place of each comes from the row of the log, which is locked from here to the commit.
pub(crate) fn log_events(
    transaction: &mut Transaction<'_>,
    space: &Space,
    events: Vec<LoggedRow>,
    batch: Uuid,
) {
    const INSERT: &str = "INSERT INTO agent_memory_telemetry(space, seq, memory_id, event, created_at, created_by, record, batch) \
        SELECT $1, l.last_seq - $2 + it.place, it.memory_id, it.event, it.created_at, it.created_by, it.record, $8 \
        FROM unnest($3, $4, $5, $6, $7) WITH ORDINALITY \
        AS it(memory_id, event, created_at, created_by, record, place), apostille_log AS l WHERE l.space = $1";
    let n = i64::try_from(events.len()).unwrap_or(i64::MAX);
    let update = "UPDATE apostille_log SET last_seq = last_seq + $2 WHERE space = $1";
    transaction.queue(in_space(update, space).int(n));
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for event in &events {
        *counts.entry(event.kind.as_str()).or_default() += 1;
    }
    transaction.queue(count_events(space, counts));
    let insert = in_space(INSERT, space)
        .int(n)
        .maybe_uuids(events.iter().map(|it| it.memory).collect())
        .texts(events.iter().map(|it| it.kind.to_string()).collect())
        .times(events.iter().map(|it| it.at).collect())
        .maybe_texts(events.iter().map(|it| it.actor.clone()).collect())
        .texts(events.into_iter().map(|it| it.record).collect())
        .uuid(batch);
    transaction.queue(insert);
}

/// Counts events in or out.
pub(crate) fn count_events(space: &Space, counts: BTreeMap<&str, i64>) -> SqlStatement {
    let upsert = "INSERT INTO apostille_event_count AS c(space, event, n) \
                  SELECT $1, it.event, it.n FROM unnest($2, $3) AS it(event, n) \
                  ON CONFLICT (space, event) DO UPDATE SET n = c.n + excluded.n";
    let (words, numbers) = counts
        .into_iter()
        .map(|(word, n)| (word.to_owned(), n))
        .unzip();
    in_space(upsert, space).texts(words).ints(numbers)
}
