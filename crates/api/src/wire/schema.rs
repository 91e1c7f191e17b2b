//! The schema of arguments, from the types that they are read into, in the words that every client understands: plain
//! types, no references, nothing nullable. Every word of it is paid for in every conversation.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The words of a schema that are kept, in the order that they stand in.
const WORDS: [&str; 7] = [
    "type",
    "enum",
    "properties",
    "items",
    "minimum",
    "required",
    "description",
];

/// The schema of a tool's arguments, put together from the types they are read into.
pub struct InputSchema {
    properties: Map<String, Value>,
    required: Vec<Value>,
}

impl InputSchema {
    /// The arguments that this struct declares.
    pub fn from_type<T: JsonSchema>() -> Self {
        let mut schema = generate_input_schema::<T>();
        let mut take = |word| schema[word].take();
        Self {
            properties: serde_json::from_value(take("properties")).unwrap_or_default(),
            required: serde_json::from_value(take("required")).unwrap_or_default(),
        }
    }

    /// The arguments that the variants of this enum declare, and the field that tells the variants apart.
    pub fn from_tagged_enum<T: JsonSchema>(tag: &str, about: &str) -> Self {
        let schema = generate_input_schema::<T>();
        let variants = schema["oneOf"].as_array().cloned().unwrap_or_default();
        let words: Vec<&Value> = variants
            .iter()
            .map(|it| &it["properties"][tag]["const"])
            .collect();
        let word = json!({"type": "string", "enum": words, "description": about});
        let mut properties = Map::from_iter([(tag.to_owned(), word)]);
        for (name, it) in variants
            .iter()
            .filter_map(|it| it["properties"].as_object())
            .flatten()
        {
            properties.entry(name).or_insert_with(|| it.clone());
        }
        Self {
            properties,
            required: vec![tag.into()],
        }
    }

    /// With the arguments of another type, which are read from the same object.
    pub fn merge_with(mut self, other: Self) -> Self {
        for (name, it) in other.properties {
            self.properties.entry(name).or_insert(it);
        }
        self.required.extend(other.required);
        self
    }

    /// With an argument that a caller is told to give, though its absence is answered with a refusal of its own.
    pub fn require_field(mut self, name: &str) -> Self {
        self.required.push(name.into());
        self
    }

    /// Only these of its arguments are told of.
    pub fn keep_only(mut self, names: &[&str]) -> Self {
        self.properties
            .retain(|name, _| names.contains(&name.as_str()));
        self
    }

    /// As a client is told of it.
    pub fn with_example(self, example: &Value) -> Value {
        let properties: Map<String, Value> = self
            .properties
            .iter()
            .map(|(name, it)| (name.clone(), simplify_schema(it)))
            .collect();
        let mut schema = json!({"type": "object", "properties": properties});
        if !self.required.is_empty() {
            schema["required"] = self.required.into();
        }
        schema["examples"] = json!([example]);
        schema
    }
}

/// The schema of what is read, without references.
pub(crate) fn generate_input_schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|it| it.inline_subschemas = true);
    T::json_schema(&mut settings.for_deserialize().into_generator()).to_value()
}

/// A schema without what only some clients understand, or nobody needs.
fn simplify_schema(schema: &Value) -> Value {
    let kept = WORDS.iter().filter_map(|word| {
        let found = schema.get(word)?;
        let told = match *word {
            "type" | "enum" => strip_null_choice(word, found),
            // What a type says of itself is for those who read the code.
            "items" => {
                let mut items = simplify_schema(found);
                items.as_object_mut()?.shift_remove("description");
                items
            }
            "properties" => found
                .as_object()?
                .iter()
                .map(|(name, it)| (name.clone(), simplify_schema(it)))
                .collect(),
            _ => found.clone(),
        };
        Some(((*word).to_owned(), told))
    });
    kept.collect()
}

/// What may be left out is not required; nobody has to be told that it may be null, too.
fn strip_null_choice(word: &str, found: &Value) -> Value {
    let is_null = |it: &&Value| it.is_null() || *it == "null";
    let Some(words) = found.as_array() else {
        return found.clone();
    };
    let words: Vec<&Value> = words.iter().filter(|it| !is_null(it)).collect();
    match words.as_slice() {
        [one] if word == "type" => (*one).clone(),
        _ => json!(words),
    }
}
