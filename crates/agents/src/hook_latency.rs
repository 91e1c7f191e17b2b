//! How long agents waited for their hooks, day by day.

use std::collections::BTreeMap;

use jiff::{civil::Date, tz::TimeZone};

use crate::session::AgentSession;

/// The waits of one day, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DailyHookLatency {
    /// The date, in UTC.
    pub date: Date,
    /// How many there were.
    pub n: usize,
    /// Half of them were no longer than this.
    pub p50: u32,
    /// All but one in twenty were no longer than this.
    pub p95: u32,
}

/// The waits by day, the oldest first; a day without any is left out.
pub fn compute_hook_latencies(sessions: &[AgentSession]) -> Vec<DailyHookLatency> {
    let mut days: BTreeMap<Date, Vec<u32>> = BTreeMap::new();
    for entry in sessions.iter().flat_map(|it| &it.entries) {
        if let Some(took) = entry.took {
            days.entry(entry.at.to_zoned(TimeZone::UTC).date())
                .or_default()
                .push(took);
        }
    }
    let latency = |(date, mut waits): (Date, Vec<u32>)| {
        waits.sort_unstable();
        DailyHookLatency {
            date,
            n: waits.len(),
            p50: compute_quantile(&waits, 50),
            p95: compute_quantile(&waits, 95),
        }
    };
    days.into_iter().map(latency).collect()
}

/// The smallest of sorted numbers that so many in a hundred do not exceed; 0 of none.
fn compute_quantile(sorted: &[u32], percent: usize) -> u32 {
    let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(at).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_waits_that_were() {
        let check = |n: u32, p50: u32, p95: u32| {
            let sorted: Vec<u32> = (1..=n).collect();
            assert_eq!(
                (compute_quantile(&sorted, 50), compute_quantile(&sorted, 95)),
                (p50, p95),
                "{n}"
            );
        };
        check(0, 0, 0);
        check(1, 1, 1);
        check(2, 1, 2);
        check(20, 10, 19);
        check(100, 50, 95);
    }
}
