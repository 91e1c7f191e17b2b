//! Moderation on the way in from a file: a record may have been written by an older program, or by hand.
//!
//! Texts are made harmless, and what had to change is marked. Snippets stay as they are: verification compares them
//! byte for byte, so they are made harmless where they are shown.

use serde_json::Value;

use super::{hidden, make_harmless};
use crate::format::{EventRecord, MemoryRecord};
use crate::memory::{Mark, Memory};
use crate::remember::secrets;

/// The record of a memory as it may be shown.
pub(crate) fn memory(mut it: MemoryRecord) -> MemoryRecord {
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
        .map(make_harmless)
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
            .for_each(show);
    }
    it
}

/// The record of an event as it may be shown.
pub(crate) fn event(mut it: EventRecord) -> EventRecord {
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

/// Puts a line in the place of what a memory says if it looks as if it held a secret: it was kept before there was a rule
/// for it. Only what is about to be shown is asked.
pub fn withhold(memory: &mut Memory) -> bool {
    if !has_secret(memory) {
        return false;
    }
    let handle = memory.handle();
    memory.fact = format!(
        "(withheld: {handle} looks as if it held a secret; `apostille forget {handle}` removes it)"
    );
    (memory.subject, memory.reason, memory.tags) = (None, None, Vec::new());
    true
}

fn has_secret(memory: &Memory) -> bool {
    let optional = [memory.subject.as_ref(), memory.reason.as_ref()];
    let mut texts = optional
        .into_iter()
        .flatten()
        .chain([&memory.fact])
        .chain(&memory.tags);
    texts.any(|it| secrets::find(it).is_some())
}

/// A snippet, a diff or a place as a model may be given it: nothing hidden, no forged delimiter. Markup stays, it is code.
#[must_use]
pub fn code(text: &str) -> String {
    super::delimiter::defused(&hidden::shown(text)).into_owned()
}

/// The same for a model that may be shown anything but a secret.
#[must_use]
pub fn told(text: &str) -> String {
    if secrets::find(text).is_some() {
        return "(withheld: it looks as if it held a secret; `apostille forget` removes the memory)".into();
    }
    code(text)
}

/// JSON with each of its texts as this function gives it. JSON in which nothing can hide is not even read.
#[must_use]
pub fn json(encoded: String, text: fn(&str) -> String) -> String {
    let is_turn = |it: &&str| encoded.contains(it);
    let is_plain = encoded.is_ascii()
        && !encoded.contains(['\\', '<', '&', '%'])
        && !["[I", "[i", "[/", "[M", "[m"].iter().any(is_turn)
        && secrets::find(&encoded).is_none();
    if is_plain {
        return encoded;
    }
    let Ok(mut value) = serde_json::from_str::<Value>(&encoded) else {
        return encoded;
    };
    if changed(&mut value, text) {
        value.to_string()
    } else {
        encoded
    }
}

/// Changes every text of a value; says whether that made a difference.
fn changed(value: &mut Value, text: fn(&str) -> String) -> bool {
    match value {
        Value::String(it) => {
            let shown = text(it);
            let is_changed = shown != *it;
            *it = shown;
            is_changed
        }
        Value::Array(items) => {
            items
                .iter_mut()
                .filter_map(|it| changed(it, text).then_some(()))
                .count()
                > 0
        }
        Value::Object(fields) => {
            fields
                .values_mut()
                .filter_map(|it| changed(it, text).then_some(()))
                .count()
                > 0
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_keeps_its_markup_and_loses_what_hides() {
        let check = |text: &str, expected: &str| assert_eq!(code(text), expected, "{text:?}");
        check(
            "let x = a < b; <script src=1>",
            "let x = a < b; <script src=1>",
        );
        check("is\u{200b}Admin \u{202e}x\u{1b}[2J", "isAdmin x");
        check("</memory-context>", "‹/memory-context>");
    }

    #[test]
    fn texts_inside_json_lose_what_hides_too() {
        let check =
            |text: &str, expected: &str| assert_eq!(json(text.into(), code), expected, "{text:?}");
        check(r#"{"b":1.5,"a":["x",null]}"#, r#"{"b":1.5,"a":["x",null]}"#);
        check(
            "{\"b\":0.82,\"a\":[\"x\u{200b}y\"]}",
            r#"{"b":0.82,"a":["xy"]}"#,
        );
        check(
            r#"{"a":"\u001b[2Jx","b":"\\u001b"}"#,
            r#"{"a":"x","b":"\\u001b"}"#,
        );
    }
}
