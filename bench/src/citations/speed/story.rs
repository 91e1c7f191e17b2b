//! How the repository of the timed batch came to be: the same files and the same commits on every machine.

use std::collections::{BTreeSet, HashMap};

use anyhow::Result;
use apostille_cite::citation::CodeLocation;

use crate::facts::{self, Dice};

/// How many files the first commit has.
pub(super) const FILES: usize = 10_000;
/// How many commits come after it.
pub(super) const COMMITS: usize = 100;
/// How many places are cited.
const CITATIONS: usize = 1_000;
/// How many files a commit touches, give or take five.
const TOUCHED: usize = 30;
/// Stretches the ranks of files over all of them; it has no factor in common with their number.
const STRIDE: usize = 7_919;

/// A file as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct File {
    path: String,
    lines: Vec<String>,
}

impl File {
    /// The file with this number, as the first commit has it.
    fn first(number: usize) -> Self {
        let lines = (0..length(number))
            .map(|line| facts::code(number, line))
            .collect();
        Self {
            path: facts::path(number),
            lines,
        }
    }

    fn write(&self) -> Change {
        Change::Write {
            path: self.path.clone(),
            text: self.lines.join("\n") + "\n",
        }
    }
}

/// 20 to 400 lines, more short files than long ones.
fn length(number: usize) -> usize {
    let mut dice = Dice::new(number, 0, 11);
    20 + dice.below(381).min(dice.below(381))
}

/// What a commit does to one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// It is written.
    Write {
        /// The path.
        path: String,
        /// The whole content.
        text: String,
    },
    /// It is deleted.
    Delete {
        /// The path.
        path: String,
    },
}

/// The files as they stand, as far as they differ from the first commit.
#[derive(Debug, Default)]
pub(super) struct Story {
    /// `None` for a deleted file.
    touched: HashMap<usize, Option<File>>,
}

impl Story {
    /// What the first commit writes.
    pub(super) fn beginning() -> impl Iterator<Item = Change> {
        (0..FILES).map(|it| File::first(it).write())
    }

    /// Places that are cited at the first commit, more of them in files that are often edited.
    pub(super) fn places(&self) -> Result<Vec<CodeLocation>> {
        let place = |at: usize| {
            let mut dice = Dice::new(at, 0, 12);
            let number = chosen(&mut dice);
            let start = 1 + dice.below(length(number) - 10);
            let end = start + dice.below(10);
            Ok(CodeLocation::new(
                &facts::path(number),
                u32::try_from(start)?,
                u32::try_from(end)?,
            )?)
        };
        (0..CITATIONS).map(place).collect()
    }

    /// What the next commit does.
    pub(super) fn commit(&mut self, commit: usize) -> Vec<Change> {
        let mut dice = Dice::new(commit, 0, 13);
        let wanted = TOUCHED - 5 + dice.below(11);
        let mut seen = BTreeSet::new();
        let mut changes = Vec::new();
        while seen.len() < wanted {
            let number = chosen(&mut dice);
            let is_quiet = !self.touched.contains_key(&number);
            let file = self
                .touched
                .entry(number)
                .or_insert_with(|| Some(File::first(number)));
            let Some(is) = file.as_mut().filter(|_| seen.insert(number)) else {
                continue;
            };
            let was = is.path.clone();
            let mut fresh = Fresh {
                commit,
                number,
                next: 0,
            };
            let (wants_deletion, block) = edit(is, &mut fresh, &mut dice);
            // What is deleted is what nobody works on.
            let is_deleted = wants_deletion && is_quiet;
            if is_deleted || is.path != was {
                changes.push(Change::Delete { path: was });
            }
            if is_deleted {
                *file = None;
            } else {
                changes.push(is.write());
            }
            self.receive(block, &mut seen, &mut changes, &mut dice);
        }
        changes
    }

    /// Puts a block that left its file into another one.
    fn receive(
        &mut self,
        block: Vec<String>,
        seen: &mut BTreeSet<usize>,
        changes: &mut Vec<Change>,
        dice: &mut Dice,
    ) {
        while !block.is_empty() {
            let number = chosen(dice);
            let file = self
                .touched
                .entry(number)
                .or_insert_with(|| Some(File::first(number)));
            if let Some(file) = file.as_mut().filter(|_| seen.insert(number)) {
                let at = dice.below(file.lines.len());
                file.lines.splice(at..at, block);
                changes.push(file.write());
                return;
            }
        }
    }
}

/// A file: half of the time one of the few that everybody edits.
fn chosen(dice: &mut Dice) -> usize {
    if dice.below(2) == 0 {
        dice.below(FILES)
    } else {
        dice.zipf(FILES) * STRIDE % FILES
    }
}

/// Lines that no file had before.
struct Fresh {
    commit: usize,
    number: usize,
    next: usize,
}

impl Fresh {
    fn lines(&mut self, n: usize) -> Vec<String> {
        let from = self.next;
        self.next += n;
        (from..self.next)
            .map(|it| facts::code(FILES + self.commit * FILES + self.number, it))
            .collect()
    }
}

/// Edits a file. The answer is whether it may be deleted instead, and lines that leave it for another one.
fn edit(file: &mut File, fresh: &mut Fresh, dice: &mut Dice) -> (bool, Vec<String>) {
    let at = dice.below(file.lines.len());
    match dice.below(100) {
        0..45 => replace(file, at, 1 + dice.below(3), fresh),
        45..72 => {
            // Most insertions are imports and new functions above what is there.
            let at = if dice.below(2) == 0 { at.min(10) } else { at };
            let lines = fresh.lines(1 + dice.below(12));
            file.lines.splice(at..at, lines);
        }
        72..80 => {
            file.path = renamed(&file.path, fresh.commit);
            if dice.below(2) == 0 {
                replace(file, at, 1, fresh);
            }
        }
        80..88 => {
            let block = taken(file, at, 5 + dice.below(15));
            let to = dice.below(file.lines.len() + 1);
            file.lines.splice(to..to, block);
        }
        88..93 => return (false, taken(file, at, 5 + dice.below(15))),
        93..97 => drop(taken(file, at, 1 + dice.below(8))),
        _ => {
            replace(file, at, 1, fresh);
            return (true, Vec::new());
        }
    }
    (false, Vec::new())
}

fn replace(file: &mut File, at: usize, n: usize, fresh: &mut Fresh) {
    let end = (at + n).min(file.lines.len());
    file.lines.splice(at..end, fresh.lines(end - at));
}

/// Takes lines out of a file, but never all of them.
fn taken(file: &mut File, at: usize, n: usize) -> Vec<String> {
    let n = n.min(file.lines.len() / 3);
    let at = at.min(file.lines.len() - n);
    file.lines.drain(at..at + n).collect()
}

/// The file under another name, or in another folder.
fn renamed(path: &str, commit: usize) -> String {
    match path.rsplit_once('/') {
        Some((folder, name)) if commit.is_multiple_of(2) => {
            format!("{folder}/part_{commit}/{name}")
        }
        _ => path.replacen(".rs", &format!("_{commit}.rs"), 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_story_is_the_same_each_time_and_touches_about_thirty_files() {
        let [mut one, mut other] = <[Story; 2]>::default();
        for commit in 1..=5 {
            let changes = one.commit(commit);
            assert_eq!(changes, other.commit(commit));
            let n_written = changes
                .iter()
                .filter(|it| matches!(it, Change::Write { .. }))
                .count();
            assert!((20..=40).contains(&n_written), "{n_written}");
        }
    }

    #[test]
    fn places_are_inside_their_files() {
        let places = Story::default().places().unwrap();
        assert_eq!(places.len(), CITATIONS);
        assert!((0..FILES).all(|it| (20..=400).contains(&length(it))));
    }

    #[test]
    fn files_are_stretched_over_all() {
        let all: BTreeSet<usize> = (0..FILES).map(|it| it * STRIDE % FILES).collect();
        assert_eq!(all.len(), FILES);
    }
}
