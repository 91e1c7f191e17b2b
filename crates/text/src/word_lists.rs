//! Lists of words in one text, separated by blanks, and how they are looked up.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Words that are looked up again and again.
pub(crate) type WordSet = LazyLock<HashSet<&'static str>>;

/// The words of a list, separated by blanks.
pub(crate) fn collect_words(list: &'static str) -> HashSet<&'static str> {
    list.split(' ').collect()
}

/// Whether a list of words, separated by blanks, holds this one.
///
/// Every word of every outlined file is looked up in several lists, so that this is half of what a recall's look into the
/// checkout takes when it is done with `split`.
#[must_use]
pub fn is_in_word_list(list: &str, word: &str) -> bool {
    let (mut rest, word) = (list.as_bytes(), word.as_bytes());
    let Some(first) = word.first() else {
        return false;
    };
    while rest.len() >= word.len() {
        if rest[0] == *first && rest.starts_with(word) && is_end(rest, word.len()) {
            return true;
        }
        let Some(blank) = rest.iter().position(|it| *it == b' ') else {
            return false;
        };
        rest = &rest[blank + 1..];
    }
    false
}

fn is_end(rest: &[u8], len: usize) -> bool {
    rest.get(len).is_none_or(|it| *it == b' ')
}

/// The value of each word in a table whose rows are words, separated by blanks, and the value that they share.
pub fn index_words<V: Copy>(rows: &[(&'static str, V)]) -> HashMap<&'static str, V> {
    let words = rows
        .iter()
        .flat_map(|(words, value)| words.split(' ').map(|it| (it, *value)));
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole() {
        let check = |list: &str, word: &str, expected: bool| {
            assert_eq!(
                is_in_word_list(list, word),
                expected,
                "{word:?} in {list:?}"
            )
        };
        check("fn func function", "fn", true);
        check("fn func function", "func", true);
        check("fn func function", "function", true);
        check("fn func function", "f", false);
        check("fn func function", "unc", false);
        check("fn func function", "functions", false);
        check("für où", "où", true);
        check("für où", "o", false);
        check("fn", "", false);
        check("", "fn", false);
    }
}
