//! A source that is watched: how often it is asked, how long it takes to answer, and what it could not tell.

use std::collections::BTreeSet;
use std::{
    fmt::Display,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use apostille_cite::{
    citation::RepoPath,
    source::{CommitHistory, FileEdit, Source, SourceBlob, SourceError, SourceTree, VerdictCache},
};

/// What a source is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// A file, or which tree it is.
    Files,
    /// How the tree came to be.
    History,
    /// Older versions of files.
    Objects,
    /// Every file of the tree.
    Visit,
    /// What the working tree holds otherwise than its commit.
    Edits,
}

/// The parts that a look is made of: what the source was asked for.
pub(crate) const PARTS: [(Asked, &str); 5] = [
    (Asked::Files, "files"),
    (Asked::History, "history"),
    (Asked::Objects, "objects"),
    (Asked::Visit, "visit"),
    (Asked::Edits, "edits"),
];

/// How often, and how long in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    /// How often.
    pub(crate) calls: usize,
    /// How long in all.
    pub(crate) time: Duration,
}

/// What was seen of a source.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    tallies: [Tally; PARTS.len()],
    /// How many steps the histories had.
    pub(crate) steps: usize,
    /// What could not be read.
    pub(crate) failures: Vec<String>,
}

impl Seen {
    /// How often it was asked for this, and how long that took.
    pub(crate) fn tally(&self, asked: Asked) -> Tally {
        self.tallies[asked as usize]
    }

    /// How long the source took in all.
    pub(crate) fn time(&self) -> Duration {
        self.tallies.iter().map(|it| it.time).sum()
    }

    /// Adds what was seen of another source.
    pub(crate) fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.tallies.iter_mut().zip(&other.tallies) {
            mine.calls += theirs.calls;
            mine.time += theirs.time;
        }
        self.steps += other.steps;
        self.failures.extend(other.failures.iter().cloned());
    }

    fn note(&mut self, asked: Asked, time: Duration) {
        let tally = &mut self.tallies[asked as usize];
        tally.calls += 1;
        tally.time += time;
    }
}

/// The source with somebody watching.
pub(crate) struct Watched<'s> {
    inner: &'s dyn Source,
    seen: Mutex<Seen>,
}

impl<'s> Watched<'s> {
    /// Watches this source.
    pub(crate) fn new(inner: &'s dyn Source) -> Self {
        Self {
            inner,
            seen: Mutex::default(),
        }
    }

    /// What was seen so far.
    pub(crate) fn seen(&self) -> Seen {
        self.with(|it| it.clone())
    }

    fn with<T>(&self, work: impl FnOnce(&mut Seen) -> T) -> T {
        work(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn ask<T>(
        &self,
        asked: Asked,
        work: impl FnOnce() -> Result<T, SourceError>,
    ) -> Result<T, SourceError> {
        let started = Instant::now();
        let answer = work();
        let time = started.elapsed();
        self.with(|it| it.note(asked, time));
        answer.inspect_err(|error| self.failed(error.format_with_causes()))
    }

    fn failed(&self, why: impl Display) {
        self.with(|it| it.failures.push(why.to_string()));
    }
}

impl Source for Watched<'_> {
    fn read_tree(&self) -> Result<SourceTree, SourceError> {
        self.ask(Asked::Files, || self.inner.read_tree())
    }

    fn read_file(&self, path: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
        self.ask(Asked::Files, || self.inner.read_file(path))
    }

    fn file_id(&self, path: &RepoPath) -> Option<String> {
        self.ask(Asked::Files, || Ok(self.inner.file_id(path)))
            .ok()
            .flatten()
    }

    fn verdict_cache(&self) -> Option<&dyn VerdictCache> {
        self.inner.verdict_cache()
    }

    fn walk_history(
        &self,
        from: &BTreeSet<String>,
        most: usize,
    ) -> Result<CommitHistory, SourceError> {
        let history = self.ask(Asked::History, || self.inner.walk_history(from, most))?;
        self.with(|it| it.steps += history.steps.len());
        Ok(history)
    }

    fn read_object(&self, id: &str) -> Result<Option<Vec<u8>>, SourceError> {
        let object = self.ask(Asked::Objects, || self.inner.read_object(id))?;
        if object.is_none() {
            self.failed(format_args!("object {id} is not in this clone"));
        }
        Ok(object)
    }

    fn list_uncommitted_edits(&self) -> Result<Vec<FileEdit>, SourceError> {
        self.ask(Asked::Edits, || self.inner.list_uncommitted_edits())
    }

    /// What the visitor does with a file is not the source's time.
    fn visit_files(
        &self,
        see: &mut dyn FnMut(&RepoPath, &SourceBlob) -> bool,
    ) -> Result<bool, SourceError> {
        let started = Instant::now();
        let mut outside = Duration::ZERO;
        let answer = self.inner.visit_files(&mut |path, blob| {
            let started = Instant::now();
            let goes_on = see(path, blob);
            outside += started.elapsed();
            goes_on
        });
        self.with(|it| it.note(Asked::Visit, started.elapsed().saturating_sub(outside)));
        answer.inspect_err(|error| self.failed(error.format_with_causes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use apostille_cite::source::NoRepositorySource;

    #[test]
    fn what_is_asked_is_counted_and_what_fails_is_noted() {
        let watched = Watched::new(&NoRepositorySource);
        assert!(watched.read_file(&"a.rs".parse().unwrap()).is_err());
        assert!(watched.read_tree().is_ok());
        assert_eq!(watched.read_object("00").ok().flatten(), None);
        let mut seen = watched.seen();
        assert_eq!(
            (
                seen.tally(Asked::Files).calls,
                seen.tally(Asked::Objects).calls
            ),
            (2, 1)
        );
        assert_eq!(seen.failures.len(), 2, "{:?}", seen.failures);
        seen.add(&watched.seen());
        assert_eq!(
            (seen.tally(Asked::Files).calls, seen.failures.len()),
            (4, 4)
        );
    }
}
