//! Apostille itself: a batch of citations is looked up by one reader over one source.

use std::time::{Duration, Instant};

use apostille_cite::{
    citation::{Citation, RepoPath},
    follow,
    follow::{CitationFinding, CitationFollower},
    source::{Source, SourceBlob, SourceError, SourceTree},
    verdict::Verdict,
};
use apostille_core::policy::Policy;

use super::{
    batch::Question,
    guess::Guess,
    watched::{Seen, Watched},
};

/// What a batch came to.
pub(crate) struct Looked {
    /// What was found, in the order of the questions.
    pub(crate) sights: Vec<CitationFinding>,
    /// How long it took in all.
    pub(crate) time: Duration,
    /// What the source was asked.
    pub(crate) seen: Seen,
}

/// Looks a batch up with a new reader, as somebody does who verifies everything: there is time, and the history is
/// followed as far as it ever is.
pub(crate) fn look(source: &dyn Source, citations: &[&Citation]) -> Looked {
    let watched = Watched::new(source);
    let started = Instant::now();
    let sights = CitationFollower::new(
        &watched,
        Policy::default().tolerance,
        &|| false,
        follow::FAR,
    )
    .follow_citations(citations);
    let time = started.elapsed();
    Looked {
        sights,
        time,
        seen: watched.seen(),
    }
}

/// A source whose history is gone, as after a rebase or in a shallow clone: only what was captured is known.
pub(crate) struct Forgetful<'s>(pub(crate) &'s dyn Source);

impl Source for Forgetful<'_> {
    fn read_tree(&self) -> Result<SourceTree, SourceError> {
        self.0.read_tree()
    }

    fn read_file(&self, path: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
        self.0.read_file(path)
    }

    fn visit_files(
        &self,
        see: &mut dyn FnMut(&RepoPath, &SourceBlob) -> bool,
    ) -> Result<bool, SourceError> {
        self.0.visit_files(see)
    }
}

/// What is said about each question, and what the source was asked for it.
pub(crate) struct Told {
    /// One guess for each question.
    pub(crate) guesses: Vec<Guess>,
    /// How long it took.
    pub(crate) time: Duration,
    /// What the source was asked.
    pub(crate) seen: Seen,
}

/// Looks up questions whose citations were read when they were made. One that could not be made has its verdict.
pub(crate) fn with_history(source: &dyn Source, questions: &[&Question<'_>]) -> Told {
    tell(source, questions, |question| question.citation.clone())
}

/// The same when the cited commit is gone. A place that never held what it is said to hold was never captured, so that
/// only its digest is left.
pub(crate) fn without_history(source: &dyn Source, questions: &[&Question<'_>]) -> Told {
    let source = Forgetful(source);
    tell(&source, questions, |question| match &question.citation {
        Ok(citation) => Ok(citation.clone()),
        Err(_) => question.pin.resolve_citation(None, &source),
    })
}

fn tell(
    source: &dyn Source,
    questions: &[&Question<'_>],
    made: impl Fn(&Question<'_>) -> Result<Citation, Verdict>,
) -> Told {
    let started = Instant::now();
    let made: Vec<_> = questions.iter().map(|it| made(it)).collect();
    let citations: Vec<&Citation> = made.iter().flatten().collect();
    let looked = look(source, &citations);
    let mut sights = looked.sights.into_iter();
    let verdict = |it: &Result<Citation, Verdict>| match it {
        Ok(_) => sights.next().map(|it| it.verdict),
        Err(verdict) => Some(verdict.clone()),
    };
    let verdicts: Vec<_> = made.iter().map(verdict).collect();
    let guesses: Vec<Guess> = questions
        .iter()
        .zip(verdicts)
        .map(|(question, verdict)| match verdict {
            Some(verdict) => Guess::of(&verdict, &question.case.place()),
            None => Guess::Unknown("the engine gave no verdict".into()),
        })
        .collect();
    let time = started.elapsed();
    Told {
        guesses,
        time,
        seen: looked.seen,
    }
}
