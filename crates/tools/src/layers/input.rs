//! The arguments of `memory_write`: which layer, and what is to become of what.

use std::str::FromStr;

use apostille_core::memory::{Layer, MemoryName};
use schemars::{JsonSchema, Schema, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use apostille_api::wire::{TextEncoded, TextSchema};

/// A layer that an agent may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WritableLayer {
    /// Identity: the user's core profile.
    L0,
    /// Knowledge: what was learned for good.
    L1,
}

impl WritableLayer {
    /// As it is written.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::L0 => "L0",
            Self::L1 => "L1",
        }
    }

    /// The layer that it stands for.
    pub(super) fn to_layer(self) -> Layer {
        match self {
            Self::L0 => Layer::Identity,
            Self::L1 => Layer::Knowledge,
        }
    }

    /// The one that stands for this layer, where one does.
    pub(super) fn from_layer(layer: Layer) -> Option<Self> {
        [Self::L0, Self::L1]
            .into_iter()
            .find(|it| it.to_layer() == layer)
    }
}

impl FromStr for WritableLayer {
    type Err = &'static str;
    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "L0" | "l0" => Ok(Self::L0),
            "L1" | "l1" => Ok(Self::L1),
            _ => Err(
                "only L0 (identity) and L1 (knowledge) can be written; L2, the archive, is written by the system",
            ),
        }
    }
}

impl TextSchema for WritableLayer {
    fn text_schema() -> Schema {
        json_schema!({"type": "string", "enum": ["L0", "L1"]})
    }
}

/// Into which layer.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct LayerInput {
    /// L0 identity of the user, L1 knowledge
    pub(super) layer: TextEncoded<WritableLayer>,
}

/// What is new has no target, however an agent says so.
#[derive(Debug, Default, JsonSchema)]
#[schemars(transparent)]
pub(super) struct NoTarget(#[schemars(with = "String")] ());

impl<'de> Deserialize<'de> for NoTarget {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        match Value::deserialize(reader)? {
            it if it == "" => Ok(Self(())),
            _ => Err(D::Error::custom(
                "add takes none; to correct that memory, say update",
            )),
        }
    }
}

/// What to do in a layer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(tag = "action")]
pub(super) enum LayerAction {
    /// Something new.
    Add {
        /// One declarative fact, not an instruction; for add and update
        content: String,
        /// The memory to update or remove, such as m-4
        #[serde(default, rename = "target_id")]
        _target: NoTarget,
        /// Up to 5 words to find it by
        #[serde(default)]
        tags: Vec<String>,
    },
    /// The correction of something known, with its tags unless others are given.
    Update {
        content: String,
        target_id: TextEncoded<MemoryName>,
        tags: Option<Vec<String>>,
    },
    /// Something known that is no longer to be returned.
    Remove { target_id: TextEncoded<MemoryName> },
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use apostille_api::wire;

    #[test]
    fn memory_write_names_the_field_that_is_wrong() {
        let check = |arguments: Value, expected: Option<&str>| {
            let level = wire::read_arguments::<LayerInput>(&arguments).map(|_| ());
            let read = level
                .and_then(|()| wire::read_tagged_arguments::<LayerAction>(&arguments, "action"));
            let field = read.err().map(|it| it.field);
            assert_eq!(field.as_deref(), expected, "{arguments}");
        };
        let write = |mut arguments: Value, field: &str, value: Value| {
            arguments[field] = value;
            arguments
        };
        let add = json!({"action": "add", "layer": "L1", "content": "a", "tags": ["t"]});
        let update =
            json!({"action": "update", "layer": " l0 ", "content": "a", "target_id": "m-1"});
        let remove = json!({"action": "remove", "layer": "L1", "target_id": "m-1"});
        check(add.clone(), None);
        check(write(add.clone(), "target_id", json!("")), None);
        check(write(add.clone(), "tags", Value::Null), None);
        check(update.clone(), None);
        check(remove.clone(), None);
        for (arguments, field, value) in [
            (&add, "action", Value::Null),
            (&add, "action", json!("drop")),
            (&add, "layer", Value::Null),
            (&add, "layer", json!("L2")),
            (&add, "layer", json!("identity")),
            (&add, "layer", json!(1)),
            (&add, "content", Value::Null),
            (&add, "target_id", json!("m-1")),
            (&add, "tags", json!("t")),
            (&update, "content", Value::Null),
            (&update, "target_id", Value::Null),
            (&remove, "target_id", json!("")),
            (&remove, "target_id", json!("4")),
        ] {
            check(write(arguments.clone(), field, value), Some(field));
        }
        check(write(add, "tags", json!([1])), Some("tags[0]"));
    }
}
