//! Moderation on the way in from a file: a record may have been written by an older program, or by hand.
//!
//! Texts are made harmless, and what had to change is marked. Snippets stay as they are: verification compares them
//! byte for byte, so they are made harmless where they are shown.

use apostille_text::moderate::{sanitise_text_in_place, strip_hidden_chars_in_place};

use super::{EventRecord, MemoryRecord};
use crate::memory::Mark;

/// The record of a memory as it may be shown.
pub(crate) fn sanitize_memory_record(mut it: MemoryRecord) -> MemoryRecord {
    let optional = [
        &mut it.subject,
        &mut it.reason,
        &mut it.author,
        &mut it.session,
        &mut it.task,
        &mut it.status_why,
    ];
    let texts = optional
        .into_iter()
        .flatten()
        .chain([&mut it.fact])
        .chain(&mut it.tags)
        .chain(&mut it.vouchers);
    // Every one is looked at, also behind the first that had to change.
    let changed = texts
        .map(sanitise_text_in_place)
        .filter(|is_changed| *is_changed)
        .count();
    let mark = Mark::Neutralised.as_str();
    if changed > 0 && !it.marks.iter().any(|it| it == mark) {
        it.marks.push(mark.into());
    }
    for citation in &mut it.citations {
        [&mut citation.sha, &mut citation.blob]
            .into_iter()
            .flatten()
            .for_each(strip_hidden_chars_in_place);
    }
    it
}

/// The record of an event as it may be shown.
pub(crate) fn sanitize_event_record(mut it: EventRecord) -> EventRecord {
    let texts = [
        &mut it.actor,
        &mut it.rationale,
        &mut it.reason,
        &mut it.commit,
        &mut it.query,
        &mut it.class,
    ];
    let added = [&mut it.voucher, &mut it.about];
    for text in texts
        .into_iter()
        .chain(added)
        .flatten()
        .chain(&mut it.found)
    {
        sanitise_text_in_place(text);
    }
    // A diff is code.
    it.diff.iter_mut().for_each(strip_hidden_chars_in_place);
    it
}
