//! Stage six: state, index and event in one batch, one write.

use super::approval::build_approval_events;
use super::{
    EarlyEnd, NearMemory, RememberOutcome,
    dedupe::{self, DuplicateDecision},
    guard::{self, Vetted},
    replacement::find_replaced_memory,
};
use crate::{
    Context, branches,
    event::{Event, EventBody, Precondition},
    memory::{DuplicateChoice, Layer, Memory, MemoryId, ReplacementKind},
    refusal::Refusal,
    space::Space,
    store::{ListOrder, MemoryFilter},
};
use apostille_cite::citation::Citation;

/// Writes what was decided about a draft.
pub(super) fn commit_decision(
    cx: &Context,
    vetted: &Vetted,
    decision: DuplicateDecision,
) -> Result<RememberOutcome, EarlyEnd> {
    let memory = &vetted.memory;
    match decision {
        DuplicateDecision::New => commit_memory(cx, vetted, None),
        DuplicateDecision::Beside(subject) => commit_memory(cx, vetted, Some(subject)),
        DuplicateDecision::Known(known) => commit_restatement(cx, vetted, known),
        // Two that make one claim cannot stand side by side.
        DuplicateDecision::Replace(old)
            if !memory.is_active() && old.claim_digest() == memory.claim_digest() =>
        {
            commit_restatement(cx, vetted, old)
        }
        DuplicateDecision::Replace(old) => commit_replacement(cx, vetted, &old, None),
        // What waits silences nothing, and says so as every contradiction does.
        DuplicateDecision::ReplaceContradicted(old, near) => {
            let superseded = memory.is_active().then_some(near);
            commit_replacement(cx, vetted, &old, superseded)
        }
        DuplicateDecision::Near(near) => Ok(RememberOutcome::Similar { near }),
    }
}

/// Keeps a new memory, under another subject where its own is taken, retiring the oldest where the policy sets a total.
fn commit_memory(
    cx: &Context,
    vetted: &Vetted,
    subject: Option<String>,
) -> Result<RememberOutcome, EarlyEnd> {
    let mut memory = vetted.memory.clone();
    memory.subject = subject.or(memory.subject);
    let mut events = build_retirement_events(cx, &memory)?;
    let retired = events.len();
    events.extend(build_breaker_events(cx, vetted));
    events.push(build_remembered_event(cx, vetted, &memory));
    let expects = build_commit_preconditions(vetted, &memory);
    Ok(RememberOutcome::Remembered {
        memory: append_memory(cx, memory, events, expects)?,
        identity_percent: vetted.room.map(|room| room.percent),
        retired,
        superseded: None,
        beside: None,
    })
}

/// Puts this memory in the place of another. A merge keeps the citations and tags of both. While the new one is
/// pending the other stays in use: what nobody vouches for silences nothing. Where the new one cites code of a branch both are
/// in use, see [`branches`]. `superseded` tells of the other where it is contradicted, and nobody had to say so.
fn commit_replacement(
    cx: &Context,
    vetted: &Vetted,
    old: &Memory,
    superseded: Option<NearMemory>,
) -> Result<RememberOutcome, EarlyEnd> {
    let mut memory = vetted.memory.clone();
    memory.supersedes = Some(old.id);
    if matches!(vetted.on_duplicate, DuplicateChoice::Merge(_)) {
        memory.citations = unite_citations(&memory.citations, &old.citations);
        memory.citations.truncate(cx.policy.limits.citations);
        memory.tags.extend(old.tags.clone());
        memory.tags.sort();
        memory.tags.dedup();
        memory.tags.truncate(cx.policy.limits.tags);
    }
    let is_promotion = vetted.on_duplicate.is_promotion();
    let is_beside =
        memory.is_active() && !is_promotion && branches::waits_for_merge(cx, &memory, old);
    let mut events = Vec::new();
    if memory.is_active() && !is_beside {
        events.push(build_replaced_event(cx, vetted, old, memory.id));
    }
    events.extend(build_breaker_events(cx, vetted));
    events.push(build_remembered_event(cx, vetted, &memory));
    let mut expects = build_commit_preconditions(vetted, &memory);
    // The same words put differently: the memory that makes the claim is the one that goes.
    expects
        .retain(|it| !matches!(it, Precondition::NoTwin(_, claim) if *claim == old.claim_digest()));
    expects.push(Precondition::unmoved(old));
    let identity_percent = vetted.room.map(|room| room.percent);
    Ok(RememberOutcome::Remembered {
        memory: append_memory(cx, memory, events, expects)?,
        identity_percent,
        retired: 0,
        superseded: superseded.filter(|_| !is_beside),
        beside: is_beside.then(|| old.handle()),
    })
}

/// Refreshes a memory that was stated again; new citations join the old. One that waited for proof alone is in use when
/// the statement brings it. When the statement was to take the place of another memory, the known one takes that place.
fn commit_restatement(
    cx: &Context,
    vetted: &Vetted,
    mut known: Memory,
) -> Result<RememberOutcome, EarlyEnd> {
    let is_settled = guard::can_settle_memory(vetted, &known);
    let mut citations = match &vetted.memory.citations {
        // What did not prove it need not stay with what does.
        proof if is_settled && !vetted.forced => proof.clone(),
        // Nor what somebody replaces: the same words, proved by other lines.
        proof if !proof.is_empty() && dedupe::is_replacement_of_known(vetted, &known) => {
            proof.clone()
        }
        new => unite_citations(new, &known.citations),
    };
    citations.truncate(cx.policy.limits.citations);
    let citations = (citations != known.citations).then_some(citations);
    // What nobody vouches for, or says after having read it here, proves nothing.
    let said = &vetted.memory;
    let voucher = said.is_active().then_some(&said.voice);
    let again = EventBody::Refreshed {
        citations,
        evidence: (is_settled && !said.evidence.is_empty()).then(|| said.evidence.clone()),
        names: None,
        followed: Vec::new(),
        voucher: voucher.and_then(|it| it.voucher_for(&known)),
    };
    let refreshed = cx.new_memory_event(&known, again);
    known.apply_event(&refreshed);
    let mut events: Vec<Event> = build_breaker_events(cx, vetted).collect();
    events.push(refreshed);
    let mut expects = vec![Precondition::unmoved(&known)];
    if is_settled {
        let (approved, unmoved) = build_approval_events(cx, &mut known)?;
        events.extend(approved);
        expects.extend(unmoved);
    }
    if known.is_active()
        && said.is_active()
        && let Some(old) =
            find_replaced_memory(cx, &vetted.on_duplicate, &known.space, &said.voice)?
        && old.id != known.id
        && !events.iter().any(|it| it.memory == Some(old.id))
        && !branches::waits_for_merge(cx, &known, &old)
    {
        events.push(build_replaced_event(cx, vetted, &old, known.id));
        expects.push(Precondition::unmoved(&old));
    }
    cx.append_durable(events, expects)?;
    Ok(RememberOutcome::Refreshed {
        memory: Box::new(known),
    })
}

/// The reason stays with the new memory alone: here it would outlive it when that one is forgotten.
fn build_replaced_event(cx: &Context, vetted: &Vetted, old: &Memory, by: MemoryId) -> Event {
    let reason = match vetted.on_duplicate {
        DuplicateChoice::Replace(_, ReplacementKind::Correction) => {
            return cx.new_memory_event(old, EventBody::Corrected { by, reason: None });
        }
        DuplicateChoice::Replace(_, ReplacementKind::Promotion) => Some("promoted"),
        DuplicateChoice::Merge(_) => Some("merged"),
        DuplicateChoice::Ask => Some("contradicted by what was stated later"),
        _ => None,
    };
    let reason = reason.map(Into::into);
    cx.new_memory_event(old, EventBody::Superseded { by, reason })
}

/// Logs that a draft was turned away, without its text. A log that cannot be written does not hide the refusal.
pub(super) fn log_refusal(cx: &Context, space: &Space, refusal: Refusal) -> RememberOutcome {
    let class = refusal.class().into();
    let event = cx.new_event(space, None, EventBody::Refused { class });
    let _ = cx.append_telemetry("this", vec![event], Vec::new());
    RememberOutcome::Refused(refusal)
}

fn build_remembered_event(cx: &Context, vetted: &Vetted, memory: &Memory) -> Event {
    let what = EventBody::Remembered {
        memory: Box::new(memory.clone()),
        forced: vetted.forced,
        rationale: vetted.on_duplicate.rationale().cloned(),
    };
    cx.new_memory_event(memory, what)
}

/// What the breakers have to say, with the write that made them say it.
fn build_breaker_events(cx: &Context, vetted: &Vetted) -> impl Iterator<Item = Event> {
    let space = &vetted.memory.space;
    let signal = vetted.signal.iter();
    signal.map(|it| cx.new_event(space, None, it.clone()))
}

fn build_commit_preconditions(vetted: &Vetted, memory: &Memory) -> Vec<Precondition> {
    let mut expects = vec![Precondition::no_twin(memory)];
    expects.extend(
        vetted
            .room
            .map(|room| Precondition::IdentityChars(memory.space.clone(), room.used)),
    );
    expects
}

/// Writes a memory with all that goes with it; the memory with its number.
fn append_memory(
    cx: &Context,
    mut memory: Memory,
    events: Vec<Event>,
    expects: Vec<Precondition>,
) -> Result<Box<Memory>, EarlyEnd> {
    let numbers = cx.append_durable(events, expects)?.numbers;
    let number = numbers.iter().find(|(id, _)| *id == memory.id);
    memory.number = number.map_or(0, |(_, number)| *number);
    Ok(Box::new(memory))
}

/// How many of the oldest are compared by their use, beside those that must give way.
const COMPARED: usize = 200;

/// The knowledge that must give way so that the total stays within the policy's: the least used of the oldest. Episodes tell what
/// happened and the identity layer has a limit of its own; neither counts nor gives way. What waits takes nobody's place, and what
/// a person said gives way to a person's words alone.
fn build_retirement_events(cx: &Context, memory: &Memory) -> Result<Vec<Event>, EarlyEnd> {
    let Some(max_total) = cx.policy.limits.max_total else {
        return Ok(Vec::new());
    };
    if memory.layer != Layer::Knowledge || !memory.is_active() {
        return Ok(Vec::new());
    }
    let tally = cx.store.summarize_space(&memory.space)?;
    let excess = usize::try_from(tally.count_active(Layer::Knowledge))
        .unwrap_or(usize::MAX)
        .saturating_add(1)
        .saturating_sub(max_total);
    if excess == 0 {
        return Ok(Vec::new());
    }
    let filter = MemoryFilter {
        layers: vec![Layer::Knowledge],
        order: ListOrder::Oldest,
        ..MemoryFilter::active_in([memory.space.clone()], excess.saturating_add(COMPARED))
    };
    let mut oldest = cx.store.list_memories(&filter)?;
    oldest.retain(|it| memory.voice.is_person() || !it.voice.is_persons_word());
    // Of those that were used alike, the older ones stand first.
    oldest.sort_by_key(|it| (it.usage.applied, it.usage.recalls));
    let retired = |it: &Memory| {
        let reason = format!("made room: at most {max_total} are kept");
        cx.new_memory_event(it, EventBody::Retired { reason })
    };
    Ok(oldest.iter().take(excess).map(retired).collect())
}

/// The new citations, and the old ones that point elsewhere.
fn unite_citations(new: &[Citation], old: &[Citation]) -> Vec<Citation> {
    let elsewhere = old
        .iter()
        .filter(|it| !new.iter().any(|fresh| fresh.location() == it.location()));
    new.iter().chain(elsewhere).cloned().collect()
}
