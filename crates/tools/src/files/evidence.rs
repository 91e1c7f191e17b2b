//! What the code says to a file that cites it, in the reader's own checkout.

use apostille_cite::citation::{Citation, Cite};
use apostille_cite::look::NEAR;
use apostille_cite::verdict::Verdict;
use apostille_core::Context;
use apostille_core::memory::Memory;

/// One verdict for each citation.
pub(super) fn verdicts(cx: &Context<'_>, memory: &Memory) -> Vec<Verdict> {
    if memory.citations.is_empty() {
        return Vec::new();
    }
    cx.citation_reader(NEAR)
        .verdicts(&[memory.cited_claim()])
        .pop()
        .unwrap_or_default()
}

/// What to say before anything else about a memory with these verdicts.
pub(super) fn warning(verdicts: &[Verdict]) -> Option<&'static str> {
    if verdicts.iter().any(Verdict::is_bad) {
        Some(
            "This memory does not hold in this checkout: do not use it. The code it cites says something else.",
        )
    } else if verdicts.iter().all(Verdict::is_good) {
        None
    } else {
        Some(
            "This memory could not be verified in this checkout: do not use it before you have read the code it cites.",
        )
    }
}

/// One line for each citation.
pub(super) fn lines(memory: &Memory, verdicts: &[Verdict]) -> Vec<String> {
    memory
        .citations
        .iter()
        .zip(verdicts)
        .map(|(citation, verdict)| line(citation, verdict))
        .collect()
}

fn line(citation: &Citation, verdict: &Verdict) -> String {
    let how = match verdict {
        Verdict::Holds => "holds".into(),
        Verdict::Moved { to } => format!("moved to {to}"),
        Verdict::Changed(it) => format!("changed ({}), now at {}", it.change, it.at),
        Verdict::Gone { loss, .. } => format!("gone ({})", loss.told()),
        Verdict::Unknown { why } => format!("unknown ({why})"),
    };
    format!("evidence: {} {how}", citation.place())
}

/// Where the cited code stands now; `None` unless all of it is still proof.
pub(super) fn places(memory: &Memory, verdicts: &[Verdict]) -> Option<Vec<Cite>> {
    let place = |(citation, verdict): (&Citation, &Verdict)| match verdict {
        Verdict::Holds => Some(citation.place()),
        Verdict::Moved { to } => Some(to.clone()),
        Verdict::Changed(it) if it.is_harmless => Some(it.at.clone()),
        _ => None,
    };
    memory.citations.iter().zip(verdicts).map(place).collect()
}
