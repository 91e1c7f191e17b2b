//! Values of arguments that are more than a text, a number or a flag.

use std::fmt::Display;
use std::str::FromStr;

use apostille_cite::citation_request::CitationRequest;
use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{Error, IntoDeserializer},
};
use serde_json::Value;

use super::MAX_CITATIONS;
use crate::json::text_schema::TextEncoded;

/// A value that stands as its text, where an empty text is how some agents write "not given".
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(transparent, bound = "")]
pub struct OptionalText<T>(#[schemars(with = "String")] pub Option<T>);

impl<T> Default for OptionalText<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for OptionalText<T> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        match String::deserialize(reader)?.as_str() {
            "" => Ok(Self(None)),
            text => TextEncoded::deserialize(text.into_deserializer()).map(|it| Self(Some(it.0))),
        }
    }
}

/// A list that is not too long to be looked at.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(transparent, description = "")]
pub struct BoundedList<T, const MOST: usize>(#[schemars(length(max = MOST))] pub Vec<T>);

impl<T, const MOST: usize> BoundedList<TextEncoded<T>, MOST> {
    /// The values themselves.
    pub fn into_values(self) -> Vec<T> {
        self.0.into_iter().map(|it| it.0).collect()
    }
}

impl<T, const MOST: usize> Default for BoundedList<T, MOST> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for BoundedList<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let items = Vec::deserialize(reader)?;
        if items.len() > MOST {
            Err(D::Error::custom(format!("at most {MOST} at once")))
        } else {
            Ok(Self(items))
        }
    }
}

/// How many are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(transparent)]
pub struct ResultLimit(#[schemars(range(min = 1))] u32);

impl ResultLimit {
    /// At most so many.
    pub fn capped_at(self, most: usize) -> usize {
        (self.0 as usize).min(most)
    }
}

impl<'de> Deserialize<'de> for ResultLimit {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        match u32::deserialize(reader)? {
            0 => Err(D::Error::custom("ask for at least 1")),
            n => Ok(Self(n)),
        }
    }
}

/// Places that prove something, such as `src/api.rs:12-18` or `src/http.rs::Server::bind`.
#[derive(Debug, Default, JsonSchema)]
#[schemars(transparent, description = "")]
pub struct CitationTexts(
    #[schemars(with = "BoundedList<TextEncoded<CitationRequest>, MAX_CITATIONS>")]
    pub  Vec<CitationRequest>,
);

impl<'de> Deserialize<'de> for CitationTexts {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let places = BoundedList::<CitationText, MAX_CITATIONS>::deserialize(reader)?;
        Ok(Self(places.0.into_iter().map(|it| it.0).collect()))
    }
}

/// One place. Agents that know the other set of tools write it as an object.
struct CitationText(CitationRequest);

impl<'de> Deserialize<'de> for CitationText {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let request = match Value::deserialize(reader)? {
            Value::String(text) => text.trim().parse(),
            it @ Value::Object(_) => {
                let path = it["path"].as_str();
                let path = path
                    .ok_or_else(|| D::Error::custom("expected path, with line_start or symbol"))?;
                let line = |field: &str| it[field].as_u64().and_then(|it| u32::try_from(it).ok());
                let (start, end) = (line("line_start"), line("line_end"));
                CitationRequest::from_parts(path.trim(), start, end, it["symbol"].as_str())
                    .and_then(|request| request.at_commit(it["sha"].as_str()))
            }
            _ => return Err(D::Error::custom("expected a text")),
        };
        request.map(Self).map_err(D::Error::custom)
    }
}
