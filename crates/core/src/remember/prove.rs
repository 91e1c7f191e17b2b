//! Stage three: each citation is read now, and what was read there is captured; the user's words and the runs of commands
//! are looked up in the record of the session.

use super::{
    EarlyEnd,
    classify::Classified,
    testify::{SessionProof, find_session_proof},
};
use crate::{
    Context,
    evidence::NamedThing,
    memory::{Draft, Layer, ModerationMark, Voice},
    names::name_things,
    refusal::Refusal,
    verify::format_verdict_reason,
};
use apostille_cite::{
    capture::{CaptureError, build_unread_citation, capture_request},
    citation::{Citation, CodeLocation},
    citation_request::CitationRequest,
    follow::{CitedClaim, NEAR},
    source::{Source, SourceError, SourceTree},
    verdict::Verdict,
};
use apostille_text::{literals, moderate};

/// A draft whose citations were read.
#[derive(Debug, Clone)]
pub struct Proven {
    pub(super) classified: Classified,
    pub(super) citations: Vec<Citation>,
    /// What is wrong with them.
    pub(super) doubts: CitationDoubts,
    /// What it names beside them, and the tree has.
    pub(super) names: Vec<NamedThing>,
    /// What the record of its session says for it.
    pub(super) session: SessionProof,
}

/// What is wrong with the lines that a fact cites.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CitationDoubts {
    /// What the fact states and they do not say, in the fact's order; empty when it is grounded.
    pub(super) unsaid: Vec<String>,
    /// A line of a cited file that says it.
    pub(super) said_at: Option<CodeLocation>,
    /// Why they could not be read, or not be followed to now.
    pub(super) unread: Option<String>,
    /// Whether they read like an instruction to a model, and the fact does not.
    pub(super) is_cited_order: bool,
}

/// Reads every citation of a draft.
pub(super) fn prove_draft(cx: &Context, mut classified: Classified) -> Result<Proven, EarlyEnd> {
    let source = cx.source;
    if let Some(cite) = classified.draft.citations.first()
        && classified.draft.space.is_user()
    {
        // It would be looked up in whatever repository the person works in next.
        let why = "what is kept for a user goes with them into every repository; leave the citation out, or keep it \
                   for the repository";
        let refusal = Refusal::BadCitation {
            place: cite.to_string(),
            why: why.into(),
        };
        return Err(refusal.into());
    }
    let mut citations: Vec<Citation> = Vec::with_capacity(classified.draft.citations.len());
    let mut unread = None;
    let mut tree = None;
    for cite in &classified.draft.citations {
        let tree = tree.get_or_insert_with(|| source.read_tree());
        let (citation, why) = read_request(source, cite, tree)?;
        unread = unread.or(why);
        if !citations.contains(&citation) {
            citations.push(citation);
        }
    }
    let is_at_commit = classified
        .draft
        .citations
        .iter()
        .any(|it| it.commit.is_some());
    if is_at_commit && unread.is_none() {
        unread = follow_to_now(cx, &classified.draft.fact, &citations)?;
    }
    // What is cited is shown too, and a file may hold an order for whoever reads it.
    let mut snippets = citations.iter().map(|it| &it.snippet);
    let is_cited_order = !classified.marks.contains(&ModerationMark::Instruction)
        && snippets.any(|it| moderate::is_instruction(it));
    if is_cited_order {
        classified.marks.push(ModerationMark::Instruction);
    }
    let Draft {
        subject,
        fact,
        voice,
        ..
    } = &classified.draft;
    let unsaid = if citations.iter().any(Citation::is_unread) {
        Vec::new()
    } else {
        find_unsaid_claims(voice, subject.as_deref(), fact, &citations)
    };
    let said_at = find_place_that_says(source, fact, &unsaid, &citations);
    if !unsaid.is_empty() || unread.is_some() {
        classified.marks.push(ModerationMark::Ungrounded);
    }
    let doubts = CitationDoubts {
        unsaid,
        said_at,
        unread,
        is_cited_order,
    };
    let names = if classified.layer == Layer::Knowledge {
        name_things(fact, &classified.draft.space, &citations, source)
    } else {
        Vec::new()
    };
    let session = find_session_proof(cx, &classified, !citations.is_empty())?;
    if session.lacking.is_some() && !classified.marks.contains(&ModerationMark::Ungrounded) {
        classified.marks.push(ModerationMark::Ungrounded);
    }
    Ok(Proven {
        names,
        session,
        classified,
        citations,
        doubts,
    })
}

/// Reads one place and captures what stands there, or refuses it as a citation.
pub fn capture_citation(source: &dyn Source, cite: &CitationRequest) -> Result<Citation, Refusal> {
    read_request(source, cite, &source.read_tree()).map(|it| it.0)
}

/// Reads one place, at the commit that is asked for or as it is now. What a clone lacks is not a reason to refuse it: the
/// citation is kept unread, with why. The commit that is checked out means the checkout, edits and all.
fn read_request(
    source: &dyn Source,
    cite: &CitationRequest,
    tree: &Result<SourceTree, SourceError>,
) -> Result<(Citation, Option<String>), Refusal> {
    let refuse = |why: String| Refusal::BadCitation {
        place: cite.to_string(),
        why,
    };
    let head = tree.as_ref().ok().and_then(|it| it.commit.as_deref());
    let is_other = |it: &&String| !head.is_some_and(|head| head.starts_with(it.as_str()));
    let Some(commit) = cite.commit.as_ref().filter(is_other) else {
        let citation = capture_request(source, cite, tree);
        return Ok((citation.map_err(|error| refuse_capture(cite, error))?, None));
    };
    let read = match source.open_commit(commit) {
        Ok(Some(then)) => match then.read_file(&cite.path) {
            Err(error) if error.is_passing() => Err(error),
            _ => {
                let citation = capture_request(&*then, cite, &then.read_tree());
                Ok(citation.map_err(|error| refuse_capture(cite, error))?)
            }
        },
        Ok(None) => {
            let way_out = "leave the commit out to cite the lines as they are now";
            return Err(refuse(format!(
                "there is no commit '{commit}' here; {way_out}"
            )));
        }
        Err(error) => Err(error),
    };
    match read {
        Ok(citation) => Ok((citation, None)),
        Err(error) if error.is_passing() => {
            let why = error.format_with_causes();
            let unread = build_unread_citation(cite, commit, None);
            let citation = unread.ok_or_else(|| refuse(why.clone()))?;
            Ok((citation, Some(format!("{cite} was not read: {why}"))))
        }
        Err(error) => Err(refuse(error.to_string())),
    }
}

/// Follows what was read at earlier commits to now. Refused where the code no longer says it; `Some` where that could not
/// be found out.
fn follow_to_now(
    cx: &Context,
    fact: &str,
    citations: &[Citation],
) -> Result<Option<String>, Refusal> {
    let claim = CitedClaim { fact, citations };
    let judged = cx.citation_follower(NEAR).judge_claims(&[claim]);
    let Some(judged) = judged.into_iter().next() else {
        return Ok(None);
    };
    let found = citations.iter().zip(judged.verdicts());
    let worst = found.max_by_key(|(_, verdict)| verdict.severity());
    let Some((citation, verdict)) = worst else {
        return Ok(None);
    };
    let place = citation.location();
    match &verdict {
        Verdict::Unknown { why } => Ok(Some(format!("{place} was not followed to now: {why}"))),
        _ if judged.judgement.standing.is_refuted() => Err(Refusal::BadCitation {
            place: place.to_string(),
            why: format!(
                "it was so at that commit, and no longer is: {}",
                format_verdict_reason(citation, &verdict)
            ),
        }),
        _ => Ok(None),
    }
}

fn refuse_capture(cite: &CitationRequest, error: CaptureError) -> Refusal {
    let field = "citations";
    match error {
        CaptureError::Secret(rule) => Refusal::Secret { field, rule },
        CaptureError::TooLong(chars) => Refusal::TooLong {
            field,
            chars,
            limit: moderate::MAX_BYTES,
        },
        CaptureError::Unreadable(_) | CaptureError::Symbol(_) => Refusal::BadCitation {
            place: cite.to_string(),
            why: error.to_string(),
        },
    }
}

/// What a fact states and none of its citations says.
pub(crate) fn find_unsaid_claims(
    voice: &Voice,
    subject: Option<&str>,
    fact: &str,
    citations: &[Citation],
) -> Vec<String> {
    let evidence = citations.iter();
    let evidence: Vec<_> = evidence
        .map(|it| (it.path.as_str(), &*it.snippet))
        .collect();
    voice.find_unsaid_claims(subject, fact, &evidence)
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
