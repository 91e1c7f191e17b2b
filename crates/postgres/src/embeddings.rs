//! Vectors of memories: a cache, which is never read for a memory that is active no more.

use apostille_core::{
    embedding::{Embedding, EmbeddingModel, MemoryEmbedding},
    space::Space,
};
use apostille_text::digest::Digest;
use tokio_postgres::Row;

use crate::{connection::Transaction, error::PgResult, statement::SqlStatement};

/// The vectors of a space, by number. A row that cannot be read counts for nothing: it is made again.
pub(crate) fn read_embeddings(
    transaction: &mut Transaction<'_>,
    space: &Space,
    model: &EmbeddingModel,
) -> PgResult<Vec<MemoryEmbedding>> {
    let select = "SELECT e.number, e.text, e.vector FROM apostille_embedding e JOIN agent_memory m \
                  ON m.space = e.space AND m.number = e.number AND m.status = 'active' \
                  WHERE e.space = $1 AND e.model = $2 ORDER BY e.number";
    let select = SqlStatement::new(select)
        .text(space.as_str())
        .text(model.as_str());
    let rows = transaction
        .finish_with(vec![select])?
        .pop()
        .unwrap_or_default();
    Ok(rows.iter().filter_map(decode_embedding_row).collect())
}

fn decode_embedding_row(row: &Row) -> Option<MemoryEmbedding> {
    let text: &[u8] = row.try_get(1).ok()?;
    Some(MemoryEmbedding {
        number: row.try_get::<_, i64>(0).ok()?.cast_unsigned(),
        text: Digest::from_bytes(text.try_into().ok()?),
        vector: Embedding::from_bytes(row.try_get(2).ok()?)?,
    })
}

/// Writes vectors of active memories, and drops those of others; how many were written.
pub(crate) fn write_embeddings(
    transaction: &mut Transaction<'_>,
    space: &Space,
    model: &EmbeddingModel,
    embeddings: &[MemoryEmbedding],
) -> PgResult<usize> {
    let delete = "DELETE FROM apostille_embedding WHERE space = $1 AND number NOT IN \
                  (SELECT m.number FROM agent_memory m WHERE m.space = $1 AND m.status = 'active')";
    transaction.queue(SqlStatement::new(delete).text(space.as_str()));
    let upsert = "INSERT INTO apostille_embedding(space, model, number, text, vector) \
                  SELECT $1, $2, it.number, it.text, it.vector FROM unnest($3, $4, $5) AS it(number, text, vector) \
                  JOIN agent_memory m ON m.space = $1 AND m.number = it.number AND m.status = 'active' \
                  ON CONFLICT (space, model, number) DO UPDATE SET text = excluded.text, vector = excluded.vector \
                  RETURNING number";
    let upsert = SqlStatement::new(upsert)
        .text(space.as_str())
        .text(model.as_str())
        .ints(
            embeddings
                .iter()
                .map(|it| it.number.cast_signed())
                .collect(),
        )
        .bytes_list(
            embeddings
                .iter()
                .map(|it| it.text.as_bytes().to_vec())
                .collect(),
        )
        .bytes_list(embeddings.iter().map(|it| it.vector.to_bytes()).collect());
    Ok(transaction.query(upsert)?.len())
}

/// Drops all vectors of a model.
pub(crate) fn remove_embeddings(transaction: &mut Transaction<'_>, model: &EmbeddingModel) {
    let delete = "DELETE FROM apostille_embedding WHERE model = $1";
    transaction.queue(SqlStatement::new(delete).text(model.as_str()));
}
