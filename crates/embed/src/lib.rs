//! A small sentence encoder: text in, a vector out, so that texts of like meaning have vectors that point the same way.
//! A leaf: it knows no memory, opens no file and asks nobody.
//!
//! ```no_run
//! use apostille_embed::SentenceEncoder;
//!
//! let weights = std::fs::read("model_quantized.onnx")?;
//! let tokenizer = std::fs::read("tokenizer.json")?;
//! let encoder = SentenceEncoder::from_files(&weights, &tokenizer)?;
//! let vectors = encoder.encode_texts(&["Uploads are limited to 10 MB.", "How large may a file be?"]);
//! let cosine: f32 = vectors[0].iter().zip(&vectors[1]).map(|(a, b)| a * b).sum();
//! assert!(cosine > 0.3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How the pieces fit: [`wordpiece`] cuts a text into the pieces the model was trained on, [`onnx`] finds the weights in
//! the file they come in, and [`encoder`] computes a BERT encoder over them: embeddings, layers of attention and a
//! two-layer network, the mean over the pieces, and a length of one. The file's weights are 8-bit numbers with a scale for
//! each column. They are unpacked when the file is loaded, so the arithmetic is that of the original model.

pub mod encoder;
pub mod onnx;
pub mod wordpiece;

use encoder::BertEncoder;
use wordpiece::WordPieceVocabulary;

/// How many pieces of a text are read: what the model was trained with. The rest of a longer text is left out.
const MAX_PIECES: usize = 256;
/// How many pieces are computed together: more are no faster, and each takes 20 kB.
const BATCH_PIECES: usize = 512;

/// The files are not those of a model that this crate can compute.
#[derive(Debug, thiserror::Error)]
pub enum ModelFileError {
    /// The weights end early, or are not laid out as the format says.
    #[error("the file of weights is damaged at byte {at}")]
    Damaged {
        /// Where reading stopped.
        at: usize,
    },
    /// A part of the model is not there.
    #[error("the file of weights has no `{name}`")]
    Missing {
        /// Its name in the file.
        name: String,
    },
    /// A part of the model has another shape or type than the others call for.
    #[error("`{name}` in the file of weights does not fit the rest of the model")]
    Misfit {
        /// Its name in the file.
        name: String,
    },
    /// The vocabulary cannot be read.
    #[error("the vocabulary cannot be read: {0}")]
    Vocabulary(String),
}

/// A model that was loaded.
#[derive(Debug)]
pub struct SentenceEncoder {
    vocabulary: WordPieceVocabulary,
    encoder: BertEncoder,
}

impl SentenceEncoder {
    /// Loads a model from its two files: weights as ONNX, vocabulary as `tokenizer.json`.
    pub fn from_files(weights: &[u8], tokenizer: &[u8]) -> Result<Self, ModelFileError> {
        let vocabulary = WordPieceVocabulary::from_tokenizer_json(tokenizer)?;
        let encoder = BertEncoder::from_tensors(&onnx::read_tensors(weights)?)?;
        if vocabulary.len() > encoder.n_pieces() {
            return Err(ModelFileError::Vocabulary(format!(
                "it has {} pieces, the model knows {}",
                vocabulary.len(),
                encoder.n_pieces()
            )));
        }
        Ok(Self {
            vocabulary,
            encoder,
        })
    }

    /// How many numbers a vector has.
    pub fn dimensions(&self) -> usize {
        self.encoder.width()
    }

    /// The vectors of some texts, each of length one.
    pub fn encode_texts(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let limit = MAX_PIECES.min(self.encoder.max_positions());
        let pieces: Vec<Vec<u32>> = texts
            .iter()
            .map(|it| self.vocabulary.encode_text(it, limit))
            .collect();
        let mut vectors = Vec::with_capacity(texts.len());
        let mut rest = pieces.as_slice();
        while !rest.is_empty() {
            let (batch, others) = rest.split_at(count_batch_texts(rest));
            vectors.extend(self.encoder.encode_batch(batch));
            rest = others;
        }
        vectors
    }
}

/// How many of these texts are computed together: at least one.
fn count_batch_texts(texts: &[Vec<u32>]) -> usize {
    let mut n_pieces = 0;
    let fits = |it: &&Vec<u32>| {
        n_pieces += it.len();
        n_pieces <= BATCH_PIECES
    };
    texts.iter().take_while(fits).count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_bounded_and_never_empty() {
        let texts = |lens: &[usize]| lens.iter().map(|it| vec![0; *it]).collect::<Vec<_>>();
        assert_eq!(count_batch_texts(&texts(&[200, 200, 200])), 2);
        assert_eq!(count_batch_texts(&texts(&[900, 1])), 1);
        assert_eq!(count_batch_texts(&texts(&[1])), 1);
    }
}
