//! Moderation on the way in from a file: a record may have been written by an older program, or by hand.
//!
//! Texts are made harmless, and what had to change is marked. Snippets stay as they are: verification compares them
//! byte for byte, so they are made harmless where they are shown.

use apostille_text::moderate::{sanitise_text_in_place, strip_hidden_chars_in_place};

use super::{EventRecord, MemoryRecord};
use crate::memory::ModerationMark;

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
    let texts = optional.into_iter().flatten().chain([&mut it.fact]);
    let mut is_changed = false;
    let evidence = it.evidence.iter_mut();
    let evidence = evidence.flat_map(|it| {
        let said = [&mut it.quote, &mut it.command, &mut it.session];
        let asked = [
            &mut it.comment,
            &mut it.reviewer,
            &mut it.author,
            &mut it.path,
        ];
        said.into_iter().chain(asked)
    });
    let names = it.names.iter_mut().map(|it| &mut it.name);
    let lists = it.tags.iter_mut().chain(&mut it.vouchers).chain(names);
    for text in texts.chain(lists).chain(evidence.flatten()) {
        is_changed |= sanitise_text_in_place(text);
    }
    let mark = ModerationMark::Neutralised.to_string();
    if is_changed && !it.marks.contains(&mark) {
        it.marks.push(mark);
    }
    for citation in &mut it.citations {
        for text in citation.sha.iter_mut().chain(&mut citation.blob) {
            strip_hidden_chars_in_place(text);
        }
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
        &mut it.voucher,
        &mut it.about,
    ];
    for text in texts.into_iter().flatten().chain(&mut it.found) {
        sanitise_text_in_place(text);
    }
    if let Some(run) = &mut it.run {
        sanitise_text_in_place(&mut run.command);
        run.session.iter_mut().for_each(|it| {
            sanitise_text_in_place(it);
        });
    }
    // A diff is code.
    it.diff.iter_mut().for_each(strip_hidden_chars_in_place);
    it
}
