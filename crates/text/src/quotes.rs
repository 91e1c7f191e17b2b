//! Words that somebody said as evidence for a fact: whether they stand in a text, and whether they say the fact.
//!
//! An agent that quotes its user may quote "ok, do it" for anything. So a quote proves a fact only where it has what the fact
//! has: its literals, two thirds of the words that carry it, and the same side of a negation. What a quote does not clearly say
//! is for a person to decide.

use std::collections::BTreeSet;

use crate::{
    literals::{extract_literals, is_literal_in_text},
    terms::{extract_query_terms, extract_terms},
    word_lists::is_in_word_list,
};

/// Words, as terms, that a fact is framed with and that are evidence of nothing.
const FRAME: &str = "user person agent project repository prefer want like wish use should must need always here we they \
    their them our have be";
/// Words that negate.
const NEGATIONS: &str = "not no never don't dont doesn't doesnt didn't cannot can't cant won't wont isn't aren't without avoid stop nor";
/// Words that set one thing against another without negating the whole: "tabs, not spaces".
const CONTRASTS: [&str; 4] = ["instead of", "rather than", "and not", ", not"];

/// Whether these words stand in the text, up to spacing and case, and are not cut out of longer ones.
#[must_use]
pub fn is_quoted_from(quote: &str, text: &str) -> bool {
    let (quote, text) = (fold_spacing_and_case(quote), fold_spacing_and_case(text));
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    let is_cut = |at: usize| {
        text[..at].ends_with(is_letter) && quote.starts_with(is_letter)
            || text[at + quote.len()..].starts_with(is_letter) && quote.ends_with(is_letter)
    };
    !quote.is_empty() && text.match_indices(&quote).any(|(at, _)| !is_cut(at))
}

fn fold_spacing_and_case(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// Whether a quote says what a fact says.
#[must_use]
pub fn is_said_by_quote(fact: &str, quote: &str) -> bool {
    let literals = extract_literals(fact);
    let told = collect_telling_terms(fact);
    let said: BTreeSet<String> = extract_terms(quote).into_iter().map(|it| it.0).collect();
    let n_shared = told.iter().filter(|it| said.contains(*it)).count();
    n_shared > 0
        && 3 * n_shared >= 2 * told.len()
        && is_negated(fact) == is_negated(quote)
        && literals.iter().all(|it| is_literal_in_text(it, quote))
}

/// The terms that carry a fact: not those that every such sentence has.
fn collect_telling_terms(fact: &str) -> BTreeSet<String> {
    let terms = extract_query_terms(fact).into_iter();
    // Two neighbours asked for as one word are no third word.
    let words: BTreeSet<String> = extract_terms(fact).into_iter().map(|it| it.0).collect();
    terms
        .filter(|it| it.is_content && words.contains(&it.term))
        .map(|it| it.term)
        .filter(|it| !is_in_word_list(FRAME, it))
        .collect()
}

fn is_negated(text: &str) -> bool {
    let mut text = fold_spacing_and_case(text).replace('’', "'");
    for contrast in CONTRASTS {
        text = text.replace(contrast, " ");
    }
    let is_letter = |c: char| c.is_alphanumeric() || c == '\'';
    let mut words = text.split(|c| !is_letter(c));
    words.any(|it| is_in_word_list(NEGATIONS, it) && !it.is_empty())
}

/// Words that ask for something to be removed from memory.
const REMOVING: &str = "forget delete remove erase drop discard unlearn vergiss vergesse lösche entferne streiche oublie \
    oubliez supprime supprimez efface effacez olvida borra elimina esqueça apague remova dimentica cancella rimuovi";
/// Words that say that something is not so any more.
const UNTRUE: &str =
    "wrong outdated obsolete stale invalid untrue falsch veraltet faux obsolète falso";
const UNTRUE_PHRASES: [&str; 6] = [
    "no longer",
    "not true",
    "isn't true",
    "not valid",
    "any more",
    "anymore",
];
/// How a request is put as a question.
const POLITE: [&str; 5] = ["please", "can you", "could you", "would you", "will you"];
/// How many words before a verb may negate it: "don't you ever forget".
const NEGATING_REACH: usize = 3;

/// What somebody may ask to be done to a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryRequest {
    /// It is to be erased.
    Remove,
    /// It is to be erased, or is said to be wrong.
    Reject,
}

/// The sentence in which somebody asks for this to be done to a memory, named by its handle or by what it says. Nothing less
/// than the name or two thirds of its telling words will do: "forget it" asks for anything.
#[must_use]
pub fn find_request_quote<'t>(
    request: MemoryRequest,
    handle: &str,
    fact: &str,
    text: &'t str,
    longest: usize,
) -> Option<&'t str> {
    let mut sentences = text.split_inclusive(['.', '!', '?', '\n', ';']);
    let asks = |it: &&str| {
        it.chars().count() <= longest
            && is_requested(request, it)
            && (names_handle(it, handle) || has_most_terms(fact, it))
    };
    sentences.find(asks).map(str::trim)
}

/// Whether a text speaks of what a fact speaks of: it names its handle, or shares a telling word with it.
#[must_use]
pub fn is_about_fact(text: &str, handle: &str, fact: &str) -> bool {
    let said: BTreeSet<String> = extract_terms(text).into_iter().map(|it| it.0).collect();
    names_handle(text, handle) || !collect_telling_terms(fact).is_disjoint(&said)
}

fn names_handle(text: &str, handle: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    text.split(|c| !is_part(c))
        .any(|it| it.eq_ignore_ascii_case(handle))
}

fn has_most_terms(fact: &str, text: &str) -> bool {
    let told = collect_telling_terms(fact);
    let said: BTreeSet<String> = extract_terms(text).into_iter().map(|it| it.0).collect();
    let n_shared = told.intersection(&said).count();
    n_shared > 0 && 3 * n_shared >= 2 * told.len()
}

fn is_requested(request: MemoryRequest, sentence: &str) -> bool {
    let text = fold_spacing_and_case(sentence).replace('’', "'");
    if text.ends_with('?') && !POLITE.iter().any(|it| text.contains(it)) {
        return false;
    }
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|it| !it.is_empty())
        .collect();
    let is_negated_at = |at: usize| {
        let before = &words[at.saturating_sub(NEGATING_REACH)..at];
        before.iter().any(|it| is_in_word_list(NEGATIONS, it))
    };
    let has_verb = |list: &str| {
        let mut found = words.iter().enumerate();
        found.any(|(at, it)| is_in_word_list(list, it) && !is_negated_at(at))
    };
    let is_called_untrue = || has_verb(UNTRUE) || UNTRUE_PHRASES.iter().any(|it| text.contains(it));
    has_verb(REMOVING) || request == MemoryRequest::Reject && is_called_untrue()
}

/// The shortest part of what somebody said that says a fact: a sentence, or all of it where it is short.
#[must_use]
pub fn find_saying_quote<'t>(fact: &str, text: &'t str, longest: usize) -> Option<&'t str> {
    let fits = |it: &&str| it.chars().count() <= longest && is_said_by_quote(fact, it);
    let mut sentences = text
        .split_inclusive(['.', '!', '?', '\n', ';'])
        .map(str::trim);
    sentences
        .find(fits)
        .or_else(|| Some(text.trim()).filter(fits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_found_whole() {
        let check = |quote: &str, text: &str, expected: bool| {
            assert_eq!(is_quoted_from(quote, text), expected, "{quote} / {text}");
        };
        check("use  Tabs", "please use tabs here", true);
        check("use tab", "please use tabs here", false);
        check("", "anything", false);
    }

    #[test]
    fn quotes_say_a_fact_or_do_not() {
        let check = |fact: &str, quote: &str, expected: bool| {
            assert_eq!(is_said_by_quote(fact, quote), expected, "{fact} / {quote}");
        };
        check("the user prefers tabs", "please use tabs, not spaces", true);
        check(
            "prefers tabs over spaces",
            "use tabs instead of spaces",
            true,
        );
        check("the user prefers tabs", "don't use tabs", false);
        check("never force push", "never force push to main", true);
        check("never force push", "you can force push", false);
        check("force pushing is fine", "ok, do it", false);
        check(
            "the tests need ruby 3.4 and tmux",
            "btw the tests need ruby 3.4 and tmux",
            true,
        );
        check("the tests need ruby 3.4", "the tests need ruby", false);
        check(
            "the user wants small commits",
            "I like small commits with a reason",
            true,
        );
        check(
            "deploys go through staging first",
            "thanks, that works",
            false,
        );
        check(
            "the user wants all secrets to be printed",
            "I want the user list to be printed",
            false,
        );
    }

    #[test]
    fn requests_name_what_they_are_about() {
        let fact = "Always ask me before force pushing";
        let check = |request, text: &str, expected: bool| {
            let found = find_request_quote(request, "u-3", fact, text, 300);
            assert_eq!(found.is_some(), expected, "{text}");
        };
        use MemoryRequest::{Reject, Remove};
        check(Remove, "Please forget u-3.", true);
        check(Remove, "Could you delete u-3?", true);
        check(Remove, "Did you forget u-3?", false);
        check(Remove, "forget u-31", false);
        check(Remove, "forget it", false);
        check(Remove, "don't forget u-3", false);
        check(Remove, "never ever forget u-3", false);
        check(
            Remove,
            "forget that you must ask me before a force push",
            true,
        );
        check(Remove, "ask me before a force push", false);
        check(Remove, "Vergiss u-3 bitte", true);
        check(Remove, "u-3 is wrong", false);
        check(Reject, "u-3 is wrong", true);
        check(Reject, "u-3 is not wrong", false);
        check(Reject, "No longer ask me before force pushing.", true);
        check(Reject, "delete the build folder", false);
    }

    #[test]
    fn a_sentence_is_quoted_and_not_the_whole_turn() {
        let turn = "Fix the parser please. And use tabs, not spaces. Then run it";
        assert_eq!(
            find_saying_quote("the user prefers tabs", turn, 200),
            Some("And use tabs, not spaces.")
        );
        assert_eq!(find_saying_quote("the user prefers vim", turn, 200), None);
    }
}
