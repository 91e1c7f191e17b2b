//! What a check points to: one line of code, and the memory that no longer agrees with it.

use apostille_cite::citation::{Citation, Cite};
use apostille_cite::verdict::Verdict;
use apostille_core::memory::MemoryId;
use apostille_core::verify::Verified;

use crate::paint::{memory, one_line};

/// What may be found, the word and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The cited lines changed.
    Changed,
    /// The cited lines are gone.
    Gone,
    /// The code no longer says what the fact says.
    Contradicted,
    /// The cited lines stand elsewhere.
    Moved,
}

impl Rule {
    /// Every rule, in the order in which they are numbered.
    pub const ALL: [Self; 4] = [Self::Changed, Self::Gone, Self::Contradicted, Self::Moved];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Gone => "gone",
            Self::Contradicted => "contradicted",
            Self::Moved => "moved",
        }
    }

    /// What it means.
    pub fn told(self) -> &'static str {
        match self {
            Self::Changed => "the code that proves a memory has changed",
            Self::Gone => "the code that proves a memory is gone",
            Self::Contradicted => "the code no longer says what a memory says",
            Self::Moved => "the code that proves a memory stands elsewhere",
        }
    }
}

/// One finding.
pub struct Finding {
    /// What was found.
    pub rule: Rule,
    /// Where to look.
    pub place: Cite,
    /// What it is about, on one line.
    pub message: String,
    /// The memory.
    pub id: MemoryId,
    /// Which of its citations, counted from 0.
    pub nth: usize,
}

/// What is to be said about these memories: active ones that are invalid, and those that moved.
pub fn findings(verified: &[Verified]) -> Vec<Finding> {
    verified
        .iter()
        .filter(|it| it.memory.is_active())
        .flat_map(of_memory)
        .collect()
}

fn of_memory(it: &Verified) -> Vec<Finding> {
    let places = it.memory.citations.iter().zip(&it.verdicts).enumerate();
    let wanted = |verdict: &Verdict| match it.is_invalid() {
        true => verdict.is_bad(),
        false => it.is_good() && matches!(verdict, Verdict::Moved { .. }),
    };
    let found = places.filter(|(_, (_, verdict))| wanted(verdict));
    found
        .filter_map(|(nth, (citation, verdict))| finding(it, nth, citation, verdict))
        .collect()
}

fn finding(it: &Verified, nth: usize, citation: &Citation, verdict: &Verdict) -> Option<Finding> {
    let (rule, place) = match verdict {
        Verdict::Moved { to } => (Rule::Moved, to.clone()),
        Verdict::Gone { .. } => (Rule::Gone, citation.place()),
        Verdict::Changed(found) if found.contradicted.is_empty() => {
            (Rule::Changed, found.at.clone())
        }
        Verdict::Changed(found) => (Rule::Contradicted, found.at.clone()),
        Verdict::Holds | Verdict::Unknown { .. } => return None,
    };
    let handle = it.memory.handle();
    let mut message = format!(
        "{handle} says: {} — {}",
        one_line(&it.memory.fact),
        memory::judged(citation, verdict)
    );
    if let Verdict::Changed(found) = verdict
        && !found.contradicted.is_empty()
    {
        let names = found
            .contradicted
            .iter()
            .map(|it| format!("`{}`", one_line(it)))
            .collect::<Vec<_>>();
        message += &format!("; the code no longer says {}", names.join(", "));
    }
    if rule != Rule::Moved {
        message += &format!("; apostille supersede {handle}, or invalidate {handle}");
    }
    Some(Finding {
        rule,
        place,
        message,
        id: it.memory.id,
        nth,
    })
}
