//! How well a ranking answers: recall, reciprocal rank and discounted gain, as means over questions.

/// How many ranks count.
const CUTS: [usize; 3] = [1, 5, 10];

/// What questions were answered with.
#[derive(Debug, Default)]
pub(crate) struct RankTally {
    recalls: Vec<[f64; CUTS.len()]>,
    reciprocal: f64,
    gain: f64,
}

impl RankTally {
    /// Counts a question: the documents that were found, the best first, and those that answer it.
    pub(crate) fn add_question(&mut self, found: &[&str], gold: &[String]) {
        let is_gold = |it: &&str| gold.iter().any(|gold| gold == it);
        let wanted = gold.len().max(1) as f64;
        let recall =
            |cut: usize| found.iter().take(cut).filter(|it| is_gold(it)).count() as f64 / wanted;
        self.recalls.push(CUTS.map(recall));
        let first = found.iter().position(&is_gold);
        self.reciprocal += first.map_or(0.0, |at| 1.0 / (at + 1) as f64);
        let discount = |at: usize| 1.0 / ((at + 2) as f64).log2();
        let gained: f64 = found
            .iter()
            .take(10)
            .enumerate()
            .filter(|(_, it)| is_gold(it))
            .map(|it| discount(it.0))
            .sum();
        let most: f64 = (0..gold.len().min(10)).map(discount).sum();
        self.gain += if most > 0.0 { gained / most } else { 0.0 };
    }

    /// How many questions there were.
    pub(crate) fn count(&self) -> usize {
        self.recalls.len()
    }

    fn column(cut: usize) -> usize {
        CUTS.iter().position(|it| *it == cut).unwrap_or(0)
    }

    /// The mean share of answers among the first so many.
    pub(crate) fn recall_at(&self, cut: usize) -> f64 {
        let at = Self::column(cut);
        self.mean(self.recalls.iter().map(|it| it[at]).sum())
    }

    /// The standard error of that mean.
    pub(crate) fn recall_error(&self, cut: usize) -> f64 {
        let (at, mean) = (Self::column(cut), self.recall_at(cut));
        let squares: f64 = self.recalls.iter().map(|it| (it[at] - mean).powi(2)).sum();
        let n = self.count() as f64;
        if n < 2.0 {
            0.0
        } else {
            (squares / (n - 1.0) / n).sqrt()
        }
    }

    /// The mean of one through the rank of the first answer.
    pub(crate) fn reciprocal_rank(&self) -> f64 {
        self.mean(self.reciprocal)
    }

    /// The mean discounted gain of the first ten.
    pub(crate) fn gain_at_ten(&self) -> f64 {
        self.mean(self.gain)
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / self.count().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_of_a_ranking() {
        let mut tally = RankTally::default();
        tally.add_question(&["a", "b", "c"], &["b".into(), "z".into()]);
        let round = |it: f64| (it * 1000.0).round() / 1000.0;
        assert_eq!(
            [
                tally.recall_at(1),
                tally.recall_at(5),
                tally.reciprocal_rank()
            ],
            [0.0, 0.5, 0.5]
        );
        assert_eq!(round(tally.gain_at_ten()), 0.387);
        tally.add_question(&["z"], &["z".into()]);
        assert_eq!(
            (
                tally.count(),
                tally.recall_at(1),
                round(tally.recall_error(5))
            ),
            (2, 0.5, 0.25)
        );
    }
}
