//! The literals of a fact – identifiers, numbers, quoted strings, paths – and whether a text says them.
//!
//! A fact is *grounded* when the code it cites says what it says. Words can be put in many ways; literals cannot, so
//! they are what is compared. Few false alarms matter more than every catch: a number may be written in another unit, a
//! name in another dress, and most of what is not found is let pass.

mod chars;
mod comparison;
mod find;
mod number;
mod scan;
mod scanned_text;

use find::find_literals;
use std::{cell::LazyCell, collections::BTreeSet};

use comparison::EvidenceComparison;
use scanned_text::ScannedText;

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

/// The literals of a fact. Ordinary words are none, nor are numbers that only count, order, date or refer.
pub fn extract_literals(fact: &str) -> BTreeSet<Literal> {
    let found = find_literals(fact).into_iter();
    found.map(|it| it.literal).collect()
}

/// Whether a text says a literal: as a whole, in whatever dress.
pub fn is_literal_in_text(literal: &Literal, text: &str) -> bool {
    ScannedText::from_text(text).has_literal(literal)
}

/// What a fact states and its evidence – each a path and the lines cited there – does not say, in the fact's order;
/// empty when the fact is grounded.
///
/// A fact is not grounded when it has literals and none of them stands in the evidence, or when the evidence has
/// another value in the place of one that the fact states: "`MAX_RETRIES` is 5", where the code says 3. A fact without
/// literals, or without evidence, is not judged.
#[must_use]
pub fn find_ungrounded_literals(fact: &str, evidence: &[(&str, &str)]) -> Vec<String> {
    let is_quoted = |(_, snippet): &(&str, &str)| snippet.contains(fact.trim());
    if evidence.is_empty() || evidence.iter().any(is_quoted) {
        return Vec::new();
    }
    let found = find_literals(fact);
    let texts = evidence.iter().flat_map(|it| [it.0, it.1]);
    let said = LazyCell::new(|| texts.map(ScannedText::from_text).collect::<Vec<_>>());
    let is_said = |literal| said.iter().any(|text| text.has_literal(literal));
    let mut unsaid: Vec<_> = found.iter().filter(|it| !is_said(&it.literal)).collect();
    if unsaid.len() < found.len() {
        // Most facts say nothing that is not found; the lines are read only for those that do.
        let places = LazyCell::new(|| EvidenceComparison::new(fact, &found, evidence));
        unsaid.retain(|it| places.has_conflicting_value(it));
    }
    collect_distinct_literals(unsaid.into_iter().map(|it| &it.literal))
}

/// The literals of a fact that stood in what it cited (`was`) and stand no longer in what is there today (`now`), in
/// the fact's order: what the code has taken back.
pub fn find_contradicted_literals(fact: &str, was: &str, now: &str) -> Vec<String> {
    let found = find_literals(fact);
    let (was, now) = (ScannedText::from_text(was), ScannedText::from_text(now));
    let is_taken_back = |it: &&Literal| was.has_literal(it) && !now.has_literal(it);
    collect_distinct_literals(found.iter().map(|it| &it.literal).filter(is_taken_back))
}

fn collect_distinct_literals<'a>(literals: impl Iterator<Item = &'a Literal>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    literals
        .map(Literal::as_str)
        .filter(|it| seen.insert(*it))
        .map(str::to_owned)
        .collect()
}
