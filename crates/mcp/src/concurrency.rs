//! How much is worked on at once, whoever asks: so many calls, a few waiting, and no caller takes all of it.
//!
//! The agents' protocol and the socket share one limit, because they share the machine and the store.

use std::collections::HashMap;
use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Something that goes on, counted as long as it does.
pub struct CountGuard(Arc<AtomicUsize>);

impl CountGuard {
    /// Counts one more until it is dropped.
    pub fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }

    /// One more, unless there are so many already.
    pub fn new_within(count: &Arc<AtomicUsize>, most: usize) -> Option<Self> {
        let one = Self::new(count);
        (count.load(Ordering::Relaxed) <= most).then_some(one)
    }
}

impl Drop for CountGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Tells work that it is time to stop looking things up, when nobody waits for it any more.
#[derive(Default)]
pub struct CancelOnDrop(pub Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What a caller holds until it is dropped: a part of the caller's own share, and of the whole.
pub struct ConcurrencyPermit {
    _own: OwnedSemaphorePermit,
    _place: OwnedSemaphorePermit,
}

impl ConcurrencyPermit {
    /// Takes `n` from both, or nothing.
    pub fn try_acquire(own: &Arc<Semaphore>, whole: &Arc<Semaphore>, n: u32) -> Option<Self> {
        Some(Self {
            _own: Arc::clone(own).try_acquire_many_owned(n).ok()?,
            _place: Arc::clone(whole).try_acquire_many_owned(n).ok()?,
        })
    }

    async fn acquire_one(own: &Arc<Semaphore>, whole: &Arc<Semaphore>) -> Option<Self> {
        Some(Self {
            _own: Arc::clone(own).acquire_owned().await.ok()?,
            _place: Arc::clone(whole).acquire_owned().await.ok()?,
        })
    }
}

/// The content of a mutex, also where somebody panicked with it: what is kept behind one here is whole at any time.
pub fn lock_despite_panic<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A fraction of a limit, at least 1.
pub fn divide_limit(most: usize, of: usize) -> usize {
    (most / of).max(1)
}

/// What one caller takes up, so that it leaves something to others.
struct CallerShare {
    room: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
}

/// Lets so many calls be worked on at once, and so many wait; one caller gets at most half of either.
pub struct ConcurrencyLimit {
    at_once: usize,
    queue: usize,
    room: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    shares: Mutex<HashMap<String, Arc<CallerShare>>>,
}

impl ConcurrencyLimit {
    /// A limit of this many at once, with a queue of this length behind them.
    pub fn new(at_once: usize, queue: usize) -> Self {
        Self {
            at_once,
            queue,
            room: Arc::new(Semaphore::new(at_once)),
            waiting: Arc::default(),
            shares: Mutex::default(),
        }
    }

    fn caller_share(&self, caller: &str) -> Arc<CallerShare> {
        let new_share = || {
            Arc::new(CallerShare {
                room: Arc::new(Semaphore::new(divide_limit(self.at_once, 2))),
                waiting: Arc::default(),
            })
        };
        let mut shares = lock_despite_panic(&self.shares);
        Arc::clone(shares.entry(caller.to_owned()).or_insert_with(new_share))
    }

    /// A place to work in; `None` where too many wait already, or the wait takes too long.
    pub async fn acquire_permit(
        &self,
        caller: &str,
        patience: Duration,
    ) -> Option<ConcurrencyPermit> {
        let share = self.caller_share(caller);
        if let Some(held) = ConcurrencyPermit::try_acquire(&share.room, &self.room, 1) {
            return Some(held);
        }
        let _own = CountGuard::new_within(&share.waiting, divide_limit(self.queue, 2))?;
        let _all = CountGuard::new_within(&self.waiting, self.queue)?;
        let place = ConcurrencyPermit::acquire_one(&share.room, &self.room);
        tokio::time::timeout(patience, place).await.ok().flatten()
    }

    /// Whether a caller may still wait for a place.
    pub fn can_wait(&self, caller: &str) -> bool {
        let is_room = |count: &AtomicUsize, most: usize| count.load(Ordering::Relaxed) < most;
        is_room(
            &self.caller_share(caller).waiting,
            divide_limit(self.queue, 2),
        ) && is_room(&self.waiting, self.queue)
    }

    /// How many are worked on.
    pub fn count_running(&self) -> usize {
        self.at_once.saturating_sub(self.room.available_permits())
    }
}
