//! Revise: refresh, supersede, correct, invalidate, and the note that a memory was applied.

use crate::event::{Batch, Event, EventBody, Precondition};
use crate::memory::{
    Draft, DuplicateChoice, Memory, MemoryName, ReplacementKind, Stage, Status, Voice,
};
use crate::refusal::Refusal;
use crate::refusal::check_text;
use crate::remember::approval::build_approval_events;
use crate::remember::resubmission::{REJECTED, is_rejected_memory};
use crate::remember::{self, EarlyEnd, RememberOutcome, retry_on_conflict};
use crate::space::Space;
use crate::speaker::Person;
use crate::{Context, CoreError, breaker, list};
use apostille_cite::capture::capture_lines;
use apostille_cite::citation::{Citation, CodeLocation};
use apostille_cite::follow::NEAR;
use apostille_cite::verdict::Verdict;
use apostille_text::moderate;

/// What became of a revision.
#[derive(Debug, Clone, PartialEq)]
pub enum ReviseOutcome {
    /// It was done; the memory as it is now.
    Done(Box<Memory>),
    /// It was not done.
    Refused(Refusal),
}

/// Notes that a memory was found to hold and is still of use: it ranks as fresh again.
pub fn refresh_memory(
    cx: &Context<'_>,
    spaces: &[Space],
    name: MemoryName,
) -> Result<ReviseOutcome, CoreError> {
    let again = || EventBody::Refreshed {
        citations: None,
        followed: Vec::new(),
        voucher: None,
    };
    revise_active_memory(cx, spaces, name, "refreshed", |_| again())
}

/// Marks a memory as wrong.
pub fn invalidate_memory(
    cx: &Context<'_>,
    spaces: &[Space],
    name: MemoryName,
    reason: &str,
) -> Result<ReviseOutcome, CoreError> {
    if let Err(refusal) = check_reason_text(cx, reason) {
        return Ok(ReviseOutcome::Refused(refusal));
    }
    revise_active_memory(cx, spaces, name, "invalidated", |_| {
        EventBody::Invalidated {
            reason: moderate::neutralise_text(reason),
            diff: None,
        }
    })
}

/// Marks a memory as wrong, where the one who says so is not held up by a breaker.
pub fn invalidate_memory_as(
    cx: &Context<'_>,
    spaces: &[Space],
    name: MemoryName,
    reason: &str,
    by: &Voice,
) -> Result<ReviseOutcome, CoreError> {
    let refused = match list::find_named_memory(cx, spaces, name)?.filter(Memory::is_active) {
        Some(memory) => breaker::consult_invalidation(cx, &memory, by)?,
        None => None,
    };
    let actor = if by.is_person() {
        None
    } else {
        Some(breaker::name_write_actor(by))
    };
    let cx = Context {
        actor: actor.as_deref().or(cx.actor),
        ..*cx
    };
    match refused {
        Some(refusal) => Ok(ReviseOutcome::Refused(refusal)),
        None => invalidate_memory(&cx, spaces, name, reason),
    }
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
    cx: &Context<'_>,
    by: &Person,
    spaces: &[Space],
    name: MemoryName,
) -> Result<ReviseOutcome, CoreError> {
    let spaces = &by.reachable_spaces(spaces);
    into_revise_outcome(retry_on_conflict(|| {
        let mut memory = find_pending_memory(cx, spaces, name, "approved")?;
        let expect = Precondition::Unmoved(memory.id, memory.status.clone());
        let (events, mut expects) = build_approval_events(cx, &mut memory)?;
        expects.push(expect);
        cx.store
            .append_batch(&Batch::new_durable(events, expects))?;
        Ok(memory)
    }))
}

/// Lets a memory be used that waits or was rejected: a person may have changed their mind. Not where the same has been
/// said again meanwhile and stands or waits.
///
/// ```compile_fail
/// # use apostille_core::{Context, memory::MemoryName, revise, space::Space};
/// fn reconsider_unasked(cx: &Context<'_>, spaces: &[Space], name: MemoryName) {
///     let _ = revise::reconsider_memory(cx, spaces, name);
/// }
/// ```
pub fn reconsider_memory(
    cx: &Context<'_>,
    by: &Person,
    spaces: &[Space],
    name: MemoryName,
) -> Result<ReviseOutcome, CoreError> {
    let spaces = &by.reachable_spaces(spaces);
    let rejected = list::find_named_memory(cx, spaces, name)?.filter(is_rejected_memory);
    let Some(mut memory) = rejected else {
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
    into_revise_outcome((|| {
        let unmoved = Precondition::Unmoved(memory.id, memory.status.clone());
        let alone = Precondition::NoTwin(memory.space.clone(), memory.claim_digest());
        let (events, mut expects) = build_approval_events(cx, &mut memory)?;
        expects.extend([unmoved, alone]);
        cx.store
            .append_batch(&Batch::new_durable(events, expects))?;
        Ok(memory)
    })())
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
    cx: &Context<'_>,
    by: &Person,
    spaces: &[Space],
    name: MemoryName,
    reason: &str,
) -> Result<ReviseOutcome, CoreError> {
    let spaces = &by.reachable_spaces(spaces);
    let reason = reason.trim();
    if let Err(refusal) = if reason.is_empty() {
        Ok(())
    } else {
        check_reason_text(cx, reason)
    } {
        return Ok(ReviseOutcome::Refused(refusal));
    }
    let reason = match reason {
        "" => REJECTED.to_owned(),
        said => format!("{REJECTED}: {}", moderate::neutralise_text(said)),
    };
    into_revise_outcome(retry_on_conflict(|| {
        let mut memory = find_pending_memory(cx, spaces, name, "rejected")?;
        let what = EventBody::Invalidated {
            reason: reason.clone(),
            diff: None,
        };
        let event = cx.new_event(&memory.space, Some(memory.id), what);
        let expect = Precondition::Unmoved(memory.id, memory.status.clone());
        cx.store
            .append_batch(&Batch::new_durable(vec![event.clone()], vec![expect]))?;
        memory.apply_event(&event);
        Ok(memory)
    }))
}

/// Lets a pending memory go up in one that is in use, on a person's word: that one keeps its words and gains the
/// citations that still hold. The memory as it is now.
pub fn merge_pending_memory(
    cx: &Context<'_>,
    spaces: &[Space],
    name: MemoryName,
    into: MemoryName,
) -> Result<ReviseOutcome, CoreError> {
    into_revise_outcome(retry_on_conflict(|| {
        let waiting = find_pending_memory(cx, spaces, name, "merged")?;
        let mut known = find_active_memory(cx, spaces, into, "merged into")?;
        if known.space != waiting.space {
            return Err(Refusal::NoSuchMemory {
                name: into.to_string(),
            }
            .into());
        }
        let mut events =
            vec![cx.new_event(&waiting.space, Some(waiting.id), merged_event_body(&known))];
        let citations = merge_living_citations(cx, &waiting, &known);
        let citations = (citations.len() > known.citations.len()).then_some(citations);
        let voucher = waiting.voice.voucher_for(&known);
        let refreshed = EventBody::Refreshed {
            citations,
            followed: Vec::new(),
            voucher,
        };
        events.push(cx.new_event(&known.space, Some(known.id), refreshed));
        let expects = [&waiting, &known].map(|it| Precondition::Unmoved(it.id, it.status.clone()));
        cx.store
            .append_batch(&Batch::new_durable(events.clone(), expects.to_vec()))?;
        known.apply_event(&events[1]);
        Ok(known)
    }))
}

fn merged_event_body(known: &Memory) -> EventBody {
    EventBody::Superseded {
        by: known.id,
        reason: Some("merged".into()),
    }
}

/// The citations of a memory, and those of another that hold and point elsewhere.
fn merge_living_citations(cx: &Context<'_>, waiting: &Memory, known: &Memory) -> Vec<Citation> {
    let places: Vec<CodeLocation> = known.citations.iter().map(Citation::location).collect();
    let new = list_living_places(cx, waiting)
        .into_iter()
        .filter(|it| !places.contains(it));
    let new = new.filter_map(|it| capture_lines(cx.source, &it).ok());
    known
        .citations
        .iter()
        .cloned()
        .chain(new)
        .take(cx.policy.limits.citations)
        .collect()
}

/// Says instead what a pending memory says, as a person's own words: they travel the whole write path, and take the
/// place of what waited.
pub fn reword_memory(
    cx: &Context<'_>,
    spaces: &[Space],
    name: MemoryName,
    draft: Draft,
) -> Result<RememberOutcome, CoreError> {
    if !draft.voice.is_person() {
        return Ok(RememberOutcome::Refused(Refusal::NotAPerson));
    }
    match find_pending_memory(cx, spaces, name, "edited") {
        Ok(old) => remember_replacement(cx, &old, draft, ReplacementKind::Better),
        Err(EarlyEnd::Refused(refusal)) => Ok(RememberOutcome::Refused(refusal)),
        Err(EarlyEnd::Broken(error)) => Err(error),
    }
}

/// Notes that a memory was used in a task.
pub fn mark_memory_applied(
    cx: &Context<'_>,
    spaces: &[Space],
    name: MemoryName,
) -> Result<ReviseOutcome, CoreError> {
    revise_active_memory(cx, spaces, name, "applied", |_| EventBody::Applied)
}

/// Replaces a memory by a new one, which travels the whole write path. The old one is never ranked again and stays in
/// the history.
pub fn supersede_memory(
    cx: &Context<'_>,
    spaces: &[Space],
    name: MemoryName,
    draft: Draft,
    how: ReplacementKind,
) -> Result<RememberOutcome, CoreError> {
    let old = match find_active_memory(cx, spaces, name, "superseded") {
        Ok(old) => old,
        Err(EarlyEnd::Refused(refusal)) => return Ok(RememberOutcome::Refused(refusal)),
        Err(EarlyEnd::Broken(error)) => return Err(error),
    };
    remember_replacement(cx, &old, draft, how)
}

fn remember_replacement(
    cx: &Context<'_>,
    old: &Memory,
    draft: Draft,
    how: ReplacementKind,
) -> Result<RememberOutcome, CoreError> {
    let twin = DuplicateChoice::Replace(MemoryName::Id(old.id), how);
    remember::remember(
        cx,
        Draft {
            space: old.space.clone(),
            twin,
            ..inherit_from_replaced(cx, draft, old)
        },
    )
}

/// What a replacement does not say, it takes from the memory it replaces; of the citations, those that still hold. Not
/// the reason: it is about what is replaced, and would outlive it when that one is forgotten.
fn inherit_from_replaced(cx: &Context<'_>, draft: Draft, old: &Memory) -> Draft {
    let citations = if draft.citations.is_empty() {
        list_living_places(cx, old)
    } else {
        draft.citations
    };
    Draft {
        citations,
        layer: draft.layer.or(Some(old.layer)),
        kind: draft.kind.or(Some(old.kind)),
        subject: draft.subject.or_else(|| old.subject.clone()),
        task: draft.task.or_else(|| old.task.clone()),
        ..draft
    }
}

/// The places where the citations of a memory stand now.
fn list_living_places(cx: &Context<'_>, memory: &Memory) -> Vec<CodeLocation> {
    let citations: Vec<_> = memory.citations.iter().collect();
    let sights = cx.citation_follower(NEAR).follow_citations(&citations);
    let place = |(citation, verdict): (&&Citation, Verdict)| match verdict {
        Verdict::Holds => Some(citation.location()),
        Verdict::Moved { to } => Some(to),
        Verdict::Changed(found) if found.is_harmless => Some(found.at),
        _ => None,
    };
    citations
        .iter()
        .zip(sights.into_iter().map(|it| it.verdict))
        .filter_map(place)
        .collect()
}

fn check_reason_text(cx: &Context<'_>, reason: &str) -> Result<(), Refusal> {
    check_text("reason", reason)?;
    let (chars, limit) = (reason.chars().count(), cx.policy.limits.reason_chars);
    match chars {
        0 => Err(Refusal::Empty { field: "reason" }),
        _ if chars > limit => Err(Refusal::TooLong {
            field: "reason",
            chars,
            limit,
        }),
        _ => Ok(()),
    }
}

fn revise_active_memory(
    cx: &Context<'_>,
    spaces: &[Space],
    name: MemoryName,
    verb: &'static str,
    what: impl Fn(&Memory) -> EventBody,
) -> Result<ReviseOutcome, CoreError> {
    into_revise_outcome(retry_on_conflict(|| {
        let mut memory = find_active_memory(cx, spaces, name, verb)?;
        let event: Event = cx.new_event(&memory.space, Some(memory.id), what(&memory));
        let expect = Precondition::Unmoved(memory.id, Status::Active);
        cx.store
            .append_batch(&Batch::new_durable(vec![event.clone()], vec![expect]))?;
        memory.apply_event(&event);
        Ok(memory)
    }))
}

fn into_revise_outcome(done: Result<Memory, EarlyEnd>) -> Result<ReviseOutcome, CoreError> {
    match done {
        Ok(memory) => Ok(ReviseOutcome::Done(Box::new(memory))),
        Err(EarlyEnd::Refused(refusal)) => Ok(ReviseOutcome::Refused(refusal)),
        Err(EarlyEnd::Broken(error)) => Err(error),
    }
}

fn find_active_memory(
    cx: &Context<'_>,
    spaces: &[Space],
    name: MemoryName,
    verb: &'static str,
) -> Result<Memory, EarlyEnd> {
    let memory = require_named_memory(cx, spaces, name)?;
    if memory.is_active() {
        return Ok(memory);
    }
    Err(Refusal::NotActive {
        handle: memory.handle(),
        stage: memory.status.stage(),
        verb,
    }
    .into())
}

/// The memory of this name if it waits for a person; else why nothing can be decided about it.
pub fn find_pending_or_refuse(
    cx: &Context<'_>,
    spaces: &[Space],
    name: MemoryName,
    verb: &'static str,
) -> Result<Result<Memory, Refusal>, CoreError> {
    match find_pending_memory(cx, spaces, name, verb) {
        Ok(memory) => Ok(Ok(memory)),
        Err(EarlyEnd::Refused(refusal)) => Ok(Err(refusal)),
        Err(EarlyEnd::Broken(error)) => Err(error),
    }
}

fn find_pending_memory(
    cx: &Context<'_>,
    spaces: &[Space],
    name: MemoryName,
    verb: &'static str,
) -> Result<Memory, EarlyEnd> {
    let memory = require_named_memory(cx, spaces, name)?;
    let stage = memory.status.stage();
    if stage == Stage::Pending {
        return Ok(memory);
    }
    Err(Refusal::NotPending {
        handle: memory.handle(),
        stage,
        verb,
    }
    .into())
}

fn require_named_memory(
    cx: &Context<'_>,
    spaces: &[Space],
    name: MemoryName,
) -> Result<Memory, EarlyEnd> {
    Ok(
        list::find_named_memory(cx, spaces, name)?.ok_or_else(|| Refusal::NoSuchMemory {
            name: name.to_string(),
        })?,
    )
}
