//! Arguments as they come on the wire, read into the types that a tool declares.
//!
//! A tool's arguments are one struct that derives `Deserialize` and `JsonSchema`: what is read and what a client is told
//! come from the same place. Reading is lenient where agents are ([`read_arguments`]), and what is wrong is said of the
//! field it is wrong with ([`ArgumentError`]).

mod lenient_reader;
mod schema;
mod values;

use std::fmt::Display;
use std::str::FromStr;

use apostille_cite::citation::CodeLocation;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use lenient_reader::{read_arguments, read_tagged_arguments};
pub use schema::InputSchema;
pub use values::{BoundedList, CodeLocationText, OptionalText, ParsedText, ResultLimit};

/// How many citations one call may bring.
pub const MAX_CITATIONS: usize = 100;

/// Arguments that are not what a tool takes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {why}")]
pub struct ArgumentError {
    /// Which field, such as `citations[1].line_start`.
    pub field: String,
    /// What is wrong with it.
    pub why: String,
}

impl ArgumentError {
    /// What is wrong with a field.
    pub fn new(field: impl Into<String>, why: impl Display) -> Self {
        Self {
            field: field.into(),
            why: why.to_string(),
        }
    }

    /// A required field that is not there.
    #[must_use]
    pub fn new_missing(field: &str) -> Self {
        Self::new(field, "it is required")
    }
}

/// One field that was taken out of its object.
fn read_field<T: DeserializeOwned>(
    name: &str,
    value: Option<Value>,
) -> Result<Option<T>, ArgumentError> {
    value
        .map(|it| lenient_reader::read_json_value(&it).map_err(|error| error.inside_field(name)))
        .transpose()
}

/// A text, where the field is given.
pub fn read_text_field(name: &str, value: Option<Value>) -> Result<Option<String>, ArgumentError> {
    read_field(name, value)
}

/// A text that must be given.
pub fn read_required_text(name: &str, value: Option<Value>) -> Result<String, ArgumentError> {
    read_text_field(name, value)?.ok_or_else(|| ArgumentError::new_missing(name))
}

/// A word of some idea, where the field is given.
pub fn read_parsed_field<T>(name: &str, value: Option<Value>) -> Result<Option<T>, ArgumentError>
where
    T: FromStr,
    T::Err: Display,
{
    Ok(read_field::<ParsedText<T>>(name, value)?.map(|it| it.0))
}

/// A whole number, also where it is written as a text of digits.
pub fn read_number_field(name: &str, value: Option<Value>) -> Result<Option<u32>, ArgumentError> {
    read_field(name, value)
}

/// Yes or no; no unless said.
pub fn read_flag_field(name: &str, value: Option<Value>) -> Result<bool, ArgumentError> {
    Ok(read_field(name, value)?.unwrap_or_default())
}

/// The places of the field `citations`.
pub fn read_citation_list(value: Option<Value>) -> Result<Vec<CodeLocation>, ArgumentError> {
    let places: BoundedList<CodeLocationText, MAX_CITATIONS> =
        read_field("citations", value)?.unwrap_or_default();
    Ok(places.0.into_iter().map(|it| it.0).collect())
}
