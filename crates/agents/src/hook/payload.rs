//! What came on the standard input, read no further than it is asked for.
//!
//! A tool's output can be megabytes long and is of no interest here: values stay unread text until somebody wants one.
//! A value of the wrong type is as good as none.

use std::borrow::Cow;
use std::{collections::HashMap, fmt};

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde_json::value::RawValue;

/// A JSON object whose values are unread.
pub(crate) struct Payload<'a>(HashMap<String, &'a RawValue>);

impl<'a> Payload<'a> {
    /// The object that the text begins with. One shell puts a byte order mark before it; what follows it is ignored.
    pub(crate) fn parse_object(json: &'a str) -> Option<Self> {
        let json = json.trim_start_matches('\u{feff}');
        let mut reader = serde_json::Deserializer::from_str(json);
        HashMap::deserialize(&mut reader).ok().map(Self)
    }

    /// Whether there is such a field, whatever it says.
    pub(crate) fn has_field(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Whether the field is there and says nothing.
    pub(crate) fn is_null(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|it| it.get() == "null")
    }

    /// Whether the field says yes.
    pub(crate) fn is_true(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|it| it.get() == "true")
    }

    /// The whole number in a field.
    pub(crate) fn whole_number(&self, name: &str) -> Option<i32> {
        self.0.get(name)?.get().parse().ok()
    }

    /// The first of these fields that holds a text, or a list of texts, of which the first. An empty text is none.
    pub(crate) fn first_text(&self, names: &[&str]) -> Option<String> {
        names
            .iter()
            .find_map(|it| self.list_texts(it).into_iter().next())
    }

    /// The texts in a field: one, or a list of them. Empty ones are left out.
    pub(crate) fn list_texts(&self, name: &str) -> Vec<String> {
        let Some(raw) = self.0.get(name) else {
            return Vec::new();
        };
        let items = parse_raw_list(raw).into_iter();
        let mut texts = match parse_raw_text(raw) {
            Some(text) => vec![text],
            None => items.filter_map(parse_raw_text).collect(),
        };
        texts.retain(|it| !it.is_empty());
        texts
    }

    /// The objects in a field that holds a list of them.
    pub(crate) fn list_objects(&self, name: &str) -> Vec<Payload<'a>> {
        let items = self
            .0
            .get(name)
            .map(|it| parse_raw_list(it))
            .unwrap_or_default();
        items
            .into_iter()
            .filter_map(|it| Payload::parse_object(it.get()))
            .collect()
    }

    /// The first of these fields, as JSON. Some clients write an object as a text: then what the text says.
    pub(crate) fn raw_json(&self, names: &[&str]) -> Option<Cow<'a, str>> {
        let raw = names.iter().find_map(|it| self.0.get(*it))?;
        Some(parse_raw_text(raw).map_or(Cow::Borrowed(raw.get()), Cow::Owned))
    }
}

fn parse_raw_list(raw: &RawValue) -> Vec<&RawValue> {
    serde_json::from_str(raw.get()).unwrap_or_default()
}

fn parse_raw_text(raw: &RawValue) -> Option<String> {
    let text = Some(raw.get()).filter(|it| it.starts_with('"'))?;
    let lossy = |_| serde_json::from_str(text).map(|LossyText(it)| it);
    serde_json::from_str(text).or_else(lossy).ok()
}

/// A text that was cut in the middle of a character, as programs do that count in UTF-16.
struct LossyText(String);

impl<'de> Deserialize<'de> for LossyText {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct LossyTextVisitor;
        impl Visitor<'_> for LossyTextVisitor {
            type Value = LossyText;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a text")
            }
            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<LossyText, E> {
                Ok(LossyText(String::from_utf8_lossy(bytes).into_owned()))
            }
        }
        reader.deserialize_bytes(LossyTextVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_for_what_they_are() {
        let check = |json: &str, expected: Option<&str>| {
            let found = Payload::parse_object(json).and_then(|it| it.first_text(&["a", "b"]));
            assert_eq!(found.as_deref(), expected, "{json}");
        };
        check(r#"{"a":"x"}"#, Some("x"));
        check(r#"{"b":"x"}"#, Some("x"));
        check(r#"{"a":"","b":"x"}"#, Some("x"));
        check(r#"{"a":["","x","y"]}"#, Some("x"));
        check(r#"{"a":[1,{},"x"]}"#, Some("x"));
        check(r#"{"a":7,"b":"x"}"#, Some("x"));
        check(r#"{"a":"x","a":"y"}"#, Some("y"));
        check(r#"{"a":null}"#, None);
        check(r#"{"a":{"b":"x"}}"#, None);
        check("\u{feff}{\"a\":\"x\"}\n{}", Some("x"));
        check(
            r#"{"a":"half a \ud83d face"}"#,
            Some("half a \u{fffd}\u{fffd}\u{fffd} face"),
        );
        check(r#"{"z":"\ud83d","a":"x"}"#, Some("x"));
        for broken in ["", "null", "[]", "{", r#"{"a":"x""#, "{\"a\":'x'}"] {
            check(broken, None);
        }
    }

    #[test]
    fn an_object_may_be_written_as_a_text() {
        let check = |json: &str, expected: &str| {
            assert_eq!(
                Payload::parse_object(json)
                    .unwrap()
                    .raw_json(&["a"])
                    .unwrap(),
                expected
            );
        };
        check(r#"{"a":{"b":1}}"#, r#"{"b":1}"#);
        check(r#"{"a":"{\"b\":1}"}"#, r#"{"b":1}"#);
        check(r#"{"a":"plain"}"#, "plain");
    }
}
