//! The arguments of `memory_write`: which layer, and what is to become of what.

use apostille_core::memory::{Layer, Name};
use serde::Deserialize;
use serde_json::Value;

use super::{Malformed, memory_name, required, text, texts};

/// `memory_write`, on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RawWrite {
    action: Option<Value>,
    layer: Option<Value>,
    content: Option<Value>,
    target_id: Option<Value>,
    tags: Option<Value>,
}

/// A layer that an agent may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Identity: the user's core profile.
    L0,
    /// Knowledge: what was learned for good.
    L1,
}

impl Level {
    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::L0 => "L0",
            Self::L1 => "L1",
        }
    }

    /// The layer that it stands for.
    #[must_use]
    pub fn layer(self) -> Layer {
        match self {
            Self::L0 => Layer::Identity,
            Self::L1 => Layer::Knowledge,
        }
    }

    /// The one that stands for this layer, where one does.
    #[must_use]
    pub fn of(layer: Layer) -> Option<Self> {
        [Self::L0, Self::L1]
            .into_iter()
            .find(|it| it.layer() == layer)
    }
}

/// Something to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// Into which layer.
    pub level: Level,
    /// What to do there.
    pub action: Action,
}

/// What to do in a layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Something new.
    Add {
        /// What to keep.
        content: String,
        /// Words to find it by.
        tags: Vec<String>,
    },
    /// The correction of something known.
    Update {
        /// What is so instead.
        content: String,
        /// The memory that it corrects.
        target: Name,
        /// Words to find it by; those of the old one unless said.
        tags: Option<Vec<String>>,
    },
    /// Something known that is no longer to be returned.
    Remove {
        /// Which.
        target: Name,
    },
}

impl TryFrom<RawWrite> for Write {
    type Error = Malformed;
    fn try_from(raw: RawWrite) -> Result<Self, Malformed> {
        let level = level(raw.layer)?;
        let target = raw.target_id.filter(|it| it.as_str() != Some(""));
        let tags = raw.tags.map(|it| texts("tags", Some(it))).transpose()?;
        let action = match required("action", raw.action)?.as_str() {
            "add" if target.is_some() => {
                return Err(Malformed::new(
                    "target_id",
                    "add takes none; to correct that memory, say update",
                ));
            }
            "add" => Action::Add {
                content: required("content", raw.content)?,
                tags: tags.unwrap_or_default(),
            },
            "update" => Action::Update {
                content: required("content", raw.content)?,
                target: memory_name("target_id", target)?,
                tags,
            },
            "remove" => Action::Remove {
                target: memory_name("target_id", target)?,
            },
            _ => return Err(Malformed::new("action", "expected add, update or remove")),
        };
        Ok(Self { level, action })
    }
}

fn level(value: Option<Value>) -> Result<Level, Malformed> {
    match text("layer", value)?.as_deref().map(str::trim) {
        Some("L0" | "l0") => Ok(Level::L0),
        Some("L1" | "l1") => Ok(Level::L1),
        None => Err(Malformed::missing("layer")),
        Some(_) => Err(Malformed::new(
            "layer",
            "only L0 (identity) and L1 (knowledge) can be written; L2, the archive, is written by the system",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn seed_004_memory_write_input_fields() {
        let check = |arguments: Value, expected: Option<&str>| {
            let read = crate::wire::read::<RawWrite, Write>(arguments.clone());
            assert_eq!(
                read.err().map(|it| it.field).as_deref(),
                expected,
                "{arguments}"
            );
        };
        check(
            json!({"action": "add", "layer": "L1", "content": "a", "tags": ["t"]}),
            None,
        );
        check(
            json!({"action": "add", "layer": "L0", "content": "a", "target_id": "", "tags": null}),
            None,
        );
        check(
            json!({"action": "update", "layer": "L1", "content": "a", "target_id": "m-1"}),
            None,
        );
        check(
            json!({"action": "remove", "layer": "L1", "target_id": "m-1"}),
            None,
        );
        check(json!({"layer": "L1", "content": "a"}), Some("action"));
        check(
            json!({"action": "drop", "layer": "L1", "content": "a"}),
            Some("action"),
        );
        check(json!({"action": "add", "content": "a"}), Some("layer"));
        check(
            json!({"action": "add", "layer": "L2", "content": "a"}),
            Some("layer"),
        );
        check(
            json!({"action": "add", "layer": "identity", "content": "a"}),
            Some("layer"),
        );
        check(
            json!({"action": "add", "layer": 1, "content": "a"}),
            Some("layer"),
        );
        check(json!({"action": "add", "layer": "L1"}), Some("content"));
        check(
            json!({"action": "add", "layer": "L1", "content": "a", "target_id": "m-1"}),
            Some("target_id"),
        );
        check(
            json!({"action": "update", "layer": "L1", "target_id": "m-1"}),
            Some("content"),
        );
        check(
            json!({"action": "update", "layer": "L1", "content": "a"}),
            Some("target_id"),
        );
        check(
            json!({"action": "remove", "layer": "L1"}),
            Some("target_id"),
        );
        check(
            json!({"action": "remove", "layer": "L1", "target_id": "4"}),
            Some("target_id"),
        );
        check(
            json!({"action": "add", "layer": "L1", "content": "a", "tags": "t"}),
            Some("tags"),
        );
        check(
            json!({"action": "add", "layer": "L1", "content": "a", "tags": [1]}),
            Some("tags[0]"),
        );
    }
}
