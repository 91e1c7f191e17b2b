//! Revise: refresh, supersede, correct, invalidate, and the note that a memory was applied.

use crate::event::{Batch, Event, Expect, What};
use crate::memory::{Draft, Memory, Name, Replacement, Stage, Status, Twin, Voice};
use crate::refusal::Refusal;
use crate::refusal::check_text;
use crate::remember::approval::approval;
use crate::remember::queue::{REJECTED, is_rejected};
use crate::remember::{self, Outcome, Stop, decided_anew};
use crate::space::Space;
use crate::speaker::Person;
use crate::{Context, Error, breaker, list};
use apostille_cite::capture::capture_lines;
use apostille_cite::citation::{Citation, Cite};
use apostille_cite::look::NEAR;
use apostille_cite::verdict::Verdict;
use apostille_text::moderate;

/// What became of a revision.
#[derive(Debug, Clone, PartialEq)]
pub enum Revised {
    /// It was done; the memory as it is now.
    Done(Box<Memory>),
    /// It was not done.
    Refused(Refusal),
}

/// Notes that a memory was found to hold and is still of use: it ranks as fresh again.
pub fn refresh(cx: &Context<'_>, spaces: &[Space], name: Name) -> Result<Revised, Error> {
    let again = || What::Refreshed {
        citations: None,
        followed: Vec::new(),
        voucher: None,
    };
    revised(cx, spaces, name, "refreshed", |_| again())
}

/// Marks a memory as wrong.
pub fn invalidate(
    cx: &Context<'_>,
    spaces: &[Space],
    name: Name,
    reason: &str,
) -> Result<Revised, Error> {
    if let Err(refusal) = reason_is_fit(cx, reason) {
        return Ok(Revised::Refused(refusal));
    }
    revised(cx, spaces, name, "invalidated", |_| What::Invalidated {
        reason: moderate::neutralised(reason),
        diff: None,
    })
}

/// Marks a memory as wrong, where the one who says so is not held up by a breaker.
pub fn invalidate_as(
    cx: &Context<'_>,
    spaces: &[Space],
    name: Name,
    reason: &str,
    by: &Voice,
) -> Result<Revised, Error> {
    let refused = match list::named(cx, spaces, name)?.filter(Memory::is_active) {
        Some(memory) => breaker::consult_invalidation(cx, &memory, by)?,
        None => None,
    };
    let actor = if by.is_person() {
        None
    } else {
        Some(breaker::actor(by))
    };
    let cx = Context {
        actor: actor.as_deref().or(cx.actor),
        ..*cx
    };
    match refused {
        Some(refusal) => Ok(Revised::Refused(refusal)),
        None => invalidate(&cx, spaces, name, reason),
    }
}

/// Lets a pending memory out of quarantine, on a person's word. What it was to replace is replaced now.
///
/// ```compile_fail
/// # use apostille_core::{Context, memory::Name, revise, space::Space};
/// fn approve_unasked(cx: &Context<'_>, spaces: &[Space], name: Name) {
///     let _ = revise::approve(cx, spaces, name);
/// }
/// ```
pub fn approve(
    cx: &Context<'_>,
    by: &Person,
    spaces: &[Space],
    name: Name,
) -> Result<Revised, Error> {
    let spaces = &by.reached(spaces);
    settled(decided_anew(|| {
        let mut memory = pending(cx, spaces, name, "approved")?;
        let expect = Expect::Unmoved(memory.id, memory.status.clone());
        let (events, mut expects) = approval(cx, &mut memory)?;
        expects.push(expect);
        cx.store.append(&Batch::durable(events, expects))?;
        Ok(memory)
    }))
}

/// Lets a memory be used that waits or was rejected: a person may have changed their mind. Not where the same has been
/// said again meanwhile and stands or waits.
pub fn reconsider(
    cx: &Context<'_>,
    by: &Person,
    spaces: &[Space],
    name: Name,
) -> Result<Revised, Error> {
    let spaces = &by.reached(spaces);
    let rejected = list::named(cx, spaces, name)?.filter(is_rejected);
    let Some(mut memory) = rejected else {
        return approve(cx, by, spaces, name);
    };
    if let Some(twin) = cx.store.get_by_claim(&memory.space, &memory.claim())? {
        return Ok(Revised::Refused(Refusal::SaidAgain {
            handle: memory.handle(),
            twin: twin.handle(),
        }));
    }
    settled((|| {
        let unmoved = Expect::Unmoved(memory.id, memory.status.clone());
        let alone = Expect::NoTwin(memory.space.clone(), memory.claim());
        let (events, mut expects) = approval(cx, &mut memory)?;
        expects.extend([unmoved, alone]);
        cx.store.append(&Batch::durable(events, expects))?;
        Ok(memory)
    })())
}

/// Turns a pending memory away, on a person's word. It stays in the history as wrong, so that what says the same again
/// can be told from what is new.
///
/// ```compile_fail
/// # use apostille_core::{Context, memory::Name, revise, space::Space};
/// fn reject_unasked(cx: &Context<'_>, spaces: &[Space], name: Name) {
///     let _ = revise::reject(cx, spaces, name, "no");
/// }
/// ```
pub fn reject(
    cx: &Context<'_>,
    by: &Person,
    spaces: &[Space],
    name: Name,
    reason: &str,
) -> Result<Revised, Error> {
    let spaces = &by.reached(spaces);
    let reason = reason.trim();
    if let Err(refusal) = if reason.is_empty() {
        Ok(())
    } else {
        reason_is_fit(cx, reason)
    } {
        return Ok(Revised::Refused(refusal));
    }
    let reason = match reason {
        "" => REJECTED.to_owned(),
        said => format!("{REJECTED}: {}", moderate::neutralised(said)),
    };
    settled(decided_anew(|| {
        let mut memory = pending(cx, spaces, name, "rejected")?;
        let what = What::Invalidated {
            reason: reason.clone(),
            diff: None,
        };
        let event = cx.event(&memory.space, Some(memory.id), what);
        let expect = Expect::Unmoved(memory.id, memory.status.clone());
        cx.store
            .append(&Batch::durable(vec![event.clone()], vec![expect]))?;
        memory.apply(&event);
        Ok(memory)
    }))
}

/// Lets a pending memory go up in one that is in use, on a person's word: that one keeps its words and gains the
/// citations that still hold. The memory as it is now.
pub fn absorb(
    cx: &Context<'_>,
    spaces: &[Space],
    name: Name,
    into: Name,
) -> Result<Revised, Error> {
    settled(decided_anew(|| {
        let waiting = pending(cx, spaces, name, "merged")?;
        let mut known = active(cx, spaces, into, "merged into")?;
        if known.space != waiting.space {
            return Err(Refusal::NoSuchMemory {
                name: into.to_string(),
            }
            .into());
        }
        let mut events = vec![cx.event(&waiting.space, Some(waiting.id), merged(&known))];
        let citations = gained(cx, &waiting, &known);
        let citations = (citations.len() > known.citations.len()).then_some(citations);
        let voucher = waiting.voice.vouches(&known);
        let refreshed = What::Refreshed {
            citations,
            followed: Vec::new(),
            voucher,
        };
        events.push(cx.event(&known.space, Some(known.id), refreshed));
        let expects = [&waiting, &known].map(|it| Expect::Unmoved(it.id, it.status.clone()));
        cx.store
            .append(&Batch::durable(events.clone(), expects.to_vec()))?;
        known.apply(&events[1]);
        Ok(known)
    }))
}

fn merged(known: &Memory) -> What {
    What::Superseded {
        by: known.id,
        reason: Some("merged".into()),
    }
}

/// The citations of a memory, and those of another that hold and point elsewhere.
fn gained(cx: &Context<'_>, waiting: &Memory, known: &Memory) -> Vec<Citation> {
    let places: Vec<Cite> = known.citations.iter().map(Citation::place).collect();
    let new = living(cx, waiting)
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
pub fn reword(
    cx: &Context<'_>,
    spaces: &[Space],
    name: Name,
    draft: Draft,
) -> Result<Outcome, Error> {
    if !draft.voice.is_person() {
        return Ok(Outcome::Refused(Refusal::NotAPerson));
    }
    match pending(cx, spaces, name, "edited") {
        Ok(old) => replaced(cx, &old, draft, Replacement::Better),
        Err(Stop::Refused(refusal)) => Ok(Outcome::Refused(refusal)),
        Err(Stop::Broken(error)) => Err(error),
    }
}

/// Notes that a memory was used in a task.
pub fn apply(cx: &Context<'_>, spaces: &[Space], name: Name) -> Result<Revised, Error> {
    revised(cx, spaces, name, "applied", |_| What::Applied)
}

/// Replaces a memory by a new one, which travels the whole write path. The old one is never ranked again and stays in
/// the history.
pub fn supersede(
    cx: &Context<'_>,
    spaces: &[Space],
    name: Name,
    draft: Draft,
    how: Replacement,
) -> Result<Outcome, Error> {
    let old = match active(cx, spaces, name, "superseded") {
        Ok(old) => old,
        Err(Stop::Refused(refusal)) => return Ok(Outcome::Refused(refusal)),
        Err(Stop::Broken(error)) => return Err(error),
    };
    replaced(cx, &old, draft, how)
}

fn replaced(
    cx: &Context<'_>,
    old: &Memory,
    draft: Draft,
    how: Replacement,
) -> Result<Outcome, Error> {
    let twin = Twin::Replace(Name::Id(old.id), how);
    remember::remember(
        cx,
        Draft {
            space: old.space.clone(),
            twin,
            ..inherit(cx, draft, old)
        },
    )
}

/// What a replacement does not say, it takes from the memory it replaces; of the citations, those that still hold. Not
/// the reason: it is about what is replaced, and would outlive it when that one is forgotten.
fn inherit(cx: &Context<'_>, draft: Draft, old: &Memory) -> Draft {
    let citations = if draft.citations.is_empty() {
        living(cx, old)
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
fn living(cx: &Context<'_>, memory: &Memory) -> Vec<Cite> {
    let citations: Vec<_> = memory.citations.iter().collect();
    let sights = cx.citation_reader(NEAR).look(&citations);
    let place = |(citation, verdict): (&&Citation, Verdict)| match verdict {
        Verdict::Holds => Some(citation.place()),
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

fn reason_is_fit(cx: &Context<'_>, reason: &str) -> Result<(), Refusal> {
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

fn revised(
    cx: &Context<'_>,
    spaces: &[Space],
    name: Name,
    verb: &'static str,
    what: impl Fn(&Memory) -> What,
) -> Result<Revised, Error> {
    settled(decided_anew(|| {
        let mut memory = active(cx, spaces, name, verb)?;
        let event: Event = cx.event(&memory.space, Some(memory.id), what(&memory));
        let expect = Expect::Unmoved(memory.id, Status::Active);
        cx.store
            .append(&Batch::durable(vec![event.clone()], vec![expect]))?;
        memory.apply(&event);
        Ok(memory)
    }))
}

fn settled(done: Result<Memory, Stop>) -> Result<Revised, Error> {
    match done {
        Ok(memory) => Ok(Revised::Done(Box::new(memory))),
        Err(Stop::Refused(refusal)) => Ok(Revised::Refused(refusal)),
        Err(Stop::Broken(error)) => Err(error),
    }
}

fn active(
    cx: &Context<'_>,
    spaces: &[Space],
    name: Name,
    verb: &'static str,
) -> Result<Memory, Stop> {
    let memory = found(cx, spaces, name)?;
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
pub fn find_pending(
    cx: &Context<'_>,
    spaces: &[Space],
    name: Name,
    verb: &'static str,
) -> Result<Result<Memory, Refusal>, Error> {
    match pending(cx, spaces, name, verb) {
        Ok(memory) => Ok(Ok(memory)),
        Err(Stop::Refused(refusal)) => Ok(Err(refusal)),
        Err(Stop::Broken(error)) => Err(error),
    }
}

fn pending(
    cx: &Context<'_>,
    spaces: &[Space],
    name: Name,
    verb: &'static str,
) -> Result<Memory, Stop> {
    let memory = found(cx, spaces, name)?;
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

fn found(cx: &Context<'_>, spaces: &[Space], name: Name) -> Result<Memory, Stop> {
    Ok(
        list::named(cx, spaces, name)?.ok_or_else(|| Refusal::NoSuchMemory {
            name: name.to_string(),
        })?,
    )
}
