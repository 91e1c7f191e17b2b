//! Import: a memory that was exported, kept again as it was. It passes the same checks as a new one.
//!
//! The files of other programs are read by one module each: text in, pieces out, and what was left out with the reason.

mod dry_run;

pub use dry_run::ImportDryRun;

use crate::{
    Context, CoreError,
    event::{EventBody, Precondition},
    memory::{Channel, Draft, MAX_NUMBER, Memory, MemoryName, Stage, Vouch, Vouching},
    names::name_things,
    refusal::{Refusal, check_text},
    remember::{
        EarlyEnd, guard,
        moderate::{Moderated, moderate_draft},
        separate_refusal,
    },
    revise::{self, ReviseOutcome},
    speaker::Person,
};

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportOutcome {
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
    cx: &Context,
    memory: Memory,
    keep_number: bool,
    vouched_by: Option<&Person>,
) -> Result<ImportOutcome, CoreError> {
    let imported = import_or_refuse(cx, memory, keep_number, vouched_by);
    Ok(separate_refusal(imported)?.unwrap_or_else(ImportOutcome::Refused))
}

fn import_or_refuse(
    cx: &Context,
    memory: Memory,
    keep_number: bool,
    vouched_by: Option<&Person>,
) -> Result<ImportOutcome, EarlyEnd> {
    let mut memory = match decide_import(cx, memory, vouched_by.is_some())? {
        ImportOutcome::Kept(memory) => memory,
        ImportOutcome::LetIn(known) => {
            return Ok(approve_imported_memory(cx, vouched_by, known)?);
        }
        other => return Ok(other),
    };
    guard::check_import_room(cx, &memory, 0)?;
    if !keep_number || memory.number > MAX_NUMBER {
        memory.number = 0;
    }
    let what = EventBody::Remembered {
        memory: memory.clone(),
        forced: false,
        rationale: Some("imported".into()),
    };
    let alone = memory.status.stage().is_live();
    let expects = alone.then(|| Precondition::no_twin(&memory));
    let event = cx.new_memory_event(&memory, what);
    let receipt = cx.append_durable(vec![event], expects.into_iter().collect())?;
    if let Some((_, number)) = receipt.numbers.first() {
        memory.number = *number;
    }
    Ok(ImportOutcome::Kept(memory))
}

/// Decides about a memory out of a file, without keeping or letting in anything yet.
fn decide_import(
    cx: &Context,
    memory: Memory,
    is_vouched: bool,
) -> Result<ImportOutcome, EarlyEnd> {
    // A file that comes from elsewhere clears nothing.
    let cleaned = moderate_imported_texts(&memory, Vouching::Unasked)?;
    let memory = guard::admit_import(&cx.policy.limits, cleaned, memory, is_vouched)?;
    let names = name_things(&memory.fact, &memory.space, &memory.citations, cx.source);
    let memory = Memory { names, ..memory };
    Ok(match find_known_memory(cx, &memory)? {
        None => ImportOutcome::Kept(Box::new(memory)),
        Some(known) if is_vouched && is_awaiting_vouch(&known, &memory) => {
            ImportOutcome::LetIn(Box::new(known))
        }
        Some(known) => ImportOutcome::Known(Box::new(known)),
    })
}

/// Whether a memory waits only because nobody vouched for its file; not what would wait now, nor what somebody said here.
fn is_awaiting_vouch(known: &Memory, memory: &Memory) -> bool {
    let is_waiting =
        known.status.stage() == Stage::Pending && known.voice.channel == Channel::Import;
    let is_same = known.id == memory.id && known.claim_digest() == memory.claim_digest();
    is_waiting && is_same && memory.is_active()
}

fn approve_imported_memory(
    cx: &Context,
    vouched_by: Option<&Person>,
    known: Box<Memory>,
) -> Result<ImportOutcome, CoreError> {
    let (spaces, name) = ([known.space.clone()], MemoryName::Id(known.id));
    if let Some(by) = vouched_by
        && let ReviseOutcome::Done(memory) = revise::approve_memory(cx, by, &spaces, name)?
    {
        return Ok(ImportOutcome::LetIn(memory));
    }
    Ok(ImportOutcome::Known(known))
}

fn find_known_memory(cx: &Context, memory: &Memory) -> Result<Option<Memory>, CoreError> {
    match cx.store.get_by_ids(&[memory.id])?.pop() {
        None if memory.status.stage().is_live() => {
            cx.store.get_by_claim(&memory.space, &memory.claim_digest())
        }
        same => Ok(same),
    }
}

/// The texts of a memory as they would be had it been said here; refused where one holds a secret.
fn moderate_imported_texts(memory: &Memory, clearance: Vouching) -> Result<Moderated, Refusal> {
    let draft = Draft {
        clearance,
        layer: Some(memory.layer),
        kind: Some(memory.kind),
        subject: memory.subject.clone(),
        reason: memory.reason.clone(),
        citations: memory
            .citations
            .iter()
            .map(|it| it.location().into())
            .collect(),
        tags: memory.tags.clone(),
        task: memory.task.clone(),
        is_verbatim: true,
        ..Draft::new(memory.space.clone(), &*memory.fact, memory.voice.clone())
    };
    for citation in &memory.citations {
        check_text("citations", &citation.snippet)?;
    }
    for evidence in &memory.evidence {
        evidence
            .text()
            .map_or(Ok(()), |it| check_text("evidence", it))?;
    }
    moderate_draft(draft)
}

/// A memory out of a file that anybody may have written: its texts are moderated as if they were said now, the rest is
/// as it was. Refused where one of them holds a secret, unless its line says that a person cleared it: a forged mark shows
/// only what the file says already.
pub fn moderate_imported_memory(memory: Memory) -> Result<Memory, Refusal> {
    let clearance = if memory.is_cleared_of_secrets() {
        Vouching::Given(Vouch::new())
    } else {
        Vouching::Unasked
    };
    guard::apply_moderated_texts(moderate_imported_texts(&memory, clearance)?, memory)
}
