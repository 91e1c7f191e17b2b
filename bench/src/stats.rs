//! Durations, and what is said of them: their number, the middle one and the hundredth from the top.

use std::time::{Duration, Instant};

/// The durations of one measure, in microseconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Sample {
    micros: Vec<f64>,
}

impl Sample {
    /// Adds a duration.
    pub(crate) fn push(&mut self, it: Duration) {
        self.micros.push(it.as_secs_f64() * 1e6);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.micros.len()
    }

    /// Adds those of another.
    pub(crate) fn extend(&mut self, other: Self) {
        self.micros.extend(other.micros);
    }

    /// Runs something and adds how long it took.
    pub(crate) fn time<T>(&mut self, run: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let done = run();
        self.push(started.elapsed());
        done
    }

    /// What is said of them; `None` of none.
    pub(crate) fn summary(&self) -> Option<Summary> {
        let mut sorted = self.micros.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |percent| percentile(&sorted, percent);
        Some(Summary {
            n: sorted.len(),
            p50: at(50)?,
            p99: at(99)?,
        })
    }
}

/// What is said of many durations, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Summary {
    /// How many there were.
    pub(crate) n: usize,
    /// Half of them took no longer.
    pub(crate) p50: f64,
    /// All but one in a hundred took no longer.
    pub(crate) p99: f64,
}

/// The smallest value that this percentage of all values does not exceed (nearest rank).
pub(crate) fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        let check =
            |sorted: &[f64], percent, expected| assert_eq!(percentile(sorted, percent), expected);
        check(&hundred, 50, Some(50.0));
        check(&hundred, 99, Some(99.0));
        check(&hundred, 100, Some(100.0));
        check(&hundred, 0, Some(1.0));
        check(&[3.0], 99, Some(3.0));
        check(&[1.0, 2.0], 50, Some(1.0));
        check(&[], 50, None);
    }

    #[test]
    fn a_summary_sorts_first() {
        let mut sample = Sample::default();
        [3, 1, 2]
            .into_iter()
            .for_each(|it| sample.push(Duration::from_micros(it)));
        let summary = sample.summary().unwrap();
        assert_eq!(
            (summary.n, summary.p50.round(), summary.p99.round()),
            (3, 2.0, 3.0)
        );
        assert_eq!(Sample::default().summary(), None);
    }
}
