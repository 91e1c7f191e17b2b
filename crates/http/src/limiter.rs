//! How much is taken on: so many requests a second from one token, so many worked on at once, a few waiting. Everything
//! beyond is told to come back, which costs nothing.
//!
//! A server for a team has callers that do not know of each other: ten agents in loops, and a person who opens the panel.
//! Four things can be used up, and each has its own limit: requests a second (a bucket that fills again), work at
//! once (places, and a short queue for them), memory for what is being sent, and connections that only listen.
//!
//! Each limit is held twice, for the caller and for all. The share of one caller is less than the whole, so that whoever
//! fills its own share still leaves room: half of the memory, a quarter of the seats. Without that, one agent in a
//! loop would lock out the person who wants to stop it.
//!
//! Wrong tokens are paced all together: on one machine everybody has the same address, and whoever guesses can change his.
//! Where other machines reach the server, each of them has a share of that, too, so that one that guesses does not leave the
//! others without a word why they are not let in. Known callers are never slowed down by guesses, because they are counted
//! under their own name before.
//!
//! Turning away must be cheaper than answering, or it is no protection: it happens before the body is read, and a refused
//! body closes the connection, since otherwise the rest of it would have to be read to find the next request.

use std::collections::HashMap;
use std::{
    net::{IpAddr, Ipv6Addr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use tokio::sync::Semaphore;

use super::{
    ServerLimits,
    response::{HttpRejection, HttpResult},
};
pub(super) use apostille_mcp::concurrency::ConcurrencyPermit;
use apostille_mcp::concurrency::{ConcurrencyLimit, CountGuard, divide_limit, lock_despite_panic};

/// How many seconds of its rate somebody may use at once.
const BURST_SECONDS: f64 = 2.0;
/// How often a second a wrong token, session or link is heard out.
const GUESSES: f64 = 20.0;
/// How often a second from one address.
const GUESSES_OF_ONE: f64 = 5.0;
/// Of how many addresses guesses are counted apart; further ones share what there is for all.
const MOST_GUESSERS: usize = 4096;
/// Whom deliveries of code hosts are counted for: no token is called so.
pub(super) const DELIVERIES: &str = "/hooks";
/// How many of them a second are looked at.
const DELIVERY_RATE: f64 = 50.0;
/// How much of what requests send is held at once.
const KILOBYTES: usize = 32 * 1024;

/// What somebody has left, and since when.
#[derive(Debug, Clone, Copy)]
struct TokenBucket {
    left: f64,
    at: Instant,
}

impl TokenBucket {
    fn new_full(rate: f64, now: Instant) -> Self {
        Self {
            left: rate * BURST_SECONDS,
            at: now,
        }
    }

    /// Takes one out, after what has come in since; how many seconds to wait where there is none.
    fn take_token(&mut self, rate: f64, now: Instant) -> Result<(), f64> {
        let came = now.saturating_duration_since(self.at).as_secs_f64() * rate;
        *self = Self {
            left: (self.left + came).min(rate * BURST_SECONDS),
            at: now,
        };
        if self.left < 1.0 {
            return Err((1.0 - self.left) / rate);
        }
        self.left -= 1.0;
        Ok(())
    }

    /// Whether it would be full by now.
    fn is_full(&self, rate: f64, now: Instant) -> bool {
        let came = now.saturating_duration_since(self.at).as_secs_f64() * rate;
        self.left + came >= rate * BURST_SECONDS
    }
}

/// A client's address, or the network that it can choose addresses from.
fn group_address(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(it) => Ipv6Addr::from_bits(it.to_bits() >> 64 << 64).into(),
    }
}

/// What one token takes up beside its places, so that it leaves something to others.
struct CallerQuota {
    kilobytes: Arc<Semaphore>,
    listeners: Arc<AtomicUsize>,
}

impl Default for CallerQuota {
    fn default() -> Self {
        Self {
            kilobytes: Arc::new(Semaphore::new(KILOBYTES / 2)),
            listeners: Arc::default(),
        }
    }
}

/// What lets so many through.
pub(super) struct RequestLimiter {
    limits: ServerLimits,
    /// How many are worked on, which the agents' protocol shares.
    pub(super) places: Arc<ConcurrencyLimit>,
    kilobytes: Arc<Semaphore>,
    listeners: Arc<AtomicUsize>,
    buckets: Mutex<HashMap<String, TokenBucket>>,
    guesses: Mutex<HashMap<IpAddr, TokenBucket>>,
    shares: Mutex<HashMap<String, Arc<CallerQuota>>>,
}

impl RequestLimiter {
    pub(super) fn new(limits: ServerLimits) -> Self {
        Self {
            limits,
            places: Arc::new(ConcurrencyLimit::new(limits.at_once, limits.waiting)),
            kilobytes: Arc::new(Semaphore::new(KILOBYTES)),
            listeners: Arc::default(),
            buckets: Mutex::default(),
            guesses: Mutex::default(),
            shares: Mutex::default(),
        }
    }

    /// Turns away whoever asks too often.
    pub(super) fn check_rate(&self, caller: &str, now: Instant) -> HttpResult<()> {
        self.take_from_bucket(caller, f64::from(self.limits.rate), now)
    }

    /// Turns away deliveries that come too fast. They have a bucket of their own: a flood takes nobody else's.
    pub(super) fn check_delivery_rate(&self, now: Instant) -> HttpResult<()> {
        self.take_from_bucket(DELIVERIES, DELIVERY_RATE, now)
    }

    /// Turns away those who bring nothing that is known, when one address, or all of them together, try too often.
    pub(super) fn check_guess_rate(&self, from: Option<IpAddr>, now: Instant) -> HttpResult<()> {
        if let Some(address) = from {
            self.check_guesses_of(group_address(address), now)?;
        }
        self.take_from_bucket("", GUESSES, now)
    }

    fn check_guesses_of(&self, address: IpAddr, now: Instant) -> HttpResult<()> {
        let mut guesses = lock_despite_panic(&self.guesses);
        if guesses.len() >= MOST_GUESSERS {
            // Who has not tried for a while is counted from the beginning.
            guesses.retain(|_, it| !it.is_full(GUESSES_OF_ONE, now));
        }
        if guesses.len() >= MOST_GUESSERS && !guesses.contains_key(&address) {
            return Ok(());
        }
        let full = TokenBucket::new_full(GUESSES_OF_ONE, now);
        let bucket = guesses.entry(address).or_insert(full);
        let taken = bucket.take_token(GUESSES_OF_ONE, now);
        taken.map_err(|seconds| build_rate_rejection(GUESSES_OF_ONE, seconds))
    }

    fn take_from_bucket(&self, caller: &str, rate: f64, now: Instant) -> HttpResult<()> {
        let mut buckets = lock_despite_panic(&self.buckets);
        let full = TokenBucket::new_full(rate, now);
        let bucket = buckets.entry(caller.to_owned()).or_insert(full);
        let taken = bucket.take_token(rate, now);
        taken.map_err(|seconds| build_rate_rejection(rate, seconds))
    }

    fn caller_quota(&self, caller: &str) -> Arc<CallerQuota> {
        let mut shares = lock_despite_panic(&self.shares);
        Arc::clone(shares.entry(caller.to_owned()).or_default())
    }

    /// A place to work in. Whoever waits in vain, or finds too many waiting, is turned away.
    pub(super) async fn acquire_slot(&self, caller: &str) -> HttpResult<ConcurrencyPermit> {
        let place = self.places.acquire_permit(caller, self.limits.wait).await;
        place.ok_or_else(build_busy_rejection)
    }

    /// The same for whoever is in already and only waits for its turn; none where that takes too long.
    pub(super) async fn wait_for_slot(&self, caller: &str) -> Option<ConcurrencyPermit> {
        self.places.acquire_permit(caller, self.limits.work).await
    }

    /// Turns away whoever finds too many waiting.
    pub(super) fn check_queue(&self, caller: &str) -> HttpResult<()> {
        let can_wait = self.places.can_wait(caller);
        can_wait.then_some(()).ok_or_else(build_busy_rejection)
    }

    /// Room for what a request sends, until it is worked on.
    pub(super) fn reserve_body_memory(
        &self,
        caller: &str,
        bytes: usize,
    ) -> HttpResult<ConcurrencyPermit> {
        let n = u32::try_from(bytes.div_ceil(1024).max(1)).unwrap_or(u32::MAX);
        let held = ConcurrencyPermit::try_acquire(
            &self.caller_quota(caller).kilobytes,
            &self.kilobytes,
            n,
        );
        held.ok_or_else(|| build_busy_rejection().with_header("connection", "close"))
    }

    /// A seat for one more listener, where there is one.
    pub(super) fn reserve_listener(&self, caller: &str) -> HttpResult<(CountGuard, CountGuard)> {
        let most = self.limits.listeners;
        let own =
            CountGuard::new_within(&self.caller_quota(caller).listeners, divide_limit(most, 4));
        own.zip(CountGuard::new_within(&self.listeners, most))
            .ok_or_else(|| {
                let why = "too many listen already; come back later";
                build_shed_rejection("listeners", 503, why, "30")
            })
    }

    /// How many listen.
    pub(super) fn listeners(&self) -> usize {
        self.listeners.load(Ordering::Relaxed)
    }
}

/// What is said when there is no place.
pub(super) fn build_busy_rejection() -> HttpRejection {
    let why = "too much is asked at once; come back in a moment";
    build_shed_rejection("busy", 503, why, "1")
}

fn build_rate_rejection(rate: f64, seconds: f64) -> HttpRejection {
    let why = format!("more than {rate} requests a second; come back in a moment");
    // Whole seconds, and never none.
    let after = format!("{:.0}", seconds.ceil().max(1.0));
    build_shed_rejection("rate", 429, why, after)
}

/// What is said when there is too much of something, and when to come back.
fn build_shed_rejection(
    of: &'static str,
    status: u16,
    why: impl Into<String>,
    after: impl Into<String>,
) -> HttpRejection {
    HttpRejection {
        shed: Some(of),
        ..HttpRejection::new(status, why).with_header("retry-after", after)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_bucket_fills_again_and_never_over() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let gate = RequestLimiter::new(ServerLimits {
            rate: 10,
            ..ServerLimits::default()
        });
        let passed = |caller: &str, ms: u64| {
            (0..100)
                .filter(|_| gate.check_rate(caller, at(ms)).is_ok())
                .count()
        };
        assert_eq!(passed("ci", 0), 20);
        assert_eq!(passed("other", 0), 20);
        assert_eq!(passed("ci", 500), 5);
        assert_eq!(passed("ci", 60_000), 20);
        let turned = gate.check_rate("ci", at(60_000)).unwrap_err();
        assert_eq!(
            (turned.status, turned.headers),
            (429, vec![("retry-after", "1".into())])
        );
    }

    #[test]
    fn what_finds_no_place_is_told_so() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let wait = Duration::from_millis(5);
            let gate = RequestLimiter::new(ServerLimits {
                at_once: 1,
                waiting: 1,
                wait,
                ..ServerLimits::default()
            });
            let place = gate.acquire_slot("ci").await.ok();
            assert_eq!(gate.places.count_running(), 1);
            let (first, second) = tokio::join!(gate.acquire_slot("ci"), gate.acquire_slot("ci"));
            assert_eq!([status(first), status(second)], [503, 503]);
            drop(place);
            assert!(gate.acquire_slot("ci").await.is_ok());
        });
    }

    fn status<T>(turned: Result<T, HttpRejection>) -> u16 {
        turned.err().map_or(200, |it| it.status)
    }

    #[test]
    fn one_pass_leaves_half_to_others() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let wait = Duration::from_millis(5);
            let gate = RequestLimiter::new(ServerLimits {
                at_once: 4,
                waiting: 2,
                wait,
                work: wait,
                ..ServerLimits::default()
            });
            let held = [
                gate.acquire_slot("ci").await.ok(),
                gate.acquire_slot("ci").await.ok(),
            ];
            assert!(held.iter().all(Option::is_some));
            let (mine, other) = tokio::join!(gate.acquire_slot("ci"), gate.acquire_slot("other"));
            assert_eq!([status(mine), status(other)], [503, 200]);
            // An agent's call does not wait for ever either.
            assert!(
                gate.wait_for_slot("ci").await.is_none()
                    && gate.wait_for_slot("other").await.is_some()
            );
            drop(held);
            assert!(gate.acquire_slot("ci").await.is_ok());
        });
    }

    #[test]
    fn one_pass_fills_neither_the_memory_nor_the_seats() {
        let gate = RequestLimiter::new(ServerLimits {
            listeners: 8,
            ..ServerLimits::default()
        });
        let big = |caller: &str| gate.reserve_body_memory(caller, 4 * 1024 * 1024);
        let mut held: Vec<_> = (0..4).map(|_| big("ci")).collect();
        assert_eq!(
            (
                held.iter().filter(|it| it.is_ok()).count(),
                status(big("ci"))
            ),
            (4, 503)
        );
        assert_eq!(status(gate.reserve_body_memory("ci", 0)), 503);
        held.extend((0..4).map(|_| big("other")));
        assert_eq!(status(gate.reserve_body_memory("third", 1)), 503);
        drop(held);
        assert_eq!(status(big("ci")), 200);
        let seats: Vec<_> = (0..2).map(|_| gate.reserve_listener("ci").ok()).collect();
        assert_eq!(
            (
                status(gate.reserve_listener("ci")),
                status(gate.reserve_listener("other")),
                gate.listeners()
            ),
            (503, 200, 2)
        );
        assert!(seats.iter().all(Option::is_some));
    }

    #[test]
    fn guesses_are_paced_together_and_nobody_else() {
        let gate = RequestLimiter::new(ServerLimits::default());
        let now = Instant::now();
        let n = (0..100)
            .filter(|_| gate.check_guess_rate(None, now).is_ok())
            .count();
        assert_eq!(
            (
                n,
                status(gate.check_guess_rate(None, now)),
                status(gate.check_rate("ci", now))
            ),
            (40, 429, 200)
        );
    }

    #[test]
    fn one_address_leaves_guesses_to_others() {
        let gate = RequestLimiter::new(ServerLimits::default());
        let now = Instant::now();
        let guess = |from: &str| status(gate.check_guess_rate(from.parse().ok(), now));
        let n = (0..100).filter(|_| guess("192.0.2.1") == 200).count();
        assert_eq!((n, guess("192.0.2.2")), (10, 200));
        // Whoever has a network of addresses has one share.
        let n = (0..100)
            .filter(|n| guess(&format!("2001:db8::{n:x}")) == 200)
            .count();
        assert_eq!((n, guess("2001:db8:0:1::1")), (10, 200));
    }

    #[test]
    fn guessers_without_number_take_no_memory_without_end() {
        let gate = RequestLimiter::new(ServerLimits::default());
        let start = Instant::now();
        let come = |n: u32, at: Instant| {
            let _ = gate.check_guess_rate(Some(std::net::Ipv4Addr::from_bits(n).into()), at);
            lock_despite_panic(&gate.guesses).len()
        };
        let most = (0..10_000).map(|n| come(n, start)).max();
        assert_eq!(most, Some(MOST_GUESSERS));
        assert_eq!(come(0, start + Duration::from_secs(5)), 1);
    }
}
