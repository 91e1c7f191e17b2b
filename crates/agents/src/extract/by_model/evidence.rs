//! What a find must be able to show.

use std::collections::BTreeSet;

use super::{answer::ExtractionItem, prompt::SentTurn};
use crate::extract::{ExtractedStatement, remembered::collect_distinct_terms};
use apostille_text::{
    literals::{extract_literals, is_literal_in_text},
    moderate,
    quotes::is_quoted_from,
    secrets,
    terms::extract_query_terms,
};

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
        let ExtractionItem {
            fact, turn, quote, ..
        } = item;
        let mut sent = self.sent.iter();
        let at = sent.position(|it| it.is_person && it.number == turn)?;
        // It is not known in these very words, in whatever order and form.
        let is_proven = self.is_sound_fact(&fact)
            && !self.known.contains(&collect_distinct_terms(&fact))
            && is_quoted_from(&quote, &self.sent[at].text)
            && has_quoted_term(&fact, &quote)
            && self.has_said_literals(&fact, at);
        is_proven.then_some(ExtractedStatement { fact, sort, turn })
    }

    /// Whether it is a sentence that could be kept as it is.
    fn is_sound_fact(&self, fact: &str) -> bool {
        !fact.trim().is_empty()
            && fact.chars().count() <= self.longest
            && !fact.contains(char::is_control)
            && moderate::neutralise_text(fact) == fact
            && secrets::find_secret(fact).is_none()
    }

    /// Whether every name, number, path and quotation in the fact comes from the turn itself or from the agent's turn
    /// that it answers.
    fn has_said_literals(&self, fact: &str, at: usize) -> bool {
        let before = self.sent[..at].last().filter(|it| !it.is_person);
        let said = || before.into_iter().chain([&self.sent[at]]);
        let is_said = |it| said().any(|turn| is_literal_in_text(it, &turn.text));
        extract_literals(fact).iter().all(is_said)
    }
}

/// Whether a fact has a word of the quote in it that says something.
fn has_quoted_term(fact: &str, quote: &str) -> bool {
    let quoted = collect_distinct_terms(quote);
    let is_telling = |term: &str| !FRAME.contains(&term) && quoted.contains(term);
    extract_query_terms(fact)
        .iter()
        .any(|it| it.is_content() && is_telling(&it.term))
}
