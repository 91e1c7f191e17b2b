//! The methods that are compared.

use std::time::Instant;

use apostille_cite::source::Source;

use super::{
    batch::Question,
    engine::{self, Told},
    plain,
    watched::Seen,
};

/// A way to verify citations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// The file exists and has that many lines.
    InBounds,
    /// The same text stands at the same lines.
    SameLines,
    /// The same text stands anywhere in the file.
    Anywhere,
    /// The lines are mapped through one diff from the cited file to the current one.
    OneDiff,
    /// Apostille.
    Apostille,
    /// Apostille, where the cited commit is gone.
    CommitGone,
}

/// All methods, the simplest first.
pub(crate) const METHODS: [Method; 6] = [
    Method::InBounds,
    Method::SameLines,
    Method::Anywhere,
    Method::OneDiff,
    Method::Apostille,
    Method::CommitGone,
];

impl Method {
    /// What it is called in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::InBounds => "file exists, lines in bounds",
            Self::SameLines => "same text at the same lines",
            Self::Anywhere => "exact text anywhere in the file",
            Self::OneDiff => "one diff, lines mapped",
            Self::Apostille => "Apostille",
            Self::CommitGone => "Apostille, cited commit gone",
        }
    }

    /// What it is called in the names of files.
    pub(crate) fn slug(self) -> &'static str {
        match self {
            Self::InBounds => "in-bounds",
            Self::SameLines => "same-lines",
            Self::Anywhere => "anywhere",
            Self::OneDiff => "one-diff",
            Self::Apostille => "apostille",
            Self::CommitGone => "commit-gone",
        }
    }

    /// Whether it is ours.
    pub(crate) fn is_ours(self) -> bool {
        matches!(self, Self::Apostille | Self::CommitGone)
    }

    /// What it says about these questions.
    pub(crate) fn tell(self, source: &dyn Source, asked: &[&Question<'_>]) -> Told {
        let check = match self {
            Self::InBounds => plain::in_bounds,
            Self::SameLines => plain::same_lines,
            Self::Anywhere => plain::anywhere,
            Self::OneDiff => plain::one_diff,
            Self::Apostille => return engine::with_history(source, asked),
            Self::CommitGone => return engine::without_history(source, asked),
        };
        let started = Instant::now();
        let guesses = asked
            .iter()
            .map(|it| plain::guess(check, source, it))
            .collect();
        Told {
            guesses,
            time: started.elapsed(),
            seen: Seen::default(),
        }
    }
}
