//! Vectors of memories: kept for active ones only, gone with what is forgotten, by every store alike.

use apostille_core::{
    embedding::{Embedding, EmbeddingModel, MemoryEmbedding},
    space::Space,
    store::{Store, StoreResult},
};
use apostille_text::digest::Digest;

/// Two models, whose vectors have nothing to do with each other.
pub(super) fn sample_models() -> [EmbeddingModel; 2] {
    ["model-one", "model two"].map(EmbeddingModel::new)
}

/// A vector that a number stands for.
fn sample_embedding(number: u8) -> MemoryEmbedding {
    let floats: Vec<f32> = (0..8).map(|it| f32::from(number ^ it) / 16.0).collect();
    MemoryEmbedding {
        number: number.into(),
        text: Digest::hash_bytes(&[number]),
        vector: Embedding::from_floats(&floats),
    }
}

/// Writes vectors for these numbers, of memories or of none; or drops all of a model, where there are no numbers.
pub(super) fn write_sample_embeddings(
    store: &dyn Store,
    space: &Space,
    numbers: &[u8],
) -> StoreResult<String> {
    let [first, second] = sample_models();
    let model = if numbers.first().is_some_and(|it| it % 4 == 0) {
        second
    } else {
        first
    };
    if numbers.is_empty() {
        store.remove_embeddings(&model)?;
        return Ok(String::new());
    }
    let embeddings: Vec<MemoryEmbedding> = numbers.iter().map(|it| sample_embedding(*it)).collect();
    let n_kept = store.write_embeddings(space, &model, &embeddings)?;
    Ok(format!("{n_kept} vectors kept"))
}
