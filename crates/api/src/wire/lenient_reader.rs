//! How arguments are read: leniently, and with the field named that is wrong.
//!
//! serde's own reader of JSON says what is wrong but not where, and takes `"12"` for no number. Agents write numbers and
//! flags as texts, send `null` for what they do not mean, and add fields that nobody knows; all of that is understood.

use std::fmt::Display;
use std::str::FromStr;

use serde::{
    de::{
        DeserializeOwned, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor,
        value::{BorrowedStrDeserializer, MapAccessDeserializer},
    },
    forward_to_deserialize_any,
};
use serde_json::{Map, Value, json};

use super::{ArgumentError, shorten_echo};

/// The name that the door reads, and every call takes.
pub(crate) const REPO: &str = "repo";

/// The arguments of a tool. No arguments are an empty object.
pub fn read_arguments<T: DeserializeOwned>(arguments: &Value) -> Result<T, ArgumentError> {
    match arguments {
        Value::Null => read_request_arguments(&json!({}), ArgumentForm::Tool),
        Value::Object(_) => read_request_arguments(arguments, ArgumentForm::Tool),
        _ => Err(ArgumentError::new("arguments", "expected an object")),
    }
}

/// The same for an enum whose variants are told apart by the word in this field, each with fields of its own. What
/// belongs to another variant is not looked at.
pub fn read_tagged_arguments<T: DeserializeOwned>(
    arguments: &Value,
    tag: &str,
) -> Result<T, ArgumentError> {
    let fields: Map<String, Value> = read_arguments(arguments)?;
    let word = match fields.get(tag) {
        None => return Err(ArgumentError::new_missing(tag)),
        Some(Value::String(word)) => word.clone(),
        Some(_) => return Err(ArgumentError::new(tag, "expected a text")),
    };
    // To serde, a variant is a name with its fields inside; to a caller they stand beside the name.
    let variant = Map::from_iter([(word.clone(), fields.into())]);
    let reader = MapAccessDeserializer::new(LenientFields::new(&variant, ArgumentForm::Tool));
    T::deserialize(reader).map_err(
        |error| match error.field.strip_prefix(&format!("{word}.")) {
            Some(field) => ArgumentError::new(field, error.why),
            None => error.inside_field(tag),
        },
    )
}

/// The arguments of a request, as an object.
pub(crate) fn read_request_arguments<T: DeserializeOwned>(
    value: &Value,
    form: ArgumentForm,
) -> Result<T, ArgumentError> {
    T::deserialize(LenientReader { value, form })
}

/// How arguments came, which decides how far the reader is lenient with the names of an object.
#[derive(Clone, Copy)]
pub(crate) enum ArgumentForm {
    /// With a call of a tool: what is null was not said, and a name that nobody knows is passed over.
    Tool,
    /// As the body of a request.
    Body,
    /// Behind a question mark: each name with the list of what was said under it.
    Query,
}

impl ArgumentForm {
    fn is_given(self, value: &Value) -> bool {
        match self {
            Self::Tool => !value.is_null(),
            Self::Body => true,
            Self::Query => value.as_array().is_none_or(|it| !it.is_empty()),
        }
    }

    /// Whether these are all the names there are, so that no other may be said.
    fn check_names(self, given: &Value, known: &[&str]) -> Result<(), ArgumentError> {
        let (what, repo) = match self {
            Self::Tool => return Ok(()),
            Self::Body => ("field", None),
            Self::Query => ("query", Some(REPO)),
        };
        let mut names = given.as_object().into_iter().flat_map(Map::keys);
        let Some(name) = names.find(|it| !known.contains(&it.as_str())) else {
            return Ok(());
        };
        let known: Vec<&str> = known.iter().copied().chain(repo).collect();
        let known = if known.is_empty() {
            "there are none".into()
        } else {
            format!("there are: {}", known.join(", "))
        };
        Err(ArgumentError::new(
            format!("{what} '{}'", shorten_echo(name)),
            format!("it is not known; {known}"),
        ))
    }
}

impl ArgumentError {
    fn new_expected(what: &str) -> Self {
        Self::new("", format!("expected {what}"))
    }

    /// The same, inside of an outer field.
    fn inside_field(self, outer: &str) -> Self {
        let field = match self.field.as_str() {
            "" => outer.to_owned(),
            inner if inner.starts_with('[') => format!("{outer}{inner}"),
            inner => format!("{outer}.{inner}"),
        };
        Self { field, ..self }
    }
}

impl serde::de::Error for ArgumentError {
    fn custom<T: Display>(why: T) -> Self {
        Self::new("", why)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new_missing(field)
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        match expected {
            [first @ .., last] if !first.is_empty() => {
                Self::new_expected(&format!("{} or {last}", first.join(", ")))
            }
            _ => Self::new_expected(&expected.join(", ")),
        }
    }
}

/// A value that is to be read.
struct LenientReader<'a> {
    value: &'a Value,
    form: ArgumentForm,
}

impl<'a> LenientReader<'a> {
    /// The value where it is no list: a query may say everything else once.
    fn single_value(&self) -> Result<&'a Value, ArgumentError> {
        match (self.form, self.value) {
            (ArgumentForm::Query, Value::Array(said)) => match said.as_slice() {
                [one] => Ok(one),
                _ => Err(ArgumentError::custom("it is said twice")),
            },
            _ => Ok(self.value),
        }
    }

    /// A whole number, or a text of its digits.
    fn parse_whole_number<T: FromStr>(
        &self,
        read: impl Fn(&Value) -> Option<T>,
        what: &str,
    ) -> Result<T, ArgumentError> {
        let value = self.single_value()?;
        read(value)
            .or_else(|| value.as_str()?.trim().parse().ok())
            .ok_or_else(|| ArgumentError::new_expected(what))
    }
}

impl<'de> Deserializer<'de> for LenientReader<'de> {
    type Error = ArgumentError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(it) => visitor.visit_bool(*it),
            Value::Number(it) => match (it.as_u64(), it.as_i64()) {
                (Some(it), _) => visitor.visit_u64(it),
                (None, Some(it)) => visitor.visit_i64(it),
                (None, None) => visitor.visit_f64(it.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(it) => visitor.visit_borrowed_str(it),
            Value::Array(_) => self.deserialize_seq(visitor),
            Value::Object(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        match self.single_value()? {
            Value::String(it) => visitor.visit_borrowed_str(it),
            _ => Err(ArgumentError::new_expected("a text")),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        let value = self.single_value()?;
        match value.as_bool().or_else(|| value.as_str()?.parse().ok()) {
            Some(it) => visitor.visit_bool(it),
            None => Err(ArgumentError::new_expected("true or false")),
        }
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        let read = |it: &Value| it.as_u64()?.try_into().ok();
        visitor.visit_u32(self.parse_whole_number(read, "a whole number that is not negative")?)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        visitor.visit_i64(self.parse_whole_number(Value::as_i64, "a whole number")?)
    }

    /// A variant without fields: what stands beside its name belongs to others.
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ArgumentError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        match self.value {
            Value::Array(items) => visitor.visit_seq(LenientItems(items.iter().enumerate())),
            _ => Err(ArgumentError::new_expected("a list")),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ArgumentError> {
        match self.value {
            Value::Object(fields) => visitor.visit_map(LenientFields::new(fields, self.form)),
            _ => Err(ArgumentError::new_expected("an object")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ArgumentError> {
        self.form.check_names(self.value, names)?;
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ArgumentError> {
        match self.value {
            Value::String(word) => visitor.visit_enum(BorrowedStrDeserializer::new(word)),
            _ => Err(ArgumentError::new_expected("a text")),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u64 u128 f32 f64 char bytes byte_buf unit_struct tuple tuple_struct identifier
        ignored_any
    }
}

/// The items of a list; what is wrong with one is said with its place.
struct LenientItems<'a>(std::iter::Enumerate<std::slice::Iter<'a, Value>>);

impl<'de> SeqAccess<'de> for LenientItems<'de> {
    type Error = ArgumentError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ArgumentError> {
        let Some((at, value)) = self.0.next() else {
            return Ok(None);
        };
        let form = ArgumentForm::Tool;
        let item = seed.deserialize(LenientReader { value, form });
        item.map(Some)
            .map_err(|error| error.inside_field(&format!("[{at}]")))
    }
}

/// The fields of an object; what is wrong with one is said with its name, and one that is null is not there.
struct LenientFields<'a> {
    rest: serde_json::map::Iter<'a>,
    next: Option<(&'a String, &'a Value)>,
    form: ArgumentForm,
}

impl<'a> LenientFields<'a> {
    fn new(fields: &'a Map<String, Value>, form: ArgumentForm) -> Self {
        Self {
            rest: fields.iter(),
            next: None,
            form,
        }
    }
}

impl<'de> MapAccess<'de> for LenientFields<'de> {
    type Error = ArgumentError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ArgumentError> {
        self.next = self.rest.find(|(_, value)| self.form.is_given(value));
        let key = self.next.map(|(key, _)| BorrowedStrDeserializer::new(key));
        key.map(|it| seed.deserialize(it)).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, ArgumentError> {
        let Some((key, value)) = self.next.take() else {
            return Err(ArgumentError::custom("a value without a key"));
        };
        let form = self.form;
        let value = seed.deserialize(LenientReader { value, form });
        value.map_err(|error| error.inside_field(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Place {
        path: String,
        line: u32,
        #[serde(default)]
        is_deep: bool,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Deed {
        Put { places: Vec<Place> },
        TakeAway { by: Option<i64> },
        Rest,
    }

    fn deed(arguments: Value) -> Result<Deed, String> {
        read_tagged_arguments(&arguments, "deed").map_err(|it| it.to_string())
    }

    #[test]
    fn reader_takes_what_agents_write() {
        let place = |path: &str, line, is_deep| Place {
            path: path.into(),
            line,
            is_deep,
        };
        let places = json!([
            {"path": "a", "line": 1},
            {"path": "b", "line": " 2 ", "is_deep": "true", "colour": 7},
            {"path": "c", "line": 3, "is_deep": null},
        ]);
        let expected = vec![
            place("a", 1, false),
            place("b", 2, true),
            place("c", 3, false),
        ];
        let put = deed(json!({"deed": "put", "places": places}));
        assert_eq!(put, Ok(Deed::Put { places: expected }));
        let taken = deed(json!({"deed": "take_away", "by": "-3", "places": 7}));
        assert_eq!(taken, Ok(Deed::TakeAway { by: Some(-3) }));
        assert_eq!(
            deed(json!({"deed": "take_away"})),
            Ok(Deed::TakeAway { by: None })
        );
        assert_eq!(deed(json!({"deed": "rest", "by": []})), Ok(Deed::Rest));
    }

    #[test]
    fn reader_names_what_is_wrong() {
        let check = |arguments: Value, expected: &str| {
            assert_eq!(deed(arguments), Err(expected.to_owned()));
        };
        let put =
            |place: Value| json!({"deed": "put", "places": [{"path": "a", "line": 1}, place]});
        check(json!(7), "arguments: expected an object");
        check(Value::Null, "deed: it is required");
        check(json!({"deed": null}), "deed: it is required");
        check(json!({"deed": 7}), "deed: expected a text");
        check(
            json!({"deed": "eat"}),
            "deed: expected put, take_away or rest",
        );
        check(json!({"deed": "put"}), "places: it is required");
        check(
            json!({"deed": "put", "places": "a"}),
            "places: expected a list",
        );
        check(put(json!("a")), "places[1]: expected an object");
        check(put(json!({"line": 1})), "places[1].path: it is required");
        check(
            put(json!({"path": 1, "line": 1})),
            "places[1].path: expected a text",
        );
        let number = "places[1].line: expected a whole number that is not negative";
        for line in [
            json!(-1),
            json!(1.5),
            json!("x"),
            json!([]),
            json!(1_u64 << 32),
        ] {
            check(put(json!({"path": "a", "line": line})), number);
        }
        check(
            put(json!({"path": "a", "line": 1, "is_deep": "yes"})),
            "places[1].is_deep: expected true or false",
        );
        check(
            json!({"deed": "take_away", "by": 1.5}),
            "by: expected a whole number",
        );
    }
}
