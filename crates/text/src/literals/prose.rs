//! Literals that help the prose along: what a fact mentions, and what it states.

use super::{
    Literal,
    chars::is_word_char,
    find::{FoundLiteral, is_in_caseless_word_list},
    scanned_text::parse_literal_number,
};

/// What stands before a value that is stated, and not only mentioned.
const STATING: &str = "is are be was were = == equals equal to defaults default called named at of exactly returns return \
    ist sind heißt auf est sont es son";

/// Whether a literal is mentioned in passing, as a case or as a word of prose: nought, or a plain word in quotes, that nothing
/// is said to be. It is no reason to doubt a fact.
pub(super) fn is_in_passing(fact: &str, it: &FoundLiteral) -> bool {
    let is_plain = |text: &str| text.bytes().all(|it| it.is_ascii_lowercase());
    let is_weak = match &it.literal {
        Literal::Number(text) => {
            let number = parse_literal_number(text);
            number.and_then(|it| it.value()) == Some(0.0)
        }
        Literal::Value(text) => is_plain(text),
        Literal::Name(_) | Literal::Path(_) | Literal::Quoted(_) => false,
    };
    is_weak && !is_stated(fact, it)
}

/// Whether a literal is a name that a fact mentions beside what it is about.
pub(super) fn is_mentioned(fact: &str, it: &FoundLiteral) -> bool {
    let is_name = matches!(it.literal, Literal::Name(_) | Literal::Path(_));
    is_in_passing(fact, it) || (is_name && !is_stated(fact, it))
}

/// Whether the fact says that something is this.
fn is_stated(fact: &str, it: &FoundLiteral) -> bool {
    let before = fact[..it.start].trim_end_matches(|it: char| !is_word_char(it) && it != '=');
    let word = before.rsplit(char::is_whitespace).next().unwrap_or("");
    is_in_caseless_word_list(STATING, word)
}

/// The first word of a fact, which often names what it is about.
pub(super) fn first_word(fact: &str) -> Option<&str> {
    let mut words = fact.split(|it: char| !is_word_char(it) && it != '.' && it != ':');
    let word = words.find(|it| !it.is_empty())?;
    Some(word.trim_end_matches([':', '.']))
}

/// The words of a fact that are long enough to tell what it is about.
pub(super) fn list_telling_words(fact: &str) -> Vec<String> {
    let words = fact.split(|it: char| !it.is_alphanumeric());
    let words = words.filter(|it| it.chars().count() > 3);
    words.map(str::to_lowercase).collect()
}
