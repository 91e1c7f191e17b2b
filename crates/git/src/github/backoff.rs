//! When not to ask: after a limit until it has passed, and for a moment after nobody answered.

use std::sync::Mutex;
use std::time::Duration;

use apostille_files::lock::lock_ignoring_poison;
use jiff::{SignedDuration, Timestamp};

/// GitHub counts requests by the hour; a longer wait is a clock that is wrong.
const LONGEST: Duration = Duration::from_secs(60 * 60);
/// How long to wait where a limit does not say: what GitHub asks for.
pub(super) const UNSAID: Duration = Duration::from_secs(60);
/// How long nothing is asked after an answer did not come, so that twenty citations do not wait twenty times.
const QUIET: Duration = Duration::from_secs(30);

/// Why nothing is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
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
    pub(super) fn back_off_for_limit(&self, now: Timestamp, wait: Duration) -> Duration {
        let wait = wait.clamp(Duration::from_secs(1), LONGEST);
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

/// How long a limit lasts, as the headers of a refusal tell it; `None` if they tell of no limit.
///
/// `header` gives the text of a header. A `retry-after` comes first, since it is the shorter-lived of the two.
pub(super) fn read_limit_headers<'a>(
    status: u16,
    now: Timestamp,
    header: impl Fn(&str) -> Option<&'a str>,
) -> Option<Duration> {
    if let Some(text) = header("retry-after") {
        return Some(text.trim().parse().map_or(UNSAID, Duration::from_secs));
    }
    if header("x-ratelimit-remaining").is_some_and(|it| it.trim() == "0") {
        let left = header("x-ratelimit-reset")
            .and_then(|it| it.trim().parse().ok())
            .map(|it: i64| it.saturating_sub(now.as_second()).try_into());
        return Some(left.map_or(UNSAID, |it| Duration::from_secs(it.unwrap_or(0))));
    }
    (status == 429).then_some(UNSAID)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn read(status: u16, headers: &str) -> Option<Duration> {
        read_limit_headers(status, at(1000), |name| {
            headers
                .lines()
                .find_map(|it| it.strip_prefix(name)?.strip_prefix(": "))
        })
    }

    #[test]
    fn limits_are_told_by_headers() {
        let check = |status: u16, headers: &str, expected: Option<u64>| {
            let expected = expected.map(Duration::from_secs);
            assert_eq!(read(status, headers), expected, "{status} {headers}");
        };
        check(
            403,
            "x-ratelimit-remaining: 0\nx-ratelimit-reset: 1700",
            Some(700),
        );
        check(
            429,
            "x-ratelimit-remaining: 0\nx-ratelimit-reset: 1700",
            Some(700),
        );
        check(403, "x-ratelimit-remaining: 0", Some(60));
        check(
            403,
            "x-ratelimit-remaining: 0\nx-ratelimit-reset: soon",
            Some(60),
        );
        check(403, "retry-after: 30", Some(30));
        check(
            403,
            "x-ratelimit-remaining: 0\nx-ratelimit-reset: 1700\nretry-after: 9",
            Some(9),
        );
        check(429, "retry-after: Fri, 31 Dec 1999 23:59:59 GMT", Some(60));
        check(429, "", Some(60));
        check(403, "x-ratelimit-remaining: 41", None);
        check(403, "", None);
    }

    #[test]
    fn a_gate_opens_when_the_time_has_passed() {
        let check = |headers: &str, expected: u64| {
            let gate = RequestBackoff::default();
            let wait = read(429, headers).unwrap();
            assert_eq!(
                gate.back_off_for_limit(at(1000), wait),
                Duration::from_secs(expected),
                "{headers}"
            );
            let end = 1000 + i64::try_from(expected).unwrap();
            assert_eq!(
                gate.remaining_wait(at(end - 1)),
                Some((BackoffReason::Limit, Duration::from_secs(1))),
                "{headers}"
            );
            assert_eq!(gate.remaining_wait(at(end)), None, "{headers}");
        };
        let until = |reset: i64| format!("x-ratelimit-remaining: 0\nx-ratelimit-reset: {reset}");
        check("retry-after: 30", 30);
        check(&until(1700), 700);
        check("", 60);
        check(&until(900), 1);
        check(&until(i64::MAX), 3600);
        check(&until(i64::MIN), 1);
        check(&format!("retry-after: {}", u64::MAX), 3600);
    }

    #[test]
    fn the_longer_reason_counts() {
        let gate = RequestBackoff::default();
        assert_eq!(gate.remaining_wait(at(0)), None);
        gate.back_off_for_silence(at(0));
        gate.back_off_for_limit(at(0), Duration::from_secs(600));
        gate.back_off_for_silence(at(0));
        assert_eq!(
            gate.remaining_wait(at(0)),
            Some((BackoffReason::Limit, Duration::from_secs(600)))
        );
    }
}
