//! Which terms a text must be indexed under that contains another text, so that a search for a piece of text can ask an index.
//!
//! An index knows stems, and a search for "databases", "tabas" or "getUs" knows no borders of words. What a stemmer takes away
//! is an ending. So of a fragment of a word that part is kept in the word's stem which is left when everything is taken from
//! its end that may belong to an ending: of "databases" that is "databas", and a word that contains it has a term that
//! contains "databas". A name of several parts is indexed whole, too, and holds every fragment of itself.

use crate::terms::MAX_TERM_BYTES;

/// The shortest part that is worth asking an index for, in bytes.
const MIN_PART: usize = 3;
/// How long a term may be that was cut: what was cut off is not in it. A cut word is stemmed afterwards.
const CUT_TERM: usize = MAX_TERM_BYTES - 10;

/// The endings that the stemmer of English takes away or replaces, as they stand in a word or in what an earlier step left of it.
#[rustfmt::skip]
const ENDINGS: &[&str] = &[
    "at", "iz", "bl", "s", "es", "ed", "eed", "ing", "ly", "li", "y", "i", "e", "ies", "ied", "l",
    "tional", "ation", "ational", "ator", "izer", "ization", "ize", "al", "alism", "ality", "alities", "aliti",
    "ally", "alli", "alize", "ful", "fulness", "ness", "ous", "ousness", "ive", "iveness", "ivity", "ivities",
    "iviti", "ative", "bility", "bilities", "biliti", "ability", "abilities", "abiliti", "ibility", "ibilities", "ibiliti", "able", "ible", "ably", "ibly", "bly", "abli", "bli", "ogy", "ogi", "less",
    "ance", "ence", "ancy", "ency", "ancies", "encies", "anci", "enci", "anc", "enc", "er", "ic", "icate", "icity", "icities",
    "iciti", "ical", "ant", "ement", "ment", "ent", "ism", "ate", "ity", "ities", "iti", "ion",
];

/// The parts of terms that every text has which contains this one: a text whose terms lack one of them does not contain it.
/// `None` where nothing can be said of its terms.
pub fn find_kept_parts(text: &str) -> Option<Vec<String>> {
    if !text.is_ascii() {
        return None;
    }
    let text = text.to_ascii_lowercase();
    let runs = text.split(|c: char| !c.is_ascii_alphanumeric());
    let kept = runs.map(find_kept_part).filter(|it| it.len() >= MIN_PART);
    let mut parts: Vec<String> = kept.map(Into::into).collect();
    parts.sort();
    parts.dedup();
    (!parts.is_empty()).then_some(parts)
}

/// Whether a term may belong to a word that holds this part: it holds it, or it was cut.
pub fn may_hold_part(term: &str, part: &str) -> bool {
    term.len() >= CUT_TERM || term.contains(part)
}

/// The beginning of a fragment that is left in the term of every word that contains it.
fn find_kept_part(fragment: &str) -> &str {
    // A word that contains a fragment contains the beginning of it.
    let fragment = &fragment[..fragment.len().min(MAX_TERM_BYTES)];
    // What is not all letters is never stemmed.
    if fragment.bytes().any(|it| it.is_ascii_digit()) {
        return fragment;
    }
    // It may be the middle of an ending.
    if ENDINGS.iter().any(|it| it.contains(fragment)) {
        return "";
    }
    // How long it may be after some endings were taken away. The last may begin in the fragment and go on behind it.
    let is_begun = |at: usize| ENDINGS.iter().any(|it| it.starts_with(&fragment[at..]));
    let mut lengths: Vec<bool> = (0..fragment.len()).map(is_begun).collect();
    lengths.push(true);
    for len in (1..=fragment.len()).rev() {
        if !lengths[len] {
            continue;
        }
        let rest = &fragment[..len];
        // The first ending may begin before the fragment.
        if ENDINGS.iter().any(|it| it.ends_with(rest)) {
            return "";
        }
        let ended = ENDINGS.iter().filter(|it| rest.ends_with(**it));
        for ending in ended {
            lengths[len - ending.len()] = true;
        }
        // `runn(ing)` becomes `run`.
        lengths[len - 1] |= matches!(rest.as_bytes(), [.., a, b] if a == b);
    }
    let shortest = lengths.iter().position(|it| *it);
    &fragment[..shortest.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::terms::extract_terms;

    /// Words in every form that the stemmer knows, built from stems and endings.
    fn list_words() -> Vec<String> {
        let stems = "connect run frequ nation oper databas commit";
        let twice = ["ed", "ing", "s", "ly", "ity"];
        let mut words = Vec::new();
        for stem in stems.split(' ') {
            for ending in ENDINGS {
                words.push(format!("{stem}{ending}"));
                words.extend(twice.map(|it| format!("{stem}{ending}{it}")));
            }
        }
        words
    }

    fn check_fragments_of(word: &str) {
        let terms = extract_terms(word);
        for from in 0..word.len() {
            for to in from + 1..=word.len() {
                for part in find_kept_parts(&word[from..to]).unwrap_or_default() {
                    assert!(
                        terms.iter().any(|it| may_hold_part(&it.0, &part)),
                        "{} in {word} keeps {part}, which is not in {terms:?}",
                        &word[from..to]
                    );
                }
            }
        }
    }

    #[test]
    fn terms_of_a_word_hold_what_its_fragments_keep() {
        list_words().iter().for_each(|it| check_fragments_of(it));
        let source = include_str!("terms.rs").split(|c: char| !c.is_ascii_alphanumeric());
        let words: BTreeSet<&str> = source.collect();
        words.into_iter().for_each(check_fragments_of);
    }

    #[test]
    fn fragments_keep_enough_to_ask_for() {
        let check = |text: &str, expected: Option<&[&str]>| {
            let found = find_kept_parts(text);
            let found: Option<Vec<&str>> = found
                .as_ref()
                .map(|it| it.iter().map(String::as_str).collect());
            assert_eq!(found.as_deref(), expected, "{text}");
        };
        check("databases", Some(&["databa"]));
        check("PostgreSQL", Some(&["postgresq"]));
        check("gres", None);
        check("MAX_UPLOAD is 10", Some(&["max", "upload"]));
        check("us-east-1", None);
        check("port 5432", Some(&["5432", "por"]));
        check("ation", None);
        check("äpfel", None);
        check("to", None);
    }
}
