//! A memory on its way from the index to the ranking.

use crate::memory::Memory;

/// A memory whose text was read, and how well it answers so far.
pub(super) struct PooledMemory {
    pub(super) memory: Memory,
    pub(super) score: f32,
    /// How many pairs of words stand side by side in it as in the question.
    pub(super) n_pairs: usize,
}
