//! Stage three: each citation is read now, and what was read there is captured.

use super::classify::Classified;
use crate::{
    memory::{Draft, ModerationMark},
    refusal::Refusal,
};
use apostille_cite::{
    capture::{CaptureError, capture_lines, capture_lines_in_tree},
    citation::{Citation, CodeLocation},
    source::Source,
};
use apostille_text::{literals, moderate};

/// A draft whose citations were read.
#[derive(Debug, Clone)]
pub struct Proven {
    pub(super) classified: Classified,
    pub(super) citations: Vec<Citation>,
    /// What the fact states and the cited lines do not say.
    pub(super) unsaid: UnsaidLiterals,
}

/// What a fact states and the lines that it cites do not say; empty when it is grounded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct UnsaidLiterals {
    /// In the fact's order.
    pub(super) literals: Vec<String>,
    /// A line of a cited file that says it.
    pub(super) said_at: Option<CodeLocation>,
}

/// Reads every citation of a draft.
pub fn prove_draft(source: &dyn Source, mut classified: Classified) -> Result<Proven, Refusal> {
    if let Some(cite) = classified.draft.citations.first()
        && classified.draft.space.is_user()
    {
        // It would be looked up in whatever repository the person works in next.
        let why = "what is kept for a user goes with them into every repository; leave the citation out, or keep it \
                   for the repository";
        return Err(Refusal::BadCitation {
            place: cite.to_string(),
            why: why.into(),
        });
    }
    let mut citations: Vec<Citation> = Vec::with_capacity(classified.draft.citations.len());
    let mut tree = None;
    for cite in &classified.draft.citations {
        let tree = tree.get_or_insert_with(|| source.read_tree());
        let citation = capture_lines_in_tree(source, cite, tree)
            .map_err(|error| refuse_capture(cite, error))?;
        if !citations.contains(&citation) {
            citations.push(citation);
        }
    }
    // What is cited is shown too, and a file may hold an order for whoever reads it.
    let mut snippets = citations.iter().map(|it| &it.snippet);
    let is_order = snippets.any(|it| moderate::is_instruction(it));
    if is_order && !classified.marks.contains(&ModerationMark::Instruction) {
        classified.marks.push(ModerationMark::Instruction);
    }
    let Draft { subject, fact, .. } = &classified.draft;
    let literals = find_unsaid_literals(subject.as_deref(), fact, &citations);
    let said_at = find_place_that_says(source, fact, &literals, &citations);
    if !literals.is_empty() {
        classified.marks.push(ModerationMark::Ungrounded);
    }
    let unsaid = UnsaidLiterals { literals, said_at };
    Ok(Proven {
        classified,
        citations,
        unsaid,
    })
}

/// Reads one place and captures what stands there, or refuses it as a citation.
pub fn capture_citation(source: &dyn Source, cite: &CodeLocation) -> Result<Citation, Refusal> {
    capture_lines(source, cite).map_err(|error| refuse_capture(cite, error))
}

fn refuse_capture(cite: &CodeLocation, error: CaptureError) -> Refusal {
    let field = "citations";
    match error {
        CaptureError::Secret(rule) => Refusal::Secret { field, rule },
        CaptureError::TooLong(chars) => Refusal::TooLong {
            field,
            chars,
            limit: moderate::MAX_BYTES,
        },
        CaptureError::Unreadable(why) => Refusal::BadCitation {
            place: cite.to_string(),
            why,
        },
    }
}

/// What a fact states and none of its citations says.
pub(crate) fn find_unsaid_literals(
    subject: Option<&str>,
    fact: &str,
    citations: &[Citation],
) -> Vec<String> {
    let evidence = citations.iter();
    let evidence: Vec<_> = evidence
        .map(|it| (it.path.as_str(), &*it.snippet))
        .collect();
    literals::find_ungrounded_statement(subject, fact, &evidence)
}

/// Where in the cited files the words stand that the cited lines lack, nearest to those: often the right place, one function
/// further.
fn find_place_that_says(
    source: &dyn Source,
    fact: &str,
    unsaid: &[String],
    citations: &[Citation],
) -> Option<CodeLocation> {
    let find = |it: &Citation| {
        let blob = source.read_file(&it.path).ok().flatten()?;
        let text = String::from_utf8_lossy(&blob.bytes);
        let number = |line: u32| usize::try_from(line).unwrap_or(usize::MAX);
        let cited = (number(it.lines.first_line()), number(it.lines.last_line()));
        let line = literals::find_line_that_says(fact, unsaid, &text, cited)?;
        let line = u32::try_from(line).ok()?;
        CodeLocation::new(it.path.as_str(), line, line).ok()
    };
    let asked = citations.iter().filter(|_| !unsaid.is_empty());
    asked.into_iter().find_map(find)
}
