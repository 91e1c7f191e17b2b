//! Two hands for work that mostly waits for git.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::{
    sync::{Mutex, PoisonError},
    thread,
    time::Instant,
};

use anyhow::{Result, anyhow};

/// How many pieces are worked on at a time.
pub(crate) const HANDS: usize = 2;
/// How many seconds lie between two lines of progress.
const NEWS: u64 = 5;

/// Does every piece of work; the results are in the order of the items. The first error ends it.
pub(crate) fn work<T: Sync, R: Send>(
    what: &str,
    items: &[T],
    run: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let (next, done) = (
        AtomicUsize::new(0),
        Mutex::new(Vec::with_capacity(items.len())),
    );
    let (started, told) = (Instant::now(), AtomicU64::new(0));
    let hand = || -> Result<()> {
        while let Some((at, item)) = taken(&next, items) {
            let result = run(item).inspect_err(|_| next.store(items.len(), Ordering::Relaxed))?;
            done.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((at, result));
            let seconds = started.elapsed().as_secs();
            if told.fetch_max(seconds / NEWS, Ordering::Relaxed) < seconds / NEWS {
                eprintln!("bench: {what}: {} of {}, {seconds} s", at + 1, items.len());
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let hands: Vec<_> = (0..HANDS).map(|_| scope.spawn(hand)).collect();
        hands.into_iter().try_for_each(|it| {
            it.join()
                .map_err(|_| anyhow!("{what}: a thread panicked"))?
        })
    })?;
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|it| it.0);
    Ok(done.into_iter().map(|it| it.1).collect())
}

fn taken<'t, T>(next: &AtomicUsize, items: &'t [T]) -> Option<(usize, &'t T)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    items.get(at).map(|it| (at, it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_errors_end_it() {
        let items: Vec<usize> = (0..100).collect();
        assert_eq!(work("test", &items, |it| Ok(it * 2)).unwrap()[99], 198);
        let failed = work("test", &items, |it| {
            if *it == 7 {
                Err(anyhow!("seven"))
            } else {
                Ok(())
            }
        });
        assert_eq!(failed.unwrap_err().to_string(), "seven");
    }
}
