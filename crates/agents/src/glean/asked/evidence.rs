//! What a find must be able to show.

use std::collections::BTreeSet;

use super::answer::Item;
use super::prompt::Sent;
use crate::glean::Gleaned;
use apostille_text::literals::{literals, stands};
use apostille_text::terms::{question, terms};
use apostille_text::{moderate, secrets};

/// Words, as terms, that a fact is framed with and that are evidence of nothing.
const FRAME: [&str; 8] = [
    "user", "person", "agent", "project", "prefer", "want", "use", "should",
];

/// What finds are held against.
pub(super) struct Evidence<'a> {
    sent: &'a [Sent],
    known: Vec<BTreeSet<String>>,
    longest: usize,
}

impl<'a> Evidence<'a> {
    pub(super) fn new(sent: &'a [Sent], known: &[String], longest: usize) -> Self {
        Self {
            sent,
            known: known.iter().map(|it| words(it)).collect(),
            longest,
        }
    }

    /// The find, if everything about it stands.
    pub(super) fn judge(&self, item: Item) -> Option<Gleaned> {
        let sort = item.sort.parse().ok()?;
        let at = self
            .sent
            .iter()
            .position(|it| it.is_person && it.number == item.turn)?;
        let is_proven = self.is_sound(&item.fact)
            && self.is_news(&item.fact)
            && is_quoted(&item.quote, &self.sent[at].text)
            && speaks_of(&item.fact, &item.quote)
            && self.has_said_all(&item.fact, at);
        is_proven.then_some(Gleaned {
            fact: item.fact,
            sort,
            turn: item.turn,
        })
    }

    /// Whether it is a sentence that could be kept as it is.
    fn is_sound(&self, fact: &str) -> bool {
        !fact.trim().is_empty()
            && fact.chars().count() <= self.longest
            && !fact.contains(char::is_control)
            && moderate::neutralised(fact) == fact
            && secrets::find(fact).is_none()
    }

    /// Whether it is not known in these very words, in whatever order and form.
    fn is_news(&self, fact: &str) -> bool {
        !self.known.contains(&words(fact))
    }

    /// Whether every name, number, path and quotation in the fact comes from the turn itself or from the agent's turn
    /// that it answers.
    fn has_said_all(&self, fact: &str, at: usize) -> bool {
        let before = self.sent[..at]
            .last()
            .filter(|it| !it.is_person)
            .map_or("", |it| it.text.as_str());
        literals(fact)
            .iter()
            .all(|it| stands(it, &self.sent[at].text) || stands(it, before))
    }
}

/// The words of a text, each once, in one form.
fn words(text: &str) -> BTreeSet<String> {
    terms(text).into_iter().map(|(term, _)| term).collect()
}

/// Whether these words stand in the text, up to spacing and case, and are not cut out of longer ones.
fn is_quoted(quote: &str, text: &str) -> bool {
    let (quote, text) = (folded(quote), folded(text));
    let is_cut = |at: usize| {
        let is_letter = |c: Option<char>| c.is_some_and(|it| it.is_ascii_alphanumeric());
        let (before, after) = (
            text[..at].chars().next_back(),
            text[at + quote.len()..].chars().next(),
        );
        is_letter(before) && is_letter(quote.chars().next())
            || is_letter(after) && is_letter(quote.chars().next_back())
    };
    !quote.is_empty() && text.match_indices(&quote).any(|(at, _)| !is_cut(at))
}

fn folded(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

/// Whether a fact has a word of the quote in it that says something.
fn speaks_of(fact: &str, quote: &str) -> bool {
    let quoted = words(quote);
    let is_telling = |term: &str| !FRAME.contains(&term) && quoted.contains(term);
    question(fact)
        .iter()
        .any(|it| it.is_content && is_telling(&it.term))
}
