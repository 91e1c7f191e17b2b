//! How much is taken on: so many requests a second from one pass, so many worked on at once, a few waiting. Everything
//! beyond is told to come back, which costs nothing.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::Semaphore;

use super::Limits;
use super::answer::Turned;
pub(super) use apostille_mcp::concurrency::Held;
use apostille_mcp::concurrency::{ConcurrencyLimit, Counted, part};

/// How many seconds of its rate somebody may use at once.
const BURST_SECONDS: f64 = 2.0;
/// How often a second a wrong token, session or link is heard out.
const GUESSES: f64 = 20.0;
/// How much of what requests send is held at once.
const KILOBYTES: usize = 32 * 1024;

/// What somebody has left, and since when.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    /// Takes one out, after what has come in since; how many seconds to wait where there is none.
    fn take(&mut self, rate: f64, now: Instant) -> Result<(), f64> {
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
}

/// What one pass takes up beside its places, so that it leaves something to others.
struct Share {
    kilobytes: Arc<Semaphore>,
    listeners: Arc<AtomicUsize>,
}

impl Default for Share {
    fn default() -> Self {
        Self {
            kilobytes: Arc::new(Semaphore::new(KILOBYTES / 2)),
            listeners: Arc::default(),
        }
    }
}

/// What lets so many through.
pub(super) struct Gate {
    limits: Limits,
    /// How many are worked on, which the agents' protocol shares.
    pub(super) places: Arc<ConcurrencyLimit>,
    kilobytes: Arc<Semaphore>,
    listeners: Arc<AtomicUsize>,
    buckets: Mutex<HashMap<String, Bucket>>,
    shares: Mutex<HashMap<String, Arc<Share>>>,
}

impl Gate {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            places: Arc::new(ConcurrencyLimit::new(limits.at_once, limits.waiting)),
            kilobytes: Arc::new(Semaphore::new(KILOBYTES)),
            listeners: Arc::default(),
            buckets: Mutex::default(),
            shares: Mutex::default(),
        }
    }

    /// Turns away whoever asks too often.
    pub(super) fn paced(&self, pass: &str, now: Instant) -> Result<(), Turned> {
        self.taken(pass, f64::from(self.limits.rate), now)
    }

    /// Turns away those who bring nothing that is known, all of them together, when they try too often.
    pub(super) fn guessed(&self, now: Instant) -> Result<(), Turned> {
        self.taken("", GUESSES, now)
    }

    fn taken(&self, pass: &str, rate: f64, now: Instant) -> Result<(), Turned> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let full = Bucket {
            left: rate * BURST_SECONDS,
            at: now,
        };
        let bucket = buckets.entry(pass.to_owned()).or_insert(full);
        bucket.take(rate, now).map_err(|seconds| {
            let why = format!("more than {rate} requests a second; come back in a moment");
            Turned {
                shed: Some("rate"),
                ..Turned::new(429, why).with("retry-after", whole(seconds))
            }
        })
    }

    fn share(&self, pass: &str) -> Arc<Share> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(shares.entry(pass.to_owned()).or_default())
    }

    /// A place to work in. Whoever waits in vain, or finds too many waiting, is turned away.
    pub(super) async fn entered(&self, pass: &str) -> Result<Held, Turned> {
        let place = self.places.acquire(pass, self.limits.wait).await;
        place.ok_or_else(busy)
    }

    /// The same for whoever is in already and only waits for its turn; none where that takes too long.
    pub(super) async fn turn(&self, pass: &str) -> Option<Held> {
        self.places.acquire(pass, self.limits.work).await
    }

    /// Turns away whoever finds too many waiting.
    pub(super) fn is_open(&self, pass: &str) -> Result<(), Turned> {
        self.places.may_wait(pass).then_some(()).ok_or_else(busy)
    }

    /// Room for what a request sends, until it is worked on.
    pub(super) fn weighed(&self, pass: &str, bytes: usize) -> Result<Held, Turned> {
        let n = u32::try_from(bytes.div_ceil(1024).max(1)).unwrap_or(u32::MAX);
        let held = Held::try_take(&self.share(pass).kilobytes, &self.kilobytes, n);
        held.ok_or_else(|| busy().with("connection", "close"))
    }

    /// A seat for one more listener, where there is one.
    pub(super) fn seat(&self, pass: &str) -> Result<(Counted, Counted), Turned> {
        let most = self.limits.listeners;
        let own = Counted::within(&self.share(pass).listeners, part(most, 4));
        own.zip(Counted::within(&self.listeners, most))
            .ok_or_else(|| {
                let turned = Turned::new(503, "too many listen already; come back later");
                Turned {
                    shed: Some("listeners"),
                    ..turned.with("retry-after", "30")
                }
            })
    }

    /// How many are worked on.
    pub(super) fn at_work(&self) -> usize {
        self.places.at_work()
    }

    /// How many listen.
    pub(super) fn listeners(&self) -> usize {
        self.listeners.load(Ordering::Relaxed)
    }
}

/// What is said when there is no place.
pub(super) fn busy() -> Turned {
    let turned = Turned::new(503, "too much is asked at once; come back in a moment")
        .with("retry-after", "1");
    Turned {
        shed: Some("busy"),
        ..turned
    }
}

/// Whole seconds, and never none.
fn whole(seconds: f64) -> String {
    format!("{:.0}", seconds.ceil().max(1.0))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_bucket_fills_again_and_never_over() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let gate = Gate::new(Limits {
            rate: 10,
            ..Limits::default()
        });
        let passed = |pass: &str, ms: u64| {
            (0..100)
                .filter(|_| gate.paced(pass, at(ms)).is_ok())
                .count()
        };
        assert_eq!(passed("ci", 0), 20);
        assert_eq!(passed("other", 0), 20);
        assert_eq!(passed("ci", 500), 5);
        assert_eq!(passed("ci", 60_000), 20);
        let turned = gate.paced("ci", at(60_000)).unwrap_err();
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
            let gate = Gate::new(Limits {
                at_once: 1,
                waiting: 1,
                wait,
                ..Limits::default()
            });
            let place = gate.entered("ci").await.ok();
            assert_eq!(gate.at_work(), 1);
            let (first, second) = tokio::join!(gate.entered("ci"), gate.entered("ci"));
            assert_eq!([status(first), status(second)], [503, 503]);
            drop(place);
            assert!(gate.entered("ci").await.is_ok());
        });
    }

    fn status<T>(turned: Result<T, Turned>) -> u16 {
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
            let gate = Gate::new(Limits {
                at_once: 4,
                waiting: 2,
                wait,
                work: wait,
                ..Limits::default()
            });
            let held = [gate.entered("ci").await.ok(), gate.entered("ci").await.ok()];
            assert!(held.iter().all(Option::is_some));
            let (mine, other) = tokio::join!(gate.entered("ci"), gate.entered("other"));
            assert_eq!([status(mine), status(other)], [503, 200]);
            // An agent's call does not wait for ever either.
            assert!(gate.turn("ci").await.is_none() && gate.turn("other").await.is_some());
            drop(held);
            assert!(gate.entered("ci").await.is_ok());
        });
    }

    #[test]
    fn one_pass_fills_neither_the_memory_nor_the_seats() {
        let gate = Gate::new(Limits {
            listeners: 8,
            ..Limits::default()
        });
        let big = |pass: &str| gate.weighed(pass, 4 * 1024 * 1024);
        let mut held: Vec<_> = (0..4).map(|_| big("ci")).collect();
        assert_eq!(
            (
                held.iter().filter(|it| it.is_ok()).count(),
                status(big("ci"))
            ),
            (4, 503)
        );
        assert_eq!(status(gate.weighed("ci", 0)), 503);
        held.extend((0..4).map(|_| big("other")));
        assert_eq!(status(gate.weighed("third", 1)), 503);
        drop(held);
        assert_eq!(status(big("ci")), 200);
        let seats: Vec<_> = (0..2).map(|_| gate.seat("ci").ok()).collect();
        assert_eq!(
            (
                status(gate.seat("ci")),
                status(gate.seat("other")),
                gate.listeners()
            ),
            (503, 200, 2)
        );
        assert!(seats.iter().all(Option::is_some));
    }

    #[test]
    fn guesses_are_paced_together_and_nobody_else() {
        let gate = Gate::new(Limits::default());
        let now = Instant::now();
        let n = (0..100).filter(|_| gate.guessed(now).is_ok()).count();
        assert_eq!(
            (n, status(gate.guessed(now)), status(gate.paced("ci", now))),
            (40, 429, 200)
        );
    }
}
