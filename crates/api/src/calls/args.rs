//! The arguments of a call. A struct declares them once: it is what the call reads, what an unknown name is held against,
//! and what the OpenAPI document tells.

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error},
};
use serde_json::{Map, Value, json};

use crate::wire::{ArgumentError, ArgumentForm, REPO, read_request_arguments};

/// Nothing is taken.
#[derive(Deserialize, JsonSchema)]
pub(super) struct NoArguments {}

/// How many are asked for: from 1 up to what there may be.
#[derive(Clone, Copy, JsonSchema)]
#[schemars(transparent, description = "")]
pub(super) struct PageLimit<const MAX: usize>(#[schemars(range(min = 1, max = MAX))] usize);

impl<const MAX: usize> PageLimit<MAX> {
    /// What is asked for, or what is given unless said.
    pub(super) fn limit_or(limit: Option<Self>, default: usize) -> usize {
        limit.map_or(default, |it| it.0)
    }
}

impl<'de, const MAX: usize> Deserialize<'de> for PageLimit<MAX> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        match u32::deserialize(reader)? as usize {
            0 => Err(D::Error::custom("ask for at least 1")),
            it if it > MAX => Err(D::Error::custom(format!("ask for at most {MAX}"))),
            it => Ok(Self(it)),
        }
    }
}

/// Reads what stands behind the question mark. What was left empty was not said.
pub(super) fn read_query_arguments<T: DeserializeOwned>(
    query: &[(String, String)],
) -> Result<T, ArgumentError> {
    let mut given = Map::new();
    for (name, value) in query.iter().filter(|it| it.0 != REPO) {
        let said = given.entry(name).or_insert_with(|| json!([]));
        if let Value::Array(said) = said
            && !value.is_empty()
        {
            said.push(value.as_str().into());
        }
    }
    read_request_arguments(&given.into(), ArgumentForm::Query)
}

/// Reads what was sent as an object; nothing at all is an empty one.
pub(super) fn read_body_arguments<T: DeserializeOwned>(body: &[u8]) -> Result<T, ArgumentError> {
    let is_blank = body.trim_ascii().is_empty();
    let given: Value = serde_json::from_slice(if is_blank { b"{}" } else { body })
        .map_err(|it| ArgumentError::new("body", format!("no JSON: {it}")))?;
    if !given.is_object() {
        return Err(ArgumentError::new("body", "expected an object"));
    }
    read_request_arguments(&given, ArgumentForm::Body)
}
