//! The write path for what a reviewer asked for: as for every draft, with the comment as evidence.
//!
//! The comment comes from the program that read it at the host, never from a caller's claim, and what is made of it waits
//! whatever it says: [`review_rules`](crate::review_rules) alone lets it out, by its quorum. What moderation had to touch is
//! not kept at all: a reviewer has no reason to hide characters, and nobody should have to decide about it.

use super::{
    EarlyEnd, RememberOutcome, classify,
    commit::{self, commit_decision},
    dedupe, guard, moderate, prove, retry_on_conflict, separate_refusal,
    testify::SessionProof,
};
use crate::{
    Context, CoreError,
    evidence::{Evidence, ReviewRemark},
    memory::Draft,
    refusal::Refusal,
};

/// What became of a reviewer's sentence.
pub(crate) enum ReviewedOutcome {
    /// It went the write path.
    Through(RememberOutcome),
    /// Moderation noticed something.
    Suspicious,
}

/// Keeps what a reviewer asked for, waiting.
pub(crate) fn remember_reviewed(
    cx: &Context,
    draft: Draft,
    remark: ReviewRemark,
) -> Result<ReviewedOutcome, CoreError> {
    let space = draft.space.clone();
    let moderated = match moderate::moderate_draft(draft) {
        Ok(moderated) if moderated.marks.is_empty() => moderated,
        Ok(_) => return Ok(ReviewedOutcome::Suspicious),
        Err(refusal) => return Ok(refuse(cx, &space, refusal)),
    };
    let outcome = separate_refusal(run_reviewed_path(cx, moderated, remark))?;
    Ok(match outcome {
        Ok(outcome) => ReviewedOutcome::Through(outcome),
        Err(refusal) => refuse(cx, &space, refusal),
    })
}

fn refuse(cx: &Context, space: &crate::space::Space, refusal: Refusal) -> ReviewedOutcome {
    ReviewedOutcome::Through(commit::log_refusal(cx, space, refusal))
}

fn run_reviewed_path(
    cx: &Context,
    moderated: moderate::Moderated,
    remark: ReviewRemark,
) -> Result<RememberOutcome, EarlyEnd> {
    let classified = classify::classify_draft(moderated)?;
    let mut proven = prove::prove_draft(cx, classified)?;
    proven.session = SessionProof {
        evidence: vec![Evidence::Review(remark)],
        lacking: None,
    };
    let mut is_first = true;
    retry_on_conflict(|| {
        let vetted = guard::admit_draft(cx, proven.clone())?;
        let decision = dedupe::decide_duplicate(cx, &vetted, std::mem::take(&mut is_first))?;
        let vetted = guard::consult_breakers_and_guardian(cx, vetted, &mut None)?;
        commit_decision(cx, &vetted, decision)
    })
}
