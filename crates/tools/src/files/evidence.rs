//! What the code says to a file that cites it, in the reader's own checkout.

use apostille_cite::citation::{Citation, CodeLocation};
use apostille_cite::{follow::NEAR, verdict::Verdict};
use apostille_core::{Context, memory::Memory};

/// One verdict for each citation.
pub(super) fn follow_file_citations(cx: &Context, memory: &Memory) -> Vec<Verdict> {
    if memory.citations.is_empty() {
        return Vec::new();
    }
    cx.citation_follower(NEAR)
        .verify_claims(&[memory.cited_claim()])
        .pop()
        .unwrap_or_default()
}

/// What to say before anything else about a memory with these verdicts.
pub(super) fn format_evidence_warning(verdicts: &[Verdict]) -> Option<&'static str> {
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

/// One line for each citation, each begun with an end of line.
pub(super) fn format_evidence_lines(memory: &Memory, verdicts: &[Verdict]) -> String {
    let line = |(citation, verdict): (&Citation, &Verdict)| {
        let how = match verdict {
            Verdict::Holds => "holds".into(),
            Verdict::Moved { to } => format!("moved to {to}"),
            Verdict::Changed(it) => format!("changed ({}), now at {}", it.change, it.at),
            Verdict::Gone { loss, .. } => format!("gone ({})", loss.as_phrase()),
            Verdict::Unknown { why } => format!("unknown ({why})"),
        };
        format!("\nevidence: {} {how}", citation.location())
    };
    memory.citations.iter().zip(verdicts).map(line).collect()
}

/// Where the cited code stands now; `None` unless all of it is still proof.
pub(super) fn list_valid_locations(
    memory: &Memory,
    verdicts: &[Verdict],
) -> Option<Vec<CodeLocation>> {
    let place = |(citation, verdict): (&Citation, &Verdict)| match verdict {
        Verdict::Holds => Some(citation.location()),
        Verdict::Moved { to } => Some(to.clone()),
        Verdict::Changed(it) if it.is_harmless => Some(it.at.clone()),
        _ => None,
    };
    memory.citations.iter().zip(verdicts).map(place).collect()
}
