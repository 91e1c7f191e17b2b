//! Filling stores: through the same import as everybody's, with the file in memory so that no write waits for a disk.

use std::fs::{self, File};
use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Result;
use tempfile::TempDir;

use crate::{
    budget::Budget,
    ours::{Code, Ours, PER_SPACE},
    scratch,
};

/// How many spaces are filled in turns, so that their rows mix in the file as they would in use.
const IN_TURNS: usize = 10;
/// How many memories are imported between two looks at the clock.
const STEP: usize = 500;

/// A store that grows.
pub(crate) struct Filling<'a> {
    code: &'a Code,
    folder: TempDir,
    count: usize,
    time: Duration,
}

impl<'a> Filling<'a> {
    /// An empty store: in memory where there is such a folder, else in the scratch folder.
    pub(crate) fn new(code: &'a Code, disk: &Path) -> Result<Self> {
        let folder = match scratch::in_memory() {
            Some(folder) => folder,
            None => TempDir::new_in(disk)?,
        };
        Ok(Self {
            code,
            folder,
            count: 0,
            time: Duration::ZERO,
        })
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("store.db")
    }

    /// Grows to so many memories in spaces of a thousand. `false`: there is not time enough.
    pub(crate) fn grow(&mut self, count: usize, budget: &Budget) -> Result<bool> {
        let order = (self.count..count).map(|at| in_turns(at, count));
        self.import(order, budget)
    }

    /// Grows one space, the first, to so many memories.
    pub(crate) fn grow_one(&mut self, count: usize, budget: &Budget) -> Result<bool> {
        self.import((self.count..count).map(|at| (0, at)), budget)
    }

    fn import(
        &mut self,
        order: impl ExactSizeIterator<Item = (usize, usize)>,
        budget: &Budget,
    ) -> Result<bool> {
        if !budget.has(self.forecast(order.len())) {
            return Ok(false);
        }
        let ours = Ours::open(&self.path(), self.code)?;
        let started = Instant::now();
        for (space, index) in order {
            if self.count.is_multiple_of(STEP) && !budget.has(Duration::ZERO) {
                return Ok(false);
            }
            ours.import(space, index)?;
            self.count += 1;
        }
        self.time += started.elapsed();
        Ok(true)
    }

    /// How long it will take to import so many more, by what it took so far.
    fn forecast(&self, more: usize) -> Duration {
        let each = if self.count == 0 {
            0.0
        } else {
            self.time.as_secs_f64() / self.count as f64
        };
        Duration::from_secs_f64(each * more as f64)
    }

    /// Copies the store to the disk, and waits until it is there.
    pub(crate) fn copy_to(&self, path: &Path) -> Result<u64> {
        let size = fs::copy(self.path(), path)?;
        File::open(path)?.sync_all()?;
        Ok(size)
    }

    /// What the filling took, for each memory.
    pub(crate) fn pace(&self) -> Duration {
        self.forecast(1)
    }
}

/// The space and the index within it of the memory that is imported as number `at` on the way to `count`.
fn in_turns(at: usize, count: usize) -> (usize, usize) {
    let group = IN_TURNS * PER_SPACE;
    // The first space is filled alone: it is the first store.
    if at < PER_SPACE || count <= PER_SPACE {
        return (at / PER_SPACE, at % PER_SPACE);
    }
    let (first, within) = if at < group {
        (1, at - PER_SPACE)
    } else {
        (at / group * IN_TURNS, at % group)
    };
    let spaces = if first == 1 { IN_TURNS - 1 } else { IN_TURNS };
    (first + within % spaces, within / spaces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_space_gets_its_thousand() {
        let all: BTreeSet<(usize, usize)> = (0..100_000).map(|at| in_turns(at, 100_000)).collect();
        let expected: BTreeSet<(usize, usize)> = (0..100)
            .flat_map(|space| (0..PER_SPACE).map(move |index| (space, index)))
            .collect();
        assert_eq!(all, expected);
        let small: BTreeSet<(usize, usize)> = (0..10_000).map(|at| in_turns(at, 10_000)).collect();
        assert!(small.iter().all(|it| it.0 < 10) && small.len() == 10_000);
    }
}
