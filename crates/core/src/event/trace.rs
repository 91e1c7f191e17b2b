//! An event in outline: what counting takes, and no text.

use jiff::Timestamp;

use super::{Happening, Logged, What};
use crate::memory::{MemoryId, Stage};

/// An event in outline: what counting days takes, and no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// When.
    pub at: Timestamp,
    /// What.
    pub happening: Happening,
    /// Which memory, where it is one.
    pub memory: Option<MemoryId>,
    /// Where it stood before, where the event moved it.
    pub was: Option<Stage>,
    /// Where it stood afterwards; of one that was remembered, where it stands today.
    pub stage: Option<Stage>,
    /// How many memories were shown.
    pub n_shown: usize,
    /// How many of these cite code that was looked at for it and held.
    pub n_held: usize,
    /// The class of a refusal.
    pub class: Option<String>,
}

impl Trace {
    /// An event of which no more is known than that it happened.
    #[must_use]
    pub fn new(at: Timestamp, happening: Happening) -> Self {
        Self {
            at,
            happening,
            memory: None,
            was: None,
            stage: None,
            n_shown: 0,
            n_held: 0,
            class: None,
        }
    }
}

impl From<&Logged> for Trace {
    fn from(it: &Logged) -> Self {
        let what = &it.event.what;
        let was = it.was.as_ref().map(|it| it.status.stage());
        let (shown, class) = match what {
            What::Retrieved { shown, .. } => (shown.as_slice(), None),
            What::Refused { class } => (&[][..], Some(class.clone())),
            _ => (&[][..], None),
        };
        Self {
            at: it.event.at,
            happening: what.happening(),
            memory: it.event.memory,
            was: was.or_else(|| moved_from(what.happening())),
            stage: stage_after(what),
            n_shown: shown.len(),
            n_held: shown.iter().filter(|it| is_held(&it.verdict)).count(),
            class,
        }
    }
}

/// Whether a memory that was shown with this verdict was looked at, and held. What did not is withheld and is an event of
/// its own; what cites nothing has nothing to look at.
#[must_use]
pub fn is_held(verdict: &str) -> bool {
    matches!(verdict, "holds" | "moved")
}

/// Where a memory stands after this, as far as the event itself tells.
fn stage_after(what: &What) -> Option<Stage> {
    match what {
        What::Remembered { memory, .. } => Some(memory.status.stage()),
        What::Restored { status, .. } => Some(status.stage()),
        other => moved_to(other.happening()),
    }
}

/// Where an event of this word puts a memory, where the word alone says it.
#[must_use]
pub fn moved_to(happening: Happening) -> Option<Stage> {
    match happening {
        Happening::Superseded | Happening::Corrected => Some(Stage::Superseded),
        Happening::Invalidated => Some(Stage::Invalid),
        Happening::Retired => Some(Stage::Retired),
        Happening::Approved => Some(Stage::Active),
        _ => None,
    }
}

/// Where a memory must have stood for this to happen to it: all that a log tells which does not say how it stood.
#[must_use]
pub fn moved_from(happening: Happening) -> Option<Stage> {
    match happening {
        Happening::Approved => Some(Stage::Pending),
        other => moved_to(other).map(|_| Stage::Active),
    }
}
