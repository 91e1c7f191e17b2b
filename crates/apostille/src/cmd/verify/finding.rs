//! What a check points to: one line of code, and the memory that no longer agrees with it.

use apostille_cite::citation::{Citation, CodeLocation};
use apostille_cite::verdict::Verdict;
use apostille_core::{memory::MemoryId, verify::VerifiedMemory};
use apostille_terminal::paint::{flatten_to_line, join_texts, memory};
use apostille_text::words;

words! {
    /// What may be found, in the order in which it is numbered.
    VerifyRule as "rule" {
        /// The cited lines changed.
        Changed = "changed",
        /// The cited lines are gone.
        Gone = "gone",
        /// The code no longer says what the fact says.
        Contradicted = "contradicted",
        /// The cited lines stand elsewhere.
        Moved = "moved",
    }
}

impl VerifyRule {
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
    let is_wanted = |verdict: &Verdict| {
        if it.is_invalid() {
            verdict.is_bad()
        } else {
            it.is_good() && matches!(verdict, Verdict::Moved { .. })
        }
    };
    it.memory
        .citations
        .iter()
        .zip(&it.verdicts)
        .enumerate()
        .filter(|(_, (_, verdict))| is_wanted(verdict))
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
    if let (VerifyRule::Contradicted, Verdict::Changed(found)) = (rule, verdict) {
        let names = found.contradicted.iter().map(|it| memory::quote_name(it));
        message += &format!("; the code no longer says {}", join_texts(names, ", "));
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
