//! One thing is done to each of many, on as many threads as there are cores.

use std::thread;

/// How many are worth a thread.
const MANY: usize = 256;
/// How many threads there are at most: beside them one reads and writes the file.
const MOST_THREADS: usize = 4;

/// How many threads there are.
pub(super) fn count_worker_threads() -> usize {
    thread::available_parallelism()
        .map_or(1, usize::from)
        .min(MOST_THREADS)
}

/// What the work makes of each, in their order; a few are done here and now.
pub(super) fn map_maybe_parallel<T: Sync, U: Send>(
    all: &[T],
    work: impl Fn(&T) -> U + Sync,
) -> Vec<U> {
    if all.len() < MANY {
        all.iter().map(work).collect()
    } else {
        map_parallel(all, work)
    }
}

/// The same for things that are worth a thread even when there are two.
pub(super) fn map_parallel<T: Sync, U: Send>(all: &[T], work: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let (share, work) = (all.len().div_ceil(count_worker_threads()).max(1), &work);
    thread::scope(|scope| {
        let threads: Vec<_> = all
            .chunks(share)
            .map(|part| scope.spawn(move || <[T]>::iter(part).map(work).collect::<Vec<U>>()))
            .collect();
        threads
            .into_iter()
            .flat_map(|it| unwrap_joined(it.join()))
            .collect()
    })
}

/// What a thread came to; where it panicked, so does this one.
pub(super) fn unwrap_joined<U>(joined: thread::Result<U>) -> U {
    joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_stays() {
        for n in [0, 1, 2, 3, MANY - 1, MANY, MANY * 4 + 3] {
            let all: Vec<usize> = (0..n).collect();
            let twice: Vec<usize> = all.iter().map(|it| it * 2).collect();
            assert_eq!(map_maybe_parallel(&all, |it| it * 2), twice);
            assert_eq!(map_parallel(&all, |it| it * 2), twice);
        }
    }
}
