//! Stage six: state, index and event in one batch, one write.

use std::collections::BTreeSet;

use super::approval::build_approval_events;
use super::guard::{self, Vetted};
use super::{EarlyEnd, NearMemory, RememberOutcome, dedupe, replacement};
use crate::event::{Batch, Event, EventBody, Precondition};
use crate::memory::{DuplicateChoice, Layer, Memory, MemoryId, ReplacementKind, Stage};
use crate::refusal::Refusal;
use crate::space::Space;
use crate::store::{ListOrder, MemoryFilter};
use crate::{Context, CoreError};
use apostille_cite::citation::Citation;

/// Keeps a new memory, retiring the oldest where the policy sets a total.
pub(super) fn commit_memory(
    cx: &Context<'_>,
    vetted: &Vetted,
) -> Result<RememberOutcome, EarlyEnd> {
    let memory = vetted.memory();
    let mut events = build_retirement_events(cx, memory)?;
    let retired = events.len();
    events.extend(build_breaker_events(cx, vetted));
    events.push(build_remembered_event(cx, vetted, memory.clone()));
    append_commit(
        cx,
        vetted,
        memory.clone(),
        events,
        build_commit_preconditions(vetted),
        retired,
    )
}

/// Puts this memory in the place of another. A merge keeps the citations and tags of both. While the new one is
/// pending the other stays in use: what nobody vouches for silences nothing.
pub(super) fn commit_replacement(
    cx: &Context<'_>,
    vetted: &Vetted,
    old: &Memory,
) -> Result<RememberOutcome, EarlyEnd> {
    let mut memory = vetted.memory().clone();
    memory.supersedes = Some(old.id);
    if matches!(vetted.duplicate_choice(), DuplicateChoice::Merge(_)) {
        memory.citations = unite_citations(&memory.citations, &old.citations);
        memory.citations.truncate(cx.policy.limits.citations);
        memory.tags = memory
            .tags
            .iter()
            .chain(&old.tags)
            .cloned()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        memory.tags.truncate(cx.policy.limits.tags);
    }
    let replaced = memory
        .is_active()
        .then(|| build_replaced_event(cx, vetted, old, memory.id));
    let remembered = build_remembered_event(cx, vetted, memory.clone());
    let events = replaced
        .into_iter()
        .chain(build_breaker_events(cx, vetted))
        .chain([remembered])
        .collect();
    let mut expects = build_commit_preconditions(vetted);
    // The same words put differently: the memory that makes the claim is the one that goes.
    expects
        .retain(|it| !matches!(it, Precondition::NoTwin(_, claim) if *claim == old.claim_digest()));
    expects.push(Precondition::Unmoved(old.id, old.status.clone()));
    append_commit(cx, vetted, memory, events, expects, 0)
}

/// The same where the other is contradicted, and nobody had to say so.
pub(super) fn commit_contradiction(
    cx: &Context<'_>,
    vetted: &Vetted,
    old: &Memory,
    near: NearMemory,
) -> Result<RememberOutcome, EarlyEnd> {
    let mut outcome = commit_replacement(cx, vetted, old)?;
    if let RememberOutcome::Remembered { superseded, .. } = &mut outcome {
        *superseded = Some(near);
    }
    Ok(outcome)
}

/// Refreshes a memory that was stated again; new citations join the old. One that waited for proof alone is in use when
/// the statement brings it. When the statement was to take the place of another memory, the known one takes that place.
pub(super) fn commit_restatement(
    cx: &Context<'_>,
    vetted: &Vetted,
    mut known: Memory,
) -> Result<RememberOutcome, EarlyEnd> {
    let is_settled = guard::can_settle_memory(vetted, &known);
    let mut citations = match &vetted.memory().citations {
        // What did not prove it need not stay with what does.
        proof if is_settled && !vetted.is_forced() => proof.clone(),
        // Nor what somebody replaces: the same words, proved by other lines.
        proof if !proof.is_empty() && dedupe::is_replacement_of_known(vetted, &known) => {
            proof.clone()
        }
        new => unite_citations(new, &known.citations),
    };
    citations.truncate(cx.policy.limits.citations);
    let citations = (citations != known.citations).then_some(citations);
    // What nobody vouches for, or says after having read it here, proves nothing.
    let voucher = vetted
        .memory()
        .is_active()
        .then(|| vetted.memory().voice.voucher_for(&known))
        .flatten();
    let again = EventBody::Refreshed {
        citations,
        followed: Vec::new(),
        voucher,
    };
    let refreshed = cx.new_event(&known.space, Some(known.id), again);
    known.apply_event(&refreshed);
    let mut events: Vec<Event> = build_breaker_events(cx, vetted)
        .chain([refreshed])
        .collect();
    let mut expects = vec![Precondition::Unmoved(known.id, known.status.clone())];
    if is_settled {
        let (approved, unmoved) = build_approval_events(cx, &mut known)?;
        events.extend(approved);
        expects.extend(unmoved);
    }
    if let DuplicateChoice::Merge(name) | DuplicateChoice::Replace(name, _) =
        vetted.duplicate_choice()
        && known.is_active()
        && vetted.memory().is_active()
    {
        let old =
            replacement::find_replaceable_memory(cx, &known.space, *name, &vetted.memory().voice)?;
        if old.id != known.id && !events.iter().any(|it| it.memory == Some(old.id)) {
            events.push(build_replaced_event(cx, vetted, &old, known.id));
            expects.push(Precondition::Unmoved(old.id, old.status));
        }
    }
    cx.store
        .append_batch(&Batch::new_durable(events, expects))?;
    Ok(RememberOutcome::Refreshed {
        memory: Box::new(known),
    })
}

/// The reason stays with the new memory alone: here it would outlive it when that one is forgotten.
fn build_replaced_event(cx: &Context<'_>, vetted: &Vetted, old: &Memory, by: MemoryId) -> Event {
    let what = match vetted.duplicate_choice() {
        DuplicateChoice::Replace(_, ReplacementKind::Correction) => {
            EventBody::Corrected { by, reason: None }
        }
        DuplicateChoice::Replace(_, ReplacementKind::Promotion) => EventBody::Superseded {
            by,
            reason: Some("promoted".into()),
        },
        DuplicateChoice::Merge(_) => EventBody::Superseded {
            by,
            reason: Some("merged".into()),
        },
        DuplicateChoice::Ask => EventBody::Superseded {
            by,
            reason: Some("contradicted by what was stated later".into()),
        },
        _ => EventBody::Superseded { by, reason: None },
    };
    cx.new_event(&old.space, Some(old.id), what)
}

/// Logs that a draft was turned away, without its text. A log that cannot be written does not hide the refusal.
pub(super) fn log_refusal(
    cx: &Context<'_>,
    space: &Space,
    refusal: Refusal,
) -> Result<RememberOutcome, CoreError> {
    let event = cx.new_event(
        space,
        None,
        EventBody::Refused {
            class: refusal.class().into(),
        },
    );
    let _ = cx.store.append_batch(&Batch::new_telemetry(vec![event]));
    Ok(RememberOutcome::Refused(refusal))
}

fn build_remembered_event(cx: &Context<'_>, vetted: &Vetted, memory: Memory) -> Event {
    let rationale = match vetted.duplicate_choice() {
        DuplicateChoice::Create(why) => Some(why.clone()),
        _ => None,
    };
    let (space, id) = (memory.space.clone(), memory.id);
    let what = EventBody::Remembered {
        memory: Box::new(memory),
        forced: vetted.is_forced(),
        rationale,
    };
    cx.new_event(&space, Some(id), what)
}

/// What the breakers have to say, with the write that made them say it.
fn build_breaker_events(cx: &Context<'_>, vetted: &Vetted) -> impl Iterator<Item = Event> {
    vetted
        .signals()
        .iter()
        .map(|it| cx.new_event(&vetted.memory().space, None, it.clone()))
}

fn build_commit_preconditions(vetted: &Vetted) -> Vec<Precondition> {
    let memory = vetted.memory();
    let room = vetted
        .identity_room()
        .map(|room| Precondition::IdentityChars(memory.space.clone(), room.used));
    [Precondition::NoTwin(
        memory.space.clone(),
        memory.claim_digest(),
    )]
    .into_iter()
    .chain(room)
    .collect()
}

fn append_commit(
    cx: &Context<'_>,
    vetted: &Vetted,
    mut memory: Memory,
    events: Vec<Event>,
    expects: Vec<Precondition>,
    retired: usize,
) -> Result<RememberOutcome, EarlyEnd> {
    let receipt = cx
        .store
        .append_batch(&Batch::new_durable(events, expects))?;
    memory.number = receipt
        .numbers
        .iter()
        .find(|(id, _)| *id == memory.id)
        .map_or(0, |(_, number)| *number);
    let identity_percent = vetted.identity_room().map(|room| room.percent);
    Ok(RememberOutcome::Remembered {
        memory: Box::new(memory),
        identity_percent,
        retired,
        superseded: None,
    })
}

/// The oldest active memories that must give way so that the total stays within the policy's. The identity layer has
/// a limit of its own and does not give way.
fn build_retirement_events(cx: &Context<'_>, memory: &Memory) -> Result<Vec<Event>, EarlyEnd> {
    let Some(max_total) = cx.policy.limits.max_total else {
        return Ok(Vec::new());
    };
    if memory.layer == Layer::Identity {
        return Ok(Vec::new());
    }
    let tally = cx.store.summarize_space(&memory.space)?;
    let ranked = tally
        .memories
        .iter()
        .filter(|((stage, layer), _)| is_counted_in_total(*stage, *layer));
    let active: u64 = ranked.map(|(_, n)| n).sum();
    let excess = usize::try_from(active)
        .unwrap_or(usize::MAX)
        .saturating_add(1)
        .saturating_sub(max_total);
    let filter = MemoryFilter {
        spaces: vec![memory.space.clone()],
        layers: Layer::ALL
            .iter()
            .copied()
            .filter(|it| *it != Layer::Identity)
            .collect(),
        stages: vec![Stage::Active],
        order: ListOrder::Oldest,
        limit: excess,
        ..MemoryFilter::default()
    };
    let retired = |it: &Memory| {
        let reason = format!("made room: at most {max_total} are kept");
        cx.new_event(&it.space, Some(it.id), EventBody::Retired { reason })
    };
    Ok(if excess == 0 {
        Vec::new()
    } else {
        cx.store
            .list_memories(&filter)?
            .iter()
            .map(retired)
            .collect()
    })
}

fn is_counted_in_total(stage: Stage, layer: Layer) -> bool {
    stage == Stage::Active && layer != Layer::Identity
}

/// The new citations, and the old ones that point elsewhere.
fn unite_citations(new: &[Citation], old: &[Citation]) -> Vec<Citation> {
    let elsewhere = old
        .iter()
        .filter(|it| !new.iter().any(|fresh| fresh.location() == it.location()));
    new.iter().chain(elsewhere).cloned().collect()
}
