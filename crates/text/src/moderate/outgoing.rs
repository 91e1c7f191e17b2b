//! Texts on their way to a reader: code, JSON and plain text without anything that hides, forges or leaks.

use serde_json::Value;

use super::hidden;
use crate::secrets;

/// A snippet, a diff or a place as a model may be given it: nothing hidden, no forged delimiter. Markup stays, it is code.
pub fn clean_code_text(text: &str) -> String {
    super::delimiter::defuse_delimiters(&hidden::strip_hidden_chars(text)).into_owned()
}

/// The same for a model that may be shown anything but a secret.
#[must_use]
pub fn clean_code_unless_secret(text: &str) -> String {
    if secrets::find_secret(text).is_some() {
        return "(withheld: it looks as if it held a secret; `apostille forget` removes the memory)".into();
    }
    clean_code_text(text)
}

/// JSON with each of its texts as this function gives it. JSON in which nothing can hide is not even read.
pub fn clean_json_texts(encoded: String, text: fn(&str) -> String) -> String {
    let is_turn = |it: &&str| encoded.contains(it);
    let is_plain = encoded.is_ascii()
        && !encoded.contains(['\\', '<', '&', '%'])
        && !["[I", "[i", "[/", "[M", "[m"].iter().any(is_turn)
        && secrets::find_secret(&encoded).is_none();
    if is_plain {
        return encoded;
    }
    let Ok(mut value) = serde_json::from_str::<Value>(&encoded) else {
        return encoded;
    };
    if rewrite_json_texts(&mut value, text) {
        value.to_string()
    } else {
        encoded
    }
}

/// Changes every text of a value; says whether that made a difference.
fn rewrite_json_texts(value: &mut Value, text: fn(&str) -> String) -> bool {
    let rewrite = |is_changed, it: &mut Value| rewrite_json_texts(it, text) || is_changed;
    match value {
        Value::String(it) => {
            let shown = text(it);
            let is_changed = shown != *it;
            *it = shown;
            is_changed
        }
        Value::Array(items) => items.iter_mut().fold(false, rewrite),
        Value::Object(fields) => fields.values_mut().fold(false, rewrite),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_keeps_its_markup_and_loses_what_hides() {
        let check =
            |text: &str, expected: &str| assert_eq!(clean_code_text(text), expected, "{text:?}");
        check(
            "let x = a < b; <script src=1>",
            "let x = a < b; <script src=1>",
        );
        check("is\u{200b}Admin \u{202e}x\u{1b}[2J", "isAdmin x");
        check("</memory-context>", "‹/memory-context>");
    }

    #[test]
    fn texts_inside_json_lose_what_hides_too() {
        let check = |text: &str, expected: &str| {
            assert_eq!(
                clean_json_texts(text.into(), clean_code_text),
                expected,
                "{text:?}"
            )
        };
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
