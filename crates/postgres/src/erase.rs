//! Forgetting: a memory, its index, every event about it and the questions it answered go; the tombstone stays.

use std::collections::BTreeMap;

use apostille_core::{event::Erasure, format::EventRecord, memory::Memory, space::Space};
use apostille_stores::packed_index;
use uuid::Uuid;

use crate::{
    connection::Transaction,
    error::PgResult,
    index_rows::PgIndexRows,
    rows::{decode_memory_row, skip_damaged},
    statement::SqlStatement,
    write::rebuild_space_index,
    write_rows::{self, LoggedRow},
};

/// Removes a memory, up to the commit. `false`: there is no such memory.
pub(crate) fn erase_memory(
    transaction: &mut Transaction<'_>,
    erasure: &Erasure,
    batch: Uuid,
) -> PgResult<bool> {
    let (id, tombstone) = (erasure.id(), erasure.tombstone());
    let space = &tombstone.space;
    transaction.queue(write_rows::lock_spaces(vec![space.as_str().to_owned()]));
    let rows = transaction.query(write_rows::select_by_ids(space, &[id]))?;
    let Some(row) = rows.first() else {
        return Ok(false);
    };
    let number: i64 = row.try_get(3)?;
    let memory = skip_damaged(decode_memory_row(row))?;
    if let Some(memory) = &memory {
        leave_index(transaction, space, memory)?;
    }
    delete_row(transaction, space, number);
    if memory.is_none() {
        // Which terms it had is not known, so the index is made anew without it.
        rebuild_space_index(transaction, space)?;
    }
    forget_events(transaction, space, write_rows::uuid_of(id))?;
    let tombstone = LoggedRow {
        memory: Some(write_rows::uuid_of(id)),
        kind: tombstone.what.event_kind(),
        at: tombstone.at,
        actor: tombstone.actor.clone(),
        record: apostille_stores::row_records::encode_event_record(tombstone, None)?,
    };
    write_rows::log_events(transaction, space, vec![tombstone], batch);
    Ok(true)
}

fn leave_index(transaction: &mut Transaction<'_>, space: &Space, memory: &Memory) -> PgResult<()> {
    if !memory.is_active() {
        return Ok(());
    }
    let key = packed_index::blob_space(space.as_str());
    let mut rows = PgIndexRows { transaction, space };
    let counts = packed_index::remove_from_index(&mut rows, key, &[memory])?;
    let update = write_rows::update_space(space, 0, (counts.docs, counts.len));
    transaction.queue(update);
    Ok(())
}

fn delete_row(transaction: &mut Transaction<'_>, space: &Space, number: i64) {
    transaction.queue(write_rows::delete_citations(space, vec![number]));
    let deletes = [
        "DELETE FROM apostille_embedding WHERE space = $1 AND number = $2",
        "DELETE FROM agent_memory WHERE space = $1 AND number = $2",
    ];
    for delete in deletes {
        let delete = SqlStatement::new(delete).text(space.as_str()).int(number);
        transaction.queue(delete);
    }
}

/// Removes the events about a memory, and takes the questions that it answered out of the others: they may hold its words.
fn forget_events(transaction: &mut Transaction<'_>, space: &Space, id: Uuid) -> PgResult<()> {
    let delete =
        "DELETE FROM agent_memory_telemetry WHERE space = $1 AND memory_id = $2 RETURNING event";
    let delete = SqlStatement::new(delete).text(space.as_str()).uuid(id);
    let mut gone: BTreeMap<String, i64> = BTreeMap::new();
    for row in transaction.query(delete)? {
        *gone.entry(row.try_get(0)?).or_default() -= 1;
    }
    if !gone.is_empty() {
        let counts = gone.iter().map(|(word, n)| (word.as_str(), *n)).collect();
        transaction.queue(write_rows::count_events(space, counts));
    }
    blank_questions(transaction, space, &id.to_string())
}

fn blank_questions(transaction: &mut Transaction<'_>, space: &Space, id: &str) -> PgResult<()> {
    let select = "SELECT seq, record FROM agent_memory_telemetry \
                  WHERE space = $1 AND event = 'retrieved' AND strpos(record, $2) > 0";
    let select = SqlStatement::new(select).text(space.as_str()).text(id);
    let (mut places, mut records) = (Vec::new(), Vec::new());
    for row in transaction.query(select)? {
        let record: &str = row.try_get(1)?;
        // What cannot be read is not kept either: it may hold the words.
        let record: EventRecord = serde_json::from_str(record).unwrap_or_default();
        let blanked = EventRecord {
            query: Some(String::new()),
            ..record
        };
        places.push(row.try_get(0)?);
        records.push(serde_json::to_string(&blanked).unwrap_or_default());
    }
    if places.is_empty() {
        return Ok(());
    }
    let update = "UPDATE agent_memory_telemetry AS e SET record = it.record \
                  FROM unnest($2, $3) AS it(seq, record) WHERE e.space = $1 AND e.seq = it.seq";
    let update = SqlStatement::new(update).text(space.as_str());
    transaction.queue(update.ints(places).texts(records));
    Ok(())
}
