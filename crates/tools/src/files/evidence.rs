//! What the code says to a file that cites it, in the reader's own checkout.

use apostille_cite::{
    citation::Citation, citation_request::CitationRequest, follow::NEAR, standing::Standing,
    verdict::Verdict,
};
use apostille_core::{Context, judge::MemoryJudge, memory::Memory};

/// One verdict for each citation, and how the fact stands by them.
pub(super) fn judge_file(cx: &Context, memory: &Memory) -> (Vec<Verdict>, Standing) {
    let judged = MemoryJudge::new(cx, NEAR).judge_memory(memory);
    (judged.verdicts(), judged.judgement.standing)
}

/// What to say before anything else about a memory that stands like this.
pub(super) fn format_evidence_warning(standing: Standing) -> Option<&'static str> {
    match standing {
        Standing::Stands | Standing::Stated => None,
        Standing::Check => Some(
            "The code that this memory speaks of was edited since: check it before you rely on it.",
        ),
        Standing::Contradicted | Standing::Gone => Some(
            "This memory is no longer true in this checkout: do not use it. The code it cites says something else.",
        ),
        Standing::Unknown => Some(
            "This memory could not be verified in this checkout: do not use it before you have read the code it cites.",
        ),
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
) -> Option<Vec<CitationRequest>> {
    let place = |(citation, verdict): (&Citation, &Verdict)| match verdict {
        Verdict::Holds => Some(citation.location().into()),
        Verdict::Moved { to } => Some(to.into()),
        Verdict::Changed(it) if it.is_harmless => Some((&it.at).into()),
        _ => None,
    };
    memory.citations.iter().zip(verdicts).map(place).collect()
}
