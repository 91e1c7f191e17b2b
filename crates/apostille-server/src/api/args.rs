//! The arguments of a call: raw as they stand in the query and in the body, each taken out once. What nobody knows is
//! said, with what there is.

use std::fmt::Display;
use std::str::FromStr;

use apostille_cite::citation::Cite;
use apostille_core::memory::Name;
use apostille_tasks::report;
use apostille_text::secrets::masked;
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::about::{About, Body, Field, Shape};
use crate::visit::Asked;
use crate::wire::{self, Malformed};

/// The name that the door reads, and every call takes.
pub(super) const REPO: &str = "repo";
/// How much of a name is repeated that nobody knows, in characters.
const MAX_TOLD: usize = 60;

/// What was sent, by name.
pub(super) struct Args(Map<String, Value>);

impl Args {
    /// What a call was sent: only what it takes.
    pub(super) fn read(asked: &Asked, about: &About) -> Result<Self, Malformed> {
        let mut args = Self(queried(asked, about.query)?);
        if let Body::Fields(fields) = about.body {
            args.0.extend(sent(&asked.body, fields)?);
        }
        Ok(args)
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// A text.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, Malformed> {
        wire::text(name, self.take(name))
    }

    /// A text that must be there.
    pub(super) fn required(&mut self, name: &str) -> Result<String, Malformed> {
        wire::required(name, self.take(name))
    }

    /// Several texts, at most so many.
    pub(super) fn texts(&mut self, name: &str, most: usize) -> Result<Vec<String>, Malformed> {
        let items = wire::texts(name, self.take(name))?;
        if items.len() > most {
            Err(too_many(name, most))
        } else {
            Ok(items)
        }
    }

    /// Yes or no; no unless said.
    pub(super) fn flag(&mut self, name: &str) -> Result<bool, Malformed> {
        wire::flag(name, self.take(name))
    }

    /// The same, yes unless said.
    pub(super) fn flag_or_yes(&mut self, name: &str) -> Result<bool, Malformed> {
        self.take(name)
            .map_or(Ok(true), |it| wire::flag(name, Some(it)))
    }

    /// How many are asked for; from 1 up to what there may be.
    pub(super) fn limit(&mut self, default: usize, most: usize) -> Result<usize, Malformed> {
        match wire::number("limit", self.take("limit"))?.map(|it| it as usize) {
            None => Ok(default),
            Some(0) => Err(Malformed::new("limit", "ask for at least 1")),
            Some(it) if it > most => {
                Err(Malformed::new("limit", format!("ask for at most {most}")))
            }
            Some(it) => Ok(it),
        }
    }

    /// Something that is written as a text.
    pub(super) fn parsed<T>(&mut self, name: &str) -> Result<Option<T>, Malformed>
    where
        T: FromStr,
        T::Err: Display,
    {
        wire::parsed(name, self.take(name))
    }

    /// Several things that are written as texts, at most so many.
    pub(super) fn all<T>(&mut self, name: &str, most: usize) -> Result<Vec<T>, Malformed>
    where
        T: FromStr,
        T::Err: Display,
    {
        let one = |(at, text): (usize, String)| {
            text.trim()
                .parse()
                .map_err(|error| Malformed::new(format!("{name}[{at}]"), error))
        };
        self.texts(name, most)?
            .into_iter()
            .enumerate()
            .map(one)
            .collect()
    }

    /// Places such as `src/api.rs:12-18`.
    pub(super) fn cites(&mut self) -> Result<Vec<Cite>, Malformed> {
        wire::cites(self.take("citations"))
    }

    /// A time: a date, or how long ago.
    pub(super) fn time(
        &mut self,
        name: &str,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, Malformed> {
        let wrong = || Malformed::new(name, "expected 7d, 24h, 2w, a date or a time");
        self.text(name)?
            .map(|it| report::since(it.trim(), now).ok_or_else(wrong))
            .transpose()
    }

    /// A place in the log.
    pub(super) fn place(&mut self) -> Result<Option<u64>, Malformed> {
        let wrong = |_| Malformed::new("after", "expected what `next` said, a number");
        self.text("after")?
            .map(|it| it.trim().parse().map_err(wrong))
            .transpose()
    }

    /// The memory of this name.
    pub(super) fn name(&mut self, name: &str) -> Result<Name, Malformed> {
        wire::memory_name(name, self.take(name))
    }
}

fn too_many(name: &str, most: usize) -> Malformed {
    Malformed::new(name, format!("at most {most} at once"))
}

/// A name that nobody knows, and those there are.
fn unknown(what: &str, name: &str, known: &[Field], has_repo: bool) -> Malformed {
    let names = known
        .iter()
        .map(|it| it.name)
        .chain(has_repo.then_some(REPO));
    let names = names.collect::<Vec<_>>().join(", ");
    let known = if names.is_empty() {
        "there are none".into()
    } else {
        format!("there are: {names}")
    };
    let name: String = masked(name)
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_TOLD)
        .collect();
    Malformed::new(
        format!("{what} '{name}'"),
        format!("nobody knows it; {known}"),
    )
}

/// What stands behind the question mark. What was left empty was not said.
fn queried(asked: &Asked, known: &[Field]) -> Result<Map<String, Value>, Malformed> {
    let mut found: Map<String, Value> = Map::new();
    for (name, value) in asked.query.iter().filter(|it| it.0 != REPO) {
        let Some(field) = known.iter().find(|it| it.name == name) else {
            return Err(unknown("query", name, known, true));
        };
        if value.is_empty() {
            continue;
        }
        let is_list = matches!(field.shape, Shape::List(_) | Shape::Few(..));
        match found.get_mut(name) {
            Some(Value::Array(items)) => items.push(value.clone().into()),
            Some(_) => return Err(Malformed::new(name, "it is said twice")),
            None if is_list => drop(found.insert(name.clone(), vec![value.clone()].into())),
            None => drop(found.insert(name.clone(), value.clone().into())),
        }
    }
    Ok(found)
}

/// What was sent as an object; nothing at all is an empty one.
fn sent(body: &[u8], known: &[Field]) -> Result<Map<String, Value>, Malformed> {
    if body.trim_ascii().is_empty() {
        return Ok(Map::new());
    }
    let value = serde_json::from_slice(body)
        .map_err(|it| Malformed::new("body", format!("no JSON: {it}")))?;
    let Value::Object(object) = value else {
        return Err(Malformed::new("body", "expected an object"));
    };
    let is_unknown = |name: &&String| known.iter().all(|it| it.name != **name);
    match object.keys().find(is_unknown) {
        Some(name) => Err(unknown("field", name, known, false)),
        None => Ok(object),
    }
}
