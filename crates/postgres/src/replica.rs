//! The lines that replicas of a space exchange, beside its memories: servers that share the database are one replica.

use std::collections::BTreeMap;

use apostille_core::{
    space::Space,
    store::{
        StoreResult,
        shelf::{PartLook, PartName, ReplicaParts, ReplicaShelf, ShelfRecord},
    },
};
use tokio_postgres::Row;

use crate::{
    connection::{SpaceScope, Transaction, TransactionKind},
    error::{PgError, PgResult},
    statement::SqlStatement,
    store::PostgresStore,
};

fn in_space(sql: &'static str, space: &Space) -> SqlStatement {
    SqlStatement::new(sql).text(space.as_str())
}

fn decode_part_name(row: &Row) -> PgResult<PartName> {
    let part: i64 = row.try_get(0)?;
    let name = u8::try_from(part).map_err(|_| PgError::corrupt(format!("part {part}")))?;
    Ok(PartName(name))
}

fn decode_record(row: &Row) -> PgResult<ShelfRecord> {
    Ok(ShelfRecord {
        revision: row.try_get::<_, i64>(0)?.cast_unsigned(),
        generation: row.try_get::<_, i64>(1)?.cast_unsigned(),
        progress: row.try_get(2)?,
    })
}

fn read_record(transaction: &mut Transaction<'_>, space: &Space) -> PgResult<ShelfRecord> {
    let select = "SELECT revision, generation, record FROM apostille_replica WHERE space = $1";
    let answers = transaction.finish_with(vec![in_space(select, space)])?;
    let row = answers.first().and_then(|it| it.first());
    row.map_or_else(|| Ok(ShelfRecord::default()), decode_record)
}

fn look_at_parts(
    transaction: &mut Transaction<'_>,
    space: &Space,
) -> PgResult<BTreeMap<PartName, PartLook>> {
    let select = "SELECT part, digest, octet_length(lines)::int8 FROM apostille_replica_part WHERE space = $1";
    let answers = transaction.finish_with(vec![in_space(select, space)])?;
    let look = |row: &Row| {
        let bytes: i64 = row.try_get(2)?;
        let look = PartLook {
            digest: row.try_get(1)?,
            bytes: usize::try_from(bytes).unwrap_or_default(),
        };
        Ok((decode_part_name(row)?, look))
    };
    answers.iter().flatten().map(look).collect()
}

fn read_parts(
    transaction: &mut Transaction<'_>,
    space: &Space,
    names: Option<&[PartName]>,
) -> PgResult<ReplicaParts> {
    let all: Vec<i64> = (0..=255).collect();
    let wanted = names.map(|names| names.iter().map(|it| it.0.into()).collect());
    let select =
        "SELECT part, lines FROM apostille_replica_part WHERE space = $1 AND part = ANY($2)";
    let select = in_space(select, space).ints(wanted.unwrap_or(all));
    let answers = transaction.finish_with(vec![select])?;
    let part = |row: &Row| Ok((decode_part_name(row)?, row.try_get(1)?));
    answers.iter().flatten().map(part).collect()
}

/// Puts the record in the place of the one of the revision before; whether it was that one.
fn replace_record(
    transaction: &mut Transaction<'_>,
    space: &Space,
    record: &ShelfRecord,
) -> PgResult<bool> {
    let sql = match record.revision {
        0 | 1 => {
            "INSERT INTO apostille_replica(space, revision, generation, record) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (space) DO NOTHING RETURNING revision"
        }
        _ => {
            "UPDATE apostille_replica SET revision = $2, generation = $3, record = $4 \
             WHERE space = $1 AND revision = $2 - 1 RETURNING revision"
        }
    };
    let replace = in_space(sql, space)
        .int(record.revision.cast_signed())
        .int(record.generation.cast_signed())
        .text(&record.progress);
    Ok(!transaction.query(replace)?.is_empty())
}

fn write_parts(transaction: &mut Transaction<'_>, space: &Space, parts: &ReplicaParts) {
    let (mut names, mut lines, mut digests, mut gone) = (vec![], vec![], vec![], vec![]);
    for (name, text) in parts {
        if text.is_empty() {
            gone.push(name.0.into());
        } else {
            names.push(name.0.into());
            digests.push(PartLook::at_lines(text).digest);
            lines.push(text.clone());
        }
    }
    if !names.is_empty() {
        let upsert = in_space(
            "INSERT INTO apostille_replica_part(space, part, lines, digest) \
             SELECT $1, it.part, it.lines, it.digest FROM unnest($2, $3, $4) AS it(part, lines, digest) \
             ON CONFLICT (space, part) DO UPDATE SET lines = excluded.lines, digest = excluded.digest",
            space,
        );
        transaction.queue(upsert.ints(names).texts(lines).texts(digests));
    }
    if !gone.is_empty() {
        let delete = in_space(
            "DELETE FROM apostille_replica_part WHERE space = $1 AND part = ANY($2)",
            space,
        );
        transaction.queue(delete.ints(gone));
    }
}

impl ReplicaShelf for PostgresStore {
    fn read_shelf_record(&self, space: &Space) -> StoreResult<ShelfRecord> {
        self.read(SpaceScope::One(space), |it| read_record(it, space))
    }

    fn look_at_shelf(&self, space: &Space) -> StoreResult<BTreeMap<PartName, PartLook>> {
        self.read(SpaceScope::One(space), |it| look_at_parts(it, space))
    }

    fn read_shelf_parts(
        &self,
        space: &Space,
        names: Option<&[PartName]>,
    ) -> StoreResult<ReplicaParts> {
        self.read(SpaceScope::One(space), |it| read_parts(it, space, names))
    }

    /// A write whose answer was lost is tried again and finds its own revision: it is told as somebody else's, who decides anew.
    fn write_shelf(
        &self,
        space: &Space,
        record: &ShelfRecord,
        parts: &ReplicaParts,
    ) -> StoreResult<bool> {
        let kind = TransactionKind::Durable;
        self.write(kind, SpaceScope::One(space), |transaction| {
            let is_next = replace_record(transaction, space, record)?;
            if is_next {
                write_parts(transaction, space, parts);
            }
            Ok(is_next)
        })
    }
}
