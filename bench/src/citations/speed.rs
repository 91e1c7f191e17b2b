//! The timed batch: a thousand citations, a hundred commits old, in a repository of ten thousand files.

mod import;
mod story;

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

use anyhow::{Context as _, Result, anyhow};
use apostille_cite::{
    citation::{Citation, CodeLocation},
    follow::PartialCitation,
    source::{NoRepositorySource, Source},
};
use apostille_git::{
    git::{Checkout, Commit},
    verdict_cache::{CachedSource, VerdictCacheFile},
    worktree::WorkTree,
};

use super::{
    engine::{self, Looked},
    watched::Seen,
};
use story::Story;

/// How often a batch is verified; the middle time counts.
const ROUNDS: usize = 3;

/// What the timed batch came to.
#[derive(Default)]
pub(crate) struct Speed {
    /// One row for each source.
    pub(crate) rows: Vec<Row>,
}

/// The batch over one source.
pub(crate) struct Row {
    /// Which source.
    pub(crate) source: &'static str,
    /// How many citations.
    pub(crate) citations: usize,
    /// How many of each verdict.
    pub(crate) verdicts: BTreeMap<&'static str, usize>,
    /// How long all of them took with nothing at hand.
    pub(crate) cold: Duration,
    /// What the source was asked.
    pub(crate) seen: Seen,
    /// How long all of them took with the verdicts of the first look at hand; `None` when it was not measured.
    pub(crate) warm: Option<Duration>,
}

impl Row {
    /// Milliseconds for each citation, cold.
    pub(crate) fn cold_ms(&self) -> f64 {
        self.each(self.cold) * 1e3
    }

    /// Microseconds for each citation, with a warm cache.
    pub(crate) fn warm_us(&self) -> Option<f64> {
        self.warm.map(|it| self.each(it) * 1e6)
    }

    #[expect(clippy::cast_precision_loss, reason = "a thousand citations")]
    fn each(&self, time: Duration) -> f64 {
        time.as_secs_f64() / self.citations.max(1) as f64
    }
}

fn open_cached(open: Open, checkout: &Checkout, memo: &Path) -> Result<CachedSource> {
    let memo = Arc::new(VerdictCacheFile::new(memo));
    Ok(CachedSource::with_cache(open(checkout)?, memo))
}

/// How long a second process takes: a new source and a new reader, with the findings of the first one in a file.
fn warm(open: Open, checkout: &Checkout, citations: &[&Citation], memo: &Path) -> Result<Duration> {
    engine::look(&open_cached(open, checkout, memo)?, citations);
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        times.push(engine::look(&open_cached(open, checkout, memo)?, citations).time);
    }
    times.sort();
    Ok(times[ROUNDS / 2])
}

type Open = fn(&Checkout) -> Result<Box<dyn Source>>;

/// The two sources that are timed.
const SOURCES: [(&str, Open); 2] = [
    ("commit", |it| Ok(Box::new(Commit::new(it, "HEAD")?))),
    ("working tree", |it| Ok(Box::new(WorkTree::open(it)?))),
];

/// Makes the repository below this folder and verifies the batch in it.
pub(crate) fn measured(dir: &Path) -> Result<Speed> {
    let root = dir.join("large");
    eprintln!(
        "bench: making a repository of {} files and {} commits",
        story::FILES,
        story::COMMITS
    );
    let story = Story::default();
    let places = story.places()?;
    import::made(&root, story).context("the repository for the timed batch cannot be made")?;
    let checkout =
        Checkout::discover(&root)?.context("the repository for the timed batch is not found")?;
    let citations = captured(&checkout, &places)?;
    let citations: Vec<&Citation> = citations.iter().collect();
    let rows = SOURCES
        .iter()
        .map(|(name, open)| row(name, *open, &checkout, &citations, dir));
    Ok(Speed {
        rows: rows.collect::<Result<_>>()?,
    })
}

/// The citations as they were captured at the first commit.
fn captured(checkout: &Checkout, places: &[CodeLocation]) -> Result<Vec<Citation>> {
    let first = Commit::new(checkout, &format!("HEAD~{}", story::COMMITS))?;
    let captured = places.iter().map(|place| {
        let pin = PartialCitation {
            place: place.clone(),
            commit: None,
            digest: None,
            text: None,
        };
        pin.resolve_citation(Some(&first), &NoRepositorySource)
            .map_err(|it| anyhow!("{place} cannot be cited: {it:?}"))
    });
    captured.collect()
}

fn row(
    source: &'static str,
    open: Open,
    checkout: &Checkout,
    citations: &[&Citation],
    memo: &Path,
) -> Result<Row> {
    eprintln!(
        "bench: verifying {} citations in the {source}",
        citations.len()
    );
    let mut looks = Vec::new();
    for _ in 0..ROUNDS {
        let source = open(checkout)?;
        looks.push(engine::look(&*source, citations));
    }
    looks.sort_by_key(|it| it.time);
    let middle = looks.swap_remove(ROUNDS / 2);
    let memo = memo.join(format!("{}.memo", source.replace(' ', "-")));
    let warm = Some(warm(open, checkout, citations, &memo)?);
    let mut verdicts = BTreeMap::new();
    middle
        .sights
        .iter()
        .for_each(|it| *verdicts.entry(it.verdict.as_str()).or_default() += 1);
    let Looked {
        time: cold, seen, ..
    } = middle;
    Ok(Row {
        source,
        citations: citations.len(),
        verdicts,
        cold,
        seen,
        warm,
    })
}
