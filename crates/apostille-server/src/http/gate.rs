//! How much is taken on: so many requests a second from one pass, so many worked on at once, a few waiting. Everything
//! beyond is told to come back, which costs nothing.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Limits;
use super::answer::Turned;

/// How many seconds of its rate somebody may use at once.
const BURST_SECONDS: f64 = 2.0;

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
        *self = Self { left: (self.left + came).min(rate * BURST_SECONDS), at: now };
        if self.left < 1.0 {
            return Err((1.0 - self.left) / rate);
        }
        self.left -= 1.0;
        Ok(())
    }
}

/// What lets so many through.
pub(crate) struct Gate {
    limits: Limits,
    room: Arc<Semaphore>,
    waiting: AtomicUsize,
    buckets: Mutex<HashMap<String, Bucket>>,
}

/// One who waits, for as long as it does.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Gate {
    pub(super) fn new(limits: Limits) -> Self {
        let room = Arc::new(Semaphore::new(limits.at_once));
        Self { limits, room, waiting: AtomicUsize::new(0), buckets: Mutex::default() }
    }

    /// Turns away whoever asks too often.
    pub(super) fn paced(&self, pass: &str, now: Instant) -> Result<(), Turned> {
        let rate = f64::from(self.limits.rate);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let full = Bucket { left: rate * BURST_SECONDS, at: now };
        let bucket = buckets.entry(pass.to_owned()).or_insert(full);
        bucket.take(rate, now).map_err(|seconds| {
            let why = format!("more than {rate} requests a second; come back in a moment");
            Turned { shed: Some("rate"), ..Turned::new(429, why).with("retry-after", whole(seconds)) }
        })
    }

    /// A place to work in. Whoever waits in vain, or finds too many waiting, is turned away.
    pub(super) async fn entered(&self) -> Result<OwnedSemaphorePermit, Turned> {
        if let Ok(place) = Arc::clone(&self.room).try_acquire_owned() {
            return Ok(place);
        }
        self.is_open()?;
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let _waiting = Waiting(&self.waiting);
        let place = tokio::time::timeout(self.limits.wait, Arc::clone(&self.room).acquire_owned()).await;
        place.ok().and_then(Result::ok).ok_or_else(busy)
    }

    /// The same for whoever is in already and only waits for its turn.
    pub(crate) async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.room).acquire_owned().await.ok()
    }

    /// Turns away whoever finds too many waiting.
    pub(super) fn is_open(&self) -> Result<(), Turned> {
        match self.waiting.load(Ordering::Relaxed) < self.limits.waiting {
            true => Ok(()),
            false => Err(busy()),
        }
    }

    /// How many are worked on.
    pub(super) fn at_work(&self) -> usize {
        self.limits.at_once.saturating_sub(self.room.available_permits())
    }
}

fn busy() -> Turned {
    let turned =
        Turned::new(503, "too much is asked at once; come back in a moment").with("retry-after", "1");
    Turned { shed: Some("busy"), ..turned }
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
        let gate = Gate::new(Limits { rate: 10, ..Limits::default() });
        let passed = |pass: &str, ms: u64| (0..100).filter(|_| gate.paced(pass, at(ms)).is_ok()).count();
        assert_eq!(passed("ci", 0), 20);
        assert_eq!(passed("other", 0), 20);
        assert_eq!(passed("ci", 500), 5);
        assert_eq!(passed("ci", 60_000), 20);
        let turned = gate.paced("ci", at(60_000)).unwrap_err();
        assert_eq!((turned.status, turned.headers), (429, vec![("retry-after", "1".into())]));
    }

    #[test]
    fn what_finds_no_place_is_told_so() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let wait = Duration::from_millis(5);
            let gate = Gate::new(Limits { at_once: 1, waiting: 1, wait, ..Limits::default() });
            let place = gate.entered().await.unwrap();
            assert_eq!(gate.at_work(), 1);
            let (first, second) = tokio::join!(gate.entered(), gate.entered());
            assert_eq!((first.unwrap_err().status, second.unwrap_err().status), (503, 503));
            drop(place);
            assert!(gate.entered().await.is_ok());
        });
    }
}
