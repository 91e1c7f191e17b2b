//! Do files that changed together go on changing together? The pairs that `reflect` finds in a history without its last commits, held
//! against those.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use apostille_git::git::Checkout;
use apostille_reflect::cochange::{ChangeHistory, CoChangeLimits, FilePair, is_obvious_pair};

/// How many commits are predicted, and how many before them are learned from.
const PREDICTED: usize = 200;
const LEARNED: usize = 1_000;
/// How many pairs are taken.
const TAKEN: usize = 10;

/// Prints the figures of each history.
pub(crate) fn run(repositories: &[PathBuf]) -> Result<()> {
    println!(
        "the {TAKEN} best pairs of {LEARNED} commits, held against the {PREDICTED} commits that follow\n"
    );
    println!(
        "repository                     pairs                 found  precision at {TAKEN}  together when one changes  base rate: pairs  together"
    );
    for path in repositories {
        measure_history(path).with_context(|| format!("cannot read {}", path.display()))?;
    }
    Ok(())
}

fn measure_history(path: &Path) -> Result<()> {
    let checkout = Checkout::open_bare(path)?.context("there is no git directory")?;
    let head = checkout.read_head()?.commit.context("there is no commit")?;
    let commits = checkout.read_commit_messages(None, &head, LEARNED + PREDICTED)?;
    let files: Vec<Vec<String>> = commits.into_iter().map(|it| it.files).collect();
    let (later, earlier) = files.split_at(PREDICTED.min(files.len()));
    let history = ChangeHistory::from_changes(earlier);
    let limits = CoChangeLimits::default();
    let base = measure_pairs(&list_active_pairs(&history, limits.support), later);
    // Ten pairs, however unsure; and those that would be proposed, which are fewer.
    let ranked = history.find_pairs(&CoChangeLimits {
        share: 0.0,
        ..limits
    });
    let all = history.find_pairs(&limits);
    let plain: Vec<FilePair> = all
        .iter()
        .filter(|it| !is_obvious_pair(it))
        .cloned()
        .collect();
    let name = path.parent().and_then(Path::file_name).unwrap_or_default();
    for (told, pairs) in [("ranked", &ranked), ("told", &all), ("proposed", &plain)] {
        let best: Vec<(&str, &str)> = pairs
            .iter()
            .take(TAKEN)
            .map(|it| (it.a.as_str(), it.b.as_str()))
            .collect();
        let figures = measure_pairs(&best, later);
        println!(
            "{:<30} {told:<20} {:>6}  {:>15.2}  {:>25.2}  {:>16.3}  {:>8.3}",
            name.to_string_lossy(),
            pairs.len(),
            figures.again,
            figures.together,
            base.again,
            base.together
        );
    }
    for it in plain.iter().take(TAKEN) {
        println!("    {} + {}  {}/{}", it.a, it.b, it.both, it.either);
    }
    Ok(())
}

/// Every pair of files that changed often.
fn list_active_pairs(history: &ChangeHistory, support: u32) -> Vec<(&str, &str)> {
    let files: Vec<&str> = history.list_active_files(support).collect();
    let pairs = files.iter().enumerate();
    pairs
        .flat_map(|(n, a)| files[n + 1..].iter().map(move |b| (*a, *b)))
        .collect()
}

struct PairFigures {
    /// The share of pairs that change together again.
    again: f64,
    /// The share of the later changes of either that are changes of both.
    together: f64,
}

#[expect(clippy::cast_precision_loss, reason = "a share needs no more")]
fn measure_pairs(pairs: &[(&str, &str)], later: &[Vec<String>]) -> PairFigures {
    let changes: Vec<BTreeSet<&str>> = later
        .iter()
        .map(|it| it.iter().map(String::as_str).collect())
        .collect();
    let (mut again, mut both, mut either) = (0, 0, 0);
    for (a, b) in pairs {
        let has = |it: &&BTreeSet<&str>| it.contains(a) || it.contains(b);
        let has_both = |it: &&BTreeSet<&str>| it.contains(a) && it.contains(b);
        let n = changes.iter().filter(has_both).count();
        again += usize::from(n > 0);
        both += n;
        either += changes.iter().filter(has).count();
    }
    let share = |n: usize, of: usize| if of == 0 { 0.0 } else { n as f64 / of as f64 };
    PairFigures {
        again: share(again, pairs.len()),
        together: share(both, either),
    }
}
