//! What a find must be able to show.

use std::collections::BTreeSet;

use super::answer::ExtractionItem;
use super::prompt::SentTurn;
use crate::extract::ExtractedStatement;
use apostille_text::literals::{extract_literals, is_literal_in_text};
use apostille_text::terms::{extract_query_terms, extract_terms};
use apostille_text::{moderate, secrets};

/// Words, as terms, that a fact is framed with and that are evidence of nothing.
const FRAME: [&str; 8] = [
    "user", "person", "agent", "project", "prefer", "want", "use", "should",
];

/// What finds are held against.
pub(super) struct ExtractionEvidence<'a> {
    sent: &'a [SentTurn],
    known: Vec<BTreeSet<String>>,
    longest: usize,
}

impl<'a> ExtractionEvidence<'a> {
    pub(super) fn new(sent: &'a [SentTurn], known: &[String], longest: usize) -> Self {
        Self {
            sent,
            known: known.iter().map(|it| collect_distinct_terms(it)).collect(),
            longest,
        }
    }

    /// The find, if everything about it stands.
    pub(super) fn prove_item(&self, item: ExtractionItem) -> Option<ExtractedStatement> {
        let sort = item.sort.parse().ok()?;
        let at = self
            .sent
            .iter()
            .position(|it| it.is_person && it.number == item.turn)?;
        let is_proven = self.is_sound_fact(&item.fact)
            && self.is_new_fact(&item.fact)
            && is_quoted_from_turn(&item.quote, &self.sent[at].text)
            && has_quoted_term(&item.fact, &item.quote)
            && self.has_said_literals(&item.fact, at);
        is_proven.then_some(ExtractedStatement {
            fact: item.fact,
            sort,
            turn: item.turn,
        })
    }

    /// Whether it is a sentence that could be kept as it is.
    fn is_sound_fact(&self, fact: &str) -> bool {
        !fact.trim().is_empty()
            && fact.chars().count() <= self.longest
            && !fact.contains(char::is_control)
            && moderate::neutralise_text(fact) == fact
            && secrets::find_secret(fact).is_none()
    }

    /// Whether it is not known in these very words, in whatever order and form.
    fn is_new_fact(&self, fact: &str) -> bool {
        !self.known.contains(&collect_distinct_terms(fact))
    }

    /// Whether every name, number, path and quotation in the fact comes from the turn itself or from the agent's turn
    /// that it answers.
    fn has_said_literals(&self, fact: &str, at: usize) -> bool {
        let before = self.sent[..at]
            .last()
            .filter(|it| !it.is_person)
            .map_or("", |it| it.text.as_str());
        extract_literals(fact)
            .iter()
            .all(|it| is_literal_in_text(it, &self.sent[at].text) || is_literal_in_text(it, before))
    }
}

/// The words of a text, each once, in one form.
fn collect_distinct_terms(text: &str) -> BTreeSet<String> {
    extract_terms(text)
        .into_iter()
        .map(|(term, _)| term)
        .collect()
}

/// Whether these words stand in the text, up to spacing and case, and are not cut out of longer ones.
fn is_quoted_from_turn(quote: &str, text: &str) -> bool {
    let (quote, text) = (fold_spacing_and_case(quote), fold_spacing_and_case(text));
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

fn fold_spacing_and_case(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

/// Whether a fact has a word of the quote in it that says something.
fn has_quoted_term(fact: &str, quote: &str) -> bool {
    let quoted = collect_distinct_terms(quote);
    let is_telling = |term: &str| !FRAME.contains(&term) && quoted.contains(term);
    extract_query_terms(fact)
        .iter()
        .any(|it| it.is_content && is_telling(&it.term))
}
