//! The literals of a fact – identifiers, numbers, quoted strings, paths – and whether a text says them.
//!
//! A fact is *grounded* when the code it cites says what it says. Words can be put in many ways; literals cannot, so
//! they are what is compared. Few false alarms matter more than every catch: a number may be written in another unit, a
//! name in another dress, and most of what is not found is let pass.

mod chars;
mod comparison;
mod find;
mod number;
mod prose;
mod scan;
mod scanned_text;
mod statements;

use find::{FoundLiteral, find_literals};
use std::{cell::LazyCell, collections::BTreeSet};

use comparison::EvidenceComparison;
use scanned_text::ScannedText;
pub use statements::find_unproven_statements;

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
    /// Whether it is a value, and no name or path.
    #[must_use]
    pub fn is_value(&self) -> bool {
        matches!(self, Self::Number(_) | Self::Value(_) | Self::Quoted(_))
    }

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

/// The literals of a fact in its order, each once, and the truth values that it states: "defaults to False".
#[must_use]
pub fn list_literals(fact: &str) -> Vec<Literal> {
    let mut seen = BTreeSet::new();
    let found = find_literals(fact).into_iter().map(|it| match it.literal {
        // A flag is declared without its dashes.
        Literal::Name(name) => Literal::Name(name.trim_start_matches("--").to_owned()),
        other => other,
    });
    let stated = find_stated_constants(fact).map(|it| Literal::Value(it.to_owned()));
    found
        .chain(stated)
        .filter(|it| seen.insert(it.clone()))
        .collect()
}

/// The constants that every language writes as words, where a fact states one as a value.
fn find_stated_constants(fact: &str) -> impl Iterator<Item = &str> {
    let words: Vec<&str> = fact
        .split(|it: char| it.is_whitespace() || matches!(it, ',' | ';' | '.'))
        .filter(|it| !it.is_empty())
        .collect();
    let is_constant = |it: &str| {
        matches!(
            it,
            "true" | "false" | "True" | "False" | "None" | "null" | "nil"
        )
    };
    let is_verb = |it: &str| matches!(it, "is" | "to" | "be" | "returns" | "=" | "are" | "was");
    let stated = words
        .windows(2)
        .filter(|it| is_verb(it[0]) && is_constant(it[1]));
    stated.map(|it| it[1]).collect::<Vec<_>>().into_iter()
}

/// Which of these literals a text says whole: a quoted text with all its words, a number as itself (`2` is not said by
/// `2.1`), a name as a word of its own.
///
/// Stricter than [`is_literal_in_text`], which asks whether a fact may have been read from a text. This asks whether a
/// text still says it, where half of an error message is another message.
#[must_use]
pub fn match_whole_literals(literals: &[Literal], text: &str) -> Vec<bool> {
    let scanned = ScannedText::from_text(text);
    literals
        .iter()
        .map(|it| scanned.has_whole_literal(it))
        .collect()
}

/// What a fact states and its evidence – each a path and the lines cited there – does not say, in the fact's order;
/// empty when the fact is grounded.
///
/// A fact is not grounded when it has literals and none of them stands in the evidence, or when the evidence has
/// another value in the place of one that the fact states: "`MAX_RETRIES` is 5", where the code says 3. A fact without
/// literals, or without evidence, is not judged, nor is one whose literals only help the prose along: `healthy or "up"`,
/// "including 0's".
#[must_use]
pub fn find_ungrounded_literals(fact: &str, evidence: &[(&str, &str)]) -> Vec<String> {
    find_ungrounded_statement(None, fact, evidence)
}

/// The same for a fact that says what it is about. Where the lines define just that, a name that the fact mentions besides
/// need not stand in them: "`emits` should be defined via `defineEmits()`".
#[must_use]
pub fn find_ungrounded_statement(
    subject: Option<&str>,
    fact: &str,
    evidence: &[(&str, &str)],
) -> Vec<String> {
    let is_quoted = |(_, snippet): &(&str, &str)| snippet.contains(fact.trim());
    if evidence.is_empty() || evidence.iter().any(is_quoted) {
        return Vec::new();
    }
    let found = find_literals(fact);
    let texts = evidence.iter().flat_map(|it| [it.0, it.1]);
    let said = LazyCell::new(|| texts.map(ScannedText::from_text).collect::<Vec<_>>());
    let is_said = |literal| said.iter().any(|text| text.has_literal(literal));
    let mut unsaid: Vec<_> = found.iter().filter(|it| !is_said(&it.literal)).collect();
    let is_about_lines = || {
        let has_topic = |it: &str| said.iter().any(|text| text.has_identifier(it));
        subject.is_some_and(has_topic) || prose::first_word(fact).is_some_and(has_topic)
    };
    let is_told_otherwise = unsaid.len() < found.len()
        || unsaid.iter().all(|it| prose::is_in_passing(fact, it))
        || (unsaid.iter().all(|it| prose::is_mentioned(fact, it)) && is_about_lines());
    if is_told_otherwise {
        // Most facts say nothing that is not found; the lines are read only for those that do.
        let places = LazyCell::new(|| EvidenceComparison::new(fact, &found, evidence));
        unsaid.retain(|it| places.has_conflicting_value(it));
    }
    collect_distinct_literals(unsaid.into_iter().map(|it| &it.literal))
}

/// The line, counted from 1, nearest to `cited` that says everything the cited lines do not, and speaks of the same thing;
/// `None` where no line does.
pub fn find_line_that_says(
    fact: &str,
    unsaid: &[String],
    text: &str,
    cited: (usize, usize),
) -> Option<usize> {
    let found = find_literals(fact);
    let is_unsaid = |it: &&FoundLiteral| unsaid.iter().any(|other| other == it.literal.as_str());
    let (wanted, others): (Vec<_>, Vec<_>) = found.iter().partition(is_unsaid);
    let words = prose::list_telling_words(fact);
    let says = |line: &str| {
        let line = ScannedText::from_text(line);
        let has_topic = others.iter().any(|it| line.has_literal(&it.literal))
            || words.iter().any(|it| line.has_word_part(it));
        wanted.iter().all(|it| line.has_literal(&it.literal)) && has_topic
    };
    let distance = |n: usize| cited.0.saturating_sub(n).max(n.saturating_sub(cited.1));
    let lines = text.lines().zip(1..).filter(|(line, _)| says(line));
    let nearest = lines.map(|it| it.1).min_by_key(|n| distance(*n));
    nearest.filter(|_| !wanted.is_empty())
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
