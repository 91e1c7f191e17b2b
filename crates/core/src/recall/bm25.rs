//! Ranking arithmetic: BM25 over the postings of weighted terms.

/// How soon more mentions of a term stop counting. Short facts repeat a word by accident.
const K1: f32 = 0.9;
/// How much a long document is held back. Mild, for facts are short anyway.
const B: f32 = 0.4;
/// Scores are kept in one row per document id while the ids leave at most this many gaps a posting.
const GAPS: u64 = 8;

use crate::store::{Posting, Postings};

/// A term that is looked up: how much it counts, and the memories that have it.
#[derive(Debug, Clone, Copy)]
pub struct WeighedPostings<'a> {
    /// How much it counts.
    pub weight: f32,
    /// Whether it is one of the words that a memory should have as many of as it can.
    pub is_counted: bool,
    /// The memories, by number.
    pub postings: &'a [Posting],
}

/// How well a memory answers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DocumentScore {
    /// Its score.
    pub score: f32,
    /// How many of the counted terms it has.
    pub n_counted: u16,
}

/// Scores every memory of a space that holds a term, in the order of their numbers.
///
/// A term's document frequency is the number of its postings, which may come in any order. The same
/// postings always give the same bits: a document adds up its terms in the order they are given.
pub fn score_bm25(corpus: &Postings, terms: &[WeighedPostings<'_>]) -> Vec<(u64, DocumentScore)> {
    match find_dense_range(terms) {
        Some((first, width)) => add_dense_scores(corpus, terms, first, width),
        None => add_sorted_scores(corpus, terms),
    }
}

/// How rare a term is that so many memories have.
pub fn inverse_frequency(corpus: &Postings, df: usize) -> f32 {
    let df = df as f32;
    let others = (corpus.n_docs as f32 - df).max(0.0);
    ((others + 0.5) / (df + 0.5)).ln_1p()
}

/// What a word adds to the score of the one memory that has it, once, at the usual length: the most telling of words.
pub fn rarest_term_score(corpus: &Postings) -> f32 {
    TermScorer::new(corpus, 1.0, 1).weight / (K1 + 1.0)
}

/// What a term that so many memories have adds to the score of one of them.
pub fn score_posting(corpus: &Postings, weight: f32, df: usize, posting: &Posting) -> f32 {
    TermScorer::new(corpus, weight, df).score_posting(posting)
}

/// One term's share of a score. What does not depend on the document is worked out once. A ranking needs no more than `f32`.
struct TermScorer {
    weight: f32,
    flat: f32,
    per_len: f32,
}

impl TermScorer {
    fn new(corpus: &Postings, weight: f32, df: usize) -> Self {
        let idf = inverse_frequency(corpus, df);
        let mean = (corpus.total_len as f32 / corpus.n_docs.max(1) as f32).max(1.0);
        Self {
            weight: weight * idf * (K1 + 1.0),
            flat: K1 * (1.0 - B),
            per_len: K1 * B / mean,
        }
    }

    fn score_posting(&self, posting: &Posting) -> f32 {
        let tf = posting.count as f32;
        self.weight * tf / (tf + self.flat + self.per_len * posting.len as f32)
    }
}

/// The first id and the width of the ids, when a row that wide is worth its memory.
fn find_dense_range(terms: &[WeighedPostings<'_>]) -> Option<(u64, usize)> {
    let (mut first, mut last, mut count) = (u64::MAX, 0, 0u64);
    for posting in terms.iter().flat_map(|it| it.postings) {
        first = first.min(posting.number);
        last = last.max(posting.number);
        count += 1;
    }
    let width = last.checked_sub(first)?.checked_add(1)?;
    let worth = width / GAPS <= count;
    worth.then_some((first, usize::try_from(width).ok()?))
}

fn add_dense_scores(
    corpus: &Postings,
    terms: &[WeighedPostings<'_>],
    first: u64,
    width: usize,
) -> Vec<(u64, DocumentScore)> {
    let mut row = vec![DocumentScore::default(); width];
    for term in terms {
        let share = TermScorer::new(corpus, term.weight, term.postings.len());
        for posting in term.postings {
            let cell = usize::try_from(posting.number - first)
                .ok()
                .and_then(|at| row.get_mut(at));
            if let Some(cell) = cell {
                cell.score += share.score_posting(posting);
                cell.n_counted += u16::from(term.is_counted);
            }
        }
    }
    let mut scores = Vec::with_capacity(row.len());
    scores.extend((first..).zip(row).filter(|(_, it)| it.score > 0.0));
    scores
}

/// For ids too far apart for a row. The sort is stable, so the terms keep their order in each sum.
fn add_sorted_scores(
    corpus: &Postings,
    terms: &[WeighedPostings<'_>],
) -> Vec<(u64, DocumentScore)> {
    let mut shares: Vec<(u64, DocumentScore)> = Vec::new();
    for term in terms {
        let share = TermScorer::new(corpus, term.weight, term.postings.len());
        let n_counted = u16::from(term.is_counted);
        shares.extend(term.postings.iter().map(|it| {
            let score = share.score_posting(it);
            (it.number, DocumentScore { score, n_counted })
        }));
    }
    shares.sort_by_key(|(doc, _)| *doc);
    let docs = shares.chunk_by(|a, b| a.0 == b.0);
    docs.map(|it| (it[0].0, sum_document_shares(it)))
        .filter(|(_, it)| it.score > 0.0)
        .collect()
}

fn sum_document_shares(shares: &[(u64, DocumentScore)]) -> DocumentScore {
    DocumentScore {
        score: shares.iter().map(|it| it.1.score).sum(),
        n_counted: shares.iter().map(|it| it.1.n_counted).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Posting, Postings, WeighedPostings, score_bm25};

    const CORPUS: Postings = Postings {
        n_docs: 10,
        total_len: 100,
        lists: Vec::new(),
    };

    fn posting(doc: u64, tf: u32, len: u32) -> Posting {
        Posting {
            number: doc,
            count: tf,
            len,
        }
    }

    fn weigh<'a>(terms: &[(f32, &'a [Posting])]) -> Vec<WeighedPostings<'a>> {
        let weighed = |&(weight, postings): &(f32, &'a [Posting])| WeighedPostings {
            weight,
            is_counted: true,
            postings,
        };
        terms.iter().map(weighed).collect()
    }

    fn check(terms: &[(f32, &[Posting])], expected: &[u64]) {
        let mut found = score_bm25(&CORPUS, &weigh(terms));
        assert!(found.is_sorted_by_key(|it| it.0));
        found.sort_by(|a, b| b.1.score.total_cmp(&a.1.score));
        let found: Vec<u64> = found.into_iter().map(|(doc, _)| doc).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn better_matches_come_first() {
        let (two, one) = (posting(2, 1, 10), posting(1, 1, 10));
        check(&[], &[]);
        check(&[(1.0, &[])], &[]);
        check(&[(1.0, &[two, one])], &[1, 2]);
        check(&[(1.0, &[one, posting(2, 3, 10)])], &[2, 1]);
        check(&[(1.0, &[posting(1, 1, 30), two])], &[2, 1]);
        check(&[(1.0, &[one, two]), (1.0, &[two])], &[2, 1]);
        check(&[(1.0, &[one]), (0.3, &[two])], &[1, 2]);
        check(&[(0.0, &[one]), (1.0, &[posting(3, 0, 10)])], &[]);
        check(
            &[(1.0, &[posting(u64::MAX, 1, 10), posting(0, 1, 10)])],
            &[0, u64::MAX],
        );
    }

    #[test]
    fn far_ids_score_like_near_ones() {
        let lists = |step: u64| -> Vec<Vec<Posting>> {
            (1..6)
                .map(|term| (0..50).map(|n| posting(n * term * step, 1, 10)).collect())
                .collect()
        };
        let bits = |step: u64| -> Vec<(u64, u32)> {
            let lists = lists(step);
            let terms: Vec<(f32, &[Posting])> =
                lists.iter().map(|list| (0.7, list.as_slice())).collect();
            score_bm25(&CORPUS, &weigh(&terms))
                .into_iter()
                .map(|(doc, it)| (doc / step, it.score.to_bits() + u32::from(it.n_counted)))
                .collect()
        };
        assert_eq!(bits(1), bits(1 << 40));
    }

    #[test]
    fn an_empty_corpus_gives_finite_scores() {
        let empty = Postings::default();
        let found = score_bm25(&empty, &weigh(&[(1.0, &[posting(7, 1, 0)])]));
        assert!(
            found
                .iter()
                .all(|(doc, it)| *doc == 7 && it.score.is_finite())
        );
    }
}
