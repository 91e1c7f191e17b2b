//! What was found when somebody looked a citation up again.

use crate::citation::{Citation, CodeLocation};
use crate::source::SourceError;
use apostille_text::words::words;

words! {
    /// What kind of difference there is between the cited text and what stands there now, the mildest first.
    Change as "change" {
        /// Only spaces, tabs and empty lines differ.
        Whitespace = "whitespace",
        /// Only the layout differs: lines broken elsewhere, a trailing comma, another kind of quotes.
        Formatting = "formatting",
        /// Only comments differ; the code is the same.
        Comment = "comment",
        /// Every cited line still stands, with new ones between them.
        Inserted = "inserted",
        /// Names were changed throughout; the shape is the same.
        Rename = "rename",
        /// The text says something else.
        Substance = "substance",
    }
}

words! {
    /// How cited text came to be nowhere.
    Loss as "loss" {
        /// The lines were deleted.
        Lines = "lines",
        /// The file was deleted.
        File = "file",
        /// The text never stood at the place and commit that it names.
        Never = "never",
    }
}

impl Change {
    /// The change in a few words.
    #[must_use]
    pub fn as_phrase(self) -> &'static str {
        match self {
            Self::Whitespace => "only spacing differs",
            Self::Formatting => "only the layout differs",
            Self::Comment => "only comments differ",
            Self::Inserted => "lines were put in between",
            Self::Rename => "names were changed",
            Self::Substance => "it says something else",
        }
    }
}

impl Loss {
    /// The loss in a few words.
    #[must_use]
    pub fn as_phrase(self) -> &'static str {
        match self {
            Self::Lines => "the cited lines were deleted",
            Self::File => "the file is gone",
            Self::Never => "the cited lines never said this",
        }
    }
}

/// What stands now where other text was cited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What kind of difference it is.
    pub change: Change,
    /// Where it stands now.
    pub at: CodeLocation,
    /// The lines that stand there now.
    pub now: String,
    /// How much of the text is the same, in percent. It never makes a citation valid; it helps a reader.
    pub similarity: u8,
    /// The commit that brought it, where it is known.
    pub since: Option<String>,
    /// Whether the policy takes it for harmless.
    pub is_harmless: bool,
    /// What the fact names, what was cited, and what is no longer there.
    pub contradicted: Vec<String>,
}

/// What was found when a citation was looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The cited text stands where it stood.
    Holds,
    /// The cited text stands elsewhere.
    Moved {
        /// Where it stands now.
        to: CodeLocation,
    },
    /// Other text stands there now.
    Changed(Box<Difference>),
    /// The file, or the cited part of it, is not there.
    Gone {
        /// How it came to be nowhere.
        loss: Loss,
        /// The commit that took it away, where it is known.
        since: Option<String>,
    },
    /// It could not be looked up: never a reason to invalidate.
    Unknown {
        /// Why not.
        why: String,
    },
}

impl From<Loss> for Verdict {
    fn from(loss: Loss) -> Self {
        Self::Gone { loss, since: None }
    }
}

impl From<SourceError> for Verdict {
    fn from(error: SourceError) -> Self {
        Self::unknown(error.format_with_causes())
    }
}

impl Verdict {
    /// It could not be looked up, for this reason.
    pub(crate) fn unknown(why: impl Into<String>) -> Self {
        Self::Unknown { why: why.into() }
    }

    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Moved { .. } => "moved",
            Self::Changed(_) => "changed",
            Self::Gone { .. } => "gone",
            Self::Unknown { .. } => "unknown",
        }
    }

    /// Whether a memory that rests on it may be shown.
    pub fn is_good(&self) -> bool {
        match self {
            Self::Holds | Self::Moved { .. } => true,
            Self::Changed(difference) => difference.is_harmless,
            Self::Gone { .. } | Self::Unknown { .. } => false,
        }
    }

    /// Where the cited text stands now, if it stands: in place, where it moved to, or where a harmless change left it.
    #[must_use]
    pub fn living_location(&self, cited: &Citation) -> Option<CodeLocation> {
        match self {
            Self::Holds => Some(cited.location()),
            Self::Moved { to } => Some(to.clone()),
            Self::Changed(found) if found.is_harmless => Some(found.at.clone()),
            Self::Changed(_) | Self::Gone { .. } | Self::Unknown { .. } => None,
        }
    }

    /// Whether it is evidence against the memory, rather than the want of evidence.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        !self.is_good() && !matches!(self, Self::Unknown { .. })
    }

    /// How bad it is, to find the worst of several.
    pub fn severity(&self) -> u8 {
        match self {
            Self::Holds => 0,
            Self::Moved { .. } => 1,
            Self::Changed(it) if it.is_harmless => 2,
            Self::Unknown { .. } => 3,
            Self::Changed(it) if it.contradicted.is_empty() => 4,
            Self::Gone { .. } => 5,
            Self::Changed(_) => 6,
        }
    }
}

/// The worst of several verdicts; `None` of none.
pub fn find_worst_verdict(verdicts: &[Verdict]) -> Option<&Verdict> {
    verdicts.iter().rev().max_by_key(|it| it.severity())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_verdict_wins_and_unknown_is_not_bad() {
        let unknown = Verdict::Unknown {
            why: "timeout".into(),
        };
        let gone = Verdict::Gone {
            loss: Loss::File,
            since: None,
        };
        assert!(!unknown.is_bad() && !unknown.is_good());
        assert_eq!(
            find_worst_verdict(&[Verdict::Holds, gone.clone(), unknown]),
            Some(&gone)
        );
        assert_eq!(find_worst_verdict(&[]), None);
    }
}
