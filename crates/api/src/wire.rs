//! Arguments as they come on the wire, read into the types that a tool declares.
//!
//! A tool's arguments are one struct that derives `Deserialize` and `JsonSchema`: what is read and what a client is told
//! come from the same place. Reading is lenient where agents are ([`read`]), and what is wrong is said of the field it
//! is wrong with ([`Malformed`]).

mod reader;
mod schema;
mod values;

use std::fmt::Display;
use std::str::FromStr;

use apostille_cite::citation::Cite;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use reader::{read, read_tagged};
pub use schema::InputSchema;
pub use values::{AtMost, Limit, OrNone, Parsed, PlaceText};

/// How many citations one call may bring.
pub const MAX_CITATIONS: usize = 100;

/// Arguments that are not what a tool takes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {why}")]
pub struct Malformed {
    /// Which field, such as `citations[1].line_start`.
    pub field: String,
    /// What is wrong with it.
    pub why: String,
}

impl Malformed {
    pub fn new(field: impl Into<String>, why: impl Display) -> Self {
        Self {
            field: field.into(),
            why: why.to_string(),
        }
    }

    pub fn missing(field: &str) -> Self {
        Self::new(field, "it is required")
    }
}

/// One field that was taken out of its object.
fn field<T: DeserializeOwned>(name: &str, value: Option<Value>) -> Result<Option<T>, Malformed> {
    value
        .map(|it| reader::read_value(&it).map_err(|error| error.inside(name)))
        .transpose()
}

pub fn text(name: &str, value: Option<Value>) -> Result<Option<String>, Malformed> {
    field(name, value)
}

pub fn required(name: &str, value: Option<Value>) -> Result<String, Malformed> {
    text(name, value)?.ok_or_else(|| Malformed::missing(name))
}

pub fn parsed<T>(name: &str, value: Option<Value>) -> Result<Option<T>, Malformed>
where
    T: FromStr,
    T::Err: Display,
{
    Ok(field::<Parsed<T>>(name, value)?.map(|it| it.0))
}

pub fn number(name: &str, value: Option<Value>) -> Result<Option<u32>, Malformed> {
    field(name, value)
}

/// Yes or no; no unless said.
pub fn flag(name: &str, value: Option<Value>) -> Result<bool, Malformed> {
    Ok(field(name, value)?.unwrap_or_default())
}

pub fn cites(value: Option<Value>) -> Result<Vec<Cite>, Malformed> {
    let places: AtMost<PlaceText, MAX_CITATIONS> = field("citations", value)?.unwrap_or_default();
    Ok(places.0.into_iter().map(|it| it.0).collect())
}
