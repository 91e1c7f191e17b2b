//! What could take the place of a memory whose code has changed: a draft, for a person or an agent to accept.

use super::VerifiedMemory;
use apostille_cite::{
    citation::{Citation, CodeLocation},
    follow,
    verdict::Verdict,
};

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
    let is_unknown = |it: &Verdict| matches!(it, Verdict::Unknown { .. });
    if !it.is_bad() || it.verdicts.iter().any(is_unknown) {
        return None;
    }
    let pairs = it.memory.citations.iter().zip(&it.verdicts);
    let place = |(citation, verdict): (&Citation, &Verdict)| match verdict {
        Verdict::Holds => Some(citation.location()),
        Verdict::Moved { to } => Some(to.clone()),
        Verdict::Changed(found) => Some(found.at.clone()),
        Verdict::Gone { .. } | Verdict::Unknown { .. } => None,
    };
    let cites: Vec<CodeLocation> = pairs.filter_map(place).collect();
    let (fact, swapped) = reword_changed_fact(it);
    (!cites.is_empty()).then(|| ReplacementProposal {
        handle: it.memory.handle().to_string(),
        fact,
        swapped,
        cites,
    })
}

/// The fact with each word replaced that the code replaced one for one, if the code no longer says the old one.
fn reword_changed_fact(it: &VerifiedMemory) -> (String, Vec<(String, String)>) {
    let mut fact = it.memory.fact.clone();
    let mut swapped = Vec::new();
    for (citation, verdict) in it.memory.citations.iter().zip(&it.verdicts) {
        let Verdict::Changed(found) = verdict else {
            continue;
        };
        for (old, new) in follow::find_replaced_words(&citation.snippet, &found.now) {
            let is_named = found.contradicted.iter().any(|it| it.contains(&old));
            if let Some(text) = replace_whole_word(&fact, &old, &new).filter(|_| is_named) {
                fact = text;
                swapped.push((old, new));
            }
        }
    }
    (fact, swapped)
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
