//! A task that an agent hands to a sub-agent, and the same with something behind it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Names, payload::Payload};

/// A task for a sub-agent, as the tool is given it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DelegatedTask {
    /// What the sub-agent is told to do.
    pub prompt: String,
    /// All that the tool is given: a JSON object.
    input: String,
    /// The field of it that holds the prompt.
    field: &'static str,
}

impl DelegatedTask {
    /// The task in what a tool is given: the first of these fields that holds a text.
    pub(crate) fn read(input: &str, fields: Names) -> Option<Self> {
        let object = Payload::parse_object(input)?;
        let find = |field: &&'static str| Some((*field, object.first_text(&[*field])?));
        let (field, prompt) = fields.iter().find_map(find)?;
        Some(Self {
            prompt,
            input: input.to_owned(),
            field,
        })
    }

    /// What the tool is to be given instead: the prompt with this behind it, and every other value byte for byte.
    pub(crate) fn extend_input(&self, addition: &str) -> Option<String> {
        let InputFields(fields) = serde_json::from_str(&self.input).ok()?;
        let mut written = Vec::new();
        for (name, value) in fields {
            let extended = format!("{}\n\n{addition}", self.prompt);
            let value = match name == self.field {
                true => serde_json::to_string(&extended).ok()?,
                false => value.get().to_owned(),
            };
            written.push(format!("{}:{value}", serde_json::to_string(&name).ok()?));
        }
        Some(format!("{{{}}}", written.join(",")))
    }
}

/// The fields of an object in their order, with their values as they are written.
struct InputFields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for InputFields<'de> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = InputFields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(InputFields(fields))
            }
        }
        reader.deserialize_map(FieldsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_is_extended_and_else_left_as_it_is() {
        let check = |input: &str, expected: Option<&str>| {
            let task = DelegatedTask::read(input, &["prompt", "objective"]);
            let found = task.and_then(|it| it.extend_input("<m>\n\"x\"</m>"));
            assert_eq!(found.as_deref(), expected, "{input}");
        };
        check(
            r#"{"description":"a  b\u00e9","prompt":"Find it","n":1.10,"big":12345678901234567890123,"deep":{"b":[ 1,2 ]},"t":true}"#,
            Some(
                r#"{"description":"a  b\u00e9","prompt":"Find it\n\n<m>\n\"x\"</m>","n":1.10,"big":12345678901234567890123,"deep":{"b":[ 1,2 ]},"t":true}"#,
            ),
        );
        check(
            r#"{"objective":"Find it"}"#,
            Some(r#"{"objective":"Find it\n\n<m>\n\"x\"</m>"}"#),
        );
        check(r#"{"prompt":7}"#, None);
        check(r#"{"prompt":""}"#, None);
        check("[]", None);
    }
}
