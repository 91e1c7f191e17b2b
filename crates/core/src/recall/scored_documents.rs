//! Every memory of a space that a question finds, of which only the best are put into order.
//!
//! A question with a common word finds most of a space, and a hundred memories of it may be answers. Sorting all of them was a
//! sixth of a recall in a space of 10,000.

use std::cmp::Ordering;

use super::space_search::POOL;

/// The number of a memory, and how well its words answer.
pub(super) type ScoredDocument = (u64, f32);

/// Scored memories, the best first as far as somebody asked.
pub(super) struct ScoredDocuments {
    by_number: Vec<ScoredDocument>,
    ranked: Vec<ScoredDocument>,
}

impl ScoredDocuments {
    /// These memories, in the order of their numbers.
    pub(super) fn new(by_number: Vec<ScoredDocument>) -> Self {
        let ranked = select_best(&by_number, POOL);
        Self { by_number, ranked }
    }

    pub(super) fn len(&self) -> usize {
        self.by_number.len()
    }

    /// The best so many, ties by number; fewer where there are fewer.
    pub(super) fn rank_best(&mut self, n: usize) -> &[ScoredDocument] {
        let n = n.min(self.len());
        if n > self.ranked.len() {
            self.ranked = select_best(&self.by_number, self.len().min(n.saturating_mul(4)));
        }
        &self.ranked[..n]
    }

    /// The score of a memory; 0 where it was not found.
    pub(super) fn find_score(&self, number: u64) -> f32 {
        let found = self.by_number.binary_search_by_key(&number, |it| it.0);
        found.map_or(0.0, |at| self.by_number[at].1)
    }
}

/// The best so many in order. What is worse than so many seen before is passed over, so that few of a long list are moved.
fn select_best(all: &[ScoredDocument], n: usize) -> Vec<ScoredDocument> {
    let n = n.min(all.len());
    let mut best: Vec<ScoredDocument> = Vec::with_capacity(n.saturating_mul(2));
    let mut last: Option<ScoredDocument> = None;
    for it in all {
        if last.is_some_and(|last| best_first(it, &last).is_gt()) {
            continue;
        }
        best.push(*it);
        if best.len() == 2 * n {
            last = Some(*best.select_nth_unstable_by(n - 1, best_first).1);
            best.truncate(n);
        }
    }
    best.sort_unstable_by(best_first);
    best.truncate(n);
    best
}

fn best_first(a: &ScoredDocument, b: &ScoredDocument) -> Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_best_sorts_as_far_as_asked() {
        let by_number: Vec<ScoredDocument> =
            (0..1_000).map(|it| (it, (it * 7 % 13) as f32)).collect();
        let mut sorted = by_number.clone();
        sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut scored = ScoredDocuments::new(by_number);
        for n in [0, 1, 20, 150, 100, 999, 1_000, 2_000] {
            assert_eq!(scored.rank_best(n), &sorted[..n.min(1_000)], "{n}");
        }
        assert_eq!(ScoredDocuments::new(Vec::new()).rank_best(5), &[]);
        assert_eq!(scored.find_score(3), 8.0);
        assert_eq!(scored.find_score(1_000), 0.0);
    }
}
