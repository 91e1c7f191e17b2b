//! Events that somebody else wrote, past every check there is on writing: lines of a repository's own file, and what comes
//! from another replica.
//!
//! Whoever wrote them is no person at this terminal. Their texts are moderated as if they were said now, their voice is lowered to
//! what was noted elsewhere, and what would be held back here is held back whatever the line says of it: an approval
//! beside it may be forged as well.

use crate::{
    event::{Event, EventBody},
    import,
    memory::{Channel, Layer, Memory, ModerationMark, Origin, Status, Voice},
    refusal::{Refusal, check_text},
    space::Space,
};
use apostille_text::moderate::neutralise_text;

/// Why a memory that came this way waits for good, whatever its lines say of it. `whence` says how it came, as in "came with
/// the repository".
pub fn foreign_hold_reason(memory: &Memory, whence: &str) -> Option<String> {
    let voice = &memory.voice;
    let is_claim = matches!(memory.layer, Layer::Identity | Layer::Knowledge);
    let why = if memory.marks.contains(&ModerationMark::Instruction) {
        "it reads like an instruction to a model"
    } else if memory.marks.contains(&ModerationMark::Confusable) {
        "a word of it is spelled with letters that only look like its own"
    } else if voice.tainted || voice.channel.is_outside() {
        "its words come from outside"
    } else if voice.exposed && is_claim && memory.citations.is_empty() {
        return Some(format!(
            "it was said after words from outside were read, and {whence}"
        ));
    } else {
        return None;
    };
    Some(format!("{why}, and it {whence}"))
}

/// A memory as far as a stranger can be believed: moderated as if it were said now, and in a voice that is no person's here.
pub fn distrust_memory(memory: Memory) -> Result<Memory, Refusal> {
    let memory = import::moderate_imported_memory(memory)?;
    let channel = if memory.voice.channel.is_outside() {
        memory.voice.channel
    } else {
        Channel::Repository
    };
    let voice = Voice {
        origin: memory.voice.origin.max(Origin::Review),
        channel,
        ..memory.voice
    };
    Ok(Memory { voice, ..memory })
}

/// The event as it counts in this space; or why its line is left out. It never says what the line holds.
pub fn admit_foreign_event(mut event: Event, space: &Space) -> Result<Event, String> {
    // Within a repository's own file its name has no host; lines from a store of the user's may have one.
    let other_space = || Err(format!("it is about another space than {space}"));
    if !event.space.is_called(space) {
        return other_space();
    }
    event.space = space.clone();
    if let EventBody::Remembered { memory, .. } = &mut event.what {
        if !memory.space.is_called(space) {
            return other_space();
        }
        memory.space = space.clone();
        **memory = distrust_memory((**memory).clone()).map_err(|it| it.to_string())?;
    }
    neutralise_event_texts(&mut event);
    Ok(event)
}

/// Looks over what an event brings beside texts that are made harmless: code that was cited anew.
pub fn check_event_evidence(event: &Event) -> Result<(), Refusal> {
    let (EventBody::Refreshed { citations, .. } | EventBody::Restored { citations, .. }) =
        &event.what
    else {
        return Ok(());
    };
    let mut snippets = citations.iter().flatten().map(|it| &it.snippet);
    snippets.try_for_each(|it| check_text("citations", it))
}

fn neutralise_event_texts(event: &mut Event) {
    let clean = |text: &mut String| *text = neutralise_text(text);
    event.actor.iter_mut().for_each(clean);
    match &mut event.what {
        EventBody::Remembered { rationale, .. } => rationale.iter_mut().for_each(clean),
        EventBody::Superseded { reason, .. } | EventBody::Corrected { reason, .. } => {
            reason.iter_mut().for_each(clean);
        }
        EventBody::Invalidated { reason, diff } => {
            clean(reason);
            diff.iter_mut().for_each(clean);
        }
        EventBody::Retired { reason } | EventBody::Forgotten { reason, .. } => clean(reason),
        EventBody::Retrieved { query, .. } => clean(query),
        EventBody::Refreshed { followed, .. } => followed.iter_mut().for_each(clean),
        EventBody::Restored { status, .. } => {
            if let Status::Pending { why } | Status::Invalid { why } | Status::Retired { why } =
                status
            {
                clean(why);
            }
        }
        EventBody::RolledBack { .. } | EventBody::Tripped { .. } | EventBody::Closed { .. } => {}
        EventBody::Approved
        | EventBody::Verified { .. }
        | EventBody::Applied
        | EventBody::Ran(_)
        | EventBody::Refused { .. } => {}
    }
}
