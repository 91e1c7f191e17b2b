//! Import: a memory that was exported, kept again as it was. It passes the same checks as a new one.
//!
//! The files of other programs are read by one module each: text in, pieces out, and what was left out with the reason.

mod dry_run;

pub use dry_run::ImportDryRun;

use crate::event::{Batch, EventBody, Precondition};
use crate::memory::{Channel, Draft, DuplicateChoice, MAX_NUMBER, Memory, MemoryName, Stage};
use crate::refusal::Refusal;
use crate::refusal::check_text;
use crate::remember::guard;
use crate::remember::moderate::{Moderated, moderate_draft};
use crate::revise::{self, ReviseOutcome};
use crate::speaker::Person;
use crate::{Context, CoreError};

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
    cx: &Context<'_>,
    memory: Memory,
    keep_number: bool,
    vouched_by: Option<&Person>,
) -> Result<ImportOutcome, CoreError> {
    let memory = match decide_import(cx, memory, vouched_by.is_some())? {
        ImportDecision::New(memory) => memory,
        ImportDecision::Known(known) => return Ok(ImportOutcome::Known(known)),
        ImportDecision::Held(known) => return approve_imported_memory(cx, vouched_by, *known),
        ImportDecision::Refused(refusal) => return Ok(ImportOutcome::Refused(refusal)),
    };
    if let Err(refusal) = guard::check_import_room(cx, &memory, 0)? {
        return Ok(ImportOutcome::Refused(refusal));
    }
    let number = if keep_number && memory.number <= MAX_NUMBER {
        memory.number
    } else {
        0
    };
    let mut memory = Memory { number, ..*memory };
    let what = EventBody::Remembered {
        memory: Box::new(memory.clone()),
        forced: false,
        rationale: Some("imported".into()),
    };
    let event = cx.new_event(&memory.space, Some(memory.id), what);
    let expects = vec![Precondition::NoTwin(
        memory.space.clone(),
        memory.claim_digest(),
    )];
    let expects = if has_live_claim(&memory) {
        expects
    } else {
        Vec::new()
    };
    let receipt = cx
        .store
        .append_batch(&Batch::new_durable(vec![event], expects))?;
    memory.number = receipt
        .numbers
        .first()
        .map_or(memory.number, |(_, number)| *number);
    Ok(ImportOutcome::Kept(Box::new(memory)))
}

/// What is to become of a memory out of a file.
enum ImportDecision {
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
fn decide_import(
    cx: &Context<'_>,
    memory: Memory,
    is_vouched: bool,
) -> Result<ImportDecision, CoreError> {
    let memory = match vet_imported_memory(cx, memory, is_vouched) {
        Ok(memory) => memory,
        Err(refusal) => return Ok(ImportDecision::Refused(refusal)),
    };
    Ok(match find_known_memory(cx, &memory)? {
        None => ImportDecision::New(Box::new(memory)),
        Some(known) if is_vouched && is_awaiting_vouch(&known, &memory) => {
            ImportDecision::Held(Box::new(known))
        }
        Some(known) => ImportDecision::Known(Box::new(known)),
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
    cx: &Context<'_>,
    vouched_by: Option<&Person>,
    known: Memory,
) -> Result<ImportOutcome, CoreError> {
    let Some(by) = vouched_by else {
        return Ok(ImportOutcome::Known(Box::new(known)));
    };
    match revise::approve_memory(
        cx,
        by,
        std::slice::from_ref(&known.space),
        MemoryName::Id(known.id),
    )? {
        ReviseOutcome::Done(memory) => Ok(ImportOutcome::LetIn(memory)),
        ReviseOutcome::Refused(_) => Ok(ImportOutcome::Known(Box::new(known))),
    }
}

fn has_live_claim(memory: &Memory) -> bool {
    matches!(memory.status.stage(), Stage::Active | Stage::Pending)
}

fn find_known_memory(cx: &Context<'_>, memory: &Memory) -> Result<Option<Memory>, CoreError> {
    if let Some(same) = cx.store.get_by_ids(&[memory.id])?.pop() {
        return Ok(Some(same));
    }
    if !has_live_claim(memory) {
        return Ok(None);
    }
    Ok(cx
        .store
        .get_by_claim(&memory.space, &memory.claim_digest())?)
}

fn vet_imported_memory(
    cx: &Context<'_>,
    memory: Memory,
    is_vouched: bool,
) -> Result<Memory, Refusal> {
    let cleaned = moderate_imported_texts(&memory)?;
    guard::admit_import(&cx.policy.limits, cleaned, memory, is_vouched)
}

/// The texts of a memory as they would be had it been said here; refused where one holds a secret.
fn moderate_imported_texts(memory: &Memory) -> Result<Moderated, Refusal> {
    let draft = Draft {
        layer: Some(memory.layer),
        kind: Some(memory.kind),
        subject: memory.subject.clone(),
        reason: memory.reason.clone(),
        citations: memory
            .citations
            .iter()
            .map(apostille_cite::citation::Citation::location)
            .collect(),
        tags: memory.tags.clone(),
        task: memory.task.clone(),
        twin: DuplicateChoice::Ask,
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
    moderate_draft(draft)
}

/// A memory out of a file that anybody may have written: its texts are moderated as if they were said now, the rest is
/// as it was. Refused where one of them holds a secret.
pub fn moderate_imported_memory(memory: Memory) -> Result<Memory, Refusal> {
    guard::apply_moderated_texts(moderate_imported_texts(&memory)?, memory)
}
