//! Arguments as they come on the wire, read into the types that a tool declares.
//!
//! A tool's arguments are one struct that derives `Deserialize` and `JsonSchema`: what is read and what a client is told
//! come from the same place. Reading is lenient where agents are ([`read_arguments`]), and what is wrong is said of the
//! field it is wrong with ([`ArgumentError`]).

mod lenient_reader;
mod recall_filter;
mod schema;
mod values;

use std::fmt::Display;

use apostille_text::secrets::mask_secrets;

pub(crate) use lenient_reader::{ArgumentForm, REPO, read_request_arguments};
pub use lenient_reader::{read_arguments, read_tagged_arguments};
pub(crate) use recall_filter::narrow_to_address;
pub use recall_filter::{RecallFilterInput, TimeArgument};
pub use schema::InputSchema;
pub(crate) use schema::generate_input_schema;
pub use values::{BoundedList, CitationTexts, OptionalText, ResultLimit};

pub use crate::json::text_schema::{TextEncoded, TextSchema};

/// How many citations one call may bring.
pub const MAX_CITATIONS: usize = 100;
/// How much of a name is repeated that nobody knows, in characters.
const MAX_TOLD: usize = 60;

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
    pub fn new_missing(field: &str) -> Self {
        Self::new(field, "it is required")
    }
}

/// A name that a caller brought, as it may be repeated: bounded, on one line and without a secret.
#[must_use]
pub fn shorten_echo(name: &str) -> String {
    let name = mask_secrets(name);
    let seen = name.chars().filter(|c| !c.is_control());
    seen.take(MAX_TOLD).collect()
}
