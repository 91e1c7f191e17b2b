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
    fn a_sentence_is_quoted_and_not_the_whole_turn() {
        let turn = "Fix the parser please. And use tabs, not spaces. Then run it";
        assert_eq!(
            find_saying_quote("the user prefers tabs", turn, 200),
            Some("And use tabs, not spaces.")
        );
        assert_eq!(find_saying_quote("the user prefers vim", turn, 200), None);
    }
}
