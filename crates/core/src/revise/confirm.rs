//! Confirm: the code around a fact was edited, somebody looked, and it is still true. The citation is put on the lines as
//! they are now, after the same proof as a new memory.

use apostille_cite::{
    citation::{Citation, CodeLocation},
    citation_request::CitationRequest,
    follow::NEAR,
    standing::Judgement,
    verdict::Verdict,
};

use super::{ReviseOutcome, decide_revision, find_in_stage, write_revision};
use crate::{
    Context, CoreError,
    event::EventBody,
    judge::MemoryJudge,
    memory::{Memory, MemoryName, Stage, Voice},
    names::name_things,
    refusal::Refusal,
    remember::prove::{capture_citation, find_unsaid_claims},
    space::Space,
};

/// Confirms a memory: it cites these places from now on, or those that its lines were followed to where none are named.
///
/// A person's word is enough. What anybody else confirms has to be written there: the lines say the fact's literals, as they
/// have to when it is remembered. Else it is refused, and stays as it was.
pub fn confirm_memory(
    cx: &Context,
    spaces: &[Space],
    name: MemoryName,
    cites: &[CitationRequest],
    by: &Voice,
) -> Result<ReviseOutcome, CoreError> {
    decide_revision(|| {
        let memory = find_in_stage(cx, spaces, name, Stage::Active, "confirmed")?;
        if !by.is_person() && memory.voice.is_persons_word() {
            require_followed_places(&memory, cites)?;
        }
        let places = if cites.is_empty() {
            let places = list_places_now(cx, &memory)?;
            places.into_iter().map(CitationRequest::from).collect()
        } else {
            cites.to_vec()
        };
        let citations = capture_places(cx, &memory, &places)?;
        if !by.is_person() {
            require_said(&memory, &citations)?;
        }
        let was = memory.citations.iter().map(Citation::location);
        let moved = was.zip(citations.iter().map(Citation::location));
        let followed = moved
            .filter(|(was, now)| was != now)
            .map(|(was, now)| format!("{was} → {now}"))
            .collect();
        // What was named and is gone is not looked up any more: somebody looked, and the fact is still true.
        let names = name_things(&memory.fact, &memory.space, &citations, cx.source);
        let citations = (!citations.is_empty()).then_some(citations);
        let again = EventBody::Refreshed {
            citations,
            evidence: None,
            names: Some(names),
            followed,
            voucher: None,
        };
        write_revision(cx, memory, again)
    })
}

/// What a person said is not hung on other lines by anybody else: when those lines go, it would be called gone. The places that
/// its own lines were followed to may be confirmed.
fn require_followed_places(memory: &Memory, cites: &[CitationRequest]) -> Result<(), Refusal> {
    match cites.is_empty() && !memory.citations.is_empty() {
        true => Ok(()),
        false => Err(Refusal::PersonDecides {
            verb: "say which code proves what a person said",
        }),
    }
}

/// Where the lines of a memory stand now; where they are gone, the item that the fact speaks of.
fn list_places_now(cx: &Context, memory: &Memory) -> Result<Vec<CodeLocation>, Refusal> {
    let judged = MemoryJudge::new(cx, NEAR).judge_memory(memory);
    let pairs = memory.citations.iter().zip(judged.verdicts());
    pairs
        .map(|(citation, verdict)| find_place_now(citation, verdict, &judged.judgement))
        .collect()
}

fn find_place_now(
    citation: &Citation,
    verdict: Verdict,
    judgement: &Judgement,
) -> Result<CodeLocation, Refusal> {
    let refuse = |why: &str| Refusal::BadCitation {
        place: citation.location().to_string(),
        why: why.to_owned(),
    };
    match verdict {
        Verdict::Holds => Ok(citation.location()),
        Verdict::Moved { to } => Ok(to),
        Verdict::Changed(found) => Ok(found.at),
        Verdict::Gone { .. } => judgement
            .at
            .clone()
            .ok_or_else(|| refuse("none of its cited lines is left; say which lines prove it now")),
        Verdict::Unknown { why } => Err(refuse(&format!("it could not be looked up: {why}"))),
    }
}

fn capture_places(
    cx: &Context,
    memory: &Memory,
    places: &[CitationRequest],
) -> Result<Vec<Citation>, Refusal> {
    if memory.space.is_user() {
        return Ok(Vec::new());
    }
    places
        .iter()
        .map(|it| capture_citation(cx.source, it))
        .collect()
}

/// Refuses unless the lines say what the fact says.
fn require_said(memory: &Memory, citations: &[Citation]) -> Result<(), Refusal> {
    let subject = memory.subject.as_deref();
    let unsaid = find_unsaid_claims(&memory.voice, subject, &memory.fact, citations);
    let Some(place) = citations.first().map(|it| it.location().to_string()) else {
        return Ok(());
    };
    if unsaid.is_empty() {
        return Ok(());
    }
    let unsaid: Vec<String> = unsaid.iter().map(|it| format!("`{it}`")).collect();
    Err(Refusal::BadCitation {
        place,
        why: format!(
            "it does not say {}; correct the fact, cite the lines that say it, or ask the user to confirm it",
            unsaid.join(", ")
        ),
    })
}
