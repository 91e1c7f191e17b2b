//! Stage six: state, index and event in one batch, one write.

use std::collections::BTreeSet;

use super::approval::approval;
use super::guard::{self, Vetted};
use super::{Near, Outcome, Stop, dedupe, replaced as replacement};
use crate::event::{Batch, Event, Expect, What};
use crate::memory::{Layer, Memory, MemoryId, Replacement, Stage, Twin};
use crate::refusal::Refusal;
use crate::space::Space;
use crate::store::{Filter, Order};
use crate::{Context, Error};
use apostille_cite::citation::Citation;

/// Keeps a new memory, retiring the oldest where the policy sets a total.
pub(super) fn memory(cx: &Context<'_>, vetted: &Vetted) -> Result<Outcome, Stop> {
    let memory = vetted.memory();
    let mut events = retirements(cx, memory)?;
    let retired = events.len();
    events.extend(signals(cx, vetted));
    events.push(remembered(cx, vetted, memory.clone()));
    written(cx, vetted, memory.clone(), events, expects(vetted), retired)
}

/// Puts this memory in the place of another. A merge keeps the citations and tags of both. While the new one is
/// pending the other stays in use: what nobody vouches for silences nothing.
pub(super) fn instead(cx: &Context<'_>, vetted: &Vetted, old: &Memory) -> Result<Outcome, Stop> {
    let mut memory = vetted.memory().clone();
    memory.supersedes = Some(old.id);
    if matches!(vetted.twin(), Twin::Merge(_)) {
        memory.citations = united(&memory.citations, &old.citations);
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
        .then(|| replaced(cx, vetted, old, memory.id));
    let remembered = remembered(cx, vetted, memory.clone());
    let events = replaced
        .into_iter()
        .chain(signals(cx, vetted))
        .chain([remembered])
        .collect();
    let mut expects = expects(vetted);
    // The same words put differently: the memory that makes the claim is the one that goes.
    expects.retain(|it| !matches!(it, Expect::NoTwin(_, claim) if *claim == old.claim()));
    expects.push(Expect::Unmoved(old.id, old.status.clone()));
    written(cx, vetted, memory, events, expects, 0)
}

/// The same where the other is contradicted, and nobody had to say so.
pub(super) fn newer(
    cx: &Context<'_>,
    vetted: &Vetted,
    old: &Memory,
    near: Near,
) -> Result<Outcome, Stop> {
    let mut outcome = instead(cx, vetted, old)?;
    if let Outcome::Remembered { superseded, .. } = &mut outcome {
        *superseded = Some(near);
    }
    Ok(outcome)
}

/// Refreshes a memory that was stated again; new citations join the old. One that waited for proof alone is in use when
/// the statement brings it. When the statement was to take the place of another memory, the known one takes that place.
pub(super) fn restated(
    cx: &Context<'_>,
    vetted: &Vetted,
    mut known: Memory,
) -> Result<Outcome, Stop> {
    let is_settled = guard::settles(vetted, &known);
    let mut citations = match &vetted.memory().citations {
        // What did not prove it need not stay with what does.
        proof if is_settled && !vetted.is_forced() => proof.clone(),
        // Nor what somebody replaces: the same words, proved by other lines.
        proof if !proof.is_empty() && dedupe::replaces(vetted, &known) => proof.clone(),
        new => united(new, &known.citations),
    };
    citations.truncate(cx.policy.limits.citations);
    let citations = (citations != known.citations).then_some(citations);
    // What nobody vouches for, or says after having read it here, proves nothing.
    let voucher = vetted
        .memory()
        .is_active()
        .then(|| vetted.memory().voice.vouches(&known))
        .flatten();
    let again = What::Refreshed {
        citations,
        followed: Vec::new(),
        voucher,
    };
    let refreshed = cx.event(&known.space, Some(known.id), again);
    known.apply(&refreshed);
    let mut events: Vec<Event> = signals(cx, vetted).chain([refreshed]).collect();
    let mut expects = vec![Expect::Unmoved(known.id, known.status.clone())];
    if is_settled {
        let (approved, unmoved) = approval(cx, &mut known)?;
        events.extend(approved);
        expects.extend(unmoved);
    }
    if let Twin::Merge(name) | Twin::Replace(name, _) = vetted.twin()
        && known.is_active()
        && vetted.memory().is_active()
    {
        let old = replacement::replaced(cx, &known.space, *name, &vetted.memory().voice)?;
        if old.id != known.id && !events.iter().any(|it| it.memory == Some(old.id)) {
            events.push(replaced(cx, vetted, &old, known.id));
            expects.push(Expect::Unmoved(old.id, old.status));
        }
    }
    cx.store.append(&Batch::durable(events, expects))?;
    Ok(Outcome::Refreshed {
        memory: Box::new(known),
    })
}

/// The reason stays with the new memory alone: here it would outlive it when that one is forgotten.
fn replaced(cx: &Context<'_>, vetted: &Vetted, old: &Memory, by: MemoryId) -> Event {
    let what = match vetted.twin() {
        Twin::Replace(_, Replacement::Correction) => What::Corrected { by, reason: None },
        Twin::Replace(_, Replacement::Promotion) => What::Superseded {
            by,
            reason: Some("promoted".into()),
        },
        Twin::Merge(_) => What::Superseded {
            by,
            reason: Some("merged".into()),
        },
        Twin::Ask => What::Superseded {
            by,
            reason: Some("contradicted by what was stated later".into()),
        },
        _ => What::Superseded { by, reason: None },
    };
    cx.event(&old.space, Some(old.id), what)
}

/// Logs that a draft was turned away, without its text. A log that cannot be written does not hide the refusal.
pub(super) fn refusal(cx: &Context<'_>, space: &Space, refusal: Refusal) -> Result<Outcome, Error> {
    let event = cx.event(
        space,
        None,
        What::Refused {
            class: refusal.class().into(),
        },
    );
    let _ = cx.store.append(&Batch::telemetry(vec![event]));
    Ok(Outcome::Refused(refusal))
}

fn remembered(cx: &Context<'_>, vetted: &Vetted, memory: Memory) -> Event {
    let rationale = match vetted.twin() {
        Twin::Create(why) => Some(why.clone()),
        _ => None,
    };
    let (space, id) = (memory.space.clone(), memory.id);
    let what = What::Remembered {
        memory: Box::new(memory),
        forced: vetted.is_forced(),
        rationale,
    };
    cx.event(&space, Some(id), what)
}

/// What the breakers have to say, with the write that made them say it.
fn signals(cx: &Context<'_>, vetted: &Vetted) -> impl Iterator<Item = Event> {
    vetted
        .signals()
        .iter()
        .map(|it| cx.event(&vetted.memory().space, None, it.clone()))
}

fn expects(vetted: &Vetted) -> Vec<Expect> {
    let memory = vetted.memory();
    let room = vetted
        .room()
        .map(|room| Expect::IdentityChars(memory.space.clone(), room.used));
    [Expect::NoTwin(memory.space.clone(), memory.claim())]
        .into_iter()
        .chain(room)
        .collect()
}

fn written(
    cx: &Context<'_>,
    vetted: &Vetted,
    mut memory: Memory,
    events: Vec<Event>,
    expects: Vec<Expect>,
    retired: usize,
) -> Result<Outcome, Stop> {
    let receipt = cx.store.append(&Batch::durable(events, expects))?;
    memory.number = receipt
        .numbers
        .iter()
        .find(|(id, _)| *id == memory.id)
        .map_or(0, |(_, number)| *number);
    let identity_percent = vetted.room().map(|room| room.percent);
    Ok(Outcome::Remembered {
        memory: Box::new(memory),
        identity_percent,
        retired,
        superseded: None,
    })
}

/// The oldest active memories that must give way so that the total stays within the policy's. The identity layer has
/// a limit of its own and does not give way.
fn retirements(cx: &Context<'_>, memory: &Memory) -> Result<Vec<Event>, Stop> {
    let Some(max_total) = cx.policy.limits.max_total else {
        return Ok(Vec::new());
    };
    if memory.layer == Layer::Identity {
        return Ok(Vec::new());
    }
    let tally = cx.store.summary(&memory.space)?;
    let ranked = tally
        .memories
        .iter()
        .filter(|((stage, layer), _)| is_ranked(*stage, *layer));
    let active: u64 = ranked.map(|(_, n)| n).sum();
    let excess = usize::try_from(active)
        .unwrap_or(usize::MAX)
        .saturating_add(1)
        .saturating_sub(max_total);
    let filter = Filter {
        spaces: vec![memory.space.clone()],
        layers: Layer::ALL
            .iter()
            .copied()
            .filter(|it| *it != Layer::Identity)
            .collect(),
        stages: vec![Stage::Active],
        order: Order::Oldest,
        limit: excess,
        ..Filter::default()
    };
    let retired = |it: &Memory| {
        let reason = format!("made room: at most {max_total} are kept");
        cx.event(&it.space, Some(it.id), What::Retired { reason })
    };
    Ok(if excess == 0 {
        Vec::new()
    } else {
        cx.store.list(&filter)?.iter().map(retired).collect()
    })
}

fn is_ranked(stage: Stage, layer: Layer) -> bool {
    stage == Stage::Active && layer != Layer::Identity
}

/// The new citations, and the old ones that point elsewhere.
fn united(new: &[Citation], old: &[Citation]) -> Vec<Citation> {
    let elsewhere = old
        .iter()
        .filter(|it| !new.iter().any(|fresh| fresh.place() == it.place()));
    new.iter().chain(elsewhere).cloned().collect()
}
