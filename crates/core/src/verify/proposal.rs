//! What could take the place of a memory whose code has changed: a draft, for a person or an agent to accept.

use super::VerifiedMemory;
use crate::standing_text::StandingView;
use apostille_cite::{
    citation::{Citation, CodeLocation},
    follow,
    standing::{Standing, is_closed_fact},
    verdict::Verdict,
};
use apostille_text::literals::list_literals;

/// A replacement as it is proposed. Nothing is written until somebody accepts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacementProposal {
    /// The memory to replace, by its handle.
    pub handle: String,
    /// The fact, with what the code says now in place of what it said.
    pub fact: String,
    /// What was put in place of what, in the fact.
    pub swapped: Vec<(String, String)>,
    /// Where the evidence stands now.
    pub cites: Vec<CodeLocation>,
}

/// The draft for a memory whose code has changed; `None` when nothing is wrong with it, when something could not be
/// looked up, or when nothing is left to cite.
pub fn propose_replacement(it: &VerifiedMemory) -> Option<ReplacementProposal> {
    if !needs_decision(it) {
        return None;
    }
    let cites = StandingView::from(it).list_places();
    let (fact, swapped) = reword_changed_fact(it);
    (!cites.is_empty()).then(|| ReplacementProposal {
        handle: it.memory.handle().to_string(),
        fact,
        swapped,
        cites,
    })
}

/// Whether somebody has to decide about a memory: its code was edited or speaks against it, and all of it could be read.
#[must_use]
pub fn needs_decision(it: &VerifiedMemory) -> bool {
    let is_unknown = |it: &Verdict| matches!(it, Verdict::Unknown { .. });
    let is_edited = it.verdicts.iter().any(|it| *it != Verdict::Holds);
    let is_to_check = it.standing() == Standing::Check && !it.is_outranked && is_edited;
    (it.is_bad() || is_to_check) && !it.verdicts.iter().any(is_unknown)
}

/// Whether a memory may be put on the lines as they are now without a person's look, if those say its literals: nothing
/// speaks against it, and it has literals. A claim that a list is whole needs more than that.
#[must_use]
pub fn is_confirmable_unasked(it: &VerifiedMemory) -> bool {
    needs_decision(it)
        && it.standing() == Standing::Check
        && it.judgement.missing.is_empty()
        && !is_closed_fact(&it.memory.fact)
        && !list_literals(&it.memory.fact).is_empty()
        && !StandingView::from(it).list_places().is_empty()
}

/// The fact with each word replaced that the code replaced one for one, if the code no longer says the old one.
fn reword_changed_fact(it: &VerifiedMemory) -> (String, Vec<(String, String)>) {
    let mut fact = it.memory.fact.clone();
    let mut swapped = Vec::new();
    for (citation, verdict) in it.memory.citations.iter().zip(&it.verdicts) {
        for (old, new) in list_replaced_words(it, citation, verdict) {
            if let Some(text) = replace_whole_word(&fact, &old, &new) {
                fact = text;
                swapped.push((old, new));
            }
        }
    }
    (fact, swapped)
}

/// What the code says now in place of words that it no longer says.
fn list_replaced_words(
    it: &VerifiedMemory,
    citation: &Citation,
    verdict: &Verdict,
) -> Vec<(String, String)> {
    let now = match verdict {
        Verdict::Changed(found) => &found.now,
        // The lines are gone, and the item was found elsewhere.
        Verdict::Gone { .. } => match &it.judgement.now {
            Some(now) => now,
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let mut replaced = follow::find_replaced_words(&citation.snippet, now);
    replaced.retain(|(old, _)| match verdict {
        Verdict::Changed(found) => found.contradicted.iter().any(|it| it.contains(old)),
        _ => replace_whole_word(now, old, "").is_none(),
    });
    replaced
}

/// A text with a whole word replaced wherever it stands; `None` when it stands nowhere.
fn replace_whole_word(text: &str, old: &str, new: &str) -> Option<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_found = false;
    while let Some(at) = rest.find(old) {
        let (before, after) = (&rest[..at], &rest[at + old.len()..]);
        let is_whole = !before.ends_with(is_word) && !after.starts_with(is_word);
        out += before;
        out += if is_whole { new } else { old };
        is_found |= is_whole;
        rest = after;
    }
    is_found.then(|| out + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_replaced() {
        let check = |text: &str, old: &str, new: &str, expected: Option<&str>| {
            assert_eq!(
                replace_whole_word(text, old, new).as_deref(),
                expected,
                "{text} {old}"
            );
        };
        check(
            "Retries stop after 5 attempts",
            "5",
            "7",
            Some("Retries stop after 7 attempts"),
        );
        check("15 tries in v5", "5", "7", None);
        check("`MAX` is MAX", "MAX", "LIMIT", Some("`LIMIT` is LIMIT"));
    }
}
