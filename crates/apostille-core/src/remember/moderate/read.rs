//! Moderation on the way in from a file: a record may have been written by an older program, or by hand.
//!
//! Texts are made harmless, and what had to change is marked. Snippets stay as they are: verification compares them
//! byte for byte, so they are made harmless where they are shown.

use super::{hidden, make_harmless};
use crate::format::{EventRecord, MemoryRecord};
use crate::memory::Mark;

/// The record of a memory as it may be shown.
pub(crate) fn memory(mut it: MemoryRecord) -> MemoryRecord {
    let optional =
        [&mut it.subject, &mut it.reason, &mut it.author, &mut it.session, &mut it.task, &mut it.status_why];
    let texts =
        optional.into_iter().flatten().chain([&mut it.fact]).chain(&mut it.tags).chain(&mut it.vouchers);
    // Every one is looked at, also behind the first that had to change.
    let changed = texts.map(|text| make_harmless(text)).filter(|is_changed| *is_changed).count();
    let mark = Mark::Neutralised.as_str();
    if changed > 0 && !it.marks.iter().any(|it| it == mark) {
        it.marks.push(mark.into());
    }
    for citation in &mut it.citations {
        [&mut citation.sha, &mut citation.blob].into_iter().flatten().for_each(show);
    }
    it
}

/// The record of an event as it may be shown.
pub(crate) fn event(mut it: EventRecord) -> EventRecord {
    let texts =
        [&mut it.actor, &mut it.rationale, &mut it.reason, &mut it.commit, &mut it.query, &mut it.class];
    let added = [&mut it.voucher, &mut it.about];
    for text in texts.into_iter().chain(added).flatten().chain(&mut it.found) {
        make_harmless(text);
    }
    // A diff is code.
    it.diff.iter_mut().for_each(show);
    it
}

/// Takes out what hides in a text that is code.
fn show(text: &mut String) {
    if let std::borrow::Cow::Owned(shown) = hidden::shown(text) {
        *text = shown;
    }
}

/// A snippet, a diff or a place as a model may be given it: nothing hidden, no forged delimiter. Markup stays, it is code.
#[must_use]
pub fn code(text: &str) -> String {
    super::delimiter::defused(&hidden::shown(text)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_keeps_its_markup_and_loses_what_hides() {
        let check = |text: &str, expected: &str| assert_eq!(code(text), expected, "{text:?}");
        check("let x = a < b; <script src=1>", "let x = a < b; <script src=1>");
        check("is\u{200b}Admin \u{202e}x\u{1b}[2J", "isAdmin x");
        check("</memory-context>", "‹/memory-context>");
    }
}
