//! Revise: refresh, confirm, supersede, correct, invalidate, and the note that a memory was applied.

mod confirm;

use crate::event::{EventBody, Precondition};
use crate::{
    Context, CoreError, breaker,
    forget::withdrawn_until,
    judge::MemoryJudge,
    list,
    memory::{Draft, DuplicateChoice, Memory, MemoryName, ReplacementKind, Stage},
    person_word::require_authority,
    refusal::{Refusal, check_length, check_text},
    remember::{
        self, EarlyEnd, RememberOutcome,
        approval::build_approval_events,
        resubmission::{REJECTED, is_rejected_memory},
        retry_on_conflict, separate_refusal,
    },
    space::Space,
    speaker::{Person, PersonVerb, Question, Speaker},
};
use apostille_cite::{
    capture::capture_lines,
    citation::{Citation, CodeLocation},
    citation_request::CitationRequest,
    follow::NEAR,
    standing::Standing,
};
use apostille_text::{moderate, overlap::normalise_fact};

pub use confirm::confirm_memory;

/// What became of a revision.
#[derive(Debug, Clone, PartialEq)]
pub enum ReviseOutcome {
    /// It was done; the memory as it is now.
    Done(Box<Memory>),
    /// It was not done.
    Refused(Refusal),
}

/// Notes that a memory was found to stand and is still of use: it ranks as fresh again. What does not stand here is not
/// fresh; where its code was edited, `confirm_memory` is the verb.
pub fn refresh_memory(
    cx: &Context,
    spaces: &[Space],
    name: MemoryName,
) -> Result<ReviseOutcome, CoreError> {
    decide_revision(|| {
        let memory = find_in_stage(cx, spaces, name, Stage::Active, "refreshed")?;
        let standing = judge_memory(cx, &memory);
        if standing == Standing::Check || is_refused_standing(cx, standing) {
            return Err(refuse_standing(&memory, standing));
        }
        write_revision(cx, memory, REFRESHED)
    })
}

/// It still holds; nothing else about it is changed.
const REFRESHED: EventBody = EventBody::Refreshed {
    citations: None,
    evidence: None,
    names: None,
    followed: Vec::new(),
    voucher: None,
};

/// Marks a memory as wrong. What a person said is called wrong by a person, or at the user's own words in that session; and
/// whoever else says so is not held up by a breaker.
pub fn invalidate_memory(
    cx: &Context,
    by: &Speaker,
    spaces: &[Space],
    name: MemoryName,
    reason: &str,
) -> Result<ReviseOutcome, CoreError> {
    if let Some(memory) = list::find_named_memory(cx, spaces, name)?.filter(Memory::is_active)
        && let Some(refusal) = breaker::consult_invalidation(cx, &memory, by)?
    {
        return Ok(ReviseOutcome::Refused(refusal));
    }
    let actor = breaker::name_removal_actor(by);
    let cx = &Context {
        actor: actor.as_deref().or(cx.actor),
        ..*cx
    };
    decide_revision(|| {
        check_reason_text(cx, reason)?;
        let memory = find_in_stage(cx, spaces, name, Stage::Active, "invalidated")?;
        require_authority(cx, by, PersonVerb::Invalidate, &memory)?;
        let reason = moderate::neutralise_text(reason);
        write_revision(cx, memory, EventBody::Invalidated { reason, diff: None })
    })
}

/// Lets a pending memory out of quarantine, on a person's word. What it was to replace is replaced now.
///
/// ```compile_fail
/// # use apostille_core::{Context, memory::MemoryName, revise, space::Space};
/// fn approve_unasked(cx: &Context<'_>, spaces: &[Space], name: MemoryName) {
///     let _ = revise::approve_memory(cx, spaces, name);
/// }
/// ```
pub fn approve_memory(
    cx: &Context,
    by: &Person,
    spaces: &[Space],
    name: MemoryName,
) -> Result<ReviseOutcome, CoreError> {
    decide_revision(|| {
        let memory = find_in_stage(cx, spaces, name, Stage::Pending, "approved")?;
        require_reach(by, PersonVerb::Approve, &memory, name)?;
        write_approval(cx, memory, Vec::new())
    })
}

/// What a person's word does not reach is not there for them.
fn require_reach(
    by: &Person,
    verb: PersonVerb,
    memory: &Memory,
    name: MemoryName,
) -> Result<(), Refusal> {
    match by.can_decide(verb, memory) {
        true => Ok(()),
        false => Err(Refusal::no_such_memory(name)),
    }
}

fn write_approval(
    cx: &Context,
    mut memory: Memory,
    mut expects: Vec<Precondition>,
) -> Result<Memory, EarlyEnd> {
    expects.push(Precondition::unmoved(&memory));
    let (events, unmoved) = build_approval_events(cx, &mut memory)?;
    expects.extend(unmoved);
    cx.append_durable(events, expects)?;
    Ok(memory)
}

/// Lets a memory be used that waits, was rejected, or was withdrawn at the user's words: a person may have changed their mind. Not where the same has been
/// said again meanwhile and stands or waits.
///
/// ```compile_fail
/// # use apostille_core::{Context, memory::MemoryName, revise, space::Space};
/// fn reconsider_unasked(cx: &Context<'_>, spaces: &[Space], name: MemoryName) {
///     let _ = revise::reconsider_memory(cx, spaces, name);
/// }
/// ```
pub fn reconsider_memory(
    cx: &Context,
    by: &Person,
    spaces: &[Space],
    name: MemoryName,
) -> Result<ReviseOutcome, CoreError> {
    let is_restorable = |it: &Memory| is_rejected_memory(it) || withdrawn_until(it).is_some();
    let rejected = list::find_named_memory(cx, spaces, name)?
        .filter(|it| is_restorable(it) && by.can_decide(PersonVerb::Approve, it));
    let Some(memory) = rejected else {
        return approve_memory(cx, by, spaces, name);
    };
    if let Some(twin) = cx
        .store
        .get_by_claim(&memory.space, &memory.claim_digest())?
    {
        return Ok(ReviseOutcome::Refused(Refusal::SaidAgain {
            handle: memory.handle(),
            twin: twin.handle(),
        }));
    }
    let alone = Precondition::no_twin(&memory);
    into_revise_outcome(write_approval(cx, memory, vec![alone]))
}

/// Turns a pending memory away, on a person's word. It stays in the history as wrong, so that what says the same again
/// can be told from what is new.
///
/// ```compile_fail
/// # use apostille_core::{Context, memory::MemoryName, revise, space::Space};
/// fn reject_unasked(cx: &Context<'_>, spaces: &[Space], name: MemoryName) {
///     let _ = revise::reject_memory(cx, spaces, name, "no");
/// }
/// ```
pub fn reject_memory(
    cx: &Context,
    by: &Person,
    spaces: &[Space],
    name: MemoryName,
    reason: &str,
) -> Result<ReviseOutcome, CoreError> {
    let reason = reason.trim();
    decide_revision(|| {
        let reason = match reason {
            "" => REJECTED.to_owned(),
            said => {
                check_reason_text(cx, said)?;
                format!("{REJECTED}: {}", moderate::neutralise_text(said))
            }
        };
        let memory = find_in_stage(cx, spaces, name, Stage::Pending, "rejected")?;
        require_reach(by, PersonVerb::Invalidate, &memory, name)?;
        write_revision(cx, memory, EventBody::Invalidated { reason, diff: None })
    })
}

/// Lets a pending memory go up in one that is in use, on a person's word: that one keeps its words and gains the
/// citations that still hold. The memory as it is now.
pub fn merge_pending_memory(
    cx: &Context,
    by: &Person,
    spaces: &[Space],
    name: MemoryName,
    into: MemoryName,
) -> Result<ReviseOutcome, CoreError> {
    decide_revision(|| {
        let waiting = find_in_stage(cx, spaces, name, Stage::Pending, "merged")?;
        require_reach(by, PersonVerb::Approve, &waiting, name)?;
        let mut known = find_in_stage(cx, spaces, into, Stage::Active, "merged into")?;
        if known.space != waiting.space {
            return Err(Refusal::no_such_memory(into).into());
        }
        let merged = EventBody::Superseded {
            by: known.id,
            reason: Some("merged".into()),
        };
        let citations = merge_living_citations(cx, &waiting, &known);
        let refreshed = EventBody::Refreshed {
            citations: (citations.len() > known.citations.len()).then_some(citations),
            evidence: None,
            names: None,
            followed: Vec::new(),
            voucher: waiting.voice.voucher_for(&known),
        };
        let refreshed = cx.new_memory_event(&known, refreshed);
        cx.append_durable(
            vec![cx.new_memory_event(&waiting, merged), refreshed.clone()],
            [&waiting, &known].map(Precondition::unmoved).into(),
        )?;
        known.apply_event(&refreshed);
        Ok(known)
    })
}

/// The citations of a memory, and those of another that hold and point elsewhere.
fn merge_living_citations(cx: &Context, waiting: &Memory, known: &Memory) -> Vec<Citation> {
    let mut places = list_living_places(cx, waiting);
    places.retain(|it| known.citations.iter().all(|known| known.location() != *it));
    let new = places
        .iter()
        .filter_map(|it| capture_lines(cx.source, it).ok());
    let all = known.citations.iter().cloned().chain(new);
    all.take(cx.policy.limits.citations).collect()
}

/// Says instead what a pending memory says, as a person's own words: they travel the whole write path, and take the
/// place of what waited.
pub fn reword_memory(
    cx: &Context,
    spaces: &[Space],
    name: MemoryName,
    draft: Draft,
) -> Result<RememberOutcome, CoreError> {
    if !draft.voice.is_person() {
        return Ok(RememberOutcome::Refused(Refusal::NotAPerson));
    }
    let old = find_in_stage(cx, spaces, name, Stage::Pending, "edited");
    remember_replacement(cx, old, draft, ReplacementKind::Better)
}

/// Notes that a memory was used in a task. What does not stand here cannot have been of use here; what stands is fresh again,
/// which merely showing it does not make it.
pub fn mark_memory_applied(
    cx: &Context,
    spaces: &[Space],
    name: MemoryName,
) -> Result<ReviseOutcome, CoreError> {
    decide_revision(|| {
        let memory = find_in_stage(cx, spaces, name, Stage::Active, "applied")?;
        let standing = judge_memory(cx, &memory);
        if is_refused_standing(cx, standing) {
            return Err(refuse_standing(&memory, standing));
        }
        let mut what = vec![EventBody::Applied];
        if matches!(standing, Standing::Stands | Standing::Stated) {
            what.push(REFRESHED);
        }
        write_revisions(cx, memory, what)
    })
}

/// How the fact of a memory stands in this checkout.
fn judge_memory(cx: &Context, memory: &Memory) -> Standing {
    let judged = MemoryJudge::new(cx, NEAR).judge_memory(memory);
    judged.judgement.standing
}

/// Whether a memory that stands so cannot be called true or useful: the code speaks against it, or is that of another
/// repository.
fn is_refused_standing(cx: &Context, standing: Standing) -> bool {
    let is_elsewhere = cx.source.is_of_other_repository();
    standing.is_refuted() || (is_elsewhere && standing == Standing::Unknown)
}

fn refuse_standing(memory: &Memory, standing: Standing) -> EarlyEnd {
    Refusal::DoesNotStand {
        handle: memory.handle().to_string(),
        standing,
    }
    .into()
}

/// Replaces a memory by a new one, which travels the whole write path. The old one is never ranked again and stays in
/// the history. What would take the place of a person's words waits, unless a person says it or agreed to it; see
/// [`ask_about_replacement`].
pub fn supersede_memory(
    cx: &Context,
    by: &Speaker,
    spaces: &[Space],
    name: MemoryName,
    draft: Draft,
    how: ReplacementKind,
) -> Result<RememberOutcome, CoreError> {
    let old = find_in_stage(cx, spaces, name, Stage::Active, "superseded")
        .and_then(|old| require_confirmed(by, old));
    let outcome = remember_replacement(cx, old, draft, how)?;
    approve_agreed_replacement(cx, by, outcome)
}

/// Refuses a person's voice without the confirmation that the person set up: the guard lets such a voice replace a person's
/// words, and holds back everybody else's.
fn require_confirmed(by: &Speaker, old: Memory) -> Result<Memory, EarlyEnd> {
    let is_unconfirmed = by.voice().is_person() && by.person().is_none();
    if is_unconfirmed && old.voice.is_persons_word() {
        let verb = "replace what a person said";
        return Err(Refusal::PersonDecides { verb }.into());
    }
    Ok(old)
}

/// Lets a replacement out of quarantine that the person of this call agreed to.
fn approve_agreed_replacement(
    cx: &Context,
    by: &Speaker,
    outcome: RememberOutcome,
) -> Result<RememberOutcome, CoreError> {
    let (RememberOutcome::Remembered { memory, .. } | RememberOutcome::Refreshed { memory }) =
        &outcome
    else {
        return Ok(outcome);
    };
    let agreed = by
        .person()
        .filter(|it| it.can_decide_once(PersonVerb::Approve, memory));
    let Some(agreed) = agreed.filter(|_| memory.status.stage() == Stage::Pending) else {
        return Ok(outcome);
    };
    let (space, name) = (memory.space.clone(), MemoryName::Id(memory.id));
    Ok(match approve_memory(cx, agreed, &[space], name)? {
        ReviseOutcome::Done(memory) => RememberOutcome::Refreshed { memory },
        ReviseOutcome::Refused(refusal) => RememberOutcome::Refused(refusal),
    })
}

/// What to ask a person about a memory that waits to take the place of a person's words; `None` for any other memory.
pub fn ask_about_replacement(cx: &Context, memory: &Memory) -> Result<Option<Question>, CoreError> {
    let replaced = memory
        .supersedes
        .filter(|_| memory.status.stage() == Stage::Pending);
    let Some(id) = replaced else {
        return Ok(None);
    };
    let old = cx.store.get_by_ids(&[id])?.pop();
    let old = old.filter(|it| it.voice.is_persons_word() && it.is_active());
    Ok(old.map(|old| Question::new(PersonVerb::Approve, memory, Some(&old))))
}

fn remember_replacement(
    cx: &Context,
    old: Result<Memory, EarlyEnd>,
    draft: Draft,
    how: ReplacementKind,
) -> Result<RememberOutcome, CoreError> {
    let old = match separate_refusal(old)? {
        Ok(old) => old,
        Err(refusal) => return Ok(RememberOutcome::Refused(refusal)),
    };
    let draft = Draft {
        on_duplicate: DuplicateChoice::Replace(MemoryName::Id(old.id), how),
        ..inherit_from_replaced(cx, draft, old)
    };
    remember::remember(cx, draft)
}

/// What a replacement does not say, it takes from the memory it replaces; of the citations, those that still hold. Not
/// the reason: it is about what is replaced, and would outlive it when that one is forgotten. So would the tags, unless the
/// words are the same anyway; an empty tag says that there are to be none.
fn inherit_from_replaced(cx: &Context, draft: Draft, old: Memory) -> Draft {
    let citations = if draft.citations.is_empty() {
        let places = list_living_places(cx, &old);
        places.into_iter().map(CitationRequest::from).collect()
    } else {
        draft.citations
    };
    let is_same = || normalise_fact(None, &draft.fact) == normalise_fact(None, &old.fact);
    let tags = if draft.tags.is_empty() && is_same() {
        old.tags
    } else {
        draft.tags
    };
    Draft {
        space: old.space,
        citations,
        tags,
        layer: draft.layer.or(Some(old.layer)),
        kind: draft.kind.or(Some(old.kind)),
        subject: draft.subject.or(old.subject),
        task: draft.task.or(old.task),
        ..draft
    }
}

/// The places where the citations of a memory stand now.
fn list_living_places(cx: &Context, memory: &Memory) -> Vec<CodeLocation> {
    let citations: Vec<_> = memory.citations.iter().collect();
    let found = cx.citation_follower(NEAR).follow_citations(&citations);
    let pairs = citations.iter().zip(&found);
    pairs
        .filter_map(|(citation, found)| found.verdict.living_location(citation))
        .collect()
}

fn check_reason_text(cx: &Context, reason: &str) -> Result<(), Refusal> {
    check_text("reason", reason)?;
    if reason.is_empty() {
        return Err(Refusal::Empty { field: "reason" });
    }
    check_length("reason", reason, cx.policy.limits.reason_chars)
}

/// Decides about a memory, again while another writer is first.
fn decide_revision(
    decide: impl FnMut() -> Result<Memory, EarlyEnd>,
) -> Result<ReviseOutcome, CoreError> {
    into_revise_outcome(retry_on_conflict(decide))
}

fn into_revise_outcome(done: Result<Memory, EarlyEnd>) -> Result<ReviseOutcome, CoreError> {
    Ok(match separate_refusal(done)? {
        Ok(memory) => ReviseOutcome::Done(Box::new(memory)),
        Err(refusal) => ReviseOutcome::Refused(refusal),
    })
}

/// Writes what happened to a memory, if it still stands as it stood; the memory as it is then.
fn write_revision(cx: &Context, memory: Memory, what: EventBody) -> Result<Memory, EarlyEnd> {
    write_revisions(cx, memory, vec![what])
}

/// Writes several things that happened to a memory at once.
fn write_revisions(
    cx: &Context,
    mut memory: Memory,
    what: Vec<EventBody>,
) -> Result<Memory, EarlyEnd> {
    let events = what.into_iter();
    let events: Vec<_> = events.map(|it| cx.new_memory_event(&memory, it)).collect();
    cx.append_durable(events.clone(), vec![Precondition::unmoved(&memory)])?;
    for event in &events {
        memory.apply_event(event);
    }
    Ok(memory)
}

/// The memory of this name if it waits for a person; else why nothing can be decided about it.
pub fn find_pending_or_refuse(
    cx: &Context,
    spaces: &[Space],
    name: MemoryName,
    verb: &'static str,
) -> Result<Result<Memory, Refusal>, CoreError> {
    separate_refusal(find_in_stage(cx, spaces, name, Stage::Pending, verb))
}

/// The memory of this name, which must be active or pending, as is wanted, to be dealt with in this way.
fn find_in_stage(
    cx: &Context,
    spaces: &[Space],
    name: MemoryName,
    wanted: Stage,
    verb: &'static str,
) -> Result<Memory, EarlyEnd> {
    let memory = list::find_named_or_refuse(cx, spaces, name)??;
    let (handle, stage) = (memory.handle(), memory.status.stage());
    let refusal = match wanted {
        _ if stage == wanted => return Ok(memory),
        Stage::Pending => Refusal::NotPending {
            handle,
            stage,
            verb,
        },
        _ => Refusal::NotActive {
            handle,
            stage,
            verb,
        },
    };
    Err(refusal.into())
}
