//! Import: a memory that was exported, kept again as it was. It passes the same checks as a new one.
//!
//! The files of other programs are read by one module each: text in, pieces out, and what was left out with the reason.

mod rehearsal;

pub use rehearsal::Rehearsal;

use crate::event::{Batch, Expect, What};
use crate::memory::{Channel, Draft, MAX_NUMBER, Memory, Name, Stage, Twin};
use crate::refusal::Refusal;
use crate::refusal::check_text;
use crate::remember::guard;
use crate::remember::moderate::{Moderated, clean};
use crate::revise::{self, Revised};
use crate::speaker::Person;
use crate::{Context, Error};

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Imported {
    /// It was kept.
    Kept(Box<Memory>),
    /// It was here already.
    Known(Box<Memory>),
    /// It waited since it was first imported, and is in use now that a person vouches for the file.
    LetIn(Box<Memory>),
    /// It was turned away.
    Refused(Refusal),
}

/// Keeps an exported memory: same id, text, status, citations and times. It keeps its number only in a space that
/// never had one, because a handle is never reused.
///
/// What a file holds comes from outside and waits for approval, unless a person vouches for the file.
pub fn import(
    cx: &Context<'_>,
    memory: Memory,
    keep_number: bool,
    vouched_by: Option<&Person>,
) -> Result<Imported, Error> {
    let memory = match weighed(cx, memory, vouched_by.is_some())? {
        Weighed::New(memory) => memory,
        Weighed::Known(known) => return Ok(Imported::Known(known)),
        Weighed::Held(known) => return let_in(cx, vouched_by, *known),
        Weighed::Refused(refusal) => return Ok(Imported::Refused(refusal)),
    };
    if let Err(refusal) = guard::import_room(cx, &memory, 0)? {
        return Ok(Imported::Refused(refusal));
    }
    let number = if keep_number && memory.number <= MAX_NUMBER {
        memory.number
    } else {
        0
    };
    let mut memory = Memory { number, ..*memory };
    let what = What::Remembered {
        memory: Box::new(memory.clone()),
        forced: false,
        rationale: Some("imported".into()),
    };
    let event = cx.event(&memory.space, Some(memory.id), what);
    let expects = vec![Expect::NoTwin(memory.space.clone(), memory.claim())];
    let expects = if is_claiming(&memory) {
        expects
    } else {
        Vec::new()
    };
    let receipt = cx.store.append(&Batch::durable(vec![event], expects))?;
    memory.number = receipt
        .numbers
        .first()
        .map_or(memory.number, |(_, number)| *number);
    Ok(Imported::Kept(Box::new(memory)))
}

/// What is to become of a memory out of a file.
enum Weighed {
    /// It is new, and this is how it would be kept.
    New(Box<Memory>),
    /// It is here already.
    Known(Box<Memory>),
    /// It is here and waits only because nobody vouched for its file; somebody does now.
    Held(Box<Memory>),
    /// It is turned away.
    Refused(Refusal),
}

/// Decides about a memory without keeping anything.
fn weighed(cx: &Context<'_>, memory: Memory, is_vouched: bool) -> Result<Weighed, Error> {
    let memory = match vetted(cx, memory, is_vouched) {
        Ok(memory) => memory,
        Err(refusal) => return Ok(Weighed::Refused(refusal)),
    };
    Ok(match known(cx, &memory)? {
        None => Weighed::New(Box::new(memory)),
        Some(known) if is_vouched && is_held(&known, &memory) => Weighed::Held(Box::new(known)),
        Some(known) => Weighed::Known(Box::new(known)),
    })
}

/// Whether a memory waits only because nobody vouched for its file; not what would wait now, nor what somebody said here.
fn is_held(known: &Memory, memory: &Memory) -> bool {
    let is_waiting =
        known.status.stage() == Stage::Pending && known.voice.channel == Channel::Import;
    let is_same = known.id == memory.id && known.claim() == memory.claim();
    is_waiting && is_same && memory.is_active()
}

fn let_in(cx: &Context<'_>, vouched_by: Option<&Person>, known: Memory) -> Result<Imported, Error> {
    let Some(by) = vouched_by else {
        return Ok(Imported::Known(Box::new(known)));
    };
    match revise::approve(
        cx,
        by,
        std::slice::from_ref(&known.space),
        Name::Id(known.id),
    )? {
        Revised::Done(memory) => Ok(Imported::LetIn(memory)),
        Revised::Refused(_) => Ok(Imported::Known(Box::new(known))),
    }
}

fn is_claiming(memory: &Memory) -> bool {
    matches!(memory.status.stage(), Stage::Active | Stage::Pending)
}

fn known(cx: &Context<'_>, memory: &Memory) -> Result<Option<Memory>, Error> {
    if let Some(same) = cx.store.get_by_ids(&[memory.id])?.pop() {
        return Ok(Some(same));
    }
    if !is_claiming(memory) {
        return Ok(None);
    }
    Ok(cx.store.get_by_claim(&memory.space, &memory.claim())?)
}

fn vetted(cx: &Context<'_>, memory: Memory, is_vouched: bool) -> Result<Memory, Refusal> {
    let cleaned = cleaned(&memory)?;
    guard::admit_import(&cx.policy.limits, cleaned, memory, is_vouched)
}

/// The texts of a memory as they would be had it been said here; refused where one holds a secret.
fn cleaned(memory: &Memory) -> Result<Moderated, Refusal> {
    let draft = Draft {
        layer: Some(memory.layer),
        kind: Some(memory.kind),
        subject: memory.subject.clone(),
        reason: memory.reason.clone(),
        citations: memory
            .citations
            .iter()
            .map(apostille_cite::citation::Citation::place)
            .collect(),
        tags: memory.tags.clone(),
        task: memory.task.clone(),
        twin: Twin::Ask,
        is_verbatim: true,
        ..Draft::new(
            memory.space.clone(),
            memory.fact.clone(),
            memory.voice.clone(),
        )
    };
    memory
        .citations
        .iter()
        .try_for_each(|it| check_text("citations", &it.snippet))?;
    clean(draft)
}

/// A memory out of a file that anybody may have written: its texts are moderated as if they were said now, the rest is
/// as it was. Refused where one of them holds a secret.
pub fn moderated(memory: Memory) -> Result<Memory, Refusal> {
    guard::moderated(cleaned(&memory)?, memory)
}
