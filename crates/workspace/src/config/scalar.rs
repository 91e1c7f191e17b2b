//! A value as a file or a variable has it, before anybody says what it is for.

use std::{collections::BTreeMap, fmt, str::FromStr};

use apostille_core::policy::MAX_TIER;
use apostille_text::words::UnknownWord;
use serde::{Deserialize, de::IgnoredAny};

/// One value.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum ConfigScalar {
    /// True or false.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// A number with a fraction.
    Fraction(f64),
    /// A text.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
    /// A table of tables, such as `"acme/app" = { mirror = "/srv/app.git" }`.
    Table(BTreeMap<String, BTreeMap<String, PlainValue>>),
    /// Something that no setting is.
    Other(IgnoredAny),
    /// A text of the environment, which stands for whatever is expected there.
    #[serde(skip)]
    Variable(String),
}

/// A value in a table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(super) enum PlainValue {
    /// True or false.
    Flag(bool),
    /// A text.
    Text(String),
}

impl fmt::Display for ConfigScalar {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Flag(it) => it.fmt(f),
            Self::Number(it) => it.fmt(f),
            Self::Fraction(it) => it.fmt(f),
            Self::Text(it) | Self::Variable(it) => it.fmt(f),
            Self::List(it) => f.write_str(&it.join(", ")),
            Self::Table(_) | Self::Other(_) => f.write_str("no value"),
        }
    }
}

impl ConfigScalar {
    pub(super) fn as_text(&self) -> Result<&str, String> {
        match self {
            Self::Text(text) | Self::Variable(text) => Ok(text),
            _ => Err("expected a text in quotes".into()),
        }
    }

    /// Names in a list, or in a text with commas.
    pub(super) fn split_names(&self) -> Result<Vec<String>, String> {
        let names: Vec<&str> = match self {
            Self::List(texts) => texts.iter().map(String::as_str).collect(),
            it => it.as_text()?.split(',').collect(),
        };
        let names = names.into_iter().map(str::trim);
        Ok(names.filter(|it| !it.is_empty()).map(Into::into).collect())
    }

    pub(super) fn as_list(&self) -> Result<&[String], String> {
        match self {
            Self::List(texts) => Ok(texts),
            _ => Err("expected a list of texts, as in [\"one\", \"two\"]".into()),
        }
    }

    pub(super) fn parse_word<T: FromStr<Err = UnknownWord>>(&self) -> Result<T, String> {
        self.as_text()?
            .parse()
            .map_err(|error: UnknownWord| error.to_string())
    }

    fn as_number(&self) -> Option<usize> {
        match self {
            Self::Number(n) => usize::try_from(*n).ok(),
            Self::Variable(text) => usize::try_from(text.parse::<i64>().ok()?).ok(),
            _ => None,
        }
    }

    pub(super) fn as_positive_number(&self) -> Result<usize, String> {
        self.as_number()
            .filter(|it| *it > 0)
            .ok_or_else(|| "expected a whole number above 0".into())
    }

    pub(super) fn as_number_up_to(&self, most: usize) -> Result<usize, String> {
        match self.as_positive_number()? {
            n if n > most => Err(format!("expected a whole number up to {most}")),
            n => Ok(n),
        }
    }

    pub(super) fn as_count(&self) -> Result<usize, String> {
        self.as_number()
            .ok_or_else(|| "expected a whole number; 0 switches it off".into())
    }

    /// A share of something, of which most is left.
    pub(super) fn as_share(&self) -> Result<f64, String> {
        let share = match self {
            Self::Number(0) => Some(0.0),
            Self::Fraction(it) => Some(*it),
            Self::Variable(text) => text.parse().ok(),
            _ => None,
        };
        share
            .filter(|it| (0.0..=0.5).contains(it))
            .ok_or_else(|| "expected a share from 0 to 0.5, such as 0.2".into())
    }

    pub(super) fn as_tier(&self) -> Result<u8, String> {
        self.as_number()
            .and_then(|it| u8::try_from(it).ok())
            .filter(|it| *it <= MAX_TIER)
            .ok_or_else(|| "expected a tier from 0 to 3".into())
    }

    /// A count of minutes; what is more than can be counted lasts for ever all the same.
    pub(super) fn as_minutes(&self) -> Result<u32, String> {
        Ok(u32::try_from(self.as_count()?).unwrap_or(u32::MAX))
    }

    pub(super) fn as_flag(&self) -> Result<bool, String> {
        match self {
            Self::Flag(it) => Ok(*it),
            Self::Variable(it) if matches!(&**it, "true" | "1" | "yes") => Ok(true),
            Self::Variable(it) if matches!(&**it, "false" | "0" | "no") => Ok(false),
            _ => Err("expected true or false".into()),
        }
    }
}
