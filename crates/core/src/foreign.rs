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

/// Refuses an event that brings a secret, in whatever text of it: reasons, diffs, names, quotes, code that was cited anew.
/// What a memory itself says is looked over with it ([`distrust_memory`]).
pub fn check_event_texts(event: &Event) -> Result<(), Refusal> {
    let mut found = Ok(());
    let mut event = event.clone();
    visit_event_texts(&mut event, &mut |text| {
        if found.is_ok() {
            found = check_text("event", text);
        }
    });
    visit_event_evidence(&event, &mut |field, text| {
        if found.is_ok() {
            found = check_text(field, text);
        }
    });
    found
}

fn neutralise_event_texts(event: &mut Event) {
    visit_event_texts(event, &mut |text| *text = neutralise_text(text));
}

/// What an event brings to prove a memory, each text with the name of its field.
fn visit_event_evidence(event: &Event, visit: &mut impl FnMut(&'static str, &str)) {
    let (citations, evidence, names) = match &event.what {
        EventBody::Refreshed {
            citations,
            evidence,
            names,
            ..
        } => (citations.as_ref(), evidence.as_ref(), names.as_ref()),
        EventBody::Restored { citations, .. } => (citations.as_ref(), None, None),
        EventBody::Remembered { memory, .. } => (None, None, Some(&memory.names)),
        _ => return,
    };
    for citation in citations.into_iter().flatten() {
        visit("citations", &citation.snippet);
    }
    for evidence in evidence.into_iter().flatten() {
        if let Some(text) = evidence.text() {
            visit("evidence", text);
        }
    }
    for thing in names.into_iter().flatten() {
        visit("names", &thing.name);
    }
}

/// Every text in which an event says something beside its memory.
fn visit_event_texts(event: &mut Event, visit: &mut impl FnMut(&mut String)) {
    event.actor.iter_mut().for_each(&mut *visit);
    match &mut event.what {
        EventBody::Remembered { rationale, .. } => rationale.iter_mut().for_each(visit),
        EventBody::Superseded { reason, .. } | EventBody::Corrected { reason, .. } => {
            reason.iter_mut().for_each(visit);
        }
        EventBody::Invalidated { reason, diff } => {
            visit(reason);
            diff.iter_mut().for_each(visit);
        }
        EventBody::Retired { reason } | EventBody::Forgotten { reason, .. } => visit(reason),
        EventBody::Retrieved { query, .. } => visit(query),
        EventBody::Refreshed { followed, .. } => followed.iter_mut().for_each(visit),
        EventBody::Restored { status, .. } => {
            if let Status::Pending { why } | Status::Invalid { why } | Status::Retired { why } =
                status
            {
                visit(why);
            }
        }
        EventBody::RolledBack { .. } | EventBody::Tripped { .. } | EventBody::Closed { .. } => {}
        EventBody::Approved
        | EventBody::Verified { .. }
        | EventBody::Applied
        | EventBody::Ran(_)
        | EventBody::PullEnded { .. }
        | EventBody::Refused { .. } => {}
    }
}
