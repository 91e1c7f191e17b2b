//! The literals of a fact – identifiers, numbers, quoted strings, paths – and whether a text says them.
//!
//! A fact is *grounded* when the code it cites says what it says. Words can be put in many ways; literals cannot, so
//! they are what is compared. Few false alarms matter more than every catch: a number may be written in another unit, a
//! name in another dress, and most of what is not found is let pass.

mod chars;
mod find;
mod number;
mod place;
mod said;
mod scan;

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::fmt;

use place::Places;
use said::Said;

/// Something a fact says that code would say in the same way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Literal {
    /// An identifier, plain or dotted: `MAX_RETRIES`, `Foo::bar`.
    Name(String),
    /// A number with its unit, or a version: `30 s`, `1.91.0`, `v3`.
    Number(String),
    /// A file or folder: `src/api.rs`.
    Path(String),
    /// More than one word in quotes or backticks: a command, an expression.
    Quoted(String),
    /// One word in quotes: a value.
    Value(String),
}

impl Literal {
    /// It as the fact writes it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Name(it)
            | Self::Number(it)
            | Self::Path(it)
            | Self::Quoted(it)
            | Self::Value(it) => it,
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The literals of a fact. Ordinary words are none, nor are numbers that only count, order, date or refer.
#[must_use]
pub fn literals(fact: &str) -> BTreeSet<Literal> {
    find::find(fact).into_iter().map(|it| it.literal).collect()
}

/// Whether a text says a literal: as a whole, in whatever dress.
#[must_use]
pub fn stands(literal: &Literal, text: &str) -> bool {
    Said::of(text).says(literal)
}

/// What a fact states and its evidence – each a path and the lines cited there – does not say, in the fact's order;
/// empty when the fact is grounded.
///
/// A fact is not grounded when it has literals and none of them stands in the evidence, or when the evidence has
/// another value in the place of one that the fact states: "`MAX_RETRIES` is 5", where the code says 3. A fact without
/// literals, or without evidence, is not judged.
#[must_use]
pub fn missing(fact: &str, evidence: &[(&str, &str)]) -> Vec<String> {
    let is_quoted = evidence
        .iter()
        .any(|(_, snippet)| snippet.contains(fact.trim()));
    let found = if evidence.is_empty() || is_quoted {
        Vec::new()
    } else {
        find::find(fact)
    };
    if found.is_empty() {
        return Vec::new();
    }
    let said: Vec<Said<'_>> = evidence
        .iter()
        .flat_map(|it| [it.0, it.1])
        .map(Said::of)
        .collect();
    let unsaid: Vec<&find::Found> = found
        .iter()
        .filter(|it| !said.iter().any(|text| text.says(&it.literal)))
        .collect();
    let named = if unsaid.len() == found.len() {
        unsaid
    } else {
        // Most facts say nothing that is not found; the lines are read only for those that do.
        let places = LazyCell::new(|| Places::of(fact, &found, evidence));
        unsaid
            .into_iter()
            .filter(|it| places.say_otherwise(it))
            .collect()
    };
    distinct(named.into_iter().map(|it| &it.literal))
}

/// The literals of a fact that stood in what it cited (`was`) and stand no longer in what is there today (`now`), in
/// the fact's order: what the code has taken back.
#[must_use]
pub fn contradicted(fact: &str, was: &str, now: &str) -> Vec<String> {
    let found = find::find(fact);
    let (was, now) = (Said::of(was), Said::of(now));
    distinct(
        found
            .iter()
            .map(|it| &it.literal)
            .filter(|it| was.says(it) && !now.says(it)),
    )
}

fn distinct<'a>(literals: impl Iterator<Item = &'a Literal>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    literals
        .map(Literal::as_str)
        .filter(|it| seen.insert(*it))
        .map(str::to_owned)
        .collect()
}
