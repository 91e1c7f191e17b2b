//! The queue cannot be walked around: what waits for a person, or was rejected by one, does not get in under other words.

use crate::Context;
use crate::{
    memory::{Draft, Memory, Stage, Status},
    remember::quarantine::{awaits_second_voice, is_awaiting_proof},
    space::Space,
    store::{MemoryFilter, StoreError},
};
use apostille_text::overlap::{collect_distinct_words, normalise_fact};

/// How many of those that wait, or were found wrong, a draft is compared with, the newest first.
const COMPARED: usize = 200;
/// The share of the shorter one's words that the other has when it says the same, and how many words that must be.
const SHARE: f32 = 0.7;
const FEWEST: usize = 4;
/// What the reason of a rejected memory begins with.
pub const REJECTED: &str = "rejected";

/// Why a draft waits because it repeats what waits already, or what a person has rejected.
pub(super) fn explain_resubmission(
    cx: &Context,
    draft: &Draft,
) -> Result<Option<String>, StoreError> {
    let held = list_held_memories(cx, draft)?;
    if held.is_empty() {
        return Ok(None);
    }
    let said = normalise_fact(None, &draft.fact);
    let said = collect_distinct_words(&said);
    let found = held
        .iter()
        .find(|it| is_held_back(it) && is_repeat_of_memory(&said, it));
    Ok(found.map(|it| match (it.status.stage(), it.handle()) {
        (Stage::Invalid, it) => format!("it says what {it} said, which was rejected"),
        (_, it) => format!("it says what {it} says, which waits for approval"),
    }))
}

/// Whether a person turned it away in review.
pub fn is_rejected_memory(memory: &Memory) -> bool {
    matches!(&memory.status, Status::Invalid { why } if why.starts_with(REJECTED))
}

/// Those that wait or were found wrong, in the draft's space and in those beside it: what was stopped at one door does not
/// come in by the other.
fn list_held_memories(cx: &Context, draft: &Draft) -> Result<Vec<Memory>, StoreError> {
    let beside = cx.other_spaces.iter().filter(|it| **it != draft.space);
    let spaces: Vec<Space> = [&draft.space].into_iter().chain(beside).cloned().collect();
    let newest = |spaces: &[Space], stages: &[Stage]| {
        cx.store.list_memories(&MemoryFilter {
            stages: stages.to_vec(),
            ..MemoryFilter::active_in(spaces, COMPARED)
        })
    };
    let mut found = newest(&spaces, &[Stage::Pending, Stage::Invalid])?;
    if found.len() < COMPARED {
        return Ok(found);
    }
    // A flood of one sort, or in one space, hides none of the others.
    for space in spaces.chunks(1) {
        found.extend(newest(space, &[Stage::Pending])?);
        found.extend(newest(space, &[Stage::Invalid])?);
    }
    Ok(found)
}

/// Whether words were held back for what they are; not those that wait for nothing but proof or another voice, because a
/// second try brings just that.
fn is_held_back(memory: &Memory) -> bool {
    match &memory.status {
        Status::Pending { .. } => !is_awaiting_proof(memory) && !awaits_second_voice(memory),
        _ => is_rejected_memory(memory),
    }
}

fn is_repeat_of_memory(said: &[&str], memory: &Memory) -> bool {
    let theirs = normalise_fact(None, &memory.fact);
    let theirs = collect_distinct_words(&theirs);
    // A few words are in many texts.
    if said.len().min(theirs.len()) < FEWEST {
        return said == theirs;
    }
    let is_theirs = |it: &&&str| theirs.binary_search(it).is_ok();
    let both = said.iter().filter(is_theirs).count();
    both >= FEWEST && both as f32 >= SHARE * said.len().min(theirs.len()) as f32
}
