//! When not to ask: after a limit until it has passed, and for a moment after nobody answered.

use std::sync::Mutex;
use std::time::Duration;

use apostille_files::lock::lock_ignoring_poison;
use jiff::{SignedDuration, Timestamp};

/// GitHub counts requests by the hour; a longer wait is a clock that is wrong.
const LONGEST: Duration = Duration::from_secs(60 * 60);
/// How long to wait where a limit does not say: what GitHub asks for.
const UNSAID: Duration = Duration::from_secs(60);
/// How long nothing is asked after an answer did not come, so that twenty citations do not wait twenty times.
const QUIET: Duration = Duration::from_secs(30);

/// Why nothing is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BackoffReason {
    /// The server allows no more requests.
    Limit,
    /// The server did not answer in time.
    Silence,
}

/// Lets requests pass, or not until some time.
#[derive(Debug, Default)]
pub(super) struct RequestBackoff {
    closed: Mutex<Option<(BackoffReason, Timestamp)>>,
}

impl RequestBackoff {
    /// Why and for how long nothing may be asked; `None` if something may.
    pub(super) fn remaining_wait(&self, now: Timestamp) -> Option<(BackoffReason, Duration)> {
        let (reason, until) = (*lock_ignoring_poison(&self.closed))?;
        let left = Duration::try_from(until.duration_since(now)).ok()?;
        (!left.is_zero()).then_some((reason, left))
    }

    /// Closes after a limit, and says for how long.
    pub(super) fn back_off_for_limit(&self, now: Timestamp, wait: RateLimitWait) -> Duration {
        let wait = wait.to_duration(now);
        self.back_off(BackoffReason::Limit, now, wait);
        wait
    }

    /// Closes for a moment, because an answer did not come.
    pub(super) fn back_off_for_silence(&self, now: Timestamp) {
        self.back_off(BackoffReason::Silence, now, QUIET);
    }

    /// Of two reasons the one that lasts longer counts: several threads may be told at once.
    fn back_off(&self, reason: BackoffReason, now: Timestamp, wait: Duration) {
        let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
        let until = now.saturating_add(wait).unwrap_or(Timestamp::MAX);
        let mut closed = lock_ignoring_poison(&self.closed);
        if closed.is_none_or(|(_, it)| it < until) {
            *closed = Some((reason, until));
        }
    }
}

/// How long a limit lasts, as an answer tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RateLimitWait {
    /// So many seconds.
    Seconds(u64),
    /// Until this second since 1970.
    Until(i64),
    /// It does not say.
    Unsaid,
}

impl RateLimitWait {
    /// What the headers of a refusal tell; `None` if they tell of no limit.
    ///
    /// `header` gives the text of a header. A `retry-after` comes first, since it is the shorter-lived of the two.
    pub(super) fn from_headers<'a>(
        status: u16,
        header: impl Fn(&str) -> Option<&'a str>,
    ) -> Option<Self> {
        if let Some(text) = header("retry-after") {
            return Some(text.trim().parse().map_or(Self::Unsaid, Self::Seconds));
        }
        if header("x-ratelimit-remaining").is_some_and(|it| it.trim() == "0") {
            let reset = header("x-ratelimit-reset").and_then(|it| it.trim().parse().ok());
            return Some(reset.map_or(Self::Unsaid, Self::Until));
        }
        (status == 429).then_some(Self::Unsaid)
    }

    fn to_duration(self, now: Timestamp) -> Duration {
        let wait = match self {
            Self::Seconds(n) => Duration::from_secs(n),
            Self::Until(second) => {
                let seconds = second.saturating_sub(now.as_second());
                Duration::from_secs(seconds.try_into().unwrap_or(0))
            }
            Self::Unsaid => UNSAID,
        };
        wait.clamp(Duration::from_secs(1), LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn limits_are_told_by_headers() {
        let check = |status: u16, headers: &str, expected: Option<RateLimitWait>| {
            let header = |name: &str| {
                headers
                    .lines()
                    .find_map(|it| it.strip_prefix(name)?.strip_prefix(": "))
            };
            assert_eq!(
                RateLimitWait::from_headers(status, header),
                expected,
                "{status} {headers}"
            );
        };
        check(
            403,
            "x-ratelimit-remaining: 0\nx-ratelimit-reset: 1700",
            Some(RateLimitWait::Until(1700)),
        );
        check(
            429,
            "x-ratelimit-remaining: 0\nx-ratelimit-reset: 1700",
            Some(RateLimitWait::Until(1700)),
        );
        check(403, "x-ratelimit-remaining: 0", Some(RateLimitWait::Unsaid));
        check(
            403,
            "x-ratelimit-remaining: 0\nx-ratelimit-reset: soon",
            Some(RateLimitWait::Unsaid),
        );
        check(403, "retry-after: 30", Some(RateLimitWait::Seconds(30)));
        check(
            403,
            "x-ratelimit-remaining: 0\nx-ratelimit-reset: 1700\nretry-after: 9",
            Some(RateLimitWait::Seconds(9)),
        );
        check(
            429,
            "retry-after: Fri, 31 Dec 1999 23:59:59 GMT",
            Some(RateLimitWait::Unsaid),
        );
        check(429, "", Some(RateLimitWait::Unsaid));
        check(403, "x-ratelimit-remaining: 41", None);
        check(403, "", None);
    }

    #[test]
    fn a_gate_opens_when_the_time_has_passed() {
        let check = |wait: RateLimitWait, expected: u64| {
            let gate = RequestBackoff::default();
            assert_eq!(
                gate.back_off_for_limit(at(1000), wait),
                Duration::from_secs(expected),
                "{wait:?}"
            );
            let end = 1000 + i64::try_from(expected).unwrap();
            assert_eq!(
                gate.remaining_wait(at(end - 1)),
                Some((BackoffReason::Limit, Duration::from_secs(1))),
                "{wait:?}"
            );
            assert_eq!(gate.remaining_wait(at(end)), None, "{wait:?}");
        };
        check(RateLimitWait::Seconds(30), 30);
        check(RateLimitWait::Until(1700), 700);
        check(RateLimitWait::Unsaid, 60);
        check(RateLimitWait::Until(900), 1);
        check(RateLimitWait::Until(i64::MAX), 3600);
        check(RateLimitWait::Until(i64::MIN), 1);
        check(RateLimitWait::Seconds(u64::MAX), 3600);
    }

    #[test]
    fn the_longer_reason_counts() {
        let gate = RequestBackoff::default();
        assert_eq!(gate.remaining_wait(at(0)), None);
        gate.back_off_for_silence(at(0));
        gate.back_off_for_limit(at(0), RateLimitWait::Seconds(600));
        gate.back_off_for_silence(at(0));
        assert_eq!(
            gate.remaining_wait(at(0)),
            Some((BackoffReason::Limit, Duration::from_secs(600)))
        );
    }
}
