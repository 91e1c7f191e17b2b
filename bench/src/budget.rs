//! The time that the whole run may take, and what was left out for want of it.

use std::cell::RefCell;
use std::time::{Duration, Instant};

/// A bounded run.
#[derive(Debug)]
pub(crate) struct Budget {
    started: Instant,
    limit: Duration,
    left_out: RefCell<Vec<String>>,
}

impl Budget {
    /// A run that begins now.
    pub(crate) fn new(limit: Duration) -> Self {
        Self {
            started: Instant::now(),
            limit,
            left_out: RefCell::default(),
        }
    }

    /// How long the run has taken so far.
    pub(crate) fn spent(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether something that takes this long still fits.
    pub(crate) fn has(&self, time: Duration) -> bool {
        self.spent() + time <= self.limit
    }

    /// Notes what is not measured, and why.
    pub(crate) fn leave_out(&self, what: impl Into<String>) {
        self.left_out.borrow_mut().push(what.into());
    }

    /// What was left out.
    pub(crate) fn left_out(&self) -> Vec<String> {
        self.left_out.borrow().clone()
    }
}

/// A loop that ends after so many rounds, or earlier when its time is over.
pub(crate) fn rounds(
    budget: &Budget,
    most: usize,
    time: Duration,
) -> impl Iterator<Item = usize> + '_ {
    let started = Instant::now();
    (0..most).take_while(move |_| started.elapsed() < time && budget.has(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_ends_by_number_or_by_time() {
        let ample = Budget::new(Duration::from_secs(1_000));
        assert_eq!(rounds(&ample, 7, Duration::from_secs(100)).count(), 7);
        assert_eq!(rounds(&ample, 7, Duration::ZERO).count(), 0);
        let none = Budget::new(Duration::ZERO);
        assert_eq!(rounds(&none, 7, Duration::from_secs(100)).count(), 0);
        assert!(!none.has(Duration::from_secs(1)));
    }
}
