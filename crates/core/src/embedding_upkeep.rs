//! Keeping vectors: which memories lack one, and making them while nobody waits.

use apostille_text::digest::Digest;

use crate::{
    Context, CoreError,
    embedding::{
        Embedder, EmbedderError, Embedding, EmbeddingModel, MemoryEmbedding, embeddable_text,
    },
    memory::Stage,
    space::Space,
    store::{ListOrder, MemoryFilter},
};

/// How many texts are handed to a model at once: so often can it be stopped.
const BATCH: usize = 16;

/// How many of a space's active memories have a vector of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EmbeddingCoverage {
    /// Those that have one.
    pub embedded: usize,
    /// Those that lack one, or whose text is another by now.
    pub missing: usize,
}

/// Counts which active memories of a space have a vector of this model.
pub fn count_embeddings(
    cx: &Context,
    space: &Space,
    model: &EmbeddingModel,
) -> Result<EmbeddingCoverage, CoreError> {
    let (embedded, missing) = find_missing(cx, space, model)?;
    Ok(EmbeddingCoverage {
        embedded,
        missing: missing.len(),
    })
}

/// How many memories have a vector, and those that lack one, the newest first.
fn find_missing(
    cx: &Context,
    space: &Space,
    model: &EmbeddingModel,
) -> Result<(usize, Vec<(u64, String)>), CoreError> {
    let memories = cx.store.list_memories(&MemoryFilter {
        spaces: vec![space.clone()],
        stages: vec![Stage::Active],
        order: ListOrder::Newest,
        limit: usize::MAX,
        ..MemoryFilter::default()
    })?;
    let known = cx.store.read_embeddings(space, model)?;
    let has_vector = |number: u64, text: &str| {
        let at = known.binary_search_by_key(&number, |it| it.number);
        at.is_ok_and(|at| known[at].text == Digest::hash_bytes(text.as_bytes()))
    };
    let mut missing = Vec::new();
    let n = memories.len();
    for memory in &memories {
        let text = embeddable_text(memory);
        if !has_vector(memory.number, &text) {
            missing.push((memory.number, text));
        }
    }
    Ok((n - missing.len(), missing))
}

/// What came of making vectors.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EmbeddingRun {
    /// How many were made and kept.
    pub n_made: usize,
    /// How many are still missing.
    pub n_missing: usize,
    /// Why it ended early.
    pub problem: Option<EmbedderError>,
}

/// Makes the vectors that a space lacks, a few at a time. Before each step `goes_on` is told how many are made and how many
/// are missing, and may end it. What was made until then is kept.
pub fn embed_missing_memories(
    cx: &Context,
    embedder: &dyn Embedder,
    space: &Space,
    goes_on: &mut dyn FnMut(usize, usize) -> bool,
) -> Result<EmbeddingRun, CoreError> {
    let (_, missing) = find_missing(cx, space, embedder.model())?;
    let mut run = EmbeddingRun {
        n_missing: missing.len(),
        ..EmbeddingRun::default()
    };
    for batch in missing.chunks(BATCH) {
        if !goes_on(run.n_made, run.n_missing) {
            break;
        }
        let texts: Vec<&str> = batch.iter().map(|it| it.1.as_str()).collect();
        let vectors = match embedder.embed_texts(&texts) {
            Ok(vectors) => vectors,
            Err(error) => {
                run.problem = Some(error);
                break;
            }
        };
        let pack = |((number, text), vector): (&(u64, String), Embedding)| MemoryEmbedding {
            number: *number,
            text: Digest::hash_bytes(text.as_bytes()),
            vector,
        };
        let embeddings: Vec<MemoryEmbedding> = batch.iter().zip(vectors).map(pack).collect();
        let n_kept = cx
            .store
            .write_embeddings(space, embedder.model(), &embeddings)?;
        if n_kept == 0 {
            // The store keeps none, or all of these were forgotten meanwhile.
            break;
        }
        run.n_made += n_kept;
        run.n_missing = run.n_missing.saturating_sub(batch.len());
    }
    Ok(run)
}
