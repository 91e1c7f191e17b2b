//! The meaning of texts as vectors: the port to a model that makes them, and what stores keep of them.
//!
//! None is needed. Where the user installed a model, a vector is made for each active memory while nobody waits, and recall
//! has a second source of candidates (`recall/meaning.rs`). A vector is made from the text alone and can be made again, so it
//! is a cache: it is in no log and in no export, and a store that keeps none works as before.

use std::fmt;

use apostille_text::digest::Digest;

use crate::memory::Memory;

/// Which model made a vector. Vectors of two models cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EmbeddingModel(String);

impl EmbeddingModel {
    /// The longest name.
    pub const MAX_LEN: usize = 64;

    /// A model by its name, cut to [`Self::MAX_LEN`].
    pub fn new(name: &str) -> Self {
        Self(name.chars().take(Self::MAX_LEN).collect())
    }

    /// Its name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EmbeddingModel {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A vector of length one, in 8 bits for each number and a scale for all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    scale: f32,
    numbers: Vec<i8>,
}

impl Embedding {
    /// How many numbers a vector may have.
    pub const MAX_DIMENSIONS: usize = 4_096;

    /// Packs a vector of length one. What is lost is a thousandth of a cosine.
    pub fn from_floats(floats: &[f32]) -> Self {
        let highest = floats.iter().fold(0_f32, |a, b| a.max(b.abs()));
        let scale = if highest > 0.0 { highest / 127.0 } else { 1.0 };
        let pack = |it: &f32| (it / scale).round().clamp(-127.0, 127.0) as i8;
        Self {
            scale,
            numbers: floats.iter().map(pack).collect(),
        }
    }

    /// How alike two texts are: 1 for the same, about 0 for texts that have nothing to do with each other. Vectors of
    /// different lengths are not alike.
    pub fn cosine(&self, other: &Self) -> f32 {
        if self.numbers.len() != other.numbers.len() {
            return 0.0;
        }
        let products = self.numbers.iter().zip(&other.numbers);
        let sum: i32 = products.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        sum as f32 * self.scale * other.scale
    }

    /// The bytes that stores keep: the scale, then the numbers.
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers = self.numbers.iter().map(|it| it.cast_unsigned());
        self.scale
            .to_le_bytes()
            .into_iter()
            .chain(numbers)
            .collect()
    }

    /// Reads what [`Self::to_bytes`] wrote; `None` for what cannot be a vector.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (scale, numbers) = bytes.split_first_chunk()?;
        let scale = f32::from_le_bytes(*scale);
        let is_vector =
            scale.is_finite() && scale > 0.0 && (1..=Self::MAX_DIMENSIONS).contains(&numbers.len());
        is_vector.then(|| Self {
            scale,
            numbers: numbers.iter().map(|it| it.cast_signed()).collect(),
        })
    }
}

/// The vector of a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryEmbedding {
    /// The memory's number within its space.
    pub number: u64,
    /// The digest of the text that the vector was made from: where the memory says something else by now, it is not used.
    pub text: Digest,
    /// The vector.
    pub vector: Embedding,
}

/// A model cannot be used. The answer is given without it, with this as a note.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EmbedderError(pub String);

/// The port to a model that turns texts into vectors. It may be loaded when it is first used.
pub trait Embedder: Send + Sync {
    /// Which model it is.
    fn model(&self) -> &EmbeddingModel;

    /// The vectors of these texts, in their order.
    fn embed_texts(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedderError>;
}

/// The text of a memory that a vector is made from: what it says, and not what proves it.
pub fn embeddable_text(memory: &Memory) -> String {
    let parts = [
        memory.subject.as_deref(),
        Some(&memory.fact),
        memory.reason.as_deref(),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(". ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(floats: &[f32]) -> Vec<f32> {
        let len = floats.iter().map(|it| it * it).sum::<f32>().sqrt();
        floats.iter().map(|it| it / len).collect()
    }

    #[test]
    fn packed_vectors_keep_their_cosine() {
        let a = unit(&[0.3, -0.2, 0.9, 0.05]);
        let b = unit(&[0.1, 0.4, 0.8, -0.3]);
        let exact: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        let (a, b) = (Embedding::from_floats(&a), Embedding::from_floats(&b));
        assert!((a.cosine(&b) - exact).abs() < 0.01, "{}", a.cosine(&b));
        assert!((a.cosine(&a) - 1.0).abs() < 0.01);
        assert!(a.cosine(&Embedding::from_floats(&[1.0])).abs() < f32::EPSILON);
        let zero = Embedding::from_floats(&[0.0; 4]);
        assert!(a.cosine(&zero).abs() < f32::EPSILON);
    }

    #[test]
    fn vectors_survive_their_bytes() {
        let vector = Embedding::from_floats(&unit(&[0.3, -0.2, 0.9]));
        assert_eq!(Embedding::from_bytes(&vector.to_bytes()), Some(vector));
        for bytes in [
            &[][..],
            &[0, 0, 128],
            &[0, 0, 128, 63],
            &[0, 0, 192, 127, 1],
            &[0, 0, 0, 0, 1],
        ] {
            assert_eq!(Embedding::from_bytes(bytes), None, "{bytes:?}");
        }
        assert_eq!(Embedding::from_bytes(&[63; 5_000]), None);
    }
}
