//! What a check points to: one line of code, and the memory that no longer agrees with it.

use apostille_cite::citation::{Citation, CodeLocation};
use apostille_cite::verdict::Verdict;
use apostille_core::memory::MemoryId;
use apostille_core::verify::VerifiedMemory;

use apostille_terminal::paint::{flatten_to_line, memory};

/// What may be found, the word and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifyRule {
    /// The cited lines changed.
    Changed,
    /// The cited lines are gone.
    Gone,
    /// The code no longer says what the fact says.
    Contradicted,
    /// The cited lines stand elsewhere.
    Moved,
}

impl VerifyRule {
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
    pub fn description(self) -> &'static str {
        match self {
            Self::Changed => "the code that proves a memory has changed",
            Self::Gone => "the code that proves a memory is gone",
            Self::Contradicted => "the code no longer says what a memory says",
            Self::Moved => "the code that proves a memory stands elsewhere",
        }
    }
}

/// One finding.
pub struct VerifyFinding {
    /// What was found.
    pub rule: VerifyRule,
    /// Where to look.
    pub place: CodeLocation,
    /// What it is about, on one line.
    pub message: String,
    /// The memory.
    pub id: MemoryId,
    /// Which of its citations, counted from 0.
    pub nth: usize,
}

/// What is to be said about these memories: active ones that are invalid, and those that moved.
pub fn collect_verify_findings(verified: &[VerifiedMemory]) -> Vec<VerifyFinding> {
    verified
        .iter()
        .filter(|it| it.memory.is_active())
        .flat_map(collect_memory_findings)
        .collect()
}

fn collect_memory_findings(it: &VerifiedMemory) -> Vec<VerifyFinding> {
    let places = it.memory.citations.iter().zip(&it.verdicts).enumerate();
    let wanted = |verdict: &Verdict| match it.is_invalid() {
        true => verdict.is_bad(),
        false => it.is_good() && matches!(verdict, Verdict::Moved { .. }),
    };
    let found = places.filter(|(_, (_, verdict))| wanted(verdict));
    found
        .filter_map(|(nth, (citation, verdict))| build_verify_finding(it, nth, citation, verdict))
        .collect()
}

fn build_verify_finding(
    it: &VerifiedMemory,
    nth: usize,
    citation: &Citation,
    verdict: &Verdict,
) -> Option<VerifyFinding> {
    let (rule, place) = match verdict {
        Verdict::Moved { to } => (VerifyRule::Moved, to.clone()),
        Verdict::Gone { .. } => (VerifyRule::Gone, citation.location()),
        Verdict::Changed(found) if found.contradicted.is_empty() => {
            (VerifyRule::Changed, found.at.clone())
        }
        Verdict::Changed(found) => (VerifyRule::Contradicted, found.at.clone()),
        Verdict::Holds | Verdict::Unknown { .. } => return None,
    };
    let handle = it.memory.handle();
    let mut message = format!(
        "{handle} says: {} — {}",
        flatten_to_line(&it.memory.fact),
        memory::format_judged_place(citation, verdict)
    );
    if let Verdict::Changed(found) = verdict
        && !found.contradicted.is_empty()
    {
        let names = found
            .contradicted
            .iter()
            .map(|it| format!("`{}`", flatten_to_line(it)))
            .collect::<Vec<_>>();
        message += &format!("; the code no longer says {}", names.join(", "));
    }
    if rule != VerifyRule::Moved {
        message += &format!("; apostille supersede {handle}, or invalidate {handle}");
    }
    Some(VerifyFinding {
        rule,
        place,
        message,
        id: it.memory.id,
        nth,
    })
}
