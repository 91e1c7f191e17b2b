//! Vectors of memories. A memory that is active no more keeps its vector until the next ones are written, and it is not
//! read; forgetting one takes its vector with it.

use apostille_core::embedding::{Embedding, EmbeddingModel, MemoryEmbedding};
use apostille_text::digest::Digest;
use rusqlite::{Connection, Row, params};

use super::{SPACE_BITS, query::run_statement};
use crate::store_errors::SqliteResult;

/// Whether a row's memory is active: the key of a memory is made of its number and its space.
fn is_active_condition() -> String {
    format!(
        "EXISTS (SELECT 1 FROM memory WHERE key = (number << {SPACE_BITS} | embedding.space) AND stage = 'active')"
    )
}

/// The vectors of a space, by number. A row that cannot be read counts for nothing: it is made again.
pub(super) fn read_embedding_rows(
    db: &Connection,
    space: i64,
    model: &EmbeddingModel,
) -> SqliteResult<Vec<MemoryEmbedding>> {
    let select = format!(
        "SELECT number, text, vector FROM embedding WHERE space = ?1 AND model = ?2 AND {} ORDER BY number",
        is_active_condition()
    );
    let mut select = match db.prepare_cached(&select) {
        Ok(select) => select,
        // A file of an older version that nobody can write to.
        Err(error) if error.to_string().contains("no such table") => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut rows = select.query(params![space, model.as_str()])?;
    let mut embeddings = Vec::new();
    while let Some(row) = rows.next()? {
        embeddings.extend(decode_embedding_row(row));
    }
    Ok(embeddings)
}

fn decode_embedding_row(row: &Row<'_>) -> Option<MemoryEmbedding> {
    let text: [u8; 32] = row.get(1).ok()?;
    Some(MemoryEmbedding {
        number: row.get(0).ok()?,
        text: Digest::from_bytes(text),
        vector: Embedding::from_bytes(row.get_ref(2).ok()?.as_blob().ok()?)?,
    })
}

/// Writes vectors of active memories, and drops those of others; how many were written.
pub(super) fn write_embedding_rows(
    db: &Connection,
    space: i64,
    model: &EmbeddingModel,
    embeddings: &[MemoryEmbedding],
) -> SqliteResult<usize> {
    let delete = format!(
        "DELETE FROM embedding WHERE space = ?1 AND NOT {}",
        is_active_condition()
    );
    run_statement(db, &delete, [space])?;
    let insert = format!(
        "INSERT OR REPLACE INTO embedding(space, model, number, text, vector) SELECT ?1, ?2, ?3, ?4, ?5 \
         WHERE EXISTS (SELECT 1 FROM memory WHERE key = (?3 << {SPACE_BITS} | ?1) AND stage = 'active')"
    );
    let mut insert = db.prepare_cached(&insert)?;
    let mut n_kept = 0;
    for it in embeddings {
        let (text, vector) = (it.text.as_bytes(), it.vector.to_bytes());
        n_kept += insert.execute(params![space, model.as_str(), it.number, text, vector])?;
    }
    Ok(n_kept)
}

/// Drops all vectors of a model.
pub(super) fn delete_model_rows(db: &Connection, model: &EmbeddingModel) -> SqliteResult<()> {
    run_statement(
        db,
        "DELETE FROM embedding WHERE model = ?1",
        [model.as_str()],
    )
}

/// Drops the vectors of a memory.
pub(super) fn delete_memory_embeddings(
    db: &Connection,
    space: i64,
    number: u64,
) -> SqliteResult<()> {
    let delete = "DELETE FROM embedding WHERE space = ?1 AND number = ?2";
    run_statement(db, delete, params![space, number])
}
